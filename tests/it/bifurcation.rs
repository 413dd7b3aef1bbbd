//! Bifurcation diagrams: against the plain engine, and against what is known of x² + c.

use cardioid::color::{DiagramScheme, Tone, paint_diagram};
use cardioid::engine::{self, Engine, Machine, Naive, Tiles};
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::math::{BigComplex, Decimal};
use cardioid::render::{
    Channels, Diagram, DiagramSink, Job, Latest, Lattice, Newest, OrbitDensity, Quality, RenderError, Shortcuts, Task,
    Viewport,
};

use crate::cases::assert_looked_at;

/// A cheap [`Effort::STILL`]: with a longer second try for slow orbits.
const THOROUGH: Effort = Effort { transient: 1000, most_period: 128, most_transient: 4000 };

/// A job over a box of x² + c: least and largest c, then x.
fn job(corners: [&str; 4], size: [u32; 2], orbits: u32, kept: u32, effort: Effort) -> Job {
    let [c0, c1, x0, x1] = corners.map(|text| text.parse::<Decimal>().unwrap());
    let viewport = Viewport::from_box(&BigComplex::new(c0, x0), &BigComplex::new(c1, x1), size).unwrap();
    Job {
        viewport,
        lattice: Lattice::FULL,
        task: Task::OrbitDensity(OrbitDensity { map: MapId::Quadratic, orbits: 0..orbits, kept, effort }),
        channels: Channels::default(),
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0; 2],
    }
}

fn tiles(threads: usize) -> Tiles {
    Tiles::new(Machine::without_gpu(threads).unwrap().pool)
}

fn diagram(engine: &mut dyn Engine, job: &Job) -> Diagram {
    let sink = DiagramSink::new(job);
    engine.render(job, &Latest::forever(), &sink).unwrap();
    sink.into_diagram()
}

#[test]
fn threads_and_lanes_change_nothing_for_any_map() {
    for &map in MapId::ALL {
        let home = map.home();
        let corners = [home.parameter[0], home.parameter[1], home.ordinate[0], home.ordinate[1]];
        let corners = corners.map(|value| value.to_string());
        let mut job = job(corners.each_ref().map(String::as_str), [70, 60], 3, 101, THOROUGH);
        job.task = Task::OrbitDensity(OrbitDensity { map, orbits: 0..3, kept: 101, effort: THOROUGH });
        let expected = diagram(&mut Naive, &job);
        for threads in [1, 3] {
            assert!(diagram(&mut tiles(threads), &job) == expected, "{}, {threads} threads", map.key());
        }
    }
}

#[test]
fn vectors_find_the_same_cycles_where_many_returns_are_chance() {
    for (corners, why) in [
        (["-1.787", "-1.785", "-0.1", "0.1"], "three bands of chaos, and windows"),
        (["-1.40117", "-1.40114", "-0.1", "0.1"], "the end of the doublings: slow orbits"),
        (["-1.7500002", "-1.7499998", "-2", "2"], "a neutral cycle of period 3"),
    ] {
        let job = job(corners, [40, 30], 5, 77, Effort::STILL);
        assert!(diagram(&mut tiles(2), &job) == diagram(&mut Naive, &job), "{why}");
    }
}

#[test]
fn views_moved_by_whole_columns_share_them() {
    let at = |c0, c1| diagram(&mut tiles(2), &job([c0, c1, "-2", "2"], [100, 50], 4, 200, Effort::MOVING));
    let (here, there) = (at("-1.6", "-1.4"), at("-1.59", "-1.39"));
    for x in 5..100 {
        assert!(here.hits(x).eq(there.hits(x - 5)), "column {x}");
    }
}

#[test]
fn each_orbit_that_stays_adds_its_hits() {
    let whole = diagram(&mut tiles(2), &job(["-2.02", "0.27", "-2.05", "2.05"], [300, 80], 5, 1000, THOROUGH));
    let mut kinds = [false; 3];
    for (x, column) in (0..).zip(whole.columns()) {
        let hits: u32 = whole.hits(x).sum();
        assert_eq!(hits, 1000 * (column.periodic + column.unsettled), "column {x}");
        kinds[0] |= column.periodic == 5;
        kinds[1] |= column.unsettled == 5;
        kinds[2] |= hits == 0;
    }
    assert_eq!(kinds, [true; 3], "cycles, chaos and nothing are all in view");
}

#[test]
fn density_reaches_from_c_to_its_image() {
    let (mut reached, mut chaotic) = (0, 0);
    for i in 0..24 {
        let c = -1.99 + 0.0131 * f64::from(i);
        let corners = [c.to_string(), (c + 1e-9).to_string()];
        let job = job([&corners[0], &corners[1], "-2.05", "2.05"], [1, 1080], 8, 20_000, THOROUGH);
        let column = diagram(&mut tiles(1), &job);
        if column.columns()[0].unsettled < 8 {
            continue;
        }
        chaotic += 1;
        let row = |x: f64| (2.05 - x) / 4.1 * 1080.0;
        let (top, bottom) = (row(c * c + c), row(c));
        let rows = column.density(0).iter().enumerate().filter(|(_, hits)| **hits > 0).map(|(y, _)| y as f64 + 0.5);
        let (first, last) = rows.fold((f64::MAX, 0.0_f64), |(first, last), y| (first.min(y), last.max(y)));
        assert!(first > top - 1.0 && last < bottom + 1.0, "c = {c}: rows {first} to {last} of {top} to {bottom}");
        reached += u32::from(first < top + 1.5 && last > bottom - 1.5);
    }
    assert!(chaotic >= 15 && reached + 1 >= chaotic, "{reached} of {chaotic} columns reach both edges");
}

