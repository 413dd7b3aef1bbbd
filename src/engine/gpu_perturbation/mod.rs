//! Perturbation on the GPU: one orbit in big numbers, and each pixel's small difference from it in f32.
//!
//! The reference is that of [`Perturbation`]. It goes to the device once for a view ([`table`]), with blocks of steps that are
//! linear to within f32 ([`blocks`]). Every number there is a mantissa in f32 with an exponent of its own, so that depth
//! costs nothing; no sum of two floats is ever taken for more digits than one has, for shader compilers may fold the error
//! terms of such sums to zero.
//!
//! 24 digits are enough to look at, up to some ten thousand iterations. So 64 pixels of each view are held against f64
//! ([`judge`]), and where f32 will not do the engine lets the processor do the work, and says so.

mod blocks;
mod judge;
mod kernel;
mod rounds;
mod table;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::gpu::delivery::{Delivery, Fill, Show};
use super::gpu::kernel::Program;
use super::gpu::pace::Pace;
use super::gpu::{Totals, device, slice_target, timed};
use super::perturbation::Perturbation;
use super::precision::{is_fine_enough, is_mandelbrot};
use super::{Engine, Precision, only_escape_time, without_slopes};
use crate::gpu::shader::{self, Checks};
use crate::gpu::{Gpu, GpuError, PassClock, Pool, SampleBuffer};
use crate::math::{Complex, FloatExp};
use crate::render::{
    Beside, Channels, DeviceField as _, EscapeTime, Field, Grid, HostSink, Job, Latest, Lattice, Phases, Quality,
    ReferenceFigures, RenderError, Sample, Sink, Stats, Task, Tile, TimingSource, Unsupported, Viewport,
};
use blocks::Blocks;
use kernel::{Aim, BATCH, Kernel, Room};
use rounds::Rounds;
use table::Table;

/// Steps after which an orbit's f32 deltas are no longer believed.
const MOST_STEPS: u32 = 100_000;
/// Least R at which pixels are compared: smooth counts are smooth from there on.
const JUDGED_BAILOUT: f64 = 1000.0;

/// Deltas in f32 on the device, and [`Perturbation`] where those will not do.
pub struct GpuPerturbation {
    gpu: Result<Gpu, String>,
    cpu: Perturbation,
    program: Option<Arc<Program>>,
    pool: Pool<SampleBuffer>,
    room: Option<Room>,
    pace: Option<Pace>,
    /// What was found out of the last view, which the next pass of it needs again.
    kept: Option<Kept>,
}

/// What all passes of a view share: but in motion, a pure function of the view, the task and the device.
struct Kept {
    viewport: Viewport,
    task: EscapeTime,
    quality: Quality,
    course: Course,
}

/// How a view is drawn.
#[derive(Clone)]
enum Course {
    OnDevice(Arc<Ready>),
    HandedOver(Handover),
}

/// A reference on the device, and how a view lies to it.
struct Ready {
    table: Table,
    /// What δc is counted in.
    unit: FloatExp,
    /// The way from the reference to the view's centre, in units; and the view's pixel step. 0 and 1 but in motion.
    shift: Complex,
    scale: f64,
    figures: ReferenceFigures,
    /// How long the reference took.
    reference_took: Duration,
}

impl Ready {
    /// Where places lie from the reference, in units; `offsets` are theirs from the view's centre, in pixel steps.
    fn beside_reference(&self, offsets: Grid) -> Grid {
        offsets.told_from(self.shift, self.scale)
    }
}

/// Why the processor does a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handover {
    /// Orbits are longer than [`MOST_STEPS`].
    Long,
    /// More than one pixel in twenty would be moved by more than half a pixel.
    Coarse,
}

impl Handover {
    fn reason(self) -> &'static str {
        match self {
            Self::Long => "orbits are too long for f32 here: f64 deltas on the processor",
            Self::Coarse => "f32 would move pixels here: f64 deltas on the processor",
        }
    }
}

