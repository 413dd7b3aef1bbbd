//! One orbit of a column, and where it ended.

use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, Effort};
use crate::fractal::system::At;

/// An orbit that has come to where it stays.
pub struct Orbit<M, const D: usize> {
    pub system: At<M, D>,
    pub end: Attractor<[f64; D]>,
    /// Lyapunov exponent, where it stays.
    pub lyapunov: f64,
}

impl<M: Map<D>, const D: usize> Orbit<M, D> {
    pub fn new(system: At<M, D>, end: Attractor<[f64; D]>) -> Self {
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
