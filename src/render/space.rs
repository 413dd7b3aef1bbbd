//! Orbits of z² + c in space: which scene, and from where it is seen.
//!
//! Axes are right-handed with Z upwards. In a [`Scene::Section`] X is Re c, Y is Im z and Z is Re z, so that the
//! real diagram stands upright in the plane Y = 0. In [`Scene::Set`] X and Y are the plane of c, seen from above as the
//! Mandelbrot set, and Z is Re z, seen from the side as the real diagram.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use super::{Job, Section, Task, Viewport, ViewportError};
use crate::math::{BigComplex, Decimal};

/// Points of orbits, thrown as light onto a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    pub scene: Scene,
    /// Whether a section shows the real diagram beside it, too; the whole set always does.
    pub ghost: bool,
    /// Most points of the scene, from [`Space::LEAST_POINTS`] to [`Space::MOST_POINTS`].
    pub points: u32,
    pub camera: Camera,
    /// The light of each tint.
    pub tints: Arc<Tints>,
}

impl Space {
    /// Fewer than these are no picture.
    pub const LEAST_POINTS: u32 = 1 << 12;
    /// So many points on one pixel still fit a u32: each adds [`Exposure::UNIT`](super::Exposure::UNIT) times
    /// [`Camera::MOST_FADE`] at most.
    pub const MOST_POINTS: u32 = 12_000_000;
    /// Points while a picture moves.
    pub const MOVING: u32 = 1 << 19;
    /// Points once it stands still.
    pub const STILL: u32 = 5_000_000;

    /// The job of drawing it at that size.
    ///
    /// # Errors
    /// [`ViewportError::Size`] where the size is empty or absurd.
    pub fn job(self, size: [u32; 2]) -> Result<Job, ViewportError> {
        let zero = || Decimal::from_f64(0.0);
        let viewport = Viewport::new(BigComplex::new(zero(), zero()), Decimal::from_f64(1.0), size)?;
        Ok(Job::new(viewport, Task::Space(self)))
    }
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scene {
    /// Orbits of all c with Im c = `s`, over Re c.
    Section { s: f64 },
    /// Attractors over the whole Mandelbrot set.
    Set,
}

impl Scene {
    /// Least and largest Re c.
    pub const RE: [f64; 2] = Section::HOME.parameter;
    /// Largest |Im c| of the whole set, with a little room.
    pub const MOST_IM: f64 = 1.15;
}

/// Light of points by their tint: red, green and blue, and the light of the real slice, a layer of its own.
pub type Tints = [[u8; 4]; 256];

/// Names of tints: what a point is, to be given its colour elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint(pub u8);

impl Tint {
    /// Points of the real diagram.
    pub const SLICE: Self = Self(u8::MAX);

    /// Of a section: by Re c, along [`Scene::RE`].
    pub fn of_re(re: f64) -> Self {
        let [low, high] = Scene::RE;
        Self(((re - low) / (high - low) * 254.0).clamp(0.0, 254.0) as u8)
    }

    /// Of the whole set: by the period of the attracting cycle.
    pub fn of_period(period: u32) -> Self {
        Self(period.min(254) as u8)
    }
}

/// Where a scene is seen from: somewhere on a sphere about its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub target: [f64; 3],
    /// Turn about Z, in radians: at 0 the camera looks along Y, with X to the right.
    pub yaw: f64,
    /// Height of the camera above the target, in radians: at π/2 it looks down, with Y upwards.
    pub pitch: f64,
    /// Distance from the target.
    pub distance: f64,
    /// Vertical field of view, in radians.
    pub fov: f64,
}

/// Axes of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceAxis {
    X,
    Y,
    Z,
}

/// A point in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// In pixels from the upper left corner.
    pub pos_px: [f64; 2],
    /// Distance from the camera along its line of sight.
    pub depth: f64,
}

impl Camera {
    pub const HOME: Self = Self { target: [-0.75, 0.0, 0.0], yaw: 0.55, pitch: 0.30, distance: 5.6, fov: Self::FOV };
    /// The usual field of view: 35 degrees.
    pub const FOV: f64 = 35.0 * PI / 180.0;
    /// Largest |pitch| that a hand may turn to: beyond it left and right would change places.
    pub const MOST_PITCH: f64 = 1.5;
    /// Distances that a hand may move to.
    pub const DISTANCES: [f64; 2] = [0.05, 100.0];
    /// Points nearer than this are not seen.
    pub const NEAREST: f64 = 0.02;
    /// Light of the nearest points, where those at the target have about 1.
    pub const MOST_FADE: f64 = 1.3;
    /// A field of view so narrow that parallels stay parallel to within a pixel.
    const FLAT_FOV: f64 = 0.1 * PI / 180.0;

