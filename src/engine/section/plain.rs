//! Columns orbit by orbit and step by step.

use super::empty_strip;
use super::fan::Pen;
use super::line::OnLine;
use crate::engine::diagram::{Orbit, Part, finish_column, follow};
use crate::fractal::attractor::Attractor;
use crate::fractal::system::Point as _;
use crate::math::Complex;
use crate::render::{RenderError, Section, Strip};

#[inline(always)]
pub fn run(part: &Part<'_, Section>) -> Result<(Strip, u64), RenderError> {
    let (columns, task) = (part.columns, part.columns.task);
    let pen = Pen::new(columns);
    let mut strip = empty_strip(part);
    let mut steps = 0;
    for (i, column) in part.range.clone().enumerate() {
        let pixels = strip.pixels(i);
        let mut orbits = Vec::with_capacity(task.orbits.len());
        for orbit in task.orbits.clone() {
            part.check()?;
            let system = OnLine::new(task, columns.parameter(column, orbit));
            let orbit = match system.known_cycle() {
                Some(cycle) => Orbit::new(system, Attractor::Cycle(cycle)),
                None => {
                    let density = &mut strip.density[pixels.clone()];
                    let (orbit, taken) = follow(columns, task.effort, system, Complex::ORIGIN, density);
                    steps += taken;
                    orbit
                }
            };
            if let Some(pen) = &pen {
                pen.follow(&system, &mut strip.fan[pixels.clone()]);
            }
            orbits.push(orbit);
        }
        finish_column(columns, &orbits, &mut strip, i);
    }
    Ok((strip, steps))
}
