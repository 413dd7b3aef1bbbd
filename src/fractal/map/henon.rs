//! Hénon's map of the plane, at b = 0.3.
//!
//! Several cycles may attract at once, so what is seen depends on the seed.
//!
//! Source: Hénon, "A two-dimensional mapping with a strange attractor" (1976).

use super::{DiagramBox, Map, Named, named};
use crate::math::Binary64;

/// (x, y) ↦ (1 − a·x² + y, b·x).
#[derive(Clone, Copy, Debug)]
pub struct Henon;

impl Henon {
    /// The share of each area that a step keeps.
    pub const B: f64 = 0.3;
}

impl Map<2> for Henon {
    const KEY: &'static str = "henon";
    const NAME: &'static str = "Hénon, (1 − a x² + y, 0.3 x)";
    const PARAMETER: &'static str = "a";
    const HOME: DiagramBox = DiagramBox { parameter: [0.0, 1.45], ordinate: [-1.55, 1.55] };
    const SEED: f64 = 0.0;
    const SEEDS: [f64; 2] = [-0.5, 0.5];
    const ESCAPE_RADIUS: f64 = 10.0;
    const NAMED: &'static [Named] = &[
        named(-0.1225, "opens"),
        named(0.3675, "1 → 2"),
        named(0.9125, "2 → 4"),
        named(1.058, "end of the doublings"),
        named(1.4, "Hénon's attractor"),
    ];
    /// Below −(1 − b)² / 4 there is no fixed point and all orbits escape; above, many do and many do not.
    const PARAMETERS: [f64; 2] = [-(1.0 - Self::B) * (1.0 - Self::B) / 4.0, f64::MAX];
    const BOUNDED: bool = false;
    const WGSL: &'static str = "
fn map_step(x: vec2f, p: f32) -> vec2f {
    return vec2f(fma(-p * x.x, x.x, 1.0) + x.y, 0.3 * x.x);
}

fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f {
    return vec2f(fma(-2.0 * p * x.x, v.x, v.y), 0.3 * v.x);
}

fn map_range(p: f32) -> vec2f {
    return vec2f(-1.55, 1.55);
}
";

    #[inline(always)]
    fn step<R: Binary64>([x, y]: [R; 2], a: R) -> [R; 2] {
        [a.mul(x).neg_mul_add(x, x.same(1.0)).add(y), x.mul(x.same(Self::B))]
    }

    #[inline(always)]
    fn tangent<R: Binary64>([x, _]: [R; 2], a: R, [v, w]: [R; 2]) -> [R; 2] {
        [a.mul(x.add(x)).neg_mul_add(v, w), v.mul(v.same(Self::B))]
    }
}
