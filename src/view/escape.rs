//! The knobs that all escape-time views share: formula, cap on iterations, bailout.

use super::{Param, ParamError, ParamRange, ParamValue};
use crate::fractal::FormulaId;
use crate::render::cap::{by_depth, two_digits};
use crate::render::{EscapeTime, Plane, Task, Viewport};

/// How points are iterated, whichever plane they lie in.
#[derive(Clone, Debug, PartialEq)]
pub struct EscapeKnobs {
    pub formula: FormulaId,
    max_iterations: u32,
    /// The cap follows the view instead of staying where it was set.
    automatic: bool,
    /// What the last view that was measured asked for, over what its depth did: 1 or more. It holds while the view moves.
    raised: f64,
    bailout: f64,
}

impl EscapeKnobs {
    /// Bailout radius for pictures: wide enough that smooth counts join without a seam.
    const PICTURE_BAILOUT: f64 = 1000.0;
    const BAILOUT: ParamRange = ParamRange::Number { least: EscapeTime::LEAST_BAILOUT, most: EscapeTime::MOST_BAILOUT };

    /// As a new view begins: the cap follows the depth of `viewport`.
    pub fn new(formula: FormulaId, viewport: &Viewport) -> Self {
        let max_iterations = by_depth(viewport);
        Self { formula, max_iterations, automatic: true, raised: 1.0, bailout: Self::PICTURE_BAILOUT }
    }

    /// The view is elsewhere now.
    pub fn follow(&mut self, viewport: &Viewport) {
        if self.automatic {
            self.max_iterations = two_digits(f64::from(by_depth(viewport)) * self.raised);
        }
    }

    /// Whether the cap follows the view.
    pub fn is_automatic(&self) -> bool {
        self.automatic
    }

    /// The view at rest asks for a cap.
    pub fn measured(&mut self, cap: u32, viewport: &Viewport) {
        if self.automatic {
            self.raised = f64::from(cap) / f64::from(by_depth(viewport));
            self.max_iterations = cap;
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
                label: "Automatic iterations",
                help: "as many as the view asks for, measured on a few of its points",
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
