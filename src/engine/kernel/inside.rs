//! Tiles that a bulb holds as a whole: they are filled, with no look at their points.

use super::work::{Steps, Work};
use crate::fractal::Formula;
use crate::fractal::interior::bulb_holds_rectangle;
use crate::render::{Sample, Tile};

/// Hands over a tile and its mirror image, and returns their steps, if a bulb holds all of the tile.
#[inline(always)]
pub fn fill_if_inside<F: Formula>(work: &Work, tile: Tile) -> Option<Steps> {
    let is_inside = work.knows_bulbs::<F>() && is_in_bulb(work, tile);
    is_inside.then(|| {
        let mut steps = Steps::default();
        let image = work.mirror.image_of_tile(tile).inspect(|image| work.sink.begin(*image));
        for tile in std::iter::once(tile).chain(image) {
            work.sink.fill(tile, Sample::INTERIOR);
            work.sink.end(tile);
            steps.defined += tile.area() as u64 * u64::from(work.task.max_iterations);
        }
        steps
    })
}

/// Whether a bulb holds the rectangle, parallel to the axes, around a tile.
#[inline(always)]
fn is_in_bulb(work: &Work, tile: Tile) -> bool {
    let (left, top) = (tile.x as usize, tile.y as usize);
    let (right, bottom) = (left + tile.width as usize - 1, top + tile.height as usize - 1);
    // Parts of the points grow or shrink along rows and columns, so the corners hold the extremes.
    let corners = [(left, top), (right, top), (left, bottom), (right, bottom)].map(|(i, j)| work.grid.point(i, j));
    bulb_holds_rectangle(extremes(corners.map(|c| c.re)), extremes(corners.map(|c| c.im)))
}

fn extremes(numbers: [f64; 4]) -> [f64; 2] {
    [numbers.into_iter().fold(f64::INFINITY, f64::min), numbers.into_iter().fold(f64::NEG_INFINITY, f64::max)]
}
