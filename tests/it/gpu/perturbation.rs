//! Perturbation on the device: against orbits at full precision, against the processor's, and where it gives way.

use std::time::{Duration, Instant};

use cardioid::engine::{self, Engine, GpuEngine, GpuPerturbation, Machine, Perturbation};
use cardioid::gpu::Gpu;
use cardioid::render::{
    Field, HostSink, Job, Latest, Lattice, Newest, Plane, RenderError, Sample, Shortcuts, Task, Unsupported,
};

use super::{DeviceSink, HOME, SEAHORSE, device, job, render};
use crate::deep::{TRUTHS, Truth};

/// A seahorse with digits for any height here.
const DEEP_SEAHORSE: [&str; 2] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];

fn threads() -> std::sync::Arc<rayon::ThreadPool> {
    Machine::without_gpu(2).unwrap().pool
}

fn engine(gpu: Gpu) -> GpuPerturbation {
    GpuPerturbation::new(Ok(gpu), threads())
}

/// One pixel of a picture.
fn sample(engine: &mut dyn Engine, job: &Job, [x, y]: [u32; 2]) -> Sample {
    let lattice = Lattice { first_row: y, rows: 1, first_column: x, columns: 1, ..Lattice::FULL };
    render(engine, &Job { lattice, ..job.clone() }).0.samples()[0]
}

#[test]
fn pixels_are_moved_by_less_than_half_a_pixel_or_the_processor_draws_them() {
    let Some(gpu) = device() else { return };
    for (place, height) in TRUTHS {
        let truth = Truth::read(place);
        let job = truth.job(height, 1000.0);
        let mut engine = engine(gpu.clone());
        let mut moved = Vec::new();
        for pixel in truth.pixels() {
            let got = sample(&mut engine, &job, pixel.at);
            let Some((smooth_count, distance)) = pixel.escape else {
                assert_eq!(got, Sample::INTERIOR, "{place}, {:?}", pixel.at);
                continue;
            };
            let off = f64::from(got.iterations) + f64::from(got.fraction) - smooth_count;
            moved.push(off.abs() * distance * std::f64::consts::LN_2);
        }
        moved.sort_by(f64::total_cmp);
        let handed_over = render(&mut engine, &Job { lattice: Lattice::coarse(64), ..job }).1.handed_over;
        let at = |share: f64| moved[((moved.len() - 1) as f64 * share) as usize];
        let (median, most_but_few) = (at(0.5), at(0.95));
        eprintln!(
            "{place}: moved by {median:.1e} px, 95 % by less than {most_but_few:.1e}, all {:.1e}; {handed_over:?}",
            at(1.0)
        );
        assert!(most_but_few <= 0.5, "{place}: {most_but_few}");
        // Pixels of 1e50 take 170 000 steps.
        assert_eq!(handed_over.is_some(), place == "kf_1e50", "{place}: {handed_over:?}");
    }
}

#[test]
fn counts_are_those_of_the_processor_as_far_as_f32_can() {
    let Some(gpu) = device() else { return };
    let size = [96, 54];
    let turned = |job: Job| Job { viewport: job.viewport.with_rotation(30.0).unwrap(), ..job };
    let bailout = |mut job: Job, bailout| {
        let Task::EscapeTime(task) = &mut job.task else { unreachable!() };
        task.bailout = bailout;
        job
    };
    // (job, share of counts that may differ, why): about twice of what a software device shows. In dense places a move by
    // 1e-4 pixels takes a tenth of the counts across a band's edge.
    for (job, bound, why) in [
        (job(DEEP_SEAHORSE, "1e-4", size, 3000), 0.08, "where f32 alone ends"),
        (job(DEEP_SEAHORSE, "1e-9", size, 5000), 0.16, "where f64 begins to fail"),
        (turned(job(DEEP_SEAHORSE, "1e-9", size, 5000)), 0.16, "turned"),
        (bailout(job(DEEP_SEAHORSE, "1e-9", size, 5000), 2.0), 0.16, "smallest bailout"),
        (bailout(job(DEEP_SEAHORSE, "1e-9", size, 5000), 1e9), 0.16, "largest bailout of f32"),
        (job(["-0.7436438870371587047", "0.1318259042"], "3e-9", size, 5000), 0.24, "a centre that escapes early"),
        (job(["0.26", "0"], "8e-4", size, 1000), 0.02, "all escape within 30 steps or so"),
        (job(["-2", "0"], "1e-30", size, 1000), 0.02, "the end of the needle"),
        (job(["0", "1"], "1e-100", size, 1000), 0.02, "a Misiurewicz point"),
        (job(["0", "1"], "1e-1000", size, 20_000), 0.02, "and far below the exponents of f32 and f64"),
        (job(["-1", "0"], "1e-20", size, 1000), 0.0, "all inside: the nucleus of period 2"),
        (job(["-0.9", "0"], "1e-30", size, 1000), 0.0, "all inside: a reference that ends in a cycle"),
        (job(["0.25", "0"], "1e-9", size, 1000), 0.0, "all inside: the cusp, whose reference is given up"),
        (job(["1", "1"], "1e-30", size, 100), 0.0, "all outside"),
        (job(["-1.75487766624669276004950889635852869", "0"], "1e-18", size, 3000), 0.05, "a minibrot of period 3"),
    ] {
        let expected = render(&mut Perturbation::new(threads()), &job).0;
        let mut engine = engine(gpu.clone());
        let (got, stats) = render(&mut engine, &job);
        assert_eq!(stats.handed_over, None, "{why}");
        assert_eq!(stats.steps, got.steps(job.max_iterations()), "{why}");
        let share = got.differing_counts(&expected, job.max_iterations()).0 as f64 / got.samples().len() as f64;
        eprintln!("{why}: {:.2} % of counts differ", share * 100.0);
        assert!(share <= bound, "{why}: {share}");
        assert!(got.samples().iter().all(|s| s.fraction.is_finite() && !s.is_missing()), "{why}");
        let sink = DeviceSink::default();
        engine.render(&job, &Latest::forever(), &sink).unwrap();
        assert!(sink.last().read_back().unwrap() == got, "on the device: {why}");
    }
}

