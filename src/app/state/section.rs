//! The line Im c = s that sections are taken along: where the hand drags it, and how it wanders while it plays.

use super::{Half, State};
use crate::math::BigComplex;

/// Farthest that a playing section wanders from the real axis, and the seconds of a whole round.
const WIDEST: f64 = 0.6;
const ROUND: f64 = 12.0;
/// A hand this close to the real axis is on it, in pixels.
const REAL_WITHIN_PX: f64 = 3.0;

/// Im c after `seconds` of play from the real axis upwards.
fn section_at(seconds: f64) -> f64 {
    WIDEST * (std::f64::consts::TAU * seconds / ROUND).sin()
}

impl State {
    /// True while the section wanders by itself.
    pub fn is_playing(&self) -> bool {
        self.play.is_some() && self.stage.section().is_some()
    }

    pub(super) fn drag_section(&mut self, at_px: [f64; 2]) {
        let at = self.stage.within(Half::Upper, at_px);
        let viewport = self.stage.upper().viewport();
        let point = viewport.plane_from_pixel(at);
        let real = viewport.pixel_from_plane(&BigComplex::new(point.re.clone(), 0.into()))[1];
        let s = if (real - at[1]).abs() <= REAL_WITHIN_PX { 0.0 } else { point.im.to_f64() };
        self.play = None;
        let before = self.snapshot();
        match self.stage.set_section(s) {
            Ok(()) => self.remember_once_a_burst(before),
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn toggle_play(&mut self) {
        let Some(s) = self.stage.section() else {
            return self.say("there is no section to play: the complex bifurcation diagram has one");
        };
        self.play = match self.play {
            Some(_) => None,
            // From where it is, upwards.
            None => Some((s / WIDEST).clamp(-1.0, 1.0).asin() * ROUND / std::f64::consts::TAU),
        };
        self.remember();
    }

    /// Lets the section wander on.
    pub(super) fn play_on(&mut self, seconds: f64) {
        if !self.is_playing() {
            return;
        }
        if let Some(at) = &mut self.play {
            *at += seconds.min(0.1);
            let s = section_at(*at);
            if let Err(error) = self.stage.set_section(s) {
                self.complain(error.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Command;
    use crate::view::ComplexBifurcation;

    #[test]
    fn a_section_plays_to_and_fro_and_back_to_where_it_was() {
        let mut state = State::new([400, 300]);
        state.apply(Command::TogglePlay);
        assert!(!state.is_playing(), "a set has no section");
        state.apply(Command::SetView(ComplexBifurcation::KEY));
        let start = state.stage().section().unwrap();
        state.apply(Command::TogglePlay);
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for _ in 0..1200 {
            state.tick(ROUND / 1200.0);
            let s = state.stage().section().unwrap();
            (least, most) = (least.min(s), most.max(s));
            let both: Vec<f64> = state.stage().shown().filter_map(|(_, view)| view.section()).collect();
            assert_eq!(both, [s, s]);
        }
        assert!((state.stage().section().unwrap() - start).abs() < 1e-9);
        assert!((most - WIDEST).abs() < 1e-3 && (least + WIDEST).abs() < 1e-3);
        state.apply(Command::Escape);
        assert!(!state.is_playing());
    }

    #[test]
    fn the_line_is_dragged_in_the_set_and_holds_to_the_real_axis() {
        let mut state = State::new([400, 402]);
        state.apply(Command::TogglePair);
        for (y, real) in [(60.0, false), (102.0, true)] {
            state.apply(Command::DragSection { at_px: [10.0, y] });
            let s = state.stage().section().unwrap();
            let expected = state.stage().upper().viewport().plane_from_pixel([10.0, y]).im.to_f64();
            assert_eq!(s, if real { 0.0 } else { expected });
        }
    }
}
