//! (|Re z| + i·|Im z|)² + c: the Burning Ship.
//!
//! As it was first written down, so that places found elsewhere hold here. Its ships then sail upside down
//! where Im c points up; most pictures of it are turned over.
//!
//! Source: Michelitsch and Rössler, "The Burning Ship and its quasi-Julia sets" (1992).

use super::deltas::{modulus_step, power_reach, power_slope, power_step};
use super::{Followed, Formula};
use crate::fractal::big_point::BigPoint;
use crate::math::{Complex, Matrix, Real, Scalar};

/// z ↦ (|Re z| + i·|Im z|)² + c. Only the imaginary part of the square sees the moduli.
#[derive(Clone, Copy, Debug)]
pub struct BurningShip;

impl Formula for BurningShip {
    const KEY: &'static str = "burning-ship";
    const NAME: &'static str = "Burning Ship";
    const DEGREE: f64 = 2.0;
    const CONJUGATE_SYMMETRIC: bool = false;
    const QUADRATIC_BULBS: bool = false;
    const WGSL: &'static str = "
fn step(z: vec2f, c: vec2f) -> vec2f {
    return vec2f(fma(z.x, z.x, fma(-z.y, z.y, c.x)), fma(abs(z.x + z.x), abs(z.y), c.y));
}
";
    const HOME: ([&'static str; 2], &'static str) = (["-0.4", "-0.6"], "3");

    #[inline(always)]
    fn step<R: Real>(z: Complex<R>, c: Complex<R>) -> Complex<R> {
        let t = z.im.neg_mul_add(z.im, c.re);
        let twice = z.re.add(z.re).abs();
        Complex::new(z.re.mul_add(z.re, t), twice.mul_add(z.im.abs(), c.im))
    }
    /// On the axes, where the map has none, that of the side of positive signs.
    #[inline(always)]
    fn differential(z: Complex, d: Complex) -> Complex {
        let square = z.add(z).mul(d);
        let sign = 1_f64.copysign(z.re) * 1_f64.copysign(z.im);
        Complex::new(square.re, sign * square.im)
    }
}

/// |Re z| + i·|Im z|.
#[inline(always)]
fn moduli<R: Scalar>(z: Complex<R>) -> Complex<R> {
    Complex::new(z.re.magnitude(), z.im.magnitude())
}

impl Followed for BurningShip {
    #[inline(always)]
    fn delta_step<R: Scalar>(z: Complex<R>, delta: Complex<R>) -> Complex<R> {
        let folded = Complex::new(modulus_step(z.re, delta.re), modulus_step(z.im, delta.im));
        power_step(2, moduli(z), folded)
    }

    #[inline(always)]
    fn tangent<R: Scalar>(z: Complex<R>) -> Matrix<R> {
        let sign = |x: R| if x.is_negative() { R::ONE.opposite() } else { R::ONE };
        let fold = Matrix([[sign(z.re), R::ZERO], [R::ZERO, sign(z.im)]]);
        Matrix::of_complex(power_slope(2, moduli(z))).after(&fold)
    }

    #[inline(always)]
    fn linear_reach<R: Scalar>(z: Complex<R>, epsilon: f64) -> R {
        // No part may change its sign.
        let nearest_axis = z.re.magnitude().smaller(z.im.magnitude());
        power_reach(2, z, epsilon).smaller(nearest_axis)
    }

    fn big_step(z: &mut BigPoint) {
        z.take_moduli();
        z.raise(2);
    }
}
