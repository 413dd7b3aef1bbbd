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
mod fates;
mod flight;
mod formula;
mod jet;
mod pixel;
mod repeats;
mod store;
mod telling;
mod turn;

use std::sync::Arc;
use std::time::Instant;

use cost::Cost;
use fates::Fate;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use pixel::Surroundings;
use store::{Prepared, Store};

use super::precision::{Deeper, FINEST_DELTAS, is_fine_enough, is_mandelbrot};
use super::{Engine, Precision, threads_of};
use crate::math::FloatExp;
use crate::render::{Grid, Job, Latest, Phases, RenderError, Sink, Stats, Tile, Unsupported};

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
        let around = Surroundings {
            reference,
            blocks,
            unit,
            plain_unit: unit.to_f64(),
            floor,
            bailout_sq: task.bailout * task.bailout,
            max_iterations: task.max_iterations,
            cycles: job.shortcuts.cycles,
            axes: job.channels.distance.then(|| job.viewport.pixel_axes(unit)),
            latest,
        };
        let level = Level::new();
        let follow = |tile, fates: &mut Vec<Fate>| {
            let places = Places { around: &around, offsets: &offsets, tile };
            dispatch!(level, simd => places.follow(simd, fates))
        };
        let mut stats = Stats { reference: Some(figures), ..fates::draw(&pool, &tiles, job, task, sink, follow)? };
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
        format!("f64 deltas, {}", threads_of(&self.pool))
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
        (self.store, self.follower, self.diagrams) = Default::default();
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

/// The points of one tile.
struct Places<'a> {
    around: &'a Surroundings<'a>,
    /// Where samples lie, in units from the reference.
    offsets: &'a Grid,
    tile: Tile,
}

impl Places<'_> {
    /// Appends their fates, row by row.
    fn follow<S: Simd>(self, simd: S, fates: &mut Vec<Fate>) -> Result<(), RenderError> {
        let Self { around, offsets, tile } = self;
        simd.vectorize(
            #[inline(always)]
            || {
                let rows = tile.y..tile.y + tile.height;
                let places = rows.flat_map(|y| (tile.x..tile.x + tile.width).map(move |x| (x as usize, y as usize)));
                let mut waiting: Vec<_> =
                    places.zip(0..).map(|((x, y), id)| around.set_out(id, offsets.point(x, y))).collect();
                let first = fates.len();
                fates.resize(first + waiting.len(), Fate::default());
                let finish = |id: u32, fate: Fate| fates[first + id as usize] = fate;
                if around.axes.is_some() {
                    flight::follow::<S, true>(simd, around, &mut waiting, finish)
                } else {
                    flight::follow::<S, false>(simd, around, &mut waiting, finish)
                }
            },
        )
    }
}
