//! The request: everything an engine needs, and nothing else.

use super::{Grid, Viewport};
use crate::fractal::FormulaId;
use crate::math::Complex;

/// One request. A value: equal jobs give equal samples, whatever was drawn before.
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

/// What is computed. One kind so far; orbit densities and attractor clouds will stand beside it.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    EscapeTime(EscapeTime),
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plane {
    /// c varies, z₀ = 0: the Mandelbrot set and its kin.
    Parameter,
    /// z₀ varies, c is fixed: Julia sets.
    Dynamical { c: Complex },
}

/// The pixels (offset + i·stride, offset + j·stride): all of them, or a coarse pass over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    pub stride: u32,
    pub offset: u32,
}

impl Lattice {
    /// Every pixel.
    pub const FULL: Self = Self { stride: 1, offset: 0 };

    /// One pixel, the middle one, of every `stride` × `stride` block.
    pub const fn coarse(stride: u32) -> Self {
        Self { stride, offset: stride / 2 }
    }

    /// Number of samples along an axis of `pixels` pixels.
    pub fn count(self, pixels: u32) -> u32 {
        pixels.saturating_sub(self.offset).div_ceil(self.stride).max(u32::from(pixels > 0))
    }
}

/// Which numbers a sample must hold beside its count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// The fraction of the smooth iteration count.
    pub smooth: bool,
}

/// How much accuracy may be traded for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// As the window does while moving.
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
    /// Width and height in samples.
    pub fn size(&self) -> [u32; 2] {
        self.viewport.size().map(|pixels| self.lattice.count(pixels))
    }

    /// The coordinates of the samples.
    pub fn grid(&self) -> Grid {
        self.viewport.grid(self.lattice)
    }

    /// The cap on n.
    pub fn max_iterations(&self) -> u32 {
        let Task::EscapeTime(task) = &self.task;
        task.max_iterations
    }
}
