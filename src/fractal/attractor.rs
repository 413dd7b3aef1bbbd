//! Where orbits end up: a cycle, nowhere near one, or far away.
//!
//! The orbit first runs free, then a [search](super::cycle::search) looks for the cycle that it is near. Where none
//! is found though the Lyapunov exponent is close to 0, as near the ends of doubling cascades, the orbit may
//! just be slow: it runs on as long again, as often as the [`Effort`] allows.

use super::cycle::{self, Cycle};
use super::lyapunov;
use super::system::System;

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Steps before the first search.
    pub transient: u32,
    /// Longest cycle looked for.
    pub most_period: u32,
    /// Steps before the last search, where orbits are slow.
    pub most_transient: u32,
}

impl Effort {
    /// While a picture moves.
    pub const MOVING: Self = Self { transient: 400, most_period: 64, most_transient: 400 };
    /// Once it stands still.
    pub const STILL: Self = Self { transient: 4_000, most_period: 512, most_transient: 65_536 };
}

/// Where an orbit ends up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attractor<P> {
    /// On a cycle, attracting or neutral.
    Cycle(Cycle<P>),
    /// Outside, for good, after that many steps.
    Escaped { steps: u32 },
    /// Still under way, or for ever, as chaos is: the point reached after that many steps, and the Lyapunov exponent
    /// of about the last half of them.
    Unsettled { point: P, steps: u32, lyapunov: f64 },
}

/// Smallest |λ| of an orbit that is given up as chaotic.
const SLOW: f64 = 0.02;

/// Where the orbit of `start` ends up, as far as `effort` shows.
#[inline(always)]
pub fn attractor<S: System>(system: &S, start: S::Point, effort: Effort) -> Attractor<S::Point> {
    let mut x = start;
    let mut steps = 0;
    let mut until = effort.transient;
    loop {
        while steps < until / 2 {
            steps += 1;
            x = system.step(x);
            if system.has_escaped(x) {
                return Attractor::Escaped { steps };
            }
        }
        let (lyapunov, end) = lyapunov::exponent(system, x, until - steps);
        if system.has_escaped(end) {
            return Attractor::Escaped { steps: steps + steps_to_escape(system, x) };
        }
        (x, steps) = (end, until);
        if let Some(cycle) = cycle::search(system, x, effort.most_period) {
            return Attractor::Cycle(cycle);
        }
        until = until.saturating_mul(2).min(effort.most_transient);
        if until <= steps || !(lyapunov.abs() < SLOW) {
            return Attractor::Unsettled { point: x, steps, lyapunov };
        }
    }
}

/// Steps from `x` to where escape is certain; some steps later it has to be.
#[cold]
fn steps_to_escape<S: System>(system: &S, mut x: S::Point) -> u32 {
    let mut steps = 0;
    while !system.has_escaped(x) {
        steps += 1;
        x = system.step(x);
    }
    steps
}
