//! Turning the view about its middle: by steps, by hand, and upright again.

use super::State;
use crate::math::Decimal;
use crate::view::{Spatial, Steer};

/// Nearer to the middle than this a hand has no direction, in pixels.
const LEAST_ARM: f64 = 2.0;

impl State {
    /// Why the view with the focus cannot be turned, in words; none where it can.
    pub(super) fn why_upright(&self) -> Option<&'static str> {
        let view = self.view();
        if self.stage.lower().is_some() {
            Some("the set stays upright above its diagram: L shows it alone")
        } else if view.camera().is_some() {
            Some("in space it is the camera that turns: drag it, or look along an axis with X, Y or T")
        } else if view.axes().is_some() {
            Some("diagrams stay upright: their axes are a parameter and its orbits")
        } else {
            None
        }
    }

    /// Whether the view with the focus can be turned.
    pub fn can_turn(&self) -> bool {
        self.why_upright().is_none()
    }

    pub(super) fn turn(&mut self, degrees: f64) {
        let by_px = [degrees.to_radians() / Spatial::TURN, 0.0];
        if !degrees.is_finite() || self.stage.steer(Steer::Turn { by_px }) {
            return;
        }
        if let Some(why) = self.why_upright() {
            return self.say(why);
        }
        // The picture turns one way as the frame turns the other.
        let rotation = self.viewport().rotation_degrees();
        self.start_moving(|m| m.turn(-degrees, rotation));
    }

    pub(super) fn stand_upright(&mut self) {
        if let Some(why) = self.why_upright() {
            return self.say(why);
        }
        let rotation = self.viewport().rotation_degrees();
        if rotation != 0.0 {
            self.start_moving(|m| m.turn_to(0.0, rotation));
        }
    }

    /// Turns by the angle that a hand sweeps about the middle: what was under it stays on its ray.
    pub(super) fn drag_turn(&mut self, from_px: [f64; 2], to_px: [f64; 2]) {
        let [from, to] = [from_px, to_px].map(|px| self.stage.within(self.stage.focus(), px));
        if self.view().camera().is_some() {
            return self.pan([to[0] - from[0], to[1] - from[1]]);
        }
        if let Some(why) = self.why_upright() {
            return self.say(why);
        }
        let middle = self.middle();
        let [a, b] = [from, to].map(|[x, y]| [x - middle[0], middle[1] - y]);
        if a[0].hypot(a[1]) < LEAST_ARM || !(b[0].hypot(b[1]) >= LEAST_ARM) {
            return;
        }
        let swept = (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1]).to_degrees();
        self.navigate(|v| v.clone().with_rotation(v.rotation_degrees() - swept).unwrap_or_else(|_| v.clone()));
    }

    pub(super) fn set_rotation(&mut self, text: &str) {
        if let Some(why) = self.why_upright() {
            return self.say(why);
        }
        match text.parse::<Decimal>() {
            Ok(degrees) => self.go_to_viewport(|v| v.clone().with_rotation(degrees.to_f64())),
            Err(error) => self.complain(error.to_string()),
        }
    }
}
