//! How the view moves: eased zooms, pans and turns, the glide after a throw, and steady motion while a hand asks for it.
//!
//! Targets now, motion later. A step and the steady motion of the key that asked for it add up to one way: while the
//! key is held its steady motion pays for the step, and what is left of it at release is eased.

use crate::math::BigComplex;
use crate::render::Viewport;

/// Time in which an eased move covers all but 5 % of its way is three of these, in seconds.
const EASE: f64 = 0.055;
/// Time in which a thrown picture loses 63 % of its speed, in seconds.
const FRICTION: f64 = 0.25;
/// A thrown picture slower than this rests, in pixels a second; and a thrown zoom, in e-folds a second.
const REST: f64 = 8.0;
const ZOOM_REST: f64 = 0.02;
/// Largest magnification of one frame.
const MOST_PER_FRAME: f64 = std::f64::consts::LN_2;
/// A window that slept must not leap: longest time that motion makes up for in its first frame, and in later ones, in
/// seconds. Steady motion has been asked for since the first.
const LONGEST_FIRST: f64 = 0.1;
const LONGEST: f64 = 0.5;

/// A steady motion, for as long as it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Course {
    /// Views a second: x to the right, y up.
    pub pan: [f64; 2],
    /// ln of the magnification in a second.
    pub zoom: f64,
    /// The place that the zoom is about, in pixels of the canvas; none for the middle.
    pub about_px: Option<[f64; 2]>,
    /// Degrees a second that the picture turns anticlockwise.
    pub turn: f64,
}

impl Course {
    pub fn is_still(&self) -> bool {
        (self.pan, self.zoom, self.turn) == ([0.0; 2], 0.0, 0.0)
    }

    /// Both at once.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            pan: [self.pan[0] + other.pan[0], self.pan[1] + other.pan[1]],
            zoom: self.zoom + other.zoom,
            about_px: self.about_px.or(other.about_px),
            turn: self.turn + other.turn,
        }
    }
}

/// Degrees still to turn, and the rotation at the end of them.
#[derive(Clone, Copy, Debug)]
struct Turn {
    left: f64,
    to: f64,
}

/// What is still to be moved. Amounts add up, so a burst of notches ends where single ones would.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// ln of the magnification to come, and the place it is about.
    zoom: f64,
    about_px: [f64; 2],
    /// The point under that place since the zoom began.
    anchor: Option<BigComplex>,
    /// The view when it began, and the whole magnification: by 2 or ½ it ends where samples lie on samples.
    start: Option<Viewport>,
    whole: Option<f64>,
    /// Distance still to glide, in pixels.
    pan_px: [f64; 2],
    /// Speed of a thrown picture, in pixels a second.
    velocity_px: [f64; 2],
    /// Speed of a thrown zoom, in e-folds a second.
    zoom_velocity: f64,
    turn: Option<Turn>,
    course: Course,
    /// What pans by whole pixels have left to do, in pixels.
    rest_px: [f64; 2],
    /// It moved in the frame before.
    is_awake: bool,
    /// No easing: everything at once.
    pub reduced: bool,
}

impl Motion {
    /// Adds a magnification by `factor` about a place.
    pub fn zoom(&mut self, factor: f64, about_px: [f64; 2]) {
        self.set_about(about_px);
        self.whole = match self.whole {
            Some(before) => Some(before * factor),
            None => (self.zoom == 0.0).then_some(factor),
        };
        self.zoom += factor.ln();
        self.rest();
    }

    pub fn glide(&mut self, by_px: [f64; 2]) {
        self.pan_px = [self.pan_px[0] + by_px[0], self.pan_px[1] + by_px[1]];
        self.rest();
    }

    /// Adds a turn by `degrees` to the view's rotation, which is `rotation` now.
    pub fn turn(&mut self, degrees: f64, rotation: f64) {
        let Turn { left, to } = self.turn.unwrap_or(Turn { left: 0.0, to: rotation });
        self.turn = Some(Turn { left: left + degrees, to: to + degrees });
    }

    /// Turns to a rotation the short way, from `rotation`.
    pub fn turn_to(&mut self, to: f64, rotation: f64) {
        let way = (to - rotation).rem_euclid(360.0);
        self.turn = Some(Turn { left: if way > 180.0 { way - 360.0 } else { way }, to });
    }

    /// Lets the picture go with a speed, in pixels a second.
    pub fn throw(&mut self, velocity_px: [f64; 2]) {
        self.velocity_px = if self.reduced || !speed(velocity_px).is_finite() { [0.0; 2] } else { velocity_px };
    }

    /// Lets a zoom about a place go on with a speed, in e-folds a second.
    pub fn throw_zoom(&mut self, velocity: f64, about_px: [f64; 2]) {
        self.zoom_velocity = if self.reduced || !velocity.is_finite() { 0.0 } else { velocity };
        self.set_about(about_px);
        self.whole = None;
    }

