//! Moving about: pans, zooms and jumps, the places they leave behind, and the ways between views.

use super::State;
use crate::app::history::Timeline;
use crate::app::motion::Motion;
use crate::render::Viewport;
use crate::view::{Julia, Mandelbrot, ParamValue, View};

/// Moves closer together than this are one step of the history, in seconds.
pub(super) const BURST: f64 = 0.6;
/// Farthest out: beyond this there is nothing but empty plane.
const MOST_HEIGHT: f64 = 1e4;

/// A view's key and where it was.
pub(super) type Place = (&'static str, Viewport);

impl State {
    pub(super) fn middle(&self) -> [f64; 2] {
        self.viewport().size().map(|s| f64::from(s) / 2.0)
    }

    /// Puts the view at a viewport; views that would be endless emptiness stay where they are.
    pub(super) fn place(&mut self, viewport: Viewport) {
        let outwards = viewport.height() > self.viewport().height();
        if outwards && viewport.height().to_f64() > MOST_HEIGHT {
            self.motion.stop();
            self.complain(format!("farther out than height {MOST_HEIGHT} there is only empty plane"));
            return;
        }
        self.view.set_viewport(viewport);
    }

    /// A move that belongs to the burst before it, or starts a new step of the history.
    pub(super) fn navigate(&mut self, to: impl FnOnce(&Viewport) -> Viewport) {
        self.begin_move();
        let there = to(self.view.viewport());
        self.place(there);
        self.motion.forget_anchor();
    }

    /// A move that is a step of its own.
    pub(super) fn jump(&mut self, to: impl FnOnce(&dyn View) -> Viewport) {
        self.motion.stop();
        let there = to(self.view.as_ref());
        if &there != self.view.viewport() {
            self.remember();
            self.places.remember(self.here());
            self.place(there);
            self.last_move = f64::NEG_INFINITY;
        }
    }

    pub(super) fn begin_move(&mut self) {
        if self.clock - self.last_move > BURST {
            self.remember();
            self.places.remember(self.here());
        }
        self.last_move = self.clock;
    }

    pub(super) fn start_moving(&mut self, how: impl FnOnce(&mut Motion)) {
        self.begin_move();
        how(&mut self.motion);
    }

    pub(super) fn glide_by(&mut self, share: [f64; 2]) {
        let [width, height] = self.viewport().size().map(f64::from);
        // Going right takes the picture to the left.
        self.start_moving(|m| m.glide([-share[0] * width, share[1] * height]));
    }

    pub(super) fn zoom(&mut self, factor: f64, about_px: [f64; 2]) {
        if factor.is_finite() && factor > 0.0 && factor != 1.0 {
            self.start_moving(|m| m.zoom(factor, about_px));
        }
    }

    pub(super) fn zoom_now(&mut self, factor: f64, about_px: [f64; 2]) {
        // A pinch may report NaN; it then means nothing.
        if factor.is_finite() && factor > 0.0 && factor != 1.0 {
            self.navigate(|v| v.zoomed(factor, about_px));
        }
    }

    pub(super) fn zoom_to_box(&mut self, from_px: [f64; 2], to_px: [f64; 2]) {
        let [width, height] = self.viewport().size().map(f64::from);
        let sides = [(from_px[0] - to_px[0]).abs() / width, (from_px[1] - to_px[1]).abs() / height];
        let share = sides[0].max(sides[1]);
        // A box of a few pixels is a slip of the hand.
        if !sides.iter().all(|side| side.is_finite()) || share * width.min(height) < 4.0 {
            return;
        }
        let centre = [(from_px[0] + to_px[0]) / 2.0, (from_px[1] + to_px[1]) / 2.0];
        self.jump(|view| {
            let viewport = view.viewport();
            let middle = [width / 2.0, height / 2.0];
            viewport.panned([middle[0] - centre[0], middle[1] - centre[1]]).zoomed(1.0 / share, middle)
        });
    }

    /// The view shown and its place.
    pub(super) fn here(&self) -> Place {
        (self.view.key(), self.viewport().clone())
    }

    pub(super) fn step_place(&mut self, step: fn(&mut Timeline<Place>, Place) -> Result<Place, Place>, none: &str) {
        self.motion.stop();
        let here = self.here();
        match step(&mut self.places, here) {
            Ok((view, viewport)) => {
                self.remember();
                self.show_view(view);
                self.come_back_to(viewport);
            }
            Err(_) => self.say(none),
        }
    }

    /// Shows an earlier place at the canvas's present size.
    pub(super) fn come_back_to(&mut self, viewport: Viewport) {
        let there = viewport.with_size(self.size).unwrap_or(viewport);
        self.view.set_viewport(there);
        self.last_move = f64::NEG_INFINITY;
    }

    /// Brings another view to the front, as it was left.
    pub(super) fn show_view(&mut self, key: &str) {
        let Some(index) = self.others.iter().position(|view| view.key() == key) else { return };
        std::mem::swap(&mut self.view, &mut self.others[index]);
        self.motion.stop();
        let viewport = self.viewport().clone();
        self.come_back_to(viewport);
    }

    pub(super) fn go_to_view(&mut self, key: &str) {
        let keys: Vec<&str> = self.views().into_iter().map(|(key, _)| key).collect();
        if !keys.contains(&key) {
            self.complain(format!("there is no view {key:?}; choose one of {}", keys.join(", ")));
        } else if key != self.view.key() {
            self.remember();
            self.places.remember(self.here());
            self.show_view(key);
        }
    }

    pub(super) fn turn_view(&mut self, by: isize) {
        let views = self.views();
        let at = views.iter().position(|(key, _)| *key == self.view.key()).unwrap_or(0) as isize;
        self.go_to_view(views[(at + by).rem_euclid(views.len() as isize) as usize].0);
        self.say(self.view.title());
    }

    /// The Julia set of the point under the pointer, or of the centre; from a Julia set, back to its point's view.
    pub(super) fn julia_here(&mut self) {
        if self.view.key() == Julia::KEY {
            return self.go_to_view(Mandelbrot::KEY);
        }
        let viewport = self.viewport();
        let pointed = || self.pointer_px.map(|px| viewport.plane_from_pixel(px));
        let c = self.inspected().or_else(pointed).unwrap_or_else(|| viewport.center().clone());
        let formula = self.view.params().into_iter().find(|p| p.key == "formula").map(|p| p.value);
        self.go_to_view(Julia::KEY);
        let _ = self.view.set_param("c", ParamValue::Point(c));
        if let Some(formula) = formula {
            let _ = self.view.set_param("formula", formula);
        }
        self.view.set_viewport(self.view.home(self.size));
    }

    pub(super) fn resize(&mut self, size: [u32; 2]) {
        if size.contains(&0) {
            return;
        }
        self.size = size;
        if let Ok(resized) = self.viewport().with_size(size)
            && size != self.viewport().size()
        {
            self.view.set_viewport(resized);
            self.motion.forget_anchor();
        }
    }
}
