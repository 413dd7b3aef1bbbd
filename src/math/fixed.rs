//! Fixed-point numbers of any width, for the one orbit that needs them.
//!
//! A [`Fixed`] is a two's complement integer over 2^(64·f): limbs from the lowest up, the highest before the point. Sums
//! wrap and need no case; a square leaves out the columns that cannot reach the result.

use super::FloatExp;

/// A number −2⁶³ ≤ x < 2⁶³ in steps of 2^(−64·(n − 1)), where n ≥ 2 is the number of limbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    limbs: Vec<u64>,
}

impl Fixed {
    /// Zero, with `fraction` ≥ 1 limbs after the point.
    pub fn zero(fraction: usize) -> Self {
        Self { limbs: vec![0; fraction.max(1) + 1] }
    }

    /// `limbs` from the lowest up, the highest before the point; of two's complement.
    pub(super) fn from_limbs(limbs: Vec<u64>) -> Self {
        debug_assert!(limbs.len() >= 2);
        Self { limbs }
    }

    pub(super) fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Limbs after the point.
    pub fn fraction(&self) -> usize {
        self.limbs.len() - 1
    }

    /// The same number with `fraction` limbs after the point; digits beyond are cut off.
    pub fn with_fraction(&self, fraction: usize) -> Self {
        let fraction = fraction.max(1);
        let (own, mut limbs) = (self.fraction(), vec![0; fraction.saturating_sub(self.fraction())]);
        limbs.extend_from_slice(&self.limbs[own.saturating_sub(fraction)..]);
        Self { limbs }
    }

    /// A float to `fraction` limbs after the point, cut off towards 0; |value| must be below 2⁶³.
    pub fn from_float_exp(value: FloatExp, fraction: usize) -> Self {
        let mut fixed = Self::zero(fraction);
        let bits = (value.mantissa().abs() * 2f64.powi(52)) as u128;
        // The last bit of the mantissa stands this far above that of the number.
        let place = value.exponent() - 52 + 64 * fixed.fraction() as i64;
        let (first, shift) = (place.div_euclid(64), place.rem_euclid(64));
        for (i, limb) in [(bits << shift) as u64, ((bits << shift) >> 64) as u64].into_iter().enumerate() {
            let at = usize::try_from(first + i as i64).ok();
            if let Some(held) = at.and_then(|at| fixed.limbs.get_mut(at)) {
                *held = limb;
            }
        }
        let mut signed = Self::zero(fraction);
        if value.mantissa() < 0.0 {
            signed.sub(&fixed);
        } else {
            signed.add(&fixed);
        }
        signed
    }

    fn is_negative(&self) -> bool {
        self.limbs.last().is_some_and(|&top| top >> 63 == 1)
    }