/// Numbers of rows in a row that hold hits, from the top down.
fn branches(hits: impl Iterator<Item = u32>) -> Vec<usize> {
    hits.collect::<Vec<u32>>().split(|&count| count == 0).map(<[u32]>::len).filter(|&rows| rows > 0).collect()
}

#[test]
fn the_window_of_period_three_has_three_branches() {
    let window = diagram(&mut tiles(2), &job(["-1.768", "-1.751", "-2.05", "2.05"], [40, 400], 4, 300, THOROUGH));
    for (x, column) in (0..).zip(window.columns()) {
        assert_eq!((column.period, column.periodic), (3, 4), "column {x}");
        assert_eq!(branches(window.hits(x)).len(), 3, "column {x}");
    }
}

#[test]
fn forks_have_no_blobs() {
    // Ten columns right of the first doubling, as wide as those of the whole at 1920 pixels.
    let fork = diagram(&mut tiles(2), &job(["-0.75", "-0.738", "-2.05", "2.05"], [10, 1080], 8, 256, Effort::MOVING));
    for x in 0..10 {
        let rows: usize = branches(fork.hits(x)).iter().sum();
        assert!((1..=2).contains(&rows), "column {x} right of c = -3/4 has {rows} rows");
    }
    // The fork itself opens as a parabola, that of −½ ± √(−¾ − c): over a column as wide, 18.2 rows.
    let fork = diagram(&mut tiles(2), &job(["-0.7512", "-0.75", "-2.05", "2.05"], [1, 1080], 64, 256, THOROUGH));
    let rows: usize = branches(fork.hits(0)).iter().sum();
    assert!((14..=19).contains(&rows), "the fork has {rows} rows");
}

#[test]
fn columns_know_period_and_exponent() {
    // (c, period, Lyapunov exponent, why): periods of superstable points from R. Munafo's Mu-Ency.
    for (c, period, lyapunov, why) in [
        ("0.1", 1, Some(-1.489_863_900_384_858), "ln|1 - sqrt(1 - 4c)|"),
        ("-0.9", 2, Some(-0.458_145_365_937_078), "ln|4(1 + c)| / 2"),
        ("-1.310702641336833", 4, None, "superstable"),
        ("-1.381547484432061", 8, None, "superstable"),
        ("-1.754877666246693", 3, None, "superstable"),
        ("-1.625413725123303", 5, None, "superstable"),
    ] {
        let c0 = c.parse::<Decimal>().unwrap();
        let c1 = (&c0 + &"1e-12".parse().unwrap()).to_string();
        let column = diagram(&mut Naive, &job([c, &c1, "-2", "2"], [1, 64], 2, 16, THOROUGH)).columns()[0];
        assert_eq!((column.period, column.periodic), (period, 2), "{c}: {why}");
        if let Some(expected) = lyapunov {
            assert!((column.lyapunov() - expected).abs() < 1e-9, "{c}: {} for {why}", column.lyapunov());
        }
    }
}

#[test]
fn stale_jobs_stop_and_other_engines_say_what_they_lack() {
    let whole = job(["-2.02", "0.27", "-2.05", "2.05"], [64, 48], 4, 64, Effort::MOVING);
    let (newest, sink) = (Newest::default(), DiagramSink::new(&whole));
    let stale = newest.next();
    newest.cancel();
    for engine in engine::all(&Machine::without_gpu(2).unwrap()).iter_mut() {
        match engine.key() {
            "naive" | "tiles" => {
                assert_eq!(engine.render(&whole, &stale, &sink), Err(RenderError::Cancelled), "{}", engine.key());
            }
            "gpu" => assert!(engine.supports(&whole).is_err()),
            // It draws deeper ones.
            "perturbation" => assert!(engine.supports(&whole).unwrap_err().to_string().contains("choose tiles")),
            key => {
                let message = engine.supports(&whole).unwrap_err().to_string();
                assert!(message.contains("bifurcation") && message.contains("tiles"), "{key}: {message}");
            }
        }
    }
}

#[test]
fn the_picture_is_the_one_that_was_looked_at() {
    let size = [240, 160];
    let whole = job(["-2.02", "0.27", "-2.05", "2.05"], size, 32, 1000, THOROUGH);
    let diagram = diagram(&mut tiles(2), &whole);
    let pixels = paint_diagram(&diagram, DiagramScheme::Lyapunov, Tone::of(&diagram));
    // Logarithms of the system's library may differ in their last place, and a level with them.
    assert_looked_at("bifurcation", size, &pixels, 1);
}

#[test]
fn what_later_orbits_leave_adds_up() {
    let whole = job(["-1.9", "-0.6", "-2.05", "2.05"], [60, 50], 24, 300, Effort::MOVING);
    let mut sum = Diagram::empty(whole.size());
    for orbits in [16..24, 0..8, 8..16] {
        let mut part = whole.clone();
        let Task::OrbitDensity(task) = &mut part.task else { unreachable!("it is a diagram") };
        task.orbits = orbits;
        sum.add(&diagram(&mut tiles(2), &part));
    }
    assert!(sum == diagram(&mut tiles(2), &whole));
}

#[test]
fn strips_are_columns_of_the_whole() {
    let whole = job(["-1.9", "-0.6", "-2.05", "2.05"], [60, 50], 9, 300, Effort::MOVING);
    let expected = diagram(&mut tiles(2), &whole);
    let mut sum = Diagram::blank(&whole).moved(0);
    for (first, columns) in [(40, 20), (0, 7), (7, 33)] {
        let part = Job { lattice: Lattice::strip(first, columns), ..whole.clone() };
        assert_eq!(part.size(), [columns, 50]);
        sum.add_columns(&diagram(&mut tiles(2), &part), first.into());
    }
    assert!(sum.strip() == expected.strip());
    assert_eq!(whole.columns_to(&whole), Some(0));
}
