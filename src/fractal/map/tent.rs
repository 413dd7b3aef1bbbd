//! μ·min(x, 1 − x): the tent map, with a corner where others have a critical point.
//!
//! Its slope is ±μ everywhere, so the Lyapunov exponent is ln μ, and for μ > 1 no cycle attracts.

use super::{DiagramBox, Map, Named, named};
use crate::math::Binary64;

/// x ↦ μ·min(x, 1 − x).
#[derive(Clone, Copy, Debug)]
pub struct Tent;

/// 2⁻⁶⁰.
const TINY: f64 = 1.0 / (1_u64 << 60) as f64;

impl Map<1> for Tent {
    const KEY: &'static str = "tent";
    const NAME: &'static str = "tent, μ min(x, 1 − x)";
    const PARAMETER: &'static str = "μ";
    const HOME: DiagramBox = DiagramBox { parameter: [0.98, 2.01], ordinate: [-0.01, 1.01] };
    // Not the corner, whose orbit is short for many μ, 2 among them.
    const SEED: f64 = 0.3819660112501051;
    const SEEDS: [f64; 2] = [0.0, 1.0];
    const ESCAPE_RADIUS: f64 = 2.0;
    const NAMED: &'static [Named] = &[
        named(1.0, "leaves 0, into chaos"),
        named(1.189207115002721, "four bands become two"),
        named(std::f64::consts::SQRT_2, "two bands become one"),
        named(2.0, "one band from 0 to 1"),
    ];
    const PARAMETERS: [f64; 2] = [0.0, 2.0];
    const BOUNDED: bool = true;
    const WGSL: &'static str = "
fn map_step(x: vec2f, p: f32) -> vec2f {
    return vec2f(p * (0.5 - abs(x.x - 0.5)), 0.0);
}

fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f {
    return vec2f(select(-p, p, x.x <= 0.5) * v.x, 0.0);
}

fn map_range(p: f32) -> vec2f {
    let top = 0.5 * p;
    return select(vec2f(0.0, 0.5), vec2f(map_step(vec2f(top, 0.0), p).x, top), p > 1.0);
}
";

    #[inline(always)]
    fn step<R: Binary64>([x]: [R; 1], mu: R) -> [R; 1] {
        let half = x.same(0.5);
        [mu.mul(half.sub(x.sub(half).abs()))]
    }

    #[inline(always)]
    fn tangent<R: Binary64>([x]: [R; 1], mu: R, [v]: [R; 1]) -> [R; 1] {
        // ½ − x is zero or at least 2⁻⁵⁴ in size: scaled up and cut off it is a sign, and + at the corner.
        let side = x.same(0.5).sub(x).add(x.same(TINY)).mul(x.same(1.0 / TINY)).at_most(1.0);
        let sign = x.same(0.0).sub(x.same(0.0).sub(side).at_most(1.0));
        [mu.mul(sign).mul(v)]
    }

    fn range(mu: f64) -> [f64; 2] {
        let top = mu / 2.0;
        if mu > 1.0 { [Self::step([top], mu)[0], top] } else { [0.0, 0.5] }
    }
}
