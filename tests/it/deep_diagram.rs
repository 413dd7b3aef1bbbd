//! Bifurcation diagrams finer than f64: windows look like the whole, and their points are those of orbits in big numbers.

use cardioid::engine::{Engine as _, Machine, Naive, Perturbation};
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::fractal::big_orbit::BigOrbit as _;
use cardioid::fractal::formula::Quadratic;
use cardioid::fractal::formula_orbit::{FormulaOrbit, Neighbours};
use cardioid::math::{BigComplex, Decimal};
use cardioid::render::{Column, Diagram, DiagramSink, Job, Latest, Lattice, OrbitDensity, RenderError, Task, Viewport};

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn job(low: [Decimal; 2], high: [Decimal; 2], size: [u32; 2], orbits: u32) -> Job {
    let corner = |[re, im]: [Decimal; 2]| BigComplex::new(re, im);
    let viewport = Viewport::from_box(&corner(low), &corner(high), size).unwrap();
    let task = OrbitDensity { map: MapId::Quadratic, orbits: 0..orbits, kept: 500, effort: Effort::STILL };
    Job::new(viewport, Task::OrbitDensity(task))
}

/// About a centre, with extents as text.
fn job_about([re, im]: [&str; 2], [width, height]: [&str; 2], size: [u32; 2], orbits: u32) -> Job {
    let [x, y] = [re, im].map(number);
    let [dx, dy] = [width, height].map(|extent| number(extent).half());
    job([&x - &dx, &y - &dy], [&x + &dx, &y + &dy], size, orbits)
}

fn engine(threads: usize) -> Perturbation {
    Perturbation::new(Machine::without_gpu(threads).unwrap().pool)
}

fn deep(job: &Job) -> Diagram {
    let sink = DiagramSink::new(job);
    engine(2).render(job, &Latest::forever(), &sink).unwrap();
    sink.into_diagram()
}

/// The window of period 53 at c0 = −1.89999999999943690291219…: its nucleus, and how far apart there are what are 1 apart in the
/// whole diagram, in c and in x.
struct Window53 {
    c0: Decimal,
    scale: f64,
    lambda: f64,
}

const PERIOD: u32 = 53;

impl Window53 {
    fn new() -> Self {
        let zero = BigComplex::new(0.into(), 0.into());
        let mut c0 = number("-1.89999999999943690291219");
        loop {
            let c = BigComplex::new(c0.clone(), 0.into());
            let mut orbit = FormulaOrbit::<Quadratic>::new(&zero, &c, 8, Neighbours::Parameter);
            let mut lambda = 1.0;
            for _ in 1..PERIOD {
                lambda *= 2.0 * orbit.step().re.to_f64();
            }
            let residual = orbit.step().re;
            let slope = orbit.spread().to_f64();
            // Real orbits spread by a real number, of which only the size is told: it has the sign of λ.
            let slope = slope.copysign(lambda);
            let step = residual.to_f64() / slope;
            if step.abs() < 1e-60 {
                return Self { c0, scale: 1.0 / (slope * lambda), lambda };
            }
            c0 = &c0 - &Decimal::from_f64(step);
        }
    }

    /// The box that looks like a box of the whole diagram.
    fn corner(&self, s: f64, y: f64) -> [Decimal; 2] {
        [&self.c0 + &Decimal::from_f64(s * self.scale), Decimal::from_f64(y / self.lambda)]
    }
}

