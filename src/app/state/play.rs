//! What moves by itself in the window, and the section by hand.

use super::{Half, State};
use crate::app::play::{Play, WIDEST, flight_at, section_at, turn_at};
use crate::math::BigComplex;
use crate::view::{Spatial, Steer};

/// A hand this close to the real axis is on it, in pixels.
const REAL_WITHIN_PX: f64 = 3.0;

/// What moves, and for how many seconds it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Playing {
    play: Play,
    seconds: f64,
}

impl Playing {
    fn from_start(play: Play) -> Self {
        Self { play, seconds: 0.0 }
    }
}

impl State {
    /// True while something moves by itself.
    pub fn is_playing(&self) -> bool {
        match self.playing {
            None => false,
            Some(Playing { play: Play::Section, .. }) => self.stage.section().is_some(),
            Some(Playing { play, .. }) => play.suits(self.view()),
        }
    }

    pub(super) fn drag_section(&mut self, at_px: [f64; 2]) {
        let at = self.stage.within(Half::Upper, at_px);
        let viewport = self.stage.upper().viewport();
        let point = viewport.plane_from_pixel(at);
        let real = viewport.pixel_from_plane(&BigComplex::new(point.re.clone(), 0.into()))[1];
        let s = if (real - at[1]).abs() <= REAL_WITHIN_PX { 0.0 } else { point.im.to_f64() };
        self.playing = None;
        let before = self.snapshot();
        match self.stage.set_section(s) {
            Ok(()) => self.remember_once_a_burst(before),
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn toggle_play(&mut self) {
        if self.is_playing() {
            self.playing = None;
            return;
        }
        self.playing = match self.stage.section() {
            Some(s) => {
                // From where it is, upwards.
                let turns = (s / WIDEST).clamp(-1.0, 1.0).asin() / std::f64::consts::TAU;
                Some(Playing { play: Play::Section, seconds: turns * Play::Section.round() })
            }
            None if self.view().camera().is_some() => Some(Playing::from_start(Play::Fly)),
            None => return self.say("nothing plays here: the complex diagrams have a section that does"),
        };
        self.remember();
    }

    pub(super) fn toggle_spin(&mut self) {
        if self.view().camera().is_none() {
            return self.say("only scenes in space can be turned");
        }
        let spins = self.is_playing() && self.playing.is_some_and(|playing| playing.play == Play::Spin);
        self.playing = (!spins).then(|| Playing::from_start(Play::Spin));
        self.remember();
    }

    /// Lets what plays go on.
    pub(super) fn play_on(&mut self, seconds: f64) {
        if !self.is_playing() {
            return;
        }
        let Some(playing) = &mut self.playing else { return };
        playing.seconds += seconds;
        let (play, at) = (playing.play, playing.seconds);
        match play {
            Play::Section => {
                if let Err(error) = self.stage.set_section(section_at(at)) {
                    self.complain(error.to_string());
                }
            }
            Play::Fly => {
                self.stage.steer(Steer::Fly { share: flight_at(at) });
            }
            // By what was gone since: the hand turns along.
            Play::Spin => {
                self.stage.steer(Steer::Turn { by_px: [turn_at(seconds) / Spatial::TURN, 0.0] });
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
            state.tick(Play::Section.round() / 1200.0);
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
