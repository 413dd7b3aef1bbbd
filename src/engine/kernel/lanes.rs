//! One vector register of f64 numbers, as a [`Real`].

use fearless_simd::prelude::*;

use crate::math::real::{EXPONENT_BIAS, EXPONENT_OFFSET, SQRT_HALF_BITS, TWO_POW_52_BITS};
use crate::math::{Binary64, Complex, Real};

/// As many numbers as the processor works on at once.
#[derive(Clone, Copy)]
pub struct Lanes<S: Simd>(pub S::f64s);

/// One flag a lane.
pub type Mask<S> = <S as Simd>::mask64s;

impl<S: Simd> Lanes<S> {
    /// Number of lanes.
    pub const LEN: usize = S::f64s::LEN;

    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Self(S::f64s::splat(simd, value))
    }

    /// The first `LEN` numbers of a slice.
    #[inline(always)]
    pub fn load(simd: S, from: &[f64]) -> Self {
        Self(S::f64s::from_slice(simd, &from[..Self::LEN]))
    }

    /// Writes the first `LEN` numbers of a slice.
    #[inline(always)]
    pub fn store(self, to: &mut [f64]) {
        self.0.store_slice(&mut to[..Self::LEN]);
    }

    #[inline(always)]
    pub fn at_most_mask(self, bound: Self) -> Mask<S> {
        self.0.simd_le(bound.0)
    }

    #[inline(always)]
    pub fn above_mask(self, bound: Self) -> Mask<S> {
        self.0.simd_gt(bound.0)
    }

    #[inline(always)]
    pub fn equal_mask(self, other: Self) -> Mask<S> {
        self.0.simd_eq(other.0)
    }

    /// `self` where `mask` is set, `other` elsewhere.
    #[inline(always)]
    pub fn where_set(self, mask: Mask<S>, other: Self) -> Self {
        Self(mask.select(self.0, other.0))
    }

    #[inline(always)]
    pub fn floor(self) -> Self {
        Self(self.0.floor())
    }

    /// The lanes that are set in `mask`, moved together at the low end.
    #[inline(always)]
    pub fn compress(self, mask: Mask<S>) -> Self {
        Self(self.0.compress(mask))
    }
}

impl<S: Simd> Complex<Lanes<S>> {
    #[inline(always)]
    pub fn splat(simd: S, value: Complex) -> Self {
        Self::new(Lanes::splat(simd, value.re), Lanes::splat(simd, value.im))
    }

    /// |z|², rounded as the definition does.
    #[inline(always)]
    pub fn norm_sq(self) -> Lanes<S> {
        self.re.mul_add(self.re, self.im.mul(self.im))
    }
}

impl<S: Simd> Real for Lanes<S> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0.mul_add_precise(a.0, b.0))
    }

    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Self((-self.0).mul_add_precise(a.0, b.0))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
}

impl<S: Simd> Binary64 for Lanes<S> {
    #[inline(always)]
    fn same(self, value: f64) -> Self {
        Self::splat(self.0.token(), value)
    }

    #[inline(always)]
    fn at_most(self, bound: f64) -> Self {
        let bound = self.same(bound);
        self.where_set(self.at_most_mask(bound), bound)
    }

    #[inline(always)]
    fn at_least(self, bound: f64) -> Self {
        let bound = self.same(bound);
        self.where_set(bound.at_most_mask(self), bound)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn exponent_and_significand(self) -> (Self, Self) {
        let bits: S::u64s = self.0.bitcast();
        let above = bits - SQRT_HALF_BITS + (EXPONENT_BIAS << 52);
        let exponent = Self(((above >> 52) | TWO_POW_52_BITS).bitcast()).sub(self.same(EXPONENT_OFFSET));
        let significand = (above & !(u64::MAX << 52)) + SQRT_HALF_BITS;
        (exponent, Self(significand.bitcast()))
    }
}
