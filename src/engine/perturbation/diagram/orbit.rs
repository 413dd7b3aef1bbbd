//! Orbits beside a window's, step by step: z = X_n + e with n modulo p.

use super::turns::Turns;
use super::{InSteps, MOST_STEPS_A_VISIT};
use crate::engine::diagram::{Drawn, Part};
use crate::fractal::lyapunov::Product;
use crate::fractal::system::{Point, System};
use crate::math::Complex;
use crate::render::RenderError;

/// Visits of the view before chaos is recorded: it forgets soon where it began.
const TRANSIENT: u32 = 64;
/// Turns that it may stay beside the window's orbit before.
const TURNS_BESIDE: u32 = 8;
/// |z| above which an orbit escapes: roundings lead a little beyond 2.
const ESCAPED: f64 = 2.0 + 1e-9;
/// Steps between looks at whether the job is stale.
const STEPS_PER_LOOK: u32 = 1 << 14;
/// Slopes that leave room for some more in a product.
const MILD: std::ops::Range<f64> = 1e-9..1e9;

/// x² + c at c0 + `d`.
#[derive(Clone, Copy)]
pub struct AlongWindow<'a> {
    pub turns: &'a Turns<'a>,
    pub d: f64,
}

/// A point beside X_n, or a way that points move there.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    n: u32,
    e: f64,
}

impl AlongWindow<'_> {
    /// The point beside X_0.
    pub fn start(&self, e: f64) -> Beside {
        Beside { n: 0, e }
    }

    /// X_n.
    #[inline(always)]
    fn x(&self, n: u32) -> f64 {
        self.turns.window.points()[n as usize]
    }

    #[inline(always)]
    fn next(&self, n: u32) -> u32 {
        if n + 1 == self.turns.window.period() { 0 } else { n + 1 }
    }

    /// The same point beside X_0 where that is nearer, which is 0; none where it has escaped.
    #[inline(always)]
    fn rebased(&self, x: Beside) -> Option<Beside> {
        let z = self.x(x.n) + x.e;
        let is_nearer = z.abs() < x.e.abs() && self.turns.window.is_critical();
        (z.abs() <= ESCAPED).then_some(if is_nearer { Beside { n: 0, e: z } } else { x })
    }
}

impl System for AlongWindow<'_> {
    type Point = Beside;

    #[inline(always)]
    fn step(&self, Beside { n, e }: Beside) -> Beside {
        Beside { n: self.next(n), e: (2.0 * self.x(n) + e) * e + self.d }
    }

    #[inline(always)]
    fn push(&self, Beside { n, e }: Beside, linear: f64) -> f64 {
        2.0 * (self.x(n) + e) * linear
    }

    fn has_escaped(&self, x: Beside) -> bool {
        self.rebased(x).is_none()
    }
}

impl Drawn for AlongWindow<'_> {
    /// Above the middle of the view.
    #[inline(always)]
    fn ordinate(&self, Beside { n, e }: Beside) -> f64 {
        self.turns.window.heights()[n as usize] + e
    }

    fn rise(&self, slope: Beside) -> f64 {
        slope.e
    }

    fn branches(&self, period: u32) -> f64 {
        (f64::from(period) * self.turns.visible_share()).max(1.0)
    }

    #[inline(always)]
    fn next_slope(&self, x: Beside, slope: Beside) -> Beside {
        Beside { n: self.next(x.n), e: self.push(x, slope.e) + 1.0 }
    }
}

impl Point for Beside {
    type Linear = f64;
    const ORIGIN: Self = Self { n: 0, e: 0.0 };
    const IDENTITY: f64 = 1.0;

    fn distance(self, other: Self) -> f64 {
        if self.n == other.n { (self.e - other.e).abs() } else { f64::INFINITY }
    }

    fn size(self) -> f64 {
        self.e.abs()
    }

    #[inline(always)]
    fn newton(self, image: Self, derivative: f64) -> Self {
        Self { e: self.e + (image.e - self.e) / (1.0 - derivative), ..self }
    }

    fn multiplier(linear: f64) -> Complex {
        Complex::new(linear, 0.0)
    }

    fn norm(linear: f64) -> f64 {
        linear.abs()
    }

    fn scaled(linear: f64, factor: f64) -> f64 {
        linear * factor
    }
}

/// Records points of orbits that settle on no cycle.
pub struct Recorder<'a, 'b> {
    pub turns: &'a Turns<'a>,
    pub part: &'a Part<'a, InSteps<'b>>,
    /// Of the column.
    pub density: &'a mut [u32],
    /// Steps taken.
    pub steps: u64,
}

impl Recorder<'_, '_> {
    /// Goes on from `x` until chaos has forgotten it; none where the orbit escapes.
    pub fn forget(&mut self, system: &AlongWindow<'_>, mut x: Beside) -> Result<Option<Beside>, RenderError> {
        let steps = TRANSIENT * self.steps_a_visit() + TURNS_BESIDE * self.turns.window.period();
        for step in 0..steps {
            let Some(next) = system.rebased(system.step(x)) else { return Ok(None) };
            x = next;
            self.look(step)?;
        }
        self.steps += u64::from(steps);
        Ok(Some(x))
    }

    fn steps_a_visit(&self) -> u32 {
        self.turns.steps_a_visit().min(MOST_STEPS_A_VISIT)
    }

    /// Records the next points of an orbit; gives the last of them and the Lyapunov exponent over them, none where it escapes.
    pub fn record(&mut self, system: &AlongWindow<'_>, mut x: Beside) -> Result<Option<(Beside, f64)>, RenderError> {
        let steps_a_visit = self.steps_a_visit();
        let enough = u64::from(self.part.columns.task.task.kept) * u64::from(steps_a_visit);
        let takes_turns = self.turns.only_start_is_seen();
        let period = self.turns.window.period();
        let mut product = Product::one(0.0);
        // A turn is a visit, and costs no more than a step.
        let (mut spent, mut steps, mut factors) = (0, 0, 0);
        while spent < enough {
            let first = if takes_turns && x.n == 0 { self.turns.linear_first(x.e, system.d) } else { None };
            let slope = match first {
                Some(first) => {
                    let slope = self.turns.slope(x.e, system.d);
                    x.e = self.turns.linear_rest(first, system.d);
                    steps += u64::from(period);
                    spent += u64::from(steps_a_visit);
                    slope
                }
                None => {
                    let slope = system.push(x, 1.0);
                    x = system.step(x);
                    steps += 1;
                    spent += 1;
                    slope
                }
            };
            if let Some(row) = self.part.columns.row(system.ordinate(x)) {
                self.density[row] += 1;
            }
            let Some(next) = system.rebased(x) else { return Ok(None) };
            x = next;
            product.times(slope);
            factors += 1;
            if factors % Product::<f64>::FACTORS == 0 || !MILD.contains(&slope.abs()) {
                product.fold();
            }
            self.look(factors)?;
        }
        self.steps += steps;
        Ok(Some((x, product.ln() / steps.max(1) as f64)))
    }

    fn look(&self, step: u32) -> Result<(), RenderError> {
        if step.is_multiple_of(STEPS_PER_LOOK) { self.part.check() } else { Ok(()) }
    }
}
