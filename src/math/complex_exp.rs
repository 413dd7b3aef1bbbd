//! Complex numbers with a 64-bit exponent that both parts share.

use super::float_exp::power_of_two;
use super::{Complex, FloatExp};

/// The number `mantissa · 2^exponent`; the larger part of the mantissa lies in 1 ≤ |x| < 2, or all is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComplexExp {
    mantissa: Complex,
    exponent: i64,
}

/// Exponent of zero: below all others, and far from overflow.
const ZERO_EXPONENT: i64 = i64::MIN / 4;

impl ComplexExp {
    pub const ZERO: Self = Self { mantissa: Complex::new(0.0, 0.0), exponent: ZERO_EXPONENT };
    pub const ONE: Self = Self { mantissa: Complex::new(1.0, 0.0), exponent: 0 };

    /// Normalises `mantissa · 2^exponent`; the parts must be finite.
    #[inline]
    pub fn new(mantissa: Complex, exponent: i64) -> Self {
        let largest = mantissa.re.abs().max(mantissa.im.abs());
        if !largest.is_normal() {
            return Self::subnormal(mantissa, exponent);
        }
        let shift = (largest.to_bits() >> 52) as i64 - 1023;
        if shift.abs() > 1000 {
            // 2^−shift itself may be out of range.
            let half = shift / 2;
            return Self::new(mantissa.scaled(2f64.powi(-half as i32)), exponent + half);
        }
        let scale = f64::from_bits(((1023 - shift) as u64) << 52);
        Self { mantissa: mantissa.scaled(scale), exponent: exponent + shift }
    }

    #[cold]
    fn subnormal(mantissa: Complex, exponent: i64) -> Self {
        if mantissa == Complex::new(0.0, 0.0) {
            return Self::ZERO;
        }
        debug_assert!(mantissa.re.is_finite() && mantissa.im.is_finite());
        Self::new(mantissa.scaled(2f64.powi(64)), exponent - 64)
    }

    pub fn from_parts(re: FloatExp, im: FloatExp) -> Self {
        let exponent = match [re, im].map(|x| x.mantissa() == 0.0) {
            [true, true] => return Self::ZERO,
            [true, false] => im.exponent(),
            [false, true] => re.exponent(),
            [false, false] => re.exponent().max(im.exponent()),
        };
        let part = |x: FloatExp| x.mantissa() * power_of_two((x.exponent() - exponent).min(0));
        Self::new(Complex::new(part(re), part(im)), exponent)
    }

    /// The nearest f64 to each part: zero below their range. The number must not be above it.
    #[inline]
    pub fn to_complex(self) -> Complex {
        if self.exponent >= -1000 {
            debug_assert!(self.exponent < 1023);
            return self.mantissa.scaled(f64::from_bits(((1023 + self.exponent) as u64) << 52));
        }
        let part = |x: f64| FloatExp::new(x, self.exponent).to_f64();
        Complex::new(part(self.mantissa.re), part(self.mantissa.im))
    }

    /// The larger of the parts' sizes.
    #[inline]
    pub fn size(self) -> FloatExp {
        FloatExp::new(self.mantissa.re.abs().max(self.mantissa.im.abs()), self.exponent)
    }

    /// Real and imaginary part.
    pub fn parts(self) -> [FloatExp; 2] {
        [self.mantissa.re, self.mantissa.im].map(|part| FloatExp::new(part, self.exponent))
    }

    /// The larger part lies in 1 ≤ |x| < 2, or both are zero.
    #[inline]
    pub fn mantissa(self) -> Complex {
        self.mantissa
    }

    /// log₂ of [`size`](Self::size), rounded down; far below any other for zero.
    pub fn exponent(self) -> i64 {
        self.exponent
    }

    pub fn norm(self) -> FloatExp {
        FloatExp::new(self.mantissa.norm(), self.exponent)
    }

    #[inline]
    pub fn add(self, other: Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let scale = power_of_two(small.exponent - large.exponent);
        Self::new(large.mantissa.add(small.mantissa.scaled(scale)), large.exponent)
    }

    #[inline]
    pub fn mul(self, other: Self) -> Self {
        Self::new(self.mantissa.mul(other.mantissa), self.exponent + other.exponent)
    }

    #[inline]
    pub fn sub(self, other: Self) -> Self {
        self.add(Self { mantissa: other.mantissa.scaled(-1.0), ..other })
    }

    /// Quotient `self / other`; `other` must not be zero.
    pub fn div(self, other: Self) -> Self {
        debug_assert!(other != Self::ZERO);
        Self::new(self.mantissa.div(other.mantissa), self.exponent - other.exponent)
    }

    #[inline]
    pub fn doubled(self) -> Self {
        Self { exponent: self.exponent + 1, ..self }
    }

    pub fn scaled(self, factor: FloatExp) -> Self {
        Self::new(self.mantissa.scaled(factor.mantissa()), self.exponent + factor.exponent())
    }
}

impl Default for ComplexExp {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<Complex> for ComplexExp {
    #[inline]
    fn from(value: Complex) -> Self {
        Self::new(value, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_of_f64_where_both_can() {
        let numbers =
            [(0.0, 0.0), (1.0, -2.5), (-3e-5, 1e-9), (1e100, 1e90), (0.0, 1e-120)].map(|(re, im)| Complex::new(re, im));
        for a in numbers {
            assert_eq!(ComplexExp::from(a).to_complex(), a);
            for b in numbers {
                let [x, y] = [a, b].map(ComplexExp::from);
                assert_eq!(x.add(y).to_complex(), a.add(b), "{a:?} + {b:?}");
                assert_eq!(x.sub(y).to_complex(), a.sub(b), "{a:?} − {b:?}");
                assert_eq!(x.mul(y).to_complex(), a.mul(b), "{a:?} · {b:?}");
                if b != Complex::default() {
                    let off = x.mul(y).div(y).sub(x);
                    assert!(off.size() <= x.size().mul(1e-15.into()), "{a:?} · {b:?} / {b:?}");
                }
            }
        }
        let tiny = Complex::new(5e-324, 0.0);
        assert_eq!(ComplexExp::from(tiny).to_complex(), tiny);
    }

    #[test]
    fn exponents_leave_the_range_of_f64() {
        let small = ComplexExp::new(Complex::new(1.0, 1.0), -5000);
        let product = small.mul(small);
        assert_eq!(product, ComplexExp::new(Complex::new(0.0, 1.0), -9999));
        assert_eq!(product.to_complex(), Complex::new(0.0, 0.0));
        assert_eq!(product.add(ComplexExp::ONE), ComplexExp::ONE);
        assert!(product.size() < small.size() && ComplexExp::ZERO.size() < product.size());
        let parts = ComplexExp::from_parts(FloatExp::new(1.0, -3000), FloatExp::new(-1.0, -3001));
        assert_eq!(parts, ComplexExp::new(Complex::new(1.0, -0.5), -3000));
        assert_eq!(ComplexExp::from_parts(FloatExp::ZERO, FloatExp::new(1.5, -9000)).exponent(), -9000);
    }
}
