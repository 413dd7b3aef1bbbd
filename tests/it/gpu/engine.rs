//! The GPU engine against the definition.

use std::time::{Duration, Instant};

use cardioid::engine::{Engine as _, GpuEngine, Naive};
use cardioid::gpu::{Gpu, SampleBuffer};
use cardioid::math::Complex;
use cardioid::render::{
    Channels, Field, HostSink, Job, Lattice, Newest, Plane, RenderError, Sample, Shortcuts, Task, TimingSource,
    Unsupported,
};

use super::{DeviceSink, HOME, INSIDE, SEAHORSE, device, job, render};

/// Share of samples whose counts differ.
fn differing_share(got: &Field, expected: &Field, job: &Job) -> f64 {
    got.differing_counts(expected, job.max_iterations()).0 as f64 / got.samples().len() as f64
}

fn with_plane(mut job: Job, plane: Plane) -> Job {
    let Task::EscapeTime(task) = &mut job.task else { panic!("no escape time") };
    task.plane = plane;
    job
}

fn with_bailout(mut job: Job, bailout: f64) -> Job {
    let Task::EscapeTime(task) = &mut job.task else { panic!("no escape time") };
    task.bailout = bailout;
    job
}

#[test]
fn counts_agree_with_the_definition_as_far_as_f32_can() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let home = || job(HOME, "2.5", [320, 180], 1000);
    let julia = Plane::dynamical(Complex::new(-0.8, 0.156));
    let turned = Job { viewport: home().viewport.with_rotation(30.0).unwrap(), ..home() };
    let coarse = Job { lattice: Lattice::coarse(8), ..job(HOME, "2.5", [1283, 717], 1000) };
    // (job, share of counts that may differ, why). f32 loses digits as the view shrinks, and near the boundary one
    // rounding decides a count. The bounds are about twice what a software device shows.
    for (job, bound, why) in [
        (home(), 0.005, "home: 0.21 % seen"),
        (job(SEAHORSE, "0.1", [320, 180], 1000), 0.04, "seahorse valley: 1.9 % seen"),
        (job(SEAHORSE, "1e-2", [320, 180], 1000), 0.2, "deeper: 11 % seen"),
        (job(SEAHORSE, "1e-3", [320, 180], 1000), 0.28, "as deep as f32 goes at this size: 14 % seen"),
        (job(INSIDE, "0.05", [320, 180], 1000), 0.0, "all inside"),
        (job(["10", "10"], "2.5", [320, 180], 1000), 0.0, "all outside"),
        (turned, 0.005, "rotated"),
        (coarse, 0.005, "one pixel of 8 × 8"),
        (with_plane(home(), julia.clone()), 0.06, "a Julia set, near its boundary almost everywhere: 2.9 % seen"),
        (with_bailout(home(), 2.0), 0.005, "smallest bailout"),
        (with_bailout(home(), 1e9), 0.005, "largest bailout of f32"),
        (with_bailout(home(), 1e60), 0.005, "a bailout past the range of f32"),
        (with_plane(job(HOME, "1e15", [64, 64], 50), julia), 0.0, "squares past the range of f32"),
        (job(HOME, "1e45", [64, 64], 50), 0.0, "numbers past the range of f32"),
    ] {
        let (expected, _) = render(&mut Naive, &job);
        let (got, _) = render(&mut engine, &job);
        let share = differing_share(&got, &expected, &job);
        eprintln!("{why}: {:.3} % of counts differ", share * 100.0);
        assert!(share <= bound, "{why}: {share}");
        assert!(got.samples().iter().all(|s| s.fraction.is_finite() && !s.is_missing()), "{why}");
    }
}

#[test]
fn fractions_agree_where_counts_do() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    for bailout in [2.0, 1000.0, 1e9, 1e60] {
        let job = with_bailout(job(HOME, "2.5", [320, 180], 200), bailout);
        let (expected, got) = (render(&mut Naive, &job).0, render(&mut engine, &job).0);
        let pairs = got.samples().iter().zip(expected.samples()).filter(|(a, b)| a.iterations == b.iterations);
        let mut off: Vec<f32> = pairs.map(|(a, b)| (a.fraction - b.fraction).abs()).collect();
        off.sort_by(f32::total_cmp);
        // Orbits near the boundary spread roundings apart; all others keep six digits.
        let (typical, most) = (off[off.len() / 2], off[off.len() * 98 / 100]);
        assert!(typical < 1e-5 && most < 1e-3, "R = {bailout}: {typical}, {most}");
    }
    let plain = Job { channels: Channels { smooth: false, ..Channels::default() }, ..job(HOME, "2.5", [64, 64], 50) };
    assert!(render(&mut engine, &plain).0.samples().iter().all(|s| s.fraction == 0.0));
}

