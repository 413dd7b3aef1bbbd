//! Eased zooms and pans, and the glide after a drag: targets now, motion later.

use crate::math::BigComplex;
use crate::render::Viewport;

/// Time in which an eased move covers all but 5 % of its way is three of these, in seconds.
const EASE: f64 = 0.055;
/// Time in which a thrown picture loses 63 % of its speed, in seconds.
const FRICTION: f64 = 0.25;
/// A thrown picture slower than this rests, in pixels a second.
const REST: f64 = 8.0;
/// Largest magnification of one frame.
const MOST_PER_FRAME: f64 = std::f64::consts::LN_2;

/// What is still to be moved. Amounts add up, so a burst of notches ends where single ones would.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// ln of the magnification to come, and the place it is about.
    zoom: f64,
    about_px: [f64; 2],
    /// The point under that place since the zoom began.
    anchor: Option<BigComplex>,
    /// Distance still to glide, in pixels.
    pan_px: [f64; 2],
    /// Speed of a thrown picture, in pixels a second.
    velocity_px: [f64; 2],
    /// No easing: everything at once.
    pub reduced: bool,
}

impl Motion {
    /// Adds a magnification by `factor` about a place.
    pub fn zoom(&mut self, factor: f64, about_px: [f64; 2]) {
        self.zoom += factor.ln();
        if self.about_px != about_px {
            self.about_px = about_px;
            self.anchor = None;
        }
        self.velocity_px = [0.0; 2];
    }

    pub fn glide(&mut self, by_px: [f64; 2]) {
        self.pan_px = [self.pan_px[0] + by_px[0], self.pan_px[1] + by_px[1]];
        self.velocity_px = [0.0; 2];
    }

    /// Lets the picture go with a speed, in pixels a second.
    pub fn throw(&mut self, velocity_px: [f64; 2]) {
        self.velocity_px = if self.reduced || !speed(velocity_px).is_finite() { [0.0; 2] } else { velocity_px };
    }

    /// Stops where it is: a press, or focus lost.
    pub fn stop(&mut self) {
        *self = Self { reduced: self.reduced, ..Self::default() };
    }

    /// The picture was moved by other means: what lies under the zoom's place is another point now.
    pub fn forget_anchor(&mut self) {
        self.anchor = None;
    }

    pub fn is_moving(&self) -> bool {
        self.zoom != 0.0 || self.pan_px != [0.0; 2] || self.velocity_px != [0.0; 2]
    }

    /// Moves a viewport on by `seconds`; `None` where nothing moves.
    pub fn step(&mut self, viewport: &Viewport, seconds: f64) -> Option<Viewport> {
        if !self.is_moving() {
            return None;
        }
        let share = if self.reduced { 1.0 } else { 1.0 - (-seconds / EASE).exp() };
        let mut moved = viewport.clone();
        let zoom = self.next_zoom(share);
        if zoom != 0.0 {
            let anchor = self.anchor.get_or_insert_with(|| viewport.plane_from_pixel(self.about_px));
            moved = moved.zoomed_at(zoom.exp(), self.about_px, anchor);
        }
        let glide = self.next_glide(share);
        let coast = self.next_coast(seconds);
        let by_px = [glide[0] + coast[0], glide[1] + coast[1]];
        if by_px != [0.0; 2] {
            moved = moved.panned(by_px);
            self.anchor = None;
        }
        if self.zoom == 0.0 {
            self.anchor = None;
        }
        Some(moved)
    }

    /// This frame's part of the zoom; the last part takes all that is left, so sums come out exactly.
    fn next_zoom(&mut self, share: f64) -> f64 {
        let most = if self.reduced { f64::INFINITY } else { MOST_PER_FRAME };
        let part = if self.zoom.abs() < 2e-3 { self.zoom } else { (self.zoom * share).clamp(-most, most) };
        self.zoom -= part;
        part
    }

    fn next_glide(&mut self, share: f64) -> [f64; 2] {
        let part = if speed(self.pan_px) < 0.5 { self.pan_px } else { self.pan_px.map(|d| d * share) };
        self.pan_px = [self.pan_px[0] - part[0], self.pan_px[1] - part[1]];
        part
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
