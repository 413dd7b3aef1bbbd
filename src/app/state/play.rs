//! What moves by itself: the section to and fro, the camera round the scene or over the set; and the section by hand.

use super::{Half, State};
use crate::math::BigComplex;
use crate::view::{Spatial, Steer};

/// Farthest that a playing section wanders from the real axis, and the seconds of a whole round.
const WIDEST: f64 = 0.6;
const ROUND: f64 = 12.0;
/// Seconds of the flight from above to the side, and of the rest at either end.
const FLIGHT: f64 = 3.0;
const REST: f64 = 1.0;
/// Turn of a spinning camera in a second: 12 degrees.
const SPIN: f64 = std::f64::consts::PI / 15.0;
/// A hand this close to the real axis is on it, in pixels.
const REAL_WITHIN_PX: f64 = 3.0;

/// What moves, and for how many seconds it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Play {
    Section(f64),
    Flight(f64),
    Spin,
}

/// Im c after so many seconds from the real axis upwards.
pub fn section_at(seconds: f64) -> f64 {
    WIDEST * (std::f64::consts::TAU * seconds / ROUND).sin()
}

/// Share of the flight after so many seconds, there and back.
pub fn flight_at(seconds: f64) -> f64 {
    let within = seconds.rem_euclid(2.0 * (FLIGHT + REST));
    let way = within.min(2.0 * FLIGHT + REST - within);
    (way / FLIGHT).clamp(0.0, 1.0)
}

impl State {
    /// True while something moves by itself.
    pub fn is_playing(&self) -> bool {
        match self.play {
            None => false,
            Some(Play::Section(_)) => self.stage.section().is_some(),
            Some(Play::Flight(_) | Play::Spin) => self.view().camera().is_some(),
        }
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
        if self.is_playing() {
            self.play = None;
            return;
        }
        self.play = match self.stage.section() {
            // From where it is, upwards.
            Some(s) => Some(Play::Section((s / WIDEST).clamp(-1.0, 1.0).asin() * ROUND / std::f64::consts::TAU)),
            None if self.view().camera().is_some() => Some(Play::Flight(0.0)),
            None => return self.say("nothing plays here: the complex diagrams have a section that does"),
        };
        self.remember();
    }

    pub(super) fn toggle_spin(&mut self) {
        if self.view().camera().is_none() {
            return self.say("only scenes in space can be turned");
        }
        let spins = self.is_playing() && self.play == Some(Play::Spin);
        self.play = (!spins).then_some(Play::Spin);
        self.remember();
    }

    /// Lets what plays go on.
    pub(super) fn play_on(&mut self, seconds: f64) {
        if !self.is_playing() {
            return;
        }
        match &mut self.play {
            Some(Play::Section(at)) => {
                *at += seconds;
                let s = section_at(*at);
                if let Err(error) = self.stage.set_section(s) {
                    self.complain(error.to_string());
                }
            }
            Some(Play::Flight(at)) => {
                *at += seconds;
                let share = flight_at(*at);
                self.stage.steer(Steer::Fly { share });
            }
            Some(Play::Spin) => {
                self.stage.steer(Steer::Turn { by_px: [SPIN * seconds / Spatial::TURN, 0.0] });
            }
            None => {}
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
    fn flights_rest_at_both_ends() {
        for (seconds, share) in
            [(0.0, 0.0), (1.5, 0.5), (3.0, 1.0), (3.9, 1.0), (5.5, 0.5), (7.0, 0.0), (7.9, 0.0), (9.5, 0.5)]
        {
            assert!((flight_at(seconds) - share).abs() < 1e-12, "{seconds}: {}", flight_at(seconds));
        }
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
