//! Complex bifurcation diagrams: against the plain engine, and against what is known of z² + c.

use std::ops::Range;

use cardioid::color::{DiagramScheme, Tone, paint_diagram};
use cardioid::engine::{self, Engine, Machine, Naive, Tiles};
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::math::{BigComplex, Complex, Decimal};
use cardioid::render::{
    Channels, Columns, Diagram, DiagramSink, Fan, Job, Latest, Lattice, Newest, OrbitDensity, Ordinate, Quality,
    RenderError, Section, Shortcuts, Task, Viewport,
};

use crate::cases::assert_looked_at;

/// A job over a box: least and largest Re c, then the ordinate.
fn job(corners: [&str; 4], size: [u32; 2], section: Section) -> Job {
    let [c0, c1, x0, x1] = corners.map(|text| text.parse::<Decimal>().unwrap());
    let viewport = Viewport::from_box(&BigComplex::new(c0, x0), &BigComplex::new(c1, x1), size).unwrap();
    Job {
        viewport,
        lattice: Lattice::FULL,
        task: Task::Section(section),
        channels: Channels::default(),
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0; 2],
    }
}

/// At a height s, with its fan.
fn section(s: f64, ordinate: Ordinate, orbits: Range<u32>) -> Section {
    Section { s, ordinate, orbits, kept: 101, effort: Section::MOVING, fan: Some(Fan::DEFAULT) }
}

fn tiles(threads: usize) -> Tiles {
    Tiles::new(Machine::without_gpu(threads).unwrap().pool)
}

fn diagram(engine: &mut dyn Engine, job: &Job) -> Diagram {
    let sink = DiagramSink::new(job);
    engine.render(job, &Latest::forever(), &sink).unwrap();
    sink.into_diagram()
}

const HOME: [&str; 4] = ["-2", "0.5", "-2", "2"];

#[test]
fn threads_and_lanes_change_nothing() {
    let still = Effort { transient: 1001, most_transient: 3000, ..Section::STILL };
    let short = Some(Fan { skip: 7, steps: 20 });
    let no_fan = |section| Section { fan: None, ..section };
    for section in [
        section(0.0, Ordinate::Re, 0..3),
        section(-0.1, Ordinate::Im, 0..9),
        section(0.1, Ordinate::Re, 8..11),
        Section { effort: still, fan: short, ..section(0.25, Ordinate::Im, 0..3) },
        no_fan(section(0.6, Ordinate::Re, 0..4)),
        section(f64::NAN, Ordinate::Im, 0..2),
    ] {
        let job = job(HOME, [71, 60], section.clone());
        let expected = diagram(&mut Naive, &job);
        for threads in [1, 3] {
            assert!(diagram(&mut tiles(threads), &job) == expected, "{section:?}, {threads} threads");
        }
    }
}

#[test]
fn what_later_orbits_leave_adds_up() {
    let part = |orbits| job(HOME, [60, 50], section(0.1, Ordinate::Im, orbits));
    let mut sum = Diagram::blank(&part(0..0));
    for orbits in [16..24, 0..8, 8..16] {
        sum.add(&diagram(&mut tiles(2), &part(orbits)));
    }
    assert!(sum == diagram(&mut tiles(2), &part(0..24)));
}

#[test]
fn views_moved_by_whole_columns_share_them() {
    let at = |c0, c1| job([c0, c1, "-2", "2"], [100, 50], section(0.1, Ordinate::Re, 0..8));
    let (here, there) = (diagram(&mut tiles(2), &at("-1.4", "-0.4")), diagram(&mut tiles(2), &at("-1.35", "-0.35")));
    for x in 5..100 {
        assert!(here.hits(x).eq(there.hits(x - 5)), "column {x}");
        assert!(here.fan(x).eq(there.fan(x - 5)), "column {x}");
        assert!(here.coverage(x).eq(there.coverage(x - 5)), "column {x}");
    }
}

