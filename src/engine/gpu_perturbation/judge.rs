//! Whether f32 is good enough for a view: some of its pixels, held against f64.
//!
//! An error of the smooth count is worth as many pixels as the point would have to be moved to have the count that came out.
//! |∇ν| is 1 / (d · ln 2) for the distance estimate d in pixels, so the point is moved by |ν − ν_true| · d · ln 2.

use std::f64::consts::LN_2;

use crate::math::Complex;
use crate::math::philox::philox;
use crate::render::{Field, Grid, Sample};

/// Pixels that are compared.
const PIXELS: u32 = 64;
/// How many of them may be moved by more than [`MOST_PIXELS_MOVED`]: one in twenty.
const MOST_OUTLIERS: usize = PIXELS as usize / 20;
/// Largest move that is not seen, in pixels.
const MOST_PIXELS_MOVED: f64 = 0.5;

/// Errors of a smooth count that are never seen, however far the set is: f32 has no more digits for its fraction.
const UNSEEN: f64 = 1e-4;

/// The pixels of a whole view that are compared.
pub fn probes(offsets: &Grid) -> Grid {
    let [width, height] = offsets.size();
    let place = |number| {
        let [x, y, ..] = philox([number, 0, 0, 0], [0, 0]);
        offsets.point((x % width) as usize, (y % height) as usize)
    };
    let places: Vec<Complex> = (0..PIXELS).map(place).collect();
    Grid {
        re_x: places.iter().map(|place| place.re).collect(),
        im_x: places.iter().map(|place| place.im).collect(),
        re_y: vec![0.0],
        im_y: vec![0.0],
    }
}

/// Whether the samples of some points, in f32, are as good as unmoved. `truth` has those of f64, and their slopes.
pub fn are_fit(samples: &[Sample], truth: &Field) -> bool {
    let distances = truth.slopes().unwrap_or_default().iter().map(|slope| f64::from(slope.distance));
    let pairs = samples.iter().zip(truth.samples()).zip(distances);
    let moved = pairs.map(|((&sample, &truth), distance)| pixels_moved(sample, truth, distance));
    moved.filter(|&moved| !(moved <= MOST_PIXELS_MOVED)).count() <= MOST_OUTLIERS
}

/// By how many pixels a point would have to be moved to have that sample; the set is estimated to be `distance` pixels from it.
fn pixels_moved(sample: Sample, truth: Sample, distance: f64) -> f64 {
    match [sample, truth].map(|sample| sample.iterations > 0) {
        [false, false] => 0.0,
        // Nowhere is the set farther than that.
        [false, true] => 2.0 * distance,
        [true, false] => f64::INFINITY,
        [true, true] => {
            let off = (sample.smooth() - truth.smooth()).abs();
            (off - UNSEEN).max(0.0) * distance * LN_2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::BigComplex;
    use crate::render::{HostSink, Lattice, Sink as _, Slope, Tile, Viewport};

    #[test]
    fn few_pixels_may_be_moved_and_only_a_little() {
        let sample = |iterations, fraction| Sample { iterations, fraction };
        let truth = sample(100, 0.25);
        // (sample, truth, distance, pixels moved, why)
        for (got, truth, distance, expected, why) in [
            (truth, truth, 2.0, 0.0, "exact"),
            (sample(100, 0.25001), truth, 1e30, 0.0, "far from the set"),
            (sample(99, 0.25), truth, 2.0, 2.0 * LN_2, "a whole band off"),
            (Sample::INTERIOR, truth, 2.0, 4.0, "taken for the set"),
            (Sample::INTERIOR, Sample::INTERIOR, 0.0, 0.0, "rightly so"),
            (truth, Sample::INTERIOR, 0.0, f64::INFINITY, "lost from the set"),
        ] {
            let moved = pixels_moved(got, truth, distance);
            assert!(moved == expected || (moved - expected).abs() < 1e-3, "{why}: {moved}");
        }
        let mut field = Field::from_samples([64, 1], vec![truth; 64]).with_slopes();
        let slope = Slope { distance: 2.0, ..Slope::INTERIOR };
        HostSink::new(&mut field).put_slopes(Tile::whole([64, 1]), &[slope; 64]);
        let with_wrong = |wrong: usize| {
            let samples: Vec<_> = (0..64).map(|i| sample(if i < wrong { 99 } else { 100 }, 0.25)).collect();
            are_fit(&samples, &field)
        };
        assert!(with_wrong(3) && !with_wrong(4));
    }

    #[test]
    fn probes_are_all_over_the_view() {
        let center = BigComplex::new(0.into(), 1.into());
        let viewport = Viewport::new(center, "1e-50".parse().unwrap(), [640, 360]).unwrap();
        let probes = probes(&viewport.offsets(Lattice::FULL));
        assert_eq!(probes.size(), [64, 1]);
        for side in [-1.0, 1.0] {
            assert!(probes.re_x.iter().filter(|&&x| x * side > 0.0 && x * side < 320.0).count() > 20);
            assert!(probes.im_x.iter().filter(|&&y| y * side > 0.0 && y * side < 180.0).count() > 20);
        }
    }
}
