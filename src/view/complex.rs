//! The complex bifurcation diagram of z² + c: where orbits stay along a line Im c = s through the Mandelbrot set.

use super::diagram::{DiagramKnobs, fitting};
use super::{Bifurcation, Param, ParamError, ParamRange, ParamValue, View, checked};
use crate::color::DiagramScheme;
use crate::fractal::MapId;
use crate::fractal::attractor::Effort;
use crate::math::{BigComplex, Decimal};
use crate::render::{Fan, OrbitDensity, Ordinate, Section, Task, Viewport};

/// One coordinate of z over Re c; the other stands below it. At s = 0 that of Re z is the real diagram.
#[derive(Clone, Debug)]
pub struct ComplexBifurcation {
    viewport: Viewport,
    s: f64,
    ordinate: Ordinate,
    fan: bool,
    skip: u32,
    knobs: DiagramKnobs,
}

impl ComplexBifurcation {
    pub const KEY: &'static str = "bifurcation-complex";
    /// Where a new one is: off the real axis, through the bulbs of period 2 and 3.
    const FIRST_S: f64 = 0.1;
    /// Orbits of each column of a finished picture: fewer do where there is no chaos.
    const ORBITS: u32 = 64;

    pub fn at_home(size: [u32; 2]) -> Self {
        Self::of(Ordinate::Re, Self::FIRST_S, size)
    }

    /// The diagram along the line Im c = `s`.
    pub fn of(ordinate: Ordinate, s: f64, size: [u32; 2]) -> Self {
        let knobs = DiagramKnobs { orbits: Self::ORBITS, samples: Bifurcation::KEPT, scheme: DiagramScheme::default() };
        Self { viewport: home(size), s, ordinate, fan: true, skip: 0, knobs }
    }

    /// The diagram of a task, whatever its effort.
    pub fn of_task(task: &Section, scheme: DiagramScheme, viewport: Viewport) -> Self {
        let knobs = DiagramKnobs { orbits: task.orbits.len() as u32, samples: task.kept, scheme };
        let (fan, skip) = (task.fan.is_some(), task.fan.map_or(0, |fan| fan.skip));
        Self { viewport, s: task.s, ordinate: task.ordinate, fan, skip, knobs }
    }
}

fn home(size: [u32; 2]) -> Viewport {
    let [low, high] = Section::HOME.corners();
    Viewport::from_box(&low, &high, size).expect("home boxes fit every size a window can have")
}

/// Keys of the coordinates, and their names.
const ORDINATES: [(&str, &str); 2] = [("re", "Re z"), ("im", "Im z")];

fn key_of(ordinate: Ordinate) -> &'static str {
    ORDINATES[ordinate as usize].0
}

impl View for ComplexBifurcation {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn title(&self) -> &'static str {
        "Complex bifurcation"
    }

    fn boxed_clone(&self) -> Box<dyn View> {
        Box::new(self.clone())
    }

    fn params(&self) -> Vec<Param> {
        let own = [
            Param {
                key: "section",
                label: "Im c",
                help: "the line through the Mandelbrot set",
                value: ParamValue::Number(self.s),
                range: ParamRange::Number { least: -Section::MOST, most: Section::MOST },
            },
            Param {
                key: "ordinate",
                label: "Ordinate",
                help: "the coordinate of z that is shown",
                value: ParamValue::Choice(key_of(self.ordinate).into()),
                range: ParamRange::Choice(ORDINATES.to_vec()),
            },
            Param {
                key: "fan",
                label: "Orbit fan",
                help: "the way that orbits take, escaping or not",
                value: ParamValue::Switch(self.fan),
                range: ParamRange::Switch,
            },
            Param {
                key: "skip",
                label: "Skip points",
                help: "points of each orbit that the fan leaves out: thousands leave the attractor alone",
                value: ParamValue::Count(self.skip),
                range: ParamRange::Count { least: 0, most: Fan::MOST_SKIP },
            },
        ];
        own.into_iter().chain(self.knobs.params()).collect()
    }

    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        checked(&self.params(), key, &value)?;
        match (key, value) {
            ("section", ParamValue::Number(s)) => self.s = s,
            ("ordinate", ParamValue::Choice(key)) => {
                self.ordinate = if key == key_of(Ordinate::Im) { Ordinate::Im } else { Ordinate::Re };
            }
            ("fan", ParamValue::Switch(on)) => self.fan = on,
            ("skip", ParamValue::Count(skip)) => self.skip = skip,
            (key, value) => self.knobs.turn(key, value),
        }
        Ok(())
    }

    fn viewport(&self) -> &Viewport {
        &self.viewport
    }

    fn set_viewport(&mut self, viewport: Viewport) {
        self.viewport = viewport;
    }

    fn home(&self, size: [u32; 2]) -> Viewport {
        home(size)
    }

    fn task(&self) -> Task {
        let kept = self.knobs.samples;
        if self.s == 0.0 && self.ordinate == Ordinate::Re {
            // Chaos needs more orbits than cycles do.
            let orbits = 0..self.knobs.orbits.max(Bifurcation::ORBITS);
            return Task::OrbitDensity(OrbitDensity { map: MapId::Quadratic, orbits, kept, effort: Effort::STILL });
        }
        let fan = self.fan.then_some(Fan { skip: self.skip, ..Fan::DEFAULT });
        let (s, ordinate, effort) = (self.s, self.ordinate, Section::STILL);
        Task::Section(Section { s, ordinate, orbits: 0..self.knobs.orbits, kept, effort, fan })
    }

    fn axes(&self) -> Option<[&'static str; 2]> {
        Some(["Re c", ORDINATES[self.ordinate as usize].1])
    }

    fn diagram_scheme(&self) -> DiagramScheme {
        self.knobs.scheme
    }

    /// The other coordinate.
    fn companion(&self, size: [u32; 2]) -> Option<Box<dyn View>> {
        let other = if self.ordinate == Ordinate::Re { Ordinate::Im } else { Ordinate::Re };
        Some(Box::new(Self { ordinate: other, viewport: home(size), ..self.clone() }))
    }

    fn section(&self) -> Option<f64> {
        Some(self.s)
    }

    fn shares(&self, key: &str) -> bool {
        ["section", "fan", "skip", "orbits", "samples", "scheme"].contains(&key)
    }

    fn parameter_at(&self, point: &BigComplex) -> Option<BigComplex> {
        Some(BigComplex::new(point.re.clone(), Decimal::from_f64(self.s)))
    }

    fn fitting_ordinates(&self, parameters: [f64; 2]) -> Option<[Decimal; 2]> {
        if let Task::OrbitDensity(task) = self.task() {
            return fitting(task.map, parameters);
        }
        let home = home([1, 1]);
        let half = home.height().half();
        Some([&home.center().im - &half, &home.center().im + &half])
    }
}
