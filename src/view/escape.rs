//! The knobs that all escape-time views share: formula, cap on iterations, bailout.

use super::{Param, ParamError, ParamRange, ParamValue};
use crate::fractal::FormulaId;
use crate::render::{EscapeTime, Plane, Task, Viewport};

/// How points are iterated, whichever plane they lie in.
#[derive(Clone, Debug, PartialEq)]
pub struct EscapeKnobs {
    pub formula: FormulaId,
    max_iterations: u32,
    /// The cap follows the depth instead of staying where it was set.
    automatic: bool,
    bailout: f64,
}

impl EscapeKnobs {
    /// Bailout radius for pictures: wide enough that smooth counts join without a seam.
    const PICTURE_BAILOUT: f64 = 1000.0;
    const BAILOUT: ParamRange = ParamRange::Number { least: EscapeTime::LEAST_BAILOUT, most: EscapeTime::MOST_BAILOUT };

    /// As a new view begins: the cap follows the depth of `viewport`.
    pub fn new(formula: FormulaId, viewport: &Viewport) -> Self {
        let max_iterations = automatic_iterations(viewport);
        Self { formula, max_iterations, automatic: true, bailout: Self::PICTURE_BAILOUT }
    }

    /// The view is elsewhere now.
    pub fn follow(&mut self, viewport: &Viewport) {
        if self.automatic {
            self.max_iterations = automatic_iterations(viewport);
        }
    }

    pub fn task(&self, plane: Plane) -> Task {
        let Self { formula, max_iterations, bailout, .. } = *self;
        Task::EscapeTime(EscapeTime { formula, plane, max_iterations, bailout })
    }

    pub fn params(&self) -> Vec<Param> {
        vec![
            Param {
                key: "formula",
                label: "Formula",
                help: "the map that is iterated",
                value: ParamValue::Choice(self.formula.key().into()),
                range: ParamRange::Choice(FormulaId::ALL.iter().map(|f| (f.key(), f.name())).collect()),
            },
            Param {
                key: "automatic_iterations",
                label: "Iterations follow depth",
                help: "raise the cap as the view narrows",
                value: ParamValue::Switch(self.automatic),
                range: ParamRange::Switch,
            },
            Param {
                key: "max_iterations",
                label: "Max iterations",
                help: "points that stay this long count as inside",
                value: ParamValue::Count(self.max_iterations),
                range: ParamRange::Count { least: 1, most: EscapeTime::MOST_ITERATIONS },
            },
            Param {
                key: "bailout",
                label: "Bailout radius",
                help: "a point has escaped once it is farther out than this",
                value: ParamValue::Number(self.bailout),
                range: Self::BAILOUT,
            },
        ]
    }

    /// Turns a knob whose value [`super::checked`] has let through.
    pub fn turn(&mut self, key: &str, value: ParamValue, viewport: &Viewport) -> Result<(), ParamError> {
        match (key, value) {
            ("formula", ParamValue::Choice(key)) => {
                self.formula = FormulaId::from_key(&key).unwrap_or(self.formula);
            }
            ("automatic_iterations", ParamValue::Switch(on)) => {
                self.automatic = on;
                self.follow(viewport);
            }
            ("max_iterations", ParamValue::Count(cap)) => {
                self.max_iterations = cap;
                self.automatic = false;
            }
            ("bailout", ParamValue::Number(radius)) => self.bailout = radius,
            _ => unreachable!("only knobs of the table come here"),
        }
        Ok(())
    }
}

/// A cap that grows with depth: 1000 at home, 250 more each time the view halves, and 2000 more from 1e-12 of it on.
///
/// Counts at deep places depend on the minibrots on the way more than on depth: of four at 1e-50 to 1e-1000 the most
/// demanding has 1200 a halving. Deltas take many steps at once, so a cap that is too high costs little there.
pub fn automatic_iterations(viewport: &Viewport) -> u32 {
    let octaves = octaves(viewport);
    let cap = 1000.0 + 250.0 * octaves.min(DEEP_OCTAVES) + 2000.0 * (octaves - DEEP_OCTAVES).max(0.0);
    // Two digits are enough, and the cap then stays put while the view drifts.
    let unit = 10f64.powf(cap.log10().floor() - 1.0);
    ((cap / unit).round() * unit) as u32
}

/// Halvings of the home view after which a view is deep: the pixels of f64 end there.
const DEEP_OCTAVES: f64 = 40.0;

fn octaves(viewport: &Viewport) -> f64 {
    (2.5f64.log2() - viewport.height().to_float_exp().log2()).max(0.0)
}

/// Whether a view is so deep that the cap rises faster.
pub fn is_deep(viewport: &Viewport) -> bool {
    octaves(viewport) > DEEP_OCTAVES
}
