//! Linear approximation for the device: many steps beside the reference at once.
//!
//! As in `perturbation::blocks`, but with no square term: a block is two products in f32, and deltas with 24 digits ask for
//! no more. Blocks of 8, 16, 32, … steps begin at every 8th, 16th, 32nd, … index from 1 on.
//!
//! Source: Zhuoran (fractalforums.org, 2021) and Heiland-Allen, "Deep zoom theory and practice (again)" (2022).

use crate::fractal::reference::Reference;
use crate::math::{ComplexExp, FloatExp};

/// log₂ of the steps of the shortest blocks.
const SHORTEST: u32 = 3;
/// |δ| over |Z| from which on a step is not taken for linear: what f32 rounds to.
const EPSILON: f64 = 1.0 / (1 << 24) as f64;

/// l steps from one index on: δ ← `a`·δ + `b`·δc, for |δ| < `radius`.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub a: ComplexExp,
    pub b: ComplexExp,
    pub radius: FloatExp,
}

/// Blocks by length: those of 8·2^k steps begin at `starts[k]`.
pub struct Blocks {
    blocks: Vec<Block>,
    starts: Vec<usize>,
}

impl Blocks {
    /// The blocks of a reference, for points up to `largest_c` from it and escape at `bailout`.
    pub fn new(reference: &Reference, largest_c: FloatExp, bailout: f64) -> Self {
        // Beyond this orbits a little beside the reference may escape within a block.
        let watched = bailout * (1.0 - EPSILON.sqrt());
        let mut count = (reference.last() as usize - 1) >> SHORTEST;
        let mut blocks: Vec<_> = (0..count as u32).map(|i| shortest(reference, i, largest_c, watched)).collect();
        let mut starts = vec![0, count];
        while count > 1 {
            let halves = &blocks[blocks.len() - count..];
            let longer: Vec<_> = halves.chunks_exact(2).map(|pair| pair[0].then(&pair[1], largest_c)).collect();
            if longer.iter().all(|block| block.radius == FloatExp::ZERO) {
                break;
            }
            count = longer.len();
            blocks.extend(longer);
            starts.push(blocks.len());
        }
        Self { blocks, starts }
    }

    /// All blocks, level by level.
    pub fn all(&self) -> &[Block] {
        &self.blocks
    }

    /// Where each level begins in [`all`](Self::all), and where the last one ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }
}

/// The block of 8 steps from index 1 + 8 · `index` on.
fn shortest(reference: &Reference, index: u32, largest_c: FloatExp, watched: f64) -> Block {
    let first = 1 + (index << SHORTEST);
    let step = |m| Block::of_step(reference.wide(m), watched);
    (first + 1..first + (1 << SHORTEST)).fold(step(first), |block, m| block.then(&step(m), largest_c))
}

impl Block {
    /// δ ← 2Z·δ + δc.
    fn of_step(z: ComplexExp, watched: f64) -> Self {
        let size = z.norm();
        let radius = if size.to_f64() >= watched { FloatExp::ZERO } else { size.mul(EPSILON.into()) };
        Self { a: z.doubled(), b: ComplexExp::ONE, radius }
    }

    /// This block, then `next`.
    fn then(&self, next: &Self, largest_c: FloatExp) -> Self {
        let (a, b) = (next.a.mul(self.a), next.a.mul(self.b).add(next.b));
        let room = next.radius.sub(self.b.norm().mul(largest_c));
        let never = self.radius == FloatExp::ZERO || room <= FloatExp::ZERO;
        let radius = if never { FloatExp::ZERO } else { self.radius.min(room.div(self.a.norm())) };
        Self { a, b, radius }
    }
}
