//! exp(−α·x²) + b: the Gauss map, called the mouse for its diagram.
//!
//! Its maximum at 0 and the flat flanks can each hold an attractor: the seed decides which is seen.
//!
//! Source: Hilborn, "Chaos and Nonlinear Dynamics" (1994), section 5.9.

use super::{DiagramBox, Map, Named, named};
use crate::math::Binary64;

/// x ↦ exp(−α·x²) + b with α = `TENTHS` / 10, at most 6.2.
#[derive(Clone, Copy, Debug)]
pub struct Gauss<const TENTHS: u32>;

impl<const TENTHS: u32> Gauss<TENTHS> {
    const ALPHA: f64 = TENTHS as f64 / 10.0;

    /// exp(−α·x²) for |x| ≤ 2, to 1e-14: the series of exp(−α·x² / 64), squared six times.
    #[inline(always)]
    fn bell<R: Binary64>(x: R) -> R {
        let w = x.mul(x).mul(x.same(-Self::ALPHA / 64.0));
        let root = EXPONENTIAL.iter().rev().fold(x.same(0.0), |sum, &term| sum.mul_add(w, x.same(term)));
        (0..6).fold(root, |power, _| power.mul(power))
    }
}

/// 1 / k!; for |w| ≤ 0.39 what is left out is below 1e-17.
const EXPONENTIAL: [f64; 15] = {
    let mut terms = [1.0; 15];
    let mut k = 1;
    while k < terms.len() {
        terms[k] = terms[k - 1] / k as f64;
        k += 1;
    }
    terms
};

macro_rules! wgsl {
    ($alpha:literal) => {
        concat!(
            "
fn map_step(x: vec2f, p: f32) -> vec2f {
    return vec2f(exp(-",
            $alpha,
            " * x.x * x.x) + p, 0.0);
}

fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f {
    return vec2f(-2.0 * ",
            $alpha,
            " * x.x * exp(-",
            $alpha,
            " * x.x * x.x) * v.x, 0.0);
}

fn map_range(p: f32) -> vec2f {
    return vec2f(p, 1.0 + p);
}
"
        )
    };
}

impl<const TENTHS: u32> Map<1> for Gauss<TENTHS> {
    const KEY: &'static str = if TENTHS == 62 { "gauss" } else { "gauss-4.9" };
    const NAME: &'static str = if TENTHS == 62 { "Gauss, exp(−6.2 x²) + b" } else { "Gauss, exp(−4.9 x²) + b" };
    const PARAMETER: &'static str = "b";
    const HOME: DiagramBox = DiagramBox { parameter: [-1.0, 1.0], ordinate: [-1.05, 1.55] };
    const SEED: f64 = 0.0;
    const SEEDS: [f64; 2] = [-1.0, 1.0];
    const ESCAPE_RADIUS: f64 = 4.0;
    const NAMED: &'static [Named] = &[named(0.0, "b = 0")];
    /// Bounded for all b, and drawn where |x| stays within 2.
    const PARAMETERS: [f64; 2] = [-1.0, 1.0];
    const BOUNDED: bool = true;
    const WGSL: &'static str = if TENTHS == 62 { wgsl!("6.2") } else { wgsl!("4.9") };

    #[inline(always)]
    fn step<R: Binary64>([x]: [R; 1], b: R) -> [R; 1] {
        [Self::bell(x).add(b)]
    }

    #[inline(always)]
    fn tangent<R: Binary64>([x]: [R; 1], _: R, [v]: [R; 1]) -> [R; 1] {
        let slope = x.mul(x.same(-2.0 * Self::ALPHA)).mul(Self::bell(x));
        [slope.mul(v)]
    }

    fn range(b: f64) -> [f64; 2] {
        [b, 1.0 + b]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bell_is_the_exponential() {
        for i in -1000..=1000 {
            let x = f64::from(i) / 500.0;
            let [step] = Gauss::<62>::step([x], 0.0);
            assert!((step - (-6.2 * x * x).exp()).abs() < 1e-14, "x = {x}: {step}");
        }
    }
}
