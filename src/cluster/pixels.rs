//! The pixels of any rectangle of a picture, the same as in the whole.

use crate::color::{add_light, average_light, shade_row};
use crate::engine::{self, Engine};
use crate::render::{Field, HostSink, Jitter, Job, Latest, Lattice, RenderError, Tile};

use super::Spec;

/// The pixels of a tile, row by row, `tile.area()` of them; `tile` lies within the picture.
///
/// # Errors
/// What the engine fails with.
pub(super) fn pixels(
    spec: &Spec,
    engine: &mut dyn Engine,
    tile: Tile,
    latest: &Latest,
) -> Result<Vec<[u8; 3]>, RenderError> {
    let count = spec.supersample() * spec.supersample();
    let (palette, params) = (spec.palette(), spec.location().coloring.params(spec.palette()));
    let mut job = job_of(spec, tile);
    let mut field = Field::of_job(&job);
    let mut shaded = vec![[0; 4]; tile.area()];
    let mut light = vec![[0; 3]; if count > 1 { tile.area() } else { 0 }];
    for jitter in (0..count).map(Jitter::nth) {
        job.lattice = job.lattice.jittered(jitter);
        engine::render(engine, &job, latest, &HostSink::new(&mut field))?;
        shade_row(&params, palette.table(), field.samples(), &mut shaded);
        if count > 1 {
            add_light(&shaded, &mut light);
        }
    }
    if count == 1 {
        return Ok(shaded.into_iter().map(|[r, g, b, _]| [r, g, b]).collect());
    }
    let mut pixels = vec![[0; 3]; tile.area()];
    average_light(&light, count, &mut pixels);
    Ok(pixels)
}

/// The picture's job, cut to a tile.
fn job_of(spec: &Spec, tile: Tile) -> Job {
    let lattice =
        Lattice { first_row: tile.y, rows: tile.height, first_column: tile.x, columns: tile.width, ..Lattice::FULL };
    let focus = [tile.width as f32 / 2.0, tile.height as f32 / 2.0];
    Job { lattice, focus, ..spec.job() }
}
