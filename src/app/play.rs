//! What moves by itself, and where it is after how many seconds: the same in the window and in animations.

use crate::view::View;

/// A way in which a view moves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    /// The section goes through the set, to and fro.
    Section,
    /// The camera flies over the set: from above to the side, and back.
    Fly,
    /// The camera goes round the scene.
    Spin,
}

/// Farthest that a playing section wanders from the real axis.
pub const WIDEST: f64 = 0.6;
/// Seconds of the flight from above to the side, and of the rest at either end.
const FLIGHT: f64 = 3.0;
const REST: f64 = 1.0;

impl Play {
    pub const ALL: [Self; 3] = [Self::Section, Self::Fly, Self::Spin];

    /// Name in files and on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Fly => "fly",
            Self::Spin => "spin",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|play| play.key() == key)
    }

    /// Seconds until everything is where it was.
    pub fn round(self) -> f64 {
        match self {
            Self::Section => 12.0,
            Self::Fly => 2.0 * (FLIGHT + REST),
            Self::Spin => 30.0,
        }
    }

    /// Whether a view can move so.
    pub fn suits(self, view: &dyn View) -> bool {
        match self {
            Self::Section => view.section().is_some(),
            Self::Fly | Self::Spin => view.camera().is_some(),
        }
    }
}

/// Im c after so many seconds from the real axis upwards.
pub fn section_at(seconds: f64) -> f64 {
    let s = WIDEST * (std::f64::consts::TAU * seconds / Play::Section.round()).sin();
    // Half-way round the sine is not quite zero, and the real axis is another picture than what lies beside it.
    if s.abs() < 1e-12 { 0.0 } else { s }
}

/// Share of the flight after so many seconds, there and back.
pub fn flight_at(seconds: f64) -> f64 {
    let within = seconds.rem_euclid(Play::Fly.round());
    let way = within.min(2.0 * FLIGHT + REST - within);
    (way / FLIGHT).clamp(0.0, 1.0)
}

/// Turn of the camera after so many seconds, in radians.
pub fn turn_at(seconds: f64) -> f64 {
    std::f64::consts::TAU * seconds / Play::Spin.round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flights_rest_at_both_ends() {
        for (seconds, share) in
            [(0.0, 0.0), (1.5, 0.5), (3.0, 1.0), (3.9, 1.0), (5.5, 0.5), (7.0, 0.0), (7.9, 0.0), (9.5, 0.5)]
        {
            assert!((flight_at(seconds) - share).abs() < 1e-12, "{seconds}: {}", flight_at(seconds));
        }
    }

    #[test]
    fn after_a_round_all_is_where_it_was() {
        for k in 0..7 {
            let seconds = 1.7 * f64::from(k);
            assert!((section_at(seconds + Play::Section.round()) - section_at(seconds)).abs() < 1e-12);
            assert!((flight_at(seconds + Play::Fly.round()) - flight_at(seconds)).abs() < 1e-12);
        }
        assert!((turn_at(Play::Spin.round()) - std::f64::consts::TAU).abs() < 1e-12);
    }
}