    /// The camera that looks along an axis: the diagram along Y, the plane of c or of (Re c, Im z) along Z from above, and
    /// along X, against it, the plane of z with Im z to the right.
    pub fn along(axis: SpaceAxis) -> Self {
        let (yaw, pitch) = match axis {
            SpaceAxis::X => (FRAC_PI_2, 0.0),
            SpaceAxis::Y => (0.0, 0.0),
            SpaceAxis::Z => (0.0, FRAC_PI_2),
        };
        Self { yaw, pitch, ..Self::HOME }
    }

    /// The flight from above (`t` = 0) to the side (`t` = 1), eased.
    ///
    /// At both ends nothing is foreshortened, so that the whole set is the Mandelbrot set there, and the
    /// bifurcation diagram here; on the way the field of view opens.
    pub fn flight(t: f64) -> Self {
        let t = t.clamp(0.0, 1.0);
        let eased = t * t * t * (t * (6.0 * t - 15.0) + 10.0);
        let between = 4.0 * eased * (1.0 - eased);
        let fov = Self::FLAT_FOV + (Self::FOV - Self::FLAT_FOV) * between;
        let height = 2.6 + 1.7 * eased;
        Self {
            yaw: Self::HOME.yaw * between,
            pitch: FRAC_PI_2 * (1.0 - eased),
            distance: height / 2.0 / (fov / 2.0).tan(),
            fov,
            ..Self::HOME
        }
    }

    /// Unit vectors to the right, upwards and forwards, as the picture has them.
    pub fn directions(&self) -> [[f64; 3]; 3] {
        let ((sy, cy), (sp, cp)) = (self.yaw.sin_cos(), self.pitch.sin_cos());
        [[cy, sy, 0.0], [-sy * sp, cy * sp, cp], [-sy * cp, cy * cp, -sp]]
    }

    /// Pixels per unit of length at the target, in a picture of that size.
    pub fn pixels_per_unit(&self, size: [u32; 2]) -> f64 {
        self.focal(size) / self.distance
    }

    fn focal(&self, [_, height]: [u32; 2]) -> f64 {
        f64::from(height) / 2.0 / (self.fov / 2.0).tan()
    }

