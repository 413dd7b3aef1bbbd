//! Flies into the set by itself: towards detail, smoothly, and back out where there is none.
//!
//! [`Glance`] says how much there is to see around each of a view's samples; [`Autopilot`] chooses a point, makes for it,
//! and chooses anew with every glance. Both are pure: the same glances and the same frames give the same flight.

use super::motion::Course;
use crate::math::BigComplex;
use crate::math::philox::{philox, unit_f64};
use crate::render::{Lattice, Viewport};

/// Samples on each side of one that count as its neighbourhood: what will fill the view soon, and a little later.
const NEAR: [usize; 2] = [4, 2];
/// A view with more than this share of its samples alike has nothing to show.
const BLANK: f64 = 0.9;
/// Bits of detail that a point must be better by for each view's height that it is farther from the present aim.
const FAITH: f64 = 2.5;
/// Bits that chance adds at most.
const WHIM: f64 = 0.4;
/// Octaves beyond the last glance at which the flight waits for the next, and from where on it slows down.
const BLIND: [f64; 2] = [0.5, 1.2];
/// Time constants of speed and direction, in seconds.
const SPEED_EASE: f64 = 0.45;
const AIM_EASE: f64 = 0.35;
/// The aim wanders to the middle by this share of its distance in a second.
const CENTRING: f64 = 0.35;
/// Seconds outwards where detail was lost, and at the end of all depth at least and at most.
const LOST: f64 = 1.0;
const TURN_BACK: [f64; 2] = [4.0, 9.0];
/// Out here the whole is in view, as plane height.
const OUTERMOST: f64 = 3.0;
/// Where nothing is in view, it may lie farther out.
const OUTERMOST_LOST: f64 = 1e3;

/// What few samples of a view show.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    pub viewport: Viewport,
    lattice: Lattice,
    columns: usize,
    /// Entropy of the counts around each sample, in bits.
    detail: Vec<f64>,
    /// Share of the samples that have the commonest count.
    alike: f64,
}

impl Glance {
    /// Of `counts` on a lattice of the viewport's pixels, row by row.
    pub fn new(viewport: Viewport, lattice: Lattice, columns: usize, counts: &[u32]) -> Self {
        let rows = counts.len().checked_div(columns).unwrap_or(0);
        let around = |at: usize, reach: usize| {
            let (x, y) = (at % columns, at / columns);
            let across = x.saturating_sub(reach)..(x + reach + 1).min(columns);
            let down = y.saturating_sub(reach)..(y + reach + 1).min(rows);
            entropy(down.flat_map(|y| counts[y * columns + across.start..y * columns + across.end].iter().copied()))
        };
        let detail = (0..columns * rows).map(|at| NEAR.iter().map(|&reach| around(at, reach)).sum()).collect();
        Self { viewport, lattice, columns, detail, alike: commonest(counts) }
    }

    /// True where there is nothing to see; from afar even a speck is something.
    pub fn is_blank(&self) -> bool {
        let is_afar = self.viewport.height().to_f64() > OUTERMOST;
        if is_afar { self.detail.iter().all(|&detail| detail == 0.0) } else { self.alike > BLANK }
    }

    fn place_px(&self, at: usize) -> [f64; 2] {
        let stride = f64::from(self.lattice.stride);
        [at % self.columns, at / self.columns].map(|i| (i as f64 + 0.5) * stride)
    }
}

/// A flight.
#[derive(Clone, Debug)]
pub struct Autopilot {
    seed: u32,
    draws: u32,
    /// The point that it makes for, and the place of the picture that the zoom is about now.
    aim: Option<BigComplex>,
    about_px: Option<[f64; 2]>,
    /// Of the full speed: 1 inwards, −1 outwards.
    speed: f64,
    /// log₂ of the height of the last glance.
    seen: Option<f64>,
    /// Seconds to go outwards.
    outwards: f64,
    /// There was nothing to see at the last glance.
    is_lost: bool,
}

impl Autopilot {
    pub fn new(seed: u32) -> Self {
        Self { seed, draws: 0, aim: None, about_px: None, speed: 0.0, seen: None, outwards: 0.0, is_lost: false }
    }

    /// Takes a look, and chooses where to go.
    pub fn see(&mut self, glance: &Glance) {
        self.seen = Some(glance.viewport.height().to_float_exp().log2());
        self.is_lost = glance.is_blank();
        if self.is_lost {
            self.outwards = self.outwards.max(LOST);
            self.aim = None;
            return;
        }
        let [width, height] = glance.viewport.size().map(f64::from);
        let (from, faith) = match &self.aim {
            Some(aim) => (glance.viewport.pixel_from_plane(aim), FAITH),
            // Nothing is held to: the middle is a little better than the rim.
            None => ([width / 2.0, height / 2.0], FAITH / 5.0),
        };
        let mut best = (f64::NEG_INFINITY, None);
        for at in 0..glance.detail.len() {
            let [x, y] = glance.place_px(at);
            let way = (x - from[0]).hypot(y - from[1]) / height;
            let score = glance.detail[at] - faith * way + WHIM * self.chance();
            if score > best.0 {
                best = (score, Some([x, y]));
            }
        }
        self.aim = best.1.map(|px| glance.viewport.plane_from_pixel(px));
    }

