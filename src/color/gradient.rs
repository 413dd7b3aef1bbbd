//! A closed loop of colours, smooth in OKLab.
//!
//! Stops are joined by a monotone cubic in each of L, a and b: no kink where two stops meet, which
//! the eye would see as a line, and no overshoot between them. Colours outside sRGB lose chroma at
//! constant lightness and hue.
//!
//! Source: Björn Ottosson, "A perceptual color space for image processing"; Fritsch and Carlson,
//! "Monotone piecewise cubic interpolation".

use palette::convert::FromColorUnclamped as _;
use palette::{IsWithinBounds as _, Oklab, Oklch, Srgb};

/// Colours round a circle: position 0 follows position 1.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Positions in 0 ≤ t < 1, rising.
    positions: Vec<f64>,
    /// L, a, b at each position, and their slopes.
    values: Vec<[f64; 3]>,
    slopes: Vec<[f64; 3]>,
}

impl Gradient {
    /// A loop through at least two stops, in rising order of position, 0 ≤ t < 1.
    pub(super) fn new(stops: &[(f64, Oklab<f64>)]) -> Self {
        debug_assert!(stops.len() >= 2 && stops.windows(2).all(|w| w[0].0 < w[1].0));
        let positions = stops.iter().map(|s| s.0).collect::<Vec<_>>();
        let values = stops.iter().map(|(_, c)| [c.l, c.a, c.b]).collect::<Vec<_>>();
        let slopes = monotone_slopes(&positions, &values);
        Self { positions, values, slopes }
    }

    /// The colour at `t` turns, before it is fitted into sRGB.
    pub fn oklab(&self, t: f64) -> Oklab<f64> {
        let t = t.rem_euclid(1.0);
        let n = self.positions.len();
        // The segment that begins at the last stop at or before t; the one before the first stop wraps round.
        let i = (self.positions.partition_point(|&p| p <= t) + n - 1) % n;
        let k = (i + 1) % n;
        let length = span(&self.positions, i);
        let s = (t - self.positions[i]).rem_euclid(1.0) / length;
        let [l, a, b] = [0, 1, 2].map(|c| {
            let [from, to] = [self.values[i][c], self.values[k][c]];
            let [leave, arrive] = [self.slopes[i][c] * length, self.slopes[k][c] * length];
            hermite(s, from, to, leave, arrive)
        });
        Oklab::new(l, a, b)
    }

    /// The colour at `t` turns, 8 bits a channel.
    pub fn srgb(&self, t: f64) -> [u8; 3] {
        srgb_from_oklab(self.oklab(t))
    }
}

/// Cubic from `from` to `to` over 0 ≤ s ≤ 1, with the given slopes at its ends.
fn hermite(s: f64, from: f64, to: f64, leave: f64, arrive: f64) -> f64 {
    let r = 1.0 - s;
    from * r * r * (1.0 + 2.0 * s) + leave * s * r * r + to * s * s * (3.0 - 2.0 * s) - arrive * s * s * r
}

/// Turns from stop `i` to the next one, round the circle.
fn span(positions: &[f64], i: usize) -> f64 {
    match positions.get(i + 1) {
        Some(next) => next - positions[i],
        None => positions[0] + 1.0 - positions[i],
    }
}

/// Slopes that keep each channel between its stops: harmonic means of the chords, zero at extremes.
fn monotone_slopes(positions: &[f64], values: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let n = values.len();
    let chord = |i: usize, c: usize| (values[(i + 1) % n][c] - values[i][c]) / span(positions, i);
    let slope = |i: usize, c: usize| {
        let before = (i + n - 1) % n;
        let (d0, d1) = (chord(before, c), chord(i, c));
        if d0 * d1 <= 0.0 {
            return 0.0;
        }
        let (h0, h1) = (span(positions, before), span(positions, i));
        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
        (w0 + w1) / (w0 / d0 + w1 / d1)
    };
    (0..n).map(|i| [0, 1, 2].map(|c| slope(i, c))).collect()
}

/// 8-bit sRGB; chroma is reduced at constant lightness and hue until the colour can be shown.
pub(super) fn srgb_from_oklab(color: Oklab<f64>) -> [u8; 3] {
    let direct = Srgb::<f64>::from_color_unclamped(color);
    let shown = if direct.is_within_bounds() { direct } else { fitted(Oklch::from_color_unclamped(color)) };
    [shown.red, shown.green, shown.blue].map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// The colour of largest chroma, at this lightness and hue, within sRGB.
fn fitted(color: Oklch<f64>) -> Srgb<f64> {
    let at = |chroma| Srgb::from_color_unclamped(Oklch { chroma, ..color });
    let (mut inside, mut outside) = (0.0, color.chroma);
    // Twelve halvings leave less than a ten-thousandth: below one of 255 levels.
    for _ in 0..12 {
        let middle = (inside + outside) / 2.0;
        if at(middle).is_within_bounds() {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    at(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loop_of(stops: &[(f64, f64)]) -> Gradient {
        let stops: Vec<_> = stops.iter().map(|&(t, l)| (t, Oklab::new(l, 0.0, 0.0))).collect();
        Gradient::new(&stops)
    }

    #[test]
    fn stops_are_met_and_never_overshot() {
        let gradient = loop_of(&[(0.1, 0.2), (0.3, 0.9), (0.35, 0.9), (0.8, 0.1)]);
        for (t, l) in [(0.1, 0.2), (0.3, 0.9), (0.35, 0.9), (0.8, 0.1), (1.1, 0.2), (-0.9, 0.2)] {
            assert!((gradient.oklab(t).l - l).abs() < 1e-12, "{t}");
        }
        let between = (0..1000).map(|i| gradient.oklab(f64::from(i) / 1000.0).l);
        assert!(between.into_iter().all(|l| (0.1 - 1e-12..=0.9 + 1e-12).contains(&l)));
    }

    #[test]
    fn the_seam_has_no_step_and_no_kink() {
        let gradient = loop_of(&[(0.2, 0.2), (0.5, 0.7), (0.9, 0.4)]);
        let at = |t: f64| gradient.oklab(t).l;
        assert!((at(1.0 - 1e-9) - at(0.0)).abs() < 1e-8);
        let (before, after) = ((at(1.0) - at(1.0 - 1e-5)) / 1e-5, (at(1e-5) - at(0.0)) / 1e-5);
        assert!((before - after).abs() < 1e-2, "{before} {after}");
    }

    #[test]
    fn colours_outside_srgb_keep_their_lightness() {
        let wild = Oklab::new(0.6, -0.4, 0.3);
        let [r, g, b] = srgb_from_oklab(wild);
        let shown = Oklab::<f64>::from_color_unclamped(Srgb::new(r, g, b).into_format::<f64>());
        assert!((shown.l - 0.6).abs() < 5e-3, "{shown:?}");
    }
}
