//! Diagrams: over each value of a parameter, how often orbits come to each height.
//!
//! The columns of a [`Diagram`] hold two layers: a density, where orbits never settle, and a curve, where they end
//! on a cycle whose points are known exactly. Those of a [`Section`](super::Section) may hold a third one, the way that
//! orbits take. Engines fill [`Strip`]s of columns; [`Columns`] says where columns, orbits and rows lie, the same for
//! every engine, thread and strip.

use std::ops::Range;
use std::sync::Mutex;

use bytemuck::{Pod, Zeroable};

use super::{Job, OrbitDensity, Task};
use crate::fractal::attractor::Effort;
use crate::math::philox::{philox, unit_f64};
use crate::math::{Binary64, Decimal, FloatExp};

/// What is known of one column beside its pixels. Shaders read the same bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Column {
    /// Orbits that end on a cycle.
    pub periodic: u32,
    /// Orbits that stay and settle on none that was found.
    pub unsettled: u32,
    /// Least period of the cycles; 0 where there is none.
    pub period: u32,
    /// Always 0.
    pub(crate) padding: u32,
    /// Sums of the Lyapunov exponents of both kinds of orbits, in units of [`Column::UNIT`].
    pub(crate) periodic_exponents: i64,
    pub(crate) unsettled_exponents: i64,
}

impl Column {
    /// Of sums of exponents: whole numbers add up to the same in any order.
    const UNIT: f64 = 1.0 / (1_u64 << 40) as f64;
    /// Largest |exponent|: at a superstable cycle it is infinite.
    const MOST_EXPONENT: f64 = 64.0;

    /// Adds an orbit on a cycle.
    pub fn add_periodic(&mut self, period: u32, lyapunov: f64) {
        self.add(&Self { periodic: 1, period, periodic_exponents: Self::units(lyapunov), ..Self::default() });
    }

    /// Adds an orbit that stays and settles on no cycle.
    pub fn add_unsettled(&mut self, lyapunov: f64) {
        self.add(&Self { unsettled: 1, unsettled_exponents: Self::units(lyapunov), ..Self::default() });
    }

    /// Adds the orbits of another.
    pub fn add(&mut self, other: &Self) {
        self.period = match (self.period, other.period) {
            (0, period) | (period, 0) => period,
            (a, b) => a.min(b),
        };
        self.periodic += other.periodic;
        self.unsettled += other.unsettled;
        self.periodic_exponents += other.periodic_exponents;
        self.unsettled_exponents += other.unsettled_exponents;
    }

    /// Mean Lyapunov exponent of the unsettled orbits where there are any, else of the periodic ones.
    pub fn lyapunov(&self) -> f64 {
        let (sum, count) = match self.unsettled {
            0 => (self.periodic_exponents, self.periodic),
            count => (self.unsettled_exponents, count),
        };
        sum as f64 * Self::UNIT / f64::from(count.max(1))
    }

    fn units(exponent: f64) -> i64 {
        (exponent.clamp(-Self::MOST_EXPONENT, Self::MOST_EXPONENT) / Self::UNIT).round() as i64
    }
}

/// Columns side by side. Pixels go column by column, each from the top down. All layers are whole numbers: what
/// orbits leave behind adds up to the same in any order, on any engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// First column.
    pub first: u32,
    pub height: u32,
    pub columns: Vec<Column>,
    /// Points of unsettled orbits.
    pub density: Vec<u32>,
    /// Points of cycles: as many of each orbit as an unsettled one has.
    pub marks: Vec<u32>,
    /// How far each orbit's curves cover a pixel, in units of 1/[`Strip::COVERED`].
    pub coverage: Vec<u32>,
    /// Light of the way that orbits take, in units of 1/[`Fan::UNIT`](super::Fan::UNIT); empty where none is drawn.
    pub fan: Vec<u32>,
}

impl Strip {
    /// Coverage by one orbit that hides what is beneath: all branches of the most orbits fit a u32.
    pub const COVERED: f64 = 4096.0;

    /// Columns in which nothing is yet.
    pub fn empty(columns: Range<u32>, height: u32) -> Self {
        let pixels = columns.len() * height as usize;
        Self {
            first: columns.start,
            height,
            columns: vec![Column::default(); columns.len()],
            density: vec![0; pixels],
            marks: vec![0; pixels],
            coverage: vec![0; pixels],
            fan: Vec::new(),
        }
    }

