//! Perturbation: sets at any depth. One orbit in big numbers, and for each point its small difference from it.
//!
//! The [`Reference`](crate::fractal::reference::Reference) is the orbit of the centre, at a precision that the depth asks for
//! (`store` keeps it). Every point is then followed as a delta (`pixel`) in f64, many points at once (`flight`), and many
//! steps at once where the delta is small (`jet`, `blocks`); with an exponent of its own where it is smaller than f64 can be
//! (`delta`). The arithmetic is multiplication and addition alone, so the samples are the same on every machine.
//!
//! All of this is made for the Mandelbrot set of z² + c. Other formulas are followed in `formula`, by whatever steps their files
//! supply. Bifurcation diagrams follow the periodic orbit of the window in view: `diagram`.

mod ahead;
mod blocks;
mod cost;
mod delta;
mod diagram;
mod flight;
mod formula;
mod jet;
mod pixel;
mod store;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cost::Cost;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use pixel::{Fate, Point, Surroundings};
use store::{Prepared, Store};

use super::precision::{Deeper, FINEST_DELTAS, is_fine_enough, is_mandelbrot};
use super::{Engine, Precision, naive};
use crate::fractal::Smooth;
use crate::math::{Complex, FloatExp};
use crate::render::{Grid, Job, Latest, Phases, RenderError, Sample, Sink, Slope, Stats, Tile, Unsupported};

/// Side of a tile, in samples.
const SIDE: u32 = 32;

/// Deltas from one big orbit, on every thread of the pool.
pub struct Perturbation {
    pool: Arc<rayon::ThreadPool>,
    side: u32,
    store: Store,
    /// For all but the Mandelbrot set.
    follower: formula::Follower,
    diagrams: diagram::Diagrams,
}

impl Perturbation {
    pub fn new(pool: Arc<rayon::ThreadPool>) -> Self {
        Self {
            pool,
            side: SIDE,
            store: Store::default(),
            follower: formula::Follower::default(),
            diagrams: diagram::Diagrams::default(),
        }
    }

    /// With tiles of at most `side` × `side` samples; a measure of speed, never of samples.
    #[must_use]
    pub fn with_side(self, side: u32) -> Self {
        Self { side: side.max(1), ..self }
    }

    /// The reference for a job of the Mandelbrot set that this engine supports, from earlier jobs where they left it.
    pub(super) fn prepare(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Prepared<'_>, RenderError> {
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        let store = &mut self.store;
        self.pool.install(|| store.prepare(job, task, latest, sink))
    }

    /// Draws places of the Mandelbrot set, for a job that this engine supports; `offsets` are theirs from the view's centre, in pixel steps.
    pub(super) fn draw(
        &mut self,
        job: &Job,
        offsets: Grid,
        latest: &Latest,
        sink: &dyn Sink,
    ) -> Result<Stats, RenderError> {
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        let start = Instant::now();
        let (pool, side) = (self.pool.clone(), self.side);
        let prepared = self.prepare(job, latest, sink)?;
        let tiles = Tile::outwards(offsets.size(), side, job.focus);
        let offsets = prepared.beside_reference(offsets);
        let Prepared { reference, blocks, unit, floor, figures, phases, .. } = prepared;
        let work = Work {
            surroundings: Surroundings {
                reference,
                blocks,
                unit,
                plain_unit: unit.to_f64(),
                floor,
                bailout_sq: task.bailout * task.bailout,
                max_iterations: task.max_iterations,
                cycles: job.shortcuts.cycles,
                slopes: job.channels.distance,
                latest,
            },
            offsets,
            smooth: job.channels.smooth.then(|| Smooth::new(task.bailout, task.formula.degree())),
            axes: job.channels.distance.then(|| job.viewport.pixel_axes(unit)),
            tiles,
            taken: AtomicUsize::new(0),
            sink,
        };
        let mut stats = Stats { threads: pool.current_num_threads(), reference: Some(figures), ..Stats::default() };
        for result in pool.broadcast(|_| work.run()) {
            let [steps, turns] = result?;
            stats.steps += steps;
            stats.steps_done += turns;
        }
        stats.compute = start.elapsed();
        stats.phases = Phases { pixels: stats.compute.saturating_sub(phases.preparation()), ..phases };
        Ok(stats)
    }
}

