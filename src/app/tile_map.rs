//! The tile map: which thread or submission computes which tile now, and how long each tile took.
//!
//! Engines tell a sink when they begin and end a tile. While somebody looks, a [`Board`] stands between engine and sink and
//! notes it; else engines talk to the sink alone.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::render::{
    DeviceDiagram, DeviceExposure, DeviceField, Exposure, Job, Preparation, Sample, Sink, Slope, Strip, Tile, Viewport,
};

/// What is shown of the tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TileMap {
    #[default]
    Off,
    /// Who computes what, now and before.
    Live,
    /// How long each tile took.
    Heat,
}

impl TileMap {
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Live,
            Self::Live => Self::Heat,
            Self::Heat => Self::Off,
        }
    }
}

/// A tile that is done, in pixels of its view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worked {
    pub tile: Tile,
    /// Number of the thread in its pool, or of the submission to a device, that ended it last.
    pub worker: usize,
    /// From its beginning to its end, all visits together; threads that hold several tiles at once share that time.
    pub took: Duration,
}

/// The tiles of one picture.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub viewport: Option<Viewport>,
    pub engine: &'static str,
    /// Tiles begun and not ended, with their workers.
    pub busy: Vec<(Tile, usize)>,
    done: HashMap<[u32; 4], Worked>,
    since: Vec<Instant>,
    begun: usize,
}

/// Where the tiles of the newest picture are noted, shared by the thread that draws and the window.
#[derive(Default)]
pub struct Board {
    is_on: AtomicBool,
    trace: Mutex<Trace>,
}

impl Board {
    /// Whether anything is noted. What was is forgotten when nobody looks any more.
    pub fn set_on(&self, is_on: bool) {
        if self.is_on.swap(is_on, Ordering::Relaxed) && !is_on {
            *self.trace() = Trace::default();
        }
    }

    /// What is known now; engines wait while it is held.
    pub fn trace(&self) -> MutexGuard<'_, Trace> {
        self.trace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new picture begins: what is known of the one before is of no use.
    pub fn clear(&self) {
        *self.trace() = Trace::default();
    }

    /// Renders some samples of the picture with `render`, which is handed the sink to use; notes the tiles where somebody
    /// looks.
    pub fn watch<T>(&self, job: &Job, engine: &'static str, sink: &dyn Sink, render: impl FnOnce(&dyn Sink) -> T) -> T {
        if !self.is_on.load(Ordering::Relaxed) || job.task.space().is_some() {
            return render(sink);
        }
        {
            let mut trace = self.trace();
            trace.engine = engine;
            trace.viewport.get_or_insert_with(|| job.viewport.clone());
        }
        let rendered = render(&Watched { board: self, cells: Cells::of(job), sink });
        // What was given up is nobody's work any more.
        let mut trace = self.trace();
        trace.busy.clear();
        trace.since.clear();
        rendered
    }
}

impl Trace {
    fn begin(&mut self, tile: Tile) {
        let worker = match rayon::current_thread_index() {
            Some(thread) => thread,
            // The thread that draws hands work to a device, or does it all by itself.
            None if self.engine.starts_with("gpu") => self.begun,
            None => 0,
        };
        self.begun += 1;
        self.busy.push((tile, worker));
        self.since.push(Instant::now());
    }

    fn end(&mut self, tile: Tile) {
        if let Some(place) = self.busy.iter().rposition(|(busy, _)| *busy == tile) {
            let (_, worker) = self.busy.swap_remove(place);
            let took = self.since.swap_remove(place).elapsed();
            self.add(Worked { tile, worker, took });
        }
    }

    /// Adds a visit to a tile.
    pub fn add(&mut self, Worked { tile, worker, took }: Worked) {
        let known = self.done.entry([tile.x, tile.y, tile.width, tile.height]);
        let worked = known.or_insert(Worked { tile, worker, took: Duration::ZERO });
        worked.worker = worker;
        worked.took += took;
    }

    /// The tiles that are done, large ones first: finer passes have smaller ones, which lie on them.
    pub fn done(&self) -> Vec<Worked> {
        let mut done: Vec<Worked> = self.done.values().copied().collect();
        done.sort_by_key(|Worked { tile, .. }| (std::cmp::Reverse(tile.area()), tile.y, tile.x));
        done
    }
}

/// The pixels that samples of a job stand for.
#[derive(Clone, Copy)]
struct Cells {
    first: [u32; 2],
    strides: [u32; 2],
    size: [u32; 2],
}

