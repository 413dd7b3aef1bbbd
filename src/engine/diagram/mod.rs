//! Columns of bifurcation diagrams: plainly, and many orbits at a time on all cores.
//!
//! Each orbit runs until it should have come to its attractor. One on a cycle adds the cycle's exact points, so that
//! forks are sharp however slowly orbits approach them; one that settles on none adds the points that it comes to.
//! Both ways do the same operations on each orbit, in the same order: their diagrams are equal.

mod counts;
mod curve;
mod flight;
mod flock;
mod orbit;
mod plain;
mod settle;

pub(super) use curve::finish_column;
pub(super) use orbit::{Drawn, Orbit};
pub(super) use plain::{count, follow};

use std::ops::Range;
use std::time::Instant;

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;

use crate::fractal::{Map, MapVisitor};
use crate::render::{ColumnTask, Columns, Latest, OrbitDensity, RenderError, Sink, Stats, Strip, Tile};

/// Columns that a thread takes at once.
pub(super) const STRIP: u32 = 16;

/// The diagram by plain loops over columns, orbits and steps, on one thread.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn naive(columns: &Columns<'_>, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
    let start = Instant::now();
    let (mut steps, mut strip) = (0, Strip::default());
    for column in 0..columns.size()[0] {
        let part = Part { columns, range: column..column + 1, latest };
        let tile = part.tile();
        sink.begin(tile);
        let run = plain::Plain { part, strip: &mut strip };
        steps += dispatch!(Level::new(), simd => columns.task.map.visit(Vectorized { simd, run }))?;
        sink.put_strip(&strip);
        sink.end(tile);
    }
    Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads: 1, ..Stats::default() })
}

/// The diagram in strips of columns, on the threads of the pool that this is called in.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn tiles(columns: &Columns<'_>, level: Level, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
    let start = Instant::now();
    let width = columns.size()[0];
    let strips = (0..width.div_ceil(STRIP)).into_par_iter().map_init(flock::Scratch::default, |scratch, strip| {
        let range = strip * STRIP..((strip + 1) * STRIP).min(width);
        let part = Part { columns, range, latest };
        let tile = part.tile();
        sink.begin(tile);
        let run = flock::Flock { part, scratch };
        let taken = dispatch!(level, simd => columns.task.map.visit(Vectorized { simd, run }))?;
        sink.put_strip(&scratch.strip);
        sink.end(tile);
        Ok::<_, RenderError>(taken)
    });
    let steps = strips.try_reduce(|| 0, |a, b| Ok(a + b))?;
    let threads = rayon::current_num_threads();
    Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads, ..Stats::default() })
}

/// Some columns of a job.
pub(super) struct Part<'a, T = OrbitDensity> {
    pub columns: &'a Columns<'a, T>,
    pub range: Range<u32>,
    pub latest: &'a Latest,
}

impl<T: ColumnTask> Part<'_, T> {
    pub fn check(&self) -> Result<(), RenderError> {
        if self.latest.is_stale() { Err(RenderError::Cancelled) } else { Ok(()) }
    }

    /// Where its columns lie.
    pub fn tile(&self) -> Tile {
        Tile::columns(self.range.clone(), self.columns.size()[1])
    }

    pub fn empty_strip(&self) -> Strip {
        Strip::empty(self.range.clone(), self.columns.size()[1])
    }
}

/// A way to compute a part, for any map: fills a strip, and gives the steps that orbits took, searches not counted.
trait Run {
    fn run<S: Simd, M: Map<D>, const D: usize>(self, simd: S) -> Result<u64, RenderError>;
}

/// The same with the instructions of this processor.
struct Vectorized<S, R> {
    simd: S,
    run: R,
}

impl<S: Simd, R: Run> MapVisitor for Vectorized<S, R> {
    type Output = Result<u64, RenderError>;

    fn visit<const D: usize, M: Map<D>>(self) -> Self::Output {
        self.simd.vectorize(
            #[inline(always)]
            || self.run.run::<S, M, D>(self.simd),
        )
    }
}
