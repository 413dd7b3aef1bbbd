//! Every CPU engine gives the definition's samples, bit for bit: on all views, whatever the
//! instruction set, the threads, the tiles and the shortcuts.

use std::time::{Duration, Instant};

use cardioid::engine::{self, Engine, Machine, Naive, SimdEngine, Symmetric, Threads, Tiles};
use cardioid::fractal::FormulaId;
use cardioid::math::{BigComplex, Complex};
use cardioid::render::{
    Channels, EscapeTime, Field, HostSink, Job, Latest, Lattice, Newest, Plane, Quality, RenderError, Shortcuts, Task,
    Viewport,
};
use fearless_simd::Level;

const PARAMETER: Option<Complex> = None;

/// Name, centre, height, rotation in degrees, and the c of a dynamical plane.
type View = (&'static str, [&'static str; 2], &'static str, f64, Option<Complex>);

const VIEWS: &[View] = &[
    ("home", ["-0.75", "0"], "2.5", 0.0, PARAMETER),
    ("far out: overflow within a block", ["0", "0"], "1e6", 0.0, PARAMETER),
    ("seahorse valley", ["-0.743643887037151", "0.131825904205330"], "1e-3", 0.0, PARAMETER),
    ("seahorse centre", ["-0.743643887037151", "0.131825904205330"], "1e-8", 0.0, PARAMETER),
    ("spiral, at the end of f64", ["-0.743643887037151", "0.131825904205330"], "1e-10", 0.0, PARAMETER),
    ("interior of a period-3 bulb", ["-0.1225", "0.745"], "0.15", 0.0, PARAMETER),
    ("cusp of the cardioid", ["0.25", "0"], "1e-3", 0.0, PARAMETER),
    ("cusp, close", ["0.25", "1e-9"], "1e-8", 0.0, PARAMETER),
    ("root of the period-3 bulb", ["-0.125", "0.649519052838329"], "1e-6", 0.0, PARAMETER),
    ("antenna, across the axis", ["-1.6", "0"], "0.1", 0.0, PARAMETER),
    ("antenna, off the axis", ["-1.6", "0.011"], "0.1", 0.0, PARAMETER),
    ("tip: where |c| = R = 2", ["-2", "0"], "1e-12", 0.0, PARAMETER),
    ("the circle |c| = 2", ["-1.2", "1.6"], "1e-13", 0.0, PARAMETER),
    ("period-3 minibrot", ["-1.7548776662466927", "0"], "0.04", 0.0, PARAMETER),
    ("turned", ["-0.75", "0.1"], "0.2", 30.0, PARAMETER),
    ("turned by a hair", ["-0.743643887037151", "0.131825904205330"], "1e-6", 1e-3, PARAMETER),
    ("turned, far down", ["-0.743643887037151", "0.131825904205330"], "1e-10", 117.3, PARAMETER),
    ("turned by a quarter", ["-0.75", "0"], "2.5", 90.0, PARAMETER),
    ("turned by half", ["-0.75", "0"], "2.5", 180.0, PARAMETER),
    ("Julia, connected", ["0", "0"], "3", 0.0, Some(Complex::new(-0.12, 0.74))),
    ("Julia, dust", ["0", "0"], "3", 0.0, Some(Complex::new(0.3, 0.6))),
    ("Julia, real: it mirrors", ["0", "0"], "3", 0.0, Some(Complex::new(-1.0, 0.0))),
    ("Julia, |c| above R", ["0", "0"], "6", 0.0, Some(Complex::new(2.5, 0.5))),
    ("Julia, turned", ["0.1", "0"], "3", 77.0, Some(Complex::new(-0.8, 0.156))),
];

fn job((_, [re, im], height, rotation, c): View, size: [u32; 2]) -> Job {
    let plane = c.map_or(Plane::Parameter, Plane::dynamical);
    let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
    let viewport = Viewport::new(center, height.parse().unwrap(), size).unwrap().with_rotation(rotation).unwrap();
    Job {
        viewport,
        lattice: Lattice::FULL,
        task: Task::EscapeTime(EscapeTime { formula: FormulaId::Quadratic, plane, max_iterations: 500, bailout: 2.0 }),
        channels: Channels { smooth: true, ..Channels::default() },
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [size[0] as f32 / 3.0, size[1] as f32 / 2.0],
    }
}

