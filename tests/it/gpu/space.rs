//! Scenes in space on the device: light against the CPU's, and the colour pass against the CPU's painting.

use std::sync::{Arc, Mutex};

use cardioid::color::{ExposurePass, paint_exposure, space_tints};
use cardioid::engine::{Engine, GpuEngine, Machine, Tiles};
use cardioid::gpu::{ExposureBuffer, Gpu, GpuError, Picture};
use cardioid::render::{
    Camera, DeviceExposure, Exposure, ExposureSink, Latest, Newest, RenderError, Sample, Scene, Sink, Space, SpaceAxis,
    Tile, Unsupported,
};

use super::device;

const SECTION: Scene = Scene::Section { s: 0.3 };

pub fn space(scene: Scene, points: u32, camera: Camera) -> Space {
    Space { scene, ghost: scene != Scene::Set, points, camera, tints: Arc::new(space_tints(scene)) }
}

pub fn tiles() -> Tiles {
    Tiles::new(Machine::without_gpu(2).unwrap().pool)
}

pub fn exposure(engine: &mut dyn Engine, task: &Space, size: [u32; 2]) -> Exposure {
    let sink = ExposureSink::default();
    engine.render(&task.clone().job(size).unwrap(), &Latest::forever(), &sink).unwrap();
    sink.into_exposure()
}

fn painted(gpu: &Gpu, pass: &ExposurePass, exposure: &Exposure, task: &Space) -> Vec<[u8; 4]> {
    let buffer = ExposureBuffer::from_exposure(gpu, exposure).unwrap();
    let picture = Picture::new(gpu, exposure.size).unwrap();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    pass.paint(&mut encoder, task, &buffer, &picture).unwrap();
    gpu.queue.submit([encoder.finish()]);
    picture.read_back(gpu).unwrap()
}

/// Light of all magnitudes, in each layer alone and in all of them.
fn synthetic(size: [u32; 2]) -> Exposure {
    let hash = |i: u32| i.wrapping_mul(2_654_435_761);
    let light = (0..size[0] * size[1]).map(|i| {
        std::array::from_fn(|layer| {
            let word = hash(4 * i + layer as u32);
            if (i >> layer) & 1 == 0 { 0 } else { word >> (word % 32) }
        })
    });
    Exposure { size, light: light.collect(), gain: [1e-4, 3e-4] }
}

#[test]
fn the_pass_paints_what_the_definition_says() {
    let Some(gpu) = device() else { return };
    let (pass, mut engine) = (ExposurePass::new(&gpu).unwrap(), tiles());
    // Far to the side, where no axis is.
    let aside = Camera { target: [500.0, 0.0, 0.0], ..Camera::HOME };
    // On an axis, which goes by on both sides.
    let within = Camera { target: [0.3, 0.0, 0.0], distance: 0.05, ..Camera::HOME };
    for (scene, camera, size, why) in [
        (SECTION, Camera::HOME, [321, 203], "a section with its ghost"),
        (Scene::Set, Camera::flight(0.5), [200, 333], "the whole set"),
        (Scene::Set, Camera::along(SpaceAxis::Z), [64, 64], "along an axis"),
        (SECTION, within, [301, 200], "from within"),
        (SECTION, aside, [7, 5], "nothing but the ground"),
    ] {
        let task = space(scene, 100_000, camera);
        for (exposure, light) in [(exposure(&mut engine, &task, size), "its own light"), (synthetic(size), "all light")]
        {
            let expected = paint_exposure(&exposure, &task);
            for (i, (got, expected)) in painted(&gpu, &pass, &exposure, &task).iter().zip(&expected).enumerate() {
                // Arithmetic in f32 against f64.
                let off = got.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                assert!(off <= 1, "{why}, {light}: pixel {i} is {got:?}, expected {expected:?}");
            }
        }
    }
}

#[test]
fn exposures_come_back_as_they_went_and_dark_ones_are_dark() {
    let Some(gpu) = device() else { return };
    let exposure = synthetic([101, 37]);
    let buffer = ExposureBuffer::from_exposure(&gpu, &exposure).unwrap();
    assert!(buffer.read_back().unwrap() == exposure);
    buffer.clear().unwrap();
    assert!(buffer.read_back().unwrap() == Exposure::dark([101, 37]));
    assert!(ExposureBuffer::dark(&gpu, [3, 2]).unwrap().read_back().unwrap() == Exposure::dark([3, 2]));
    let Err(error) = ExposureBuffer::dark(&gpu, [65_535, 65_535]) else { panic!("there is room for 69 GB") };
    assert!(matches!(error, GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }), "{error}");
}

