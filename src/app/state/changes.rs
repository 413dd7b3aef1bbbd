//! Knobs and colours, and undo of any change.

use super::navigation::BURST;
use super::{Half, Stage, State};
use crate::app::command::EngineChoice;
use crate::app::history::Timeline;
use crate::color::{Coloring, Palette};
use crate::render::EscapeTime;
use crate::view::ParamValue;

/// All that undo brings back.
pub(super) struct Snapshot {
    stage: Stage,
    engine: EngineChoice,
    palette: &'static Palette,
    coloring: Coloring,
}

impl State {
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { stage: self.stage.clone(), engine: self.engine, palette: self.palette, coloring: self.coloring }
    }

    pub(super) fn remember(&mut self) {
        self.changes.remember(self.snapshot());
    }

    /// Sliders send many small changes; one undo takes them all back.
    pub(super) fn remember_once_a_burst(&mut self, before: Snapshot) {
        if self.clock - self.last_turn > BURST {
            self.changes.remember(before);
        }
        self.last_turn = self.clock;
    }

    pub(super) fn step_change(
        &mut self,
        step: fn(&mut Timeline<Snapshot>, Snapshot) -> Result<Snapshot, Snapshot>,
        none: &str,
    ) {
        self.motion.stop();
        let here = self.snapshot();
        match step(&mut self.changes, here) {
            Ok(there) => self.restore(there),
            Err(_) => self.say(none),
        }
    }

    pub(super) fn restore(&mut self, there: Snapshot) {
        self.show_view(there.stage.upper().key());
        let size = self.stage.size();
        self.stage = there.stage;
        self.stage.resize(size);
        let key = self.stage.upper().key();
        self.paired.retain(|paired| *paired != key);
        self.paired.extend(self.stage.lower().map(|_| key));
        self.last_move = f64::NEG_INFINITY;
        (self.engine, self.palette, self.coloring) = (there.engine, there.palette, there.coloring);
        self.last_turn = f64::NEG_INFINITY;
    }

    pub(super) fn change(&mut self, how: impl FnOnce(&mut Self)) {
        self.remember();
        how(self);
    }

    pub(super) fn set_param(&mut self, key: &str, value: ParamValue) {
        let before = self.snapshot();
        match self.stage.set_param(key, value) {
            Ok(()) => self.remember_once_a_burst(before),
            Err(error) => self.complain(error.to_string()),
        }
    }

    /// The cap on iterations, and whether it follows the depth.
    pub fn iterations(&self) -> (u32, bool) {
        let params = self.view().params();
        let value = |key: &str| params.iter().find(|p| p.key == key).map(|p| p.value.clone());
        let cap = match value("max_iterations") {
            Some(ParamValue::Count(cap)) => cap,
            _ => self.job().max_iterations(),
        };
        (cap, value("automatic_iterations") == Some(ParamValue::Switch(true)))
    }

    /// The view of a half, at rest, asks for a cap.
    pub fn measured_iterations(&mut self, half: Half, cap: u32) {
        self.stage.measured_iterations(half, cap);
    }

    pub(super) fn scale_iterations(&mut self, factor: f64) {
        let (cap, _) = self.iterations();
        let scaled = (f64::from(cap) * factor).round().clamp(1.0, f64::from(EscapeTime::MOST_ITERATIONS)) as u32;
        self.set_param("max_iterations", ParamValue::Count(scaled));
        self.say(format!("{} iterations at most", self.iterations().0));
    }

    pub(super) fn set_palette(&mut self, key: &str) {
        match Palette::named(key) {
            Some(palette) => self.change(|s| s.palette = palette),
            None => {
                let known: Vec<&str> = Palette::all().iter().map(Palette::key).collect();
                self.complain(format!("there is no palette {key:?}; choose one of {}", known.join(", ")));
            }
        }
    }

    pub(super) fn turn_palette(&mut self, by: isize) {
        let all = Palette::all();
        let at = all.iter().position(|p| p.key() == self.palette.key()).unwrap_or(0);
        let next = (at as isize + by).rem_euclid(all.len() as isize) as usize;
        self.change(|s| s.palette = &all[next]);
        self.say(format!("palette {}", self.palette.name()));
    }

    pub(super) fn change_coloring(&mut self, how: impl FnOnce(&mut Coloring)) {
        let before = self.snapshot();
        self.remember_once_a_burst(before);
        how(&mut self.coloring);
        self.coloring.density = self.coloring.density.clamp(0.01, 100.0);
        self.coloring.offset = self.coloring.offset.rem_euclid(1.0);
    }
}