#[test]
fn where_f32_is_too_coarse_the_processor_draws() {
    let Some(gpu) = device() else { return };
    let mut engine = engine(gpu);
    // Squares past the range of f32: its smooth counts are off, and the set is so far that a little is much.
    let far = job(["1e30", "-7"], "1e-30", [64, 48], 100);
    let (got, stats) = render(&mut engine, &far);
    assert!(stats.handed_over.is_some_and(|reason| reason.contains("move pixels")), "{stats:?}");
    assert!(got == render(&mut Perturbation::new(threads()), &far).0);
    let farther = job(["1e400", "-7"], "1e-30", [64, 48], 100);
    assert!(render(&mut engine, &farther).0.samples().iter().all(|sample| sample.iterations == 1), "beyond f64");
}

#[test]
fn neighbours_of_f32_stay_distinct_far_below_its_digits() {
    let Some(gpu) = device() else { return };
    // 32 pixels of 3e-11 each, which f32 takes for one, and so do two floats whose error terms a compiler folds.
    let row = job(SEAHORSE, "3.125e-11", [32, 1], 5000);
    let alone = GpuEngine::new(Ok(gpu.clone()));
    assert!(matches!(alone.supports(&row), Err(Unsupported::TooDeep { .. })), "f32 alone says that it cannot");
    let (got, stats) = render(&mut engine(gpu), &row);
    assert_eq!(stats.handed_over, None);
    let mut distinct: Vec<_> = got.samples().iter().map(|s| (s.iterations, s.fraction.to_bits())).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 32, "{distinct:?}");
}

#[test]
fn passes_and_bands_are_pixels_of_the_picture() {
    let Some(gpu) = device() else { return };
    let mut engine = engine(gpu);
    let job = job(DEEP_SEAHORSE, "1e-12", [101, 67], 3000);
    let whole = render(&mut engine, &job).0;
    let coarse = render(&mut engine, &Job { lattice: Lattice::coarse(4), ..job.clone() }).0;
    for (k, sample) in coarse.row(3).iter().enumerate() {
        assert_eq!(*sample, whole.row(14)[2 + 4 * k]);
    }
    let band = render(&mut engine, &Job { lattice: Lattice::band(20, 9), ..job }).0;
    assert_eq!(band.row(3), whole.row(23));
}

#[test]
fn a_stale_job_ends_soon_and_shows_what_it_has() {
    let Some(gpu) = device() else { return };
    let mut engine = engine(gpu);
    // Points beside the neck, of which none escapes within the cap.
    let job = Job { shortcuts: Shortcuts::NONE, ..job(["-0.75", "1e-6"], "3e-7", [640, 480], 100_000) };
    let newest = Newest::default();
    let latest = newest.next();
    let sink = DeviceSink::default();
    let (result, late) = std::thread::scope(|scope| {
        let running = scope.spawn(|| (engine.render(&job, &latest, &sink), Instant::now()));
        std::thread::sleep(Duration::from_millis(1500));
        newest.cancel();
        let given_up = Instant::now();
        let (result, end) = running.join().unwrap();
        (result, end.duration_since(given_up))
    });
    if result.is_err() {
        assert_eq!(result, Err(RenderError::Cancelled));
        assert!(late < Duration::from_millis(500), "{late:?}");
    }
}