#[test]
fn every_width_comes_out_straight() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    for width in [1, 63, 64, 65, 1001, 1279, 1366, 1921, 4093] {
        let job = job(SEAHORSE, "0.3", [width, 37], 60);
        let (expected, _) = render(&mut Naive, &job);
        let (got, stats) = render(&mut engine, &job);
        assert!(differing_share(&got, &expected, &job) < 0.01, "width {width}");
        assert_eq!(stats.steps, got.steps(60), "steps at width {width}");
        let sink = DeviceSink::default();
        engine.render(&job, &super::Latest::forever(), &sink).unwrap();
        assert_eq!(sink.last().read_back().unwrap(), got, "on the device, at width {width}");
    }
}

#[test]
fn no_step_is_lost_where_slices_are_long() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let job = Job { shortcuts: Shortcuts::NONE, ..job(INSIDE, "0.05", [8, 8], 1_000_000) };
    for _ in 0..3 {
        assert_eq!(render(&mut engine, &job).1.steps_done, 64_000_000);
    }
}

#[test]
fn fields_may_be_longer_than_a_dispatch() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    // 65535 workgroups of 8 are 524280 pixels.
    for (height, size) in
        [("4e-6", [524_280, 1]), ("8e-6", [524_281, 2]), ("2e-6", [1 << 20, 1]), ("2.5", [1, 524_281])]
    {
        let job = job(HOME, height, size, 20);
        let (expected, _) = render(&mut Naive, &job);
        let (got, _) = render(&mut engine, &job);
        assert!(differing_share(&got, &expected, &job) < 0.01, "{size:?}");
    }
}

#[test]
fn bulbs_change_no_count_and_save_steps() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    // The whole set, its cusp, the neck between cardioid and disc; and fields that are marked missing first.
    for (center, height, size) in [
        (HOME, "2.5", [320, 180]),
        (["0.25", "0"], "0.01", [160, 90]),
        (["-0.75", "0"], "0.01", [160, 90]),
        (HOME, "2.5", [1900, 1100]),
    ] {
        let with = job(center, height, size, 500);
        let without = Job { shortcuts: Shortcuts::NONE, ..with.clone() };
        let (expected, all) = render(&mut engine, &without);
        let sink = DeviceSink::default();
        let some = engine.render(&with, &super::Latest::forever(), &sink).unwrap();
        assert!(sink.last().read_back().unwrap() == expected, "{center:?}");
        assert_eq!((some.steps, all.steps), (all.steps_done, expected.steps(500)), "{center:?}");
        assert!(some.steps_done < some.steps, "{center:?}");
    }
}

#[test]
fn samples_stay_on_the_device_and_old_ones_stay_valid() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let jobs = [1, 2, 3, 4].map(|k| job(HOME, "2.5", [128, 72], 100 * k));
    let fields = jobs.each_ref().map(|job| {
        let sink = DeviceSink::default();
        let stats = engine.render(job, &super::Latest::forever(), &sink).unwrap();
        assert_ne!(stats.source, TimingSource::CpuClock);
        assert!(stats.compute > Duration::ZERO);
        sink.last()
    });
    for (job, field) in jobs.iter().zip(fields) {
        let expected = render(&mut engine, job).0;
        assert_eq!(field.read_back().unwrap(), expected);
        assert!(field.as_any().downcast::<SampleBuffer>().is_ok());
    }
}

#[test]
fn bands_of_the_host_make_the_same_picture() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    // More than the 4 million samples of a band.
    let job = job(HOME, "2.5", [2500, 1800], 20);
    let (got, _) = render(&mut engine, &job);
    let sink = DeviceSink::default();
    engine.render(&job, &super::Latest::forever(), &sink).unwrap();
    assert!(sink.last().read_back().unwrap() == got);
}

