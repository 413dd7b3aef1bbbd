//! The autopilot's hand on the view.

use super::State;
use crate::app::autopilot::{Autopilot, Glance};
use crate::app::motion::Course;

impl State {
    /// True while the view flies by itself.
    pub fn is_piloted(&self) -> bool {
        self.autopilot.is_some()
    }

    pub(super) fn toggle_autopilot(&mut self) {
        if self.is_piloted() {
            return self.land();
        }
        if self.view().task().escape_time().is_none() {
            return self.say("the autopilot flies over sets: V leads there");
        }
        self.motion.stop();
        self.flights += 1;
        self.autopilot = Some(Autopilot::new(self.flights));
        self.begin_move();
        self.say("autopilot: any key, press or turn of the wheel ends it");
    }

    /// The flight ends where it is.
    pub(super) fn land(&mut self) {
        if self.autopilot.take().is_some() {
            self.motion.stop();
        }
    }

    pub(super) fn fly_on(&mut self, seconds: f64) {
        let full = self.hands.zoom_speed.factor().ln();
        let viewport = self.stage.view().viewport();
        let Some(pilot) = &mut self.autopilot else { return };
        let course = pilot.course(viewport, full, seconds.min(0.1));
        let about_px = course.about_px.unwrap_or_else(|| viewport.size().map(|side| f64::from(side) / 2.0));
        self.motion.steer(Course { about_px: None, ..course }, about_px);
    }

    /// What the view shows, for the autopilot; none where it cannot be drawn.
    pub(in crate::app) fn see(&mut self, glance: Option<&Glance>) {
        let Some(pilot) = &mut self.autopilot else { return };
        match glance {
            Some(glance) => pilot.see(glance),
            None => pilot.turn_back(),
        }
    }
}
