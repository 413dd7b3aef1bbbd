//! Columns orbit by orbit and step by step.

use fearless_simd::Simd;

use super::curve::finish_column;
use super::orbit::{Drawn, Orbit};
use super::{Part, Run};
use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, Effort, attractor};
use crate::fractal::lyapunov;
use crate::fractal::system::At;
use crate::render::{ColumnTask, Columns, RenderError, Strip};

pub struct Plain<'a> {
    pub part: Part<'a>,
    pub strip: &'a mut Strip,
}

impl Run for Plain<'_> {
    #[inline(always)]
    fn run<S: Simd, M: Map<D>, const D: usize>(self, _: S) -> Result<u64, RenderError> {
        let Self { part, strip } = self;
        let (columns, task) = (part.columns, part.columns.task);
        strip.reset(part.range.clone(), columns.size()[1]);
        let mut steps = 0;
        for (i, column) in part.range.clone().enumerate() {
            let density = strip.pixels(i);
            let mut orbits = Vec::with_capacity(task.orbits.len());
            for orbit in task.orbits.clone() {
                part.check()?;
                let mut orbit = Orbit::at_start(At::<M, D>::new(columns.parameter(column, orbit)));
                if orbit.is_unsettled() {
                    let density = &mut strip.density[density.clone()];
                    let taken;
                    (orbit, taken) = follow(columns, task.effort, orbit.system, M::start(M::SEED), density);
                    steps += taken;
                }
                orbits.push(orbit);
            }
            finish_column(columns, &orbits, strip, i);
        }
        Ok(steps)
    }
}

/// Where the orbit of `start` ends, and the steps that it takes; where it stays and settles on no cycle, its next points
/// are counted in a column's density.
#[inline(always)]
pub fn follow<S: Drawn>(
    columns: &Columns<'_, impl ColumnTask>,
    effort: Effort,
    system: S,
    start: S::Point,
    density: &mut [u32],
) -> (Orbit<S>, u64) {
    let end = attractor(&system, start, effort);
    let mut orbit = Orbit::new(system, end);
    let mut steps = orbit.steps(effort);
    if let Attractor::Unsettled { point, .. } = orbit.end {
        orbit.lyapunov = count(columns, &orbit.system, point, density);
        steps += u64::from(columns.task.kept());
    }
    (orbit, steps)
}

/// Counts the next points of an unsettled orbit: gives its Lyapunov exponent over them.
#[inline(always)]
pub fn count<S: Drawn>(
    columns: &Columns<'_, impl ColumnTask>,
    system: &S,
    mut x: S::Point,
    density: &mut [u32],
) -> f64 {
    let kept = columns.task.kept();
    let (lyapunov, _) = lyapunov::exponent(system, x, kept);
    for _ in 0..kept {
        x = system.step(x);
        if let Some(row) = columns.row(system.ordinate(x)) {
            density[row] += 1;
        }
    }
    lyapunov
}