#[test]
fn a_window_looks_like_the_whole() {
    let window = Window53::new();
    assert!((window.scale / 7.8e-25 - 1.0).abs() < 0.01, "scale in c: {:e}", window.scale);
    assert!((window.lambda.abs().recip() / 7.1e-13 - 1.0).abs() < 0.01, "scale in x: {:e}", 1.0 / window.lambda);
    let ([left, right], height) = ([-2.02, 0.27], 2.05);
    // Upright, whatever the sign of λ.
    let top = height * window.lambda.signum();
    let size = [400, 301];
    let small = deep(&job(window.corner(left, -top), window.corner(right, top), size, 8));
    let whole_job = job([left, -height].map(Decimal::from_f64), [right, height].map(Decimal::from_f64), size, 8);
    let sink = DiagramSink::new(&whole_job);
    Naive.render(&whole_job, &Latest::forever(), &sink).unwrap();
    let whole = sink.into_diagram();
    let is_occupied = |diagram: &Diagram, x: u32| diagram.hits(x).any(|hits| hits > 0);
    let flips = window.lambda < 0.0;
    let rows = |diagram: &Diagram, x: u32, flips: bool| {
        let rows: Vec<i64> = (0..).zip(diagram.hits(x)).filter(|(_, hits)| *hits > 0).map(|(row, _)| row).collect();
        if flips { rows.iter().rev().map(|row| 300 - row).collect() } else { rows }
    };
    let (mut compared, mut alike) = (0, 0);
    for x in 0..size[0] {
        let c = left + (right - left) * (f64::from(x) + 0.5) / f64::from(size[0]);
        if c < -2.0 + 0.006 || (0.244..0.256).contains(&c) {
            continue; // The ends, where orbits of one column stay and leave.
        }
        assert_eq!(is_occupied(&small, x), is_occupied(&whole, x), "column {x}, s = {c}");
        let column = small.columns()[x as usize];
        if column.unsettled == 0 && whole.columns()[x as usize].unsettled == 0 && column.periodic > 0 {
            let period = whole.columns()[x as usize].period;
            assert_eq!(column.period, PERIOD * period, "column {x}, s = {c}");
            let (got, expected) = (rows(&small, x, flips), rows(&whole, x, false));
            compared += 1;
            let near = |a: &Vec<i64>, b: &Vec<i64>| a.iter().all(|row| b.iter().any(|other| (row - other).abs() <= 1));
            alike += u32::from(near(&got, &expected) && near(&expected, &got));
        }
    }
    assert!(compared > 180 && alike == compared, "{alike} of {compared} columns have their branches");
}

#[test]
fn points_of_a_cycle_are_those_of_big_orbits() {
    let window = Window53::new();
    // Over all ordinates, and over those about 0; within the window's part of period 2.
    for (half_height, label) in [(2.05, "all of x"), (1.5 / window.lambda.abs(), "x about 0")] {
        let [center, _] = window.corner(-1.05, 0.0);
        let (half_width, half) = (Decimal::from_f64(0.02 * window.scale), Decimal::from_f64(half_height));
        let size = [4, 501];
        let low = [&center - &half_width, -&half];
        let diagram = deep(&job(low, [&center + &half_width, half], size, 8));
        for x in 0..size[0] {
            let column = diagram.columns()[x as usize];
            assert_eq!((column.period, column.unsettled), (2 * PERIOD, 0), "{label}, column {x}");
            // An orbit amid the column.
            let along = (f64::from(x) + 0.5) / f64::from(size[0]) * 2.0 - 1.0;
            let c = &center + &Decimal::from_f64(along * 0.02 * window.scale);
            let zero = BigComplex::new(0.into(), 0.into());
            let c = BigComplex::new(c, 0.into());
            let mut orbit = FormulaOrbit::<Quadratic>::new(&zero, &c, 8, Neighbours::Parameter);
            let points: Vec<f64> = (0..PERIOD * 200).map(|_| orbit.step().re.to_f64()).collect();
            let expected: Vec<f64> = points[points.len() - 2 * PERIOD as usize..]
                .iter()
                .map(|x| (half_height - x) * f64::from(size[1]) / (2.0 * half_height))
                .filter(|row| (0.0..501.0).contains(row))
                .collect();
            let rows: Vec<f64> =
                (0..).zip(diagram.hits(x)).filter(|(_, n)| *n > 0).map(|(row, _)| f64::from(row)).collect();
            assert!(!expected.is_empty());
            for row in &expected {
                assert!(rows.iter().any(|other| (row - 0.5 - other).abs() < 2.0), "{label}, column {x}: none at {row}");
            }
            for row in &rows {
                assert!(
                    expected.iter().any(|other| (other - 0.5 - row).abs() < 2.0),
                    "{label}, column {x}: one at {row}"
                );
            }
        }
    }
}

#[test]
fn branches_within_a_window_are_where_mathematics_puts_them() {
    // Along the branch (−1 + √(−3 − 4c))/2 of period 2 at c = −0.9: its slope there is −1/√0.6.
    let x = "-0.112701665379258311482073460021760038916707829470840917341242623388652174636";
    let diagram = deep(&job_about(["-0.9", x], ["1e-30", "2e-30"], [64, 65], 8));
    let slope = -1.0 / 0.6_f64.sqrt();
    for column in 0..64 {
        let rows: Vec<u32> =
            (0..).zip(diagram.hits(column)).filter(|(_, hits)| *hits > 0).map(|(row, _)| row).collect();
        let expected = 32.5 - slope * (f64::from(column) + 0.5 - 32.0) / 64.0 * 1e-30 / 2e-30 * 65.0;
        assert!(!rows.is_empty() && rows.len() <= 2, "column {column}: {rows:?}");
        assert!(
            rows.iter().all(|&row| (f64::from(row) + 0.5 - expected).abs() < 1.6),
            "{column}: {rows:?}, {expected}"
        );
    }
}

