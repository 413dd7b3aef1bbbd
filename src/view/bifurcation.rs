//! Bifurcation diagrams of real maps: where orbits stay, over the parameter.

use super::diagram::{DiagramKnobs, fitting};
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
    knobs: DiagramKnobs,
}

impl Bifurcation {
    pub const KEY: &'static str = "bifurcation";
    /// Orbits of each column of a finished picture.
    pub const ORBITS: u32 = 512;
    /// Points that each of them adds.
    pub const KEPT: u32 = 512;

    pub fn at_home(size: [u32; 2]) -> Self {
        let (map, scheme) = (MapId::Quadratic, DiagramScheme::default());
        let knobs = DiagramKnobs { orbits: Self::ORBITS, samples: Self::KEPT, scheme };
        Self { viewport: home(map, size), map, knobs }
    }

    /// The diagram of a task, whatever its effort.
    pub fn of_task(task: &OrbitDensity, scheme: DiagramScheme, viewport: Viewport) -> Self {
        let knobs = DiagramKnobs { orbits: task.orbits.len() as u32, samples: task.kept, scheme };
        Self { viewport, map: task.map, knobs }
    }
}

fn home(map: MapId, size: [u32; 2]) -> Viewport {
    let [low, high] = map.home().corners();
    Viewport::from_box(&low, &high, size).expect("home boxes fit every size a window can have")
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
        std::iter::once(map).chain(self.knobs.params()).collect()
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
        home(self.map, size)
    }

    fn task(&self) -> Task {
        let (map, effort) = (self.map, Effort::STILL);
        Task::OrbitDensity(OrbitDensity { map, orbits: 0..self.knobs.orbits, kept: self.knobs.samples, effort })
    }

    fn axes(&self) -> Option<[&'static str; 2]> {
        Some([self.map.parameter(), "x"])
    }

    fn diagram_scheme(&self) -> DiagramScheme {
        self.knobs.scheme
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_logistic_map_stand_for_the_same_dynamics_of_the_set() {
        let mut view = Bifurcation::at_home([64, 48]);
        let stands_for = |view: &Bifurcation, parameter: &str| {
            let point = BigComplex::new(parameter.parse().unwrap(), 0.into());
            view.parameter_at(&point).map(|c| (c.re.to_string(), c.im.to_string()))
        };
        let real = |re: &str| Some((re.to_owned(), "0".to_owned()));
        assert_eq!(stands_for(&view, "-1.25"), real("-1.25"));
        // c = r(2 − r)/4, exactly: the first doubling, a cycle of period 2, and the end.
        view.set_param("map", ParamValue::Choice("logistic".into())).unwrap();
        for (r, c) in [("3", "-0.75"), ("3.2", "-0.96"), ("4", "-2")] {
            assert_eq!(stands_for(&view, r), real(c), "r = {r}");
        }
        view.set_param("map", ParamValue::Choice("tent".into())).unwrap();
        assert_eq!(stands_for(&view, "1.5"), None);
    }
}