    /// Rows of the projection: for a point p and rows a, b, d the pixel is at (a·p, b·p) / d·p, where d·p is the
    /// depth, and p has a fourth coordinate 1.
    pub fn matrix(&self, size: [u32; 2]) -> [[f64; 4]; 3] {
        let [right, up, forward] = self.directions();
        let focal = self.focal(size);
        let row = |scale: f64, across: [f64; 3], middle: f64| {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|i| scale * across[i] + middle * forward[i]);
            let at_target: f64 = [x, y, z].iter().zip(self.target).map(|(a, b)| a * b).sum();
            [x, y, z, middle * self.distance - at_target]
        };
        let [middle_x, middle_y] = size.map(|side| f64::from(side) / 2.0);
        [row(focal, right, middle_x), row(-focal, up, middle_y), row(0.0, forward, 1.0)]
    }

    /// Where a point is seen; none where it is not in front of the camera.
    pub fn project(&self, size: [u32; 2], [x, y, z]: [f64; 3]) -> Option<Projected> {
        let [across, down, depth] = self.matrix(size).map(|[a, b, c, d]| a * x + b * y + c * z + d);
        (depth >= Self::NEAREST).then(|| Projected { pos_px: [across / depth, down / depth], depth })
    }

    /// Share of its light that a point at that depth sends: nearer ones are brighter.
    pub fn fade(&self, depth: f64) -> f64 {
        (1.35 - 0.16 * (depth - self.distance + 1.4)).clamp(0.35, Self::MOST_FADE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [u32; 2] = [800, 600];

    #[test]
    fn cameras_see_points_where_they_should() {
        // Half the height of the picture is tan(17.5°) at unit distance.
        let unit = 300.0 / (17.5 * PI / 180.0).tan();
        let at = |camera: Camera, point| camera.project(SIZE, point).unwrap();
        let home = |axis| Camera { target: [0.0; 3], distance: 4.0, ..Camera::along(axis) };
        // (axis looked along, point, pixel from the middle in units of `unit`, depth, why)
        for (axis, point, [x, y], depth, why) in [
            (SpaceAxis::Y, [0.0, 0.0, 0.0], [0.0, 0.0], 4.0, "the target is the middle"),
            (SpaceAxis::Y, [1.0, 0.0, 0.0], [0.25, 0.0], 4.0, "X goes right"),
            (SpaceAxis::Y, [0.0, 0.0, 1.0], [0.0, -0.25], 4.0, "Z goes up"),
            (SpaceAxis::Y, [1.0, 1.0, 0.0], [0.2, 0.0], 5.0, "Y goes away"),
            (SpaceAxis::Z, [1.0, 0.0, 0.0], [0.25, 0.0], 4.0, "from above X goes right"),
            (SpaceAxis::Z, [0.0, 1.0, 0.0], [0.0, -0.25], 4.0, "and Y up"),
            (SpaceAxis::Z, [1.0, 0.0, 2.0], [0.5, 0.0], 2.0, "and Z comes near"),
            (SpaceAxis::X, [0.0, 1.0, 0.0], [0.25, 0.0], 4.0, "from the end Y goes right"),
            (SpaceAxis::X, [1.0, 0.0, 1.0], [0.0, -1.0 / 3.0], 3.0, "and X comes near"),
        ] {
            let seen = at(home(axis), point);
            let expected = [400.0 + x * unit, 300.0 + y * unit];
            let off = (0..2).map(|i| (seen.pos_px[i] - expected[i]).abs()).fold((seen.depth - depth).abs(), f64::max);
            assert!(off < 1e-9, "{why}: {seen:?}, expected {expected:?} at depth {depth}");
        }
        assert_eq!(home(SpaceAxis::Y).project(SIZE, [0.0, -4.0, 0.0]), None, "the eye itself");
    }

    #[test]
    fn directions_are_right_handed_and_of_unit_length() {
        for (yaw, pitch) in [(0.0, 0.0), (0.55, 0.3), (-2.0, 1.5), (7.0, -1.1), (0.0, FRAC_PI_2)] {
            let [right, up, forward] = Camera { yaw, pitch, ..Camera::HOME }.directions();
            let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
            let cross: [f64; 3] = std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                right[j] * up[k] - right[k] * up[j]
            });
            assert!((dot(cross, forward) + 1.0).abs() < 1e-12, "backwards is right × up at {yaw}, {pitch}");
            for direction in [right, up, forward] {
                assert!((dot(direction, direction) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn flights_begin_above_and_end_at_the_side_without_foreshortening() {
        let [above, half, side] = [0.0, 0.5, 1.0].map(Camera::flight);
        assert_eq!((above.pitch, above.yaw, side.pitch, side.yaw), (FRAC_PI_2, 0.0, 0.0, 0.0));
        assert!((half.fov - Camera::FOV).abs() < 1e-12 && half.yaw > 0.5, "{half:?}");
        for (camera, low, high) in
            [(above, [-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0]), (side, [-2.0, -1.0, 2.0], [-2.0, 1.0, 2.0])]
        {
            let [low, high] = [low, high].map(|point| camera.project(SIZE, point).unwrap().pos_px);
            assert!((low[0] - high[0]).abs() < 1.0 && (low[1] - high[1]).abs() < 1.0, "{low:?} {high:?}");
        }
        let mut last = Camera::flight(-1.0);
        for step in 1..=100 {
            let next = Camera::flight(f64::from(step) / 100.0);
            assert!(next.pitch <= last.pitch && next.pitch > last.pitch - 0.1, "step {step}");
            last = next;
        }
    }

    #[test]
    fn near_points_are_brighter_within_bounds() {
        let camera = Camera::HOME;
        assert!((camera.fade(5.6) - 1.126).abs() < 1e-12);
        assert_eq!((camera.fade(0.1), camera.fade(50.0)), (Camera::MOST_FADE, 0.35));
    }

    #[test]
    fn tints_follow_re_c_and_the_period() {
        assert_eq!([-2.0, -0.75, 0.5, 9.0].map(Tint::of_re), [Tint(0), Tint(127), Tint(254), Tint(254)]);
        assert_eq!([1, 3, 4096].map(Tint::of_period), [Tint(1), Tint(3), Tint(254)]);
    }
}
