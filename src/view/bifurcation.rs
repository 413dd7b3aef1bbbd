//! Bifurcation diagrams of real maps: where orbits stay, over the parameter.

use super::{Param, ParamError, ParamRange, ParamValue, View, checked};
use crate::color::DiagramScheme;
use crate::fractal::MapId;
use crate::fractal::attractor::Effort;
use crate::math::{BigComplex, Decimal};
use crate::render::{OrbitDensity, Task, Viewport};

/// The diagram of a map; each axis has its own scale.
#[derive(Clone, Debug)]
pub struct Bifurcation {
    viewport: Viewport,
    map: MapId,
    work: Work,
    scheme: DiagramScheme,
}

/// How many orbits a diagram has, and how many points each of them adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    pub orbits: u32,
    pub samples: u32,
}

impl Work {
    pub fn params(self) -> [Param; 2] {
        let count = |key, label, help, value, most| {
            let range = ParamRange::Count { least: 1, most };
            Param { key, label, help, value: ParamValue::Count(value), range }
        };
        [
            count("orbits", "Orbits a column", "of a finished picture", self.orbits, OrbitDensity::MOST_ORBITS),
            count(
                "samples",
                "Points an orbit",
                "that stays: more make chaos smoother",
                self.samples,
                OrbitDensity::MOST_KEPT,
            ),
        ]
    }

    /// Turns one of these knobs.
    pub fn turn(&mut self, key: &str, value: u32) {
        *(if key == "orbits" { &mut self.orbits } else { &mut self.samples }) = value;
    }
}

impl Bifurcation {
    pub const KEY: &'static str = "bifurcation";
    /// Orbits of each column of a finished picture.
    pub const ORBITS: u32 = 512;
    /// Points that each of them adds.
    pub const KEPT: u32 = 512;

    pub fn at_home(size: [u32; 2]) -> Self {
        let (map, scheme) = (MapId::Quadratic, DiagramScheme::default());
        Self { viewport: home(map, size), map, work: Work { orbits: Self::ORBITS, samples: Self::KEPT }, scheme }
    }
}

fn home(map: MapId, size: [u32; 2]) -> Viewport {
    let home = map.home();
    // As written, not as f64 has it.
    let exact = |value: f64| value.to_string().parse::<Decimal>().expect("home boxes are numbers");
    let corner = |i: usize| BigComplex::new(exact(home.parameter[i]), exact(home.ordinate[i]));
    Viewport::from_box(&corner(0), &corner(1), size).expect("home boxes fit every size a window can have")
}

/// Ordinates that fit what a map does between two parameters.
pub(super) fn fitting(map: MapId, parameters: [f64; 2]) -> Option<[Decimal; 2]> {
    let ends = parameters.map(|parameter| map.range(parameter));
    let (low, high) = (ends[0][0].min(ends[1][0]), ends[0][1].max(ends[1][1]));
    let margin = 0.02 * (high - low);
    (low < high).then(|| [low - margin, high + margin].map(Decimal::from_f64))
}

/// The knob of a diagram's colours.
pub(super) fn scheme_param(scheme: DiagramScheme) -> Param {
    Param {
        key: "scheme",
        label: "Colours",
        help: "what the colours of the diagram tell",
        value: ParamValue::Choice(scheme.key().into()),
        range: ParamRange::Choice(DiagramScheme::ALL.iter().map(|scheme| (scheme.key(), scheme.name())).collect()),
    }
}

impl View for Bifurcation {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn title(&self) -> &'static str {
        "Bifurcation diagram"
    }

    fn boxed_clone(&self) -> Box<dyn View> {
        Box::new(self.clone())
    }

    fn params(&self) -> Vec<Param> {
        let map = Param {
            key: "map",
            label: "Map",
            help: "the map that is iterated",
            value: ParamValue::Choice(self.map.key().into()),
            range: ParamRange::Choice(MapId::ALL.iter().map(|map| (map.key(), map.name())).collect()),
        };
        std::iter::once(map).chain(self.work.params()).chain([scheme_param(self.scheme)]).collect()
    }

    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        checked(&self.params(), key, &value)?;
        match (key, value) {
            ("map", ParamValue::Choice(key)) => {
                let map = MapId::from_key(&key).unwrap_or(self.map);
                if map != self.map {
                    // A place of one diagram means nothing in another: show the whole of it.
                    self.map = map;
                    self.viewport = home(map, self.viewport.size());
                }
            }
            (key, ParamValue::Count(count)) => self.work.turn(key, count),
            ("scheme", ParamValue::Choice(key)) => self.scheme = DiagramScheme::from_key(&key).unwrap_or(self.scheme),
            _ => unreachable!("only knobs of the table come here"),
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
        home(self.map, size)
    }

    fn task(&self) -> Task {
        let (map, effort) = (self.map, Effort::STILL);
        Task::OrbitDensity(OrbitDensity { map, orbits: 0..self.work.orbits, kept: self.work.samples, effort })
    }

    fn axes(&self) -> Option<[&'static str; 2]> {
        Some([self.map.parameter(), "x"])
    }

    fn diagram_scheme(&self) -> DiagramScheme {
        self.scheme
    }

    fn parameter_at(&self, point: &BigComplex) -> Option<BigComplex> {
        match self.map {
            MapId::Quadratic => Some(BigComplex::new(point.re.clone(), 0.into())),
            // r·x(1 − x) does what z² + c does at c = r(2 − r)/4.
            MapId::Logistic => {
                let r = &point.re;
                let c = (r * &(&Decimal::from(2) - r)).half().half();
                Some(BigComplex::new(c, 0.into()))
            }
            _ => None,
        }
    }

    fn fitting_ordinates(&self, parameters: [f64; 2]) -> Option<[Decimal; 2]> {
        fitting(self.map, parameters)
    }
}