/// Why the device did not finish a field.
enum Stop {
    TooLong,
    Failed(RenderError),
}

impl From<RenderError> for Stop {
    fn from(error: RenderError) -> Self {
        Self::Failed(error)
    }
}

impl From<GpuError> for Stop {
    fn from(error: GpuError) -> Self {
        Self::Failed(error.into())
    }
}

/// A field of a job on its device.
struct Work<'a> {
    gpu: &'a Gpu,
    ready: &'a Ready,
    task: &'a EscapeTime,
    /// Whether fractions of counts are wanted.
    smooth: bool,
    latest: &'a Latest,
    /// Who watches, and the samples of the whole picture: a band's place is not known here.
    watcher: Option<(&'a dyn Sink, [u32; 2])>,
}

impl GpuPerturbation {
    /// On a device; what the processor does is done on `threads`.
    pub fn new(gpu: Result<Gpu, String>, threads: Arc<rayon::ThreadPool>) -> Self {
        Self {
            gpu,
            cpu: Perturbation::new(threads),
            program: None,
            pool: Pool::default(),
            room: None,
            pace: None,
            kept: None,
        }
    }

    /// The device, if it is there and not lost.
    fn device(&self) -> Result<&Gpu, Unsupported> {
        device(&self.gpu, self.key())
    }

    /// Whether what is kept was found out for this job's view.
    fn knows(&self, job: &Job, task: &EscapeTime) -> bool {
        let is_same = |kept: &Kept| kept.viewport == job.viewport && kept.task == *task && kept.quality == job.quality;
        self.kept.as_ref().is_some_and(is_same)
    }

    fn keep(&mut self, job: &Job, task: &EscapeTime, course: Course) {
        self.kept = Some(Kept { viewport: job.viewport.clone(), task: task.clone(), quality: job.quality, course });
    }

    /// How a job is to be drawn, from last time where the view is the same.
    fn course(
        &mut self,
        gpu: &Gpu,
        job: &Job,
        task: &EscapeTime,
        latest: &Latest,
        sink: &dyn Sink,
    ) -> Result<Course, RenderError> {
        if !self.knows(job, task) {
            self.kept = None;
            let course = self.judged(gpu, job, task, latest, sink)?;
            self.keep(job, task, course);
        }
        Ok(self.kept.as_ref().expect("it was kept just now").course.clone())
    }