fn with_limits(mut job: Job, max_iterations: u32, bailout: f64) -> Job {
    let Task::EscapeTime(task) = &mut job.task else { panic!("no escape time") };
    (task.max_iterations, task.bailout) = (max_iterations, bailout);
    job
}

fn render(engine: &mut dyn Engine, job: &Job) -> Field {
    let mut field = Field::missing(job.size());
    let stats = engine.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    assert_eq!(stats.steps, field.steps(job.max_iterations()), "{} counts its steps", engine.key());
    field
}

fn check(engine: &mut dyn Engine, job: &Job, expected: &Field, why: &str) {
    let got = render(engine, job);
    let cap = job.max_iterations();
    let (differing, most) = expected.differing_counts(&got, cap);
    let task = &job.task;
    assert_eq!(differing, 0, "{} on {why}: counts differ by up to {most}; {task:?}", engine.describe());
    assert!(&got == expected, "{} on {why}: fractions differ; {task:?}", engine.describe());
}

/// The instruction sets that this machine can run, slow ones last.
fn levels() -> Vec<Level> {
    let best = Level::new();
    #[allow(unused_mut)] // Elsewhere there is only one.
    let mut levels = vec![best];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
    }
    levels
}

fn is_slow_allowed() -> bool {
    std::env::var_os("SLOW").is_some_and(|value| value != "0")
}

#[test]
fn engines_agree_with_the_definition_on_every_view() {
    let machine = Machine::without_gpu(3).unwrap();
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(Symmetric),
        Box::new(Threads::new(machine.pool.clone())),
        Box::new(Tiles::new(machine.pool.clone())),
    ];
    engines.extend(levels().into_iter().map(|level| Box::new(SimdEngine::with_level(level)) as Box<dyn Engine>));
    let size = if is_slow_allowed() { [97, 61] } else { [41, 23] };
    for &view in VIEWS {
        // (cap, bailout): around the first pass and the blocks, and beyond; the least R, the usual, those whose
        // square is the largest and too large.
        for (max_iterations, bailout) in [
            (1, 2.0),
            (2, 1000.0),
            (31, 2.0),
            (32, 2.0),
            (33, 1000.0),
            (47, 2.5),
            (48, 2.0),
            (49, 2.0),
            (64, 2.0),
            (100, 1e154),
            (300, 2.0),
            (301, 1e200),
            (1500, 1000.0),
        ] {
            let job = with_limits(job(view, size), max_iterations, bailout);
            let expected = render(&mut Naive, &job);
            for engine in &mut engines {
                check(engine.as_mut(), &job, &expected, view.0);
            }
        }
    }
}

#[test]
fn shortcuts_change_no_count_in_two_hundred_random_views() {
    let all = Shortcuts::ALL;
    let none = Shortcuts::NONE;
    let sets = [
        all,
        none,
        Shortcuts { bulbs: true, ..none },
        Shortcuts { cycles: true, ..none },
        Shortcuts { symmetry: true, ..none },
    ];
    let mut random = Random(7);
    let (views, size) = if is_slow_allowed() { (200, [64, 48]) } else { (60, [32, 24]) };
    let mut simd = SimdEngine::new();
    for _ in 0..views {
        // Near the boundary, where counts are hard: the image of a point on the unit circle, moved a little.
        let angle = random.next() * std::f64::consts::TAU;
        let height = 3.0 * 10_f64.powf(-9.0 * random.next());
        let edge =
            |angle: f64| (angle.cos() / 2.0 - (2.0 * angle).cos() / 4.0, angle.sin() / 2.0 - (2.0 * angle).sin() / 4.0);
        let (re, im) = if random.next() < 0.7 { edge(angle) } else { (-1.0 + angle.cos() / 4.0, angle.sin() / 4.0) };
        let im = if random.next() < 0.2 { 0.0 } else { im + (random.next() - 0.5) * height };
        let center = BigComplex::new(re.to_string().parse().unwrap(), im.to_string().parse().unwrap());
        let mut job = with_limits(job(VIEWS[0], size), 2000, if random.next() < 0.5 { 2.0 } else { 1000.0 });
        job.viewport = Viewport::new(center, height.to_string().parse().unwrap(), size).unwrap();
        let expected = render(&mut Naive, &job);
        for shortcuts in sets {
            job.shortcuts = shortcuts;
            check(&mut simd, &job, &expected, &format!("({re}, {im}), height {height}, {shortcuts:?}"));
        }
    }
}

