//! A float with a 64-bit exponent, for sizes beyond the range of f64.

use std::cmp::Ordering;

/// The number `mantissa · 2^exponent`, with `1 ≤ |mantissa| < 2`, or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatExp {
    mantissa: f64,
    exponent: i64,
}

impl FloatExp {
    pub const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Normalises `mantissa · 2^exponent`; `mantissa` must be finite.
    pub fn new(mantissa: f64, exponent: i64) -> Self {
        debug_assert!(mantissa.is_finite());
        if mantissa == 0.0 {
            return Self::ZERO;
        }
        // Subnormal numbers have no exponent bits to read: scale them up first.
        let (mantissa, exponent) =
            if mantissa.is_normal() { (mantissa, exponent) } else { (mantissa * 2f64.powi(64), exponent - 64) };
        let bits = mantissa.to_bits();
        let shift = ((bits >> 52) & 0x7ff) as i64 - 1023;
        let mantissa = f64::from_bits((bits & !(0x7ff << 52)) | (1023 << 52));
        Self { mantissa, exponent: exponent + shift }
    }

    pub const fn power_of_two(exponent: i64) -> Self {
        Self { mantissa: 1.0, exponent }
    }

    pub fn mantissa(self) -> f64 {
        self.mantissa
    }

    pub fn exponent(self) -> i64 {
        self.exponent
    }

    /// The nearest f64: infinite above its range, subnormal or zero below.
    pub fn to_f64(self) -> f64 {
        match self.exponent {
            e if e > 1023 => self.mantissa * f64::INFINITY,
            e if e >= -1022 => self.mantissa * 2f64.powi(e as i32),
            e if e >= -1100 => self.mantissa * 2f64.powi(-1022) * 2f64.powi(e as i32 + 1022),
            _ => 0.0,
        }
    }

    /// log₂ |self|; −∞ for zero.
    pub fn log2(self) -> f64 {
        self.mantissa.abs().log2() + self.exponent as f64
    }

    /// Quotient `self / other`; `other` must not be zero.
    pub fn div(self, other: Self) -> Self {
        Self::new(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }

    pub fn mul(self, other: Self) -> Self {
        Self::new(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }

    pub fn add(self, other: Self) -> Self {
        if self.mantissa == 0.0 {
            return other;
        }
        if other.mantissa == 0.0 {
            return self;
        }
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        Self::new(large.mantissa + small.mantissa * power_of_two(small.exponent - large.exponent), large.exponent)
    }

    pub fn doubled(self) -> Self {
        Self { exponent: self.exponent + 1, ..self }
    }

    pub fn sub(self, other: Self) -> Self {
        self.add(Self { mantissa: -other.mantissa, ..other })
    }

    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    pub fn abs(self) -> Self {
        Self { mantissa: self.mantissa.abs(), ..self }
    }
}

/// 2^exponent for exponent ≤ 0, and 0 where that is below the range of normal numbers.
#[inline(always)]
pub(super) fn power_of_two(exponent: i64) -> f64 {
    if exponent < -1022 { 0.0 } else { f64::from_bits(((1023 + exponent) as u64) << 52) }
}

impl From<f64> for FloatExp {
    fn from(value: f64) -> Self {
        Self::new(value, 0)
    }
}

impl PartialOrd for FloatExp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let key = |v: &Self| if v.mantissa == 0.0 { i64::MIN } else { v.exponent };
        let (a, b) = (self.mantissa, other.mantissa);
        if (a < 0.0) != (b < 0.0) || key(self) == key(other) {
            return a.partial_cmp(&b);
        }
        let by_size = key(self).cmp(&key(other));
        Some(if a < 0.0 || b < 0.0 { by_size.reverse() } else { by_size })
    }
}

impl std::fmt::Display for FloatExp {
    /// Scientific notation with three digits, at any exponent: `4.00e-1000`; honours `{:.1}`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(2);
        if self.mantissa == 0.0 {
            return write!(f, "0");
        }
        let log10 = self.log2() * std::f64::consts::LOG10_2;
        let mut exponent = log10.floor();
        let mut lead = 10f64.powf(log10 - exponent).copysign(self.mantissa);
        if format!("{:.digits$}", lead.abs()).starts_with("10") {
            (lead, exponent) = (lead / 10.0, exponent + 1.0);
        }
        write!(f, "{lead:.digits$}e{exponent}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f64_survives_the_round_trip() {
        for value in [1.0, -3.75, 1e300, -1e-300, 5e-324, 0.0, f64::MAX, f64::MIN_POSITIVE] {
            assert_eq!(FloatExp::from(value).to_f64(), value);
        }
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let rising = [-1e9, -2.0, -1.5, -1e-9, 0.0, 1e-9, 1.0, 1.5, 2.0, 1e9];
        for pair in rising.windows(2) {
            assert!(FloatExp::from(pair[0]) < FloatExp::from(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn sums_align_their_exponents() {
        let [big, small] = [FloatExp::new(1.5, 4000), FloatExp::new(1.0, 3999)];
        assert_eq!(big.add(small), FloatExp::new(1.0, 4001));
        assert_eq!(small.sub(big), FloatExp::new(-1.0, 4000));
        assert_eq!(big.sub(big), FloatExp::ZERO);
        assert_eq!(big.add(FloatExp::from(1.0)), big);
        assert_eq!((big.min(small), big.max(small)), (small, big));
    }

    #[test]
    fn display_reads_beyond_f64() {
        assert_eq!(FloatExp::new(1.0, -3322).div(FloatExp::from(2.0)).to_string(), "4.76e-1001");
        assert_eq!(FloatExp::from(0.9999).to_string(), "1.00e0");
        assert_eq!(format!("{:.0}", FloatExp::from(-2600.0)), "-3e3");
    }
}