#[test]
fn long_orbits_are_left_to_the_processor() {
    let Some(gpu) = device() else { return };
    let mut engine = engine(gpu);
    let cpu = &mut Perturbation::new(threads());
    // The neck: some 3 · 10⁵ steps at 1e-5 from it.
    let job = job(["-0.75", "1e-5"], "1e-8", [16, 9], 1_000_000);
    let (got, stats) = render(&mut engine, &job);
    assert!(stats.handed_over.is_some_and(|reason| reason.contains("too long")), "{stats:?}");
    assert!(engine.describe().contains("f64"), "{}", engine.describe());
    assert!(got == render(cpu, &job).0);
    // Where it hands over in the middle of a device's field the host's samples are those that count.
    let shallow = super::job(HOME, "1e-5", [16, 9], 100);
    render(&mut engine, &shallow);
    assert!(engine.describe().contains("f32"), "{}", engine.describe());
}

#[test]
fn what_it_cannot_do_is_said() {
    let nowhere = GpuPerturbation::new(Err("no GPU driver answers".into()), threads());
    let deep = job(SEAHORSE, "1e-9", [64, 64], 50);
    assert!(matches!(nowhere.supports(&deep), Err(Unsupported::NoDevice { .. })));
    let Some(gpu) = device() else { return };
    let engine = engine(gpu);
    assert_eq!(engine.supports(&deep), Ok(()));
    assert!(matches!(engine.supports(&job(HOME, "2.5", [64, 64], 50)), Err(Unsupported::TooCoarse { .. })));
    assert!(matches!(engine.supports(&job(HOME, "1e-90000", [64, 64], 50)), Err(Unsupported::TooDeep { .. })));
    let mut julia = deep;
    let Task::EscapeTime(task) = &mut julia.task else { unreachable!() };
    task.plane = Plane::dynamical(cardioid::math::Complex::new(-0.8, 0.156));
    assert!(matches!(engine.supports(&julia), Err(Unsupported::Task { .. })));
}

#[test]
fn auto_takes_the_gpu_at_every_depth_and_files_do_not() {
    let Some(gpu) = device() else { return };
    let machine = Machine { gpu: Ok(gpu), ..Machine::without_gpu(1).unwrap() };
    let engines = engine::all(&machine);
    // (height, with a GPU, without, why)
    for (height, with, without, why) in [
        ("2.5", "gpu", "tiles", "f32 is enough"),
        ("1e-4", "gpu-perturbation", "tiles", "f32 is not, f64 is"),
        ("1e-12", "gpu-perturbation", "perturbation", "neither is"),
        ("1e-1000", "gpu-perturbation", "perturbation", "far below"),
    ] {
        let job = job(SEAHORSE, height, [960, 540], 1000);
        let key = |hardware| engine::choose(&engines, &job, hardware).unwrap().key;
        assert_eq!((key(true), key(false)), (with, without), "{height}: {why}");
    }
}

#[test]
#[ignore = "measures, and proves nothing"]
fn times_beside_the_processor() {
    let Some(gpu) = device() else { return };
    eprintln!("{}", gpu.label());
    let places = [("seahorse_1e-5", "1e-5"), TRUTHS[2], TRUTHS[3]];
    let jobs = places.map(|(place, height)| (place, Truth::read(place).job(height, 1000.0)));
    let smooth = job(DEEP_SEAHORSE, "1e-12", [960, 540], 3000);
    for (place, job) in jobs.into_iter().chain([("seahorse 1e-12", smooth)]) {
        let job = Job { viewport: job.viewport.with_size([480, 270]).unwrap(), ..job };
        let mut engines: [Box<dyn Engine>; 2] = [Box::new(engine(gpu.clone())), Box::new(Perturbation::new(threads()))];
        let mut best = [f64::INFINITY; 2];
        for _ in 0..4 {
            for (engine, best) in engines.iter_mut().zip(&mut best) {
                let start = Instant::now();
                let mut field = Field::missing(job.size());
                engine.render(&job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        eprintln!(
            "{place}: {:.3} s on the device, {:.3} s on 2 threads, ratio {:.2}",
            best[0],
            best[1],
            best[0] / best[1]
        );
    }
}
