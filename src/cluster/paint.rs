//! Any rectangle of a picture, from its spec alone.

use std::io::Write;

use super::{Content, Diagrams, Spec};
use crate::app::export::{ExportError, Layer, Picture, Work};
use crate::engine::Engine;
use crate::render::{Job, Latest, Lattice, RenderError, Stats, Tile};

/// Draws a tile of the picture and writes its pixels, row by row: red, green and blue, a byte each, or a number. They are
/// those of the whole picture, whoever draws the rest.
///
/// # Errors
/// [`ExportError`] of the engine, or what `failed` makes of the writer's.
///
/// # Panics
/// Where the tile does not lie in the picture.
pub fn paint(
    spec: &Spec,
    tile: Tile,
    engine: &mut dyn Engine,
    to: &mut dyn Write,
    work: &Work<'_>,
) -> Result<Stats, ExportError> {
    let job = job_of(spec, tile);
    engine.supports(&job).map_err(RenderError::from)?;
    match spec.content() {
        Content::Set => {
            let (location, palette) = (spec.location(), spec.palette());
            let picture = Picture { palette, coloring: location.coloring, supersample: spec.supersample(), location };
            picture.write_pixels(&job, engine, to, work.failed, work.latest, work.progress)
        }
        Content::Numbers(channel) => channel.write(&job, engine, to, work),
        Content::Diagrams(Diagrams { panels, scheme, tones }) => {
            panels.write(tile, Layer::Colors { scheme: *scheme, tones: Some(tones) }, engine, to, work)
        }
    }
}

/// The bytes of a tile's pixels, row by row; `tile` lies within the picture.
///
/// # Errors
/// What the engine fails with.
pub(super) fn pixels(
    spec: &Spec,
    engine: &mut dyn Engine,
    tile: Tile,
    latest: &Latest,
) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::with_capacity(spec.bytes_per_pixel() as usize * tile.area());
    let failed = |source| ExportError::Write { path: "(memory)".into(), source };
    let folder = std::env::temp_dir();
    let work = Work { latest, progress: &|_| {}, folder: &folder, failed: &failed };
    match paint(spec, tile, engine, &mut bytes, &work) {
        Ok(_) => Ok(bytes),
        Err(ExportError::Render(error)) => Err(error),
        Err(other) => unreachable!("memory takes all that is written: {other}"),
    }
}

/// The job of a tile of the picture.
fn job_of(spec: &Spec, tile: Tile) -> Job {
    let [width, height] = spec.size();
    let is_within = |first: u32, count: u32, all: u32| first.checked_add(count).is_some_and(|end| end <= all);
    assert!(is_within(tile.x, tile.width, width) && is_within(tile.y, tile.height, height), "{tile:?}");
    let lattice =
        Lattice { first_row: tile.y, rows: tile.height, first_column: tile.x, columns: tile.width, ..Lattice::FULL };
    let focus = [tile.width as f32 / 2.0, tile.height as f32 / 2.0];
    Job { lattice, focus, ..spec.job() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::location::Location;
    use crate::engine::{Machine, all};

    #[test]
    fn tiles_are_cut_out_of_the_whole_picture() {
        let machine = Machine::without_gpu(2).unwrap();
        // (place, engine, samples along a pixel's side)
        for (place, engine, supersample) in [
            ("home", "naive", 1),
            ("home", "symmetric", 1),
            ("home", "tiles", 3),
            ("seahorse-valley", "simd", 2),
            ("seahorse-valley", "threads", 1),
            ("deep-spiral", "perturbation", 1),
        ] {
            let location = Location::open(place).unwrap();
            let job = location.job([61, 47]).unwrap().with_max_iterations(700);
            let spec = Spec::of(&job, &location.complete(&job, engine, supersample)).unwrap();
            let mut engine = all(&machine).into_iter().find(|found| found.key() == engine).unwrap();
            let mut painted = |tile| pixels(&spec, engine.as_mut(), tile, &Latest::forever()).unwrap();
            let whole = painted(Tile::whole(spec.size()));
            for [x, y, width, height] in
                [[0, 0, 61, 1], [60, 46, 1, 1], [7, 20, 33, 11], [0, 30, 61, 17], [32, 0, 29, 47]]
            {
                let part = painted(Tile { x, y, width, height });
                let rows = whole.chunks(3 * 61).skip(y as usize).take(height as usize);
                let expected = rows.flat_map(|row| &row[3 * x as usize..][..3 * width as usize]);
                assert!(part.iter().eq(expected), "{place} {x},{y}");
            }
        }
    }
}
