//! The Mandelbrot set and its kin: escape time over the parameter plane.

use super::escape::EscapeKnobs;
use super::{ComplexBifurcation, Param, ParamError, ParamRange, ParamValue, View, checked};
use crate::fractal::FormulaId;
use crate::math::{BigComplex, Decimal};
use crate::render::{Channels, Ordinate, Plane, Task, Viewport};

/// Escape time of a formula over its parameter plane.
#[derive(Clone, Debug)]
pub struct Mandelbrot {
    viewport: Viewport,
    knobs: EscapeKnobs,
    /// The inside is coloured by the periods of its cycles.
    periods: bool,
}

impl Mandelbrot {
    pub const KEY: &'static str = "mandelbrot";

    pub fn at_home(size: [u32; 2]) -> Self {
        let viewport = home(FormulaId::Quadratic, size);
        Self { knobs: EscapeKnobs::new(FormulaId::Quadratic, &viewport), viewport, periods: false }
    }
}

fn home(formula: FormulaId, size: [u32; 2]) -> Viewport {
    let ([re, im], height) = formula.home();
    let number = |text: &str| text.parse::<Decimal>().expect("home views are written by us");
    Viewport::new(BigComplex::new(number(re), number(im)), number(height), size)
        .expect("home views fit every size a window can have")
}

impl View for Mandelbrot {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn title(&self) -> &'static str {
        "Mandelbrot set"
    }

    fn boxed_clone(&self) -> Box<dyn View> {
        Box::new(self.clone())
    }

    fn params(&self) -> Vec<Param> {
        let periods = Param {
            key: "periods",
            label: "Inside by period",
            help: "colour the inside by the period of its cycles, as in diagrams",
            value: ParamValue::Switch(self.periods),
            range: ParamRange::Switch,
        };
        let has_periods = self.knobs.formula == FormulaId::Quadratic;
        self.knobs.params().into_iter().chain(has_periods.then_some(periods)).collect()
    }

    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        checked(&self.params(), key, &value)?;
        if let ("periods", ParamValue::Switch(on)) = (key, &value) {
            self.periods = *on;
            return Ok(());
        }
        let formula = self.knobs.formula;
        self.knobs.turn(key, value, &self.viewport)?;
        if self.knobs.formula != formula {
            // A place of one set means nothing in another: show the whole of it.
            self.set_viewport(home(self.knobs.formula, self.viewport.size()));
        }
        Ok(())
    }

    fn has_automatic_iterations(&self) -> bool {
        self.knobs.is_automatic()
    }

    fn measured_iterations(&mut self, cap: u32) {
        self.knobs.measured(cap, &self.viewport);
    }

    fn viewport(&self) -> &Viewport {
        &self.viewport
    }

    fn set_viewport(&mut self, viewport: Viewport) {
        self.knobs.follow(&viewport);
        self.viewport = viewport;
    }

    fn home(&self, size: [u32; 2]) -> Viewport {
        home(self.knobs.formula, size)
    }

    fn task(&self) -> Task {
        self.knobs.task(Plane::Parameter)
    }

    fn channels(&self) -> Channels {
        Channels { smooth: true, periods: self.periods, ..Channels::default() }
    }

    fn companion(&self, size: [u32; 2]) -> Option<Box<dyn View>> {
        let diagram = || ComplexBifurcation::of(Ordinate::Re, 0.0, size);
        (self.knobs.formula == FormulaId::Quadratic).then(|| Box::new(diagram()) as Box<dyn View>)
    }

    fn parameter_at(&self, point: &BigComplex) -> Option<BigComplex> {
        Some(point.clone())
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
        let cap = |view: &Mandelbrot| match view.task() {
            Task::EscapeTime(task) => task.max_iterations,
            Task::OrbitDensity(_) | Task::Section(_) | Task::Space(_) => panic!("a set is no diagram"),
        };
        assert_eq!(cap(&view), 1000);
        view.set_viewport(view.viewport().zoomed(1e10, [32.0, 24.0]));
        assert!(cap(&view) > 5000);
        view.measured_iterations(30_000);
        assert_eq!(cap(&view), 30_000);
        view.set_viewport(view.viewport().panned([5.0, 5.0]));
        assert_eq!(cap(&view), 30_000, "it holds while the view moves");
        view.set_viewport(view.viewport().zoomed(1e-10, [32.0, 24.0]));
        assert!((1001..5000).contains(&cap(&view)), "and falls as the view widens");
        view.set_param("max_iterations", ParamValue::Count(77)).unwrap();
        view.measured_iterations(5000);
        view.set_viewport(view.viewport().zoomed(10.0, [32.0, 24.0]));
        assert_eq!(cap(&view), 77);
    }
}
