//! Prepared steps: 16, 32, 64, … at once from every 16th, 32nd, 64th, … index of the reference on.
//!
//! Source: Zhuoran (fractalforums.org, 2021), for tables of this form, there of linear terms.

use std::borrow::Cow;

use rayon::prelude::*;

use super::jet::{self, Block, Jet, Limits};
use super::turn::Turn;
use crate::fractal::reference::Reference;
use crate::math::{Complex, ComplexExp, FloatExp};
use crate::render::{Latest, RenderError};

/// Steps of the shortest blocks, and between two looks for one: single steps are so cheap that shorter ones do not pay.
pub const STRIDE: u32 = 16;
/// Blocks between looks at whether the job is stale.
const BLOCKS_PER_LOOK: usize = 256;

/// All blocks of a reference.
pub struct Blocks {
    plain: Plain,
    /// Empty where the plain ones are enough.
    wide: Wide,
    start: Start,
    turn: Option<Turn>,
    /// Both parts of each point of the reference, one point after another, and zeros for vectors that reach beyond the end.
    parts: Vec<f64>,
}

/// Blocks of one length, by index of their first step over that length.
struct Level<T, R> {
    jets: Vec<Jet<T>>,
    /// The sizes of δ up to which they hold.
    radii: Vec<R>,
    /// Whether δc counts in them in first degree alone.
    are_linear: Vec<bool>,
}

/// A block that holds for some δ.
pub struct Hop<'a, T> {
    pub jet: &'a Jet<T>,
    pub steps: u32,
    pub is_linear: bool,
}

/// The steps that all points do together from the critical point on.
pub struct Start {
    pub steps: u32,
    pub wide: Jet<ComplexExp>,
    /// The same in plain numbers, where all points are within their range after it.
    pub plain: Option<Jet<Complex>>,
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
        let ((steps, wide), blocks) = rayon::join(
            || jet::start((0..reference.last()).map(|m| reference.wide(m)), STRIDE, &limits),
            || shortest(reference, &limits, latest),
        );
        let start = Start { steps, wide, plain: wide.plain(unit).filter(|_| !is_deep || steps > 0) };
        let blocks = blocks?;
        let (turn, levels) = rayon::join(
            || Turn::new(reference, &blocks, &limits, unit),
            || levels(&blocks, &limits, unit, is_deep, latest),
        );
        let (plain, wide) = levels?;
        let parts = reference.points().iter().flat_map(|z| [z.re, z.im]).chain([0.0; 4 * STRIDE as usize]).collect();
        Ok(Self { plain, wide, start, turn, parts })
    }

    pub fn start(&self) -> &Start {
        &self.start
    }

    pub fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }

    /// Both parts of the points from index `m` on, which is at most [`STRIDE`] beyond the end.
    #[inline(always)]
    pub fn parts(&self, m: u32) -> &[f64] {
        &self.parts[2 * m as usize..]
    }

    /// The longest block from index `m` on for a delta of `size`; δc is in units.
    #[inline(always)]
    pub fn plain(&self, m: u32, size: f64) -> Option<Hop<'_, Complex>> {
        longest(&self.plain, m, size)
    }

    /// The same for deltas of any depth; δc is itself.
    pub fn wide(&self, m: u32, size: FloatExp) -> Option<Hop<'_, ComplexExp>> {
        longest(&self.wide, m, size)
    }
}

#[inline(always)]
fn longest<T, R: Copy + PartialOrd>(levels: &[Level<T, R>], m: u32, size: R) -> Option<Hop<'_, T>> {
    if !m.is_multiple_of(STRIDE) {
        return None;
    }
    let mut index = (m / STRIDE) as usize;
    let mut longest = None;
    // Radii shrink from level to level, so the first that does not hold ends the search.
    for (k, level) in levels.iter().enumerate() {
        if level.radii.get(index).is_none_or(|&radius| !(size < radius)) {
            break;
        }
        longest = Some((level, index, STRIDE << k));
        if index % 2 == 1 {
            break;
        }
        index /= 2;
    }
    let (level, index, steps) = longest?;
    Some(Hop { jet: &level.jets[index], steps, is_linear: level.are_linear[index] })
}

fn look(index: usize, latest: &Latest) -> Result<(), RenderError> {
    let stale = index.is_multiple_of(BLOCKS_PER_LOOK) && latest.is_stale();
    if stale { Err(RenderError::Cancelled) } else { Ok(()) }
}

type Plain = Vec<Level<Complex, f64>>;
type Wide = Vec<Level<ComplexExp, FloatExp>>;

/// The shortest blocks, and each longer one made of two of half its length.
fn levels(
    shortest: &[Block],
    limits: &Limits,
    unit: FloatExp,
    is_deep: bool,
    latest: &Latest,
) -> Result<(Plain, Wide), RenderError> {
    let (mut all_plain, mut all_wide) = (Vec::new(), Vec::new());
    let mut blocks = Cow::Borrowed(shortest);
    while blocks.iter().any(|block| block.radius > FloatExp::ZERO) {
        let are_linear: Vec<bool> = blocks.par_iter().map(|block| block.is_linear(limits)).collect();
        let longer = blocks.par_chunks_exact(2).enumerate().map(|(index, pair)| {
            look(index, latest)?;
            Ok(pair[0].then(&pair[1], limits))
        });
        let longer = longer.collect::<Result<Vec<_>, RenderError>>()?;
        if is_deep {
            let (jets, radii) = blocks.iter().map(|block| (block.jet, block.radius)).unzip();
            all_wide.push(Level { jets, radii, are_linear: are_linear.clone() });
        }
        all_plain.push(plain(&blocks, unit, are_linear));
        blocks = Cow::Owned(longer);
    }
    Ok((all_plain, all_wide))
}

/// The blocks of [`STRIDE`] steps.
fn shortest(reference: &Reference, limits: &Limits, latest: &Latest) -> Result<Vec<Block>, RenderError> {
    let block = |index: u32| {
        look(index as usize, latest)?;
        let first = index * STRIDE;
        let points = (first..first + STRIDE).map(|m| reference.wide(m));
        Ok(Block::along(points, reference.wide(first + STRIDE), limits))
    };
    (0..reference.last() / STRIDE).into_par_iter().map(block).collect()
}

/// The same for plain deltas; those whose terms leave the range never hold.
fn plain(level: &[Block], unit: FloatExp, are_linear: Vec<bool>) -> Level<Complex, f64> {
    let (jets, radii) = level
        .par_iter()
        .map(|block| match block.jet.plain(unit) {
            Some(jet) => (jet, block.radius.to_f64()),
            None => (Jet::default(), 0.0),
        })
        .unzip();
    Level { jets, radii, are_linear }
}
