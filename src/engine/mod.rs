//! Ways of computing a job's samples. One file an engine, one line in [`all`].
//!
//! [`Naive`] is the definition; every other engine is faster, and is tested against it.

mod auto;
mod diagram;
mod gpu;
mod gpu_perturbation;
pub mod iterations;
pub mod kernel;
mod mirror;
mod naive;
mod periods;
mod perturbation;
mod precision;
mod section;
mod simd;
mod slopes;
mod space;
mod symmetric;
mod threads;
mod tiles;

use std::sync::Arc;

pub use auto::{Choice, choose};
pub use gpu::GpuEngine;
pub use gpu_perturbation::GpuPerturbation;
pub use naive::Naive;
pub use perturbation::Perturbation;
pub use precision::{Precision, caution};
pub use simd::SimdEngine;
pub use symmetric::Symmetric;
pub use threads::Threads;
pub use tiles::Tiles;

use crate::gpu::Gpu;
use crate::render::{Job, Latest, RenderError, Sink, Stats, Task, Unsupported};
use periods::WithPeriods;
use slopes::WithSlopes;

/// A way of computing samples.
pub trait Engine: Send {
    /// Name in files, on the command line and in the overlay.
    fn key(&self) -> &'static str;

    /// One sentence: what this engine adds to the ones before it.
    fn about(&self) -> &'static str;

    /// The arithmetic in use, and anything else that a comparison must know: `f64 × 8`, `f32, software GPU`.
    fn describe(&self) -> String;

    /// The arithmetic that its samples are made of.
    fn precision(&self) -> Precision;

    /// Whether this engine can do the job: escape times, as fine as its arithmetic resolves, unless it says otherwise.
    ///
    /// # Errors
    /// [`Unsupported`] says what is missing and what to do.
    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        only_escape_time(job, self.key())?;
        self.precision().resolves(job, self.key())
    }

    /// Whether rows that mirror others about the real axis are copied from them.
    fn mirrors(&self) -> bool {
        false
    }

    /// Whether other machines compute: whole frames alone, and nobody here knows in how many steps.
    fn is_remote(&self) -> bool {
        false
    }

    /// Drops what was kept of earlier jobs to make later ones faster: the next one takes as long as a first.
    fn forget(&mut self) {}

    /// Computes the job's samples into the sink, and asks `latest` often whether they are still wanted.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale; what was put into the sink stays valid.
    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError>;
}

/// What engines run on: made once, shared by all of them.
#[derive(Clone)]
pub struct Machine {
    pub pool: Arc<rayon::ThreadPool>,
    /// The device, or why there is none.
    pub gpu: Result<Gpu, String>,
}

impl Machine {
    /// Worker threads on this machine, and no GPU.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn without_gpu(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("tiles {i}")).build()?;
        Ok(Self { pool: Arc::new(pool), gpu: Err("none was asked for".into()) })
    }

    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

/// Renders a job with an engine, and adds what its samples are to have beside counts: periods, and the slopes of f64 orbits.
///
/// # Errors
/// As [`Engine::render`].
pub fn render(engine: &mut dyn Engine, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
    let periods = WithPeriods::new(job, latest, sink);
    let sink = periods.as_ref().map_or(sink, |sink| sink);
    let slopes = WithSlopes::new(job, engine.precision(), latest, sink);
    engine.render(job, latest, slopes.as_ref().map_or(sink, |sink| sink))
}

/// How many threads there are, in words: `1 thread`, `8 threads`.
fn threads_of(pool: &rayon::ThreadPool) -> String {
    match pool.current_num_threads() {
        1 => "1 thread".into(),
        threads => format!("{threads} threads"),
    }
}

/// Whether rows of a picture mirror each other about the real axis, for engines that copy them.
pub fn is_mirrored(job: &Job) -> bool {
    let Some(task) = job.task.escape_time().filter(|_| job.shortcuts.symmetry) else { return false };
    let grid = job.grid();
    mirror::Mirror::of(task, &grid) != mirror::Mirror::none(&grid)
}

/// Refuses slopes.
///
/// # Errors
/// [`Unsupported::Task`], in the name of `engine`.
fn without_slopes(job: &Job, engine: &'static str) -> Result<(), Unsupported> {
    let able = "naive, symmetric, simd, threads, tiles, perturbation";
    if job.channels.distance { Err(Unsupported::Task { engine, what: "distances", able }) } else { Ok(()) }
}

/// Refuses diagrams and scenes in space.
///
/// # Errors
/// [`Unsupported::Task`], in the name of `engine`.
fn only_escape_time(job: &Job, engine: &'static str) -> Result<(), Unsupported> {
    match &job.task {
        Task::EscapeTime(_) => Ok(()),
        Task::OrbitDensity(_) | Task::Section(_) => {
            Err(Unsupported::Task { engine, what: "bifurcation diagrams", able: "naive, tiles, gpu" })
        }
        Task::Space(_) => Err(Unsupported::Task { engine, what: "orbits in space", able: "naive, tiles, gpu" }),
    }
}

/// Every engine, plainest first. A new engine is its file and one line here.
pub fn all(machine: &Machine) -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Naive),
        Box::new(Symmetric),
        Box::new(SimdEngine::new()),
        Box::new(Threads::new(machine.pool.clone())),
        Box::new(Tiles::new(machine.pool.clone())),
        Box::new(GpuEngine::new(machine.gpu.clone()).with_threads(machine.pool.clone())),
        Box::new(Perturbation::new(machine.pool.clone())),
        Box::new(GpuPerturbation::new(machine.gpu.clone(), machine.pool.clone())),
    ]
}
