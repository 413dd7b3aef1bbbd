//! The Mandelbrot set: escape time over the parameter plane.

use super::{Param, ParamError, ParamRange, ParamValue, View};
use crate::fractal::FormulaId;
use crate::math::{BigComplex, Decimal};
use crate::render::{EscapeTime, Plane, Task, Viewport};

/// Escape time of a formula over its parameter plane.
#[derive(Clone, Debug)]
pub struct Mandelbrot {
    viewport: Viewport,
    formula: FormulaId,
    max_iterations: u32,
    /// The cap follows the depth instead of staying where it was set.
    automatic: bool,
    bailout: f64,
}

impl Mandelbrot {
    /// Bailout radius for pictures: wide enough that smooth counts join without a seam.
    pub const PICTURE_BAILOUT: f64 = 1000.0;
    const BAILOUT: ParamRange = ParamRange::Number { least: 2.0, most: 1e9 };

    pub fn at_home(size: [u32; 2]) -> Self {
        let formula = FormulaId::Quadratic;
        let viewport = home(formula, size);
        let max_iterations = automatic_iterations(&viewport);
        Self { viewport, formula, max_iterations, automatic: true, bailout: Self::PICTURE_BAILOUT }
    }
}

/// A cap that grows with depth: 1000 at home and 250 more each time the view halves.
pub fn automatic_iterations(viewport: &Viewport) -> u32 {
    let octaves = (2.5f64.log2() - viewport.height().to_float_exp().log2()).max(0.0);
    let cap = 1000.0 + 250.0 * octaves;
    // Two digits are enough, and the cap then stays put while the view drifts.
    let unit = 10f64.powf(cap.log10().floor() - 1.0);
    ((cap / unit).round() * unit) as u32
}

fn home(formula: FormulaId, size: [u32; 2]) -> Viewport {
    let ([re, im], height) = formula.home();
    let number = |text: &str| text.parse::<Decimal>().expect("home views are written by us");
    Viewport::new(BigComplex::new(number(re), number(im)), number(height), size)
        .expect("home views fit every size a window can have")
}

impl View for Mandelbrot {
    fn key(&self) -> &'static str {
        "mandelbrot"
    }

    fn title(&self) -> &'static str {
        "Mandelbrot set"
    }

    fn params(&self) -> Vec<Param> {
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

    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        let params = self.params();
        let Some(param) = params.iter().find(|p| p.key == key) else {
            let known: Vec<&str> = params.iter().map(|p| p.key).collect();
            return Err(ParamError::Unknown(key.into(), known.join(", ")));
        };
        param.check(&value)?;
        match (key, value) {
            ("formula", ParamValue::Choice(key)) => {
                self.formula = FormulaId::from_key(&key).unwrap_or(self.formula);
            }
            ("automatic_iterations", ParamValue::Switch(on)) => {
                self.automatic = on;
                self.set_viewport(self.viewport.clone());
            }
            ("max_iterations", ParamValue::Count(cap)) => {
                self.max_iterations = cap;
                self.automatic = false;
            }
            ("bailout", ParamValue::Number(radius)) => self.bailout = radius,
            _ => unreachable!("the check above lets only these pairs through"),
        }
        Ok(())
    }

    fn viewport(&self) -> &Viewport {
        &self.viewport
    }

    fn set_viewport(&mut self, viewport: Viewport) {
        self.viewport = viewport;
        if self.automatic {
            self.max_iterations = automatic_iterations(&self.viewport);
        }
    }

    fn home(&self, size: [u32; 2]) -> Viewport {
        home(self.formula, size)
    }

    fn task(&self) -> Task {
        Task::EscapeTime(EscapeTime {
            formula: self.formula,
            plane: Plane::Parameter,
            max_iterations: self.max_iterations,
            bailout: self.bailout,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_refuse_what_is_out_of_range_and_keep_their_value() {
        let mut view = Mandelbrot::at_home([64, 48]);
        let before = view.task();
        for (key, value) in [
            ("max_iterations", ParamValue::Count(0)),
            ("max_iterations", ParamValue::Count(u32::MAX)),
            ("max_iterations", ParamValue::Number(5.0)),
            ("bailout", ParamValue::Number(1.9)),
            ("bailout", ParamValue::Number(f64::NAN)),
            ("formula", ParamValue::Choice("z^z".into())),
            ("colour", ParamValue::Count(1)),
        ] {
            assert!(view.set_param(key, value.clone()).is_err(), "{key} = {value}");
            assert_eq!(view.task(), before);
        }
    }

    #[test]
    fn the_cap_follows_depth_until_it_is_set() {
        let mut view = Mandelbrot::at_home([64, 48]);
        let cap = |view: &Mandelbrot| view.max_iterations;
        assert_eq!(cap(&view), 1000);
        view.set_viewport(view.viewport().zoomed(1e10, [32.0, 24.0]));
        assert!(cap(&view) > 5000);
        view.set_param("max_iterations", ParamValue::Count(77)).unwrap();
        view.set_viewport(view.viewport().zoomed(10.0, [32.0, 24.0]));
        assert_eq!(cap(&view), 77);
    }
}