/// Keeps the exposures that an engine puts on the device.
#[derive(Default)]
pub struct DeviceExposureSink(Mutex<Vec<Arc<dyn DeviceExposure>>>);

impl Sink for DeviceExposureSink {
    fn put(&self, _tile: Tile, _samples: &[Sample]) {
        panic!("samples came to the host");
    }

    fn takes_device_fields(&self) -> bool {
        true
    }

    fn put_device_exposure(&self, exposure: Arc<dyn DeviceExposure>) {
        self.0.lock().unwrap().push(exposure);
    }
}

pub fn engine(gpu: Gpu) -> GpuEngine {
    GpuEngine::new(Ok(gpu)).with_threads(Machine::without_gpu(2).unwrap().pool)
}

/// Sum of the light of each layer.
fn sums(exposure: &Exposure) -> [f64; 4] {
    std::array::from_fn(|layer| exposure.light.iter().map(|pixel| f64::from(pixel[layer])).sum())
}

#[test]
fn light_is_that_of_the_processor_but_for_roundings() {
    let Some(gpu) = device() else { return };
    let (mut engine, mut tiles) = (engine(gpu), tiles());
    let size = [250, 181];
    // In this order points are uploaded in pieces, kept, and dropped.
    for (scene, points, camera, why) in [
        (SECTION, 50_000, Camera::HOME, "a section with its ghost"),
        (SECTION, 2_300_000, Camera::HOME, "more points, of more than one buffer"),
        (SECTION, 400_000, Camera::along(SpaceAxis::X), "fewer again, from elsewhere"),
        (SECTION, 400_000, Camera { distance: 0.4, ..Camera::HOME }, "from within"),
        (Scene::Section { s: 0.0 }, 300_000, Camera::along(SpaceAxis::Y), "another section, chaos too"),
        (Scene::Set, 300_000, Camera::flight(0.5), "another scene"),
        (Scene::Section { s: 2.0 }, 100_000, Camera::HOME, "only the ghost"),
    ] {
        let task = space(scene, points, camera);
        let (expected, got) = (exposure(&mut tiles, &task, size), exposure(&mut engine, &task, size));
        assert_eq!(got.gain, expected.gain, "{why}");
        for (got, expected) in sums(&got).into_iter().zip(sums(&expected)) {
            assert!((got - expected).abs() <= 1e-4 * expected, "{why}: {got} in all, expected {expected}");
        }
        let pixels = || got.light.iter().flatten().zip(expected.light.iter().flatten());
        let off = pixels().filter(|(got, expected)| got.abs_diff(**expected) > Exposure::tolerance(**expected)).count();
        assert_eq!(off, 0, "{why}: pixels that roundings do not explain");
        let (lit, differing) = (pixels().filter(|(_, e)| **e > 0).count(), pixels().filter(|(g, e)| g != e).count());
        // A processor of IEEE arithmetic has 4 % in the densest of these; GPUs may divide less exactly.
        assert!(differing < lit / 2, "{why}: {differing} of {lit}");
    }
}

#[test]
fn light_stays_on_the_device_and_old_light_stays_valid() {
    let Some(gpu) = device() else { return };
    let mut engine = engine(gpu);
    let (size, sink) = ([97, 64], DeviceExposureSink::default());
    let tasks = [0.0, 0.5, 1.0].map(|t| space(Scene::Set, 60_000, Camera::flight(t)));
    for task in &tasks {
        let stats = engine.render(&task.clone().job(size).unwrap(), &Latest::forever(), &sink).unwrap();
        assert_eq!(stats.steps > 0, task == &tasks[0], "orbits are computed once");
    }
    for (task, there) in tasks.iter().zip(sink.0.into_inner().unwrap()) {
        assert!(there.read_back().unwrap() == exposure(&mut engine, task, size));
    }
}

#[test]
fn what_has_no_room_is_refused_and_stale_jobs_stop() {
    let Some(gpu) = device() else { return };
    let mut engine = engine(gpu);
    let task = space(SECTION, 20_000, Camera::HOME);
    let refused = engine.supports(&task.clone().job([65_535, 65_535]).unwrap());
    assert!(matches!(refused, Err(Unsupported::TooLarge { .. })), "{refused:?}");
    let (newest, sink) = (Newest::default(), DeviceExposureSink::default());
    let stale = newest.next();
    newest.cancel();
    assert_eq!(engine.render(&task.job([64, 48]).unwrap(), &stale, &sink), Err(RenderError::Cancelled));
    assert!(sink.0.into_inner().unwrap().is_empty());
}