    /// With a fan in which nothing is yet.
    #[must_use]
    pub fn with_fan(self) -> Self {
        Self { fan: vec![0; self.density.len()], ..self }
    }

    /// Where the pixels of the strip's `i`-th column lie in its layers.
    pub fn pixels(&self, i: usize) -> Range<usize> {
        let height = self.height as usize;
        i * height..(i + 1) * height
    }

    /// Turns all columns upside down.
    pub fn flip(&mut self) {
        for layer in [&mut self.density, &mut self.marks, &mut self.coverage, &mut self.fan] {
            layer.chunks_exact_mut(self.height as usize).for_each(<[u32]>::reverse);
        }
    }

    /// Makes it other columns in which nothing is yet; of the same shape, without much ado.
    pub fn reset(&mut self, columns: Range<u32>, height: u32) {
        if (self.columns.len(), self.height) != (columns.len(), height) {
            *self = Self::empty(columns, height);
            return;
        }
        self.first = columns.start;
        for i in 0..self.columns.len() {
            let (column, pixels) = (std::mem::take(&mut self.columns[i]), self.pixels(i));
            if column.unsettled > 0 {
                self.density[pixels.clone()].fill(0);
            }
            if column.periodic > 0 {
                self.marks[pixels.clone()].fill(0);
                self.coverage[pixels].fill(0);
            }
        }
        self.fan.fill(0);
    }
}

/// What a diagram has room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagramShape {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The parameters of a section's columns.
    pub line: Option<Line>,
    /// Whether the way that orbits take is drawn.
    pub has_fan: bool,
}

/// Parameters of columns, which are counted from parameter 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Number of the first column.
    first: i64,
    /// How many columns the next one is farther on.
    stride: u32,
    /// Parts of a column by which all of them are shifted.
    fraction: f64,
    /// Parameter per column.
    width: f64,
}

impl Line {
    /// The parameter in the middle of a column: the same number, whatever the first one is.
    pub fn middle(&self, column: u32) -> f64 {
        (self.number(column) as f64 + (self.fraction + 0.5)) * self.width
    }

    fn number(&self, column: u32) -> i64 {
        self.first + i64::from(column) * i64::from(self.stride)
    }
}

impl DiagramShape {
    /// Of a real diagram.
    pub fn plain(size: [u32; 2]) -> Self {
        Self { size, line: None, has_fan: false }
    }

    /// Of a job's diagram: the columns of its lattice, and all rows of its viewport.
    pub fn of(job: &Job) -> Self {
        let [width, height] = job.viewport.size();
        let plain = Self::plain([job.lattice.columns(width).count, height]);
        let Task::Section(task) = &job.task else { return plain };
        Self { line: Some(Columns::new(job, task).line), has_fan: task.fan.is_some(), ..plain }
    }

    /// Seen from `by` columns farther right.
    #[must_use]
    pub fn moved(self, by: i64) -> Self {
        let line = self.line.map(|line| Line { first: line.first + by * i64::from(line.stride), ..line });
        Self { line, ..self }
    }
}

/// A whole diagram: one strip of all columns, and how many orbits each of them has.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    shape: DiagramShape,
    orbits: u32,
    all: Strip,
}

impl Diagram {
    pub fn empty(size: [u32; 2]) -> Self {
        Self::of_shape(DiagramShape::plain(size))
    }

    /// One in which nothing is yet.
    pub fn of_shape(shape: DiagramShape) -> Self {
        let [width, height] = shape.size;
        let all = Strip::empty(0..width, height);
        Self { shape, orbits: 0, all: if shape.has_fan { all.with_fan() } else { all } }
    }

    /// Of all columns, each with that many orbits.
    pub fn from_strip(shape: DiagramShape, orbits: u32, all: Strip) -> Self {
        debug_assert_eq!([all.columns.len() as u32, all.height], shape.size);
        Self { shape, orbits, all }
    }

    /// The diagram of a job before any of its orbits.
    pub fn blank(job: &Job) -> Self {
        Self::of_shape(DiagramShape::of(job))
    }

    /// The diagram of a job before its strips are added.
    pub fn of(job: &Job) -> Self {
        Self { orbits: job.orbits().map_or(0, |orbits| orbits.len() as u32), ..Self::blank(job) }
    }

