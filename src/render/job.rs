//! The request: everything an engine needs, and nothing else.

use std::ops::Range;

use super::{Grid, Jitter, Section, Space, Viewport};
use crate::fractal::attractor::Effort;
use crate::fractal::{FormulaId, MapId};
use crate::math::{BigComplex, Complex};

/// One request. A value: equal jobs give equal samples, whatever was drawn before, but for pictures in motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub viewport: Viewport,
    /// Which of the viewport's pixels are samples of this job.
    pub lattice: Lattice,
    pub task: Task,
    pub channels: Channels,
    pub quality: Quality,
    pub shortcuts: Shortcuts,
    /// Where tiles start, in samples of this job; the rest follows outwards.
    pub focus: [f32; 2],
}

/// What is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Samples, for [`Sink::put`](super::Sink::put).
    EscapeTime(EscapeTime),
    /// Columns of a diagram, for [`Sink::put_strip`](super::Sink::put_strip).
    OrbitDensity(OrbitDensity),
    /// The same of complex orbits along a line of the parameter plane.
    Section(Section),
    /// Light of points in space, for [`Sink::put_exposure`](super::Sink::put_exposure). Of the viewport it needs the
    /// size alone.
    Space(Space),
}

impl Task {
    /// The task where it gives samples of escape time.
    pub fn escape_time(&self) -> Option<&EscapeTime> {
        match self {
            Self::EscapeTime(task) => Some(task),
            Self::OrbitDensity(_) | Self::Section(_) | Self::Space(_) => None,
        }
    }

    /// The task where it gives columns of a diagram.
    pub fn orbit_density(&self) -> Option<&OrbitDensity> {
        match self {
            Self::EscapeTime(_) | Self::Section(_) | Self::Space(_) => None,
            Self::OrbitDensity(task) => Some(task),
        }
    }

    /// The task where it gives columns of a section.
    pub fn section(&self) -> Option<&Section> {
        match self {
            Self::EscapeTime(_) | Self::OrbitDensity(_) | Self::Space(_) => None,
            Self::Section(task) => Some(task),
        }
    }

    /// The task where it gives light of points in space.
    pub fn space(&self) -> Option<&Space> {
        match self {
            Self::EscapeTime(_) | Self::OrbitDensity(_) | Self::Section(_) => None,
            Self::Space(task) => Some(task),
        }
    }
}

/// The bifurcation diagram of a map: where its orbits stay, over the parameter (abscissa) and x (ordinate).
#[derive(Clone, Debug, PartialEq)]
pub struct OrbitDensity {
    pub map: MapId,
    /// Which orbits of each column: `0..n` are the n first, spread over its width. What later ones add can be added
    /// to what is there.
    pub orbits: Range<u32>,
    /// Points that an orbit adds to its column.
    pub kept: u32,
    /// How long orbits run, and how hard cycles are looked for, before anything is drawn.
    pub effort: Effort,
}

impl OrbitDensity {
    /// Most orbits of a column.
    pub const MOST_ORBITS: u32 = 4096;
    /// Most points of an orbit: so many orbits of so many points still fit a u32.
    pub const MOST_KEPT: u32 = 1_000_000;
}

/// Escape time of one formula over a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct EscapeTime {
    pub formula: FormulaId,
    pub plane: Plane,
    /// Cap on n, at most [`EscapeTime::MOST_ITERATIONS`].
    pub max_iterations: u32,
    /// Radius R ≥ 2: interior tests hold only from there on.
    pub bailout: f64,
}

impl EscapeTime {
    pub const MOST_ITERATIONS: u32 = i32::MAX as u32;
    /// Interior tests hold only for R ≥ 2.
    pub const LEAST_BAILOUT: f64 = 2.0;
    /// R² and the step after it stay within the range of f32.
    pub const MOST_BAILOUT: f64 = 1e9;
}

/// Which variable the plane shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Plane {
    /// c varies, z₀ = 0: the Mandelbrot set and its kin.
    Parameter,
    /// z₀ varies, c is fixed: Julia sets.
    Dynamical { c: BigComplex },
}

impl Plane {
    /// The dynamical plane of a c that f64 holds.
    pub fn dynamical(c: Complex) -> Self {
        Self::Dynamical { c: BigComplex::from_f64(c) }
    }

