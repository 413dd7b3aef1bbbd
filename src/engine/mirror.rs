//! Conjugate symmetry: rows that mirror each other about the real axis are computed once.

use std::ops::Range;

use crate::fractal::{Formula, FormulaVisitor};
use crate::render::{EscapeTime, Grid, Plane, Sample, Tile};

/// Which rows are computed, and which are copied from them.
///
/// Row j mirrors row `sum − j`. Only rows that do so exactly count, so that a copy is what computing would give:
/// every step of a symmetric formula rounds alike on both sides of the axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    computed: Range<u32>,
    all: Range<u32>,
    sum: i64,
}

impl Mirror {
    /// No row is copied.
    pub fn none(grid: &Grid) -> Self {
        let [_, height] = grid.size();
        Self { computed: 0..height, all: 0..height, sum: -1 }
    }

    /// The symmetry of this picture, if it has one.
    pub fn of(task: &EscapeTime, grid: &Grid) -> Self {
        let symmetric = match &task.plane {
            Plane::Parameter => true,
            Plane::Dynamical { c } => c.im.is_zero(),
        };
        if symmetric && grid.is_upright() && task.formula.visit(IsConjugateSymmetric) {
            Self::of_rows(grid).unwrap_or_else(|| Self::none(grid))
        } else {
            Self::none(grid)
        }
    }

    fn of_rows(grid: &Grid) -> Option<Self> {
        let [_, height] = grid.size();
        let (first, sum) = (0..height as usize).find_map(|j| grid.mirror_row(j).map(|k| (j, j + k)))?;
        let pairs = first..=sum - first;
        if pairs.clone().any(|j| grid.mirror_row(j) != Some(sum - j)) {
            return None;
        }
        // One side of the axis is wholly in the picture's pairs, and the rows beyond them join it.
        let computed = if first == 0 { sum.div_ceil(2) as u32..height } else { 0..(sum / 2 + 1) as u32 };
        Some(Self { computed, all: 0..height, sum: sum as i64 })
    }

    /// The rows to compute.
    pub fn computed(&self) -> Range<u32> {
        self.computed.clone()
    }

    /// The row whose samples come from computed row `j`, where there is one.
    pub fn image(&self, j: u32) -> Option<u32> {
        let k = u32::try_from(self.sum - i64::from(j)).ok()?;
        (self.all.contains(&k) && !self.computed.contains(&k)).then_some(k)
    }

    /// The part of the picture that mirrors a computed tile, where there is one.
    pub fn image_of_tile(&self, tile: Tile) -> Option<Tile> {
        let mut rows = (tile.y..tile.y + tile.height).rev().filter_map(|j| self.image(j));
        let y = rows.next()?;
        Some(Tile { y, height: 1 + rows.count() as u32, ..tile })
    }

    /// Copies the samples of a computed tile upside down, as far as its `image` needs them.
    pub fn copy_image(&self, tile: Tile, samples: &[Sample], image: Tile, to: &mut Vec<Sample>) {
        let width = tile.width as usize;
        to.clear();
        for k in image.y..image.y + image.height {
            let row = (self.sum - i64::from(k) - i64::from(tile.y)) as usize;
            to.extend_from_slice(&samples[row * width..][..width]);
        }
    }

    /// The computed sample nearest to a place of the picture, as seen in the mirror.
    pub fn computed_place(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let rows = self.computed.start as f32..self.computed.end as f32;
        [x, if rows.contains(&y) || self.sum < 0 { y } else { (self.sum + 1) as f32 - y }]
    }
}

struct IsConjugateSymmetric;

impl FormulaVisitor for IsConjugateSymmetric {
    type Output = bool;
    fn visit<F: Formula>(self) -> bool {
        F::CONJUGATE_SYMMETRIC
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractal::FormulaId;

    fn grid(im_y: &[f64]) -> Grid {
        Grid { re_x: vec![0.0; 3], im_x: vec![0.0; 3], re_y: vec![0.0; im_y.len()], im_y: im_y.to_vec() }
    }

    fn task(plane: Plane) -> EscapeTime {
        EscapeTime { formula: FormulaId::Quadratic, plane, max_iterations: 10, bailout: 2.0 }
    }

    #[test]
    fn every_row_is_computed_or_copied_from_its_mirror() {
        // (rows, computed, why)
        for (im_y, computed, why) in [
            (&[1.5, 0.5, -0.5, -1.5][..], 2..4, "an axis between rows"),
            (&[1.0, 0.0, -1.0], 1..3, "a row on the axis"),
            (&[1.0, 0.0, -1.0, -2.0], 1..4, "rows without a mirror below"),
            (&[3.0, 2.0, 1.0, 0.0, -1.0], 0..4, "rows without a mirror above"),
            (&[2.0, 1.0, 0.0], 0..3, "an axis along the last row"),
            (&[3.0, 2.0, 1.0], 0..3, "no axis"),
            (&[0.75, -0.25, -1.25], 0..3, "rows that miss each other"),
            (&[0.0], 0..1, "one row"),
        ] {
            let grid = grid(im_y);
            let mirror = Mirror::of(&task(Plane::Parameter), &grid);
            assert_eq!(mirror.computed(), computed, "{why}");
            let mut seen = vec![0; im_y.len()];
            for j in mirror.computed() {
                seen[j as usize] += 1;
                if let Some(k) = mirror.image(j) {
                    seen[k as usize] += 1;
                    assert_eq!(im_y[j as usize], -im_y[k as usize], "{why}");
                }
            }
            assert!(seen.iter().all(|&n| n == 1), "{why}: {seen:?}");
        }
    }

    #[test]
    fn a_tile_and_its_image_are_upside_down() {
        let mirror = Mirror::of(&task(Plane::Parameter), &grid(&[2.0, 1.0, 0.0, -1.0, -2.0, -3.0]));
        let sample = |n| Sample { iterations: n, fraction: 0.0 };
        let samples: Vec<_> = (0..8).map(sample).collect();
        let tile = Tile { x: 1, y: 2, width: 2, height: 4 };
        let image = mirror.image_of_tile(tile).unwrap();
        assert_eq!(image, Tile { x: 1, y: 0, width: 2, height: 2 });
        let mut copied = Vec::new();
        mirror.copy_image(tile, &samples, image, &mut copied);
        assert_eq!(copied, [4, 5, 2, 3].map(sample));
    }

    #[test]
    fn julia_sets_mirror_only_with_a_real_parameter() {
        let grid = grid(&[0.5, -0.5]);
        let julia = |im| task(Plane::dynamical(crate::math::Complex::new(-1.0, im)));
        assert_eq!(Mirror::of(&julia(0.1), &grid), Mirror::none(&grid));
        assert_eq!(Mirror::of(&julia(0.0), &grid).computed(), 1..2);
    }
}
