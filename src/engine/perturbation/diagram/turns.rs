//! Whole turns about a window: the p steps from X_0 back to it.
//!
//! The first is e ← (2X_0 + e)·e + d. While what follows is so small that its squares are below rounding, the other p − 1 steps are
//! e ← A·e + B·d; of the nucleus of a narrow window that is the case for all that stays in it, and a turn is x² + c again, on
//! another scale.

use crate::fractal::attractor::Effort;
use crate::fractal::system::System;
use crate::fractal::window::Window;

/// Share of a step that may be left out: far below a pixel.
const EPSILON: f64 = 1.0 / (1_u64 << 30) as f64;
/// How far out, in units of the window, an orbit has left it for good.
const FARTHEST: f64 = 4.0;
/// Most steps of an orbit before its cycle is looked for, where turns are not linear.
const MOST_STEPS: u32 = 1 << 21;
/// Turns about a cycle after which orbits at the edges of the view tell its scale, and those that tell where they pass.
const TURNS: u32 = 4096;
const SAMPLED_TURNS: u32 = 256;
/// Parameters across the view that are tried for that, an odd number.
const SAMPLES: u32 = 17;

/// The turns of a window.
pub struct Turns<'a> {
    pub window: &'a Window,
    a: f64,
    b: f64,
    /// Largest |e| after the first step for which the others are linear.
    radius: f64,
    /// What e is multiplied by to lie within some units of 0.
    scale: f64,
    /// Whether the points of each step may be in view.
    visible: Vec<bool>,
}

impl<'a> Turns<'a> {
    /// For a view of that half width and half height.
    pub fn new(window: &'a Window, half_width: f64, half_height: f64) -> Self {
        let (mut a, mut b, mut radius) = (1.0_f64, 0.0_f64, f64::INFINITY);
        let farthest = window.offset().abs() + half_width;
        for &x in &window.points()[1..] {
            radius = radius.min((EPSILON * x.abs() - b.abs() * farthest) / a.abs());
            (a, b) = (2.0 * x * a, 2.0 * x * b + 1.0);
        }
        let is_finite = a.is_finite() && b.is_finite();
        let radius = if is_finite && radius > 0.0 { radius } else { 0.0 };
        let mut turns = Self { window, a, b, radius, scale: 1.0, visible: Vec::new() };
        turns.scale = if window.is_critical() && is_finite { a } else { turns.scale_about_cycle(half_width) };
        turns.visible = turns.seen(half_width, half_height);
        turns
    }

    /// So that orbits at the edges of the view come to rest at about 1.
    fn scale_about_cycle(&self, half_width: f64) -> f64 {
        let end = |d: f64| (0..TURNS).fold(0.0, |e: f64, _| self.turn(e, d).clamp(-1.0, 1.0)).abs();
        let offset = self.window.offset();
        let largest = end(offset - half_width).max(end(offset + half_width));
        if largest > 0.0 { 1.0 / largest } else { 1.0 }
    }

    /// Which steps lead into a view: by orbits of parameters across it.
    fn seen(&self, half_width: f64, half_height: f64) -> Vec<bool> {
        let mut most = vec![0.0_f64; self.window.points().len()];
        for sample in 0..SAMPLES {
            let d = self.window.offset() + half_width * (f64::from(sample) / f64::from(SAMPLES / 2) - 1.0);
            let mut e = 0.0_f64;
            for _ in 0..SAMPLED_TURNS {
                if !((e * self.scale).abs() <= FARTHEST) {
                    break;
                }
                for (x, most) in self.window.points().iter().zip(&mut most) {
                    *most = most.max(e.abs());
                    e = (2.0 * x + e) * e + d;
                }
            }
        }
        let is_seen = |(height, most): (&f64, f64)| height.abs() <= half_height + 1.5 * most;
        self.window.heights().iter().zip(most).map(is_seen).collect()
    }

    /// Whether all that stays in the window takes turns that are linear but for their first steps.
    fn is_narrow(&self) -> bool {
        let farthest = FARTHEST / self.scale;
        self.window.is_critical() && self.radius > 2.0 * farthest * farthest
    }

    /// As hard a look at whole turns as was asked for; where each step of a turn is taken, no more than so many of them.
    pub fn effort(&self, asked: Effort) -> Effort {
        let turns = MOST_STEPS / self.window.period();
        let at_most = |asked: u32, least: u32| if self.is_narrow() { asked } else { asked.min(turns.max(least)) };
        Effort {
            transient: at_most(asked.transient, 64),
            most_period: at_most(asked.most_period, 16),
            most_transient: at_most(asked.most_transient, 64),
        }
    }

    fn seen_steps(&self) -> usize {
        self.visible.iter().filter(|seen| **seen).count()
    }

    /// Steps of which one leads into the view.
    pub fn steps_a_visit(&self) -> u32 {
        self.window.period().div_ceil(self.seen_steps().max(1) as u32)
    }

    /// Share of the steps that lead into the view.
    pub fn visible_share(&self) -> f64 {
        self.seen_steps() as f64 / self.visible.len() as f64
    }

    /// Whether of all steps only those to X_0 lead into the view.
    pub fn only_start_is_seen(&self) -> bool {
        self.visible.iter().enumerate().all(|(n, seen)| *seen == (n == 0))
    }

    /// e after the first step, where the others are linear.
    #[inline(always)]
    pub fn linear_first(&self, e: f64, d: f64) -> Option<f64> {
        let first = (2.0 * self.window.points()[0] + e) * e + d;
        (first.abs() < self.radius).then_some(first)
    }

    /// Where linear steps lead from there.
    #[inline(always)]
    pub fn linear_rest(&self, first: f64, d: f64) -> f64 {
        self.a * first + self.b * d
    }

    /// A turn.
    #[inline(always)]
    fn turn(&self, e: f64, d: f64) -> f64 {
        match self.linear_first(e, d) {
            Some(first) => self.linear_rest(first, d),
            None => self.window.points().iter().fold(e, |e, x| (2.0 * x + e) * e + d),
        }
    }

    /// The derivative of a turn at e.
    #[inline(always)]
    pub fn slope(&self, e: f64, d: f64) -> f64 {
        if self.linear_first(e, d).is_some() {
            return 2.0 * (self.window.points()[0] + e) * self.a;
        }
        let step = |(e, slope): (f64, f64), x: &f64| ((2.0 * x + e) * e + d, 2.0 * (x + e) * slope);
        self.window.points().iter().fold((e, 1.0), step).1
    }

    /// The turns at c0 + `d`.
    pub fn at(&self, d: f64) -> Turning<'_> {
        Turning { turns: self, d }
    }
}

/// Turns at one parameter, as steps on the scale of the window.
#[derive(Clone, Copy)]
pub struct Turning<'a> {
    turns: &'a Turns<'a>,
    d: f64,
}

impl Turning<'_> {
    /// e of a point.
    #[inline(always)]
    pub fn unscaled(&self, [y]: [f64; 1]) -> f64 {
        y / self.turns.scale
    }
}

impl System for Turning<'_> {
    type Point = [f64; 1];

    #[inline(always)]
    fn step(&self, y: [f64; 1]) -> [f64; 1] {
        [self.turns.turn(self.unscaled(y), self.d) * self.turns.scale]
    }

    #[inline(always)]
    fn push(&self, y: [f64; 1], [[linear]]: [[f64; 1]; 1]) -> [[f64; 1]; 1] {
        [[self.turns.slope(self.unscaled(y), self.d) * linear]]
    }

    #[inline(always)]
    fn has_escaped(&self, [y]: [f64; 1]) -> bool {
        !(y.abs() <= FARTHEST)
    }
}