    /// Moves steadily from now on; `about_px` is the place that its zoom is about.
    pub fn steer(&mut self, course: Course, about_px: [f64; 2]) {
        if course.zoom != 0.0 {
            self.set_about(about_px);
            self.whole = None;
        }
        if !course.is_still() {
            self.rest();
        }
        self.course = course;
    }

    /// The steady motion asked for.
    pub fn course(&self) -> Course {
        self.course
    }

    /// What was thrown stands still.
    pub fn rest(&mut self) {
        (self.velocity_px, self.zoom_velocity) = ([0.0; 2], 0.0);
    }

    /// Stops where it is: a press, or focus lost.
    pub fn stop(&mut self) {
        *self = Self { reduced: self.reduced, ..Self::default() };
    }

    /// The picture was moved by other means: what lies under the zoom's place is another point now.
    pub fn forget_anchor(&mut self) {
        (self.anchor, self.start, self.whole) = (None, None, None);
    }

    /// The whole pixels of a way; what is left goes with the next one, so that samples of pictures in motion coincide.
    pub fn whole_pixels(&mut self, by_px: [f64; 2]) -> [f64; 2] {
        let due = [by_px[0] + self.rest_px[0], by_px[1] + self.rest_px[1]];
        let whole = due.map(f64::round);
        self.rest_px = [due[0] - whole[0], due[1] - whole[1]];
        whole
    }

    pub fn is_moving(&self) -> bool {
        let is_thrown = self.velocity_px != [0.0; 2] || self.zoom_velocity != 0.0;
        let is_eased = self.zoom != 0.0 || self.pan_px != [0.0; 2] || self.turn.is_some();
        is_eased || is_thrown || !self.course.is_still()
    }

    /// Moves a viewport on by `seconds`; `None` where nothing moves.
    pub fn step(&mut self, viewport: &Viewport, seconds: f64) -> Option<Viewport> {
        if !self.is_moving() {
            self.is_awake = false;
            return None;
        }
        let longest = if std::mem::replace(&mut self.is_awake, true) { LONGEST } else { LONGEST_FIRST };
        let (long, seconds) = (seconds.min(LONGEST), seconds.min(longest));
        let share = if self.reduced { 1.0 } else { 1.0 - (-seconds / EASE).exp() };
        let mut moved = viewport.clone();
        let zoom = self.next_zoom(share, long) + self.next_zoom_coast(seconds);
        if zoom != 0.0 {
            let anchor = self.anchor.get_or_insert_with(|| viewport.plane_from_pixel(self.about_px));
            let start = self.start.get_or_insert_with(|| viewport.clone());
            moved = match self.whole.filter(|whole| self.zoom == 0.0 && [2.0, 0.5].contains(whole)) {
                Some(whole) => start.zoomed(whole, self.about_px),
                None => moved.zoomed_at(zoom.exp(), self.about_px, anchor),
            };
        }
        let size = viewport.size().map(f64::from);
        let glide = self.next_glide(share, [-self.course.pan[0] * size[0] * long, self.course.pan[1] * size[1] * long]);
        let coast = self.next_coast(seconds);
        let by_px = self.whole_pixels([glide[0] + coast[0], glide[1] + coast[1]]);
        if by_px != [0.0; 2] {
            moved = moved.panned(by_px);
        }
        let rotation = self.next_rotation(viewport.rotation_degrees(), share, long);
        if let Some(rotation) = rotation {
            moved = moved.with_rotation(rotation).expect("sums of finite angles");
        }
        let is_still = self.zoom == 0.0 && self.zoom_velocity == 0.0 && self.course.zoom == 0.0;
        if is_still || rotation.is_some() || by_px != [0.0; 2] {
            self.forget_anchor();
        }
        Some(moved)
    }

    fn set_about(&mut self, about_px: [f64; 2]) {
        if self.about_px != about_px {
            self.about_px = about_px;
            self.forget_anchor();
        }
    }

    /// This frame's part of the zoom; the last part takes all that is left, so sums come out exactly.
    fn next_zoom(&mut self, share: f64, seconds: f64) -> f64 {
        let steady = self.course.zoom * seconds;
        if steady * self.zoom > 0.0 {
            self.zoom = left_after(self.zoom, steady);
            return steady;
        }
        let most = if self.reduced { f64::INFINITY } else { MOST_PER_FRAME };
        let part = if self.zoom.abs() < 2e-3 { self.zoom } else { (self.zoom * share).clamp(-most, most) };
        self.zoom -= part;
        part + steady
    }

    fn next_zoom_coast(&mut self, seconds: f64) -> f64 {
        if self.zoom_velocity.abs() < ZOOM_REST {
            self.zoom_velocity = 0.0;
            return 0.0;
        }
        let kept = (-seconds / FRICTION).exp();
        let way = self.zoom_velocity * FRICTION * (1.0 - kept);
        self.zoom_velocity *= kept;
        way
    }

