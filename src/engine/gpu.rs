//! The GPU: a compute pass in f32, into storage that the colour pass reads.
//!
//! Work goes to the device in slices of a few milliseconds, one at a time ([`pace`]), so that neither
//! the desktop nor a newer job waits for long. Where the sink takes device fields, the samples stay on
//! the device from beginning to end; the host reads a handful of counters a slice and no more.

pub(super) mod delivery;
mod diagram;
pub(super) mod kernel;
pub(super) mod pace;
mod space;
pub(super) mod submission;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Engine, Precision, without_slopes};
use crate::fractal::FormulaId;
use crate::gpu::shader::{self, Checks};
use crate::gpu::{DiagramBuffer, ExposureBuffer, Gpu, GpuError, PassClock, Pool, SampleBuffer, storage_buffer};
use crate::render::{
    Beside, Columns, Grid, Job, Latest, RenderError, Sink, Stats, Task, Tile, TimingSource, Unsupported,
};
use delivery::{Delivery, Fill, Show};
use diagram::{DeviceTask, Diagrams};
use kernel::{Kernel, Program};
use pace::{Pace, Progress, STRIP, Slice};
use space::Scenes;
use submission::Took;

/// Length of a slice: short beside a frame, long beside the cost of a submission.
const TARGET: Duration = Duration::from_millis(8);
/// The same on software, where a submission costs several milliseconds by itself.
const TARGET_SOFTWARE: Duration = Duration::from_millis(16);

/// How long a slice should hold the device.
pub(super) fn slice_target(gpu: &Gpu) -> Duration {
    if gpu.is_software() { TARGET_SOFTWARE } else { TARGET }
}

/// The device, if it is there and not lost.
///
/// # Errors
/// [`Unsupported::NoDevice`], in the name of `engine`.
pub(super) fn device<'a>(gpu: &'a Result<Gpu, String>, engine: &'static str) -> Result<&'a Gpu, Unsupported> {
    let gone = |reason| Unsupported::NoDevice { engine, reason };
    let gpu = gpu.as_ref().map_err(|reason| gone(reason.clone()))?;
    match gpu.is_lost() {
        Some(reason) => Err(gone(format!("it is lost: {reason}"))),
        None => Ok(gpu),
    }
}

/// A WGSL compute pass on the device.
pub struct GpuEngine {
    gpu: Result<Gpu, String>,
    checks: Checks,
    programs: HashMap<FormulaId, Arc<Program>>,
    pool: Pool<SampleBuffer>,
    orbits: Option<wgpu::Buffer>,
    diagrams: Diagrams,
    scenes: Scenes,
    /// For the orbits of scenes.
    threads: Option<Arc<rayon::ThreadPool>>,
    /// By the number of binary digits of the pixel count: small fields do not fill a device.
    paces: HashMap<u32, Pace>,
    slices: SliceFigures,
}

/// How the last job was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceFigures {
    pub count: u32,
    /// The longest time that a slice held the device.
    pub longest: Duration,
}

impl SliceFigures {
    fn add(&mut self, took: Took) {
        self.count += 1;
        self.longest = self.longest.max(took.held());
    }
}

/// A job on its device.
struct Work<'a> {
    gpu: Gpu,
    job: &'a Job,
    latest: &'a Latest,
    /// Who watches, if anybody does.
    sink: &'a dyn Sink,
}

impl Work<'_> {
    /// Tells those who watch, where a field of `size` is the whole picture: the place of a band is not known here.
    fn watched(&self, size: [u32; 2], tell: impl FnOnce(&dyn Sink)) {
        if size == self.job.size() {
            tell(self.sink);
        }
    }
}

/// The rows of samples that a slice does.
fn rows_of(slice: &Slice, [width, height]: [u32; 2]) -> Tile {
    let [first, end] = [slice.strips.start, slice.strips.end].map(|strip| (strip * STRIP).min(height));
    Tile { x: 0, y: first, width, height: end - first }
}

