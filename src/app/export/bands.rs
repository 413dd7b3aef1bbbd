//! Bands of rows: a job of any size, a bounded number of samples at a time.

use std::sync::atomic::{AtomicU64, Ordering};

use super::ExportError;
use crate::engine::Engine;
use crate::render::{
    Field, HostSink, Jitter, Job, Latest, Lattice, Preparation, RenderError, Sample, Sink, Slope, Stats, Tile,
};

/// Pixels of a band: 64 MiB of samples, 96 MiB of slopes where they are asked for, and a 4K picture in one.
const MOST_PIXELS: u64 = 8 << 20;
/// Rows of the smallest band that is tried where a device has no room for larger ones.
const LEAST_ROWS: u32 = 16;
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
/// The samples are those of the whole picture, whatever the bands; where a device has no room for one, smaller ones follow. The
/// figures are sums over them.
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
    let mut rows = rows_of_a_band(width, samples_of_a_pixel);
    let samples = u64::from(width) * u64::from(height) * u64::from(samples_of_a_pixel);
    let counter = Counter { done: AtomicU64::new(0), samples, progress };
    let mut total = Stats::default();
    let mut first = 0;
    while first < height {
        // The focus goes along: tiles nearest to it come first, in whichever band it lies.
        let focus = [job.focus[0], job.focus[1] - first as f32];
        let rectangle = job.lattice;
        let count = rows.min(height - first);
        let lattice = Lattice { first_row: rectangle.first_row + first, rows: count, ..rectangle };
        let mut band = Job { lattice, focus, ..job.clone() };
        let mut field = Field::of_job(&band);
        let before = counter.done.load(Ordering::Relaxed);
        for (n, jitter) in (0..samples_of_a_pixel).map(Jitter::nth).enumerate() {
            band.lattice = band.lattice.jittered(jitter);
            let sink = BandSink { host: HostSink::new(&mut field), counter: &counter };
            match crate::engine::render(engine, &band, latest, &sink) {
                Ok(stats) => total = total.and(stats),
                // Of this band nothing was handed on yet.
                Err(RenderError::NoRoom(_)) if n == 0 && count > LEAST_ROWS => {
                    rows = (count / 2).max(LEAST_ROWS);
                    break;
                }
                Err(error) => return Err(error.into()),
            }
            on_band(&field)?;
        }
        if rows < count {
            total.room = Some(u64::from(rows) * u64::from(width));
            counter.done.store(before, Ordering::Relaxed);
        } else {
            first += count;
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
    use std::sync::Mutex;

    use super::*;
    use crate::app::export::{Layer, Panels, Work};
    use crate::app::location::Location;
    use crate::engine::{Naive, Precision};
    use crate::render::{DiagramShape, Unsupported};

    /// A device with room for so many samples; what it draws is the definition's.
    struct Narrow(usize);

    impl Engine for Narrow {
        fn key(&self) -> &'static str {
            "narrow"
        }

        fn about(&self) -> &'static str {
            "runs out of memory"
        }

        fn describe(&self) -> String {
            "f64".into()
        }

        fn precision(&self) -> Precision {
            Precision::F64
        }

        fn supports(&self, job: &Job) -> Result<(), Unsupported> {
            Naive.supports(job)
        }

        fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
            let size = DiagramShape::of(job).size;
            let samples = if job.orbits().is_some() { Tile::whole(size) } else { Tile::whole(job.size()) }.area();
            if samples > self.0 { Err(RenderError::NoRoom("too many".into())) } else { Naive.render(job, latest, sink) }
        }
    }

    #[test]
    fn bands_shrink_where_a_device_has_no_room() {
        let job = Location::open("home").unwrap().job([60, 50]).unwrap();
        let rendered = |engine: &mut dyn Engine, samples_of_a_pixel| {
            let (mut samples, most) = (Vec::new(), Mutex::new(0));
            let told = |progress: Progress| {
                let mut most = most.lock().unwrap();
                *most = progress.samples_done.max(*most);
            };
            let stats = render_bands(engine, &job, samples_of_a_pixel, &Latest::forever(), &told, &mut |band| {
                samples.extend_from_slice(band.samples());
                Ok(())
            });
            stats.map(|stats| (stats.room, samples.len(), samples, most.into_inner().unwrap()))
        };
        let (room, _, whole, _) = rendered(&mut Naive, 1).unwrap();
        assert_eq!(room, None);
        let (room, count, samples, told) = rendered(&mut Narrow(60 * 20), 1).unwrap();
        assert!((room, count, told) == (Some(60 * 16), 60 * 50, 60 * 50) && samples == whole);
        assert_eq!(rendered(&mut Narrow(60 * 16), 4).unwrap().1, 4 * 60 * 50);
        let error = rendered(&mut Narrow(60 * 15), 1).unwrap_err();
        assert!(matches!(&error, ExportError::Render(error) if error.of_device() == Some("too many")), "{error}");
    }

    #[test]
    fn diagrams_shrink_as_well_and_keep_their_tone() {
        let location = Location::parse("the test", "view = \"bifurcation\"\norbits = 3\nsamples = 50").unwrap();
        let view = location.at_view([700, 20]).unwrap();
        let panels = Panels { jobs: vec![Job::new(view.viewport().clone(), view.task())], gap: 0 };
        let written = |engine: &mut dyn Engine| {
            let failed = |source| ExportError::Write { path: "(memory)".into(), source };
            let folder = std::env::temp_dir();
            let work = Work { latest: &Latest::forever(), progress: &|_| {}, folder: &folder, failed: &failed };
            let (mut bytes, layer) = (Vec::new(), Layer::Colors { scheme: view.diagram_scheme(), tones: None });
            panels.write(Tile::whole([700, 20]), layer, engine, &mut bytes, &work).map(|stats| (stats.room, bytes))
        };
        let (room, whole) = written(&mut Naive).unwrap();
        assert_eq!(room, None);
        let (room, bytes) = written(&mut Narrow(20 * 360)).unwrap();
        assert!(room == Some(20 * 350) && bytes == whole, "{room:?}");
        assert!(written(&mut Narrow(20 * 15)).is_err());
    }

    #[test]
    fn bands_fit() {
        for (width, samples_of_a_pixel, rows) in [(1920, 1, 4369), (3840, 1, 2184), (1 << 20, 1, 8), (1 << 20, 256, 3)]
        {
            assert_eq!(rows_of_a_band(width, samples_of_a_pixel), rows, "{width} {samples_of_a_pixel}");
        }
    }
}
