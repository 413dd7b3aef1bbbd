//! One orbit of a column, and where it ended.

use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, Effort};
use crate::fractal::map::Fate;
use crate::fractal::system::{At, System};

/// A system at one parameter of a line of them, and what a diagram shows of it.
pub trait Drawn: System {
    /// The ordinate of a point.
    fn ordinate(&self, x: Self::Point) -> f64;

    /// How fast the ordinate moves where a point moves by `slope`.
    fn rise(&self, slope: Self::Point) -> f64 {
        self.ordinate(slope)
    }

    /// Branches in view of a cycle.
    fn branches(&self, period: u32) -> f64 {
        period.into()
    }

    /// How a point moves with the parameter a step on, from how it moves at `x`: dx/dp.
    fn next_slope(&self, x: Self::Point, slope: Self::Point) -> Self::Point;
}

/// Step of the parameter over which maps are differentiated.
const PARAMETER_STEP: f64 = 1e-7;

impl<M: Map<D>, const D: usize> Drawn for At<M, D> {
    #[inline(always)]
    fn ordinate(&self, x: [f64; D]) -> f64 {
        x[0]
    }

    #[inline(always)]
    fn next_slope(&self, x: [f64; D], slope: [f64; D]) -> [f64; D] {
        let above = M::step(x, self.parameter + PARAMETER_STEP);
        let below = M::step(x, self.parameter - PARAMETER_STEP);
        let mut next = M::tangent(x, self.parameter, slope);
        for i in 0..D {
            next[i] += (above[i] - below[i]) / (2.0 * PARAMETER_STEP);
        }
        next
    }
}

/// An orbit, and where it has come to.
pub struct Orbit<S: System> {
    pub system: S,
    pub end: Attractor<S::Point>,
    /// Lyapunov exponent, where it stays.
    pub lyapunov: f64,
}

impl<S: System> Orbit<S> {
    pub fn new(system: S, end: Attractor<S::Point>) -> Self {
        let lyapunov = match &end {
            Attractor::Cycle(cycle) => cycle.lyapunov(),
            Attractor::Escaped { .. } | Attractor::Unsettled { .. } => 0.0,
        };
        Self { system, end, lyapunov }
    }

    pub fn is_unsettled(&self) -> bool {
        matches!(self.end, Attractor::Unsettled { .. })
    }

    /// Where an unsettled orbit is.
    pub fn point(&self) -> S::Point {
        match self.end {
            Attractor::Unsettled { point, .. } => point,
            Attractor::Cycle(_) | Attractor::Escaped { .. } => unreachable!("only unsettled orbits go on"),
        }
    }

    /// Steps to the end; to a cycle, those of the first search.
    pub fn steps(&self, effort: Effort) -> u64 {
        match self.end {
            Attractor::Cycle(_) => effort.transient.into(),
            Attractor::Escaped { steps } | Attractor::Unsettled { steps, .. } => steps.into(),
        }
    }
}

impl<M: Map<D>, const D: usize> Orbit<At<M, D>> {
    /// Before its first step; over already where there is nothing to draw.
    pub fn at_start(system: At<M, D>) -> Self {
        let end = match M::fate(system.parameter) {
            Fate::Empty => Attractor::Escaped { steps: 0 },
            Fate::Bounded | Fate::Unknown => Attractor::Unsettled { point: M::start(M::SEED), steps: 0, lyapunov: 0.0 },
        };
        Self::new(system, end)
    }
}
