//! The orbit fan: every step of an orbit as a faint piece of an arc.
//!
//! z_n is a polynomial of c, so neighbouring columns join up to arcs. Each orbit lays a point's light evenly over the
//! piece of the arc across its own part of the column: few orbits draw what many would.

use super::line::OnLine;
use crate::engine::diagram::Drawn as _;
use crate::fractal::system::{Point as _, System as _};
use crate::math::Complex;
use crate::render::{Columns, Fan, Section};

/// Most rows that a piece covers: where arcs are steeper, neighbours say little of each other.
const LONGEST: f64 = 16.0;

/// Draws pieces of arcs.
pub struct Pen<'a> {
    columns: &'a Columns<'a, Section>,
    pub fan: Fan,
    /// Light of each step.
    light: Vec<f64>,
    /// Rows that a piece covers for a slope of 1.
    rows_per_slope: f64,
}

impl<'a> Pen<'a> {
    pub fn new(columns: &'a Columns<'a, Section>) -> Option<Self> {
        let fan = columns.task.fan?;
        let light = (1..=fan.steps).map(Fan::light).collect();
        let rows_per_slope = columns.width() * columns.rows_per_unit() * columns.orbit_width();
        Some(Self { columns, fan, light, rows_per_slope })
    }

    /// Draws the way of one orbit into its column.
    #[inline(always)]
    pub fn follow(&self, system: &OnLine, column: &mut [u32]) {
        let (mut z, mut slope) = (Complex::ORIGIN, Complex::ORIGIN);
        for n in 0..self.fan.skip + self.fan.steps {
            slope = system.next_slope(z, slope);
            z = system.step(z);
            if system.has_escaped(z) {
                break;
            }
            if n >= self.fan.skip {
                self.add(n - self.fan.skip, system.ordinate(z), system.ordinate(slope), column);
            }
        }
    }

    /// Adds the light of step `n` of those drawn, at an ordinate that changes with Re c by `slope`.
    #[inline(always)]
    pub fn add(&self, n: u32, ordinate: f64, slope: f64, column: &mut [u32]) {
        let height = self.columns.height(ordinate);
        let length = slope.abs() * self.rows_per_slope;
        // NaN, too, is as long as can be.
        let length = if length < LONGEST { length.max(1.0) } else { LONGEST };
        let (above, below) = (height - length / 2.0, height + length / 2.0);
        let rows = column.len() as f64;
        if !(below > 0.0 && above < rows) {
            return;
        }
        let light = self.light[n as usize] / length;
        let (above, below) = (above.max(0.0), below.min(rows));
        let first = above as usize;
        for (row, lit) in (first..).zip(&mut column[first..below.ceil() as usize]) {
            let row = row as f64;
            let share = below.min(row + 1.0) - above.max(row);
            *lit += (light * share + 0.5) as u32;
        }
    }
}
