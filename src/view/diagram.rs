//! What all diagrams have in common: how many orbits, how they are coloured, and what ordinates fit them.

use super::{Param, ParamRange, ParamValue};
use crate::color::DiagramScheme;
use crate::fractal::MapId;
use crate::math::Decimal;
use crate::render::OrbitDensity;

/// The knobs of every diagram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagramKnobs {
    /// Orbits of each column.
    pub orbits: u32,
    /// Points that each of them adds.
    pub samples: u32,
    pub scheme: DiagramScheme,
}

impl DiagramKnobs {
    pub fn params(self) -> [Param; 3] {
        let count = |key, label, help, value, most| {
            let range = ParamRange::Count { least: 1, most };
            Param { key, label, help, value: ParamValue::Count(value), range }
        };
        let (most_orbits, most_samples) = (OrbitDensity::MOST_ORBITS, OrbitDensity::MOST_KEPT);
        [
            count("orbits", "Orbits a column", "of a finished picture", self.orbits, most_orbits),
            count("samples", "Points an orbit", "that stays: more make chaos smoother", self.samples, most_samples),
            Param {
                key: "scheme",
                label: "Colours",
                help: "what the colours of the diagram tell",
                value: ParamValue::Choice(self.scheme.key().into()),
                range: ParamRange::Choice(DiagramScheme::ALL.iter().map(|s| (s.key(), s.name())).collect()),
            },
        ]
    }

    /// Turns a knob whose value [`super::checked`] has let through.
    pub fn turn(&mut self, key: &str, value: ParamValue) {
        match (key, value) {
            ("orbits", ParamValue::Count(orbits)) => self.orbits = orbits,
            ("samples", ParamValue::Count(samples)) => self.samples = samples,
            ("scheme", ParamValue::Choice(key)) => self.scheme = DiagramScheme::from_key(&key).unwrap_or(self.scheme),
            _ => unreachable!("only knobs of the table come here"),
        }
    }
}

/// Ordinates that fit what a map does between two parameters.
pub fn fitting(map: MapId, parameters: [f64; 2]) -> Option<[Decimal; 2]> {
    let ends = parameters.map(|parameter| map.range(parameter));
    let (low, high) = (ends[0][0].min(ends[1][0]), ends[0][1].max(ends[1][1]));
    let margin = 0.02 * (high - low);
    (low < high).then(|| [low - margin, high + margin].map(Decimal::from_f64))
}
