//! Diagrams computed on the device, against those of the CPU and against what is known of x² + c.

use std::f64::consts::PI;

use cardioid::engine::{Engine as _, GpuEngine, Machine, Tiles};
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::math::BigComplex;
use cardioid::math::philox::{philox, unit_f32};
use cardioid::render::{
    Channels, Columns, Diagram, DiagramSink, Fan, Job, Latest, Lattice, Newest, OrbitDensity, Ordinate, Quality,
    RenderError, Section, Shortcuts, Task, Unsupported, Viewport,
};

use super::{DeviceDiagramSink, device};

const HOME: [&str; 4] = ["-2.02", "0.27", "-2.05", "2.05"];
/// A cheap [`Effort::STILL`], with a longer second try for slow orbits and long cycles.
const THOROUGH: Effort = Effort { transient: 1000, most_period: 512, most_transient: 16_000 };

/// A job over a box: least and largest parameter, then x.
fn job(map: MapId, [p0, p1, x0, x1]: [&str; 4], size: [u32; 2], orbits: u32, kept: u32, effort: Effort) -> Job {
    let corner = |p: &str, x: &str| BigComplex::new(p.parse().unwrap(), x.parse().unwrap());
    Job {
        viewport: Viewport::from_box(&corner(p0, x0), &corner(p1, x1), size).unwrap(),
        lattice: Lattice::FULL,
        task: Task::OrbitDensity(OrbitDensity { map, orbits: 0..orbits, kept, effort }),
        channels: Channels::default(),
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0; 2],
    }
}

/// The job over a whole map.
fn home(map: MapId, size: [u32; 2], orbits: u32, kept: u32, effort: Effort) -> Job {
    let home = map.home();
    let corners = [home.parameter[0], home.parameter[1], home.ordinate[0], home.ordinate[1]].map(|v| v.to_string());
    job(map, corners.each_ref().map(String::as_str), size, orbits, kept, effort)
}

fn with_orbits(job: &Job, orbits: std::ops::Range<u32>) -> Job {
    let mut job = job.clone();
    let Task::OrbitDensity(task) = &mut job.task else { unreachable!("it is a diagram") };
    task.orbits = orbits;
    job
}

fn computed(engine: &mut dyn cardioid::engine::Engine, job: &Job) -> Diagram {
    let sink = DiagramSink::new(job);
    engine.render(job, &Latest::forever(), &sink).unwrap();
    sink.into_diagram()
}

fn tiles() -> Tiles {
    Tiles::new(Machine::without_gpu(2).unwrap().pool)
}

/// The largest distance between the distribution functions of two histograms.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let [all_a, all_b] = [a, b].map(|counts| counts.iter().sum::<f64>());
    let (mut sum, mut most) = (0.0, 0.0_f64);
    for (a, b) in a.iter().zip(b) {
        sum += a / all_a - b / all_b;
        most = most.max(sum.abs());
    }
    most
}

fn density(diagram: &Diagram, x: u32) -> Vec<f64> {
    diagram.density(x).iter().map(|&count| count.into()).collect()
}

#[test]
fn cycles_are_those_of_f64_and_chaos_has_its_distribution() {
    let Some(gpu) = device() else { return };
    let job = job(MapId::Quadratic, HOME, [400, 450], 60, 300, Effort::MOVING);
    let (expected, got) = (computed(&mut tiles(), &job), computed(&mut GpuEngine::new(Ok(gpu)), &job));
    let Task::OrbitDensity(task) = &job.task else { unreachable!("it is a diagram") };
    let columns = Columns::new(&job, task);
    let (mut periodic, mut chaotic) = (0, 0);
    for x in 0..400 {
        let (c, next) = (columns.edge(x), columns.edge(x) + columns.width());
        if [[-1.2, -0.8], [-0.7, 0.2]].iter().any(|&[least, most]| c >= least && next <= most) {
            assert!(got.hits(x).eq(expected.hits(x)), "column {x}");
            assert_eq!(got.columns()[x as usize].period, expected.columns()[x as usize].period, "column {x}");
            let covered = expected.coverage(x).zip(got.coverage(x)).map(|(e, g)| (e - g).abs());
            let off = covered.fold(0.0, f64::max);
            assert!(off < 1e-3, "column {x}: coverage is {off} off");
            periodic += 1;
        }
        let counts = [&expected, &got].map(|diagram| density(diagram, x));
        let samples = counts.each_ref().map(|counts| counts.iter().sum::<f64>());
        // Columns where nothing ever settles; windows that end within a column come with other orbits in f32.
        if [&expected, &got].iter().all(|diagram| diagram.columns()[x as usize].unsettled == 60) {
            let off = distance(&counts[0], &counts[1]);
            assert!(off < 2.0 / samples[0].min(samples[1]).sqrt(), "column {x}: {off}");
            chaotic += 1;
        }
    }
    assert!(periodic > 200 && chaotic > 40, "{periodic} periodic columns, {chaotic} chaotic ones");
}

