//! Points onto pixels: one after the other, and the arithmetic that all ways of doing so share.
//!
//! A point's light is spread over the four pixels about it, by its distance from their middles. All of it is whole
//! numbers from the moment a point is projected, and each step of the projection is one IEEE rounding, so that every
//! order and every vector width gives the same sums.

use super::orbits::CloudPoint;
use crate::render::{Camera, Exposure, Space, Tints};

/// Parts of a pixel that places are rounded to.
pub const PARTS: u32 = 1 << FRACTION;
const FRACTION: u32 = 8;
/// Units of [`Splat::amount`] in a point of full weight that is neither near nor far.
const AMOUNT: f32 = 2048.0;
/// What the product of a tint (full: 255), an amount and a share of 256 exceeds units of [`Exposure`] by, in bits.
const SHIFT: u32 = 8 + 11 + 8 - Exposure::UNIT.trailing_zeros();

/// The camera as points need it, in f32.
pub struct Lens {
    rows: [[f32; 4]; 3],
    /// Fade is `fade[0] − fade[1] · depth`, clamped.
    fade: [f32; 2],
    /// Beyond these places, in pixels, a point leaves no light.
    ends: [f32; 2],
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
        let fade = (self.fade[0] - self.fade[1] * depth).clamp(0.35, Camera::MOST_FADE as f32);
        let weight = (point.paint >> 8) as f32 * (AMOUNT / CloudPoint::FULL as f32);
        let amount = if seen { (weight * fade) as i32 as u32 } else { 0 };
        let dither = i.wrapping_mul(0x9e37_79b9) >> (32 - SHIFT);
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
        let x = (self.x >> FRACTION) as usize;
        for (y, shares) in (self.row() - first..).zip(shares) {
            if y < 0 || y as usize * width >= rows.len() {
                continue;
            }
            let row = &mut rows[y as usize * width..][..width];
            for (x, share) in (x..).zip(shares) {
                // Columns count from the one before the first.
                if let Some(pixel) = x.checked_sub(1).and_then(|x| row.get_mut(x)) {
                    for (sum, part) in pixel.iter_mut().zip(light) {
                        *sum += (part * share + dither) >> SHIFT;
                    }
                }
            }
        }
    }
}

/// Adds the light of the points, one by one.
pub fn plain(lens: &Lens, points: &[CloudPoint], exposure: &mut Exposure) {
    let width = exposure.size[0] as usize;
    for (i, point) in (0..).zip(points) {
        lens.splat(i, point).add(lens, &mut exposure.light, width, 0);
    }
}