    pub fn shape(&self) -> DiagramShape {
        self.shape
    }

    pub fn size(&self) -> [u32; 2] {
        self.shape.size
    }

    /// Orbits of each column, once all strips are there.
    pub fn orbits(&self) -> u32 {
        self.orbits
    }

    pub fn columns(&self) -> &[Column] {
        &self.all.columns
    }

    /// Points in column `x` by the rule: each orbit that stays adds `kept`, those out of view not counted. From the
    /// top down.
    pub fn hits(&self, x: u32) -> impl Iterator<Item = u32> {
        let pixels = self.pixels(x);
        self.all.density[pixels.clone()].iter().zip(&self.all.marks[pixels]).map(|(density, marks)| density + marks)
    }

    /// The density of column `x`, from the top down.
    pub fn density(&self, x: u32) -> &[u32] {
        &self.all.density[self.pixels(x)]
    }

    /// How far the pixels of column `x` are covered by curves, full at 1 or above, from the top down.
    pub fn coverage(&self, x: u32) -> impl Iterator<Item = f64> {
        let full = Strip::COVERED * f64::from(self.orbits.max(1));
        self.all.coverage[self.pixels(x)].iter().map(move |&covered| f64::from(covered) / full)
    }

    /// Whether it is of a [`Section`](super::Section).
    pub fn is_section(&self) -> bool {
        self.shape.line.is_some()
    }

    /// Re c amid column `x` of a section.
    pub fn section_parameter(&self, x: u32) -> f64 {
        self.shape.line.map_or(0.0, |line| line.middle(x))
    }

    /// Light of the way that orbits take through column `x`, in points of full weight that each of them adds, from the
    /// top down; nothing where none is drawn.
    pub fn fan(&self, x: u32) -> impl Iterator<Item = f64> {
        let unit = super::Fan::UNIT * f64::from(self.orbits.max(1));
        let pixels = if self.all.fan.is_empty() { 0..0 } else { self.pixels(x) };
        self.all.fan[pixels].iter().map(move |&light| f64::from(light) / unit)
    }

    /// All columns.
    pub fn strip(&self) -> &Strip {
        &self.all
    }

    /// Adds the orbits of another diagram of the same columns.
    pub fn add(&mut self, other: &Self) {
        self.orbits += other.orbits;
        self.add_columns(other, 0);
    }

    /// Adds all that another diagram holds, its first column at column `at`: those that fall outside are left out.
    pub fn add_columns(&mut self, other: &Self, at: i64) {
        let [width, count] = [self.size()[0], other.size()[0]].map(i64::from);
        let (first, end) = (at.clamp(0, width), (at + count).clamp(0, width));
        if first < end {
            let part = other.part((first - at) as u32..(end - at) as u32);
            self.add_strip(&Strip { first: first as u32, ..part });
        }
    }

    /// Some columns.
    fn part(&self, columns: Range<u32>) -> Strip {
        let pixels = self.pixels(columns.start).start..self.pixels(columns.end).start;
        Strip {
            first: columns.start,
            height: self.size()[1],
            columns: self.all.columns[columns.start as usize..columns.end as usize].to_vec(),
            density: self.all.density[pixels.clone()].to_vec(),
            marks: self.all.marks[pixels.clone()].to_vec(),
            coverage: self.all.coverage[pixels.clone()].to_vec(),
            fan: if self.all.fan.is_empty() { Vec::new() } else { self.all.fan[pixels].to_vec() },
        }
    }

    /// The same diagram seen from `by` columns farther right; columns that were out of view have nothing yet.
    #[must_use]
    pub fn moved(&self, by: i64) -> Self {
        let mut moved = Self { orbits: self.orbits, ..Self::of_shape(self.shape.moved(by)) };
        moved.add_columns(self, -by);
        moved
    }

    /// Adds a strip in its place.
    pub fn add_strip(&mut self, strip: &Strip) {
        for (i, column) in strip.columns.iter().enumerate() {
            let (from, to) = (strip.pixels(i), self.pixels(strip.first + i as u32));
            self.all.columns[strip.first as usize + i].add(column);
            if column.unsettled > 0 {
                add(&mut self.all.density[to.clone()], &strip.density[from.clone()]);
            }
            if column.periodic > 0 {
                add(&mut self.all.marks[to.clone()], &strip.marks[from.clone()]);
                add(&mut self.all.coverage[to.clone()], &strip.coverage[from.clone()]);
            }
            if !strip.fan.is_empty() {
                add(&mut self.all.fan[to], &strip.fan[from]);
            }
        }
    }