    /// The one c of a dynamical plane, as f64 has it.
    pub fn c(&self) -> Option<Complex> {
        match self {
            Self::Parameter => None,
            Self::Dynamical { c } => Some(c.to_f64()),
        }
    }
}

/// The pixels (offset + i·stride, offset + j·stride) whose row and column lie in the band: all of them, a coarse pass over
/// them, some rows of a picture too large to be held at once, or some columns that a moved one lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    pub stride: u32,
    pub offset: u32,
    /// First row of pixels of the band, and how many: [`Lattice::ALL_ROWS`] for the whole picture.
    pub first_row: u32,
    pub rows: u32,
    /// The same for columns.
    pub first_column: u32,
    pub columns: u32,
    /// Where within its pixel each sample lies.
    pub jitter: Jitter,
}

/// The pixels `first + k·stride`, 0 ≤ k < `count`, along one axis, and the way of their samples from their middles, in
/// units of [`Jitter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub first: u32,
    pub stride: u32,
    pub count: u32,
    pub shift: i16,
}

impl Span {
    pub(super) fn new(first: usize, stride: usize, count: usize) -> Self {
        Self { first: first as u32, stride: stride as u32, ..Self::all(count as u32) }
    }

    /// All of so many pixels.
    pub fn all(count: u32) -> Self {
        Self { first: 0, stride: 1, count, shift: 0 }
    }

    /// The pixels, in order.
    pub fn pixels(self) -> impl Iterator<Item = u32> {
        (0..self.count).map(move |k| self.first + k * self.stride)
    }

    /// Some of the pixels: `count` from number `first` on.
    #[must_use]
    pub fn part(self, first: u32, count: u32) -> Self {
        Self { first: self.first + first * self.stride, count, ..self }
    }

    /// The numbers of the pixels among every `stride`-th of a picture, where all of them are such.
    #[must_use]
    pub fn among_every(self, stride: u32) -> Self {
        debug_assert!(self.first.is_multiple_of(stride) && self.stride.is_multiple_of(stride));
        Self { first: self.first / stride, stride: self.stride / stride, ..self }
    }

    /// The number of a pixel that is among them.
    pub fn number_of(self, pixel: u32) -> u32 {
        (pixel - self.first) / self.stride
    }

    /// Whether all of the pixels are in a picture of so many.
    pub fn is_within(self, pixels: u32) -> bool {
        self.count == 0 || self.first + (self.count - 1) * self.stride < pixels
    }

    /// From the first of the pixels to the last.
    pub(super) fn extent(self) -> u32 {
        (self.count.max(1) - 1) * self.stride + 1
    }
}

impl Lattice {
    pub const ALL_ROWS: u32 = u32::MAX;
    pub const ALL_COLUMNS: u32 = u32::MAX;

    /// Every pixel.
    pub const FULL: Self = Self {
        stride: 1,
        offset: 0,
        first_row: 0,
        rows: Self::ALL_ROWS,
        first_column: 0,
        columns: Self::ALL_COLUMNS,
        jitter: Jitter::MIDDLE,
    };

    /// One pixel, the middle one, of every `stride` × `stride` block: [`Lattice::FULL`] for blocks of one.
    pub const fn coarse(stride: u32) -> Self {
        Self { stride, offset: stride / 2, ..Self::FULL }
    }

    /// The pixels of every `stride`-th column and row from the first on: those of twice the stride are among them.
    pub const fn every(stride: u32) -> Self {
        Self { stride, ..Self::FULL }
    }

    /// Every pixel of `rows` rows: the same samples as those rows of the whole picture.
    pub const fn band(first_row: u32, rows: u32) -> Self {
        Self { first_row, rows, ..Self::FULL }
    }

    /// Every pixel of `columns` columns: the same samples as those columns of the whole picture.
    pub const fn strip(first_column: u32, columns: u32) -> Self {
        Self { first_column, columns, ..Self::FULL }
    }

    /// The same pixels, sampled elsewhere within them.
    #[must_use]
    pub const fn jittered(self, jitter: Jitter) -> Self {
        Self { jitter, ..self }
    }

