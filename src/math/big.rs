//! Exact decimals: what people type, copy and save, never squeezed through f64.
//!
//! A [`Decimal`] is an integer times a power of ten, so text of any length is held digit for digit
//! and sums and products are exact. This is the one file that names the big-number crate (dashu).

use std::fmt;
use std::str::FromStr;

use dashu_int::{IBig, UBig, ops::BitTest as _};

use super::{DoubleDouble, Fixed, FloatExp, shortened};

/// Largest decimal exponent read: a million digits are a minute's work, more is a slip of the hand.
const MAX_EXPONENT: i64 = 1_000_000;

/// The exact number `digits · 10^exponent`; equal numbers compare equal however they were written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: IBig,
    exponent: i64,
}

/// A point of the plane with every digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BigComplex {
    pub re: Decimal,
    pub im: Decimal,
}

/// Why a text is no number; `at` counts characters from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDecimalError {
    #[error("the number is empty; write it like -0.75 or 4e-30")]
    Empty,
    #[error("{text:?} is not a number: unexpected {found:?} at character {}; write it like -0.75 or 4e-30", at + 1)]
    Unexpected { text: String, found: String, at: usize },
    #[error("{text:?} is not finite; write a number like -0.75 or 4e-30")]
    NotFinite { text: String },
    #[error("the exponent of {text:?} is beyond ±{MAX_EXPONENT}; use a number nearer to 1")]
    Exponent { text: String },
}

impl Decimal {
    /// `digits · 10^exponent`, kept in lowest terms.
    fn from_parts(mut digits: IBig, mut exponent: i64) -> Self {
        if digits == IBig::ZERO {
            return Self { digits, exponent: 0 };
        }
        let mut strip = |power: &IBig, zeros: usize| {
            // A power of ten holds as many twos: mostly that is enough to see that it does not divide.
            let divides = digits.trailing_zeros() >= Some(zeros) && (&digits % power) == IBig::ZERO;
            if divides {
                digits /= power;
                exponent += zeros as i64;
            }
            divides
        };
        // Powers that double on the way up, and each once more on the way down: a million zeros are twenty of them.
        let mut powers = vec![(IBig::from(10), 1)];
        while let Some((power, zeros)) = powers.last().filter(|(power, zeros)| strip(power, *zeros)) {
            powers.push((power * power, zeros * 2));
        }
        for (power, zeros) in powers.iter().rev() {
            strip(power, *zeros);
        }
        Self { digits, exponent }
    }

    /// The exact value of a finite f64.
    pub fn from_f64(value: f64) -> Self {
        debug_assert!(value.is_finite());
        Self::from_float_exp(value.into())
    }

    pub fn is_zero(&self) -> bool {
        self.digits == IBig::ZERO
    }

    pub fn is_positive(&self) -> bool {
        self.digits > IBig::ZERO
    }

    /// Nearest value with extended exponent.
    pub fn to_float_exp(&self) -> FloatExp {
        let (numerator, denominator) = self.as_ratio();
        ratio_to_float_exp(&numerator, &denominator)
    }

    /// Nearest f64.
    pub fn to_f64(&self) -> f64 {
        self.to_float_exp().to_f64()
    }

    /// The number itself where it is a whole one that fits.
    pub fn to_u32(&self) -> Option<u32> {
        let power = u32::try_from(self.exponent).ok().filter(|&power| power < 10)?;
        u32::try_from(&self.digits * IBig::from(10).pow(power as usize)).ok()
    }

    /// A number of at most some thousand digits whose sum with any f64 rounds to the same f64 as this one's.
    pub(crate) fn for_sums_with_f64(&self) -> Self {
        // Every f64, and every middle between two of them, is a multiple of 10^-1075. So is their difference, and a
        // number between two such multiples is on the same side of both wherever it lies.
        const PLACE: i64 = -1075;
        if self.exponent >= PLACE {
            return self.clone();
        }
        let below = floor_div(&self.digits, &IBig::from(10).pow((PLACE - self.exponent) as usize));
        Self::from_parts(below * IBig::from(10) + IBig::from(5), PLACE - 1)
    }

