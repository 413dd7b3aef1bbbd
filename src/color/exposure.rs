//! Light of points in space to pixels: each colour saturates by itself, so that much light of one colour turns white.
//!
//! Beneath the light lie thin axes; the real slice lies over it, white in the whole set and a ghost in a section.

use super::diagram::{GROUND, Rgb, WHITE, mix, period_color};
use super::stroke::Stroke;
use crate::render::{Camera, Exposure, Projected, Scene, Space, Tint, Tints};

/// What gains are multiplied by: a line or sheet of full weight has 1 − e^−this of its colour.
const LINE_GAIN: f64 = 4.0;
const SHEET_GAIN: f64 = 0.8;
const SLICE_GAIN: f64 = 2.0;
/// Opacity of the real diagram beside a section.
const GHOST: f64 = 0.22;
pub(super) const AXIS: Rgb = [0.42, 0.46, 0.58];
pub(super) const AXIS_OPACITY: f64 = 0.4;
/// Ends of the axes, from low to high.
const AXES: [[f64; 2]; 3] = [[-2.3, 0.9], [-1.7, 1.7], [-2.2, 2.2]];
/// Length of the arrows' barbs, as a share of the picture's height.
const BARB: f64 = 0.012;

/// The tints of a scene: hues along Re c, as a table of contents, or the colours of periods.
pub fn space_tints(scene: Scene) -> Tints {
    let mut tints = [[0; 4]; 256];
    for (i, tint) in tints.iter_mut().enumerate() {
        let color = match scene {
            Scene::Section { .. } => glowing(0.02 + 0.82 * i as f64 / 254.0),
            Scene::Set => period_color(i as u32),
        };
        *tint = [color[0], color[1], color[2], 0.0].map(|v| (v * 255.0).round() as u8);
    }
    tints[usize::from(Tint::SLICE.0)] = [0, 0, 0, 255];
    tints
}

/// A saturated colour of a hue in turns; green and cyan, which look brighter, are held back.
fn glowing(hue: f64) -> Rgb {
    let color = [0.0, 2.0 / 3.0, 1.0 / 3.0].map(|shift| {
        let at = (hue + shift).rem_euclid(1.0) * 6.0;
        ((at - 3.0).abs() - 1.0).clamp(0.0, 1.0)
    });
    mix(color, WHITE, 0.16)
}

/// How light becomes colour, beside the colours that it has itself.
pub(super) struct Response {
    /// Light times this has 1 − e^−1 of its colour.
    pub gain: f64,
    pub slice_gain: f64,
    pub slice_color: Rgb,
    pub slice_opacity: f64,
}

impl Response {
    /// For a scene's exposure of that gain.
    pub fn new(scene: Scene, [gain, slice_gain]: [f32; 2]) -> Self {
        let (scene_gain, slice_color, slice_opacity) = match scene {
            Scene::Section { .. } => (LINE_GAIN, AXIS, GHOST),
            Scene::Set => (SHEET_GAIN, WHITE, 1.0),
        };
        let [gain, slice_gain] = [scene_gain * f64::from(gain), SLICE_GAIN * f64::from(slice_gain)];
        Self { gain, slice_gain, slice_color, slice_opacity }
    }
}

/// The pixels of an exposure, row by row, top row first.
pub fn paint_exposure(exposure: &Exposure, task: &Space) -> Vec<[u8; 4]> {
    let mut ground = vec![GROUND; exposure.light.len()];
    for stroke in axes(&task.camera, exposure.size) {
        stroke.draw(exposure.size, &mut ground);
    }
    let Response { gain, slice_gain, slice_color, slice_opacity } = Response::new(task.scene, exposure.gain);
    // Most pixels have no light.
    let saturated = |gain: f64, light: u32| if light == 0 { 0.0 } else { 1.0 - (-gain * f64::from(light)).exp() };
    let pixel = |(ground, light): (Rgb, &[u32; 4])| {
        let lit = std::array::from_fn(|i| ground[i] + (1.0 - ground[i]) * saturated(gain, light[i]));
        let [r, g, b] = mix(lit, slice_color, slice_opacity * saturated(slice_gain, light[3]));
        [r, g, b, 1.0].map(|v| (v * 255.0).round() as u8)
    };
    ground.into_iter().zip(&exposure.light).map(pixel).collect()
}

