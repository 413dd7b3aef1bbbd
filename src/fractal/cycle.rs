//! Cycles, found by Newton's method on f^p(x) − x, and what their multipliers say.
//!
//! An orbit near a doubling creeps towards its cycle for thousands of steps; Newton's method is there in a few.
//! A quadratic map has at most one attracting cycle, so one that is found, in whatever way, is the attractor.
//! Nothing here allocates: a cycle is one of its points, and the others follow by iterating.
//!
//! Where a cycle is parabolic (its multiplier a root of 1), other cycles meet it there, and Newton's method halts some
//! way off with a multiplier somewhat below 1 in modulus. [`Cycle::uncertainty`] bounds that error, so that such a
//! cycle is called neutral and never attracting.

use super::system::{Point, System};
use crate::math::Complex;

/// A cycle of a system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle<P> {
    /// Its number of points.
    pub period: u32,
    /// One of them.
    pub point: P,
    /// Derivative of `period` steps: the eigenvalue of largest modulus where it is a matrix.
    pub multiplier: Complex,
    /// How far off the multiplier may be.
    pub uncertainty: f64,
}

/// What a cycle does with points close to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    Attracting,
    /// The modulus of the multiplier cannot be told from 1.
    Neutral,
    Repelling,
}

/// Distance at which a return is worth a closer look.
pub const CLOSE: f64 = 1e-2;
/// Stretch from which on a return is chance: that of a cycle's whole neighbourhood is a few times 1.
pub const WILD: f64 = 16.0;
/// Distance after a part of such a turn at which the part is worth a look, too.
const NEAR: f64 = 0.2;
/// Farthest that one step of Newton's method may lead.
const STRAY: f64 = 0.15;
/// Most steps of Newton's method: one that halves the distance each time still comes near enough.
const MOST_STEPS: u32 = 16;
/// Largest |f^p(x) − x| of a cycle.
const RESIDUAL: f64 = 1e-12;
/// What |multiplier| = 1 may be missed by.
const NEUTRAL: f64 = 1e-9;
/// Steps of Newton's method below this may be noise.
const NOISE: f64 = 1e-10;
/// Steps below this tell how Newton's method converges.
const SMALL: f64 = 1e-6;
/// A share of the last step that is too large for Newton's method at a simple root.
const LINEAR: f64 = 0.25;
/// A rounding or two.
const ROUNDING: f64 = 4e-16;

impl<P: Point> Cycle<P> {
    pub fn stability(&self) -> Stability {
        let excess = self.multiplier.norm() - 1.0;
        match excess.abs() <= NEUTRAL + 2.0 * self.uncertainty {
            true => Stability::Neutral,
            false if excess < 0.0 => Stability::Attracting,
            false => Stability::Repelling,
        }
    }

    fn may_attract(&self) -> bool {
        self.stability() != Stability::Repelling
    }

    /// The points in the order of iteration, [`Self::point`] first.
    pub fn points<S: System<Point = P>>(&self, system: &S) -> impl Iterator<Item = P> {
        let orbit = std::iter::successors(Some(self.point), |&x| Some(system.step(x)));
        orbit.take(self.period as usize)
    }

    /// The Lyapunov exponent of orbits that are drawn to the cycle: ln|multiplier| / period.
    pub fn lyapunov(&self) -> f64 {
        self.multiplier.norm().ln() / f64::from(self.period)
    }
}

/// The attracting or neutral cycle that the orbit of `x` is close to, of least period up to `most_period`.
#[inline(always)]
pub fn search<S: System>(system: &S, x: S::Point, most_period: u32) -> Option<Cycle<S::Point>> {
    let (mut y, mut linear) = (x, S::Point::IDENTITY);
    for period in 1..=most_period {
        linear = system.push(y, linear);
        y = system.step(y);
        if x.distance(y) < CLOSE
            && S::Point::norm(linear) < WILD
            && let Some(cycle) = attractor_near(system, x, period)
        {
            return Some(cycle);
        }
    }
    None
}