    /// To twice the digits of f64; both parts rounded to nearest.
    pub(crate) fn to_double_double(&self) -> DoubleDouble {
        let (numerator, denominator) = self.as_ratio();
        ratio_to_double_double(&numerator, &denominator)
    }

    /// Rounded down to `fraction` limbs after the point; |self| must be below 2⁶².
    pub fn to_fixed(&self, fraction: usize) -> Fixed {
        let (numerator, denominator) = self.as_ratio();
        fixed_from_units(floor_div(&(numerator << (64 * fraction)), &denominator), fraction)
    }

    /// The exact value of a number in fixed point.
    pub fn from_fixed(value: &Fixed) -> Self {
        Self::from_binary(units_of_fixed(value), -64 * value.fraction() as i64)
    }

    /// The exact value of a float.
    pub fn from_float_exp(value: FloatExp) -> Self {
        Self::from_binary(IBig::from((value.mantissa() * 2f64.powi(52)) as i64), value.exponent() - 52)
    }

    /// `integer · 2^shift`.
    fn from_binary(integer: IBig, shift: i64) -> Self {
        if shift >= 0 {
            Self::from_parts(integer << shift as usize, 0)
        } else {
            // m / 2^k = m · 5^k / 10^k
            Self::from_parts(integer * IBig::from(5).pow(-shift as usize), shift)
        }
    }

    /// Exact half of the number.
    pub fn half(&self) -> Self {
        Self::from_parts(&self.digits * IBig::from(5), self.exponent - 1)
    }

    /// `self / divisor` (above 0), rounded half up to `significant` decimal digits where it has more.
    pub fn divided(&self, divisor: u32, significant: usize) -> Self {
        let divisor = IBig::from(divisor);
        let missing = (significant + decimal_length(&divisor) + 1).saturating_sub(decimal_length(&self.digits));
        let digits = &self.digits * IBig::from(10).pow(missing);
        let quotient = floor_div(&digits, &divisor);
        // One more digit that is not 0 keeps what is just above a half from looking like one.
        let sticky = IBig::from(u8::from(&quotient * &divisor != digits));
        let told = Self::from_parts(quotient * IBig::from(10) + sticky, self.exponent - missing as i64 - 1);
        told.rounded_to(significant)
    }

    /// `self · factor`, rounded to `significant` decimal digits; `factor` must be finite.
    pub fn scaled(&self, factor: f64, significant: usize) -> Self {
        (self * &Self::from_f64(factor)).rounded_to(significant)
    }

    /// Rounded half up to `significant` decimal digits (at least one).
    pub fn rounded_to(&self, significant: usize) -> Self {
        let lead = self.exponent + decimal_length(&self.digits) as i64;
        self.rounded_at(lead - significant as i64)
    }

    /// Rounded half up to a multiple of `10^place`.
    pub fn rounded_at(&self, place: i64) -> Self {
        if place <= self.exponent {
            return self.clone();
        }
        let unit = IBig::from(10).pow((place - self.exponent) as usize);
        let half = &unit / IBig::from(2);
        // That division rounds towards −∞, so adding one half rounds to nearest.
        Self::from_parts(floor_div(&(&self.digits + half), &unit), place)
    }

    /// Numerator and positive denominator.
    fn as_ratio(&self) -> (IBig, IBig) {
        let power = IBig::from(10).pow(self.exponent.unsigned_abs() as usize);
        if self.exponent >= 0 { (&self.digits * power, IBig::ONE) } else { (self.digits.clone(), power) }
    }

    /// The integer `self / 10^place`; `place` must not be above the last digit.
    fn digits_at(&self, place: i64) -> IBig {
        &self.digits * IBig::from(10).pow((self.exponent - place) as usize)
    }

