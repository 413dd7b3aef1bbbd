//! One point's orbit, as its difference from the reference.
//!
//! z_n = Z_m + δ with δ ← (2·Z_m + δ)·δ + δc. Where |z| < |δ| the reference helps no longer: the orbit is rebased, that is
//! δ ← z and m ← 0, which changes nothing, for Z_0 = 0. So one reference is enough for all points.

use super::blocks::Blocks;
use super::delta::Delta;
use crate::fractal::reference::{End, Reference};
use crate::math::{Complex, ComplexExp, FloatExp};
use crate::render::{Latest, RenderError};

/// Deltas below 2⁻⁹⁰⁰ are left to numbers with an exponent of their own: there, f64 still has its full digits with room
/// for what is added to it.
pub const FLOOR: f64 = f64::from_bits((1023 - 900) << 52);
/// Steps and blocks between looks at whether the job is stale: some ten microseconds.
const TURNS_PER_LOOK: u64 = 1024;

/// What all points of a picture share.
pub struct Surroundings<'a> {
    pub reference: &'a Reference,
    pub blocks: &'a Blocks,
    /// The unit of offsets: the finest pixel step.
    pub unit: FloatExp,
    /// [`FLOOR`], or 0 where the unit is above it: deltas only grow from there.
    pub floor: f64,
    pub bailout_sq: f64,
    pub max_iterations: u32,
    /// Whether orbits that repeat themselves are known to stay.
    pub cycles: bool,
    pub latest: &'a Latest,
}

/// What became of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fate {
    /// Least n ≥ 1 with |z_n| > R, 0 where there is none up to the cap.
    pub iterations: u32,
    /// |z_n|² there.
    pub norm_sq: f64,
    /// Steps and blocks executed.
    pub turns: u64,
}

/// How far a point has come.
#[derive(Default)]
struct Progress {
    /// Steps done.
    n: u32,
    /// Index of the reference's point beside it.
    m: u32,
    /// Steps and blocks executed.
    turns: u64,
    states: States,
}

/// What ends a run in one kind of numbers.
enum Exit<D> {
    /// The other kind goes on from this delta.
    Leave(D),
    /// The orbit has escaped, with this |z|².
    Escaped(f64),
    Inside,
}

impl Surroundings<'_> {
    /// Follows the point that lies `offset` units from the reference to its end.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn fate(&self, offset: Complex) -> Result<Fate, RenderError> {
        let wide_c = ComplexExp::from(offset).scaled(self.unit);
        let plain_c = wide_c.to_complex();
        let mut progress = Progress::default();
        let mut delta = ComplexExp::ZERO;
        let mut is_wide = self.floor > 0.0;
        loop {
            let exit = if is_wide {
                self.follow(delta, wide_c, wide_c, &mut progress)?
            } else {
                match self.follow(delta.to_complex(), plain_c, offset, &mut progress)? {
                    Exit::Leave(delta) => Exit::Leave(delta.into()),
                    Exit::Escaped(norm_sq) => Exit::Escaped(norm_sq),
                    Exit::Inside => Exit::Inside,
                }
            };
            match exit {
                Exit::Leave(next) => (delta, is_wide) = (next, !is_wide),
                Exit::Escaped(norm_sq) => {
                    return Ok(Fate { iterations: progress.n, norm_sq, turns: progress.turns });
                }
                Exit::Inside => return Ok(Fate { turns: progress.turns, ..Fate::default() }),
            }
        }
    }

    /// Goes on with one kind of numbers; `u` is δc in the unit of its blocks.
    #[inline(always)]
    fn follow<D: Delta>(&self, mut delta: D, c: D, u: D, progress: &mut Progress) -> Result<Exit<D>, RenderError> {
        let Self { reference, blocks, floor, bailout_sq, max_iterations, .. } = *self;
        let last = reference.last();
        loop {
            let (next, steps) = match delta.skip(blocks, progress.m, u) {
                Some(skipped) => skipped,
                None => (delta.step(D::reference(reference, progress.m), c), 1),
            };
            if !D::IS_WIDE && next.is_below(floor) {
                // Not for these numbers: the other kind does this step again.
                return Ok(Exit::Leave(delta));
            }
            delta = next;
            progress.n += steps;
            progress.m += steps;
            progress.turns += 1;
            if progress.n > max_iterations {
                return Ok(Exit::Inside);
            }
            let z = delta.plus(D::reference(reference, progress.m));
            let norm_sq = z.norm_sq();
            // An orbit that overflows to infinity or NaN has escaped too.
            if !(norm_sq <= bailout_sq) {
                return Ok(Exit::Escaped(norm_sq));
            }
            let is_rebased = z.size() < delta.size();
            if is_rebased || progress.m == last {
                match reference.end() {
                    End::Cycle { period } if !is_rebased => progress.m -= period,
                    // Here the reference was given up, and so are those who still follow it.
                    End::Cap if !is_rebased => return Ok(Exit::Inside),
                    _ => (delta, progress.m) = (z, 0),
                }
                if self.cycles && progress.states.repeat(progress.m, delta.into()) {
                    return Ok(Exit::Inside);
                }
            }
            if delta.is_below(floor) != D::IS_WIDE {
                return Ok(Exit::Leave(delta));
            }
            if progress.turns.is_multiple_of(TURNS_PER_LOOK) && self.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
        }
    }
}

/// The states of an orbit where it is rebased. One that is met again, bit for bit, proves that the orbit never escapes.
#[derive(Default)]
struct States {
    held: Option<(u32, ComplexExp)>,
    /// States seen since one was held, and how many before the next is held.
    seen: u32,
    patience: u32,
}

impl States {
    /// Whether the state of index m and `delta` was held before.
    fn repeat(&mut self, m: u32, delta: ComplexExp) -> bool {
        if self.held == Some((m, delta)) {
            return true;
        }
        self.seen += 1;
        if self.seen > self.patience {
            *self = Self { held: Some((m, delta)), seen: 0, patience: 2 * self.patience + 1 };
        }
        false
    }
}
