//! Columns orbit by orbit and step by step.

use super::curve::finish_column;
use super::orbit::Orbit;
use super::{Part, Run};
use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, attractor};
use crate::fractal::lyapunov;
use crate::fractal::system::{At, System as _};
use crate::render::{RenderError, Strip};

pub struct Plain<'a>(pub Part<'a>);

impl Run for Plain<'_> {
    #[inline(always)]
    fn run<const D: usize, M: Map<D>>(self) -> Result<(Strip, u64), RenderError> {
        let columns = self.0.columns;
        let task = columns.task;
        let height = columns.size()[1] as usize;
        let mut strip = self.0.empty_strip();
        let mut steps = 0;
        for (i, column) in self.0.range.clone().enumerate() {
            let pixels = i * height..(i + 1) * height;
            let mut orbits = Vec::with_capacity(task.orbits.len());
            for orbit in task.orbits.clone() {
                self.0.check()?;
                let system = At::<M, D>::new(columns.parameter(column, orbit));
                let mut orbit = Orbit::new(system, attractor(&system, M::start(M::SEED), task.effort));
                steps += orbit.steps(task.effort);
                if let Attractor::Unsettled { point: mut x, .. } = orbit.end {
                    (orbit.lyapunov, _) = lyapunov::exponent(&system, x, task.kept);
                    for _ in 0..task.kept {
                        x = system.step(x);
                        if let Some(row) = columns.row(x[0]) {
                            strip.density[pixels.start + row] += 1;
                        }
                    }
                    steps += u64::from(task.kept);
                }
                orbits.push(orbit);
            }
            finish_column(columns, &orbits, &mut strip, i);
        }
        Ok((strip, steps))
    }
}
