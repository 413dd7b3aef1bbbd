//! r·x·(1 − x): the logistic map, which is x² + c in other coordinates.
//!
//! With r = 1 + √(1 − 4c), z = r·(½ − x) turns one into the other, orbit by orbit.
//!
//! Source: May, "Simple mathematical models with very complicated dynamics" (1976).

use super::{DiagramBox, Map, Named, named};
use crate::math::Binary64;

/// x ↦ r·x·(1 − x).
#[derive(Clone, Copy, Debug)]
pub struct Logistic;

impl Map<1> for Logistic {
    const KEY: &'static str = "logistic";
    const NAME: &'static str = "logistic, r x (1 − x)";
    const PARAMETER: &'static str = "r";
    const HOME: DiagramBox = DiagramBox { parameter: [2.4, 4.02], ordinate: [-0.01, 1.01] };
    const SEED: f64 = 0.5;
    const SEEDS: [f64; 2] = [0.0, 1.0];
    const ESCAPE_RADIUS: f64 = 2.0;
    const NAMED: &'static [Named] = &[
        named(1.0, "leaves 0"),
        named(3.0, "1 → 2"),
        named(3.449489742783178, "2 → 4"),
        named(3.544090359551923, "4 → 8"),
        named(3.564407266095433, "8 → 16"),
        named(3.569945671870945, "end of the doublings"),
        named(3.678573510428322, "two bands become one"),
        named(3.82842712474619, "period 3 opens"),
        named(3.856800652477764, "period 3 ends"),
        named(4.0, "one band from 0 to 1"),
    ];
    const PARAMETERS: [f64; 2] = [0.0, 4.0];
    const BOUNDED: bool = true;
    const WGSL: &'static str = "
fn map_step(x: vec2f, p: f32) -> vec2f {
    return vec2f(p * fma(-x.x, x.x, x.x), 0.0);
}

fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f {
    return vec2f(p * (1.0 - (x.x + x.x)) * v.x, 0.0);
}

fn map_range(p: f32) -> vec2f {
    let top = 0.25 * p;
    return select(vec2f(0.0, 0.5), vec2f(map_step(vec2f(top, 0.0), p).x, top), p > 2.0);
}
";

    #[inline(always)]
    fn step<R: Binary64>([x]: [R; 1], r: R) -> [R; 1] {
        [r.mul(x.neg_mul_add(x, x))]
    }

    #[inline(always)]
    fn tangent<R: Binary64>([x]: [R; 1], r: R, [v]: [R; 1]) -> [R; 1] {
        [r.mul(x.same(1.0).sub(x.add(x))).mul(v)]
    }

    fn range(r: f64) -> [f64; 2] {
        let top = r / 4.0;
        if r > 2.0 { [Self::step([top], r)[0], top] } else { [0.0, 0.5] }
    }
}
