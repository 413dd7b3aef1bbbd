//! Where the samples of a device go: they stay there where the sink wants that, else they are read back band by band.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pace::STRIP;
use super::{Totals, timed};
use crate::gpu::{Gpu, GpuError, Pool, SampleBuffer};
use crate::render::{DeviceField as _, Grid, RenderError, Sink, Tile};

/// Samples computed at a time where the host wants them: 64 MiB of device memory.
const HOST_BAND: u32 = 1 << 22;
/// Least time between two calls of [`Sink::put_device`] for one job.
const SHOW_EVERY: Duration = Duration::from_millis(16);

/// Fills the samples of a field, all of them. Calls the function, where there is one, when there is more to see; all samples
/// are defined then.
pub type Fill<'a, E> = &'a mut dyn FnMut(&Grid, &SampleBuffer, Show<'_>) -> Result<Totals, E>;

/// To be called when there is more to see, where anybody looks.
pub type Show<'a> = Option<&'a mut dyn FnMut()>;

/// Where the samples of a grid are wanted, and the buffers for them.
pub struct Delivery<'a> {
    pub gpu: &'a Gpu,
    pub pool: &'a mut Pool<SampleBuffer>,
    pub grid: &'a Grid,
    pub sink: &'a dyn Sink,
}

impl Delivery<'_> {
    /// Has the samples filled, and hands them to the sink.
    ///
    /// # Errors
    /// Those of `fill`, and [`RenderError::Device`].
    pub fn run<E: From<RenderError>>(self, fill: Fill<'_, E>) -> Result<Totals, E> {
        let [width, height] = self.grid.size().map(u64::from);
        let fits = width * height <= SampleBuffer::most_samples(self.gpu);
        if self.sink.takes_device_fields() && fits { self.leave_there(fill) } else { self.read_back(fill) }
    }

    fn leave_there<E: From<RenderError>>(self, fill: Fill<'_, E>) -> Result<Totals, E> {
        let Self { gpu, pool, grid, sink } = self;
        let samples = taken(gpu, pool, grid.size()).map_err(RenderError::from)?;
        let mut shown: Option<Instant> = None;
        let mut show = || {
            if shown.is_none_or(|at| at.elapsed() >= SHOW_EVERY) {
                shown = Some(Instant::now());
                sink.put_device(samples.clone());
            }
        };
        let totals = fill(grid, &samples, Some(&mut show))?;
        sink.put_device(samples);
        Ok(totals)
    }

    fn read_back<E: From<RenderError>>(self, fill: Fill<'_, E>) -> Result<Totals, E> {
        let Self { gpu, pool, grid, sink } = self;
        let [width, height] = grid.size();
        let rows = (HOST_BAND / width / STRIP * STRIP).max(STRIP);
        let mut totals = Totals::default();
        for y in (0..height).step_by(rows as usize) {
            let tile = Tile { x: 0, y, width, height: rows.min(height - y) };
            let samples = taken(gpu, pool, [tile.width, tile.height]).map_err(RenderError::from)?;
            totals.add(&fill(&rows_of(grid, tile), &samples, None)?);
            let field = timed(&mut totals.beside.read_back, || samples.read_back())?;
            sink.put(tile, field.samples());
        }
        Ok(totals)
    }
}

/// Room for the samples of a field; the caller writes all of them.
fn taken(gpu: &Gpu, pool: &mut Pool<SampleBuffer>, size: [u32; 2]) -> Result<Arc<SampleBuffer>, GpuError> {
    pool.take(|samples| samples.size() == size, || SampleBuffer::with_any_content(gpu, size))
}

/// The grid of some rows.
fn rows_of(grid: &Grid, tile: Tile) -> Grid {
    let rows = tile.y as usize..(tile.y + tile.height) as usize;
    Grid {
        re_x: grid.re_x.clone(),
        im_x: grid.im_x.clone(),
        re_y: grid.re_y[rows.clone()].to_vec(),
        im_y: grid.im_y[rows].to_vec(),
    }
}
