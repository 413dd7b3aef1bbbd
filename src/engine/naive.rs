//! The definition: iterate each point on its own, and count.

use std::time::Instant;

use fearless_simd::{Level, Simd, dispatch};

use super::{Engine, Precision, diagram, section, space};
use crate::fractal::{Formula, FormulaVisitor, Smooth};
use crate::math::Complex;
use crate::render::{
    Columns, EscapeTime, Grid, Job, Latest, RenderError, Sample, Sink, Stats, Task, Tile, Unsupported,
};

/// Plain loops over rows, columns and iterations, on one thread.
pub struct Naive;

impl Engine for Naive {
    fn key(&self) -> &'static str {
        "naive"
    }

    fn about(&self) -> &'static str {
        "the definition: one plain f64 loop on one thread"
    }

    fn describe(&self) -> String {
        "f64, 1 thread".into()
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        self.precision().resolves(job, self.key())
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let task = match &job.task {
            Task::EscapeTime(task) => task,
            Task::OrbitDensity(task) => return diagram::naive(&Columns::new(job, task), latest, sink),
            Task::Section(task) => return section::naive(&Columns::new(job, task), latest, sink),
            Task::Space(task) => return space::naive(job, task, latest, sink),
        };
        let start = Instant::now();
        let rows = Rows::new(job, latest);
        let mut row = vec![Sample::MISSING; rows.grid.re_x.len()];
        let mut steps = 0;
        for y in 0..job.size()[1] {
            let tile = row_tile(y, &row);
            sink.begin(tile);
            rows.render(y, &mut row)?;
            steps += row.iter().map(|s| s.steps(task.max_iterations)).sum::<u64>();
            sink.put(tile, &row);
            sink.end(tile);
        }
        Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads: 1, ..Stats::default() })
    }
}

/// A job, row by row, for this engine and those that only share its work out differently.
pub struct Rows<'a> {
    pub task: &'a EscapeTime,
    pub grid: Grid,
    /// The one c of a dynamical plane.
    c: Option<Complex>,
    smooth: Option<Smooth>,
    latest: &'a Latest,
}

impl<'a> Rows<'a> {
    pub fn new(job: &'a Job, latest: &'a Latest) -> Self {
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        let smooth = job.channels.smooth.then(|| Smooth::new(task.bailout, task.formula.degree()));
        Self { task, grid: job.grid(), c: task.plane.c(), smooth, latest }
    }

    /// Computes row `y` into `row`, left to right.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] within a millisecond of the job being stale.
    pub fn render(&self, y: u32, row: &mut [Sample]) -> Result<(), RenderError> {
        dispatch!(Level::new(), simd => self.task.formula.visit(RenderRow { simd, rows: self, y: y as usize, row }))
    }
}

/// Where row `y` lies.
pub fn row_tile(y: u32, row: &[Sample]) -> Tile {
    Tile { x: 0, y, width: row.len() as u32, height: 1 }
}

/// One row of the job, as generic code over its formula.
struct RenderRow<'a, S> {
    /// Knows the processor's fused multiply-add, and whether it has one.
    simd: S,
    rows: &'a Rows<'a>,
    y: usize,
    row: &'a mut [Sample],
}

impl<S: Simd> FormulaVisitor for RenderRow<'_, S> {
    type Output = Result<(), RenderError>;

    fn visit<F: Formula>(self) -> Self::Output {
        self.simd.vectorize(
            #[inline(always)]
            || self.render::<F>(),
        )
    }
}

impl<S: Simd> RenderRow<'_, S> {
    #[inline(always)]
    fn render<F: Formula>(self) -> Result<(), RenderError> {
        let Rows { task, grid, c, smooth, latest } = self.rows;
        for (x, to) in self.row.iter_mut().enumerate() {
            if latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
            let point = grid.point(x, self.y);
            let (z, c) = c.map_or((Complex::new(0.0, 0.0), point), |c| (point, c));
            let (iterations, norm_sq) = escape_time::<F>(z, c, task, latest)?;
            *to = sample(iterations, norm_sq, smooth.as_ref());
        }
        Ok(())
    }
}

/// Least n ≥ 1 with |z_n| > R and |z_n|² there; n = 0 where there is none up to the cap.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
#[inline(always)]
fn escape_time<F: Formula>(
    z: Complex,
    c: Complex,
    task: &EscapeTime,
    latest: &Latest,
) -> Result<(u32, f64), RenderError> {
    continue_orbit::<F>(z, c, 0, task, latest)
}

/// [`escape_time`] of an orbit that has done `n` steps to reach `z`, and did not escape.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
#[inline(always)]
pub fn continue_orbit<F: Formula>(
    mut z: Complex,
    c: Complex,
    mut n: u32,
    task: &EscapeTime,
    latest: &Latest,
) -> Result<(u32, f64), RenderError> {
    let bailout_sq = task.bailout * task.bailout;
    while n < task.max_iterations {
        for _ in 0..STEPS_PER_LOOK.min(task.max_iterations - n) {
            n += 1;
            z = F::step(z, c);
            let norm_sq = z.re.mul_add(z.re, z.im * z.im);
            // An orbit that overflows to infinity or NaN has escaped too.
            if !(norm_sq <= bailout_sq) {
                return Ok((n, norm_sq));
            }
        }
        if latest.is_stale() {
            return Err(RenderError::Cancelled);
        }
    }
    Ok((0, 0.0))
}

/// Steps of one orbit between looks at whether the job is stale: some ten microseconds.
const STEPS_PER_LOOK: u32 = 4096;

/// The sample of a point that escaped at step `iterations`, or never where that is 0.
#[inline(always)]
pub fn sample(iterations: u32, norm_sq: f64, smooth: Option<&Smooth>) -> Sample {
    let fraction = match smooth {
        Some(smooth) if iterations > 0 => smooth.fraction(norm_sq) as f32,
        _ => 0.0,
    };
    Sample { iterations, fraction }
}
