//! The curve layer: cycles as lines of even thickness, and what a column's orbits have in common.
//!
//! A branch that rises steeply has few points in a column. Its slope follows from the derivatives round the cycle, and
//! each orbit draws the piece of the branch over its own part of the column, so that no gaps are left.

use super::orbit::Orbit;
use crate::fractal::Map;
use crate::fractal::attractor::Attractor;
use crate::fractal::cycle::Cycle;
use crate::fractal::system::{At, Point, System as _};
use crate::render::{Column, Columns, Strip};

/// Half the thickness of curves: the deviation of a Gaussian, in rows.
const SIGMA: f64 = 0.62;
/// Rows on either side that it reaches.
const REACH: f64 = 2.0;
/// Most rows that a branch rises within a column.
const STEEPEST: f64 = 200.0;
/// Longest period drawn at full weight: more branches than that are fainter.
const FULL_PERIOD: f64 = 64.0;
/// Step of the parameter over which it is differentiated.
const PARAMETER_STEP: f64 = 1e-7;

/// Adds to column `i` of a strip whose density is there: cycles, their curves, and what is known of its orbits.
pub fn finish_column<M: Map<D>, const D: usize>(
    columns: &Columns<'_>,
    orbits: &[Orbit<M, D>],
    strip: &mut Strip,
    i: usize,
) {
    let height = strip.height as usize;
    let pixels = i * height..(i + 1) * height;
    let (marks, coverage) = (&mut strip.marks[pixels.clone()], &mut strip.coverage[pixels]);
    for round in orbits.chunks(Columns::ROUND as usize) {
        let summary = summary(round);
        // Where cycles of several kinds meet, or chaos, slopes say nothing of the column; at a fork they do.
        let is_fork =
            |period: u32| period.is_multiple_of(summary.period) && (period / summary.period).is_power_of_two();
        let is_branch = |period: u32| summary.unsettled == 0 && is_fork(period);
        let follows = cycles(round).all(|(_, cycle)| is_branch(cycle.period));
        for (system, cycle) in cycles(round) {
            add_marks(columns, system, cycle, marks);
            add_curve(columns, system, cycle, follows, coverage);
        }
        strip.columns[i].add(&summary);
    }
}

fn cycles<M: Map<D>, const D: usize>(orbits: &[Orbit<M, D>]) -> impl Iterator<Item = (&At<M, D>, &Cycle<[f64; D]>)> {
    orbits.iter().filter_map(|orbit| match &orbit.end {
        Attractor::Cycle(cycle) => Some((&orbit.system, cycle)),
        Attractor::Escaped { .. } | Attractor::Unsettled { .. } => None,
    })
}

fn summary<M: Map<D>, const D: usize>(orbits: &[Orbit<M, D>]) -> Column {
    let mut column = Column::default();
    for orbit in orbits {
        match &orbit.end {
            Attractor::Cycle(cycle) => column.add_periodic(cycle.period, orbit.lyapunov),
            Attractor::Unsettled { .. } => column.add_unsettled(orbit.lyapunov),
            Attractor::Escaped { .. } => {}
        }
    }
    column
}

/// As many points as an unsettled orbit adds: the same share for each, and one more for the first ones.
fn add_marks<M: Map<D>, const D: usize>(
    columns: &Columns<'_>,
    system: &At<M, D>,
    cycle: &Cycle<[f64; D]>,
    marks: &mut [u32],
) {
    let kept = columns.task.kept;
    let (share, more) = (kept / cycle.period, kept % cycle.period);
    for (n, x) in (0..).zip(cycle.points(system)) {
        if let Some(row) = columns.row(x[0]) {
            marks[row] += share + u32::from(n < more);
        }
    }
}

/// The piece of each branch over this orbit's part of the column.
fn add_curve<M: Map<D>, const D: usize>(
    columns: &Columns<'_>,
    system: &At<M, D>,
    cycle: &Cycle<[f64; D]>,
    follows: bool,
    coverage: &mut [u32],
) {
    let weight = (FULL_PERIOD / f64::from(cycle.period)).min(1.0);
    let mut slope = if follows { slope_at_start(system, cycle) } else { [0.0; D] };
    for x in cycle.points(system) {
        let height = columns.height(x[0]);
        let rise = (slope[0].abs() * columns.width() * columns.rows_per_unit()).min(STEEPEST);
        // NaN, where a branch is vertical, is as steep as can be.
        let rise = if rise.is_nan() { STEEPEST } else { rise };
        let length = rise * columns.orbit_width();
        let dots = length.ceil().max(1.0);
        let dot = weight * rise.hypot(1.0) / dots;
        for i in 0..dots as u32 {
            let along = (f64::from(i) + 0.5) / dots - 0.5;
            add_dot(height + along * length, dot, coverage);
        }
        if follows {
            slope = next_slope(system, x, slope);
        }
    }
}

/// dx/dp of a cycle's first point, from how one turn moves.
fn slope_at_start<M: Map<D>, const D: usize>(system: &At<M, D>, cycle: &Cycle<[f64; D]>) -> [f64; D] {
    let (mut moved, mut linear) = ([0.0; D], <[f64; D]>::IDENTITY);
    for x in cycle.points(system) {
        moved = next_slope(system, x, moved);
        linear = system.push(x, linear);
    }
    [0.0; D].newton(moved, linear)
}

/// dx/dp a step on.
fn next_slope<M: Map<D>, const D: usize>(system: &At<M, D>, x: [f64; D], slope: [f64; D]) -> [f64; D] {
    let [above, below] = [PARAMETER_STEP, -PARAMETER_STEP].map(|step| M::step(x, system.parameter + step));
    let mut next = M::tangent(x, system.parameter, slope);
    for (next, (above, below)) in next.iter_mut().zip(above.into_iter().zip(below)) {
        *next += (above - below) / (2.0 * PARAMETER_STEP);
    }
    next
}

fn add_dot(height: f64, weight: f64, coverage: &mut [u32]) {
    let rows = coverage.len() as f64;
    if !(height > -REACH && height < rows + REACH) {
        return;
    }
    let first = (height - REACH).max(0.0) as usize;
    let end = (height + REACH).clamp(0.0, rows).ceil() as usize;
    for (row, covered) in (first..).zip(&mut coverage[first..end.max(first)]) {
        let distance = (row as f64 + 0.5 - height) / SIGMA;
        *covered += (weight * (-0.5 * distance * distance).exp() * Strip::COVERED).round() as u32;
    }
}
