//! z² + c: the Mandelbrot set.

use super::deltas::{power_reach, power_slope, power_step};
use super::{Followed, Formula};
use crate::fractal::big_point::BigPoint;
use crate::math::{Complex, Matrix, Real, Scalar};

/// z ↦ z² + c, in the four operations that are fewest with fused multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic;

impl Formula for Quadratic {
    const KEY: &'static str = "quadratic";
    const NAME: &'static str = "z² + c";
    const DEGREE: f64 = 2.0;
    const CONJUGATE_SYMMETRIC: bool = true;
    const QUADRATIC_BULBS: bool = true;
    const WGSL: &'static str = "
fn step(z: vec2f, c: vec2f) -> vec2f {
    return vec2f(fma(z.x, z.x, fma(-z.y, z.y, c.x)), fma(z.x + z.x, z.y, c.y));
}
";
    const HOME: ([&'static str; 2], &'static str) = (["-0.75", "0"], "2.5");

    #[inline(always)]
    fn step<R: Real>(z: Complex<R>, c: Complex<R>) -> Complex<R> {
        let t = z.im.neg_mul_add(z.im, c.re);
        let twice = z.re.add(z.re);
        Complex::new(z.re.mul_add(z.re, t), twice.mul_add(z.im, c.im))
    }
    #[inline(always)]
    fn differential(z: Complex, d: Complex) -> Complex {
        z.add(z).mul(d)
    }
}

impl Followed for Quadratic {
    #[inline(always)]
    fn delta_step<R: Scalar>(z: Complex<R>, delta: Complex<R>) -> Complex<R> {
        power_step(2, z, delta)
    }

    #[inline(always)]
    fn tangent<R: Scalar>(z: Complex<R>) -> Matrix<R> {
        Matrix::of_complex(power_slope(2, z))
    }

    #[inline(always)]
    fn linear_reach<R: Scalar>(z: Complex<R>, epsilon: f64) -> R {
        power_reach(2, z, epsilon)
    }

    fn big_step(z: &mut BigPoint) {
        z.raise(2);
    }
}
