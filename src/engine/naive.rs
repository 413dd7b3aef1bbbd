//! The definition: iterate each point on its own, and count.

use std::time::Instant;

use fearless_simd::{Level, Simd, dispatch};

use super::{Engine, Precision};
use crate::fractal::{Formula, FormulaVisitor, Smooth};
use crate::math::Complex;
use crate::render::{EscapeTime, Grid, Job, Latest, Plane, RenderError, Sample, Sink, Stats, Task, Tile, Unsupported};

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
        let Task::EscapeTime(task) = &job.task;
        let grid = job.grid();
        let level = Level::new();
        let start = Instant::now();
        let mut steps = 0;
        let mut row = vec![Sample::MISSING; grid.re_x.len()];
        for y in 0..grid.im_y.len() {
            let smooth = job.channels.smooth.then(|| Smooth::new(task.bailout, task.formula.degree()));
            let render_row = RenderRow { task, grid: &grid, y, smooth, latest, row: &mut row };
            // The processor's fused multiply-add is chosen here; the loop itself stays plain.
            dispatch!(level, simd => simd.vectorize(#[inline(always)] || task.formula.visit(render_row)))?;
            steps += row.iter().map(|s| s.steps(task.max_iterations)).sum::<u64>();
            sink.put(Tile { x: 0, y: y as u32, width: row.len() as u32, height: 1 }, &row);
        }
        Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads: 1, ..Stats::default() })
    }
}

/// One row of the job, as generic code over its formula.
struct RenderRow<'a> {
    task: &'a EscapeTime,
    grid: &'a Grid,
    y: usize,
    smooth: Option<Smooth>,
    latest: &'a Latest,
    row: &'a mut [Sample],
}

impl FormulaVisitor for RenderRow<'_> {
    type Output = Result<(), RenderError>;

    #[inline(always)]
    fn visit<F: Formula>(self) -> Self::Output {
        for (x, sample) in self.row.iter_mut().enumerate() {
            if self.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
            let point = self.grid.point(x, self.y);
            let (z, c) = match self.task.plane {
                Plane::Parameter => (Complex::new(0.0, 0.0), point),
                Plane::Dynamical { c } => (point, c),
            };
            let (iterations, norm_sq) = escape_time::<F>(z, c, self.task);
            let fraction = match self.smooth {
                Some(smooth) if iterations > 0 => smooth.fraction(norm_sq),
                _ => 0.0,
            };
            *sample = Sample { iterations, fraction };
        }
        Ok(())
    }
}

/// Least n ≥ 1 with |z_n| > R and |z_n|² there; n = 0 where there is none up to the cap.
#[inline(always)]
pub fn escape_time<F: Formula>(mut z: Complex, c: Complex, task: &EscapeTime) -> (u32, f64) {
    let bailout_sq = task.bailout * task.bailout;
    for n in 1..=task.max_iterations {
        z = F::step(z, c);
        let norm_sq = z.re.mul_add(z.re, z.im * z.im);
        // An orbit that overflows to infinity or NaN has escaped too.
        if !(norm_sq <= bailout_sq) {
            return (n, norm_sq);
        }
    }
    (0, 0.0)
}
