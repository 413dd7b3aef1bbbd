//! The curve layer: cycles as lines of even thickness, and what a column's orbits have in common.
//!
//! A branch that rises steeply has few points in a column. Its slope follows from the derivatives round the cycle, and
//! each orbit draws the piece of the branch over its own part of the column, so that no gaps are left.

use super::orbit::{Drawn, Orbit};
use crate::fractal::attractor::Attractor;
use crate::fractal::cycle::Cycle;
use crate::fractal::system::Point;
use crate::render::{Column, ColumnTask, Columns, Strip};

/// Half the thickness of curves: the deviation of a Gaussian, in rows.
const SIGMA: f64 = 0.62;
/// Rows on either side that it reaches.
const REACH: f64 = 2.0;
/// Most rows that a branch rises within a column.
const STEEPEST: f64 = 200.0;
/// Longest period drawn at full weight: more branches than that are fainter.
const FULL_PERIOD: f64 = 64.0;

/// Adds to column `i` of a strip whose density is there: cycles, their curves, and what is known of its orbits.
pub fn finish_column<S: Drawn>(
    columns: &Columns<'_, impl ColumnTask>,
    orbits: &[Orbit<S>],
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

fn cycles<S: Drawn>(orbits: &[Orbit<S>]) -> impl Iterator<Item = (&S, &Cycle<S::Point>)> {
    orbits.iter().filter_map(|orbit| match &orbit.end {
        Attractor::Cycle(cycle) => Some((&orbit.system, cycle)),
        Attractor::Escaped { .. } | Attractor::Unsettled { .. } => None,
    })
}

fn summary<S: Drawn>(orbits: &[Orbit<S>]) -> Column {
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
fn add_marks<S: Drawn>(columns: &Columns<'_, impl ColumnTask>, system: &S, cycle: &Cycle<S::Point>, marks: &mut [u32]) {
    let kept = columns.task.kept();
    let (share, more) = (kept / cycle.period, kept % cycle.period);
    for (n, x) in (0..).zip(cycle.points(system)) {
        if let Some(row) = columns.row(system.ordinate(x)) {
            marks[row] += share + u32::from(n < more);
        }
    }
}

/// The piece of each branch over this orbit's part of the column.
fn add_curve<S: Drawn>(
    columns: &Columns<'_, impl ColumnTask>,
    system: &S,
    cycle: &Cycle<S::Point>,
    follows: bool,
    coverage: &mut [u32],
) {
    let weight = (FULL_PERIOD / f64::from(cycle.period)).min(1.0);
    let mut slope = if follows { slope_at_start(system, cycle) } else { S::Point::ORIGIN };
    for x in cycle.points(system) {
        let height = columns.height(system.ordinate(x));
        let rise = (system.ordinate(slope).abs() * columns.width() * columns.rows_per_unit()).min(STEEPEST);
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
            slope = system.next_slope(x, slope);
        }
    }
}

/// dx/dp of a cycle's first point, from how one turn moves.
fn slope_at_start<S: Drawn>(system: &S, cycle: &Cycle<S::Point>) -> S::Point {
    let (mut moved, mut linear) = (S::Point::ORIGIN, S::Point::IDENTITY);
    for x in cycle.points(system) {
        moved = system.next_slope(x, moved);
        linear = system.push(x, linear);
    }
    S::Point::ORIGIN.newton(moved, linear)
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
