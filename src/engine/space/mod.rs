//! Scenes in space: the points of many orbits, thrown as light onto a picture.
//!
//! [`Cloud`] holds the points, which depend on the scene alone; [`splat`] says what light they leave. The plain way
//! and the parallel one give the same points in the same order, and the same sums.

mod cloud;
mod orbits;
pub mod splat;
mod strips;

use std::time::Instant;

use fearless_simd::Level;

pub use cloud::{Cloud, Part, Workers};
pub use orbits::{CloudPoint, Orbits};
use splat::Lens;

use crate::render::{Camera, Exposure, Job, Latest, RenderError, Sink, Space, Stats};

/// The scene point by point, on one thread.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn naive(job: &Job, task: &Space, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
    let start = Instant::now();
    let mut cloud = Cloud::default();
    let steps = cloud.grow(task, Workers::One, latest)?;
    let mut exposure = Exposure::dark(job.size());
    let lens = Lens::new(task, exposure.size);
    let parts = cloud.parts(task);
    exposure.gain = gain(&parts, &task.camera, exposure.size);
    for part in &parts {
        if latest.is_stale() {
            return Err(RenderError::Cancelled);
        }
        splat::plain(&lens, part.points, &mut exposure);
    }
    sink.put_exposure(exposure);
    Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads: 1, ..Stats::default() })
}

/// The scene on the threads of the pool that this is called in; `cloud` is kept from job to job, and the steps are those
/// that were still to be done.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn tiles(
    job: &Job,
    task: &Space,
    level: Level,
    cloud: &mut Cloud,
    latest: &Latest,
    sink: &dyn Sink,
) -> Result<Stats, RenderError> {
    let start = Instant::now();
    let steps = cloud.grow(task, Workers::Pool, latest)?;
    let mut exposure = Exposure::dark(job.size());
    let lens = Lens::new(task, exposure.size);
    let parts = cloud.parts(task);
    exposure.gain = gain(&parts, &task.camera, exposure.size);
    for part in &parts {
        strips::parallel(level, &lens, part.points, &mut exposure, latest)?;
    }
    sink.put_exposure(exposure);
    let threads = rayon::current_num_threads();
    Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads, ..Stats::default() })
}

/// The gain of an exposure of that size, see [`Exposure::gain`].
pub fn gain(parts: &[Part<'_>], camera: &Camera, size: [u32; 2]) -> [f32; 2] {
    let pixels_per_unit = camera.pixels_per_unit(size);
    let mut gain = [0.0; 2];
    for part in parts {
        let extent = part.kind.extent();
        // How many pixels there are for an orbit.
        let (layer, pixels) = match part.kind {
            Orbits::Section { .. } => (0, extent * pixels_per_unit),
            Orbits::Set => (0, extent * pixels_per_unit * pixels_per_unit),
            Orbits::Slice => (1, extent * pixels_per_unit),
        };
        let share = (pixels / f64::from(part.orbits.max(1))).min(MOST_SHARE);
        gain[layer] = (share / f64::from(Exposure::UNIT)) as f32;
    }
    gain
}

/// Most light of a single point: close by, a cloud falls apart into points rather than into flashes.
const MOST_SHARE: f64 = 1.0;
