//! Julia sets: escape time over the dynamical plane, at one parameter c.

use super::escape::EscapeKnobs;
use super::{Param, ParamError, ParamRange, ParamValue, View, checked};
use crate::fractal::FormulaId;
use crate::math::BigComplex;
use crate::render::{Plane, Task, Viewport};

/// Escape time of z₀ under a formula whose c is fixed.
#[derive(Clone, Debug)]
pub struct Julia {
    viewport: Viewport,
    knobs: EscapeKnobs,
    c: BigComplex,
}

impl Julia {
    pub const KEY: &'static str = "julia";
    /// Height of the view that shows the whole set.
    pub const HOME_HEIGHT: &'static str = "2.6";

    pub fn at_home(size: [u32; 2]) -> Self {
        let viewport = home(size);
        Self { knobs: EscapeKnobs::new(FormulaId::Quadratic, &viewport), viewport, c: Self::default_c() }
    }

    /// A c whose set is a web of spirals: what is shown until someone picks another.
    pub fn default_c() -> BigComplex {
        let [re, im] = ["-0.8", "0.156"].map(|part| part.parse().expect("written by us"));
        BigComplex::new(re, im)
    }

    fn c_param(&self) -> Param {
        Param {
            key: "c",
            label: "c",
            help: "the parameter of the map: the point of the Mandelbrot set that this Julia set belongs to",
            value: ParamValue::Point(self.c.clone()),
            range: ParamRange::Point,
        }
    }
}

fn home(size: [u32; 2]) -> Viewport {
    let height = Julia::HOME_HEIGHT.parse().expect("written by us");
    Viewport::new(BigComplex::new(0.into(), 0.into()), height, size)
        .expect("home views fit every size a window can have")
}

impl View for Julia {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn title(&self) -> &'static str {
        "Julia set"
    }

    fn boxed_clone(&self) -> Box<dyn View> {
        Box::new(self.clone())
    }

    fn params(&self) -> Vec<Param> {
        std::iter::once(self.c_param()).chain(self.knobs.params()).collect()
    }

    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        checked(&self.params(), key, &value)?;
        match value {
            ParamValue::Point(c) => {
                self.c = c;
                Ok(())
            }
            other => self.knobs.turn(key, other, &self.viewport),
        }
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
        home(size)
    }

    fn task(&self) -> Task {
        self.knobs.task(Plane::Dynamical { c: self.c.clone() })
    }
}