    /// Numerators of several decimals over one common positive denominator.
    pub(crate) fn over_common_denominator<const N: usize>(values: [&Self; N]) -> ([IBig; N], IBig) {
        let lowest = values.iter().map(|v| v.exponent).min().unwrap_or(0).min(0);
        (values.map(|v| v.digits_at(lowest)), IBig::from(10).pow(-lowest as usize))
    }
}

/// `numerator / denominator` (positive) rounded once to 53 bits, to nearest, ties to even.
pub(crate) fn ratio_to_float_exp(numerator: &IBig, denominator: &IBig) -> FloatExp {
    let (sign, magnitude) = numerator.clone().into_parts();
    let denominator = UBig::try_from(denominator.clone()).expect("denominators are positive");
    if magnitude == UBig::ZERO {
        return FloatExp::ZERO;
    }
    // A quotient of 62 or 63 bits, with a sticky last bit, rounds to f64 as the exact ratio would.
    let shift = 62 + denominator.bit_len() as i64 - magnitude.bit_len() as i64;
    let (top, bottom) = if shift >= 0 {
        (magnitude << shift as usize, denominator)
    } else {
        (magnitude, denominator << -shift as usize)
    };
    let quotient = &top / &bottom;
    let sticky = u64::from(&quotient * &bottom != top);
    let bits = u64::try_from(quotient).expect("the shift leaves at most 63 bits") | sticky;
    let value = bits as f64;
    FloatExp::new(if sign == dashu_int::Sign::Negative { -value } else { value }, -shift)
}

/// `numerator / denominator` (positive) to twice the digits of f64; both parts rounded to nearest.
pub(crate) fn ratio_to_double_double(numerator: &IBig, denominator: &IBig) -> DoubleDouble {
    let high = ratio_to_float_exp(numerator, denominator).to_f64();
    let (taken, below) = Decimal::from_f64(high).as_ratio();
    let rest = numerator * &below - taken * denominator;
    DoubleDouble { high, low: ratio_to_float_exp(&rest, &(denominator * below)).to_f64() }
}

/// `integer / 2^(64·fraction)` in fixed point.
fn fixed_from_units(integer: IBig, fraction: usize) -> Fixed {
    let is_negative = integer < IBig::ZERO;
    // Of a negative integer −m, the two's complement is the complement of m − 1.
    let (_, bits) = if is_negative { (-integer - IBig::ONE).into_parts() } else { integer.into_parts() };
    let bytes = bits.to_le_bytes();
    let limb = |i: usize| {
        let mut limb = [0; 8];
        let held = bytes.get(8 * i..).unwrap_or_default();
        let held = &held[..held.len().min(8)];
        limb[..held.len()].copy_from_slice(held);
        u64::from_le_bytes(limb) ^ if is_negative { u64::MAX } else { 0 }
    };
    Fixed::from_limbs((0..=fraction).map(limb).collect())
}

/// The integer `value · 2^(64·fraction)`.
fn units_of_fixed(value: &Fixed) -> IBig {
    let is_negative = value.limbs().last().is_some_and(|top| top >> 63 == 1);
    let flip = if is_negative { u64::MAX } else { 0 };
    let bytes: Vec<u8> = value.limbs().iter().flat_map(|limb| (limb ^ flip).to_le_bytes()).collect();
    let magnitude = IBig::from(UBig::from_le_bytes(&bytes));
    if is_negative { -magnitude - IBig::ONE } else { magnitude }
}

/// `a · b / c` of complex numbers in fixed point, all of equal width, rounded down; none where `c` is 0.
///
/// The result must be below 2⁶² in both parts.
pub(crate) fn fixed_quotient(a: &[Fixed; 2], b: &[Fixed; 2], c: &[Fixed; 2]) -> Option<[Fixed; 2]> {
    let fraction = a[0].fraction();
    let [[a, i], [b, j], [c, k]] = [a, b, c].map(|number| number.each_ref().map(units_of_fixed));
    let divisor = &c * &c + &k * &k;
    if divisor == IBig::ZERO {
        return None;
    }
    let (re, im) = (&a * &b - &i * &j, &a * &j + &i * &b);
    let (re, im) = (&re * &c + &im * &k, &im * &c - &re * &k);
    Some([re, im].map(|part| fixed_from_units(floor_div(&part, &divisor), fraction)))
}

