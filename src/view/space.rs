//! Orbits of z² + c in space, seen by a camera that the hand turns.

use std::sync::Arc;

use super::{Param, ParamError, ParamRange, ParamValue, Steer, View, checked};
use crate::color::space_tints;
use crate::math::{BigComplex, Decimal};
use crate::render::{Camera, Scene, Section, Space, Task, Tints, Viewport};

/// A section upright in space, or the attractors over the whole set.
#[derive(Clone, Debug)]
pub struct Spatial {
    /// Nothing but the picture's size: the camera says what is seen.
    viewport: Viewport,
    whole: bool,
    s: f64,
    ghost: bool,
    points: u32,
    camera: Camera,
    tints: [Arc<Tints>; 2],
}

impl Spatial {
    pub const KEY: &'static str = "bifurcation-3d";
    /// Turn of the camera by a drag of a pixel, in radians.
    pub const TURN: f64 = 0.01;
    const FIRST_S: f64 = 0.1;
    /// Scenes by key, and their names.
    const SCENES: [(&'static str, &'static str); 2] = [("section", "a section"), ("set", "the whole set")];

    pub fn at_home(size: [u32; 2]) -> Self {
        let scenes = [Scene::Section { s: Self::FIRST_S }, Scene::Set];
        Self {
            viewport: frame(size),
            whole: false,
            s: Self::FIRST_S,
            ghost: true,
            points: Space::STILL,
            camera: Camera::HOME,
            tints: scenes.map(|scene| Arc::new(space_tints(scene))),
        }
    }

    /// The scene of a task, its camera about the usual target.
    pub fn of_task(task: &Space, size: [u32; 2]) -> Self {
        let Camera { yaw, pitch, distance, fov, .. } = task.camera;
        let camera = Camera { yaw: wrapped(yaw), pitch, distance, fov, ..Camera::HOME };
        let home = Self::at_home(size);
        let (whole, s) = match task.scene {
            Scene::Section { s } => (false, s),
            Scene::Set => (true, home.s),
        };
        Self { whole, s, ghost: task.ghost, points: task.points, camera, ..home }
    }

    fn scene(&self) -> Scene {
        if self.whole { Scene::Set } else { Scene::Section { s: self.s } }
    }
}

/// A viewport of that size.
fn frame(size: [u32; 2]) -> Viewport {
    Viewport::new(BigComplex::new(0.into(), 0.into()), Decimal::from(1), size)
        .expect("windows have sizes that are no less")
}

