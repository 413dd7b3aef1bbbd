//! Moving about: pans, zooms and jumps, the places they leave behind, and the ways between views.

use super::{Half, State};
use crate::app::history::Timeline;
use crate::app::motion::{Course, Motion};
use crate::fractal::FormulaId;
use crate::math::BigComplex;
use crate::render::{SpaceAxis, Viewport};
use crate::view::{Julia, Mandelbrot, ParamValue, Spatial, Steer, View};

/// Moves closer together than this are one step of the history, in seconds.
pub(super) const BURST: f64 = 0.6;
/// Farthest out: beyond this there is nothing but empty plane.
const MOST_HEIGHT: f64 = 1e4;

/// A view's key and where it was.
pub(super) type Place = (&'static str, Viewport);

/// A pinch under way, about one place: all of it from where it began, so that out and back is nothing.
pub(super) struct Pinch {
    from: Viewport,
    about_px: [f64; 2],
    /// ln of the magnification so far.
    log: f64,
    shown: Viewport,
}

/// A pinch that comes back this near to where it began, in e-folds, is back: sums of logarithms have roundings.
const PINCH_BACK: f64 = 1e-12;

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
        self.stage.set_viewport(viewport);
    }

    /// A move that belongs to the burst before it, or starts a new step of the history.
    pub(super) fn navigate(&mut self, to: impl FnOnce(&Viewport) -> Viewport) {
        self.begin_move();
        let there = to(self.viewport());
        self.place(there);
        self.motion.forget_anchor();
    }

    /// A move that is a step of its own.
    pub(super) fn jump(&mut self, to: impl FnOnce(&dyn View) -> Viewport) {
        self.motion.stop();
        let there = to(self.view());
        if &there != self.viewport() {
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

    /// Cameras are moved at once.
    pub(super) fn start_moving(&mut self, how: impl FnOnce(&mut Motion)) {
        if self.view().camera().is_some() {
            return;
        }
        self.begin_move();
        how(&mut self.motion);
    }

    /// Lets motion go on.
    pub(super) fn move_on(&mut self, seconds: f64) {
        if self.view().camera().is_some() {
            return self.steer_on(seconds.min(0.1));
        }
        if let Some(moved) = self.motion.step(self.stage.view().viewport(), seconds) {
            self.place(moved);
            self.last_move = self.clock;
        }
    }

    /// Lets a camera go on as keys that are held ask for it.
    fn steer_on(&mut self, seconds: f64) {
        let Course { pan, zoom, turn, .. } = self.motion.course();
        let [width, height] = self.viewport().size().map(f64::from);
        let turned = turn.to_radians() / Spatial::TURN;
        let by_px = [(turned - pan[0] * width) * seconds, pan[1] * height * seconds];
        self.stage.steer(Steer::Turn { by_px });
        self.stage.steer(Steer::Zoom { factor: (zoom * seconds).exp() });
    }

    pub(super) fn cruise(&mut self, course: Course) {
        let is_sane = [course.pan[0], course.pan[1], course.zoom, course.turn].iter().all(|rate| rate.is_finite());
        if !is_sane || (course.is_still() && self.motion.course().is_still()) {
            return;
        }
        let about_px = course.about_px.map(|px| self.focus_at(px));
        let middle = self.middle();
        let turn = if self.why_upright().is_none() || self.view().camera().is_some() { course.turn } else { 0.0 };
        if !course.is_still() && self.view().camera().is_none() {
            self.begin_move();
        }
        self.motion.steer(Course { turn, ..course }, about_px.unwrap_or(middle));
    }

    pub(super) fn throw_zoom(&mut self, speed: f64, about_px: [f64; 2]) {
        let about_px = self.focus_at(about_px);
        self.start_moving(|m| m.throw_zoom(speed, about_px));
    }

    pub(super) fn glide_by(&mut self, share: [f64; 2]) {
        let [width, height] = self.viewport().size().map(f64::from);
        // Going right takes the picture to the left.
        self.stage.steer(Steer::Turn { by_px: [-share[0] * width, share[1] * height] });
        self.start_moving(|m| m.glide([-share[0] * width, share[1] * height]));
    }

    /// The hand is on the view at a place of the canvas from now on; gives the place in it.
    fn focus_at(&mut self, px: [f64; 2]) -> [f64; 2] {
        let (half, at) = self.stage.locate(px);
        if half != self.stage.focus() {
            self.motion.stop();
            self.stage.focus_on(half);
        }
        at
    }

    pub(super) fn grasp(&mut self, at_px: [f64; 2]) {
        self.motion.stop();
        self.focus_at(at_px);
    }

    pub(super) fn pan(&mut self, by_px: [f64; 2]) {
        if !self.stage.steer(Steer::Turn { by_px }) {
            self.move_by(by_px);
        }
    }

    /// Moves the picture by the whole pixels of a way.
    fn move_by(&mut self, by_px: [f64; 2]) {
        let by_px = self.motion.whole_pixels(by_px);
        self.navigate(|v| v.panned(by_px));
    }

    pub(super) fn shift(&mut self, by_px: [f64; 2]) {
        if !self.stage.steer(Steer::Shift { by_px }) {
            self.move_by(by_px);
        }
    }

    pub(super) fn home(&mut self) {
        if self.view().camera().is_some() {
            self.remember();
            self.stage.steer(Steer::Home);
        } else if self.stage.lower().is_some() {
            self.motion.stop();
            self.remember();
            self.places.remember(self.here());
            self.stage.go_home();
        } else {
            self.jump(|view| view.home(view.viewport().size()));
        }
    }

    pub(super) fn look(&mut self, axis: SpaceAxis) {
        self.remember();
        if !self.stage.steer(Steer::Look(axis)) {
            self.say("only scenes in space are looked at along an axis");
        }
    }

    /// Whether a factor magnifies; says so where it never could. What is no number comes of a slip of the hardware.
    fn can_zoom(&mut self, factor: f64) -> bool {
        if factor <= 0.0 {
            self.complain(format!("nothing can be magnified by {factor}: give a factor above 0, such as 2 or 0.5"));
        }
        is_magnification(factor)
    }

    pub(super) fn zoom(&mut self, factor: f64, about_px: [f64; 2]) {
        let about_px = self.focus_at(about_px);
        if self.can_zoom(factor) && !self.stage.steer(Steer::Zoom { factor }) {
            self.start_moving(|m| m.zoom(factor, about_px));
        }
    }

    pub(super) fn zoom_centre(&mut self, factor: f64) {
        if self.can_zoom(factor) && !self.stage.steer(Steer::Zoom { factor }) {
            let middle = self.middle();
            self.start_moving(|m| m.zoom(factor, middle));
        }
    }

    pub(super) fn zoom_now(&mut self, factor: f64, about_px: [f64; 2]) {
        let about_px = self.focus_at(about_px);
        if !self.can_zoom(factor) || self.stage.steer(Steer::Zoom { factor }) {
            return;
        }
        let here = self.viewport().clone();
        let under_way = self.pinch.take().filter(|pinch| pinch.about_px == about_px && pinch.shown == here);
        let Pinch { from, log, .. } =
            under_way.unwrap_or_else(|| Pinch { from: here.clone(), about_px, log: 0.0, shown: here.clone() });
        let log = log + factor.ln();
        let shown = if log.abs() < PINCH_BACK { from.clone() } else { from.zoomed(log.exp(), about_px) };
        self.navigate(|_| shown.clone());
        self.pinch = Some(Pinch { from, about_px, log, shown });
    }

    pub(super) fn zoom_ordinate(&mut self, factor: f64, about_px: [f64; 2]) {
        let about_px = self.focus_at(about_px);
        if self.view().axes().is_none() {
            self.zoom(factor, about_px);
        } else if self.can_zoom(factor) {
            self.navigate(|v| v.zoomed_ordinate(factor, about_px));
        }
    }

    pub(super) fn fit_ordinate(&mut self) {
        let viewport = self.viewport();
        let [width, height] = viewport.size().map(f64::from);
        let [left, right] = [0.0, width].map(|x| viewport.plane_from_pixel([x, height / 2.0]).re);
        match self.view().fitting_ordinates([left.to_f64(), right.to_f64()]) {
            Some([low, high]) => self.jump(|view| {
                let corners = [BigComplex::new(left, low), BigComplex::new(right, high)];
                let fitted = Viewport::from_box(&corners[0], &corners[1], view.viewport().size());
                fitted.unwrap_or_else(|_| view.viewport().clone())
            }),
            None => self.say("there is nothing to fit here"),
        }
    }

    pub(super) fn zoom_to_box(&mut self, from_px: [f64; 2], to_px: [f64; 2]) {
        let (half, from_px) = self.stage.locate(from_px);
        self.stage.focus_on(half);
        let to_px = self.stage.within(half, to_px);
        let [width, height] = self.viewport().size().map(f64::from);
        let sides = [(from_px[0] - to_px[0]).abs() / width, (from_px[1] - to_px[1]).abs() / height];
        // A box of a few pixels is a slip of the hand; where the axes are stretched, so is a line.
        let is_slip = |side: f64| !side.is_finite() || side * width.min(height) < 4.0;
        let slips = sides.map(is_slip);
        let is_stretched = self.viewport().stretched_width().is_some();
        if slips == [true; 2] || (is_stretched && slips != [false; 2]) || !sides.iter().all(|side| side.is_finite()) {
            return;
        }
        self.jump(|view| view.viewport().zoomed_to_box(from_px, to_px));
    }

    /// The view shown and its place.
    pub(super) fn here(&self) -> Place {
        (self.stage.upper().key(), self.stage.upper().viewport().clone())
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
        self.stage.focus_on(Half::Upper);
        let viewport = match self.view().axes() {
            Some(_) => viewport.clone().with_rotation(0.0).unwrap_or(viewport),
            None => viewport,
        };
        if viewport.rotation_degrees() != 0.0 {
            // A turned set has no abscissa to share.
            self.part();
        }
        let there = viewport.with_size(self.stage.size_of(Half::Upper)).unwrap_or(viewport);
        self.stage.set_viewport(there);
        self.last_move = f64::NEG_INFINITY;
    }

    /// Brings another view to the front, as it was left, with its companion where it has one.
    pub(super) fn show_view(&mut self, key: &str) {
        let Some(index) = self.others.iter().position(|view| view.key() == key) else { return };
        let view = self.others.swap_remove(index);
        let lower = self.companion(view.as_ref());
        let old_key = self.stage.upper().key();
        let (old, old_lower) = self.stage.show(view, lower);
        self.others.push(old);
        self.companions.extend(old_lower.map(|view| (old_key, view)));
        self.motion.stop();
    }

    /// What is to be shown below a view.
    pub(super) fn companion(&mut self, view: &dyn View) -> Option<Box<dyn View>> {
        if !self.paired.contains(&view.key()) {
            return None;
        }
        let fresh = view.companion(self.stage.size())?;
        let kept = self.companions.iter().position(|(key, _)| *key == view.key());
        Some(kept.map_or(fresh, |index| self.companions.swap_remove(index).1))
    }

    /// The companion comes, or goes; where the view has none, that of the Mandelbrot set does.
    pub(super) fn toggle_pair(&mut self) {
        self.remember();
        let upper = self.stage.upper();
        let key = upper.key();
        if upper.companion(self.stage.size()).is_none() {
            if key == Mandelbrot::KEY {
                return self.say("the diagram below is that of z² + c: choose that formula");
            }
            let abscissa = upper.axes().is_some().then(|| upper.viewport().clone());
            self.places.remember(self.here());
            self.paired.push(Mandelbrot::KEY);
            self.show_view(Mandelbrot::KEY);
            if let Some(abscissa) = abscissa {
                let there = self.stage.upper().viewport().with_abscissa_of(&abscissa, &0.into());
                self.stage.set_viewport(there);
            }
            return;
        }
        if self.stage.lower().is_some() {
            self.part();
        } else {
            self.paired.push(key);
            let upper = self.stage.upper().boxed_clone();
            let lower = self.companion(upper.as_ref());
            self.stage.set_lower(lower);
        }
        self.motion.stop();
    }

    /// The companion goes, where there is one.
    fn part(&mut self) {
        let key = self.stage.upper().key();
        if let Some(lower) = self.stage.set_lower(None) {
            self.paired.retain(|paired| *paired != key);
            self.companions.push((key, lower));
        }
    }

    pub(super) fn go_to_view(&mut self, key: &str) {
        let keys: Vec<&str> = self.views().iter().map(|(key, _)| *key).collect();
        if !keys.contains(&key) {
            self.complain(format!("there is no view {key:?}; choose one of {}", keys.join(", ")));
        } else if key != self.stage.upper().key() {
            self.remember();
            self.places.remember(self.here());
            self.show_view(key);
        }
    }

    pub(super) fn turn_view(&mut self, by: isize) {
        let views = self.views();
        let at = views.iter().position(|(key, _)| *key == self.stage.upper().key()).unwrap_or(0) as isize;
        self.go_to_view(views[(at + by).rem_euclid(views.len() as isize) as usize].0);
        self.say(self.view().title());
    }

    /// The Julia set of the point under the pointer, or of the centre; from a Julia set, back to its point's view.
    pub(super) fn julia_here(&mut self) {
        if self.stage.upper().key() == Julia::KEY {
            return self.go_to_view(Mandelbrot::KEY);
        }
        if self.stage.upper().camera().is_some() {
            return self.say("a place in space is no point c: Julia sets belong to the other views");
        }
        let pointed = || self.pointed().map(|(view, px)| (view, view.viewport().plane_from_pixel(px)));
        let pointed = || pointed().map(|(view, point)| view.parameter_at(&point).unwrap_or(point));
        let c = self.inspected().or_else(pointed).unwrap_or_else(|| self.viewport().center().clone());
        let formula = self.stage.upper().params().into_iter().find(|p| p.key == "formula").map(|p| p.value);
        self.go_to_view(Julia::KEY);
        let formula = formula.unwrap_or_else(|| ParamValue::Choice(FormulaId::Quadratic.key().into()));
        let _ = self.stage.set_param("c", ParamValue::Point(c));
        let _ = self.stage.set_param("formula", formula);
        let home = self.view().home(self.viewport().size());
        self.stage.set_viewport(home);
    }

    pub(super) fn resize(&mut self, size: [u32; 2]) {
        if !size.contains(&0) && size != self.stage.size() {
            self.stage.resize(size);
            self.motion.forget_anchor();
        }
    }
}

/// Whether a factor magnifies: a pinch may report NaN.
fn is_magnification(factor: f64) -> bool {
    factor.is_finite() && factor > 0.0 && factor != 1.0
}