    /// Number of samples along an axis of `pixels` pixels, where no band cuts it.
    pub fn count(self, pixels: u32) -> u32 {
        pixels.saturating_sub(self.offset).div_ceil(self.stride).max(u32::from(pixels > 0))
    }

    /// The place among the lattice's samples of a place of the picture, in pixels.
    pub fn place_of(self, [x, y]: [f32; 2]) -> [f32; 2] {
        let along = |place: f32, first: u32| (place - (first + self.offset) as f32) / self.stride as f32;
        [along(x, self.first_column), along(y, self.first_row)]
    }

    /// The columns of a picture of `width` pixels that hold samples.
    pub fn columns(self, width: u32) -> Span {
        let width = self.columns.min(width.saturating_sub(self.first_column));
        let first = self.first_column + self.offset;
        Span { first, stride: self.stride, count: self.count(width), shift: self.jitter.x }
    }

    /// The rows of a picture of `height` pixels that hold samples.
    pub fn rows(self, height: u32) -> Span {
        let height = self.rows.min(height.saturating_sub(self.first_row));
        let first = self.first_row + self.offset;
        Span { first, stride: self.stride, count: self.count(height), shift: self.jitter.y }
    }
}

/// Which numbers a sample must hold beside its count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// The fraction of the smooth iteration count.
    pub smooth: bool,
    /// The period of the cycle that an interior point's orbit is drawn to.
    pub periods: bool,
    /// The distance to the set and the direction away from it, a [`Slope`](super::Slope) beside each sample.
    pub distance: bool,
}

/// How much accuracy may be traded for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// For a picture in motion: as a draft, and samples may depend on what was drawn before, to be there sooner.
    Moving,
    /// Less accurate than f64, as far as eyes can tell.
    Draft,
    /// f64 or better: exports, comparisons and settled pictures.
    #[default]
    Exact,
}

/// Ways of not iterating. None of them may change a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcuts {
    /// Points inside the main cardioid and the period-2 disc are known by a formula.
    pub bulbs: bool,
    /// An orbit that repeats bit for bit never escapes.
    pub cycles: bool,
    /// Rows that mirror each other about the real axis are computed once.
    pub symmetry: bool,
}

impl Shortcuts {
    pub const ALL: Self = Self { bulbs: true, cycles: true, symmetry: true };
    pub const NONE: Self = Self { bulbs: false, cycles: false, symmetry: false };
}

impl Job {
    /// Every pixel of a viewport, exactly, from the upper left corner on.
    pub fn new(viewport: Viewport, task: Task) -> Self {
        Self {
            viewport,
            lattice: Lattice::FULL,
            task,
            channels: Channels::default(),
            quality: Quality::Exact,
            shortcuts: Shortcuts::ALL,
            focus: [0.0; 2],
        }
    }

    /// Width and height in samples.
    pub fn size(&self) -> [u32; 2] {
        let [width, height] = self.viewport.size();
        [self.lattice.columns(width).count, self.lattice.rows(height).count]
    }

    /// The coordinates of the samples.
    pub fn grid(&self) -> Grid {
        self.viewport.grid(self.lattice)
    }

    /// Which orbits of each column a diagram has.
    pub fn orbits(&self) -> Option<Range<u32>> {
        match &self.task {
            Task::EscapeTime(_) | Task::Space(_) => None,
            Task::OrbitDensity(task) => Some(task.orbits.clone()),
            Task::Section(task) => Some(task.orbits.clone()),
        }
    }

    /// The same diagram with other orbits; any other job as it is.
    #[must_use]
    pub fn with_orbits(mut self, orbits: Range<u32>) -> Self {
        match &mut self.task {
            Task::EscapeTime(_) | Task::Space(_) => {}
            Task::OrbitDensity(task) => task.orbits = orbits,
            Task::Section(task) => task.orbits = orbits,
        }
        self
    }

    /// The same with another cap; any job without one as it is.
    #[must_use]
    pub fn with_max_iterations(mut self, cap: u32) -> Self {
        if let Task::EscapeTime(task) = &mut self.task {
            task.max_iterations = cap;
        }
        self
    }

    /// The cap on n; 0 where the job has none.
    pub fn max_iterations(&self) -> u32 {
        self.task.escape_time().map_or(0, |task| task.max_iterations)
    }
}