impl View for Spatial {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn title(&self) -> &'static str {
        "Bifurcation in space"
    }

    fn boxed_clone(&self) -> Box<dyn View> {
        Box::new(self.clone())
    }

    fn params(&self) -> Vec<Param> {
        let number = |key, label, help, value, [least, most]: [f64; 2]| {
            let range = ParamRange::Number { least, most };
            Param { key, label, help, value: ParamValue::Number(value), range }
        };
        let scene = Param {
            key: "scene",
            label: "Scene",
            help: "the orbits of a line through the set, or the attractors of all of it",
            value: ParamValue::Choice(Self::SCENES[usize::from(self.whole)].0.into()),
            range: ParamRange::Choice(Self::SCENES.to_vec()),
        };
        let ghost = Param {
            key: "ghost",
            label: "Real diagram beside it",
            help: "the section along the real axis, faintly",
            value: ParamValue::Switch(self.ghost),
            range: ParamRange::Switch,
        };
        let of_section =
            [number("section", "Im c", "the line through the set", self.s, [-Section::MOST, Section::MOST]), ghost];
        let of_camera = [
            number("yaw", "Turn", "of the camera about the upright axis, in radians", self.camera.yaw, TURNS),
            number("pitch", "Height", "of the camera, in radians", self.camera.pitch, PITCHES),
            number("distance", "Distance", "of the camera", self.camera.distance, DISTANCES),
            number("fov", "Field of view", "from bottom to top, in radians", self.camera.fov, FOVS),
            Param {
                key: "points",
                label: "Points",
                help: "of a finished picture: more make lines and sheets smoother",
                value: ParamValue::Count(self.points),
                range: ParamRange::Count { least: Space::LEAST_POINTS, most: Space::MOST_POINTS },
            },
        ];
        let of_section = of_section.into_iter().filter(|_| !self.whole);
        std::iter::once(scene).chain(of_section).chain(of_camera).collect()
    }

    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        checked(&self.params(), key, &value)?;
        match (key, value) {
            ("scene", ParamValue::Choice(key)) => self.whole = key == Self::SCENES[1].0,
            ("section", ParamValue::Number(s)) => self.s = s,
            ("ghost", ParamValue::Switch(on)) => self.ghost = on,
            ("yaw", ParamValue::Number(yaw)) => self.camera.yaw = yaw,
            ("pitch", ParamValue::Number(pitch)) => self.camera.pitch = pitch,
            ("distance", ParamValue::Number(distance)) => self.camera.distance = distance,
            ("fov", ParamValue::Number(fov)) => self.camera.fov = fov,
            ("points", ParamValue::Count(points)) => self.points = points,
            _ => unreachable!("only knobs of the table come here"),
        }
        Ok(())
    }

    fn viewport(&self) -> &Viewport {
        &self.viewport
    }

    fn set_viewport(&mut self, viewport: Viewport) {
        self.viewport = frame(viewport.size());
    }

    fn home(&self, size: [u32; 2]) -> Viewport {
        frame(size)
    }

    fn task(&self) -> Task {
        let (scene, camera) = (self.scene(), self.camera);
        let tints = self.tints[usize::from(self.whole)].clone();
        Task::Space(Space { scene, ghost: self.ghost, points: self.points, camera, tints })
    }

    fn section(&self) -> Option<f64> {
        (!self.whole).then_some(self.s)
    }

    fn camera(&self) -> Option<&Camera> {
        Some(&self.camera)
    }

    fn steer(&mut self, steer: Steer) -> bool {
        let camera = &mut self.camera;
        match steer {
            Steer::Turn { by_px: [x, y] } => {
                camera.yaw = wrapped(camera.yaw - Self::TURN * x);
                camera.pitch = (camera.pitch + Self::TURN * y).clamp(-Camera::MOST_PITCH, Camera::MOST_PITCH);
            }
            Steer::Shift { by_px } => {
                let unit = camera.pixels_per_unit(self.viewport.size());
                let [right, up, _] = camera.directions();
                for (i, at) in camera.target.iter_mut().enumerate() {
                    *at += (by_px[1] * up[i] - by_px[0] * right[i]) / unit;
                }
            }
            Steer::Zoom { factor } => {
                let [least, most] = Camera::DISTANCES;
                camera.distance = (camera.distance / factor).clamp(least, most);
            }
            Steer::Look(axis) => *camera = Camera { target: camera.target, ..Camera::along(axis) },
            Steer::Fly { share } => *camera = Camera::flight(share),
            Steer::Stand(place) => *camera = place,
            Steer::Home => *camera = Camera::HOME,
        }
        true
    }
}

/// Turns that a camera may have, and heights.
const TURNS: [f64; 2] = [-std::f64::consts::PI, std::f64::consts::PI];
const PITCHES: [f64; 2] = [-1.6, 1.6];
/// Distances, and fields of view: at the ends of the flight the camera is far off and sees little.
const DISTANCES: [f64; 2] = [Camera::DISTANCES[0], 1e4];
const FOVS: [f64; 2] = [1e-4, 2.0];

/// The same direction within a turn about 0.
fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::SpaceAxis;

    #[test]
    fn hands_turn_shift_and_zoom_the_camera() {
        let mut view = Spatial::at_home([800, 600]);
        let camera = |view: &Spatial| view.camera;
        view.steer(Steer::Turn { by_px: [10.0, 1000.0] });
        assert!((camera(&view).yaw - 0.45).abs() < 1e-12);
        assert_eq!(camera(&view).pitch, Camera::MOST_PITCH);
        view.steer(Steer::Home);
        assert_eq!(camera(&view), Camera::HOME);
        // What is at the target follows the hand.
        let target = Camera::HOME.target;
        view.steer(Steer::Shift { by_px: [30.0, -20.0] });
        let [x, y] = camera(&view).project([800, 600], target).unwrap().pos_px;
        assert!((x - 430.0).hypot(y - 280.0) < 1e-6, "{x}, {y}");
        view.steer(Steer::Zoom { factor: 1e9 });
        assert_eq!(camera(&view).distance, Camera::DISTANCES[0]);
        view.steer(Steer::Look(SpaceAxis::Y));
        assert_eq!(camera(&view).yaw, 0.0);
    }

    #[test]
    fn knobs_hold_whatever_a_hand_can_reach() {
        let mut view = Spatial::at_home([80, 60]);
        for i in 0..400 {
            view.steer(Steer::Turn { by_px: [37.0, f64::from(i % 7) - 3.0] });
            for param in view.params() {
                param.check(&param.value).unwrap();
            }
        }
        for t in 0..=10 {
            view.steer(Steer::Fly { share: f64::from(t) / 10.0 });
            for param in view.params() {
                param.check(&param.value).unwrap();
            }
        }
    }
}
