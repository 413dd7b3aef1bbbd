//! One orbit of a column, and where it ended.

use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, Effort};
use crate::fractal::system::{At, System};

/// A system at one parameter of a line of them, and what a diagram shows of it.
pub trait Drawn: System {
    /// The ordinate of a point.
    fn ordinate(&self, x: Self::Point) -> f64;

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
        let [above, below] = [PARAMETER_STEP, -PARAMETER_STEP].map(|step| M::step(x, self.parameter + step));
        let mut next = M::tangent(x, self.parameter, slope);
        for (next, (above, below)) in next.iter_mut().zip(above.into_iter().zip(below)) {
            *next += (above - below) / (2.0 * PARAMETER_STEP);
        }
        next
    }
}

/// An orbit that has come to where it stays.
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

    /// Steps to the end; to a cycle, those of the first search.
    pub fn steps(&self, effort: Effort) -> u64 {
        match self.end {
            Attractor::Cycle(_) => effort.transient.into(),
            Attractor::Escaped { steps } | Attractor::Unsettled { steps, .. } => steps.into(),
        }
    }
}
