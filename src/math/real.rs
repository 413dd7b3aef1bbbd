//! The few operations that formulas are written in, for scalars and vectors alike.
//!
//! Each operation is one IEEE-754 rounding. A formula written with them therefore means the same,
//! bit for bit, in the plain loop and in every vector width.

/// A real number, or a vector of them worked on lane by lane.
pub trait Real: Copy {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self · a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b − self · a`, rounded once.
    fn neg_mul_add(self, a: Self, b: Self) -> Self;
    fn abs(self) -> Self;
}

macro_rules! scalar {
    ($($float:ty),*) => {$(
        impl Real for $float {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                <$float>::mul_add(self, a, b)
            }
            #[inline(always)]
            fn neg_mul_add(self, a: Self, b: Self) -> Self {
                <$float>::mul_add(-self, a, b)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$float>::abs(self)
            }
        }
    )*};
}
scalar!(f32, f64);

/// A [`Real`] in the binary64 format, whose bits may be looked at.
pub trait Binary64: Real {
    /// `value` in every lane.
    fn same(self, value: f64) -> Self;
    /// `self` where it is at most `bound`, else `bound`: NaN gives `bound`.
    fn at_most(self, bound: f64) -> Self;
    /// `self` where it is at least `bound`, else `bound`: NaN gives `bound`.
    fn at_least(self, bound: f64) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// e and m with `self` = 2^e · m and √½ ≤ m < √2, for positive normal numbers.
    fn exponent_and_significand(self) -> (Self, Self);
}

/// Bits of √½ rounded to f64: taking them away before the exponent is read centres significands about 1.
pub const SQRT_HALF_BITS: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
/// 2⁵²: added to an integer below it, it makes a float whose low bits are the integer.
pub const TWO_POW_52: f64 = 4503599627370496.0;
/// Its bits: or-ed with an integer below 2⁵² they make the float 2⁵² + integer.
pub const TWO_POW_52_BITS: u64 = TWO_POW_52.to_bits();
/// What [`TWO_POW_52_BITS`] and the bias of exponents add up to.
pub const EXPONENT_OFFSET: f64 = TWO_POW_52 + EXPONENT_BIAS as f64;
/// Keeps exponents positive while they are integers.
pub const EXPONENT_BIAS: u64 = 1023;

impl Binary64 for f64 {
    #[inline(always)]
    fn same(self, value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn at_most(self, bound: f64) -> Self {
        if self <= bound { self } else { bound }
    }

    #[inline(always)]
    fn at_least(self, bound: f64) -> Self {
        if self >= bound { self } else { bound }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self / other
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    #[inline(always)]
    fn exponent_and_significand(self) -> (Self, Self) {
        let above = self.to_bits().wrapping_sub(SQRT_HALF_BITS).wrapping_add(EXPONENT_BIAS << 52);
        let exponent = f64::from_bits((above >> 52) | TWO_POW_52_BITS) - EXPONENT_OFFSET;
        let significand = f64::from_bits((above & !(u64::MAX << 52)).wrapping_add(SQRT_HALF_BITS));
        (exponent, significand)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

    use super::*;

    #[test]
    fn a_number_is_its_exponent_and_significand() {
        for x in [1.0, 1.5, FRAC_1_SQRT_2, SQRT_2, 2.0, 4.0, 1e-300, 1e6, f64::MIN_POSITIVE, f64::MAX] {
            let (e, m) = x.exponent_and_significand();
            assert!((FRAC_1_SQRT_2..SQRT_2 + 1e-15).contains(&m), "{x}: significand {m}");
            // In two factors, for 2^1024 itself is out of range.
            let half = (e / 2.0).floor();
            assert_eq!(m * half.exp2() * (e - half).exp2(), x, "{x} = 2^{e} · {m}");
        }
    }
}