    /// The pixels of column `x`.
    fn pixels(&self, x: u32) -> Range<usize> {
        let height = self.size()[1] as usize;
        x as usize * height..(x as usize + 1) * height
    }
}

impl Job {
    /// log₂ of the finest pixel step that f64 draws at all: four units in the last place of |c| ≈ 2.
    pub const FINEST_IN_F64: f64 = -50.0;

    /// Whether it is a diagram whose columns or rows f64 does not tell apart.
    pub fn is_deep_diagram(&self) -> bool {
        self.orbits().is_some() && self.viewport.finest_step().log2() < Self::FINEST_IN_F64
    }

    /// How many columns farther right another job looks at the same diagram; none where rows or columns do not coincide.
    pub fn columns_to(&self, other: &Self) -> Option<i64> {
        match (&self.task, &other.task) {
            // Of deep diagrams, columns are counted from a place that each of them finds for itself.
            _ if [self, other].iter().any(|job| job.is_deep_diagram()) => None,
            (Task::OrbitDensity(a), Task::OrbitDensity(b)) if a == b => {
                Columns::new(self, a).shift_to(&Columns::new(other, b))
            }
            (Task::Section(a), Task::Section(b)) if a == b => Columns::new(self, a).shift_to(&Columns::new(other, b)),
            _ => None,
        }
    }
}

/// Adds one layer to another, and leaves alone what has nothing added: much of most layers.
fn add(to: &mut [u32], from: &[u32]) {
    for (to, from) in to.chunks_mut(64).zip(from.chunks(64)) {
        if from.iter().any(|&n| n > 0) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }
}

/// Collects a whole diagram on the host.
pub struct DiagramSink(Mutex<Diagram>);

impl DiagramSink {
    /// For the strips of one job.
    pub fn new(job: &Job) -> Self {
        Self(Mutex::new(Diagram::of(job)))
    }

    pub fn into_diagram(self) -> Diagram {
        self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl super::Sink for DiagramSink {
    fn put(&self, _: super::Tile, _: &[super::Sample]) {}

    fn put_strip(&self, strip: &Strip) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add_strip(strip);
    }
}

/// A task that fills the columns of a diagram with what its orbits leave.
pub trait ColumnTask {
    /// Which orbits of each column.
    fn orbits(&self) -> &Range<u32>;

    /// Points that an orbit adds to its column, if it stays.
    fn kept(&self) -> u32;

    /// How long orbits run, and how hard cycles are looked for.
    fn effort(&self) -> Effort;

    /// Whether it is computed with −x for x: rows are then counted from the lower edge upwards, and strips
    /// [flipped](Strip::flip) at the end.
    fn is_upside_down(&self) -> bool {
        false
    }
}

impl ColumnTask for OrbitDensity {
    fn orbits(&self) -> &Range<u32> {
        &self.orbits
    }

    fn kept(&self) -> u32 {
        self.kept
    }

    fn effort(&self) -> Effort {
        self.effort
    }
}

/// Where the columns, orbits and rows of a job lie.
///
/// Columns are counted from parameter 0 on, so that a picture moved by whole columns has the same orbits.
#[derive(Clone, Debug)]
pub struct Columns<'a, T = OrbitDensity> {
    pub task: &'a T,
    size: [u32; 2],
    line: Line,
    /// Ordinate of the upper edge; of the lower one with its sign changed where the task is upside down.
    top: f64,
    rows_per_unit: f64,
}

/// Parts of a column that its left edge is rounded to, so that the roundings of a moved view vanish.
const PARTS: f64 = (1 << 20) as f64;

impl Columns<'_> {
    /// Orbits that share a column evenly among them; each further round does so anew.
    pub const ROUND: u32 = 8;
}

