//! Devices that go away or have no room: values, never panics.

use std::sync::Arc;
use std::time::Duration;

use cardioid::color::{ColorPass, Coloring, DiagramPass, DiagramScheme, ExposurePass, Palette, space_tints};
use cardioid::engine::{Engine as _, GpuEngine};
use cardioid::gpu::{DiagramBuffer, ExposureBuffer, Gpu, GpuError, Picture, Presenter, Quad, SampleBuffer};
use cardioid::render::{
    Camera, DeviceDiagram as _, DeviceExposure as _, DeviceField as _, Diagram, DiagramShape, Exposure, Field,
    HostSink, Job, Latest, RenderError, Scene, Shortcuts, Space, Unsupported,
};

use super::{DeviceSink, HOME, INSIDE, device, job};

#[test]
fn a_device_that_is_destroyed_ends_a_running_job() {
    if device().is_none() {
        return;
    }
    let gpu = Gpu::headless().unwrap();
    let mut engine = GpuEngine::new(Ok(gpu.clone()));
    let job = Job { shortcuts: Shortcuts::NONE, ..job(INSIDE, "0.05", [640, 360], 1_000_000) };
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            gpu.device.destroy();
        });
        engine.render(&job, &Latest::forever(), &DeviceSink::default())
    });
    let Err(RenderError::Device(message)) = result else { panic!("{result:?}") };
    assert!(message.contains("lost"), "{message}");
    assert!(matches!(engine.supports(&job), Err(Unsupported::NoDevice { .. })));
    assert!(gpu.is_lost().is_some());
}

#[test]
fn a_lost_device_is_an_error_everywhere() {
    if device().is_none() {
        return;
    }
    let gpu = Gpu::headless().unwrap();
    let pass = ColorPass::new(&gpu).unwrap();
    let presenter = Presenter::new(&gpu, Picture::FORMAT).unwrap();
    let samples = SampleBuffer::missing(&gpu, [8, 8]).unwrap();
    let diagram_pass = DiagramPass::new(&gpu).unwrap();
    let diagram = DiagramBuffer::empty(&gpu, DiagramShape::plain([8, 8])).unwrap();
    let exposure_pass = ExposurePass::new(&gpu).unwrap();
    let exposure = ExposureBuffer::dark(&gpu, [8, 8]).unwrap();
    let (picture, window) = (Picture::new(&gpu, [8, 8]).unwrap(), Picture::new(&gpu, [8, 8]).unwrap());
    // The loss is told when nothing is under way any more.
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    gpu.device.destroy();

    // Errors of a lost device go to the one that asks, or to the side; none of them ends the program.
    let palette = Palette::default_palette();
    let params = Coloring::default().params(palette);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    drop(pass.paint(&mut encoder, &params, palette.table(), &samples, &picture));
    super::present::draw(&gpu, &presenter, window.texture(), &[Quad::at(&picture, [0, 0])]);
    drop(diagram_pass.paint(&mut encoder, DiagramScheme::default(), &diagram, &picture));
    let tints = Arc::new(space_tints(Scene::Set));
    let scene = Space { scene: Scene::Set, ghost: false, points: Space::MOVING, camera: Camera::HOME, tints };
    drop(exposure_pass.paint(&mut encoder, &scene, &exposure, &picture));
    assert!(samples.read_back().is_err());
    assert!(exposure.read_back().is_err());
    assert!(matches!(exposure.clear(), Err(GpuError::Lost(_))));
    assert!(matches!(ExposureBuffer::from_exposure(&gpu, &Exposure::dark([8, 8])), Err(GpuError::Lost(_))));
    assert!(diagram.read_back().is_err());
    assert!(matches!(diagram.upload(&Diagram::empty([8, 8]), 0..8), Err(GpuError::Lost(_))));
    assert!(matches!(DiagramBuffer::empty(&gpu, DiagramShape::plain([8, 8])), Err(GpuError::Lost(_))));
    let uploaded = samples.upload_all([]);
    assert!(matches!(uploaded, Err(GpuError::Lost(_))), "{uploaded:?}");
    assert!(matches!(SampleBuffer::missing(&gpu, [8, 8]), Err(GpuError::Lost(_))));
    assert!(matches!(Picture::new(&gpu, [8, 8]), Err(GpuError::Lost(_))));
    assert!(picture.read_back(&gpu).is_err());
    let mut engine = GpuEngine::new(Ok(gpu));
    let home = job(HOME, "2.5", [64, 64], 50);
    assert!(engine.render(&home, &Latest::forever(), &HostSink::new(&mut Field::missing([64, 64]))).is_err());
}

#[test]
fn what_has_no_room_is_refused() {
    let Some(gpu) = device() else { return };
    // 7.2 GB, where bindings end at 4 GiB at most.
    let Err(error) = SampleBuffer::missing(&gpu, [30_000, 30_000]) else { panic!("no such buffer exists") };
    assert!(matches!(error, GpuError::TooLarge { .. }), "{error}");
    let longest = gpu.device.limits().max_texture_dimension_2d;
    assert!(matches!(Picture::new(&gpu, [longest + 1, 1]), Err(GpuError::TooLarge { .. })));
    let refused = gpu.checked("a test", |device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: device.limits().max_buffer_size + 4,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    });
    let Err(error) = refused else { panic!("no such buffer exists") };
    assert!(!error.to_string().contains('\n'), "{error}");
    assert_eq!(gpu.is_lost(), None);
}