/// The cycle close to `x` with a point every `period` steps, unless it repels.
///
/// Where an orbit spirals in slowly, or a cycle is about to double, the first close return comes after several turns:
/// so parts of the period are tried first. From the cycle itself, if `x` is not there yet, they tell its true period.
#[inline(always)]
pub fn attractor_near<S: System>(system: &S, x: S::Point, period: u32) -> Option<Cycle<S::Point>> {
    // No closures here: their code would not have the caller's instructions.
    let found = match part_near(system, x, period) {
        Some(part) => part,
        None => attracting(system, x, period)?,
    };
    if x.distance(found.point) < NOISE {
        return Some(found);
    }
    match part_near(system, found.point, found.period) {
        Some(part) => Some(part),
        None => Some(found),
    }
}

/// The cycle close to `x` whose period is a part of `period`, unless it repels.
#[inline(always)]
fn part_near<S: System>(system: &S, x: S::Point, period: u32) -> Option<Cycle<S::Point>> {
    let mut y = x;
    for part in 1..=period / 2 {
        y = system.step(y);
        if x.distance(y) < NEAR
            && period.is_multiple_of(part)
            && let Some(cycle) = attracting(system, x, part)
        {
            return Some(cycle);
        }
    }
    None
}

/// The cycle close to `x` with a point every `period` steps, unless it repels.
#[inline(always)]
fn attracting<S: System>(system: &S, x: S::Point, period: u32) -> Option<Cycle<S::Point>> {
    newton(system, x, period, WILD).filter(Cycle::may_attract)
}

/// The cycle close to `x` with a point every `period` steps, whatever its stability; `period` may be a multiple
/// of the true one.
#[inline(always)]
pub fn refine<S: System>(system: &S, x: S::Point, period: u32) -> Option<Cycle<S::Point>> {
    newton(system, x, period, f64::INFINITY)
}

/// The same, given up where a turn stretches by `wild` or more.
#[inline(always)]
fn newton<S: System>(system: &S, x: S::Point, period: u32, wild: f64) -> Option<Cycle<S::Point>> {
    let mut turn = Turn::new(system, x, period);
    // How fast the multiplier changes along the way, and the last step.
    let (mut slope, mut step): (f64, f64) = (0.0, 0.0);
    for _ in 0..MOST_STEPS {
        if !(S::Point::norm(turn.linear) < wild) {
            return None;
        }
        let next = turn.from.newton(turn.to, turn.linear);
        let last_step = std::mem::replace(&mut step, turn.from.distance(next));
        if !(step <= STRAY) {
            return None;
        }
        let shrinks_slowly = last_step > 0.0 && step > LINEAR * last_step;
        // Down among the roundings steps no longer shrink.
        if (step < NOISE && shrinks_slowly) || step <= ROUNDING * next.size() {
            break;
        }
        let before = std::mem::replace(&mut turn, Turn::new(system, next, period));
        slope = turn.multiplier().sub(before.multiplier()).norm() / step;
        if step < SMALL && shrinks_slowly {
            // Cycles meet here: each step shortens the way by one and the same factor, which tells where it ends.
            let share = S::Point::scaled(S::Point::IDENTITY, step / last_step);
            let end = Turn::new(system, before.from.newton(next, share), period);
            if end.residual() <= ROUNDING {
                turn = end;
                break;
            }
        }
    }
    if !(turn.residual() < RESIDUAL) {
        return None;
    }
    let (point, multiplier) = (turn.from, turn.multiplier());
    let rounding = ROUNDING * (1.0 + point.size());
    let from_one = multiplier.sub(Complex::new(1.0, 0.0)).norm();
    let uncertainty = slope * (step + (rounding / from_one).min(rounding.sqrt()));
    Some(Cycle { period, point, multiplier, uncertainty })
}

/// Some steps from a point, and their derivative.
#[derive(Clone, Copy)]
struct Turn<P: Point> {
    from: P,
    to: P,
    linear: P::Linear,
}

impl<P: Point> Turn<P> {
    #[inline(always)]
    fn new<S: System<Point = P>>(system: &S, from: P, period: u32) -> Self {
        let (mut to, mut linear) = (from, P::IDENTITY);
        for _ in 0..period {
            linear = system.push(to, linear);
            to = system.step(to);
        }
        Self { from, to, linear }
    }

    fn multiplier(&self) -> Complex {
        P::multiplier(self.linear)
    }

    fn residual(&self) -> f64 {
        self.from.distance(self.to)
    }
}