    /// `self += other`, of equal width.
    pub fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (a, &b) in self.limbs.iter_mut().zip(&other.limbs) {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*a, carry) = (sum, first | second);
        }
    }

    /// `self += value`, its digits below the last place cut off; |value| must be below 2⁶².
    pub fn add_float(&mut self, value: FloatExp) {
        let places = 64 * (self.limbs.len() as i64 - 1);
        // An integer of 53 bits, in units of 2^shift last places.
        let bits = (value.mantissa().abs() * 2f64.powi(52)) as u64;
        let shift = value.exponent() - 52 + places;
        if shift < -63 {
            return;
        }
        let (bits, shift) = if shift < 0 { (bits >> -shift, 0) } else { (bits, shift as usize) };
        let wide = u128::from(bits) << (shift % 64);
        let mut term = Self { limbs: vec![0; self.limbs.len()] };
        for (to, limb) in term.limbs[shift / 64..].iter_mut().zip([wide as u64, (wide >> 64) as u64]) {
            *to = limb;
        }
        if value.mantissa() < 0.0 { self.sub(&term) } else { self.add(&term) }
    }

    /// `self −= other`, of equal width.
    pub fn sub(&mut self, other: &Self) {
        let mut borrow = false;
        for (a, &b) in self.limbs.iter_mut().zip(&other.limbs) {
            let (difference, first) = a.overflowing_sub(b);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*a, borrow) = (difference, first | second);
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.limbs.copy_from_slice(&other.limbs);
    }

    /// −self.
    pub fn negate(&mut self) {
        let mut carry = true;
        for limb in &mut self.limbs {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
    }

    /// |self|.
    pub fn make_positive(&mut self) {
        if self.is_negative() {
            self.negate();
        }
    }

    /// `self = other²`, for |other| < 2³¹; too small by at most two units in the last place. `other` becomes positive.
    pub fn set_square(&mut self, other: &mut Self) {
        other.make_positive();
        let x = other.limbs.as_slice();
        let n = x.len();
        let mut sum = Column::default();
        // Column k has the weight 2^(64·(k − 2(n − 1))). All columns left out come to less than 2n units of the first.
        for k in n - 2..2 * n - 1 {
            let mut pairs = Column::default();
            let least = k.saturating_sub(n - 1);
            let half = k.div_ceil(2);
            for (&a, &b) in x[least..half].iter().zip(x[k + 1 - half..=k - least].iter().rev()) {
                pairs.add(u128::from(a) * u128::from(b));
            }
            pairs.double();
            sum.add_column(pairs);
            if k % 2 == 0 {
                sum.add(u128::from(x[k / 2]) * u128::from(x[k / 2]));
            }
            let limb = sum.take_limb();
            if k >= n - 1 {
                self.limbs[k - (n - 1)] = limb;
            }
        }
    }

    /// `self = a · b`, all of equal width, for |a · b| < 2⁶³; off by at most two units in the last place.
    pub fn set_product(&mut self, a: &Self, b: &Self) {
        let (x, y) = (a.limbs.as_slice(), b.limbs.as_slice());
        let n = x.len();
        let mut sum = Column::default();
        // As in a square, the first column stands in for the carry of those left out.
        for k in n - 2..2 * n - 1 {
            let least = k.saturating_sub(n - 1);
            let most = k.min(n - 1);
            for (&a, &b) in x[least..=most].iter().zip(y[k - most..=k - least].iter().rev()) {
                sum.add(u128::from(a) * u128::from(b));
            }
            let limb = sum.take_limb();
            if k >= n - 1 {
                self.limbs[k - (n - 1)] = limb;
            }
        }
        // Limbs were taken for those of a number without a sign: 2^(64·n) too much for one below 0.
        for (number, other) in [(a, b), (b, a)] {
            if number.is_negative() {
                self.sub_shifted(other);
            }
        }
    }

    /// `self −= other · 2⁶⁴`, modulo its range.
    fn sub_shifted(&mut self, other: &Self) {
        let mut borrow = false;
        for (a, &b) in self.limbs[1..].iter_mut().zip(&other.limbs) {
            let (difference, first) = a.overflowing_sub(b);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*a, borrow) = (difference, first | second);
        }
    }

    /// The nearest value with a mantissa of 53 bits, or its neighbour.
    pub fn to_float_exp(&self) -> FloatExp {
        let negative = self.is_negative();
        // In two's complement −x is the complement of x − 1: the difference is below the limbs that are read.
        let limb = |i: usize| if negative { !self.limbs[i] } else { self.limbs[i] };
        let n = self.limbs.len();
        let Some(top) = (0..n).rev().find(|&i| limb(i) != 0) else {
            return if negative { FloatExp::new(-1.0, -64 * (n as i64 - 1)) } else { FloatExp::ZERO };
        };
        let below = |by: usize| if top >= by { limb(top - by) } else { 0 };
        // 65 to 128 significant bits, rounded once.
        let value = ((u128::from(limb(top)) << 64) | u128::from(below(1))) as f64;
        FloatExp::new(if negative { -value } else { value }, 64 * (top as i64 - 1 - (n as i64 - 1)))
    }
}

/// The sum of a column of products: 192 bits.
#[derive(Clone, Copy, Default)]
struct Column {
    low: u128,
    high: u64,
}

impl Column {
    #[inline(always)]
    fn add(&mut self, product: u128) {
        let (sum, carry) = self.low.overflowing_add(product);
        self.low = sum;
        self.high += u64::from(carry);
    }

    fn add_column(&mut self, other: Self) {
        self.add(other.low);
        self.high += other.high;
    }

    fn double(&mut self) {
        self.high = (self.high << 1) | (self.low >> 127) as u64;
        self.low <<= 1;
    }

