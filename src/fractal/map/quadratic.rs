//! x² + c: the real slice of the Mandelbrot set.

use super::{DiagramBox, Map, Named, named};
use crate::math::Binary64;

/// x ↦ x² + c.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic;

impl Map<1> for Quadratic {
    const KEY: &'static str = "quadratic";
    const NAME: &'static str = "x² + c";
    const PARAMETER: &'static str = "c";
    const HOME: DiagramBox = DiagramBox { parameter: [-2.02, 0.27], ordinate: [-2.05, 2.05] };
    const SEED: f64 = 0.0;
    // Up to there no orbit starts outside the repelling fixed point, whatever c.
    const SEEDS: [f64; 2] = [-0.5, 0.5];
    const ESCAPE_RADIUS: f64 = 2.0;
    const NAMED: &'static [Named] = &[
        named(-2.0, "one band from −2 to 2"),
        named(-1.790327491999345, "period 3 ends"),
        named(-1.768529152467685, "3 → 6"),
        named(-1.75, "period 3 opens"),
        named(-1.543689012692076, "two bands become one"),
        named(-1.430357632451307, "four bands become two"),
        named(-1.401155189092051, "end of the doublings"),
        named(-1.394046156600763, "8 → 16"),
        named(-1.368098939391258, "4 → 8"),
        named(-1.25, "2 → 4"),
        named(-0.75, "1 → 2"),
        named(0.25, "cusp"),
    ];
    /// Within these an orbit cannot leave [c, c² + c], for rounding keeps the order of numbers.
    const PARAMETERS: [f64; 2] = [-2.0, 0.25];
    const BOUNDED: bool = true;
    const WGSL: &'static str = "
fn map_step(x: vec2f, p: f32) -> vec2f {
    return vec2f(fma(x.x, x.x, p), 0.0);
}

fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f {
    return vec2f((x.x + x.x) * v.x, 0.0);
}

fn map_range(p: f32) -> vec2f {
    return vec2f(p, select(0.5, fma(p, p, p), p <= 0.0));
}
";

    #[inline(always)]
    fn step<R: Binary64>([x]: [R; 1], c: R) -> [R; 1] {
        [x.mul_add(x, c)]
    }

    #[inline(always)]
    fn tangent<R: Binary64>([x]: [R; 1], _: R, [v]: [R; 1]) -> [R; 1] {
        [x.add(x).mul(v)]
    }

    fn range(c: f64) -> [f64; 2] {
        if c <= 0.0 { [c, c.mul_add(c, c)] } else { [c, 0.5] }
    }
}
