//! All cores: tiles of the picture, each with the vector kernel of this processor.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use fearless_simd::Level;

use super::kernel::{self, Scratch, Steps, Work};
use super::{Engine, Precision, diagram, section, space, threads_of};
use crate::render::{Columns, Job, Latest, RenderError, Sink, Stats, Task, Unsupported};

/// The vector kernel on every thread of the pool, each taking the next tile from the focus outwards.
pub struct Tiles {
    pool: Arc<rayon::ThreadPool>,
    level: Level,
    side: Option<u32>,
    /// One for each thread of the pool.
    scratch: Vec<Mutex<Scratch>>,
    /// The scene that was drawn last.
    cloud: space::Cloud,
}

impl Tiles {
    pub fn new(pool: Arc<rayon::ThreadPool>) -> Self {
        let scratch = (0..pool.current_num_threads()).map(|_| Mutex::new(Scratch::new())).collect();
        Self { pool, level: Level::new(), side: None, scratch, cloud: space::Cloud::default() }
    }

    /// With tiles of at most `side` × `side` samples, 1 ≤ side ≤ 64; a measure of speed, never of samples.
    #[must_use]
    pub fn with_side(self, side: u32) -> Self {
        Self { side: Some(side.clamp(1, kernel::MOST_SIDE)), ..self }
    }

    /// Large tiles cost least; small ones keep all threads busy to the end of a small picture.
    fn side(&self, [width, height]: [u32; 2]) -> u32 {
        let enough = 16 * self.pool.current_num_threads() as u64;
        let tiles = |side: u32| u64::from(width.div_ceil(side)) * u64::from(height.div_ceil(side));
        let fine = || [kernel::SIDE, 16].into_iter().find(|&side| tiles(side) >= enough);
        self.side.or_else(fine).unwrap_or(8)
    }
}

impl Engine for Tiles {
    fn key(&self) -> &'static str {
        "tiles"
    }

    fn about(&self) -> &'static str {
        "all cores at once, each with vectors of points: the default"
    }

    fn describe(&self) -> String {
        format!("{}, {}", kernel::describe(self.level), threads_of(&self.pool))
    }

    fn mirrors(&self) -> bool {
        true
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        self.precision().resolves(job, self.key())
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        match &job.task {
            Task::EscapeTime(_) => {}
            Task::OrbitDensity(task) => {
                return self.pool.install(|| diagram::tiles(&Columns::new(job, task), self.level, latest, sink));
            }
            Task::Section(task) => {
                return self.pool.install(|| section::tiles(&Columns::new(job, task), self.level, latest, sink));
            }
            Task::Space(task) => {
                let cloud = &mut self.cloud;
                return self.pool.install(|| space::tiles(job, task, self.level, cloud, latest, sink));
            }
        }
        let start = Instant::now();
        let work = Work::new(job, self.side(job.size()), latest, sink);
        let results = self.pool.broadcast(|thread| {
            let mut scratch = self.scratch[thread.index()].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            kernel::run(self.level, &work, &mut scratch)
        });
        let mut steps = Steps::default();
        for result in results {
            steps += result?;
        }
        let threads = self.pool.current_num_threads();
        let (steps, steps_done) = (steps.defined, steps.done);
        Ok(Stats { compute: start.elapsed(), steps, steps_done, threads, ..Stats::default() })
    }
}