/// The quotient rounded towards −∞; the divisor is positive.
fn floor_div(number: &IBig, divisor: &IBig) -> IBig {
    let quotient = number / divisor;
    if &quotient * divisor > *number { quotient - IBig::ONE } else { quotient }
}

fn decimal_length(value: &IBig) -> usize {
    value.to_string().trim_start_matches('-').len()
}

macro_rules! exact {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl std::ops::$trait for &Decimal {
            type Output = Decimal;
            fn $method(self, other: &Decimal) -> Decimal {
                let ($a, $b) = (self, other);
                $body
            }
        }
    };
}
exact!(Mul, mul, |a, b| Decimal::from_parts(&a.digits * &b.digits, a.exponent + b.exponent));
exact!(Add, add, |a, b| {
    let lowest = a.exponent.min(b.exponent);
    let mut digits = a.digits_at(lowest);
    digits += b.digits_at(lowest);
    Decimal::from_parts(digits, lowest)
});
exact!(Sub, sub, |a, b| a + &-b);

impl std::ops::Neg for &Decimal {
    type Output = Decimal;
    fn neg(self) -> Decimal {
        Decimal { digits: -&self.digits, exponent: self.exponent }
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self::from_parts(value.into(), 0)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some((self - other).digits.cmp(&IBig::ZERO))
    }
}

impl FromStr for Decimal {
    type Err = ParseDecimalError;

    /// Reads `[+|-] digits [. digits] [e [+|-] digits]`, of any length; blanks around it are allowed.
    fn from_str(text: &str) -> Result<Self, ParseDecimalError> {
        let body = text.trim();
        if body.is_empty() {
            return Err(ParseDecimalError::Empty);
        }
        let unsigned = body.trim_start_matches(['-', '+']).to_ascii_lowercase();
        if ["inf", "infinity", "nan"].contains(&unsigned.as_str()) {
            return Err(ParseDecimalError::NotFinite { text: shortened(body) });
        }
        let unexpected = |at: usize| ParseDecimalError::Unexpected {
            text: shortened(body),
            found: body.chars().nth(at).map_or("end of text".into(), String::from),
            at,
        };
        let chars: Vec<char> = body.chars().collect();
        let mut at = usize::from(matches!(chars[0], '-' | '+'));
        let mut digits = String::from(if chars[0] == '-' { "-" } else { "" });
        let mut exponent = 0i64;
        let (sign_length, mut point) = (digits.len(), None);
        while let Some(&c) = chars.get(at) {
            match c {
                '0'..='9' => digits.push(c),
                '.' if point.is_none() => point = Some(digits.len()),
                '\u{2212}' | '_' => return Err(unexpected(at)),
                _ => break,
            }
            at += 1;
        }
        if digits.len() == sign_length {
            return Err(unexpected(at));
        }
        if let Some(point) = point {
            exponent -= (digits.len() - point) as i64;
        }
        if matches!(chars.get(at), Some('e' | 'E')) {
            let tail: String = chars[at + 1..].iter().collect();
            let plain = tail.strip_prefix(['+', '-']).unwrap_or(&tail);
            if plain.is_empty() {
                return Err(unexpected(chars.len()));
            }
            if let Some(bad) = plain.chars().position(|c| !c.is_ascii_digit()) {
                return Err(unexpected(at + 1 + (tail.len() - plain.len()) + bad));
            }
            let power = tail.parse::<i64>().unwrap_or(i64::MAX);
            if power.unsigned_abs() > MAX_EXPONENT as u64 {
                return Err(ParseDecimalError::Exponent { text: shortened(body) });
            }
            exponent += power;
        } else if at < chars.len() {
            return Err(unexpected(at));
        }
        // Zeros at the end are cheaper to leave out here than to divide by later.
        let kept = digits.trim_end_matches('0').len().max(sign_length + 1);
        exponent += (digits.len() - kept) as i64;
        let digits = digits[..kept].parse::<IBig>().map_err(|_| unexpected(0))?;
        Ok(Self::from_parts(digits, exponent))
    }
}

