//! Bifurcation diagrams finer than f64 resolves: real orbits as differences from the periodic orbit of the window in view.
//!
//! Orbits that stay in the window are followed by whole turns about its nucleus, of which a few multiplications are left, so that
//! cycles and chaos within it are found as in any diagram; those that leave it go on step by step. Points are recorded where
//! they are in view: of deep ordinates, that is one step in a period.

mod orbit;
mod turns;

use std::time::Instant;

use orbit::{AlongWindow, Recorder};
use rayon::ThreadPool;
use rayon::prelude::*;
use turns::Turns;

use crate::engine::diagram::{Orbit, Part, finish_column};
use crate::fractal::attractor::{Attractor, Effort, attractor};
use crate::fractal::cycle::Cycle;
use crate::fractal::window::{DiagramView, NoWindow, Window};
use crate::math::FloatExp;
use crate::render::{
    ColumnTask, Columns, DiagramShape, Job, Latest, OrbitDensity, Preparation, ReferenceFigures, RenderError, Sink,
    Stats, Strip, Tile, Unsupported, Viewport,
};

/// Columns that a thread takes at once.
const COLUMNS: u32 = 4;
/// Most steps between two that are in view: where there are more, fewer points of chaos are drawn.
const MOST_STEPS_A_VISIT: u32 = 256;

/// Diagrams about windows.
#[derive(Default)]
pub struct Diagrams {
    /// The window of the last view; none where every orbit escapes.
    kept: Option<(Viewport, Option<Window>)>,
}

impl Diagrams {
    /// Computes the job's columns into the sink.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale; [`Unsupported::NothingToFollow`] where no window is found.
    pub fn render(
        &mut self,
        pool: &ThreadPool,
        job: &Job,
        task: &OrbitDensity,
        latest: &Latest,
        sink: &dyn Sink,
    ) -> Result<Stats, RenderError> {
        let start = Instant::now();
        let kept = match self.kept.take().filter(|(viewport, _)| *viewport == job.viewport) {
            Some(kept) => kept,
            None => {
                sink.preparing(Preparation { what: "reference", share: None });
                (job.viewport.clone(), find(&job.viewport, latest)?)
            }
        };
        let (_, window) = self.kept.insert(kept);
        let mut stats = Stats { threads: pool.current_num_threads(), ..Stats::default() };
        stats.steps = match window {
            Some(window) => {
                stats.reference = Some(figures(window, &job.viewport));
                pool.install(|| draw(window, job, task, latest, sink))?
            }
            None => {
                let [width, height] = DiagramShape::of(job).size;
                sink.put_strip(&Strip::empty(0..width, height));
                0
            }
        };
        stats.steps_done = stats.steps;
        stats.compute = start.elapsed();
        Ok(stats)
    }
}

/// The window in view.
fn find(viewport: &Viewport, latest: &Latest) -> Result<Option<Window>, RenderError> {
    let half_width = viewport.width().half().to_float_exp();
    let view = DiagramView { center: viewport.center(), half_width, steps: viewport.pixel_step() };
    match Window::find(&view, || !latest.is_stale()) {
        Ok(window) => Ok(Some(window)),
        Err(NoWindow::Empty) => Ok(None),
        Err(NoWindow::Cancelled) => Err(RenderError::Cancelled),
        Err(NoWindow::Unknown) => Err(Unsupported::NothingToFollow { engine: "perturbation" }.into()),
    }
}

fn figures(window: &Window, viewport: &Viewport) -> ReferenceFigures {
    let steps = window.period();
    let bits = 64 * Window::limbs(viewport.pixel_step()) as u32;
    ReferenceFigures { steps, bits, bytes: 16 * u64::from(steps), is_cut: false }
}

/// The task, with the points of cycles counted by steps, so that as many of them are in view as of chaos.
struct InSteps<'a> {
    task: &'a OrbitDensity,
    kept: u32,
}

