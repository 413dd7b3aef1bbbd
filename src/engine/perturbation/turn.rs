//! A whole turn beside a nucleus: all steps of its period as one square.
//!
//! Where there is a nucleus in the view, the reference is one turn, from 0 back to 0. The jet of all its steps has no term of
//! first degree in δ, and is again a map w ↦ q·w² + k, with δ counted in the size up to which it holds: around a
//! nucleus, points do as the whole set does. There plain numbers are enough at any depth.

use super::blocks::STRIDE;
use super::fates::Fate;
use super::jet::{Block, Limits, MOST_EXPONENT};
use super::pixel::{Point, Surroundings};
use super::repeats::Repeats;
use crate::fractal::reference::{End, Reference};
use crate::math::{Complex, ComplexExp, FloatExp};
use crate::render::RenderError;

/// |dw_n/dw_1|² below which an orbit is drawn to a cycle: of 100 000 random points in five views none escaped that had
/// been below it, and none that had been below its hundredfold.
const DRAWN_IN_SQ: f64 = 1e-6;
/// Turns between looks at whether the job is stale.
const TURNS_PER_LOOK: u64 = 4096;

/// All steps of a reference that ends at a nucleus, for |δ| < `size`.
pub struct Turn {
    size: FloatExp,
    steps: u32,
    /// q at the centre, and how it changes with the offset.
    square: Complex,
    square_per_offset: Complex,
    /// k: where the centre itself comes back to, and the coefficients of the offset, its square and its cube.
    end: Complex,
    offsets: [Complex; 3],
}

impl Turn {
    /// The turn of a reference, where it has one that holds for some δ. `blocks` are its shortest blocks; δc is counted in
    /// `unit`.
    pub fn new(reference: &Reference, blocks: &[Block], limits: &Limits, unit: FloatExp) -> Option<Self> {
        if reference.end() != End::Nucleus {
            return None;
        }
        let steps = reference.last();
        // Blocks do not come back to 0, where points all but cancel against the reference: single steps do that.
        let of_blocks = (steps - 1) / STRIDE;
        let rest = (of_blocks * STRIDE..steps).map(|m| Block::step(reference.wide(m), limits));
        let mut parts = blocks.iter().take(of_blocks as usize).copied().chain(rest);
        let first = parts.next()?;
        let whole = parts.try_fold(first, |block, next| {
            let block = block.then(&next, limits);
            (block.radius > FloatExp::ZERO).then_some(block)
        })?;
        let size = whole.radius;
        let per_size = |t: ComplexExp| t.scaled(FloatExp::from(1.0).div(size));
        let plain = |t: ComplexExp| (t.exponent() <= MOST_EXPONENT).then(|| t.to_complex());
        let jet = whole.jet;
        Some(Self {
            size,
            steps,
            square: plain(jet.dd.scaled(size))?,
            square_per_offset: plain(jet.ddc.scaled(size).scaled(unit))?,
            end: plain(per_size(reference.wide(steps)))?,
            offsets: [
                plain(per_size(jet.c.scaled(unit)))?,
                plain(per_size(jet.cc.scaled(unit).scaled(unit)))?,
                plain(per_size(jet.ccc.scaled(unit).scaled(unit).scaled(unit)))?,
            ],
        })
    }

    /// Whether a point with that δ beside the reference's beginning may do a turn.
    pub fn holds(&self, delta: ComplexExp) -> bool {
        delta.norm() < self.size
    }

    /// Takes a point round as often as the turn holds. Its fate is known where that is for ever.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn follow(&self, around: &Surroundings<'_>, point: &mut Point) -> Result<Option<Fate>, RenderError> {
        let u = point.offset;
        let [first, second, third] = self.offsets;
        let square = self.square_per_offset.mul(u).add(self.square);
        let rest = third.mul(u).add(second).mul(u).add(first).mul(u).add(self.end);
        let rest_per_offset = third.scaled(3.0).mul(u).add(second.scaled(2.0)).mul(u).add(first);
        let in_sizes = |t: ComplexExp| t.scaled(FloatExp::from(1.0).div(self.size)).to_complex();
        let progress = &mut point.progress;
        let (mut w, mut spread) = (in_sizes(progress.delta), in_sizes(progress.spread));
        // dw_n/dw_1.
        let mut growth = None;
        let mut states = Repeats::default();
        while w.norm_sq() < 1.0 {
            if progress.n > around.max_iterations - self.steps.min(around.max_iterations) {
                return Ok(Some(Fate { turns: point.turns, ..Fate::default() }));
            }
            let slope = square.mul(w).scaled(2.0);
            spread = slope.mul(spread).add(rest_per_offset).add(self.square_per_offset.mul(w).mul(w));
            growth = Some(growth.map_or(Complex::new(1.0, 0.0), |growth: Complex| growth.mul(slope)));
            w = square.mul(w).mul(w).add(rest);
            progress.n += self.steps;
            point.turns += 1;
            let is_drawn_in = growth.is_some_and(|growth| growth.norm_sq() < DRAWN_IN_SQ);
            if around.cycles && (is_drawn_in || states.repeat(w)) {
                return Ok(Some(Fate { turns: point.turns, ..Fate::default() }));
            }
            if point.turns.is_multiple_of(TURNS_PER_LOOK) && around.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
        }
        progress.delta = ComplexExp::from(w).scaled(self.size);
        progress.spread = ComplexExp::from(spread).scaled(self.size);
        Ok(None)
    }
}
