//! Figures for people: `cargo test --release --test it measure -- --ignored --nocapture`.

use std::time::Instant;

use cardioid::color::{ColorPass, Coloring, DiagramPass, DiagramScheme, ExposurePass, Palette, paint_exposure};
use cardioid::engine::{Engine, GpuEngine};
use cardioid::gpu::shader::Checks;
use cardioid::gpu::{DiagramBuffer, ExposureBuffer, Gpu, Picture, Presenter, Quad, SampleBuffer};
use cardioid::render::{Camera, Diagram, DiagramShape, Field, Job, Latest, Scene, Shortcuts, Space};

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
        let job = Job { shortcuts: Shortcuts::NONE, ..job(center, height, size, cap) };
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

#[test]
#[ignore = "measures, and proves nothing"]
fn start_and_frame() {
    if device().is_none() {
        return;
    }
    let mut last = Instant::now();
    let mut lap = |what: &str| {
        eprintln!("{what}: {:.1?}", last.elapsed());
        last = Instant::now();
    };
    let gpu = Gpu::headless().unwrap();
    lap("open a device");
    let pass = ColorPass::new(&gpu).unwrap();
    lap("compile the colour pass");
    let presenter = Presenter::new(&gpu, Picture::FORMAT).unwrap();
    lap("compile the presenter");
    let mut engine = GpuEngine::new(Ok(gpu.clone()));
    engine.render(&job(HOME, "2.5", [8, 8], 10), &Latest::forever(), &DeviceSink::default()).unwrap();
    lap("compile the engine and compute 8x8");
    let size = [1920, 1080];
    let samples = SampleBuffer::from_field(&gpu, &Field::missing(size)).unwrap();
    let picture = Picture::new(&gpu, size).unwrap();
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    lap("upload 1920x1080");
    let palette = Palette::default_palette();
    let params = Coloring::default().params(palette);
    for _ in 0..3 {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        pass.paint(&mut encoder, &params, palette.table(), &samples, &picture).unwrap();
        gpu.queue.submit([encoder.finish()]);
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        lap("colour 1920x1080");
    }
    let window = super::present::window(&gpu, Picture::FORMAT, size);
    for _ in 0..3 {
        super::present::draw(&gpu, &presenter, &window, &[Quad::at(&picture, [0, 0])]);
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        lap("present 1920x1080");
    }
}

#[test]
#[ignore = "measures, and proves nothing"]
fn diagram_frame() {
    let Some(gpu) = device() else { return };
    let size = [1920, 1080];
    let pass = DiagramPass::new(&gpu).unwrap();
    let (buffer, picture) =
        (DiagramBuffer::empty(&gpu, DiagramShape::plain(size)).unwrap(), Picture::new(&gpu, size).unwrap());
    let diagram = Diagram::empty(size);
    for _ in 0..5 {
        let start = Instant::now();
        buffer.upload(&diagram, 0..size[0]).unwrap();
        gpu.wait(gpu.queue.submit([])).unwrap();
        let uploaded = start.elapsed();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        pass.paint(&mut encoder, DiagramScheme::default(), &buffer, &picture).unwrap();
        gpu.wait(gpu.queue.submit([encoder.finish()])).unwrap();
        eprintln!("{size:?}: upload {uploaded:.1?}, with the colours {:.1?}", start.elapsed());
    }
}

#[test]
#[ignore = "measures, and proves nothing"]
fn scenes() {
    let Some(gpu) = device() else { return };
    let size = [1920, 1080];
    let mut engines: [Box<dyn Engine>; 2] =
        [Box::new(super::space::tiles()), Box::new(super::space::engine(gpu.clone()))];
    for points in [Space::MOVING, Space::STILL] {
        for scene in [Scene::Section { s: 0.3 }, Scene::Set] {
            for t in [0.0, 0.5, 0.5, 0.5] {
                let task = super::space::space(scene, points, Camera::flight(t));
                for engine in &mut engines {
                    let start = Instant::now();
                    let sink = super::space::DeviceExposureSink::default();
                    let stats = engine.render(&task.clone().job(size).unwrap(), &Latest::forever(), &sink).unwrap();
                    let (compute, wall, steps) = (stats.compute, start.elapsed(), stats.steps);
                    eprintln!("{scene:?} {points} {}: {compute:.1?}, {wall:.1?} in all, {steps} steps", engine.key());
                }
            }
        }
    }
}

#[test]
#[ignore = "measures, and proves nothing"]
fn scene_frame() {
    let Some(gpu) = device() else { return };
    let size = [1920, 1080];
    let pass = ExposurePass::new(&gpu).unwrap();
    let picture = Picture::new(&gpu, size).unwrap();
    let task = super::space::space(Scene::Set, Space::MOVING, Camera::flight(0.5));
    let exposure = super::space::exposure(&mut super::space::tiles(), &task, size);
    for _ in 0..5 {
        let start = Instant::now();
        let pixels = paint_exposure(&exposure, &task);
        let painted = start.elapsed();
        let start = Instant::now();
        let buffer = ExposureBuffer::from_exposure(&gpu, &exposure).unwrap();
        let handed = start.elapsed();
        gpu.wait(gpu.queue.submit([])).unwrap();
        let uploaded = start.elapsed();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        pass.paint(&mut encoder, &task, &buffer, &picture).unwrap();
        gpu.wait(gpu.queue.submit([encoder.finish()])).unwrap();
        eprintln!(
            "{size:?}: {} pixels painted on the host {painted:.1?}; handed to the device {handed:.1?}, there {uploaded:.1?}, \
             with the colours {:.1?}",
            pixels.len(),
            start.elapsed()
        );
    }
}
