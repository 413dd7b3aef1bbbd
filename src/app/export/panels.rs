//! Diagrams above each other, cut into columns: each is computed and coloured by itself, so that memory is bounded and any
//! rectangle is that of the whole picture.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::shelves::Shelves;
use super::{ExportError, Progress};
use crate::color::{DiagramScheme, Tone, paint_diagram, tone_lattice};
use crate::engine::Engine;
use crate::render::{Diagram, DiagramSink, Job, Latest, Lattice, RenderError, Sample, Sink, Stats, Strip, Tile};

/// Pixels of a panel that are computed at once: 128 MiB of layers.
const MOST_PIXELS: u32 = 8 << 20;
/// Columns that engines take at once: cuts are at multiples of it.
const STRIP: u32 = 16;

/// What parts panels.
const LINE: [u8; 3] = [40, 45, 62];

/// Diagrams of one width above each other, so many rows apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Panels {
    /// From the top down, each of all its columns.
    pub jobs: Vec<Job>,
    pub gap: u32,
}

/// What is written of each pixel.
#[derive(Clone, Copy, Debug)]
pub enum Layer<'a> {
    /// Red, green and blue, a byte each.
    Colors {
        scheme: DiagramScheme,
        /// Of each panel, where it was measured before.
        tones: Option<&'a [Tone]>,
    },
    /// Points of orbits that stay, as little-endian u32.
    Hits,
}

impl Layer<'_> {
    fn bytes_per_pixel(self) -> usize {
        match self {
            Self::Colors { .. } => 3,
            Self::Hits => 4,
        }
    }
}

/// What is wanted, and who is told of it.
pub struct Work<'a> {
    pub latest: &'a Latest,
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Where a file may be that goes away again.
    pub folder: &'a Path,
    /// What becomes of a writer's error, and of that file's.
    pub failed: &'a dyn Fn(io::Error) -> ExportError,
}

impl Panels {
    /// Width and height of the picture.
    pub fn size(&self) -> [u32; 2] {
        let [width, _] = self.jobs[0].viewport.size();
        let rows: u32 = self.jobs.iter().map(|job| job.viewport.size()[1]).sum();
        [width, rows + self.gap * (self.jobs.len() as u32 - 1)]
    }

    /// The tone of each panel: some of its columns are computed for it.
    ///
    /// # Errors
    /// What the engine fails with.
    pub fn tones(&self, engine: &mut dyn Engine, latest: &Latest) -> Result<Vec<Tone>, RenderError> {
        let lattice = tone_lattice(self.size()[0]);
        let tone = |job: &Job| {
            let sink = DiagramSink::new(&Job { lattice, ..job.clone() });
            engine.render(&Job { lattice, ..job.clone() }, latest, &sink)?;
            Ok(Tone::of(&sink.into_diagram()))
        };
        self.jobs.iter().map(tone).collect()
    }

    /// Computes a rectangle of the picture and writes it row by row, top row first.
    ///
    /// # Errors
    /// [`ExportError`] of the engine, or of what is written.
    ///
    /// # Panics
    /// Where the tile does not lie in the picture.
    pub fn write(
        &self,
        tile: Tile,
        layer: Layer<'_>,
        engine: &mut dyn Engine,
        to: &mut dyn Write,
        work: &Work<'_>,
    ) -> Result<Stats, ExportError> {
        let size = self.size();
        assert!(tile.x + tile.width <= size[0] && tile.y + tile.height <= size[1], "{tile:?} of {size:?}");
        let height = self.jobs.iter().map(|job| job.viewport.size()[1]).max().unwrap_or(1);
        let mut most = most_columns(height);
        let counter = Counter { done: AtomicU64::new(0), samples: tile.area() as u64, progress: work.progress };
        let mut shelves = Shelves::new(tile.height, work.folder);
        let (mut total, mut measured) = (Stats::default(), None);
        let (mut first, end) = (tile.x, tile.x + tile.width);
        while first < end {
            let columns = first..end.min(first.saturating_add(most));
            // A whole picture that is computed at once is measured then.
            let is_whole = tile == Tile::whole(size) && columns == (tile.x..end);
            if measured.is_none() && !is_whole && matches!(layer, Layer::Colors { tones: None, .. }) {
                measured = Some(self.tones(engine, work.latest)?);
            }
            let layer = match (layer, &measured) {
                (Layer::Colors { scheme, tones: None }, Some(tones)) => Layer::Colors { scheme, tones: Some(tones) },
                (layer, _) => layer,
            };
            let before = counter.done.load(Ordering::Relaxed);
            match self.columns(columns.clone(), tile, layer, engine, work.latest, &counter) {
                Ok((stats, bytes)) => {
                    total = total.and(stats);
                    shelves.push(&bytes).map_err(work.failed)?;
                    first = columns.end;
                }
                Err(RenderError::NoRoom(_)) if columns.len() as u32 > STRIP => {
                    most = (columns.len() as u32 / 2).max(STRIP);
                    total.room = Some(u64::from(most) * u64::from(height));
                    counter.done.store(before, Ordering::Relaxed);
                }
                Err(error) => return Err(error.into()),
            }
        }
        shelves.write_rows(to, work.latest).map_err(|e| e.told(work.failed))?;
        Ok(total)
    }

