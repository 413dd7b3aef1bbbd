//! Places as text: going to them, copying them, opening files.

use super::State;
use crate::app::command::{Effect, EngineChoice};
use crate::app::location::Location;
use crate::color::Palette;
use crate::math::{BigComplex, Decimal};
use crate::render::{Viewport, ViewportError};
use crate::view::ParamValue;

impl State {
    /// The present picture as a location, with all that leads back to it.
    pub fn location(&self) -> Location {
        let mut location = Location::of_view(self.view());
        let is_set = self.view().task().escape_time().is_some();
        if is_set && self.job().channels.periods && !location.has_periods() {
            // Beside its diagram the set shows them whatever its knob says.
            location.knobs.push(("periods", ParamValue::Switch(true)));
        }
        location.engine = Some(self.engine.key().into());
        location.palette = Some(self.palette.key().into());
        location.coloring = self.coloring;
        location
    }

    /// Goes to a location, whatever size it was written at. What it does not say stays as it is.
    ///
    /// # Errors
    /// [`ViewportError`] where its frame is empty at the canvas's size; nothing changes then.
    pub fn go_to_location(&mut self, location: &Location) -> Result<(), ViewportError> {
        let viewport = location.viewport(self.viewport().size())?;
        self.remember();
        let here = self.here();
        self.show_view(&location.view);
        self.set_if(location.c.clone().map(ParamValue::Point), "c");
        if self.view().task().escape_time().is_some() {
            self.set_if(Some(ParamValue::Choice(location.formula.key().into())), "formula");
        }
        for (key, value) in &location.knobs {
            self.set_if(Some(value.clone()), key);
        }
        self.come_back_to(viewport);
        if self.here() != here {
            self.places.remember(here);
        }
        self.set_if(location.max_iterations.map(ParamValue::Count), "max_iterations");
        self.set_if(location.bailout.map(ParamValue::Number), "bailout");
        if let Some(key) = &location.engine {
            self.engine = self.engine_named(key).unwrap_or(self.engine);
        }
        if let Some(palette) = location.palette.as_deref().and_then(Palette::named) {
            self.palette = palette;
            self.coloring = location.coloring;
        }
        for warning in location.warnings() {
            self.say(warning);
        }
        Ok(())
    }

    pub(super) fn set_if(&mut self, value: Option<ParamValue>, key: &'static str) {
        if let Some(value) = value
            && let Err(error) = self.stage.set_param(key, value)
        {
            self.complain(error.to_string());
        }
    }

    fn engine_named(&self, key: &str) -> Option<EngineChoice> {
        let named = || self.engine_keys.iter().find(|k| **k == key).map(|k| EngineChoice::Named(k));
        if key == EngineChoice::Auto.key() { Some(EngineChoice::Auto) } else { named() }
    }

    pub(super) fn go_to(&mut self, text: &str) {
        let parsed = Location::parse("the pasted text", text);
        // A bare point is a place to look at from the present height.
        let bare = !text.contains('=');
        match parsed {
            Ok(location) if bare => match location.viewport(self.viewport().size()) {
                Ok(there) => {
                    self.go_to_viewport(|v| Ok(v.centred_at(there.center().clone())));
                }
                Err(error) => self.complain(error.to_string()),
            },
            Ok(location) => self.go_to_or_complain(&location),
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn open(&mut self, argument: &str) {
        match Location::open(argument) {
            Ok(location) => self.go_to_or_complain(&location),
            Err(error) => self.complain(error.to_string()),
        }
    }

    fn go_to_or_complain(&mut self, location: &Location) {
        if let Err(error) = self.go_to_location(location) {
            self.complain(error.to_string());
        }
    }

    pub(super) fn copy_location(&mut self) {
        let line = self.location().one_line();
        self.effects.push(Effect::Copy(line));
        self.say("location copied, every digit");
    }

    pub(super) fn set_center(&mut self, re: &str, im: &str) {
        let parsed = re.parse::<Decimal>().and_then(|re| Ok(BigComplex::new(re, im.parse()?)));
        match parsed {
            Ok(center) => self.go_to_viewport(|v| Ok(v.centred_at(center))),
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn set_height(&mut self, text: &str) {
        match text.parse::<Decimal>() {
            Ok(height) => self.go_to_viewport(|v| v.with_height(height)),
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn set_width(&mut self, text: &str) {
        match text.parse::<Decimal>() {
            Ok(width) => self.go_to_viewport(|v| v.with_width(width)),
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn go_to_viewport(&mut self, to: impl FnOnce(&Viewport) -> Result<Viewport, ViewportError>) {
        match to(self.viewport()) {
            Ok(viewport) => self.jump(|_| viewport),
            Err(error) => self.complain(error.to_string()),
        }
    }
}
