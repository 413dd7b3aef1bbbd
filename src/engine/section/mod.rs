//! Columns of sections: complex orbits, plainly, and many at a time on all cores.
//!
//! As for [real diagrams](super::diagram), orbits on cycles draw the cycles' exact points as curves, and those that
//! settle on none add the points that they come to. Beside them the fan shows the way that orbits take, those that
//! escape included. Both ways of computing do the same operations on each orbit, in the same order.

mod fan;
mod flock;
mod line;
mod plain;

use std::time::Instant;

use fearless_simd::{Level, Simd as _, dispatch};
use rayon::prelude::*;

use super::diagram::{Part, STRIP};
use crate::render::{Columns, Latest, RenderError, Section, Sink, Stats, Strip};

/// The diagram by plain loops over columns, orbits and steps, on one thread.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn naive(columns: &Columns<'_, Section>, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
    let start = Instant::now();
    let mut steps = 0;
    for column in 0..columns.size()[0] {
        let part = Part { columns, range: column..column + 1, latest };
        sink.begin(part.tile());
        let (strip, taken) = dispatch!(Level::new(), simd => simd.vectorize(
            #[inline(always)]
            || plain::run(&part),
        ))?;
        steps += taken;
        put(columns, strip, sink);
        sink.end(part.tile());
    }
    Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads: 1, ..Stats::default() })
}

/// The diagram in strips of columns, on the threads of the pool that this is called in.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn tiles(
    columns: &Columns<'_, Section>,
    level: Level,
    latest: &Latest,
    sink: &dyn Sink,
) -> Result<Stats, RenderError> {
    let start = Instant::now();
    let width = columns.size()[0];
    let strips = (0..width.div_ceil(STRIP)).into_par_iter().with_max_len(1).map(|strip| {
        let part = Part { columns, range: strip * STRIP..((strip + 1) * STRIP).min(width), latest };
        sink.begin(part.tile());
        let (strip, taken) = dispatch!(level, simd => simd.vectorize(
            #[inline(always)]
            || flock::run(simd, &part),
        ))?;
        put(columns, strip, sink);
        sink.end(part.tile());
        Ok::<_, RenderError>(taken)
    });
    let steps = strips.try_reduce(|| 0, |a, b| Ok(a + b))?;
    let threads = rayon::current_num_threads();
    Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads, ..Stats::default() })
}

fn put(columns: &Columns<'_, Section>, mut strip: Strip, sink: &dyn Sink) {
    if columns.is_upside_down() {
        strip.flip();
    }
    sink.put_strip(&strip);
}

/// The columns of a part, with a fan where the task has one.
fn empty_strip(part: &Part<'_, Section>) -> Strip {
    let strip = part.empty_strip();
    if part.columns.task.fan.is_some() { strip.with_fan() } else { strip }
}