#[test]
fn noise_keeps_the_invariant_density() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    // (c, largest distance): at −2 noise piles up at the ends of the interval.
    for (c, most) in [("-2", 3e-3), ("-1.9", 1.5e-3), ("-1.8", 1.5e-3), ("-1.7", 1.5e-3), ("-1.6", 1.5e-3)] {
        let end = (c.parse::<f64>().unwrap() + 1e-6).to_string();
        let job = job(MapId::Quadratic, [c, &end, "-2", "2"], [1, 400], 64, 65_536, Effort::MOVING);
        let got = density(&computed(&mut engine, &job), 0);
        let expected = if c == "-2" { arcsine() } else { density(&computed(&mut tiles(), &job), 0) };
        let off = distance(&got, &expected);
        assert!(off < most, "c = {c}: {off}");
    }
    // What becomes of f32 without noise, on any machine.
    for (dither, range) in [(0.0, 5e-3..1.0), (4.8e-7, 0.0..3e-3)] {
        let off = distance(&plain_f32(dither), &arcsine());
        assert!(range.contains(&off), "noise of {dither}: {off}");
    }
}

/// Shares of 400 rows of [-2, 2] at c = -2, from the top down: P(x) = 1/2 + asin(x/2)/π.
fn arcsine() -> Vec<f64> {
    let below = |row: usize| 0.5 + (1.0 - row as f64 / 200.0).asin() / PI;
    (0..400).map(|row| below(row) - below(row + 1)).collect()
}

/// The same, counted along orbits of f32 with so much noise every eight steps.
fn plain_f32(dither: f32) -> Vec<f64> {
    let mut counts = vec![0.0; 400];
    for orbit in 0..64 {
        let mut x = 1.8 * (2.0 * unit_f32(philox([orbit, 0, 0, 0], [7, 0])[0]) - 1.0);
        for n in 0..65_536 {
            if n % 8 == 0 {
                let [word, ..] = philox([orbit, n, 1, 0], [7, 0]);
                x = (x + (unit_f32(word) - 0.5) * dither).clamp(-2.0, 2.0);
            }
            x = x.mul_add(x, -2.0);
            counts[(((2.0 - x) * 100.0) as usize).min(399)] += 1.0;
        }
    }
    counts
}

#[test]
fn orbits_of_every_map_end_as_in_f64_and_add_all_their_points() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    for &map in MapId::ALL {
        let job = home(map, [150, 120], 8, 301, THOROUGH);
        let (expected, got) = (computed(&mut tiles(), &job), computed(&mut engine, &job));
        let mut differing = 0;
        for (x, (e, g)) in (0..).zip(expected.columns().iter().zip(got.columns())) {
            assert_eq!(got.hits(x).sum::<u32>(), 301 * (g.periodic + g.unsettled), "{}, column {x}", map.key());
            let kinds = |c: &cardioid::render::Column| (c.periodic, c.unsettled);
            differing += u32::from(kinds(e) != kinds(g));
            if kinds(e) == (8, 0) && kinds(g) == (8, 0) && e.lyapunov() < -0.01 {
                assert_eq!(g.period, e.period, "{}, column {x}", map.key());
                let tolerance = 1e-3 + 0.01 * e.lyapunov().abs();
                assert!((g.lyapunov() - e.lyapunov()).abs() < tolerance, "{}, column {x}: {g:?}, {e:?}", map.key());
            }
        }
        // Beside the ends of windows, where one orbit more or less finds the cycle.
        assert!(differing <= 6, "{}: {differing} columns", map.key());
    }
}

