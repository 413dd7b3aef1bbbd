//! Lyapunov exponents: the mean logarithm of how much a step stretches.
//!
//! A product of many factors is kept as a power of two and a significand, so that one logarithm at the end is
//! enough, and the same on every machine up to there.

use super::system::{Point, System};
use crate::math::Binary64;

/// A product of any number of factors, in scalars or vectors.
#[derive(Clone, Copy, Debug)]
pub struct Product<R = f64> {
    /// The product is 2^exponent · significand.
    pub exponent: R,
    pub significand: R,
}

impl<R: Binary64> Product<R> {
    /// Most factors between two calls of [`Self::fold`], if each lies within 2⁻³⁰ and 2³⁰ most of the time.
    pub const FACTORS: u32 = 32;

    /// The empty product, in as many lanes as `like` has.
    #[inline(always)]
    pub fn one(like: R) -> Self {
        Self { exponent: like.same(0.0), significand: like.same(1.0) }
    }

    #[inline(always)]
    pub fn times(&mut self, factor: R) {
        self.significand = self.significand.mul(factor);
    }

    /// Takes the sign and the power of two out of the significand. A product of zero stays about 2⁻¹⁰²² per fold.
    #[inline(always)]
    pub fn fold(&mut self) {
        let size = self.significand.abs().add(self.significand.same(f64::MIN_POSITIVE));
        let (exponent, significand) = size.exponent_and_significand();
        (self.exponent, self.significand) = (self.exponent.add(exponent), significand);
    }

    /// Takes in the length of something, and gives the factor that shortens it to 1.
    #[inline(always)]
    pub fn take_length(&mut self, length: R) -> R {
        let length = length.at_least(f64::MIN_POSITIVE);
        self.times(length);
        self.fold();
        length.same(1.0).div(length)
    }
}

impl Product<f64> {
    /// ln |product|.
    pub fn ln(mut self) -> f64 {
        self.fold();
        self.exponent * std::f64::consts::LN_2 + self.significand.ln()
    }
}

/// The Lyapunov exponent of the orbit of `x`, over its next `steps` steps, and the point where it ends.
#[inline(always)]
pub fn exponent<S: System>(system: &S, mut x: S::Point, steps: u32) -> (f64, S::Point) {
    let mut product = Product::one(0.0);
    let mut linear = S::Point::IDENTITY;
    let mut left = steps;
    while left > 0 {
        let some = left.min(Product::<f64>::FACTORS);
        for _ in 0..some {
            linear = system.push(x, linear);
            x = system.step(x);
        }
        left -= some;
        // Directions are kept and lengths are counted.
        let shorten = product.take_length(S::Point::norm(linear));
        linear = S::Point::scaled(linear, shorten);
    }
    (product.ln() / f64::from(steps), x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_leave_the_range_of_f64() {
        let mut product = Product::one(1.0);
        for i in 1..=3200 {
            product.times(-3.75);
            if i % 32 == 0 {
                product.fold();
            }
        }
        assert!((product.ln() - 3200.0 * 3.75_f64.ln()).abs() < 1e-9);
        product.times(0.0);
        assert!(product.ln() < 3600.0 && product.ln().is_finite());
    }
}