    /// Draws some pixels of a view in f64, and in f32 where that can be good enough.
    fn judged(
        &mut self,
        gpu: &Gpu,
        job: &Job,
        task: &EscapeTime,
        latest: &Latest,
        sink: &dyn Sink,
    ) -> Result<Course, RenderError> {
        let capped = EscapeTime { max_iterations: limit(task), ..task.clone() };
        let judged = EscapeTime { bailout: task.bailout.max(JUDGED_BAILOUT), ..capped.clone() };
        let probes = judge::probes(&job.viewport.offsets(Lattice::FULL));
        let ready = self.ready(gpu, &Job { task: Task::EscapeTime(capped), ..job.clone() }, latest, sink)?;
        let truth = self.truth(&Job { task: Task::EscapeTime(judged.clone()), ..job.clone() }, &probes, latest)?;
        if limit(task) < task.max_iterations && truth.samples().contains(&Sample::INTERIOR) {
            return Ok(Course::HandedOver(Handover::Long));
        }
        let work = Work { gpu, ready: &ready, task: &judged, smooth: true, latest, watcher: None };
        let samples = SampleBuffer::with_any_content(gpu, probes.size())?;
        match self.fill(&work, &ready.beside_reference(probes), &samples, None) {
            Ok(_) if judge::are_fit(samples.read_back()?.samples(), &truth) => Ok(Course::OnDevice(Arc::new(ready))),
            Ok(_) => Ok(Course::HandedOver(Handover::Coarse)),
            Err(Stop::TooLong) => Ok(Course::HandedOver(Handover::Long)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// The reference of a job, on the device.
    fn ready(&mut self, gpu: &Gpu, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Ready, RenderError> {
        let prepared = self.cpu.prepare(job, latest, sink)?;
        let (reference, unit, shift, scale) = (prepared.reference, prepared.unit, prepared.shift, prepared.scale);
        let bailout = job.task.escape_time().map_or(JUDGED_BAILOUT, |task| task.bailout);
        let largest_c = unit.mul(shift.norm().into()).add(job.viewport.radius());
        let table = Table::new(gpu, reference, &Blocks::new(reference, largest_c, bailout))?;
        Ok(Ready { table, unit, shift, scale, figures: prepared.figures, reference_took: prepared.phases.reference })
    }

    /// The samples of some places in f64, with their slopes.
    fn truth(&mut self, job: &Job, places: &Grid, latest: &Latest) -> Result<Field, RenderError> {
        let channels = Channels { smooth: true, distance: true, ..Channels::default() };
        let mut truth = Field::missing(places.size()).with_slopes();
        let job = Job { channels, ..job.clone() };
        self.cpu.draw(&job, places.clone(), latest, &HostSink::new(&mut truth))?;
        Ok(truth)
    }

    /// Draws a job on the device, where the sink wants it.
    fn draw(&mut self, work: &Work<'_>, job: &Job, sink: &dyn Sink) -> Result<Totals, Stop> {
        let mut pool = std::mem::take(&mut self.pool);
        let fill: Fill<'_, Stop> = &mut |offsets, samples, show| self.fill(work, offsets, samples, show);
        let offsets = work.ready.beside_reference(job.viewport.offsets(job.lattice));
        let delivered = Delivery { gpu: work.gpu, pool: &mut pool, grid: &offsets, sink }.run(fill);
        self.pool = pool;
        delivered
    }

    /// Fills `samples`, batch by batch and slice by slice.
    fn fill(
        &mut self,
        work: &Work<'_>,
        offsets: &Grid,
        samples: &SampleBuffer,
        mut show: Show<'_>,
    ) -> Result<Totals, Stop> {
        let [width, height] = samples.size();
        let pixels = width * height;
        let mut totals = Totals::default();
        let program = self.program(work.gpu, &mut totals.beside)?;
        let room = self.room(work.gpu, pixels.min(BATCH))?;
        let Work { task, smooth, ready, .. } = *work;
        let aim = Aim { task, smooth, unit: ready.unit, limit: limit(task) };
        let kernel = || Kernel::new(work.gpu, &program, &ready.table, &aim, offsets, samples, &room);
        let mut kernel = timed(&mut totals.beside.upload, kernel)?;
        let batches = || (0..pixels).step_by(BATCH as usize).map(|first| (first, BATCH.min(pixels - first)));
        if show.is_some() {
            for (first, count) in batches() {
                let (_, took) = kernel.run(first, &Rounds::marking(count))?;
                totals.add_slice(0, 0, took);
            }
        }
        let watcher = work.watcher.filter(|(_, whole)| *whole == samples.size()).map(|(sink, _)| sink);
        let rows = |first: u32, count: u32| {
            let (y, end) = (first / width, (first + count).div_ceil(width));
            Tile { x: 0, y, width, height: end - y }
        };
        let pace = self.pace.get_or_insert_with(|| Pace::new(slice_target(work.gpu)));
        for (first, count) in batches() {
            let mut rounds = Rounds::new(count);
            while let Some(slice) = rounds.next_slice(pace) {
                if work.latest.is_stale() {
                    return Err(RenderError::Cancelled.into());
                }
                if let Some(sink) = watcher {
                    sink.begin(rows(first, count));
                }
                let (outcome, took) = kernel.run(first, &slice)?;
                if let Some(sink) = watcher {
                    sink.end(rows(first, count));
                }
                if outcome.given_up > 0 {
                    return Err(Stop::TooLong);
                }
                rounds.finish(&slice, outcome.turns, outcome.undecided, took.held(), pace);
                let inside = u64::from(outcome.inside) * u64::from(task.max_iterations);
                totals.add_slice(outcome.steps + inside, outcome.turns, took);
                if let Some(show) = show.as_mut().filter(|_| (outcome.undecided as usize) < slice.places.len()) {
                    show();
                }
            }
        }
        Ok(totals)
    }

    /// The compiled pass.
    fn program(&mut self, gpu: &Gpu, beside: &mut Beside) -> Result<Arc<Program>, GpuError> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        let compile = || shader::compute_pipeline(gpu, "deltas", None, Checks::Trusted);
        let pipeline = timed(&mut beside.compile, compile)?;
        let program = Arc::new(Program { pipeline, clock: PassClock::new(gpu) });
        Ok(self.program.insert(program).clone())
    }

    /// Room for the orbits of so many pixels, kept from job to job.
    fn room(&mut self, gpu: &Gpu, pixels: u32) -> Result<Room, GpuError> {
        let room = match self.room.take().filter(|kept| kept.pixels() >= pixels) {
            Some(kept) => kept,
            None => Room::new(gpu, pixels)?,
        };
        Ok(self.room.insert(room).clone())
    }
}

/// Steps after which an orbit is given up.
fn limit(task: &EscapeTime) -> u32 {
    task.max_iterations.min(MOST_STEPS)
}

impl Engine for GpuPerturbation {
    fn key(&self) -> &'static str {
        "gpu-perturbation"
    }

    fn about(&self) -> &'static str {
        "any depth on the GPU: small differences from one orbit in big numbers, in f32 while that is good enough"
    }

    fn describe(&self) -> String {
        match (&self.kept, &self.gpu) {
            (Some(Kept { course: Course::HandedOver(_), .. }), _) => self.cpu.describe(),
            (_, Ok(gpu)) => format!("f32 deltas, {}", gpu.label()),
            (_, Err(_)) => "f32 deltas".into(),
        }
    }

    fn precision(&self) -> Precision {
        Precision::F32Deltas
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        only_escape_time(job, self.key())?;
        self.device()?;
        without_slopes(job, self.key())?;
        if !is_mandelbrot(job) {
            let (what, able) = ("sets but the Mandelbrot set of z² + c", "naive, symmetric, simd, threads, tiles, gpu");
            return Err(Unsupported::Task { engine: self.key(), what, able });
        }
        is_fine_enough(job, self.key())?;
        self.precision().resolves(job, self.key())
    }

    fn forget(&mut self) {
        self.kept = None;
        self.cpu.forget();
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        let gpu = self.device()?.clone();
        let start = Instant::now();
        let is_known = self.knows(job, task);
        let course = self.course(&gpu, job, task, latest, sink)?;
        let found_out = start.elapsed();
        let handover = match course {
            Course::HandedOver(handover) => handover,
            Course::OnDevice(ready) => {
                let work = Work {
                    gpu: &gpu,
                    ready: &ready,
                    task,
                    smooth: job.channels.smooth,
                    latest,
                    watcher: Some((sink, job.size())),
                };
                match self.draw(&work, job, sink) {
                    Ok(totals) => {
                        let stats = Stats { reference: Some(ready.figures), ..totals.stats() };
                        let pixels = stats.compute;
                        if is_known {
                            return Ok(Stats { phases: Phases { pixels, ..Phases::default() }, ..stats });
                        }
                        let reference = ready.reference_took;
                        let phases = Phases { reference, table: found_out.saturating_sub(reference), pixels };
                        let source = TimingSource::FencedClock;
                        return Ok(Stats { compute: found_out + pixels, source, phases, ..stats });
                    }
                    Err(Stop::Failed(error)) => return Err(error),
                    Err(Stop::TooLong) => {
                        self.keep(job, task, Course::HandedOver(Handover::Long));
                        Handover::Long
                    }
                }
            }
        };
        let tried = start.elapsed();
        let stats = self.cpu.render(job, latest, sink)?;
        Ok(Stats { compute: tried + stats.compute, handed_over: Some(handover.reason()), ..stats })
    }
}