    /// The bytes of some columns of a rectangle, row by row.
    fn columns(
        &self,
        columns: Range<u32>,
        tile: Tile,
        layer: Layer<'_>,
        engine: &mut dyn Engine,
        latest: &Latest,
        counter: &Counter<'_>,
    ) -> Result<(Stats, Vec<u8>), RenderError> {
        let (mut stats, mut bytes) = (Stats::default(), Vec::new());
        let row = columns.len() * layer.bytes_per_pixel();
        // Takes the rows of the rectangle that lie among so many beginning at row `first`.
        let wanted = |first: u32, count: u32| {
            let within = |row: u32| row.clamp(first, first + count) - first;
            within(tile.y) as usize * row..within(tile.y + tile.height) as usize * row
        };
        let mut first = 0;
        for (i, job) in self.jobs.iter().enumerate() {
            if i > 0 && self.gap > 0 {
                bytes.extend(&layer.gap(columns.len() * self.gap as usize)[wanted(first, self.gap)]);
                first += self.gap;
            }
            let rows = job.viewport.size()[1];
            let wanted = wanted(first, rows);
            first += rows;
            if wanted.is_empty() {
                continue;
            }
            let lattice = Lattice::strip(columns.start, columns.end - columns.start);
            let job = Job { lattice, ..job.clone() };
            let counted = (wanted.len() / row) as u64;
            let sink = CountedSink { diagram: DiagramSink::new(&job), counter, rows: counted };
            stats = stats.and(engine.render(&job, latest, &sink)?);
            let diagram = sink.diagram.into_diagram();
            bytes.extend(&layer.bytes(&diagram, i)[wanted]);
        }
        Ok((stats, bytes))
    }
}

impl Layer<'_> {
    /// The bytes of so many pixels between panels.
    fn gap(self, pixels: usize) -> Vec<u8> {
        match self {
            Self::Colors { .. } => LINE.repeat(pixels),
            Self::Hits => vec![0; 4 * pixels],
        }
    }

    /// The bytes of some columns of a panel, row by row.
    fn bytes(self, diagram: &Diagram, panel: usize) -> Vec<u8> {
        match self {
            Self::Colors { scheme, tones } => {
                let tone = tones.map_or_else(|| Tone::of(diagram), |tones| tones[panel]);
                paint_diagram(diagram, scheme, tone).into_iter().flat_map(|[r, g, b, _]| [r, g, b]).collect()
            }
            Self::Hits => {
                let [width, height] = diagram.size().map(|pixels| pixels as usize);
                let mut bytes = vec![0; 4 * width * height];
                for x in 0..width {
                    for (y, hits) in diagram.hits(x as u32).enumerate() {
                        bytes[4 * (y * width + x)..][..4].copy_from_slice(&hits.to_le_bytes());
                    }
                }
                bytes
            }
        }
    }
}

/// Columns of so many rows that are computed at once.
fn most_columns(height: u32) -> u32 {
    let most = (MOST_PIXELS / height).max(1);
    if most > STRIP { most - most % STRIP } else { most }
}

/// Counts pixels as their columns come.
struct Counter<'a> {
    done: AtomicU64,
    samples: u64,
    progress: &'a (dyn Fn(Progress) + Sync),
}

struct CountedSink<'a> {
    diagram: DiagramSink,
    counter: &'a Counter<'a>,
    /// Pixels that a column counts for.
    rows: u64,
}