#[test]
fn frames_that_take_more_than_256_mib_of_one_buffer_are_drawn() {
    let Some(gpu) = device() else { return };
    // 326 MB, 16 bytes a sample: the default limits of the interface would refuse it; those of the adapter may not.
    let job = job(HOME, "2.5", [6016, 3384], 20);
    let fits = SampleBuffer::most_samples(&gpu) >= 6016 * 3384;
    let mut engine = GpuEngine::new(Ok(gpu));
    let (got, _) = render(&mut engine, &job);
    let lattice = Lattice::band(1700, 8);
    let (band, _) = render(&mut engine, &Job { lattice, ..job.clone() });
    for row in 0..8 {
        assert!(got.row(1700 + row) == band.row(row), "row {row}");
    }
    if fits {
        let sink = DeviceSink::default();
        engine.render(&job, &super::Latest::forever(), &sink).unwrap();
        assert_eq!(sink.last().size(), [6016, 3384]);
    }
}

#[test]
fn long_work_is_cut_short_and_stale_work_is_given_up() {
    if device().is_none() {
        return;
    }
    // A device of its own: the work of other tests would count.
    let mut engine = GpuEngine::new(Ok(Gpu::headless().unwrap()));
    for (size, why) in [([640, 360], "small"), ([3840, 2160], "large")] {
        let job = Job { shortcuts: Shortcuts::NONE, ..job(INSIDE, "0.05", size, 1_000_000) };
        let newest = Newest::default();
        let latest = newest.next();
        let (ended, given_up) = std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                let sink = DeviceSink::default();
                let result = engine.render(&job, &latest, &sink);
                (result, Instant::now())
            });
            std::thread::sleep(Duration::from_millis(1500));
            newest.cancel();
            let given_up = Instant::now();
            (running.join().unwrap(), given_up)
        });
        let (result, end) = ended;
        let slices = engine.slices();
        let late = end.duration_since(given_up);
        eprintln!("{why}: {slices:?}, given up after {late:?}");
        assert_eq!(result, Err(RenderError::Cancelled), "{why}");
        // Bounds for a machine that does other work at the same time; alone, a slice takes 16 ms.
        assert!(slices.longest < Duration::from_millis(500), "{why}: {slices:?}");
        assert!(late < Duration::from_millis(500), "{why}: {late:?}");
    }
}

#[test]
fn unfinished_fields_are_missing_where_nothing_is_known() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let job = Job { shortcuts: Shortcuts::NONE, ..job(HOME, "2.5", [640, 480], 100_000) };
    let newest = Newest::default();
    let latest = newest.next();
    let sink = DeviceSink::default();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(400));
            newest.cancel();
        });
        engine.render(&job, &latest, &sink)
    });
    if result.is_ok() {
        return; // A fast device has nothing unfinished to show.
    }
    let got = sink.last().read_back().unwrap();
    let finished = render(&mut engine, &super::job(HOME, "2.5", [640, 480], 500)).0;
    let known = got.samples().iter().filter(|s| !s.is_missing()).count();
    assert!(known > got.samples().len() / 4 && known < got.samples().len());
    for (got, expected) in got.samples().iter().zip(finished.samples()) {
        // What is known after a part of the steps is what a lower cap would have found.
        assert!(got.is_missing() || expected.iterations == 0 || got == expected || got.iterations > 500);
        assert_ne!(*got, Sample::INTERIOR);
    }
}

#[test]
fn what_it_cannot_do_is_said() {
    let mut nowhere = GpuEngine::new(Err("no GPU driver answers".into()));
    let home = job(HOME, "2.5", [64, 64], 50);
    assert!(matches!(nowhere.supports(&home), Err(Unsupported::NoDevice { .. })));
    let result = nowhere.render(&home, &super::Latest::forever(), &HostSink::new(&mut Field::missing([64, 64])));
    assert!(matches!(result, Err(RenderError::Unsupported(_))));
    let Some(gpu) = device() else { return };
    let engine = GpuEngine::new(Ok(gpu));
    assert_eq!(engine.supports(&home), Ok(()));
    assert!(matches!(engine.supports(&job(SEAHORSE, "1e-9", [64, 64], 50)), Err(Unsupported::TooDeep { .. })));
}