impl Cells {
    /// Lattices that lie in each other's gaps have the same cells: all of them are visits to the same tiles.
    fn of(job: &Job) -> Self {
        let size = job.viewport.size();
        let (columns, rows) = (job.lattice.columns(size[0]), job.lattice.rows(size[1]));
        let first = [columns, rows].map(|span| span.first / span.stride * span.stride);
        Self { first, strides: [columns.stride, rows.stride], size }
    }

    /// A tile of the samples, in pixels.
    fn pixels(&self, tile: Tile) -> Tile {
        let along = |axis: usize, start: u32, count: u32| {
            let begin = self.first[axis] + start * self.strides[axis];
            (begin, (begin + count * self.strides[axis]).min(self.size[axis]).max(begin))
        };
        let ((x, right), (y, bottom)) = (along(0, tile.x, tile.width), along(1, tile.y, tile.height));
        Tile { x, y, width: right - x, height: bottom - y }
    }
}

/// The rows of x′ = a·x + b·y + c: pixels of one view to pixels of another.
pub type CanvasFromPixel = [[f64; 3]; 2];

/// Where the pixels of a view lie on a canvas that shows another: the motion since then, rotation included. `None` where they
/// have no place there.
pub fn canvas_from_pixel(own: &Viewport, shown: &Viewport) -> Option<CanvasFromPixel> {
    if own == shown {
        return Some([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    }
    let ratio = own.finest_step().div(shown.finest_step()).to_f64();
    if !(MOST_SHRUNK..MOST_MAGNIFIED).contains(&ratio) {
        return None;
    }
    // Three corners of the picture say where all of it lies.
    let [width, height] = own.size().map(f64::from);
    let corner = |x: f64, y: f64| shown.pixel_from_plane(&own.plane_from_pixel([x, y]));
    let (origin, right, down) = (corner(0.0, 0.0), corner(width, 0.0), corner(0.0, height));
    let row = |axis: usize| [(right[axis] - origin[axis]) / width, (down[axis] - origin[axis]) / height, origin[axis]];
    let map = [row(0), row(1)];
    map.iter().flatten().all(|value| value.is_finite()).then_some(map)
}

/// Pictures that are smaller or larger than this on the canvas show no tiles.
const MOST_SHRUNK: f64 = 1e-3;
const MOST_MAGNIFIED: f64 = 1e3;

/// Passes everything on, and notes what concerns tiles.
struct Watched<'a> {
    board: &'a Board,
    cells: Cells,
    sink: &'a dyn Sink,
}

impl Sink for Watched<'_> {
    fn begin(&self, tile: Tile) {
        self.board.trace().begin(self.cells.pixels(tile));
    }

    fn end(&self, tile: Tile) {
        self.board.trace().end(self.cells.pixels(tile));
    }

    fn put(&self, tile: Tile, samples: &[Sample]) {
        self.sink.put(tile, samples);
    }

    fn fill(&self, tile: Tile, sample: Sample) {
        self.sink.fill(tile, sample);
    }

    fn put_slopes(&self, tile: Tile, slopes: &[Slope]) {
        self.sink.put_slopes(tile, slopes);
    }

    fn preparing(&self, preparation: Preparation) {
        self.sink.preparing(preparation);
    }

    fn put_strip(&self, strip: &Strip) {
        self.sink.put_strip(strip);
    }

    fn put_exposure(&self, exposure: Exposure) {
        self.sink.put_exposure(exposure);
    }

    fn takes_device_fields(&self) -> bool {
        self.sink.takes_device_fields()
    }

    fn put_device(&self, field: Arc<dyn DeviceField>) {
        self.sink.put_device(field);
    }

    fn put_device_diagram(&self, diagram: Arc<dyn DeviceDiagram>) {
        self.sink.put_device_diagram(diagram);
    }

    fn put_device_exposure(&self, exposure: Arc<dyn DeviceExposure>) {
        self.sink.put_device_exposure(exposure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, State};
    use crate::engine::{Machine, all, render};
    use crate::render::{DiagramSink, Field, HostSink, Latest, Lattice};

    /// How often each sample of a job was in a tile that ended.
    fn covered(trace: &Trace, [width, height]: [u32; 2]) -> Vec<u32> {
        let mut seen = vec![0; (width * height) as usize];
        for Worked { tile, .. } in trace.done() {
            for y in tile.y..tile.y + tile.height {
                for x in tile.x..tile.x + tile.width {
                    seen[(y * width + x) as usize] += 1;
                }
            }
        }
        seen
    }

    #[test]
    fn the_tiles_of_every_engine_cover_the_picture_once_and_all_of_them_end() {
        let mut engines = all(&Machine::without_gpu(2).unwrap());
        for (place, wide) in [("-0.5, 0", "2.5"), ("-0.743643887037151, 0.131825904205330", "1e-14")] {
            let mut state = State::new([75, 53]);
            state.apply(Command::GoTo(place.into()));
            state.apply(Command::SetHeight(wide.into()));
            let job = state.job();
            for engine in &mut engines {
                if engine.supports(&job).is_err() {
                    continue;
                }
                let board = Board::default();
                board.set_on(true);
                let mut field = Field::missing(job.size());
                let sink = HostSink::new(&mut field);
                let key = engine.key();
                board.watch(&job, key, &sink, |sink| render(engine.as_mut(), &job, &Latest::forever(), sink)).unwrap();
                let trace = board.trace();
                assert!(covered(&trace, job.size()).iter().all(|&times| times == 1), "{key}");
                assert!(trace.busy.is_empty() && !trace.done().is_empty(), "{key}");
            }
        }
    }

    #[test]
    fn diagrams_are_mapped_by_their_strips() {
        let mut engines = all(&Machine::without_gpu(2).unwrap());
        for view in ["bifurcation", "bifurcation-complex"] {
            let mut state = State::new([50, 30]);
            state.apply(Command::SetView(view));
            let job = state.job();
            let job = job.clone().with_orbits(0..1);
            for engine in engines.iter_mut().filter(|engine| engine.supports(&job).is_ok()) {
                let board = Board::default();
                board.set_on(true);
                let (key, sink) = (engine.key(), DiagramSink::new(&job));
                board.watch(&job, key, &sink, |sink| render(engine.as_mut(), &job, &Latest::forever(), sink)).unwrap();
                assert!(covered(&board.trace(), job.size()).iter().all(|&times| times == 1), "{view}: {key}");
            }
        }
    }

    #[test]
    fn nothing_is_noted_while_nobody_looks() {
        let board = Board::default();
        let job = State::new([8, 8]).job();
        let mut field = Field::missing([8, 8]);
        let sink = HostSink::new(&mut field);
        let tile = Tile::whole([8, 8]);
        board.watch(&job, "naive", &sink, |sink| (sink.begin(tile), sink.end(tile)));
        assert!(board.trace().done().is_empty());
        board.set_on(true);
        board.watch(&job, "naive", &sink, |sink| (sink.begin(tile), sink.end(tile)));
        assert_eq!(board.trace().done().len(), 1);
        board.set_on(false);
        assert!(board.trace().done().is_empty());
    }

    #[test]
    fn lattices_between_each_other_are_visits_to_the_same_tiles() {
        let tile = Tile { x: 1, y: 0, width: 2, height: 3 };
        let job = |lattice| Job { lattice, ..State::new([50, 40]).job() };
        let shifted = Lattice { first_column: 3, first_row: 1, ..Lattice::every(4) };
        for (lattice, expected, why) in [
            (Lattice::FULL, tile, "every pixel"),
            (Lattice::every(4), Tile { x: 4, y: 0, width: 8, height: 12 }, "every fourth"),
            (shifted, Tile { x: 4, y: 0, width: 8, height: 12 }, "those between"),
            (Lattice::coarse(16), Tile { x: 16, y: 0, width: 32, height: 40 }, "cut at the border"),
            (Lattice::strip(20, 10), Tile { x: 21, y: 0, width: 2, height: 3 }, "columns that a moved one lacks"),
        ] {
            assert_eq!(Cells::of(&job(lattice)).pixels(tile), expected, "{why}");
        }
        let mut trace = Trace::default();
        let took = Duration::from_millis(2);
        trace.add(Worked { tile, worker: 0, took });
        trace.add(Worked { tile, worker: 3, took });
        assert_eq!(trace.done(), [Worked { tile, worker: 3, took: 2 * took }]);
    }

    #[test]
    fn tiles_move_and_turn_with_the_picture() {
        let state = State::new([640, 480]);
        let home = state.viewport().clone();
        assert_eq!(canvas_from_pixel(&home, &home), Some([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
        let turned = home.clone().with_rotation(90.0).unwrap();
        for (shown, expected) in [
            (home.panned([30.0, -7.0]), [[1.0, 0.0, 30.0], [0.0, 1.0, -7.0]]),
            (home.zoomed(4.0, [100.0, 50.0]), [[4.0, 0.0, -300.0], [0.0, 4.0, -150.0]]),
        ] {
            let map = canvas_from_pixel(&home, &shown).unwrap();
            assert!(map.iter().flatten().zip(expected.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-6), "{map:?}");
        }
        let map = canvas_from_pixel(&home, &turned).unwrap();
        assert!(map[0][0].abs() < 1e-9 && (map[0][1].abs() - 1.0).abs() < 1e-9, "{map:?}");
        assert_eq!(canvas_from_pixel(&home, &home.zoomed(1e9, [0.0, 0.0])), None);
    }
}