#[test]
fn chaos_beside_a_window_has_the_density_that_f64_sees() {
    let window = Window53::new();
    // Far to the left of the window, where it has ended: of all that is in view, chaos alone.
    let [center, _] = window.corner(-40.0, 0.0);
    let half_width = Decimal::from_f64(20.0 * window.scale);
    let height = Decimal::from_f64(2.05);
    let (low, high) = ([&center - &half_width, -&height], [&center + &half_width, height.clone()]);
    let small = deep(&job(low, high, [8, 40], 256));
    let (low, high) = (["-1.90000001", "-2.05"].map(number), ["-1.8999999", "2.05"].map(number));
    let plain_job = job(low, high, [8, 40], 256);
    let sink = DiagramSink::new(&plain_job);
    Naive.render(&plain_job, &Latest::forever(), &sink).unwrap();
    let plain = sink.into_diagram();
    let share = |diagram: &Diagram| {
        let mut counts = vec![0.0; 40];
        for x in 0..8 {
            diagram.density(x).iter().zip(&mut counts).for_each(|(n, count)| *count += f64::from(*n));
        }
        let sum: f64 = counts.iter().sum();
        counts.into_iter().map(|count| count / sum).collect::<Vec<f64>>()
    };
    let off: f64 = share(&small).iter().zip(share(&plain)).map(|(a, b)| (a - b).abs()).sum();
    assert!(off < 0.02, "the densities differ by {off}");
    let lyapunov = |diagram: &Diagram| diagram.columns().iter().map(Column::lyapunov).sum::<f64>() / 8.0;
    assert!((lyapunov(&small) - lyapunov(&plain)).abs() < 0.01, "{} for {}", lyapunov(&small), lyapunov(&plain));
}

#[test]
fn neither_threads_nor_strips_nor_rounds_change_a_diagram() {
    let window = Window53::new();
    let top = 2.0_f64.copysign(window.lambda);
    let job = job(window.corner(-1.9, -top), window.corner(-1.2, top), [50, 60], 8);
    let expected = deep(&job);
    let mut sum = Diagram::blank(&job);
    let mut one = engine(1);
    for orbits in [0..3, 3..8] {
        let part = job.clone().with_orbits(orbits);
        let sink = DiagramSink::new(&part);
        one.render(&part, &Latest::forever(), &sink).unwrap();
        sum.add(&sink.into_diagram());
    }
    assert!(sum.hits(20).eq(expected.hits(20)) && sum.columns() == expected.columns(), "in two rounds");
    let columns = Job { lattice: Lattice::strip(20, 7), ..job.clone() };
    let part = deep(&columns);
    assert!((0..7).all(|x| part.hits(x).eq(expected.hits(20 + x))), "seven columns of it");
}

#[test]
fn what_cannot_be_is_told() {
    let refused = |job: &Job| engine(1).supports(job).map_err(|error| error.to_string());
    let home = job(["-2", "-2"].map(number), ["0", "2"].map(number), [64, 48], 8);
    assert!(refused(&home).unwrap_err().contains("choose tiles, or zoom in"));
    let tent = |mut job: Job| {
        let Task::OrbitDensity(task) = &mut job.task else { unreachable!() };
        task.map = MapId::Tent;
        job
    };
    let deep_tent = tent(job_about(["1.5", "0.5"], ["1e-20", "1"], [64, 48], 8));
    assert!(refused(&deep_tent).unwrap_err().contains("bifurcation diagrams but those of x² + c"));
    let message = Naive.supports(&deep_tent).unwrap_err().to_string();
    assert!(message.contains("only of x² + c along the real axis"), "{message}");
    let too_deep = job_about(["-1.5", "0"], ["1e-300", "1"], [64, 48], 8);
    assert!(refused(&too_deep).unwrap_err().contains("zoom out"));
    // A cusp and a fork: orbits take for ever there.
    for center in [["0.25", "0.5"], ["-0.75", "-0.5"]] {
        let job = job_about(center, ["1e-30", "1e-15"], [64, 48], 8);
        let result = engine(1).render(&job, &Latest::forever(), &DiagramSink::new(&job));
        assert!(matches!(&result, Err(RenderError::Unsupported(error)) if error.to_string().contains("move a little")));
    }
    // Nothing at all to the right of it.
    let empty = deep(&job_about(["0.3", "0.5"], ["1e-30", "1"], [64, 48], 8));
    assert!(empty.columns().iter().all(|column| column.periodic + column.unsettled == 0));
}