impl Sink for CountedSink<'_> {
    fn put(&self, _: Tile, _: &[Sample]) {}

    fn put_strip(&self, strip: &Strip) {
        self.diagram.put_strip(strip);
        let Counter { done, samples, progress } = self.counter;
        let come = strip.columns.len() as u64 * self.rows;
        let samples_done = done.fetch_add(come, Ordering::Relaxed) + come;
        progress(Progress { samples_done, samples: *samples, preparing: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Machine, all};
    use crate::fractal::MapId;
    use crate::fractal::attractor::Effort;
    use crate::math::BigComplex;
    use crate::render::{Fan, OrbitDensity, Ordinate, Section, Task, Viewport};

    fn density(orbits: u32) -> Task {
        let effort = Effort::MOVING;
        Task::OrbitDensity(OrbitDensity { map: MapId::Quadratic, orbits: 0..orbits, kept: 60, effort })
    }

    fn section(s: f64, ordinate: Ordinate) -> Task {
        let effort = Section::MOVING;
        Task::Section(Section { s, ordinate, orbits: 0..3, kept: 50, effort, fan: Some(Fan::DEFAULT) })
    }

    fn job([c0, c1, x0, x1]: [&str; 4], size: [u32; 2], task: Task) -> Job {
        let corner = |c: &str, x: &str| BigComplex::new(c.parse().unwrap(), x.parse().unwrap());
        Job::new(Viewport::from_box(&corner(c0, x0), &corner(c1, x1), size).unwrap(), task)
    }

    fn written(panels: &Panels, tile: Tile, layer: Layer<'_>, engine: &mut dyn Engine) -> Vec<u8> {
        let failed = |source| ExportError::Write { path: "(memory)".into(), source };
        let folder = std::env::temp_dir();
        let work = Work { latest: &Latest::forever(), progress: &|_| {}, folder: &folder, failed: &failed };
        let mut bytes = Vec::new();
        panels.write(tile, layer, engine, &mut bytes, &work).unwrap();
        bytes
    }

    #[test]
    fn any_rectangle_is_cut_out_of_the_whole_picture() {
        let machine = Machine::without_gpu(2).unwrap();
        let window = ["-1.7548776662466929", "-1.7548776662466925", "-2.3e-8", "2.3e-8"];
        // (panels, gap, engine)
        for (jobs, gap, engine) in [
            (vec![job(["-2", "0.25", "-2", "2"], [700, 20], density(3))], 0, "tiles"),
            (vec![job(["-2", "0.25", "-2", "2"], [90, 30], density(9))], 0, "naive"),
            (vec![job(window, [530, 12], density(2))], 0, "perturbation"),
            (
                [section(0.1, Ordinate::Re), section(0.1, Ordinate::Im)]
                    .map(|task| job(["-2.013", "0.5", "-2", "2"], [600, 13], task))
                    .to_vec(),
                2,
                "tiles",
            ),
            (
                [density(4), section(0.0, Ordinate::Im)]
                    .map(|task| job(["-2", "0.5", "-2", "2"], [77, 9], task))
                    .to_vec(),
                1,
                "tiles",
            ),
            (vec![job(["-2", "0.5", "-2", "2"], [513, 15], section(-0.3, Ordinate::Im))], 0, "naive"),
        ] {
            let panels = Panels { jobs, gap };
            let [width, height] = panels.size();
            let mut engine = all(&machine).into_iter().find(|found| found.key() == engine).unwrap();
            engine.supports(&panels.jobs[0]).unwrap();
            let tones = panels.tones(engine.as_mut(), &Latest::forever()).unwrap();
            for (layer, frozen) in [
                (
                    Layer::Colors { scheme: DiagramScheme::Lyapunov, tones: None },
                    Layer::Colors { scheme: DiagramScheme::Lyapunov, tones: Some(&tones) },
                ),
                (Layer::Hits, Layer::Hits),
            ] {
                let whole = written(&panels, Tile::whole([width, height]), layer, engine.as_mut());
                let pixel = layer.bytes_per_pixel();
                assert!(whole.chunks(pixel).any(|bytes| bytes != &whole[..pixel]));
                let tiles =
                    [[0, 0, width, height], [width - 1, 0, 1, height], [17, height / 2, 40, height / 2], [5, 3, 1, 1]];
                for ([x, y, width, height], layer) in tiles.into_iter().flat_map(|t| [(t, layer), (t, frozen)]) {
                    let part = written(&panels, Tile { x, y, width, height }, layer, engine.as_mut());
                    let rows = whole.chunks(pixel * panels.size()[0] as usize).skip(y as usize).take(height as usize);
                    let expected = rows.flat_map(|row| &row[pixel * x as usize..][..pixel * width as usize]);
                    assert!(part.iter().eq(expected), "{:?} at {x},{y}", panels.jobs[0].task);
                }
            }
        }
    }

    #[test]
    fn columns_at_once_are_whole_strips_and_of_bounded_size() {
        for (height, columns) in [(1, 8 << 20), (1080, 7760), (20_000, 416), (1 << 20, 8)] {
            assert_eq!(most_columns(height), columns, "{height}");
        }
    }
}