#[test]
fn sections_are_those_of_f64() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    for (s, ordinate) in [(0.1, Ordinate::Re), (-0.3, Ordinate::Im), (0.6, Ordinate::Im)] {
        let mut job = job(MapId::Quadratic, ["-2", "0.5", "-1.5", "1.7"], [150, 120], 8, 300, Effort::MOVING);
        let fan = Some(Fan { skip: 2, steps: 100 });
        job.task = Task::Section(Section { s, ordinate, orbits: 0..8, kept: 300, effort: Section::STILL, fan });
        let (expected, got) = (computed(&mut tiles(), &job), computed(&mut engine, &job));
        assert_eq!(got.shape(), expected.shape());
        let (mut differing, mut light) = (0, [0.0; 2]);
        for x in 0..150 {
            let [e, g] = [&expected, &got].map(|diagram| diagram.columns()[x as usize]);
            differing += u32::from((e.periodic, e.unsettled, e.period) != (g.periodic, g.unsettled, g.period));
            if e.periodic == 8 && e.lyapunov() < -0.02 {
                let off: u32 = expected.hits(x).zip(got.hits(x)).map(|(e, g)| e.abs_diff(g)).sum();
                assert!(off <= 300, "s = {s}, column {x}: {off} of 2400 hits");
            }
            let sums = [&expected, &got].map(|diagram| diagram.fan(x).sum::<f64>());
            let off = expected.fan(x).zip(got.fan(x)).map(|(e, g)| (e - g).abs()).sum::<f64>();
            // Orbits by the edge of the set part from one another within the hundred steps.
            assert!(off < 0.02 * sums[0] + 0.5 || e.periodic < 8, "s = {s}, column {x}: {off} of {}", sums[0]);
            light = [light[0] + sums[0], light[1] + sums[1]];
        }
        assert!(differing <= 4, "s = {s}: {differing} columns");
        assert!((light[0] / light[1] - 1.0).abs() < 0.01, "s = {s}: light {light:?}");
    }
}

#[test]
fn columns_are_the_same_alone_and_among_others() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let whole = job(MapId::Quadratic, HOME, [130, 90], 6, 200, Effort::MOVING);
    let expected = computed(&mut engine, &whole);
    for lattice in [Lattice::strip(17, 40), Lattice::coarse(3), Lattice::coarse(64)] {
        let part = computed(&mut engine, &Job { lattice, ..whole.clone() });
        for (i, x) in (0..).zip(lattice.columns(130).pixels()) {
            assert_eq!(part.columns()[i as usize], expected.columns()[x as usize], "column {x}");
            assert!(part.density(i) == expected.density(x) && part.hits(i).eq(expected.hits(x)), "column {x}");
        }
    }
}

#[test]
fn rounds_add_up_and_stay_on_the_device() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let whole = job(MapId::Quadratic, HOME, [130, 90], 20, 200, Effort::MOVING);
    let expected = computed(&mut engine, &whole);
    assert_eq!(expected.orbits(), 20);
    let mut sum = Diagram::empty(whole.size());
    for orbits in [8..16, 0..8, 16..20] {
        let part = with_orbits(&whole, orbits);
        let sink = DeviceDiagramSink::default();
        engine.render(&part, &Latest::forever(), &sink).unwrap();
        let [diagram] = &sink.0.into_inner().unwrap()[..] else { panic!("a diagram comes once") };
        sum.add(&diagram.read_back().unwrap());
    }
    // Curves know how many orbits share a column; all else does not depend on who came with whom.
    assert!(sum.columns() == expected.columns() && sum.strip().density == expected.strip().density);
    assert!((0..130).all(|x| sum.hits(x).eq(expected.hits(x))));
}

#[test]
fn what_f32_cannot_draw_is_refused_and_stale_jobs_stop() {
    let Some(gpu) = device() else { return };
    let mut engine = GpuEngine::new(Ok(gpu));
    let deep = job(MapId::Quadratic, ["-1.5001", "-1.5", "-2", "2"], [1000, 100], 8, 100, Effort::MOVING);
    assert!(matches!(engine.supports(&deep), Err(Unsupported::TooDeep { .. })));
    let huge = job(MapId::Quadratic, HOME, [65_535, 65_535], 8, 100, Effort::MOVING);
    let refused = engine.supports(&huge);
    assert!(matches!(refused, Err(Unsupported::TooLarge { .. })), "{refused:?}");
    let (newest, home) = (Newest::default(), job(MapId::Quadratic, HOME, [64, 48], 8, 100, Effort::MOVING));
    let stale = newest.next();
    newest.cancel();
    let sink = DeviceDiagramSink::default();
    assert_eq!(engine.render(&home, &stale, &sink), Err(RenderError::Cancelled));
    assert!(sink.0.into_inner().unwrap().is_empty());
}
