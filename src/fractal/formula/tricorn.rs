//! z̄² + c: the tricorn, or Mandelbar set.
//!
//! Source: Crowe, Hasson, Rippon, Strain-Clark, "On the structure of the Mandelbar set" (1989).

use super::Formula;
use crate::math::{Complex, Real};

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