#[test]
fn threads_and_tiles_change_no_byte() {
    let job = with_limits(job(VIEWS[0], [150, 100]), 1000, 2.0);
    let expected = render(&mut Naive, &job);
    for threads in 1..=8 {
        let machine = Machine::without_gpu(threads).unwrap();
        for side in [1, 7, 16, 32, 33, 64] {
            let mut tiles = Tiles::new(machine.pool.clone()).with_side(side);
            check(&mut tiles, &job, &expected, &format!("{threads} threads, tiles of {side}"));
        }
        check(&mut Threads::new(machine.pool.clone()), &job, &expected, &format!("{threads} threads"));
    }
}

#[test]
fn small_and_odd_pictures_are_whole() {
    let machine = Machine::without_gpu(2).unwrap();
    let mut tiles = Tiles::new(machine.pool.clone());
    for size in [[1, 1], [2, 1], [1, 70], [129, 1], [33, 5], [8, 64], [65, 66]] {
        for view in [VIEWS[0], VIEWS[9]] {
            let job = job(view, size);
            check(&mut tiles, &job, &render(&mut Naive, &job), &format!("{size:?}"));
        }
    }
    let coarse = Job { lattice: Lattice::coarse(16), ..job(VIEWS[0], [200, 117]) };
    check(&mut tiles, &coarse, &render(&mut Naive, &coarse), "a coarse pass");
}

#[test]
fn the_largest_cap_does_not_overflow() {
    let mut job = with_limits(job(("outside", ["1.5", "1"], "0.5", 0.0, PARAMETER), [20, 20]), i32::MAX as u32, 2.0);
    let mut simd = SimdEngine::new();
    check(&mut simd, &job, &render(&mut Naive, &job), "outside");
    // Inside, only the shortcuts can end it in time.
    job.viewport = Viewport::new(BigComplex::new((-1).into(), 0.into()), 1.into(), [20, 20]).unwrap();
    let inside = render(&mut simd, &Job { shortcuts: Shortcuts { bulbs: false, ..Shortcuts::ALL }, ..job.clone() });
    assert!(inside == render(&mut simd, &job), "cycles and bulbs agree");
}

#[test]
fn cancelled_jobs_give_the_cores_back_at_once() {
    let machine = Machine::without_gpu(2).unwrap();
    let mut job = with_limits(job(("inside", ["-0.2", "0"], "0.2", 0.0, PARAMETER), [200, 200]), 1_000_000_000, 2.0);
    job.shortcuts = Shortcuts::NONE;
    for mut engine in engine::all(&machine).into_iter().filter(|engine| engine.supports(&job).is_ok()) {
        let newest = Newest::default();
        let latest = newest.next();
        let (result, cancelled) = std::thread::scope(|scope| {
            let render = scope.spawn(|| engine.render(&job, &latest, &HostSink::new(&mut Field::missing(job.size()))));
            std::thread::sleep(Duration::from_millis(30));
            let cancelled = Instant::now();
            newest.cancel();
            (render.join().unwrap(), cancelled.elapsed())
        });
        assert_eq!(result.unwrap_err(), RenderError::Cancelled, "{}", engine.key());
        // 10 ms is promised; a busy machine may keep the thread waiting longer than that.
        assert!(cancelled < Duration::from_millis(100), "{} took {cancelled:?}", engine.key());
    }
}

/// Splitmix64, as numbers in 0 ≤ x < 1: the same views every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
