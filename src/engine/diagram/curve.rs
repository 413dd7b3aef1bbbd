//! The curve layer: cycles as lines of even thickness, and what a column's orbits have in common.
//!
//! A branch that rises steeply has few points in a column. Its slope follows from the derivatives round the cycle, and
//! each orbit draws the piece of the branch over its own part of the column, so that no gaps are left.

use super::orbit::{Drawn, Orbit};
use crate::fractal::attractor::Attractor;
use crate::fractal::cycle::Cycle;
use crate::fractal::system::Point as _;
use crate::math::Binary64 as _;
use crate::render::{Column, ColumnTask, Columns, Strip};

/// Rows on either side that a curve reaches.
const REACH: f64 = 2.0;
/// Most rows that a branch rises within a column.
const STEEPEST: f64 = 200.0;
/// Longest period drawn at full weight: more branches than that are fainter.
const FULL_PERIOD: f64 = 64.0;

/// Adds to column `i` of a strip whose density is there: cycles, their curves, and what is known of its orbits.
#[inline(always)]
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
        let shape = Shape::of(round, &summary);
        for (system, cycle) in cycles(round) {
            add_marks(columns, system, cycle, marks);
            add_curve(columns, system, cycle, shape, coverage);
        }
        strip.columns[i].add(&summary);
    }
}

/// How the curves of a round are drawn.
#[derive(Clone, Copy)]
struct Shape {
    /// Whether pieces of branches are drawn, or points alone: where cycles of several kinds meet, or chaos, slopes say
    /// nothing of the column; at a fork they do.
    follows: bool,
    /// What coverage is multiplied by: the share of orbits on cycles. The few of a narrow window would be a row
    /// of dots otherwise, from one window to the next.
    weight: f64,
}

impl Shape {
    fn of<S: Drawn>(round: &[Orbit<S>], summary: &Column) -> Self {
        let is_fork =
            |period: u32| period.is_multiple_of(summary.period) && (period / summary.period).is_power_of_two();
        let follows = summary.unsettled == 0 && cycles(round).all(|(_, cycle)| is_fork(cycle.period));
        let staying = summary.periodic + summary.unsettled;
        Self { follows, weight: f64::from(summary.periodic) / f64::from(staying.max(1)) }
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
#[inline(always)]
fn add_marks<S: Drawn>(columns: &Columns<'_, impl ColumnTask>, system: &S, cycle: &Cycle<S::Point>, marks: &mut [u32]) {
    let kept = columns.task.kept();
    let (share, more) = (kept / cycle.period, kept % cycle.period);
    let mut x = cycle.point;
    for n in 0..cycle.period {
        if let Some(row) = columns.row(system.ordinate(x)) {
            marks[row] += share + u32::from(n < more);
        }
        x = system.step(x);
    }
}

/// The piece of each branch over this orbit's part of the column.
#[inline(always)]
fn add_curve<S: Drawn>(
    columns: &Columns<'_, impl ColumnTask>,
    system: &S,
    cycle: &Cycle<S::Point>,
    shape: Shape,
    coverage: &mut [u32],
) {
    let weight = shape.weight * (FULL_PERIOD / system.branches(cycle.period)).min(1.0);
    let mut slope = if shape.follows { slope_at_start(system, cycle) } else { S::Point::ORIGIN };
    let mut x = cycle.point;
    for _ in 0..cycle.period {
        let height = columns.height(system.ordinate(x));
        // NaN, where a branch is vertical, is as steep as can be.
        let rise = (system.rise(slope).abs() * columns.width() * columns.rows_per_unit()).at_most(STEEPEST);
        let length = rise * columns.orbit_width();
        let dots = length.ceil().max(1.0);
        let dot = weight * (rise * rise + 1.0).sqrt() / dots;
        for i in 0..dots as u32 {
            let along = (f64::from(i) + 0.5) / dots - 0.5;
            add_dot(height + along * length, dot, coverage);
        }
        if shape.follows {
            slope = system.next_slope(x, slope);
        }
        x = system.step(x);
    }
}

/// dx/dp of a cycle's first point, from how one turn moves.
#[inline(always)]
fn slope_at_start<S: Drawn>(system: &S, cycle: &Cycle<S::Point>) -> S::Point {
    let (mut moved, mut linear) = (S::Point::ORIGIN, S::Point::IDENTITY);
    let mut x = cycle.point;
    for _ in 0..cycle.period {
        moved = system.next_slope(x, moved);
        linear = system.push(x, linear);
        x = system.step(x);
    }
    S::Point::ORIGIN.newton(moved, linear)
}

/// A dot with soft edges: (1 − d²/4)⁵ at d rows from its middle, all but a Gaussian of deviation 0.63, and the same
/// on every machine.
#[inline(always)]
fn add_dot(height: f64, weight: f64, coverage: &mut [u32]) {
    let rows = coverage.len() as f64;
    if !(height > -REACH && height < rows + REACH) {
        return;
    }
    let first = (height - REACH).max(0.0) as usize;
    let end = ((height + REACH).min(rows) as usize + 1).min(coverage.len());
    for (row, covered) in (first..).zip(&mut coverage[first..end.max(first)]) {
        let distance = (row as f64 + 0.5 - height) / REACH;
        let nearness = (1.0 - distance * distance).max(0.0);
        let square = nearness * nearness;
        *covered += (weight * square * square * nearness * Strip::COVERED + 0.5) as u32;
    }
}
