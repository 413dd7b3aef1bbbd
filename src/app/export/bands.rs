//! Bands of rows: a job of any size, a bounded number of samples at a time.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ExportError;
use crate::engine::Engine;
use crate::render::{Field, HostSink, Jitter, Job, Latest, Lattice, Preparation, Sample, Sink, Slope, Stats, Tile};

/// Pixels of a band: 64 MiB of samples, 96 MiB of slopes where they are asked for, and a 4K picture in one.
const MOST_PIXELS: u64 = 8 << 20;
/// The same where samples are averaged, and each pixel has 12 bytes of light beside one.
const MOST_AVERAGED: u64 = 3 << 20;

/// How far an export has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    pub samples_done: u64,
    pub samples: u64,
    /// What is done instead of samples, while it is.
    pub preparing: Option<Preparation>,
}

impl Progress {
    /// From 0 to 1.
    pub fn share(&self) -> f64 {
        self.samples_done as f64 / self.samples.max(1) as f64
    }
}

/// Renders every pixel of a job's rectangle from the top down in bands, each as often as pixels have samples: with the
/// first places of the [`Jitter`] list.
///
/// The samples are those of the whole picture, whatever the bands. The figures are sums over them.
///
/// # Errors
/// What the engine or `on_band` fails with.
pub fn render_bands(
    engine: &mut dyn Engine,
    job: &Job,
    samples_of_a_pixel: u32,
    latest: &Latest,
    progress: &(dyn Fn(Progress) + Sync),
    on_band: &mut dyn FnMut(&Field) -> Result<(), ExportError>,
) -> Result<Stats, ExportError> {
    let [width, height] = job.size();
    let rows = rows_of_a_band(width, samples_of_a_pixel);
    let samples = u64::from(width) * u64::from(height) * u64::from(samples_of_a_pixel);
    let counter = Counter { done: AtomicU64::new(0), samples, progress };
    let mut total = Stats::default();
    for first in (0..height).step_by(rows as usize) {
        // The focus goes along: tiles nearest to it come first, in whichever band it lies.
        let focus = [job.focus[0], job.focus[1] - first as f32];
        let rectangle = job.lattice;
        let lattice = Lattice { first_row: rectangle.first_row + first, rows: rows.min(height - first), ..rectangle };
        let mut band = Job { lattice, focus, ..job.clone() };
        let mut field = Field::of_job(&band);
        for jitter in (0..samples_of_a_pixel).map(Jitter::nth) {
            band.lattice = band.lattice.jittered(jitter);
            let sink = BandSink { host: HostSink::new(&mut field), counter: &counter };
            let stats = crate::engine::render(engine, &band, latest, &sink).map_err(ExportError::Render)?;
            total = total.and(stats);
            on_band(&field)?;
        }
    }
    Ok(total)
}

/// Rows of a band: as many as fit.
fn rows_of_a_band(width: u32, samples_of_a_pixel: u32) -> u32 {
    let most = if samples_of_a_pixel == 1 { MOST_PIXELS } else { MOST_AVERAGED };
    (most / u64::from(width.max(1))).max(1) as u32
}

/// Counts samples as they come.
struct Counter<'a> {
    done: AtomicU64,
    samples: u64,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl Counter<'_> {
    fn add(&self, samples: u64) {
        let samples_done = self.done.fetch_add(samples, Ordering::Relaxed) + samples;
        self.tell(samples_done, None);
    }

    fn tell(&self, samples_done: u64, preparing: Option<Preparation>) {
        (self.progress)(Progress { samples_done: samples_done.min(self.samples), samples: self.samples, preparing });
    }
}

struct BandSink<'a> {
    host: HostSink<'a>,
    counter: &'a Counter<'a>,
}

impl Sink for BandSink<'_> {
    fn preparing(&self, preparation: Preparation) {
        self.counter.tell(self.counter.done.load(Ordering::Relaxed), Some(preparation));
    }

    fn put(&self, tile: Tile, samples: &[Sample]) {
        self.host.put(tile, samples);
        self.counter.add(tile.area() as u64);
    }

    fn fill(&self, tile: Tile, sample: Sample) {
        self.host.fill(tile, sample);
        self.counter.add(tile.area() as u64);
    }

    fn put_slopes(&self, tile: Tile, slopes: &[Slope]) {
        self.host.put_slopes(tile, slopes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_fit() {
        for (width, samples_of_a_pixel, rows) in [(1920, 1, 4369), (3840, 1, 2184), (1 << 20, 1, 8), (1 << 20, 256, 3)]
        {
            assert_eq!(rows_of_a_band(width, samples_of_a_pixel), rows, "{width} {samples_of_a_pixel}");
        }
    }
}