impl<'a, T: ColumnTask> Columns<'a, T> {
    pub fn new(job: &'a Job, task: &'a T) -> Self {
        let viewport = &job.viewport;
        let half_width = viewport.stretched_width().map(Decimal::half);
        let half_height = viewport.height().half();
        let left = match half_width {
            Some(half) => (&viewport.center().re - &half).to_f64(),
            None => {
                let [width, _] = viewport.pixel_step().map(FloatExp::to_f64);
                viewport.center_f64().re - width * f64::from(viewport.size()[0]) / 2.0
            }
        };
        let top = match task.is_upside_down() {
            false => &viewport.center().im + &half_height,
            true => &half_height - &viewport.center().im,
        };
        Self::from_edges(job, task, left, top.to_f64())
    }

    /// With parameters counted from one that lies `offset` to the left of the view's middle, and ordinates from there: for views
    /// that are finer than f64 resolves.
    pub fn about(job: &'a Job, task: &'a T, offset: f64) -> Self {
        let [width, height] = job.viewport.pixel_step().map(FloatExp::to_f64);
        let [columns, rows] = job.viewport.size().map(f64::from);
        Self::from_edges(job, task, offset - width * columns / 2.0, height * rows / 2.0)
    }

    /// From the parameter of the left edge and the ordinate of the upper one.
    fn from_edges(job: &'a Job, task: &'a T, left: f64, top: f64) -> Self {
        let viewport = &job.viewport;
        let [columns, rows] = viewport.size();
        let lattice = job.lattice.columns(columns);
        let [width, height] = viewport.pixel_step().map(FloatExp::to_f64);
        let parts = (left / width * PARTS).round();
        let first = (parts / PARTS).floor();
        let line = Line {
            first: first as i64 + i64::from(lattice.first),
            stride: lattice.stride,
            fraction: (parts - first * PARTS) / PARTS,
            width,
        };
        Self { task, size: [lattice.count, rows], line, top, rows_per_unit: 1.0 / height }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// How many columns `other` begins to the right of these, where both have the same columns and rows.
    fn shift_to(&self, other: &Self) -> Option<i64> {
        let grid = |c: &Self| (Line { first: 0, ..c.line }, c.top, c.rows_per_unit, c.size[1]);
        (self.line.stride == 1 && grid(self) == grid(other)).then_some(other.line.first - self.line.first)
    }

    /// Whether rows are counted from the lower edge upwards.
    pub fn is_upside_down(&self) -> bool {
        self.task.is_upside_down()
    }

    /// Parameter per column.
    pub fn width(&self) -> f64 {
        self.line.width
    }

    pub fn rows_per_unit(&self) -> f64 {
        self.rows_per_unit
    }

    /// The parameter of an orbit: somewhere in its part of the column, for where columns begin is seldom typical.
    /// Any few orbits in a row are spread over the column.
    pub fn parameter(&self, column: u32, orbit: u32) -> f64 {
        let column = self.line.number(column);
        let (round, place) = (orbit / Columns::ROUND, orbit % Columns::ROUND);
        let part = place.reverse_bits() >> (32 - Columns::ROUND.trailing_zeros());
        let [word, ..] = philox([column as u32, part, round, 0], [0, 0]);
        let within = (f64::from(part) + unit_f64(word)) / f64::from(Columns::ROUND);
        (column as f64 + (self.line.fraction + within)) * self.line.width
    }

    /// Number of the first column, counted from parameter 0 on, modulo 2³²; and how many the next one is farther on.
    pub fn numbers(&self) -> (u32, u32) {
        (self.line.first as u32, self.line.stride)
    }

    /// The parameter at the left edge of a column.
    pub fn edge(&self, column: u32) -> f64 {
        (self.line.number(column) as f64 + self.line.fraction) * self.line.width
    }

    /// Ordinate of the edge that rows are counted from, its sign changed where the task is upside down.
    pub fn top(&self) -> f64 {
        self.top
    }

    /// Share of a column's width that each orbit stands for.
    pub fn orbit_width(&self) -> f64 {
        1.0 / f64::from(self.task.orbits().end.clamp(1, Columns::ROUND))
    }

    /// The height of a point, in rows below the upper edge, in scalars or lanes.
    #[inline(always)]
    pub fn height<R: Binary64>(&self, x: R) -> R {
        x.same(self.top).sub(x).mul(x.same(self.rows_per_unit))
    }

    /// The row of a point; none where it is out of view.
    #[inline(always)]
    pub fn row(&self, x: f64) -> Option<usize> {
        let height = self.height(x);
        (height >= 0.0 && height < f64::from(self.size[1])).then_some(height as usize)
    }
}
