//! (|Re z| + i·|Im z|)² + c: the Burning Ship.
//!
//! As it was first written down, so that places found elsewhere hold here. Its ships then sail upside down
//! where Im c points up; most pictures of it are turned over.
//!
//! Source: Michelitsch and Rössler, "The Burning Ship and its quasi-Julia sets" (1992).

use super::Formula;
use crate::math::{Complex, Real};

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