/// Most strokes of [`axes`]: each axis with its arrow.
pub(super) const MOST_STROKES: usize = 9;

/// Thin axes through 0, with arrows where they grow.
pub(super) fn axes(camera: &Camera, size: [u32; 2]) -> Vec<Stroke> {
    let barb = BARB * f64::from(size[1]);
    let mut strokes = Vec::with_capacity(MOST_STROKES);
    let mut draw = |from: [f64; 2], to: [f64; 2]| {
        strokes.push(Stroke { from, to, color: AXIS, opacity: AXIS_OPACITY });
    };
    for (axis, [low, high]) in AXES.into_iter().enumerate() {
        let at = |along: f64| std::array::from_fn(|i| if i == axis { along } else { 0.0 });
        let Some([from, to]) = visible(camera, size, at(low), at(high)) else { continue };
        draw(from, to);
        let [x, y] = [to[0] - from[0], to[1] - from[1]];
        let length = x.hypot(y);
        // Seen along its length an axis is a point.
        if length > barb {
            let [x, y] = [x / length * barb, y / length * barb];
            for side in [-0.4, 0.4] {
                draw(to, [to[0] - x - side * y, to[1] - y + side * x]);
            }
        }
    }
    strokes
}

/// The ends in the picture of the part of a segment that lies in front of the camera.
fn visible(camera: &Camera, size: [u32; 2], low: [f64; 3], high: [f64; 3]) -> Option<[[f64; 2]; 2]> {
    let [_, _, depth] = camera.matrix(size);
    let depths = [low, high].map(|[x, y, z]| depth[0] * x + depth[1] * y + depth[2] * z + depth[3]);
    let nearest = 2.0 * Camera::NEAREST;
    let cut = |(end, own): ([f64; 3], f64), (other, others): ([f64; 3], f64)| {
        let share = if own < nearest { (nearest - own) / (others - own) } else { 0.0 };
        std::array::from_fn(|i| end[i] + share * (other[i] - end[i]))
    };
    if depths.iter().all(|&depth| depth < nearest) {
        return None;
    }
    let [low, high] = [cut((low, depths[0]), (high, depths[1])), cut((high, depths[1]), (low, depths[0]))];
    let pos = |point| camera.project(size, point).map(|Projected { pos_px, .. }| pos_px);
    Some([pos(low)?, pos(high)?])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn no_light_is_the_ground_and_much_light_is_white() {
        let scene = Scene::Section { s: 0.0 };
        // Far to the side, where no axis is.
        let camera = Camera { target: [500.0, 0.0, 0.0], ..Camera::HOME };
        let task = Space { scene, ghost: false, points: Space::MOVING, camera, tints: Arc::new(space_tints(scene)) };
        let light = vec![[0; 4], [1 << 20; 4], [1 << 20, 0, 0, 0]];
        let exposure = Exposure { size: [3, 1], light, gain: [1.0, 0.0] };
        assert_eq!(paint_exposure(&exposure, &task), [[3, 4, 9, 255], [255; 4], [255, 4, 9, 255]]);
    }

    #[test]
    fn only_the_slice_lights_its_own_layer() {
        for scene in [Scene::Set, Scene::Section { s: 0.3 }] {
            let tints = space_tints(scene);
            assert_eq!(tints[255], [0, 0, 0, 255]);
            assert!(tints[..255].iter().all(|tint| tint[3] == 0 && tint[..3].iter().any(|&v| v > 100)));
        }
    }

    #[test]
    fn axes_behind_the_camera_are_cut_off() {
        let size = [100, 100];
        let inside = Camera { target: [0.0; 3], yaw: 0.0, pitch: 0.0, distance: 0.5, ..Camera::HOME };
        let [from, to] = visible(&inside, size, [0.1, -2.0, 0.0], [0.1, 2.0, 0.0]).unwrap();
        assert!(from[0] > to[0] && to[0] > 50.0, "{from:?} {to:?}");
        assert_eq!(visible(&inside, size, [0.0, -2.0, 0.0], [0.0, -1.0, 0.0]), None);
    }
}