#[test]
fn conjugates_mirror_each_other_exactly() {
    for s in [1e-9, 0.02, 0.1, 0.25, 0.6] {
        for height in [50, 61] {
            let at = |s, ordinate| diagram(&mut tiles(2), &job(HOME, [80, height], section(s, ordinate, 0..6)));
            assert!(at(s, Ordinate::Re) == at(-s, Ordinate::Re), "Re, s = {s}");
            let (above, below) = (at(s, Ordinate::Im), at(-s, Ordinate::Im));
            let mut flipped = above.strip().clone();
            flipped.flip();
            assert!(below.strip() == &flipped, "Im, s = {s}");
            assert!(s < 0.01 || above != below, "there is something to mirror");
        }
    }
}

#[test]
fn on_the_real_axis_it_is_the_real_diagram() {
    let section = Section { effort: Effort::MOVING, ..section(0.0, Ordinate::Re, 0..8) };
    let (orbits, kept, effort) = (section.orbits.clone(), section.kept, section.effort);
    let line = job(["-2", "0.25", "-2", "2"], [90, 70], section);
    let real = Task::OrbitDensity(OrbitDensity { map: MapId::Quadratic, orbits, kept, effort });
    let real = diagram(&mut tiles(2), &Job { task: real, ..line.clone() });
    let line = diagram(&mut tiles(2), &line);
    let mut chaotic = 0;
    for (x, column) in (0..).zip(real.columns()) {
        assert!(line.density(x) == real.density(x), "column {x}");
        assert!(line.hits(x).eq(real.hits(x)), "column {x}");
        let of_line = line.columns()[x as usize];
        assert_eq!((of_line.period, of_line.unsettled), (column.period, column.unsettled), "column {x}");
        assert!((of_line.lyapunov() - column.lyapunov()).abs() < 1e-9, "column {x}");
        chaotic += column.unsettled;
    }
    assert!(chaotic > 50);
}

/// The period of the only column, 1e-7 wide, that holds `re`; 0 where none of its orbits settles on a cycle.
fn period_at(re: f64, s: f64) -> u32 {
    let corners = [re - 5e-8, re + 5e-8].map(|c| c.to_string());
    let section = Section { effort: Section::STILL, ..section(s, Ordinate::Re, 0..2) };
    let column = diagram(&mut tiles(1), &job([&corners[0], &corners[1], "-2", "2"], [1, 8], section)).columns()[0];
    if column.periodic == 2 { column.period } else { 0 }
}

#[test]
fn cycles_are_where_mathematics_puts_them() {
    // (period, s, Re c at its two ends, how well they are known): the disc of period 2 is |c + 1| < 1/4; the cardioid
    // by bisection in other software.
    let disc = |s: f64| (1.0_f64 / 16.0 - s * s).sqrt();
    for (period, s, [left, right], within) in [
        (2, 0.05, [-1.244948974, -0.755051026], 1e-6),
        (2, 0.1, [-1.229128785, -0.770871215], 1e-6),
        (2, 0.2, [-1.0 - disc(0.2), -1.0 + disc(0.2)], 1e-6),
        (1, 0.05, [-0.74812, 0.32262], 1e-5),
        (1, 0.1, [-0.74246, 0.35205], 1e-5),
        (1, 0.25, [-0.70128, 0.37334], 1e-5),
        (1, -0.25, [-0.70128, 0.37334], 1e-5),
        (1, 0.5, [-0.52184, 0.25], 1e-5),
    ] {
        for (edge, inwards) in [(left, within), (right, -within)] {
            assert_eq!(period_at(edge + inwards, s), period, "inside {edge}, s = {s}");
            assert_ne!(period_at(edge - inwards, s), period, "outside {edge}, s = {s}");
        }
    }
}