impl Engine for Perturbation {
    fn key(&self) -> &'static str {
        "perturbation"
    }

    fn about(&self) -> &'static str {
        "any depth: one orbit in big numbers, and each point's small difference from it, on all cores"
    }

    fn describe(&self) -> String {
        format!("f64 deltas, {} threads", self.pool.current_num_threads())
    }

    fn precision(&self) -> Precision {
        Precision::Deltas
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        let (diagrams, sets) = ("naive, tiles, gpu", "naive, symmetric, simd, threads, tiles, gpu");
        let refused = match Deeper::of(job) {
            Deeper::Deltas | Deeper::Diagram => None,
            Deeper::NoDeltaStep => Some(("sets of formulas whose files have no delta step", sets)),
            Deeper::FarC => Some(("Julia sets of |c| above 16", sets)),
            Deeper::OtherDiagram => Some(("bifurcation diagrams but those of x² + c along the real axis", diagrams)),
            Deeper::Nothing => Some(("orbits in space", diagrams)),
        };
        if let Some((what, able)) = refused {
            return Err(Unsupported::Task { engine: self.key(), what, able });
        }
        is_fine_enough(job, self.key())?;
        let step = job.viewport.finest_step();
        if job.task.orbit_density().is_some() {
            return self.precision().resolves(job, self.key());
        }
        if step.log2() >= FINEST_DELTAS {
            return Ok(());
        }
        let cost = Cost::of(step, job.max_iterations()).to_string();
        let finest = FloatExp::new(1.0, FINEST_DELTAS as i64);
        let [finest, asked] = [finest, step].map(|step| format!("{step:.1}"));
        Err(Unsupported::TooCostly { engine: self.key(), finest, asked, cost })
    }

    fn forget(&mut self) {
        self.store = Store::default();
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let (pool, side) = (self.pool.clone(), self.side);
        if let Some(task) = job.task.orbit_density() {
            return self.diagrams.render(&pool, job, task, latest, sink);
        }
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        if !is_mandelbrot(job) {
            return self.follower.render(&pool, side, job, task, latest, sink);
        }
        self.draw(job, job.viewport.offsets(job.lattice), latest, sink)
    }
}

/// One job, cut into tiles that any number of threads take from.
struct Work<'a> {
    surroundings: Surroundings<'a>,
    /// Where samples lie, in units of the finest pixel step from the centre.
    offsets: Grid,
    smooth: Option<Smooth>,
    /// The way of a pixel to the right and upwards, in units, where slopes are wanted.
    axes: Option<[Complex; 2]>,
    tiles: Vec<Tile>,
    taken: AtomicUsize,
    sink: &'a dyn Sink,
}

impl Work<'_> {
    /// Computes tiles until none are left; gives steps of the definition, and steps and blocks executed.
    fn run(&self) -> Result<[u64; 2], RenderError> {
        let level = Level::new();
        let mut totals = [0, 0];
        let (mut fates, mut samples) = (Vec::new(), Vec::new());
        while let Some(&tile) = self.tiles.get(self.taken.fetch_add(1, Ordering::Relaxed)) {
            dispatch!(level, simd => self.tile(simd, tile, &mut fates, &mut samples))?;
            if let Some(axes) = self.axes {
                let slope = |fate: &Fate| match fate.iterations {
                    0 => Slope::INTERIOR,
                    _ => Slope::new(fate.z, axes.map(|axis| fate.spread.mul(axis))),
                };
                self.sink.put_slopes(tile, &fates.iter().map(slope).collect::<Vec<_>>());
            }
            self.sink.put(tile, &samples);
            let steps = |sample: &Sample| sample.steps(self.surroundings.max_iterations);
            totals[0] += samples.iter().map(steps).sum::<u64>();
            totals[1] += fates.iter().map(|fate| fate.turns).sum::<u64>();
        }
        Ok(totals)
    }

    /// The fates of one tile's points, and their samples.
    fn tile<S: Simd>(
        &self,
        simd: S,
        tile: Tile,
        fates: &mut Vec<Fate>,
        samples: &mut Vec<Sample>,
    ) -> Result<(), RenderError> {
        let around = &self.surroundings;
        simd.vectorize(
            #[inline(always)]
            || {
                let places =
                    (tile.y..tile.y + tile.height).flat_map(|y| (tile.x..tile.x + tile.width).map(move |x| (x, y)));
                let mut waiting: Vec<Point> = places
                    .zip(0..)
                    .map(|((x, y), id)| around.set_out(id, self.offsets.point(x as usize, y as usize)))
                    .collect();
                fates.clear();
                fates.resize(waiting.len(), Fate::default());
                let finish = |id: u32, fate: Fate| fates[id as usize] = fate;
                if around.slopes {
                    flight::follow::<S, true>(simd, around, &mut waiting, finish)?;
                } else {
                    flight::follow::<S, false>(simd, around, &mut waiting, finish)?;
                }
                samples.clear();
                samples.extend(
                    fates.iter().map(|fate| naive::sample(fate.iterations, fate.norm_sq, self.smooth.as_ref())),
                );
                Ok(())
            },
        )
    }
}
