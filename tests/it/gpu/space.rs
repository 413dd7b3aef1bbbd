//! Scenes in space on the device: the colour pass against the CPU's painting.

use std::sync::Arc;

use cardioid::color::{ExposurePass, paint_exposure, space_tints};
use cardioid::engine::{Engine, Machine, Tiles};
use cardioid::gpu::{ExposureBuffer, Gpu, GpuError, Picture};
use cardioid::render::{Camera, DeviceExposure as _, Exposure, ExposureSink, Latest, Scene, Space, SpaceAxis};

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
