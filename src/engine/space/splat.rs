//! Points onto pixels: one after the other, and the arithmetic that all ways of doing so share.
//!
//! A point's light is spread over the four pixels about it, by its distance from their middles. All of it is whole
//! numbers from the moment a point is projected, and each step of the projection is one IEEE rounding, so that every
//! order and every vector width gives the same sums.

use super::orbits::CloudPoint;
use crate::render::{Camera, Exposure, Space, Tints};

/// Parts of a pixel that places are rounded to.
pub const PARTS: u32 = 1 << FRACTION;
pub const FRACTION: u32 = 8;
/// Units of [`Splat::amount`] in a point of full weight that is neither near nor far.
pub const AMOUNT: f32 = 2048.0;
/// What the product of a tint (full: 255), an amount and a share of 256 exceeds units of [`Exposure`] by, in bits.
pub const SHIFT: u32 = 8 + 11 + 8 - Exposure::UNIT.trailing_zeros();

/// Light of the farthest points, where those at the target have about 1.
pub const LEAST_FADE: f32 = 0.35;
/// Numbers of points times this, modulo 2³², are spread evenly: 2³² over the golden ratio.
pub const DITHER: u32 = 0x9e37_79b9;

/// The camera as points need it, in f32.
pub struct Lens {
    /// Of [`Camera::matrix`].
    pub rows: [[f32; 4]; 3],
    /// Fade is `fade[0] − fade[1] · depth`, clamped.
    pub fade: [f32; 2],
    /// Beyond these places, in pixels, a point leaves no light.
    pub ends: [f32; 2],
    tints: [[u32; 4]; 256],
}

/// A point in the picture.
#[derive(Clone, Copy, Debug, Default)]
pub struct Splat {
    /// Middle of the pixel to the upper left, counted from the one before the first, in parts of a pixel.
    pub x: u32,
    pub y: u32,
    /// Weight and fade; 0 where nothing is seen.
    pub amount: u32,
    /// In the lower 8 bits the tint; above it what is added before light is rounded down.
    pub tint_and_dither: u32,
}

impl Lens {
    pub fn new(task: &Space, size: [u32; 2]) -> Self {
        let Camera { distance, .. } = task.camera;
        let tints: &Tints = &task.tints;
        Self {
            rows: task.camera.matrix(size).map(|row| row.map(|x| x as f32)),
            fade: [(1.35 - 0.16 * (1.4 - distance)) as f32, 0.16],
            ends: size.map(|side| side as f32 + 0.5),
            tints: tints.map(|tint| tint.map(u32::from)),
        }
    }

    /// Where point number `i` of its layer falls.
    #[inline(always)]
    pub fn splat(&self, i: u32, point: &CloudPoint) -> Splat {
        let [x, y, z] = point.place;
        let [across, down, depth] = self.rows.map(
            #[inline(always)]
            |[a, b, c, d]| (a * x + b * y) + (c * z + d),
        );
        let [across, down] = [across / depth, down / depth];
        let seen = (depth >= Camera::NEAREST as f32)
            & (across > -0.5)
            & (across < self.ends[0])
            & (down > -0.5)
            & (down < self.ends[1]);
        // The middle of pixel 0 lies at ½; one pixel more keeps places positive.
        let part = |at: f32| if seen { ((at + 0.5) * PARTS as f32) as i32 as u32 } else { 0 };
        let fade = (self.fade[0] - self.fade[1] * depth).clamp(LEAST_FADE, Camera::MOST_FADE as f32);
        let weight = (point.paint >> 8) as f32 * (AMOUNT / CloudPoint::FULL as f32);
        let amount = if seen { (weight * fade) as i32 as u32 } else { 0 };
        let dither = i.wrapping_mul(DITHER) >> (32 - SHIFT);
        Splat { x: part(across), y: part(down), amount, tint_and_dither: (dither << 8) | (point.paint & 0xff) }
    }
}

impl Splat {
    /// The upper one of its two rows of pixels; −1 is above the picture.
    #[inline(always)]
    pub fn row(&self) -> i64 {
        i64::from(self.y >> FRACTION) - 1
    }