impl fmt::Display for Decimal {
    /// Every digit: plain where that is short (`-0.75`), scientific elsewhere (`4e-1000`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.digits.to_string();
        let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |d| ("-", d));
        let point = digits.len() as i64 + self.exponent;
        let plain = if self.exponent >= 0 { point <= 18 } else { point > -4 };
        if !plain {
            let (lead, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            return write!(f, "{sign}{lead}{dot}{rest}e{}", point - 1);
        }
        if self.exponent >= 0 {
            write!(f, "{sign}{digits}{}", "0".repeat(self.exponent as usize))
        } else if point <= 0 {
            write!(f, "{sign}0.{}{digits}", "0".repeat(-point as usize))
        } else {
            let (whole, part) = digits.split_at(point as usize);
            write!(f, "{sign}{whole}.{part}")
        }
    }
}

impl BigComplex {
    pub fn new(re: Decimal, im: Decimal) -> Self {
        Self { re, im }
    }

    /// The exact point.
    pub fn from_f64(point: super::Complex) -> Self {
        Self::new(Decimal::from_f64(point.re), Decimal::from_f64(point.im))
    }

    /// Nearest point in f64.
    pub fn to_f64(&self) -> super::Complex {
        super::Complex::new(self.re.to_f64(), self.im.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn text_survives_the_round_trip() {
        // (written, read back, why)
        for (text, expected, why) in [
            ("-0.75", "-0.75", "plain"),
            ("+.5", "0.5", "no leading zero"),
            ("5.", "5", "no digit after the point"),
            ("1.500", "1.5", "equal numbers read alike"),
            ("0.000", "0", "zero"),
            ("-0", "0", "no negative zero"),
            ("4E-1000", "4e-1000", "far beyond f64"),
            ("1200", "1200", "short whole numbers stay plain"),
            (" 2e3 ", "2000", "blanks around"),
            ("-0.743643887037158704752191506114774", "-0.743643887037158704752191506114774", "more digits than f64"),
            ("123456789e-12", "0.000123456789", "small, still plain"),
            ("1.25e-9", "1.25e-9", "small"),
            ("-00120.0300e1", "-1200.3", "zeros at either end"),
        ] {
            assert_eq!(decimal(text).to_string(), expected, "{why}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_place() {
        for (text, message) in [
            ("", "empty"),
            ("  ", "empty"),
            ("NaN", "not finite"),
            ("-inf", "not finite"),
            ("1,5", "',' at character 2"),
            ("1.2.3", "'.' at character 4"),
            ("--1", "'-' at character 2"),
            ("0x10", "'x' at character 2"),
            ("1e", "end of text"),
            ("1e+-3", "'-' at character 4"),
            ("1e5x", "'x' at character 4"),
            ("e5", "'e' at character 1"),
            (".", "end of text"),
            ("1e99999999999999999999", "exponent"),
        ] {
            let error = text.parse::<Decimal>().expect_err(text).to_string();
            assert!(error.replace('"', "'").contains(message), "{text:?}: {error}");
        }
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(&decimal("0.1") + &decimal("0.2"), decimal("0.3"));
        assert_eq!(&decimal("1e-1000") + &decimal("1"), decimal(&format!("1.{}1", "0".repeat(999))));
        assert_eq!(&decimal("-1.5") * &decimal("4"), decimal("-6"));
        assert_eq!(decimal("-3").half(), decimal("-1.5"));
        assert!(decimal("-2") < decimal("-1.9"));
    }

    #[test]
    fn long_runs_of_zeros_cost_no_division_each() {
        let zeros = "0".repeat(1_000_000);
        assert_eq!(decimal(&format!("0.5{zeros}")), decimal("0.5"));
        let (above, below) = (decimal(&format!("0.5{zeros}1")), decimal(&format!("0.{}1", "0".repeat(1_000_001))));
        assert_eq!(&above - &below, decimal("0.5"), "the zeros of a sum go as fast");
        for zeros in 0..70 {
            assert_eq!(
                Decimal::from_parts(IBig::from(10).pow(zeros) * 3, 0),
                Decimal { digits: 3.into(), exponent: zeros as i64 }
            );
        }
    }

    #[test]
    fn whole_numbers_are_told_exactly() {
        for (text, expected) in [
            ("0", Some(0)),
            ("5e0", Some(5)),
            ("4294967295", Some(u32::MAX)),
            ("4294967296", None),
            ("2e9", Some(2_000_000_000)),
            ("1e1000000", None),
            ("-1", None),
            ("5.00000000000000000000000000001", None),
        ] {
            assert_eq!(decimal(text).to_u32(), expected, "{text}");
        }
    }

    #[test]
    fn messages_repeat_no_page() {
        for text in ["x".repeat(100_000), format!("1{}e", "0".repeat(100_000)), format!("1e{}", "9".repeat(100_000))] {
            assert!(text.parse::<Decimal>().unwrap_err().to_string().len() < 300);
        }
    }

    #[test]
    fn rounding_goes_to_nearest() {
        for (text, significant, expected) in
            [("1234.5", 4, "1235"), ("-1234.5", 4, "-1234"), ("9.99", 2, "10"), ("-0.0449", 1, "-0.04"), ("7", 5, "7")]
        {
            assert_eq!(decimal(text).rounded_to(significant), decimal(expected), "{text}");
        }
    }

    #[test]
    fn fixed_point_is_met_exactly() {
        for text in ["1.5", "-0.75", "0", "-1", "0.0625", "-1.00000000000000000000000000000000000000000000000000001"] {
            for fraction in [1, 2, 7] {
                let fixed = decimal(text).to_fixed(fraction);
                let there = Decimal::from_fixed(&fixed);
                assert_eq!(there.to_fixed(fraction), fixed, "{text}");
                assert!(
                    (&decimal(text) - &there).to_float_exp() <= FloatExp::new(1.0, -64 * fraction as i64),
                    "{text}"
                );
            }
        }
        assert_eq!(Decimal::from_fixed(&decimal("-1.375").to_fixed(3)), decimal("-1.375"));
        assert_eq!(Decimal::from_float_exp(FloatExp::new(-1.5, 3)), decimal("-12"));
    }

    #[test]
    fn quotients_are_those_of_exact_numbers() {
        let fixed = |re: &str, im: &str| [re, im].map(|text| decimal(text).to_fixed(5));
        // (−2 + i)(1 + 2i) / (3 − 4i) = (−4 − 3i) / (3 − 4i) = −i
        let got = fixed_quotient(&fixed("-2", "1"), &fixed("1", "2"), &fixed("3", "-4")).unwrap();
        assert_eq!(got, fixed("0", "-1"));
        // Small over small keeps its digits.
        let got = fixed_quotient(&fixed("3e-50", "0"), &fixed("0.5", "0"), &fixed("1e-50", "0")).unwrap();
        assert!((got[0].to_float_exp().to_f64() - 1.5).abs() < 1e-15 && got[1] == Fixed::zero(5));
        assert_eq!(fixed_quotient(&fixed("1", "0"), &fixed("1", "0"), &fixed("0", "0")), None);
    }

    #[test]
    fn f64_is_met_exactly_both_ways() {
        for value in [0.1, -0.75, 1e300, 5e-324, 2.5, -1e-30, 0.0] {
            assert_eq!(Decimal::from_f64(value).to_f64(), value);
        }
        // The standard library's parser rounds decimal text correctly: an independent witness.
        for text in ["0.1", "-0.743643887037158704752191506114774", "1.7976931348623157e308", "123456789012345678901"] {
            assert_eq!(decimal(text).to_f64(), text.parse::<f64>().unwrap(), "{text}");
        }
    }
}
