//! Bilinear approximation: many steps beside the reference at once.
//!
//! While a delta is so small that its square is below rounding, l steps from m on are δ ← A·δ + B·δc. Blocks of 8, 16,
//! 32, … steps are prepared from every 8th, 16th, 32nd, … index on, each with the size of deltas up to which it holds.
//!
//! Source: Zhuoran (fractalforums.org, 2021) and Heiland-Allen, "Deep zoom theory and practice (again)" (2022).

use rayon::prelude::*;

use crate::fractal::reference::Reference;
use crate::math::{Complex, ComplexExp, FloatExp};
use crate::render::{Latest, RenderError};

/// log₂ of the steps of the shortest blocks: shorter ones do not pay.
const SHORTEST: u32 = 3;
/// Exponents from which on a factor is left to [`ComplexExp`].
const MOST_EXPONENT: i64 = 900;
/// Blocks between looks at whether the job is stale.
const BLOCKS_PER_LOOK: usize = 1024;

/// l steps from one index on: δ ← `a`·δ + `b`·δc, for |δ| < `radius`.
#[derive(Clone, Copy, Debug)]
pub struct Block<T, R> {
    pub a: T,
    pub b: T,
    pub radius: R,
}

/// A block at any depth; `b` is to be multiplied by δc itself.
type WideBlock = Block<ComplexExp, FloatExp>;

/// How far blocks may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// |δ| over |Z| from which on a step is not taken for linear.
    pub epsilon: f64,
    /// The largest |δc|.
    pub largest_c: FloatExp,
    /// |Z| from which on escape must be tested at every step.
    pub watched: f64,
}

/// All blocks of a reference, those of 8 steps first.
pub struct Blocks {
    plain: Level<Block<Complex, f64>>,
    /// Empty where the plain ones are enough.
    wide: Level<WideBlock>,
}

/// Blocks by length: those of 8·2^k steps begin at `starts[k]`.
struct Level<B> {
    blocks: Vec<B>,
    starts: Vec<usize>,
}

impl Blocks {
    /// `unit` is what δc is counted in when deltas are plain; `is_deep` says that some are not.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn new(
        reference: &Reference,
        limits: Limits,
        unit: FloatExp,
        is_deep: bool,
        latest: &Latest,
    ) -> Result<Self, RenderError> {
        let wide = build(reference, limits, latest)?;
        let plain = wide.blocks.par_iter().map(|block| plain(block, unit)).collect();
        let plain = Level { blocks: plain, starts: wide.starts.clone() };
        let wide = if is_deep { wide } else { Level { blocks: Vec::new(), starts: Vec::new() } };
        Ok(Self { plain, wide })
    }

    /// The longest block from index `m` on for a delta of `size`, and its number of steps; δc is in units.
    #[inline(always)]
    pub fn plain(&self, m: u32, size: f64) -> Option<(&Block<Complex, f64>, u32)> {
        self.plain.longest(m, |block| size < block.radius)
    }

    /// The same for deltas of any depth; δc is itself.
    #[inline(always)]
    pub fn wide(&self, m: u32, size: FloatExp) -> Option<(&WideBlock, u32)> {
        self.wide.longest(m, |block| size < block.radius)
    }
}

impl<B> Level<B> {
    #[inline(always)]
    fn longest(&self, m: u32, holds: impl Fn(&B) -> bool) -> Option<(&B, u32)> {
        let from = m.wrapping_sub(1);
        if !from.is_multiple_of(1 << SHORTEST) {
            return None;
        }
        let mut index = (from >> SHORTEST) as usize;
        let mut longest = None;
        // Radii shrink from level to level, so the first that does not hold ends the search.
        for (k, bounds) in self.starts.windows(2).enumerate() {
            let Some(block) = self.blocks[bounds[0]..bounds[1]].get(index).filter(|block| holds(block)) else { break };
            longest = Some((block, 1 << (SHORTEST + k as u32)));
            if index % 2 == 1 {
                break;
            }
            index /= 2;
        }
        longest
    }
}

/// The blocks of all lengths, each made of two of half its length.
fn build(reference: &Reference, limits: Limits, latest: &Latest) -> Result<Level<WideBlock>, RenderError> {
    let check = |index: usize| {
        let stale = index.is_multiple_of(BLOCKS_PER_LOOK) && latest.is_stale();
        if stale { Err(RenderError::Cancelled) } else { Ok(()) }
    };
    let mut count = (reference.last() as usize - 1) >> SHORTEST;
    let shortest = |index: usize| check(index).map(|()| shortest(reference, limits, index));
    let mut blocks = (0..count).into_par_iter().map(shortest).collect::<Result<Vec<_>, _>>()?;
    let mut starts = vec![0, count];
    while count > 1 {
        let halves = &blocks[blocks.len() - count..];
        let merged = |pair: &[WideBlock]| pair[0].then(&pair[1], limits);
        let longer: Vec<_> = halves.par_chunks_exact(2).map(merged).collect();
        if longer.iter().all(|block| block.radius == FloatExp::ZERO) {
            break;
        }
        count = longer.len();
        blocks.extend(longer);
        starts.push(blocks.len());
        check(0)?;
    }
    Ok(Level { blocks, starts })
}

/// The block of 8 steps from index 1 + 8 · `index` on.
fn shortest(reference: &Reference, limits: Limits, index: usize) -> WideBlock {
    let first = 1 + ((index as u32) << SHORTEST);
    let step = |m| one_step(reference.wide(m), limits);
    (first + 1..first + (1 << SHORTEST)).fold(step(first), |block, m| block.then(&step(m), limits))
}

/// δ ← 2Z·δ + δc.
fn one_step(z: ComplexExp, limits: Limits) -> WideBlock {
    let size = z.norm();
    let radius = if size.to_f64() >= limits.watched { FloatExp::ZERO } else { size.mul(limits.epsilon.into()) };
    Block { a: z.doubled(), b: ComplexExp::ONE, radius }
}

impl WideBlock {
    /// This block, then `next`.
    fn then(&self, next: &Self, limits: Limits) -> Self {
        let (a, b) = (next.a.mul(self.a), next.a.mul(self.b).add(next.b));
        let room = next.radius.sub(self.b.norm().mul(limits.largest_c));
        let never = self.radius == FloatExp::ZERO || room <= FloatExp::ZERO;
        let radius = if never { FloatExp::ZERO } else { self.radius.min(room.div(self.a.norm())) };
        Self { a, b, radius }
    }
}

/// The same for plain deltas, where its factors are within their range.
fn plain(block: &WideBlock, unit: FloatExp) -> Block<Complex, f64> {
    let b = block.b.scaled(unit);
    if block.a.exponent() > MOST_EXPONENT || b.exponent() > MOST_EXPONENT {
        return Block { a: Complex::default(), b: Complex::default(), radius: 0.0 };
    }
    Block { a: block.a.to_complex(), b: b.to_complex(), radius: block.radius.to_f64() }
}