    /// Adds its light to the rows of a picture from `first` on; `rows` are whole rows of `width` pixels.
    #[inline(always)]
    pub fn add(&self, lens: &Lens, rows: &mut [[u32; 4]], width: usize, first: i64) {
        let [tint, dither] = [self.tint_and_dither & 0xff, self.tint_and_dither >> 8];
        let light = lens.tints[tint as usize].map(|part| part * self.amount);
        let [fx, fy] = [self.x % PARTS, self.y % PARTS];
        let both = (fx * fy) >> FRACTION;
        let shares = [[PARTS - fx - fy + both, fx - both], [fy - both, both]];
        // Columns count from the one before the first.
        let x = (self.x >> FRACTION) as usize;
        for (y, [left, right]) in (self.row() - first..).zip(shares) {
            if y < 0 || y as usize * width >= rows.len() {
                continue;
            }
            let row = &mut rows[y as usize * width..][..width];
            if x > 0 {
                add(&mut row[x - 1], light, left, dither);
            }
            if x < width {
                add(&mut row[x], light, right, dither);
            }
        }
    }
}

/// Adds a share, in parts of a pixel, of some light.
#[inline(always)]
fn add(pixel: &mut [u32; 4], light: [u32; 4], share: u32, dither: u32) {
    *pixel = std::array::from_fn(
        #[inline(always)]
        |i| pixel[i] + ((light[i] * share + dither) >> SHIFT),
    );
}

/// Adds the light of the points, one by one.
pub fn plain(lens: &Lens, points: &[CloudPoint], exposure: &mut Exposure) {
    let width = exposure.size[0] as usize;
    for (i, point) in (0..).zip(points) {
        lens.splat(i, point).add(lens, &mut exposure.light, width, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::render::Scene;

    #[test]
    fn light_falls_where_the_camera_sees_the_point_and_none_is_lost() {
        let size = [64, 48];
        let mut tints = [[0; 4]; 256];
        tints[7] = [255, 128, 0, 0];
        let task = Space { scene: Scene::Set, ghost: false, points: 0, camera: Camera::HOME, tints: Arc::new(tints) };
        let lens = Lens::new(&task, size);
        for (i, place) in [[-0.75, 0.0, 0.0], [0.1, 0.3, -0.4], [-1.9, -0.2, 0.9]].into_iter().enumerate() {
            let point = CloudPoint { place, paint: (CloudPoint::FULL << 8) | 7 };
            let mut exposure = Exposure::dark(size);
            // Many of them, so that roundings even out.
            plain(&lens, &vec![point; 1000], &mut exposure);
            let seen = task.camera.project(size, place.map(f64::from)).unwrap();
            let light = |part: usize| exposure.light.iter().map(move |pixel| f64::from(pixel[part]));
            let sum: f64 = light(0).sum();
            let expected = 1000.0 * 255.0 * task.camera.fade(seen.depth);
            assert!((sum / expected - 1.0).abs() < 2e-3, "point {i}: {sum} of {expected}");
            assert!((light(1).sum::<f64>() / sum - 128.0 / 255.0).abs() < 2e-3 && light(2).all(|v| v == 0.0));
            for axis in 0..2 {
                let at = |pixel: usize| if axis == 0 { pixel % 64 } else { pixel / 64 };
                let middle = light(0).enumerate().map(|(pixel, v)| v * (at(pixel) as f64 + 0.5)).sum::<f64>() / sum;
                assert!((middle - seen.pos_px[axis]).abs() < 0.01, "point {i}: {middle}, not {:?}", seen.pos_px);
            }
        }
    }

    #[test]
    fn points_out_of_sight_leave_nothing() {
        let camera = Camera { target: [0.0; 3], yaw: 0.0, pitch: 0.0, distance: 2.0, ..Camera::HOME };
        let task = Space { scene: Scene::Set, ghost: false, points: 0, camera, tints: Arc::new([[255; 4]; 256]) };
        let lens = Lens::new(&task, [32, 32]);
        for place in [[0.0, -2.5, 0.0], [0.0, -2.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, -1e30], [f32::NAN; 3]] {
            let splat = lens.splat(0, &CloudPoint { place, paint: CloudPoint::FULL << 8 });
            assert_eq!(splat.amount, 0, "{place:?}");
        }
    }

    #[test]
    fn as_many_points_as_there_may_be_fit_a_pixel() {
        // A unit more for each of its four shares, for roundings.
        let brightest = u64::from((255 * ((f64::from(AMOUNT) * Camera::MOST_FADE) as u32) * PARTS) >> SHIFT) + 4;
        assert!(brightest * u64::from(Space::MOST_POINTS) <= u64::from(u32::MAX), "{brightest}");
    }
}