    /// The lowest limb; what is above it is carried to the next column.
    fn take_limb(&mut self) -> u64 {
        let limb = self.low as u64;
        self.low = (self.low >> 64) | (u128::from(self.high) << 64);
        self.high = 0;
        limb
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Decimal;

    fn fixed(text: &str, fraction: usize) -> Fixed {
        text.parse::<Decimal>().unwrap().to_fixed(fraction)
    }

    #[test]
    fn squares_are_those_of_exact_decimals() {
        for text in ["1.5", "-2", "0.1", "-0.743643887037158704752191506114774", "1.99999999999999999999999", "3e-30"] {
            for fraction in [1, 2, 3, 4, 7, 20] {
                let exact = text.parse::<Decimal>().unwrap();
                let mut square = Fixed::zero(fraction);
                let mut x = exact.to_fixed(fraction);
                square.set_square(&mut x);
                let mut off = (&exact * &exact).to_fixed(fraction);
                off.sub(&square);
                // The operand was cut to its width first: by one unit, times 2|x|.
                let units = off.to_float_exp().mul(FloatExp::new(1.0, 64 * fraction as i64)).to_f64();
                assert!(units.abs() <= 8.0, "{text}², {fraction} limbs: off by {units} units");
            }
        }
    }

    #[test]
    fn products_are_those_of_exact_decimals() {
        let numbers = ["1.5", "-2", "0.1", "-0.743643887037158704752191506114774", "3e-30", "-1e-40", "0"];
        for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (a, b))) {
            for fraction in [1, 2, 3, 7] {
                let [x, y] = [a, b].map(|text| text.parse::<Decimal>().unwrap());
                let mut product = Fixed::zero(fraction);
                product.set_product(&x.to_fixed(fraction), &y.to_fixed(fraction));
                let mut off = (&x * &y).to_fixed(fraction);
                off.sub(&product);
                let units = off.to_float_exp().mul(FloatExp::new(1.0, 64 * fraction as i64)).to_f64();
                assert!(units.abs() <= 8.0, "{a} · {b}, {fraction} limbs: off by {units} units");
            }
        }
    }

    #[test]
    fn floats_and_widths_keep_the_number() {
        for value in [1.0, -1.0, 0.75, -2.5, 0.1, -1e-5, 3e-19, -7e-40, 0.0, 4e9] {
            for fraction in [1, 2, 3, 8] {
                let exact = Decimal::from_f64(value);
                let mut off = Fixed::from_float_exp(value.into(), fraction);
                off.sub(&exact.to_fixed(fraction));
                // Rounding towards 0 and rounding down differ by a unit below 0.
                let units = off.to_float_exp().mul(FloatExp::new(1.0, 64 * fraction as i64)).to_f64();
                assert!((0.0..=1.0).contains(&units), "{value}, {fraction} limbs: off by {units} units");
                for wider in [fraction, fraction + 1, fraction + 5] {
                    let there = exact.to_fixed(fraction).with_fraction(wider);
                    assert_eq!((there.fraction(), there.with_fraction(fraction)), (wider, exact.to_fixed(fraction)));
                }
            }
        }
        assert_eq!(fixed("-0.3", 9).with_fraction(2), fixed("-0.3", 2));
        assert_eq!(Fixed::from_float_exp(FloatExp::new(1.5, -4000), 2), Fixed::zero(2), "below the last place");
    }

    #[test]
    fn sums_wrap_through_zero() {
        let mut x = fixed("-0.75", 3);
        x.add(&fixed("1", 3));
        assert_eq!(x, fixed("0.25", 3));
        x.sub(&fixed("0.5", 3));
        assert_eq!(x.to_float_exp().to_f64(), -0.25);
        x.sub(&fixed("-0.25", 3));
        assert_eq!(x.to_float_exp(), FloatExp::ZERO);
    }

    #[test]
    fn floats_are_added_at_their_place() {
        for text in ["1", "-0.75", "0.1", "-3e-20", "1e-30", "-1e-57", "1e-60", "3e10"] {
            let mut sum = fixed("0.5", 3);
            sum.add_float(text.parse::<Decimal>().unwrap().to_float_exp());
            sum.sub(&fixed("0.5", 3));
            let mut off = fixed(text, 3);
            let size = off.to_float_exp().abs();
            off.sub(&sum);
            let bound = size.mul(FloatExp::new(1.0, -52)).max(FloatExp::new(1.0, -190));
            assert!(off.to_float_exp().abs() <= bound, "{text}: off by {}", off.to_float_exp());
        }
    }

    #[test]
    fn values_are_read_at_any_size() {
        for (text, fraction) in [("1", 1), ("-1.75", 2), ("0.1", 5), ("-3e-200", 20), ("2.5e-500", 40), ("-1e-18", 1)] {
            let got = fixed(text, fraction).to_float_exp();
            let exact = text.parse::<Decimal>().unwrap().to_float_exp();
            let off = (got.div(exact).to_f64() - 1.0).abs();
            assert!(off < if fraction == 1 { 0.1 } else { 1e-15 }, "{text}: {got}, not {exact}");
        }
    }
}