    /// The view cannot be drawn: back out, and somewhere else.
    pub fn turn_back(&mut self) {
        self.seen = None;
        self.aim = None;
        self.outwards = TURN_BACK[0] + (TURN_BACK[1] - TURN_BACK[0]) * self.chance();
    }

    /// Where to go in the next `seconds` from a view, at `full` e-folds a second.
    pub fn course(&mut self, viewport: &Viewport, full: f64, seconds: f64) -> Course {
        let height = viewport.height().to_float_exp();
        let outermost = if self.is_lost { OUTERMOST_LOST } else { OUTERMOST };
        self.outwards = if height.to_f64() > outermost { 0.0 } else { (self.outwards - seconds).max(0.0) };
        let blind = self.seen.map_or(0.0, |seen| seen - height.log2());
        let wanted = match &self.aim {
            _ if self.outwards > 0.0 => -1.0,
            None => 0.0,
            Some(_) => ((BLIND[1] - blind) / (BLIND[1] - BLIND[0])).clamp(0.0, 1.0),
        };
        self.speed += (wanted - self.speed) * (1.0 - (-seconds / SPEED_EASE).exp());
        let [width, rows] = viewport.size().map(f64::from);
        let middle = [width / 2.0, rows / 2.0];
        let target = match &self.aim {
            Some(aim) if self.outwards == 0.0 => viewport.pixel_from_plane(aim),
            _ => middle,
        };
        let target = [target[0].clamp(0.0, width), target[1].clamp(0.0, rows)];
        let from = self.about_px.unwrap_or(middle);
        let share = 1.0 - (-seconds / AIM_EASE).exp();
        let about = [0, 1].map(|i| from[i] + (target[i] - from[i]) * share);
        self.about_px = Some(about);
        let centring = CENTRING * self.speed.max(0.0);
        let pan = [(target[0] - middle[0]) / width * centring, (middle[1] - target[1]) / rows * centring];
        Course { pan, zoom: full * self.speed, about_px: Some(about), turn: 0.0 }
    }

    /// A number of the flight's own, 0 to 1.
    fn chance(&mut self) -> f64 {
        self.draws = self.draws.wrapping_add(1);
        unit_f64(philox([self.draws, 0, 0, 0], [self.seed, 0])[0])
    }
}

/// Entropy of numbers, in bits: 0 where all are alike, log₂ n where n are all different.
fn entropy(numbers: impl Iterator<Item = u32>) -> f64 {
    let mut sorted: Vec<u32> = numbers.collect();
    sorted.sort_unstable();
    let all = sorted.len() as f64;
    sorted.chunk_by(|a, b| a == b).map(|alike| alike.len() as f64 / all).map(|share| -share * share.log2()).sum()
}

/// Share of the commonest of some numbers.
fn commonest(numbers: &[u32]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|a, b| a == b).map(<[u32]>::len).max();
    most.map_or(1.0, |most| most as f64 / numbers.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Mandelbrot, View as _};

    fn glance(count: impl Fn(usize, usize) -> u32) -> Glance {
        let viewport = Mandelbrot::at_home([640, 400]).viewport().clone();
        let counts: Vec<u32> = (0..25).flat_map(|y| (0..40).map(move |x| (x, y))).map(|(x, y)| count(x, y)).collect();
        Glance::new(viewport, Lattice::coarse(16), 40, &counts)
    }

    #[test]
    fn it_makes_for_detail_and_leaves_what_is_blank() {
        let speckled =
            glance(|x, y| if (25..35).contains(&x) && (5..15).contains(&y) { (x * 7 + y * 13) as u32 } else { 3 });
        for seed in 0..20 {
            let mut pilot = Autopilot::new(seed);
            pilot.see(&speckled);
            let [x, y] = speckled.viewport.pixel_from_plane(pilot.aim.as_ref().unwrap());
            assert!((380.0..580.0).contains(&x) && (60.0..260.0).contains(&y), "seed {seed}: {x}, {y}");
            let inwards = (0..60).map(|_| pilot.course(&speckled.viewport, 1.0, 0.05).zoom).last().unwrap();
            assert!(inwards > 0.9, "{inwards}");
            pilot.see(&glance(|_, _| 7));
            let outwards = (0..15).map(|_| pilot.course(&speckled.viewport, 1.0, 0.05).zoom).last().unwrap();
            assert!(outwards < 0.0, "{outwards}");
        }
    }

    #[test]
    fn a_flight_is_its_seeds_and_changes_speed_smoothly() {
        let views = [glance(|x, y| (x ^ y) as u32), glance(|x, _| x as u32), glance(|_, _| 0)];
        let fly = |seed| {
            let mut pilot = Autopilot::new(seed);
            let mut courses = Vec::new();
            for frame in 0..400 {
                if frame % 40 == 0 {
                    pilot.see(&views[frame / 40 % 3]);
                }
                courses.push(pilot.course(&views[0].viewport, 1.0, 1.0 / 60.0));
            }
            courses
        };
        assert_eq!(fly(1), fly(1));
        assert_ne!(fly(1), fly(2));
        let steepest = fly(3).windows(2).map(|pair| (pair[1].zoom - pair[0].zoom).abs()).fold(0.0, f64::max);
        assert!(steepest < 0.1, "{steepest} of full speed within a frame");
    }
}
