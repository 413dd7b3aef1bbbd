//! The point whose orbit is looked at: the pointer's, or one that was pinned.

use super::State;
use crate::app::inspector::Question;
use crate::fractal::FormulaId;
use crate::math::BigComplex;

/// Within this many pixels of the real axis a point counts as real: its orbit then has a verdict of its own.
const REAL_WITHIN_PX: f64 = 1.5;

/// What is remembered of the points looked at.
#[derive(Default)]
pub(super) struct Orbit {
    shown: bool,
    pinned: Option<BigComplex>,
    /// Where the pointer was before it left the picture.
    left: Option<BigComplex>,
}

impl State {
    /// True where orbits are shown: they belong to points of the parameter plane.
    pub fn orbit_shown(&self) -> bool {
        self.orbit.shown && self.shows_parameters()
    }

    fn shows_parameters(&self) -> bool {
        let middle = self.stage.upper().viewport().center();
        self.stage.upper().parameter_at(middle).is_some()
    }

    pub fn is_pinned(&self) -> bool {
        self.orbit.pinned.is_some()
    }

    /// The point whose orbit is shown: that which is pinned, under the pointer, or where the pointer left.
    pub fn inspected(&self) -> Option<BigComplex> {
        if !self.orbit_shown() {
            return None;
        }
        let pinned = self.orbit.pinned.clone();
        pinned.or_else(|| self.pointer_px.and_then(|px| self.parameter_at(px))).or_else(|| self.orbit.left.clone())
    }

    /// What to find out about that point.
    pub fn question(&self) -> Option<Question> {
        let point = self.inspected()?;
        let task = self.stage.upper().task();
        let formula = task.escape_time().map_or(FormulaId::Quadratic, |task| task.formula);
        Some(Question { c: point.to_f64(), formula, palette: self.palette, coloring: self.coloring })
    }

    /// The c that a place of the canvas stands for, on the real axis where that is as near as hands can tell.
    fn parameter_at(&self, px: [f64; 2]) -> Option<BigComplex> {
        let (half, px) = self.stage.locate(px);
        let view = self.stage.at(half);
        let viewport = view.viewport();
        let point = viewport.plane_from_pixel(px);
        let real = BigComplex::new(point.re.clone(), 0.into());
        let [x, y] = viewport.pixel_from_plane(&real);
        let is_near = (x - px[0]).hypot(y - px[1]) <= REAL_WITHIN_PX;
        view.parameter_at(if is_near { &real } else { &point })
    }

    pub(super) fn point(&mut self, at_px: Option<[f64; 2]>) {
        if at_px.is_none()
            && let Some(px) = self.pointer_px
        {
            self.orbit.left = self.parameter_at(px);
        }
        self.pointer_px = at_px;
    }

    pub(super) fn toggle_orbit(&mut self) {
        if self.shows_parameters() {
            self.orbit = Orbit { shown: !self.orbit.shown, ..Orbit::default() };
        } else {
            self.say("orbits are shown over the Mandelbrot set and its diagrams: V leads there");
        }
    }

    /// Pins a point that was typed.
    pub(super) fn inspect(&mut self, point: BigComplex) {
        if self.orbit_shown() {
            self.orbit.pinned = Some(point);
        }
    }

    pub(super) fn pin(&mut self, at_px: Option<[f64; 2]>) {
        if self.orbit_shown() {
            self.orbit.pinned = at_px.and_then(|px| self.parameter_at(px));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Command;
    use crate::view::Julia;

    #[test]
    fn a_pinned_point_stays_until_escape() {
        let mut state = State::new([800, 400]);
        let point = |at_px| Command::Point { at_px };
        let re = |state: &State| state.inspected().map(|c| c.re.to_f64());
        state.apply(Command::PinPoint { at_px: Some([400.0, 200.0]) });
        state.apply(point(Some([400.0, 100.0])));
        assert_eq!(state.inspected(), None, "nothing is inspected before it is asked for");
        state.apply(Command::ToggleOrbit);
        assert_eq!(re(&state), Some(-0.75));
        state.apply(point(Some([320.0, 201.0])));
        assert_eq!(state.question().map(|q| q.c.im), Some(0.0), "a pixel from the real axis is on it");
        state.apply(Command::PinPoint { at_px: Some([400.0, 100.0]) });
        state.apply(point(Some([10.0, 10.0])));
        assert_eq!((re(&state), state.is_pinned()), (Some(-0.75), true));
        state.apply(Command::ZoomNow { factor: 4.0, about_px: [10.0, 10.0] });
        assert_eq!(re(&state), Some(-0.75), "the view moves, the point does not");
        let pinned = state.inspected();
        state.apply(Command::JuliaHere);
        assert_eq!((state.view().key(), state.inspected()), (Julia::KEY, None));
        assert_eq!(state.location().c, pinned);
        state.apply(Command::JuliaHere);
        state.apply(Command::Escape);
        assert!(!state.is_pinned() && state.orbit_shown());
        let here = re(&state);
        state.apply(point(None));
        assert_eq!(re(&state), here, "the last point stays while the pointer is on a panel");
        state.apply(Command::ToggleOrbit);
        assert_eq!(state.inspected(), None);
    }
}
