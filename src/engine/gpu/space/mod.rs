//! Scenes in space on the device: the points are those of the CPU's [`Cloud`], for orbits of f32 would end elsewhere and
//! cost no less; the device throws them onto the pixels, anew for each camera.

mod kernel;
mod points;

use std::sync::Arc;
use std::time::Instant;

use super::kernel::Program;
use super::pace::Pace;
use super::{SliceFigures, Totals, Work, slice_target, timed};
use crate::engine::space::{self, Cloud, Workers};
use crate::gpu::shader::{self, Checks};
use crate::gpu::{ExposureBuffer, Gpu, GpuError, PassClock, Pool};
use crate::render::{Beside, DeviceExposure as _, RenderError, Sink, Space, Stats, TimingSource};
use kernel::Kernel;
use points::Points;

/// Steps of other work that cost as much as a point: a guess that a device's pace corrects.
const POINT: f64 = 32.0;

/// Fewest points of a slice.
const FEWEST: f64 = 4096.0;

/// What is kept from scene to scene.
#[derive(Default)]
pub struct Scenes {
    cloud: Cloud,
    points: Points,
    program: Option<Arc<Program>>,
    pool: Pool<ExposureBuffer>,
    pace: Option<Pace>,
}

impl Scenes {
    /// Computes what is lacking of a scene's points on `threads`, or on this one where there are none, and puts the light
    /// of all of them where the sink wants it.
    pub fn render(
        &mut self,
        work: &Work<'_>,
        task: &Space,
        threads: Option<&rayon::ThreadPool>,
        checks: Checks,
        slices: &mut SliceFigures,
        sink: &dyn Sink,
    ) -> Result<Stats, RenderError> {
        let start = Instant::now();
        let steps = match threads {
            Some(threads) => threads.install(|| self.cloud.grow(task, Workers::Pool, work.latest)),
            None => self.cloud.grow(task, Workers::One, work.latest),
        }?;
        let grown = start.elapsed();
        let (gpu, size) = (&work.gpu, work.job.size());
        let parts = self.cloud.parts(task);
        let mut totals = Totals::default();
        timed(&mut totals.beside.upload, || self.points.update(gpu, &parts, work.latest))?;
        let exposure = self.pool.take(|free| free.size() == size, || ExposureBuffer::dark(gpu, size))?;
        exposure.clear()?;
        exposure.set_gain(space::gain(&parts, &task.camera, size));
        let program = program(&mut self.program, gpu, checks, &mut totals.beside)?;
        let mut kernel = Kernel::new(gpu, &program, task, &exposure)?;
        let target = slice_target(gpu);
        let pace = self.pace.get_or_insert_with(|| Pace::new(target));
        for stretch in parts.iter().flat_map(|part| self.points.of(part)) {
            let bound = kernel.bind(&stretch)?;
            let mut first = 0;
            while first < stretch.count {
                if work.latest.is_stale() {
                    return Err(RenderError::Cancelled);
                }
                let affordable = (pace.budget() / POINT).max(FEWEST) as u32;
                let end = first.saturating_add(affordable).min(stretch.count);
                let took = kernel.run(&bound, first..end)?;
                pace.learn(POINT * f64::from(end - first), took.held());
                slices.add(took);
                totals.add_slice(0, 0, took);
                first = end;
            }
        }
        if sink.takes_device_fields() {
            sink.put_device_exposure(exposure);
        } else {
            let light = timed(&mut totals.beside.read_back, || exposure.read_back())?;
            sink.put_exposure(light);
        }
        let stats = totals.stats();
        let source = if steps > 0 { TimingSource::FencedClock } else { stats.source };
        Ok(Stats { compute: grown + stats.compute, source, steps, steps_done: steps, ..stats })
    }
}

/// The compiled pass, kept from scene to scene.
fn program(
    kept: &mut Option<Arc<Program>>,
    gpu: &Gpu,
    checks: Checks,
    beside: &mut Beside,
) -> Result<Arc<Program>, GpuError> {
    if let Some(program) = kept {
        return Ok(program.clone());
    }
    let pipeline = timed(&mut beside.compile, || shader::compute_pipeline(gpu, "splat", None, checks))?;
    let program = Arc::new(Program { pipeline, clock: PassClock::new(gpu) });
    Ok(kept.insert(program).clone())
}
