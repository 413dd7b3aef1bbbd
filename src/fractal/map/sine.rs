//! r·sin(πx): the sine map, whose doublings have the ratios of x² + c.
//!
//! Source: Feigenbaum, "Quantitative universality for a class of nonlinear transformations" (1978).

use std::f64::consts::PI;

use super::{DiagramBox, Map, Named, named};
use crate::math::Binary64;

/// x ↦ r·sin(πx) on 0 ≤ x ≤ 1.
#[derive(Clone, Copy, Debug)]
pub struct Sine;

impl Map<1> for Sine {
    const KEY: &'static str = "sine";
    const NAME: &'static str = "sine, r sin(πx)";
    const PARAMETER: &'static str = "r";
    const HOME: DiagramBox = DiagramBox { parameter: [0.6, 1.005], ordinate: [-0.01, 1.01] };
    const SEED: f64 = 0.5;
    const SEEDS: [f64; 2] = [0.0, 1.0];
    const ESCAPE_RADIUS: f64 = 2.0;
    const NAMED: &'static [Named] = &[
        named(std::f64::consts::FRAC_1_PI, "leaves 0"),
        named(0.719961682, "1 → 2"),
        named(1.0, "one band from 0 to 1"),
    ];
    const PARAMETERS: [f64; 2] = [0.0, 1.0];
    const BOUNDED: bool = true;
    // By series as below, of as many terms as f32 holds: sines of devices may be off by 2⁻¹¹.
    const WGSL: &'static str = "
fn map_step(x: vec2f, p: f32) -> vec2f {
    let t = x.x - 0.5;
    let s = t * t;
    let outer = fma(fma(0.0019295743, s, -0.025806891), s, 0.23533063);
    let inner = fma(fma(fma(outer, s, -1.3352628), s, 4.0587121), s, -4.9348022);
    return vec2f(p * fma(inner, s, 1.0), 0.0);
}

fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f {
    let t = 0.5 - x.x;
    let s = t * t;
    let outer = fma(fma(0.00046630281, s, -0.0073704309), s, 0.082145887);
    let inner = fma(fma(fma(outer, s, -0.59926453), s, 2.5501640), s, -5.1677128);
    return vec2f(p * 3.1415927 * t * fma(inner, s, 3.1415927) * v.x, 0.0);
}

fn map_range(p: f32) -> vec2f {
    return select(vec2f(0.0, 0.5), vec2f(map_step(vec2f(p, 0.0), p).x, p), p > 0.5);
}
";

    #[inline(always)]
    fn step<R: Binary64>([x]: [R; 1], r: R) -> [R; 1] {
        let t = x.sub(x.same(0.5));
        [r.mul(polynomial(&COSINE, t.mul(t)))]
    }

    #[inline(always)]
    fn tangent<R: Binary64>([x]: [R; 1], r: R, [v]: [R; 1]) -> [R; 1] {
        let t = x.same(0.5).sub(x);
        let slope = t.mul(polynomial(&SINE, t.mul(t))).mul(x.same(PI));
        [r.mul(slope).mul(v)]
    }

    fn range(r: f64) -> [f64; 2] {
        if r > 0.5 { [Self::step([r], r)[0], r] } else { [0.0, 0.5] }
    }
}

/// cos(πt) = Σ COSINE[k]·t²ᵏ and sin(πt) = t·Σ SINE[k]·t²ᵏ; for |t| ≤ ½ what is left out is below 1e-17.
const COSINE: [f64; 12] = series(0);
const SINE: [f64; 12] = series(1);

/// (−1)ᵏ π²ᵏ⁺ᵒ / (2k + o)! for o = `odd`.
const fn series(odd: u32) -> [f64; 12] {
    let mut coefficients = [0.0; 12];
    let mut term = if odd == 1 { PI } else { 1.0 };
    let mut k = 0;
    while k < coefficients.len() {
        coefficients[k] = term;
        let n = (2 * k) as f64 + odd as f64;
        term *= -PI * PI / ((n + 1.0) * (n + 2.0));
        k += 1;
    }
    coefficients
}

/// Σ coefficients[k]·sᵏ.
#[inline(always)]
fn polynomial<R: Binary64>(coefficients: &[f64], s: R) -> R {
    coefficients.iter().rev().fold(s.same(0.0), |sum, &coefficient| sum.mul_add(s, s.same(coefficient)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_are_sine_and_cosine() {
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            let ([step], [slope]) = (Sine::step([x], 0.9), Sine::tangent([x], 0.9, [1.0]));
            assert!((step - 0.9 * (PI * x).sin()).abs() < 5e-16, "x = {x}: {step}");
            assert!((slope - 0.9 * PI * (PI * x).cos()).abs() < 2e-15, "x = {x}: {slope}");
        }
    }
}