#[test]
fn fans_are_the_first_points_of_each_orbit() {
    let fan = Fan { skip: 3, steps: 40 };
    let one = Section { fan: Some(fan), ..section(0.1, Ordinate::Im, 0..1) };
    // Pieces are up to 16 rows long: none of them leaves the box.
    let job = job(["-2.1", "0.6", "-3", "3"], [300, 90], one.clone());
    let columns = Columns::new(&job, &one);
    let diagram = diagram(&mut tiles(2), &job);
    let mut lengths = [0; 3];
    for x in 0..300 {
        let c = Complex::new(columns.parameter(x, 0), 0.1);
        let (mut z, mut expected, mut drawn) = (Complex::new(0.0, 0.0), 0.0, 0);
        for n in 1..=43 {
            z = z.mul(z).add(c);
            if z.norm() > 2.0 {
                break;
            }
            if n > 3 {
                drawn += 1;
                expected += (1.0 / (1.0 + f64::from(n - 3) / 40.0)).clamp(0.15, 1.0);
            }
        }
        let light: f64 = diagram.fan(x).sum();
        // Each point is rounded in up to 18 rows.
        assert!((light - expected).abs() < 1e-4 + f64::from(drawn) * 9.0 / 4096.0, "{c:?}: {light}, not {expected}");
        lengths[usize::from(drawn > 0) + usize::from(drawn == 40)] += 1;
    }
    assert!(lengths[1] > 20 && lengths[2] > 100, "some escape before, and some later: {lengths:?}");
}

#[test]
fn arcs_have_no_gaps() {
    // Where orbits escape at once, z_1 = c, z_2 and z_3 are all there is: each light in every column, none elsewhere.
    let one = section(0.3, Ordinate::Re, 0..8);
    let job = job(["-1.95", "-1.8", "-2", "2"], [60, 800], one);
    let diagram = diagram(&mut tiles(2), &job);
    for x in 0..60 {
        let c = Complex::new(diagram.section_parameter(x), 0.3);
        let light: Vec<f64> = diagram.fan(x).collect();
        let row = ((2.0 - c.re) / 4.0 * 800.0) as usize;
        assert!(light[row - 1..row + 2].iter().sum::<f64>() > 0.95, "column {x}: z_1");
        let (z2, slope) = (c.mul(c).add(c).re, (2.0 * c.re + 1.0).abs());
        let (row, rows) = ((2.0 - z2) / 4.0 * 800.0, slope * 0.15 / 60.0 * 200.0);
        if z2 < 1.95 {
            let lit = &light[(row - rows / 2.0).ceil() as usize..(row + rows / 2.0).floor() as usize];
            assert!(lit.iter().all(|&light| light > 0.3 / rows), "column {x}: {lit:?}");
        }
    }
}

#[test]
fn the_picture_is_the_one_that_was_looked_at() {
    let size = [320, 160];
    let still = Section { effort: Section::STILL, ..section(0.1, Ordinate::Re, 0..16) };
    let diagram = diagram(&mut tiles(2), &job(HOME, size, still));
    let pixels = paint_diagram(&diagram, DiagramScheme::Lyapunov, Tone::of(&diagram));
    // Logarithms of the system's library may differ in their last place, and a level with them.
    assert_looked_at("section", size, &pixels, 1);
}

#[test]
fn stale_jobs_stop_and_other_engines_say_what_they_lack() {
    let whole = job(HOME, [64, 48], section(0.1, Ordinate::Re, 0..4));
    let (newest, sink) = (Newest::default(), DiagramSink::new(&whole));
    let stale = newest.next();
    newest.cancel();
    for engine in engine::all(&Machine::without_gpu(2).unwrap()).iter_mut() {
        match engine.key() {
            "naive" | "tiles" => {
                assert_eq!(engine.render(&whole, &stale, &sink), Err(RenderError::Cancelled), "{}", engine.key());
            }
            "gpu" => assert!(engine.supports(&whole).is_err()),
            key => {
                let message = engine.supports(&whole).unwrap_err().to_string();
                assert!(message.contains("bifurcation") && message.contains("tiles"), "{key}: {message}");
            }
        }
    }
}