/// Sums over the slices of a job.
#[derive(Default)]
pub(super) struct Totals {
    steps: u64,
    steps_done: u64,
    fenced: Duration,
    stamped: Duration,
    /// Slices whose time stamps could not be believed.
    unstamped: u32,
    pub(super) beside: Beside,
}

/// Does some work, and adds how long it took.
pub(super) fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *sum += start.elapsed();
    done
}

impl GpuEngine {
    pub fn new(gpu: Result<Gpu, String>) -> Self {
        Self::with_checks(gpu, Checks::Trusted)
    }

    /// With the shader compiled one way or the other, for measuring what the driver's checks cost.
    pub fn with_checks(gpu: Result<Gpu, String>, checks: Checks) -> Self {
        Self {
            gpu,
            checks,
            programs: HashMap::new(),
            pool: Pool::default(),
            orbits: None,
            diagrams: Diagrams::default(),
            scenes: Scenes::default(),
            threads: None,
            paces: HashMap::new(),
            slices: SliceFigures::default(),
        }
    }

    /// With threads for what the host does: the orbits of scenes in space.
    #[must_use]
    pub fn with_threads(self, threads: Arc<rayon::ThreadPool>) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// How the last job was cut, finished or not.
    pub fn slices(&self) -> SliceFigures {
        self.slices
    }

    /// The device, if it is there and not lost.
    fn device(&self) -> Result<&Gpu, Unsupported> {
        device(&self.gpu, self.key())
    }

    /// Computes a field where the sink wants it.
    fn render_field(&mut self, work: &Work<'_>, sink: &dyn Sink) -> Result<Totals, RenderError> {
        let mut pool = std::mem::take(&mut self.pool);
        let fill: Fill<'_, RenderError> = &mut |grid, samples, show| self.compute(work, grid, samples, show);
        let delivered = Delivery { gpu: &work.gpu, pool: &mut pool, grid: &work.job.grid(), sink }.run(fill);
        self.pool = pool;
        delivered
    }

    fn render_diagram(
        &mut self,
        work: &Work<'_>,
        columns: &Columns<'_, impl DeviceTask>,
        sink: &dyn Sink,
    ) -> Result<Totals, RenderError> {
        self.diagrams.render(work, columns, self.checks, &mut self.slices, sink)
    }

    /// Whether the device can hold a diagram or a scene, of so many pixels at most and so many bytes each; it has to be
    /// there as a whole.
    fn has_room(&self, job: &Job, most: u64, pixel_len: u64) -> Result<(), Unsupported> {
        let [width, height] = job.size().map(u64::from);
        if width * height <= most {
            return Ok(());
        }
        let (needed, limit) = (pixel_len * width * height, pixel_len * most);
        Err(Unsupported::TooLarge { engine: self.key(), needed, limit })
    }

    /// Fills `samples` slice by slice. Calls `show` when there is more to see; all samples are defined then.
    fn compute(
        &mut self,
        work: &Work<'_>,
        grid: &Grid,
        samples: &SampleBuffer,
        mut show: Show<'_>,
    ) -> Result<Totals, RenderError> {
        let task = work.job.task.escape_time().expect("only tasks that are supported come here");
        let (gpu, size) = (&work.gpu, samples.size());
        let mut totals = Totals::default();
        let program = self.program(gpu, task.formula, &mut totals.beside)?;
        let orbits = self.orbits(gpu, size)?;
        let upload = &mut totals.beside.upload;
        let mut kernel = timed(upload, || Kernel::new(gpu, &program, work.job, grid, samples, &orbits))?;
        let target = slice_target(gpu);
        let pace = self.paces.entry((size[0] * size[1]).ilog2()).or_insert_with(|| Pace::new(target));
        let mut progress = Progress::new(size, task.max_iterations, show.is_some());
        while let Some(slice) = progress.next_slice(pace) {
            if work.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
            let before = progress.undecided();
            let rows = rows_of(&slice, size);
            work.watched(size, |sink| sink.begin(rows));
            let (outcome, took) = kernel.run(&slice)?;
            work.watched(size, |sink| sink.end(rows));
            progress.finish(&slice, outcome.steps, &outcome.undecided, took.held(), pace);
            self.slices.add(took);
            let known = u64::from(outcome.known) * u64::from(task.max_iterations);
            totals.add_slice(outcome.steps + known, outcome.steps, took);
            if let Some(show) = show.as_mut().filter(|_| progress.undecided() < before) {
                show();
            }
        }
        Ok(totals)
    }

