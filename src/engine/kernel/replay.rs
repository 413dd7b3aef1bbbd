//! The exact end of an orbit that escaped somewhere in a block of untested steps.
//!
//! Escaped points wait with the state from the start of their last block. Four vectors of them at a
//! time repeat the block: done one by one it would take twice as long.

use fearless_simd::prelude::*;

use super::first_pass::iterations_as_bits;
use super::lanes::{Lanes, Mask};
use super::points::{Point, Points};
use super::slots::Slots;
use super::work::Work;
use crate::fractal::Formula;
use crate::math::{Complex, Real};
use crate::render::Sample;

/// Vectors replayed together.
pub const VECTORS: usize = 4;

/// Ends the first points of a queue, as many as fit, each within `steps` steps; returns their number.
#[inline(always)]
pub fn replay<S: Simd, F: Formula, const SMOOTH: bool>(
    simd: S,
    work: &Work,
    steps: usize,
    queue: &mut Points,
    slots: &mut Slots,
) -> usize {
    let count = queue.len().min(VECTORS * Lanes::<S>::LEN);
    let all = Mask::<S>::splat(simd, true);
    let mut points: [Point<Lanes<S>>; VECTORS] = std::array::from_fn(
        #[inline(always)]
        |_| queue.pop_lanes(simd),
    );
    let one = Lanes::splat(simd, 1.0);
    let bailout_sq = Lanes::splat(simd, work.task.bailout * work.task.bailout);
    let mut inside = [all; VECTORS];
    let mut norm_sq = [one; VECTORS];
    // Halves without a test lead to the few steps in which it happened.
    let mut span = steps;
    while span.is_multiple_of(2) {
        span /= 2;
        let half = Lanes::splat(simd, span as f64);
        let mut halfway = points.map(|p| p.z);
        for _ in 0..span {
            for (z, p) in halfway.iter_mut().zip(&points) {
                *z = F::step(*z, p.c);
            }
        }
        for (p, z) in points.iter_mut().zip(halfway) {
            let later = z.norm_sq().at_most_mask(bailout_sq);
            p.z = Complex::new(z.re.where_set(later, p.z.re), z.im.where_set(later, p.z.im));
            p.steps = p.steps.add(half).where_set(later, p.steps);
        }
    }
    for _ in 0..span {
        for v in 0..VECTORS {
            let p = &mut points[v];
            p.z = F::step(p.z, p.c);
            let norm_sq_now = p.z.norm_sq();
            if SMOOTH {
                norm_sq[v] = norm_sq_now.where_set(inside[v], norm_sq[v]);
            }
            inside[v] &= norm_sq_now.at_most_mask(bailout_sq);
            p.steps = p.steps.add(one).where_set(inside[v], p.steps);
        }
    }
    let lanes = Lanes::<S>::LEN;
    for v in 0..VECTORS {
        let (mut counts, mut fractions, mut ids) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        iterations_as_bits(points[v].steps.add(one)).store(&mut counts);
        iterations_as_bits(points[v].id).store(&mut ids);
        if let (true, Some(smooth)) = (SMOOTH, &work.smooth) {
            smooth.fraction(norm_sq[v]).store(&mut fractions);
        }
        for lane in 0..lanes.min(count.saturating_sub(v * lanes)) {
            let iterations = counts[lane].to_bits() as u32;
            let escaped = Sample { iterations, fraction: fractions[lane] as f32 };
            // The block may have run past the cap.
            let sample = if iterations <= work.task.max_iterations { escaped } else { Sample::INTERIOR };
            slots.finish(simd, ids[lane].to_bits() as u32, sample, work);
        }
    }
    count
}
