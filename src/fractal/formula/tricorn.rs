//! z̄² + c: the tricorn, or Mandelbar set.
//!
//! Source: Crowe, Hasson, Rippon, Strain-Clark, "On the structure of the Mandelbar set" (1989).

use super::deltas::{power_reach, power_slope, power_step};
use super::{Followed, Formula};
use crate::fractal::big_point::BigPoint;
use crate::math::{Complex, Matrix, Real, Scalar};

/// z ↦ z̄² + c.
#[derive(Clone, Copy, Debug)]
pub struct Tricorn;

impl Formula for Tricorn {
    const KEY: &'static str = "tricorn";
    const NAME: &'static str = "tricorn, z̄² + c";
    const DEGREE: f64 = 2.0;
    const CONJUGATE_SYMMETRIC: bool = true;
    const QUADRATIC_BULBS: bool = false;
    const WGSL: &'static str = "
fn step(z: vec2f, c: vec2f) -> vec2f {
    return vec2f(fma(z.x, z.x, fma(-z.y, z.y, c.x)), fma(-(z.x + z.x), z.y, c.y));
}
";
    const HOME: ([&'static str; 2], &'static str) = (["-0.25", "0"], "4");

    #[inline(always)]
    fn step<R: Real>(z: Complex<R>, c: Complex<R>) -> Complex<R> {
        let t = z.im.neg_mul_add(z.im, c.re);
        let twice = z.re.add(z.re);
        Complex::new(z.re.mul_add(z.re, t), twice.neg_mul_add(z.im, c.im))
    }
    #[inline(always)]
    fn differential(z: Complex, d: Complex) -> Complex {
        let Complex { re, im } = z.add(z).mul(d);
        Complex::new(re, -im)
    }
}

/// z̄.
#[inline(always)]
fn conjugate<R: Scalar>(z: Complex<R>) -> Complex<R> {
    Complex::new(z.re, z.im.opposite())
}

impl Followed for Tricorn {
    #[inline(always)]
    fn delta_step<R: Scalar>(z: Complex<R>, delta: Complex<R>) -> Complex<R> {
        power_step(2, conjugate(z), conjugate(delta))
    }

    #[inline(always)]
    fn tangent<R: Scalar>(z: Complex<R>) -> Matrix<R> {
        let mirror = Matrix([[R::ONE, R::ZERO], [R::ZERO, R::ONE.opposite()]]);
        Matrix::of_complex(power_slope(2, conjugate(z))).after(&mirror)
    }

    #[inline(always)]
    fn linear_reach<R: Scalar>(z: Complex<R>, epsilon: f64) -> R {
        power_reach(2, z, epsilon)
    }

    fn big_step(z: &mut BigPoint) {
        z.conjugate();
        z.raise(2);
    }
}