    /// The compiled pass of a formula.
    fn program(&mut self, gpu: &Gpu, formula: FormulaId, beside: &mut Beside) -> Result<Arc<Program>, GpuError> {
        if let Some(program) = self.programs.get(&formula) {
            return Ok(program.clone());
        }
        let compile = || shader::compute_pipeline(gpu, "escape_time", Some(formula.wgsl()), self.checks);
        let pipeline = timed(&mut beside.compile, compile)?;
        let program = Arc::new(Program { pipeline, clock: PassClock::new(gpu) });
        self.programs.insert(formula, program.clone());
        Ok(program)
    }

    /// Room for the orbits of a field, kept from job to job unless it is far too large.
    fn orbits(&mut self, gpu: &Gpu, size: [u32; 2]) -> Result<wgpu::Buffer, GpuError> {
        let needed = Kernel::orbits_len(size);
        let kept = self.orbits.take().filter(|kept| (needed..=needed * 4).contains(&kept.size()));
        let orbits = match kept {
            Some(kept) => kept,
            None => storage_buffer(gpu, "the orbits", needed, wgpu::BufferUsages::empty())?,
        };
        self.orbits = Some(orbits.clone());
        Ok(orbits)
    }
}

impl Engine for GpuEngine {
    fn key(&self) -> &'static str {
        "gpu"
    }

    fn about(&self) -> &'static str {
        "the GPU: every pixel a thread, in f32"
    }

    fn describe(&self) -> String {
        match &self.gpu {
            Ok(gpu) => format!("f32, {}", gpu.label()),
            Err(_) => "f32".into(),
        }
    }

    fn precision(&self) -> Precision {
        Precision::F32
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        let gpu = self.device()?;
        self.precision().resolves(job, self.key())?;
        without_slopes(job, self.key())?;
        match &job.task {
            Task::EscapeTime(_) => Ok(()),
            Task::OrbitDensity(_) | Task::Section(_) => self.has_room(job, DiagramBuffer::most_pixels(gpu), 4),
            Task::Space(_) => self.has_room(job, ExposureBuffer::most_pixels(gpu), 16),
        }
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let work = Work { gpu: self.device()?.clone(), job, latest, sink };
        self.slices = SliceFigures::default();
        let totals = match &job.task {
            Task::EscapeTime(_) => self.render_field(&work, sink)?,
            Task::OrbitDensity(task) => self.render_diagram(&work, &Columns::new(job, task), sink)?,
            Task::Section(task) => self.render_diagram(&work, &Columns::new(job, task), sink)?,
            Task::Space(task) => {
                let threads = self.threads.as_deref();
                return self.scenes.render(&work, task, threads, self.checks, &mut self.slices, sink);
            }
        };
        Ok(totals.stats())
    }
}

impl Totals {
    pub(super) fn add_slice(&mut self, steps: u64, steps_done: u64, took: Took) {
        self.steps += steps;
        self.steps_done += steps_done;
        self.fenced += took.fenced;
        self.stamped += took.stamped.unwrap_or_default();
        self.unstamped += u32::from(took.stamped.is_none());
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.steps_done += other.steps_done;
        self.fenced += other.fenced;
        self.stamped += other.stamped;
        self.unstamped += other.unstamped;
        self.beside = self.beside.and(other.beside);
    }

    /// One clock for the whole job: time stamps where all of them can be believed.
    pub(super) fn stats(&self) -> Stats {
        let (compute, source) = match self.unstamped {
            0 => (self.stamped, TimingSource::GpuTimestamps),
            _ => (self.fenced, TimingSource::FencedClock),
        };
        let Self { steps, steps_done, beside, .. } = *self;
        Stats { compute, source, steps, steps_done, beside, ..Stats::default() }
    }
}