impl ColumnTask for InSteps<'_> {
    fn orbits(&self) -> &std::ops::Range<u32> {
        &self.task.orbits
    }

    fn kept(&self) -> u32 {
        self.kept
    }

    fn effort(&self) -> Effort {
        self.task.effort
    }
}

/// Draws all columns; gives the steps taken, searches not counted.
fn draw(window: &Window, job: &Job, task: &OrbitDensity, latest: &Latest, sink: &dyn Sink) -> Result<u64, RenderError> {
    let half_extent = |pixels: u32, step: f64| f64::from(pixels) * step / 2.0;
    let [step_x, step_y] = job.viewport.pixel_step().map(FloatExp::to_f64);
    let [width, height] = job.viewport.size();
    let turns = Turns::new(window, half_extent(width, step_x), half_extent(height, step_y));
    let task = InSteps { task, kept: task.kept.saturating_mul(turns.steps_a_visit()) };
    let columns = Columns::about(job, &task, window.offset());
    let [width, _] = columns.size();
    let strips = (0..width.div_ceil(COLUMNS)).into_par_iter().map(|strip| {
        let range = strip * COLUMNS..((strip + 1) * COLUMNS).min(width);
        let tile = Tile::columns(range.clone(), columns.size()[1]);
        sink.begin(tile);
        let (strip, taken) = draw_strip(&turns, &Part { columns: &columns, range, latest })?;
        sink.put_strip(&strip);
        sink.end(tile);
        Ok::<_, RenderError>(taken)
    });
    strips.try_reduce(|| 0, |a, b| Ok(a + b))
}

fn draw_strip(turns: &Turns<'_>, part: &Part<'_, InSteps<'_>>) -> Result<(Strip, u64), RenderError> {
    let columns = part.columns;
    let effort = turns.effort(columns.task.effort());
    let mut strip = part.empty_strip();
    let mut steps = 0;
    for (i, column) in part.range.clone().enumerate() {
        let pixels = strip.pixels(i);
        let mut orbits = Vec::with_capacity(columns.task.orbits().len());
        for orbit in columns.task.orbits().clone() {
            part.check()?;
            let mut recorder = Recorder { turns, part, density: &mut strip.density[pixels.clone()], steps: 0 };
            orbits.push(follow(turns, columns.parameter(column, orbit), effort, &mut recorder)?);
            steps += recorder.steps;
        }
        finish_column(columns, &orbits, &mut strip, i);
    }
    Ok((strip, steps))
}

/// Follows the orbit at c0 + `d` to its attractor; one that settles on no cycle has its points recorded.
fn follow<'a>(
    turns: &'a Turns<'a>,
    d: f64,
    effort: Effort,
    recorder: &mut Recorder<'_, '_>,
) -> Result<Orbit<AlongWindow<'a>>, RenderError> {
    let system = AlongWindow { turns, d };
    let period = turns.window.period();
    let turning = turns.at(d);
    recorder.steps += u64::from(effort.transient) * u64::from(period);
    let chaotic = match attractor(&turning, [0.0], effort) {
        Attractor::Cycle(cycle) => {
            let cycle = Cycle {
                period: cycle.period * period,
                point: system.start(turning.unscaled(cycle.point)),
                multiplier: cycle.multiplier,
                uncertainty: cycle.uncertainty,
            };
            return Ok(Orbit::new(system, Attractor::Cycle(cycle)));
        }
        Attractor::Unsettled { point, .. } => Some(system.start(turning.unscaled(point))),
        Attractor::Escaped { .. } => recorder.forget(&system, system.start(0.0))?,
    };
    let recorded = match chaotic {
        Some(point) => recorder.record(&system, point)?,
        None => None,
    };
    let steps = effort.transient;
    let Some((point, lyapunov)) = recorded else { return Ok(Orbit::new(system, Attractor::Escaped { steps })) };
    Ok(Orbit { lyapunov, ..Orbit::new(system, Attractor::Unsettled { point, steps, lyapunov }) })
}
