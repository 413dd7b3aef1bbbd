//! What becomes of points, and what a sink is to have of it: tile by tile, on all threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::engine::naive;
use crate::fractal::Smooth;
use crate::render::{EscapeTime, Job, RenderError, Sample, Sink, Slope, Stats, Tile};

/// What became of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fate {
    /// Least n ≥ 1 with |z_n| > R, 0 where there is none up to the cap.
    pub iterations: u32,
    /// |z_n|² there.
    pub norm_sq: f64,
    /// The slope there; that of the inside where none is asked for.
    pub slope: Slope,
    /// Steps and blocks executed.
    pub turns: u64,
}

/// Follows the points of all tiles on the threads of a pool, and hands over what the job asks for. `follow` appends the fates of one
/// tile's points, row by row. The time is left to the caller.
///
/// # Errors
/// Those of `follow`.
pub fn draw(
    pool: &rayon::ThreadPool,
    tiles: &[Tile],
    job: &Job,
    task: &EscapeTime,
    sink: &dyn Sink,
    follow: impl Fn(Tile, &mut Vec<Fate>) -> Result<(), RenderError> + Sync,
) -> Result<Stats, RenderError> {
    let level = Level::new();
    let smooth = job.channels.smooth.then(|| Smooth::new(task.bailout, task.formula.degree()));
    let taken = AtomicUsize::new(0);
    let run = || -> Result<Stats, RenderError> {
        let mut stats = Stats::default();
        let (mut fates, mut samples) = (Vec::new(), Vec::new());
        while let Some(&tile) = tiles.get(taken.fetch_add(1, Ordering::Relaxed)) {
            fates.clear();
            sink.begin(tile);
            follow(tile, &mut fates)?;
            if job.channels.distance {
                sink.put_slopes(tile, &fates.iter().map(|fate| fate.slope).collect::<Vec<_>>());
            }
            to_samples(level, &fates, smooth.as_ref(), &mut samples);
            sink.put(tile, &samples);
            sink.end(tile);
            stats.steps += samples.iter().map(|sample| sample.steps(task.max_iterations)).sum::<u64>();
            stats.steps_done += fates.iter().map(|fate| fate.turns).sum::<u64>();
        }
        Ok(stats)
    };
    let mut stats = Stats { threads: pool.current_num_threads(), ..Stats::default() };
    for part in pool.broadcast(|_| run()) {
        let part = part?;
        stats.steps += part.steps;
        stats.steps_done += part.steps_done;
    }
    Ok(stats)
}

/// Samples of points that have ended, where the processor's fused multiply-add is known.
fn to_samples(level: Level, fates: &[Fate], smooth: Option<&Smooth>, samples: &mut Vec<Sample>) {
    dispatch!(level, simd => simd.vectorize(
        #[inline(always)]
        || {
            samples.clear();
            samples.extend(fates.iter().map(|fate| naive::sample(fate.iterations, fate.norm_sq, smooth)));
        },
    ));
}
