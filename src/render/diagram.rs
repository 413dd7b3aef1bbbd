//! Diagrams: over each value of a parameter, how often orbits come to each height.
//!
//! The columns of a [`Diagram`] hold two layers: a density, where orbits never settle, and a curve, where they end
//! on a cycle whose points are known exactly. Engines fill [`Strip`]s of columns; [`Columns`] says where
//! columns, orbits and rows lie, the same for every engine, thread and strip.

use std::ops::Range;
use std::sync::Mutex;

use super::{Job, OrbitDensity};
use crate::math::philox::{philox, unit_f64};
use crate::math::{Decimal, FloatExp};

/// What is known of one column beside its pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Column {
    /// Orbits that end on a cycle.
    pub periodic: u32,
    /// Orbits that stay and settle on none that was found.
    pub unsettled: u32,
    /// Least period of the cycles; 0 where there is none.
    pub period: u32,
    /// Mean Lyapunov exponent of the unsettled orbits where there are any, else of the periodic ones.
    pub lyapunov: f64,
}

/// Columns side by side. Pixels go column by column, each from the top down.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// First column.
    pub first: u32,
    pub height: u32,
    pub columns: Vec<Column>,
    /// Points by the rule: each orbit that stays adds `kept` to its column, those out of view not counted.
    pub hits: Vec<u32>,
    /// Points of unsettled orbits alone.
    pub density: Vec<u32>,
    /// How far a pixel is covered by curves of cycles: from 0, and full at 1 or above.
    pub coverage: Vec<f32>,
}

impl Strip {
    /// Columns in which nothing is yet.
    pub fn empty(columns: Range<u32>, height: u32) -> Self {
        let pixels = columns.len() * height as usize;
        Self {
            first: columns.start,
            height,
            columns: vec![Column::default(); columns.len()],
            hits: vec![0; pixels],
            density: vec![0; pixels],
            coverage: vec![0.0; pixels],
        }
    }
}

/// A whole diagram: one strip of all columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    size: [u32; 2],
    all: Strip,
}

impl Diagram {
    pub fn empty(size: [u32; 2]) -> Self {
        Self { size, all: Strip::empty(0..size[0], size[1]) }
    }

    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    pub fn columns(&self) -> &[Column] {
        &self.all.columns
    }

    /// The hits of column `x`, from the top down.
    pub fn hits(&self, x: u32) -> &[u32] {
        &self.all.hits[self.pixels(x, 1)]
    }

    /// The density of column `x`, from the top down.
    pub fn density(&self, x: u32) -> &[u32] {
        &self.all.density[self.pixels(x, 1)]
    }

    /// The coverage of column `x` by curves, from the top down.
    pub fn coverage(&self, x: u32) -> &[f32] {
        &self.all.coverage[self.pixels(x, 1)]
    }

    /// The density of all pixels, in no order that matters.
    pub fn densities(&self) -> &[u32] {
        &self.all.density
    }

    /// Copies a strip to its place.
    pub fn put(&mut self, strip: &Strip) {
        let (first, count) = (strip.first as usize, strip.columns.len());
        let pixels = self.pixels(strip.first, count);
        self.all.columns[first..first + count].copy_from_slice(&strip.columns);
        self.all.hits[pixels.clone()].copy_from_slice(&strip.hits);
        self.all.density[pixels.clone()].copy_from_slice(&strip.density);
        self.all.coverage[pixels].copy_from_slice(&strip.coverage);
    }

    fn pixels(&self, first: u32, count: usize) -> Range<usize> {
        let height = self.size[1] as usize;
        first as usize * height..(first as usize + count) * height
    }
}

/// Collects a whole diagram on the host.
pub struct DiagramSink(Mutex<Diagram>);

impl DiagramSink {
    pub fn new(size: [u32; 2]) -> Self {
        Self(Mutex::new(Diagram::empty(size)))
    }

    pub fn into_diagram(self) -> Diagram {
        self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl super::Sink for DiagramSink {
    fn put(&self, _: super::Tile, _: &[super::Sample]) {}

    fn put_strip(&self, strip: &Strip) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).put(strip);
    }
}

/// Where the columns, orbits and rows of a job lie.
///
/// Columns are counted from parameter 0 on, so that a picture moved by whole columns has the same orbits.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    pub task: &'a OrbitDensity,
    size: [u32; 2],
    /// Columns between parameter 0 and the left edge: whole ones, and the rest.
    first: i64,
    fraction: f64,
    /// Parameter per column.
    width: f64,
    /// Ordinate of the upper edge.
    top: f64,
    rows_per_unit: f64,
}

/// Parts of a column that its left edge is rounded to, so that the roundings of a moved view vanish.
const PARTS: f64 = (1 << 20) as f64;

impl<'a> Columns<'a> {
    pub fn new(job: &'a Job, task: &'a OrbitDensity) -> Self {
        let viewport = &job.viewport;
        let [columns, rows] = viewport.size();
        let [width, height] = viewport.pixel_step().map(FloatExp::to_f64);
        let half_width = viewport.stretched_width().map(Decimal::half);
        let half_height = viewport.height().half();
        let left = match half_width {
            Some(half) => (&viewport.center().re - &half).to_f64(),
            None => viewport.center_f64().re - width * f64::from(columns) / 2.0,
        };
        let parts = (left / width * PARTS).round();
        let first = (parts / PARTS).floor();
        Self {
            task,
            size: [columns, rows],
            first: first as i64,
            fraction: (parts - first * PARTS) / PARTS,
            width,
            top: (&viewport.center().im + &half_height).to_f64(),
            rows_per_unit: 1.0 / height,
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Parameter per column.
    pub fn width(&self) -> f64 {
        self.width
    }

    pub fn rows_per_unit(&self) -> f64 {
        self.rows_per_unit
    }

    /// The parameter of an orbit: somewhere in its part of the column, for where columns begin is seldom typical.
    pub fn parameter(&self, column: u32, orbit: u32) -> f64 {
        let column = self.first + i64::from(column);
        let [word, ..] = philox([column as u32, orbit, 0, 0], [0, 0]);
        let within = (f64::from(orbit) + unit_f64(word)) / f64::from(self.task.orbits);
        (column as f64 + (self.fraction + within)) * self.width
    }

    /// The height of a point, in rows below the upper edge.
    #[inline(always)]
    pub fn height(&self, x: f64) -> f64 {
        (self.top - x) * self.rows_per_unit
    }

    /// The row of a point; none where it is out of view.
    #[inline(always)]
    pub fn row(&self, x: f64) -> Option<usize> {
        let height = self.height(x);
        (height >= 0.0 && height < f64::from(self.size[1])).then_some(height as usize)
    }
}
