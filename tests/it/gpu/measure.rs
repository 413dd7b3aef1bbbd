//! Figures for people: `cargo test --release --test it measure -- --ignored --nocapture`.

use std::time::Instant;

use cardioid::engine::{Engine as _, GpuEngine};
use cardioid::gpu::shader::Checks;
use cardioid::render::Latest;

use super::{DeviceSink, HOME, INSIDE, device, job};

#[test]
#[ignore = "measures, and proves nothing"]
fn slices_and_checks() {
    let Some(gpu) = device() else { return };
    eprintln!("{}", gpu.label());
    for (name, center, height, size, cap) in [
        ("home", HOME, "2.5", [960, 640], 1000),
        ("inside", INSIDE, "0.05", [640, 360], 5000),
        ("home", HOME, "2.5", [1920, 1080], 1000),
    ] {
        let job = job(center, height, size, cap);
        // The first run of an engine learns the device's pace.
        let mut engines = [Checks::Full, Checks::Trusted].map(|c| (c, GpuEngine::with_checks(Ok(gpu.clone()), c)));
        for _ in 0..4 {
            for (checks, engine) in &mut engines {
                let start = Instant::now();
                let stats = engine.render(&job, &Latest::forever(), &DeviceSink::default()).unwrap();
                let (wall, slices) = (start.elapsed(), engine.slices());
                let rate = stats.steps_done as f64 / stats.compute.as_secs_f64() / 1e9;
                let (compute, source) = (stats.compute, stats.source.label());
                eprintln!(
                    "{name} {size:?} {checks:?}: {compute:.1?} by {source}, {wall:.1?} in all, {rate:.2} Gsteps/s, \
                     {} slices, longest {:.1?}",
                    slices.count, slices.longest
                );
            }
        }
    }
}
