//! Straight lines with smooth edges.

use super::diagram::{Rgb, mix};

/// A line, one pixel thick, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    pub from: [f64; 2],
    pub to: [f64; 2],
    pub color: Rgb,
    pub opacity: f64,
}

/// A stroke step by step: one pixel along its longer side, across which three pixels hold it.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The axis of the longer side: 0 is x, 1 is y.
    pub along: usize,
    /// Ends along that axis.
    pub ends: [f64; 2],
    /// What a step adds across.
    pub slope: f64,
    /// Where the middle of step 0 lies across.
    pub offset: f64,
    /// Pixels that the stroke is thick across.
    pub thickness: f64,
}

impl Stroke {
    pub fn course(&self) -> Course {
        let run = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        let along = usize::from(run[1].abs() > run[0].abs());
        let across = 1 - along;
        let slope = if run[along] == 0.0 { 0.0 } else { run[across] / run[along] };
        Course {
            along,
            ends: [self.from[along].min(self.to[along]), self.from[along].max(self.to[along])],
            slope,
            offset: self.from[across] + slope * (0.5 - self.from[along]),
            thickness: (1.0 + slope * slope).sqrt(),
        }
    }

    /// Draws the part that lies in a picture of that size, given row by row.
    pub fn draw(&self, size: [u32; 2], pixels: &mut [Rgb]) {
        let Course { along, ends: [low, high], slope, offset, thickness } = self.course();
        let side = |axis: usize| f64::from(size[axis]);
        let last = high.min(side(along)).ceil() as i64;
        for step in low.max(0.0).floor() as i64..last {
            let begin = step as f64;
            let share = (begin + 1.0).min(high) - begin.max(low);
            let middle = offset + slope * begin;
            if !(-2.0..side(1 - along) + 2.0).contains(&middle) {
                continue;
            }
            let nearest = middle.floor() as i64;
            for beside in nearest - 1..=nearest + 1 {
                let distance = (beside as f64 + 0.5 - middle).abs() / thickness;
                let coverage = (1.0 - distance).clamp(0.0, 1.0) * share.clamp(0.0, 1.0);
                let [x, y] = if along == 0 { [step, beside] } else { [beside, step] };
                if (0..i64::from(size[0])).contains(&x) && (0..i64::from(size[1])).contains(&y) {
                    let pixel = &mut pixels[y as usize * size[0] as usize + x as usize];
                    *pixel = mix(*pixel, self.color, self.opacity * coverage);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cover_as_many_pixels_as_they_are_long() {
        // (from, to, pixels covered)
        for (from, to, expected) in [
            ([10.0, 10.5], [50.0, 10.5], 40.0),
            ([10.5, 50.0], [10.5, 10.0], 40.0),
            ([10.0, 10.0], [40.0, 50.0], 50.0),
            ([-30.0, 20.5], [20.0, 20.5], 20.0),
            ([5.0, 5.0], [5.0, 5.0], 0.0),
            ([-1e9, 20.5], [1e9, 20.5], 64.0),
        ] {
            let mut pixels = vec![[0.0; 3]; 64 * 64];
            Stroke { from, to, color: [1.0; 3], opacity: 1.0 }.draw([64, 64], &mut pixels);
            let covered: f64 = pixels.iter().map(|pixel| pixel[0]).sum();
            assert!((covered - expected).abs() < 0.03 * expected + 1e-9, "{from:?} to {to:?}: {covered}");
        }
    }
}
