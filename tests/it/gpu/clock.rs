//! Whose clock a time was read from, and what the device is called.

use std::process::Command as Process;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cardioid::app::{Command, EngineChoice, Explorer, Format, OverlayMode, State, compare};
use cardioid::engine::{GpuEngine, GpuPerturbation, Machine, all};
use cardioid::gpu::{Gpu, Stamps};
use cardioid::render::{Latest, Stats, TimingSource};

use super::{HOME, device, job, render};

const ZEROS: Stamps = |_| [0, 0];

/// A home view on a device whose stamps are made up.
fn timed(gpu: &Gpu, stamps: Stamps) -> Stats {
    let mut engine = GpuEngine::new(Ok(gpu.clone().with_stamps(stamps)));
    render(&mut engine, &job(HOME, "2.5", [96, 64], 200)).1
}

#[test]
fn stamps_that_cannot_be_true_give_way_to_the_fenced_clock() {
    let Some(gpu) = device() else { return };
    let has_stamps = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
    let bad: [(Stamps, &str); 4] = [
        (ZEROS, "zeros, as Metal 4 gave them"),
        (|_| [9_000, 4_000], "backwards"),
        (|_| [1, 1 << 50], "longer than the host waited"),
        (|_| [7, 7], "no time at all"),
    ];
    for (stamps, why) in bad {
        let stats = timed(&gpu, stamps);
        assert_eq!(stats.source, TimingSource::FencedClock, "{why}");
        assert!(stats.compute > Duration::ZERO, "{why}");
    }
    if has_stamps {
        let stats = timed(&gpu, |_| [1_000, 1_010]);
        assert_eq!(stats.source, TimingSource::GpuTimestamps, "what can be true is believed");
        assert!(stats.compute < Duration::from_millis(1), "{:?}", stats.compute);
    }
}

#[test]
fn one_unbelievable_slice_makes_the_whole_job_the_hosts() {
    let Some(gpu) = device() else { return };
    // Whatever the device stamps, every other slice has zeros.
    static SLICES: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let stamps: Stamps = |_| {
        let slice = SLICES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if slice.is_multiple_of(2) { [0, 0] } else { [1_000, 1_010] }
    };
    assert_eq!(timed(&gpu, stamps).source, TimingSource::FencedClock);
}

/// The explorer on a device, once it has timed the engine of that key.
fn settled(gpu: Gpu, key: &'static str) -> Explorer {
    let machine = Machine { gpu: Ok(gpu), ..Machine::without_gpu(1).unwrap() };
    let mut explorer = Explorer::start(State::new([96, 64]), &machine, false, Arc::new(|| {})).unwrap();
    explorer.state.apply(Command::SetEngine(EngineChoice::Named(key)));
    explorer.state.apply(Command::SetOverlay(OverlayMode::Full));
    let deadline = Instant::now() + Duration::from_secs(20);
    while explorer.upper.timings.engine(key).unwrap().last().is_none() {
        assert!(Instant::now() < deadline, "{key} is never timed");
        explorer.frame();
        std::thread::sleep(Duration::from_millis(2));
    }
    explorer
}

#[test]
fn the_table_names_the_clock_that_was_believed() {
    let Some(gpu) = device() else { return };
    let explorer = settled(gpu.with_stamps(ZEROS), "gpu");
    let drawing = &explorer.upper;
    let text = drawing.timings.sheet(drawing.engines(), &drawing.status).write(Format::Json);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let row = json["rows"].as_array().unwrap().iter().find(|row| row["engine"] == "gpu").unwrap();
    assert_eq!(row["clock"], "fenced clock");
}

#[test]
fn a_software_device_says_so_wherever_it_is_named() {
    let Some(gpu) = device() else { return };
    let label = gpu.label();
    assert_eq!(label.starts_with("software GPU"), gpu.is_software(), "{label}");
    let tag = if gpu.is_software() { "software GPU" } else { label.as_str() };
    let machine = Machine { gpu: Ok(gpu.clone()), ..Machine::without_gpu(1).unwrap() };
    for engine in [
        &GpuEngine::new(Ok(gpu.clone())) as &dyn cardioid::engine::Engine,
        &GpuPerturbation::new(Ok(gpu.clone()), machine.pool.clone()),
    ] {
        assert!(engine.describe().contains(tag), "{}", engine.describe());
    }
    let comparison =
        compare(&mut all(&machine), &job(HOME, "2.5", [48, 32], 100), &Latest::forever(), |_, _| {}).unwrap();
    assert!(comparison.sheet().write(Format::Markdown).contains(tag));
    let explorer = settled(gpu.clone(), "gpu");
    let drawing = &explorer.upper;
    assert!(drawing.engines().iter().find(|engine| engine.key == "gpu").unwrap().describe.contains(tag));
    assert!(drawing.timings.sheet(drawing.engines(), &drawing.status).write(Format::Csv).contains(tag));
    let bench = ["bench", "--engines", "naive,gpu", "--views", "home", "--size", "32x32", "--reps", "1"];
    for arguments in [&["engines"][..], &["engines", "--json"], &bench] {
        let output = Process::new(env!("CARGO_BIN_EXE_cardioid")).args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(tag), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    }
}
