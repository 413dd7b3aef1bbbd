//! Many steps beside a reference at once, of any formula: while a delta is so small that its square is below rounding, and no
//! fold of the plane lies between it and the reference, l steps are δ ← A·δ + B·δc with real matrices A and B.
//!
//! Blocks of 8, 16, 32, … steps are prepared from every 8th, 16th, 32nd, … index on.
//!
//! Source: Heiland-Allen, "Deep zoom theory and practice (again)" (2022), for matrices where the map keeps no angles.

use rayon::prelude::*;

use crate::fractal::formula::Followed;
use crate::fractal::reference::Reference;
use crate::math::{Complex, FloatExp, Matrix, Scalar};
use crate::render::{Latest, RenderError};

/// log₂ of the steps of the shortest blocks: shorter ones do not pay.
const SHORTEST: u32 = 3;
/// Exponents from which on a factor is left to wide numbers.
const MOST_EXPONENT: i64 = 900;
/// Blocks between looks at whether the job is stale.
const BLOCKS_PER_LOOK: usize = 1024;

/// l steps from one index on: δ ← `a`·δ + `b`·δc, where neither part of δ is as large as `radius`.
#[derive(Clone, Copy, Debug)]
pub struct Block<R> {
    pub a: Matrix<R>,
    pub b: Matrix<R>,
    pub radius: R,
}

/// How far blocks may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Share of a step that may be left out.
    pub epsilon: f64,
    /// The largest |δc|.
    pub largest_c: FloatExp,
    /// |Z| from which on escape must be tested at every step.
    pub watched: f64,
}

/// All blocks of a reference, those of 8 steps first: those of 8·2^k steps begin at `starts[k]`.
pub struct Blocks {
    /// `b` is to be multiplied by δc in units of the pixel step.
    plain: Vec<Block<f64>>,
    /// Empty where the plain ones are enough; here δc is itself.
    wide: Vec<Block<FloatExp>>,
    starts: Vec<usize>,
}

impl Blocks {
    /// `unit` is what δc is counted in when deltas are plain; `is_deep` says that some are not.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn new<F: Followed>(
        reference: &Reference,
        limits: Limits,
        unit: FloatExp,
        is_deep: bool,
        latest: &Latest,
    ) -> Result<Self, RenderError> {
        let (wide, starts) = build::<F>(reference, limits, latest)?;
        let plain = wide.par_iter().map(|block| plain(block, unit)).collect();
        Ok(Self { plain, wide: if is_deep { wide } else { Vec::new() }, starts })
    }

    /// Memory that they take, in bytes.
    pub fn bytes(&self) -> u64 {
        let [plain, wide] = [size_of_val(self.plain.as_slice()), size_of_val(self.wide.as_slice())];
        (plain + wide) as u64
    }

    /// The longest block from index `m` on for a delta of `size`, and its number of steps.
    #[inline(always)]
    pub fn plain(&self, m: u32, size: f64) -> Option<(&Block<f64>, u32)> {
        longest(&self.plain, &self.starts, m, size)
    }

    /// The same for deltas of any depth.
    #[inline(always)]
    pub fn wide(&self, m: u32, size: FloatExp) -> Option<(&Block<FloatExp>, u32)> {
        longest(&self.wide, &self.starts, m, size)
    }
}

#[inline(always)]
fn longest<'a, R: Scalar>(blocks: &'a [Block<R>], starts: &[usize], m: u32, size: R) -> Option<(&'a Block<R>, u32)> {
    let from = m.wrapping_sub(1);
    if !from.is_multiple_of(1 << SHORTEST) {
        return None;
    }
    let mut index = (from >> SHORTEST) as usize;
    let mut longest = None;
    // Radii shrink from level to level, so the first that does not hold ends the search.
    for (k, bounds) in starts.windows(2).enumerate() {
        let level = &blocks[bounds[0]..bounds[1]];
        let Some(block) = level.get(index).filter(|block| size < block.radius) else { break };
        longest = Some((block, 1 << (SHORTEST + k as u32)));
        if index % 2 == 1 {
            break;
        }
        index /= 2;
    }
    longest
}

/// The blocks of all lengths, each made of two of half its length, and where each length begins.
fn build<F: Followed>(
    reference: &Reference,
    limits: Limits,
    latest: &Latest,
) -> Result<(Vec<Block<FloatExp>>, Vec<usize>), RenderError> {
    let check = |index: usize| {
        let stale = index.is_multiple_of(BLOCKS_PER_LOOK) && latest.is_stale();
        if stale { Err(RenderError::Cancelled) } else { Ok(()) }
    };
    let mut count = (reference.last() as usize - 1) >> SHORTEST;
    let shortest = |index: usize| check(index).map(|()| shortest::<F>(reference, limits, index));
    let mut blocks = (0..count).into_par_iter().map(shortest).collect::<Result<Vec<_>, _>>()?;
    let mut starts = vec![0, count];
    while count > 1 {
        let halves = &blocks[blocks.len() - count..];
        let merged = |pair: &[Block<FloatExp>]| pair[0].then(&pair[1], limits);
        let longer: Vec<_> = halves.par_chunks_exact(2).map(merged).collect();
        if longer.iter().all(|block| block.radius == FloatExp::ZERO) {
            break;
        }
        count = longer.len();
        blocks.extend(longer);
        starts.push(blocks.len());
        check(0)?;
    }
    Ok((blocks, starts))
}

/// The block of 8 steps from index 1 + 8 · `index` on.
fn shortest<F: Followed>(reference: &Reference, limits: Limits, index: usize) -> Block<FloatExp> {
    let first = 1 + ((index as u32) << SHORTEST);
    let step = |m| one_step::<F>(reference.parts(m), limits);
    (first + 1..first + (1 << SHORTEST)).fold(step(first), |block, m| block.then(&step(m), limits))
}

/// δ ← f′(Z)·δ + δc.
fn one_step<F: Followed>(z: Complex<FloatExp>, limits: Limits) -> Block<FloatExp> {
    let is_watched = z.to_f64().norm() >= limits.watched;
    let radius = if is_watched { FloatExp::ZERO } else { F::linear_reach(z, limits.epsilon) };
    Block { a: F::tangent(z), b: Matrix::IDENTITY, radius }
}

impl Block<FloatExp> {
    /// This block, then `next`.
    fn then(&self, next: &Self, limits: Limits) -> Self {
        let (a, b) = (next.a.after(&self.a), next.a.after(&self.b).plus(&next.b));
        let room = next.radius.sub(self.b.norm().mul(limits.largest_c));
        let growth = self.a.norm();
        let never = self.radius == FloatExp::ZERO || room <= FloatExp::ZERO;
        let radius = match () {
            () if never => FloatExp::ZERO,
            () if growth == FloatExp::ZERO => self.radius,
            () => self.radius.min(room.div(growth)),
        };
        Self { a, b, radius }
    }
}

/// The same for plain deltas, where its factors are within their range.
fn plain(block: &Block<FloatExp>, unit: FloatExp) -> Block<f64> {
    let b = block.b.stretched(unit);
    let is_beyond = |matrix: &Matrix<FloatExp>| matrix.norm().exponent() > MOST_EXPONENT;
    if is_beyond(&block.a) || is_beyond(&b) {
        return Block { a: Matrix::ZERO, b: Matrix::ZERO, radius: 0.0 };
    }
    Block { a: block.a.to_f64(), b: b.to_f64(), radius: block.radius.to_f64() }
}
