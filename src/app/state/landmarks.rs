//! Looking for landmarks of the Mandelbrot set, and going to them.

use super::{Half, State};
use crate::app::command::Effect;
use crate::app::finder::Search;
use crate::app::landmark::{Found, Landmark};
use crate::fractal::FormulaId;
use crate::fractal::locate::NotFound;
use crate::render::Viewport;
use crate::view::Mandelbrot;

/// How many times as high a view may be as that of what was found, for it to be told of still.
const STILL_SEEN: f64 = 30.0;

impl State {
    /// The view in which landmarks can be found: the Mandelbrot set of z² + c.
    fn searchable(&self) -> Option<&Viewport> {
        let upper = self.stage.upper();
        let formula = upper.task().escape_time().map(|task| task.formula);
        (upper.key() == Mandelbrot::KEY && formula == Some(FormulaId::Quadratic)).then(|| upper.viewport())
    }

    pub fn can_find(&self) -> bool {
        self.searchable().is_some()
    }

    /// What was found last, while it is in view and large enough to be what is looked at.
    pub fn found(&self) -> Option<&Found> {
        let (found, height) = self.found.as_ref()?;
        let viewport = self.searchable()?;
        if viewport.height().to_float_exp() > height.to_float_exp().mul(STILL_SEEN.into()) {
            return None;
        }
        let [width, height] = viewport.size().map(f64::from);
        let [x, y] = viewport.pixel_from_plane(found.center());
        ((0.0..width).contains(&x) && (0.0..height).contains(&y)).then_some(found)
    }

    pub(super) fn find(&mut self, landmark: Landmark, at_px: Option<[f64; 2]>) {
        let Some(viewport) = self.searchable() else {
            return self.say("minibrots and spirals are found in the Mandelbrot set of z² + c: V leads there");
        };
        let viewport = viewport.clone();
        let at_px = at_px.map(|px| self.stage.locate(px)).filter(|(half, _)| *half == Half::Upper).map(|(_, at)| at);
        self.motion.stop();
        let search = Search { landmark, viewport, at_px };
        self.finding = Some(search.clone());
        self.effects.push(Effect::Find(search));
    }

    pub(super) fn give_up_search(&mut self) {
        self.finding = None;
        self.effects.push(Effect::CancelFind);
    }

    /// Whether the view is no longer the one that is searched.
    pub(in crate::app) fn has_left_search(&self) -> bool {
        let searched = self.finding.as_ref().map(|search| &search.viewport);
        searched.is_some() && searched != self.searchable()
    }

    /// The search has ended: goes to what was found, or says why there is nothing.
    pub(in crate::app) fn search_ended(&mut self, outcome: Result<Found, NotFound>) {
        let Some(search) = self.finding.take() else { return };
        match outcome {
            Ok(found) => self.go_to_found(search.landmark, found),
            Err(NotFound::Cancelled) => {}
            Err(why) => self.complain(format!("no {}: {why}", search.landmark.name())),
        }
    }

    fn go_to_found(&mut self, landmark: Landmark, found: Found) {
        self.stage.focus_on(Half::Upper);
        match found.framed(self.viewport()) {
            Ok(there) => self.jump(|_| there),
            Err(error) => return self.complain(error.to_string()),
        }
        self.say(format!("{}: {found}", landmark.name()));
        self.found = Some((found, self.viewport().height().clone()));
    }
}
