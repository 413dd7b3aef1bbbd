//! The device: what it computes, what it shows, and what happens when it goes away.

mod clock;
mod diagram;
mod engine;
mod lost;
mod maps;
mod measure;
mod orbits;
mod pass;
mod perturbation;
mod present;
mod space;

use std::sync::{Arc, Mutex, OnceLock};

use cardioid::engine::Engine;
use cardioid::fractal::FormulaId;
use cardioid::gpu::{Gpu, GpuError};
use cardioid::math::BigComplex;
use cardioid::render::{
    Channels, DeviceDiagram, DeviceField, EscapeTime, Field, HostSink, Job, Latest, Lattice, Plane, Quality, Sample,
    Shortcuts, Sink, Stats, Strip, Task, Tile, Viewport,
};

const HOME: [&str; 2] = ["-0.75", "0"];
const SEAHORSE: [&str; 2] = ["-0.743643887037151", "0.131825904205330"];
/// Inside the main cardioid: nothing ever escapes.
const INSIDE: [&str; 2] = ["-0.1", "0"];

/// The device that the tests share, or `None` with a line that says so; in CI there must be one.
fn device() -> Option<Gpu> {
    static DEVICE: OnceLock<Result<Gpu, GpuError>> = OnceLock::new();
    match DEVICE.get_or_init(Gpu::headless) {
        Ok(gpu) => Some(gpu.clone()),
        Err(e) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{e}"),
        Err(e) => {
            eprintln!("SKIP: {e}");
            None
        }
    }
}

/// A job at R = 1000 with smooth counts.
fn job(center: [&str; 2], height: &str, size: [u32; 2], max_iterations: u32) -> Job {
    let [re, im] = center.map(|text| text.parse().unwrap());
    let (formula, plane) = (FormulaId::Quadratic, Plane::Parameter);
    Job {
        viewport: Viewport::new(BigComplex::new(re, im), height.parse().unwrap(), size).unwrap(),
        lattice: Lattice::FULL,
        task: Task::EscapeTime(EscapeTime { formula, plane, max_iterations, bailout: 1000.0 }),
        channels: Channels { smooth: true, ..Channels::default() },
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0, 0.0],
    }
}

fn render(engine: &mut dyn Engine, job: &Job) -> (Field, Stats) {
    let mut field = Field::missing(job.size());
    let stats = engine.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    (field, stats)
}

/// Keeps what an engine puts on the device.
#[derive(Default)]
struct DeviceSink(Mutex<Vec<Arc<dyn DeviceField>>>);

impl Sink for DeviceSink {
    fn put(&self, _tile: Tile, _samples: &[Sample]) {
        panic!("samples came to the host");
    }

    fn takes_device_fields(&self) -> bool {
        true
    }

    fn put_device(&self, field: Arc<dyn DeviceField>) {
        self.0.lock().unwrap().push(field);
    }
}

/// Keeps the diagrams that an engine puts on the device.
#[derive(Default)]
struct DeviceDiagramSink(Mutex<Vec<Arc<dyn DeviceDiagram>>>);

impl Sink for DeviceDiagramSink {
    fn put(&self, _tile: Tile, _samples: &[Sample]) {
        panic!("samples came to the host");
    }

    fn put_strip(&self, _strip: &Strip) {
        panic!("columns came to the host");
    }

    fn takes_device_fields(&self) -> bool {
        true
    }

    fn put_device_diagram(&self, diagram: Arc<dyn DeviceDiagram>) {
        self.0.lock().unwrap().push(diagram);
    }
}

impl DeviceSink {
    fn last(&self) -> Arc<dyn DeviceField> {
        self.0.lock().unwrap().last().expect("something was put").clone()
    }
}