    /// The eased part, and the steady one, which pays for what it has the direction of.
    fn next_glide(&mut self, share: f64, steady: [f64; 2]) -> [f64; 2] {
        let is_paid = [0, 1].map(|i| steady[i] * self.pan_px[i] > 0.0);
        let due = [0, 1].map(|i| if is_paid[i] { 0.0 } else { self.pan_px[i] });
        let part = if speed(due) < 0.5 { due } else { due.map(|d| d * share) };
        for i in [0, 1] {
            self.pan_px[i] = if is_paid[i] { left_after(self.pan_px[i], steady[i]) } else { self.pan_px[i] - part[i] };
        }
        [part[0] + steady[0], part[1] + steady[1]]
    }

    fn next_coast(&mut self, seconds: f64) -> [f64; 2] {
        if speed(self.velocity_px) < REST {
            self.velocity_px = [0.0; 2];
            return [0.0; 2];
        }
        let kept = (-seconds / FRICTION).exp();
        let way = self.velocity_px.map(|v| v * FRICTION * (1.0 - kept));
        self.velocity_px = self.velocity_px.map(|v| v * kept);
        way
    }

    /// The rotation after this frame, where it changes. A turn that was asked for ends at its angle exactly.
    fn next_rotation(&mut self, rotation: f64, share: f64, seconds: f64) -> Option<f64> {
        let steady = -self.course.turn * seconds;
        let Some(turn) = &mut self.turn else { return (steady != 0.0).then_some(rotation + steady) };
        if steady * turn.left > 0.0 {
            turn.left = left_after(turn.left, steady);
            if turn.left == 0.0 {
                self.turn = None;
            }
            return Some(rotation + steady);
        }
        if turn.left.abs() < 0.05 || share == 1.0 {
            return self.turn.take().map(|turn| turn.to + steady);
        }
        let part = turn.left * share;
        turn.left -= part;
        turn.to += steady;
        Some(rotation + part + steady)
    }
}

/// What is left of an amount after `paid` of the same sign.
fn left_after(amount: f64, paid: f64) -> f64 {
    if paid.abs() >= amount.abs() { 0.0 } else { amount - paid }
}

fn speed(v: [f64; 2]) -> f64 {
    v[0].hypot(v[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Mandelbrot, View as _};

    fn settle(motion: &mut Motion, mut viewport: Viewport) -> (Viewport, f64) {
        let mut seconds = 0.0;
        while let Some(moved) = motion.step(&viewport, 1.0 / 60.0) {
            viewport = moved;
            seconds += 1.0 / 60.0;
            assert!(seconds < 30.0, "never rests");
        }
        (viewport, seconds)
    }

    #[test]
    fn the_same_distance_zooms_the_same_however_it_is_cut() {
        let home = Mandelbrot::at_home([800, 600]).viewport().clone();
        let height = |parts: u32| {
            let mut motion = Motion::default();
            let mut viewport = home.clone();
            for _ in 0..parts {
                motion.zoom((1.0 / f64::from(parts)).exp(), [100.0, 50.0]);
                viewport = motion.step(&viewport, 1.0 / 60.0).unwrap_or(viewport);
            }
            settle(&mut motion, viewport).0.height().to_f64()
        };
        for parts in [5, 50] {
            assert!((height(parts) / height(1) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_notch_is_eased_over_a_fifth_of_a_second_and_rests() {
        let home = Mandelbrot::at_home([800, 600]).viewport().clone();
        let mut motion = Motion::default();
        motion.zoom(1.25, [400.0, 300.0]);
        let (there, seconds) = settle(&mut motion, home.clone());
        assert!((0.1..0.4).contains(&seconds), "{seconds} s");
        assert!((there.height().to_f64() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_picture_moved_during_a_zoom_does_not_jump_back() {
        let home = Mandelbrot::at_home([800, 600]).viewport().clone();
        let mut motion = Motion::default();
        motion.zoom(4.0, [100.0, 50.0]);
        let moved = motion.step(&home, 1.0 / 60.0).unwrap().panned([30.0, 0.0]);
        motion.forget_anchor();
        let point = moved.plane_from_pixel([100.0, 50.0]);
        let [x, y] = motion.step(&moved, 1.0 / 60.0).unwrap().pixel_from_plane(&point);
        assert!((x - 100.0).abs() < 1e-4 && (y - 50.0).abs() < 1e-4, "{x}, {y}");
    }

    #[test]
    fn a_throw_glides_and_stops_and_a_press_ends_it() {
        let home = Mandelbrot::at_home([800, 600]).viewport().clone();
        let mut motion = Motion::default();
        motion.throw([1000.0, 0.0]);
        let (_, seconds) = settle(&mut motion, home);
        assert!((0.3..2.5).contains(&seconds), "{seconds} s");
        motion.throw([1000.0, 0.0]);
        motion.stop();
        assert!(!motion.is_moving());
    }
}
