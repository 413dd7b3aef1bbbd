//! Perturbation against the truth: orbits at full precision, the definition where it still can, and itself.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cardioid::engine::{Engine as _, Machine, Naive, Perturbation};
use cardioid::fractal::FormulaId;
use cardioid::fractal::reference::{End, Reference};
use cardioid::math::{BigComplex, Complex, Decimal, FloatExp};
use cardioid::render::{
    Channels, EscapeTime, Field, HostSink, Job, Latest, Lattice, Newest, Plane, Quality, RenderError, Sample,
    Shortcuts, Task, Viewport,
};

fn job([re, im]: [&str; 2], height: &str, size: [u32; 2], max_iterations: u32, bailout: f64) -> Job {
    let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
    let plane = Plane::Parameter;
    Job {
        viewport: Viewport::new(center, height.parse().unwrap(), size).unwrap(),
        lattice: Lattice::FULL,
        task: Task::EscapeTime(EscapeTime { formula: FormulaId::Quadratic, plane, max_iterations, bailout }),
        channels: Channels { smooth: true, ..Channels::default() },
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0, 0.0],
    }
}

fn engine(threads: usize) -> Perturbation {
    Perturbation::new(Machine::without_gpu(threads).unwrap().pool)
}

fn render(engine: &mut Perturbation, job: &Job) -> Field {
    let mut field = Field::missing(job.size());
    let stats = engine.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    assert_eq!(stats.steps, field.steps(job.max_iterations()));
    field
}

/// One pixel of a picture.
fn sample(engine: &mut Perturbation, job: &Job, [x, y]: [u32; 2]) -> Sample {
    let lattice = Lattice { first_row: y, rows: 1, first_column: x, columns: 1, ..Lattice::FULL };
    render(engine, &Job { lattice, ..job.clone() }).samples()[0]
}

/// A place of `tests/truth`: some pixels of 960 × 540, iterated in MPFR at more bits than the depth needs, and again at
/// still more.
pub struct Truth(serde_json::Value);

/// A pixel of it.
pub struct TruePixel {
    pub at: [u32; 2],
    /// The smooth count for R = 1000, and the distance estimate in pixels.
    pub escape: Option<(f64, f64)>,
}

impl Truth {
    pub fn read(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/truth").join(format!("{name}.json"));
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    pub fn pixels(&self) -> impl Iterator<Item = TruePixel> {
        self.0["pixels"].as_array().unwrap().iter().map(|pixel| TruePixel {
            at: ["i", "j"].map(|key| pixel[key].as_u64().unwrap() as u32),
            escape: pixel["mu"].as_f64().zip(pixel["de_px"].as_f64()),
        })
    }

    pub fn job(&self, height: &str, bailout: f64) -> Job {
        let center = ["re", "im"].map(|part| self.0[part].as_str().unwrap());
        job(center, height, [960, 540], self.0["maxiter"].as_u64().unwrap() as u32, bailout)
    }
}

/// (place, height = 4 / zoom)
pub const TRUTHS: [(&str, &str); 4] = [
    ("seahorse_1e-5", "1e-5"),
    ("kf_1e50", "4e-50"),
    ("rf_flake_2.6e157", "1.56126009185903029303394686958909907494997915e-157"),
    ("rf_4e300", "1e-300"),
];

#[test]
fn samples_are_those_of_orbits_at_full_precision() {
    for (place, height) in TRUTHS {
        let truth = Truth::read(place);
        let mut engine = engine(1);
        for (bailout, key) in [(2.0, "n2"), (1000.0, "n1000")] {
            let job = truth.job(height, bailout);
            for pixel in truth.0["pixels"].as_array().unwrap() {
                let at = ["i", "j"].map(|key| pixel[key].as_u64().unwrap() as u32);
                let got = sample(&mut engine, &job, at);
                // All of them, though some pixels lie 1e-11 of a step from where their counts change.
                let expected = pixel[key].as_i64().unwrap().max(0);
                assert_eq!(i64::from(got.iterations), expected, "{place}, pixel {at:?}, R = {bailout}");
                if let (Some(nu), "n1000") = (pixel["mu"].as_f64(), key) {
                    let off = f64::from(got.iterations) + f64::from(got.fraction) - nu;
                    let distance = pixel["de_px"].as_f64().unwrap();
                    assert!(off.abs() < 1e-5 + 1e-6 / distance, "{place}, pixel {at:?}: ν is off by {off}");
                }
            }
        }
    }
}

/// About i, whose orbit comes to a cycle of period 2 and multiplier 4(1 + i), the set is itself again 2²⁰ times larger: eight
/// turns later.
#[test]
fn one_zoom_crosses_the_ends_of_all_floats_without_a_seam() {
    for (height, pictures, cap, why) in
        [("1e-302", 4, 2000, "the end of f64"), ("1e-4926", 3, 14_000, "the end of longer floats")]
    {
        let mut engine = engine(2);
        let mut job = job(["0", "1"], height, [48, 27], cap, 1000.0);
        let mut before = render(&mut engine, &job);
        for picture in 1..pictures {
            let smaller = Decimal::from_f64(2f64.powi(-20));
            job.viewport = job.viewport.with_height(job.viewport.height() * &smaller).unwrap();
            let now = render(&mut engine, &job);
            let pairs = || before.samples().iter().zip(now.samples());
            let apart = pairs().filter(|(a, b)| a.iterations + 16 != b.iterations).count();
            assert!(apart <= 2, "{why}, picture {picture}: {apart} counts are not 16 later");
            let off = pairs().map(|(a, b)| (a.fraction - b.fraction).abs()).fold(0.0, f32::max);
            assert!(apart > 0 || off < 1e-4, "{why}, picture {picture}: a fraction is off by {off}");
            before = now;
        }
    }
}

#[test]
fn drafts_move_a_pixel_by_a_hundredth_at_most() {
    for (place, height) in TRUTHS {
        let truth = Truth::read(place);
        let mut engine = engine(1);
        let job = Job { quality: Quality::Draft, ..truth.job(height, 1000.0) };
        for pixel in truth.0["pixels"].as_array().unwrap() {
            let at = ["i", "j"].map(|key| pixel[key].as_u64().unwrap() as u32);
            let Some(nu) = pixel["mu"].as_f64() else { continue };
            let got = sample(&mut engine, &job, at);
            let off = f64::from(got.iterations) + f64::from(got.fraction) - nu;
            let shift = off.abs() * pixel["de_px"].as_f64().unwrap() * std::f64::consts::LN_2;
            assert!(shift < 0.01, "{place}, pixel {at:?}: as if it lay {shift} pixels away");
        }
    }
}

#[test]
fn distances_and_directions_are_those_of_full_precision_through_every_skip() {
    for (place, height) in TRUTHS {
        let truth = Truth::read(place);
        let mut engine = engine(1);
        let job = truth.job(height, 1000.0);
        let channels = Channels { distance: true, ..job.channels };
        for pixel in truth.0["pixels"].as_array().unwrap() {
            let [x, y] = ["i", "j"].map(|key| pixel[key].as_u64().unwrap() as u32);
            let Some(distance) = pixel["de_px"].as_f64() else { continue };
            let lattice = Lattice { first_row: y, rows: 1, first_column: x, columns: 1, ..Lattice::FULL };
            let job = Job { lattice, channels, ..job.clone() };
            let mut field = Field::of_job(&job);
            engine.render(&job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
            let plain = render(&mut engine, &Job { channels: Channels { distance: false, ..channels }, ..job });
            assert_eq!(field.samples(), plain.samples(), "{place}, [{x}, {y}]: slopes leave samples alone");
            let slope = field.slopes().unwrap()[0];
            let off = f64::from(slope.distance) / distance - 1.0;
            // Where the set is a millionth of a pixel away, rounding moves the pixel, too.
            let rounding = 1e-10 / distance;
            assert!(off.abs() < 1e-5 + rounding, "{place}, [{x}, {y}]: {}, not {distance}", slope.distance);
            let [re, im] = [0, 1].map(|part| pixel["z"][part].as_f64().unwrap());
            let direction = im.atan2(re) - pixel["arg_dzdc"].as_f64().unwrap();
            let across = f64::from(slope.direction[0]) - direction.cos();
            let up = f64::from(slope.direction[1]) - direction.sin();
            assert!(across.hypot(up) < 1e-4 + rounding, "{place}, [{x}, {y}]: {:?}, not {direction}", slope.direction);
        }
    }
}

/// The count for R = 2 of one pixel, by an orbit of its own in big numbers, from its exact place.
fn big_count(job: &Job, [x, y]: [u32; 2]) -> u32 {
    let viewport = &job.viewport;
    let [width, height] = viewport.size().map(f64::from);
    assert_eq!(height, 64.0, "so that shares of the height are exact");
    let along = |pixels: f64| &Decimal::from_f64(pixels / height) * viewport.height();
    let right = f64::from(x) + 0.5 - width / 2.0;
    let up = height / 2.0 - f64::from(y) - 0.5;
    let (sin, cos) = viewport.rotation_degrees().to_radians().sin_cos();
    let re = &viewport.center().re + &along(right * cos - up * sin);
    let im = &viewport.center().im + &along(right * sin + up * cos);
    let (point, step) = (BigComplex::new(re, im), viewport.finest_step());
    let orbit = Reference::new(&point, FloatExp::ZERO, step, job.max_iterations(), || true).unwrap();
    if orbit.end() == End::Escape { orbit.last() } else { 0 }
}

/// Counts for R = 2 of some pixels against those of big orbits.
fn check_against_big_orbits(engine: &mut Perturbation, job: &Job, why: &str) {
    let [width, height] = job.viewport.size();
    let (mut counts, mut wrong) = (BTreeSet::new(), Vec::new());
    for k in 0..24 {
        let at = [(k * 37 + 5) % width, (k * 23 + 11) % height];
        let (got, expected) = (sample(engine, job, at).iterations, big_count(job, at));
        counts.insert(expected);
        wrong.extend((got != expected).then_some((at, got, expected)));
    }
    // One may lie so near the boundary that its count hangs on less than 2⁻³⁶ of a pixel.
    assert!(wrong.len() <= 1, "{why}: {wrong:?}");
    assert!(counts.len() > 1, "{why}: all pixels are alike");
}

#[test]
fn counts_are_those_of_big_orbits_at_any_depth() {
    let seahorse = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    // (centre, height, cap, why)
    for (center, height, cap, why) in [
        (seahorse, "1e-8", 5000, "where f64 begins to fail"),
        (seahorse, "1e-10", 5000, "where f64 has failed"),
        (seahorse, "1e-20", 20_000, "and where it sees one pixel"),
        (
            ["-0.743643887037158704752191506", "0.1318259042053119704931321"],
            "3e-24",
            20_000,
            "a centre outside the set",
        ),
        (["-0.7436438870371587047", "0.1318259042"], "3e-9", 5000, "a centre that escapes early"),
        (["0.26", "0"], "8e-4", 1000, "all escape within 30 steps or so"),
        (["-2", "0"], "1e-30", 1000, "the end of the needle"),
        (["-1.9999999999999999999999999999", "0"], "1e-30", 1000, "on the needle"),
        (["0", "1"], "1e-100", 1000, "a Misiurewicz point"),
        (["0", "1"], "1e-269", 2000, "its deltas begin within f64"),
        (["0", "1"], "1e-290", 2000, "below f64"),
        (["0", "1"], "1e-1000", 4000, "far below"),
        (["1e-1000", "1"], "1e-1000", 4000, "and beside the centre of the spiral"),
        (["-1.75", "0"], "9e-4", 3000, "the cusp of the period-3 minibrot"),
        (
            ["-1.99999999999999999999999999999999998886240235040192578319412070753082974565872091807578235", "0"],
            "1.34e-70",
            6000,
            "the minibrot of period 60 that is nearest to the end of the needle: whole turns",
        ),
        (["-0.75", "1e-9"], "3e-9", 3000, "between cardioid and disc: far from escape"),
    ] {
        let job = job(center, height, [96, 64], cap, 2.0);
        if why != "between cardioid and disc: far from escape" {
            check_against_big_orbits(&mut engine(1), &job, why);
        } else {
            assert!(render(&mut engine(1), &job).samples().iter().all(|sample| sample.iterations == 0), "{why}");
        }
    }
}

#[test]
fn turned_counts_are_those_of_big_orbits() {
    let seahorse = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    for (center, height, cap, degrees) in [
        (seahorse, "1e-9", 5000, 33.0),
        (seahorse, "1e-20", 20_000, 90.0),
        (["0", "1"], "1e-200", 2000, 211.7),
        (["0", "1"], "1e-1000", 4000, 300.0),
    ] {
        let job = job(center, height, [96, 64], cap, 2.0);
        let job = Job { viewport: job.viewport.clone().with_rotation(degrees).unwrap(), ..job };
        check_against_big_orbits(&mut engine(2), &job, &format!("{height}, turned by {degrees}"));
    }
}

#[test]
fn counts_are_better_than_those_of_f64_even_where_it_is_trusted() {
    let seahorse = ["-0.743643887037151", "0.131825904205330"];
    // (centre, height, why)
    for (center, height, why) in [
        (seahorse, "9e-4", "the coarsest"),
        (seahorse, "1e-5", "finer"),
        (seahorse, "1e-7", "about the end of trust"),
        (["-1.7548776662466927600495088963585286918946", "0"], "9e-4", "within a minibrot"),
        (["-1.75", "0"], "9e-4", "the cusp of the minibrot"),
        (["-0.1011", "0.9563"], "9e-4", "some inside, some out"),
        (["0.25", "1e-5"], "9e-4", "the cusp of the cardioid"),
    ] {
        let job = job(center, height, [96, 64], 2000, 2.0);
        let truth: Vec<u32> = (0..96 * 64).map(|i| big_count(&job, [i % 96, i / 96])).collect();
        let wrong = |field: &Field| field.samples().iter().zip(&truth).filter(|(s, n)| s.iterations != **n).count();
        let mut plain = Field::missing(job.size());
        Naive.render(&job, &Latest::forever(), &HostSink::new(&mut plain)).unwrap();
        let (by_deltas, by_f64) = (wrong(&render(&mut engine(2), &job)), wrong(&plain));
        // Measured: at most 19 of 6144 by deltas; 10, 57 and 122 by f64 at the first three.
        assert!(by_deltas <= 24 && by_deltas <= by_f64, "{why}: {by_deltas} counts are wrong, of f64 {by_f64}");
    }
}

#[test]
fn neither_tiles_nor_threads_nor_history_change_a_byte() {
    let truth = Truth::read("rf_4e300");
    let mut job = truth.job("1e-300", 1000.0);
    job.viewport = job.viewport.with_size([60, 34]).unwrap();
    let expected = render(&mut engine(1), &job);
    for (threads, side) in [(1, 1), (2, 7), (3, 16), (2, 64)] {
        let mut engine = engine(threads).with_side(side);
        assert!(render(&mut engine, &job) == expected, "{threads} threads, tiles of {side}");
        let other = Job { quality: Quality::Draft, ..job.clone() };
        let draft = render(&mut engine, &other);
        assert!(render(&mut engine, &job) == expected, "after a draft");
        let (differing, _) = draft.differing_counts(&expected, job.max_iterations());
        assert!(differing < 60 * 34 / 20, "a draft differs in {differing} counts");
        let coarse = render(&mut engine, &Job { lattice: Lattice::coarse(4), ..job.clone() });
        assert_eq!(coarse.samples()[16], expected.row(6)[2 + 4], "a coarse sample is one of the picture's");
        let band = render(&mut engine, &Job { lattice: Lattice::band(20, 9), ..job.clone() });
        assert_eq!(band.row(3), expected.row(23));
    }
    let turned = Job { viewport: job.viewport.clone().with_rotation(180.0).unwrap(), ..job.clone() };
    let turned = render(&mut engine(2), &turned);
    let differing =
        turned.samples().iter().zip(expected.samples().iter().rev()).filter(|(a, b)| a.iterations != b.iterations);
    assert!(differing.count() < 10, "turned by half it is the same picture");
}

#[test]
fn a_centre_outside_the_set_has_the_same_bytes_for_any_threads() {
    let center = ["-0.743643887037158704752191506", "0.1318259042053119704931321"];
    let job = job(center, "1e-20", [63, 47], 20_000, 1000.0);
    let expected = render(&mut engine(1), &job);
    assert!(expected.samples()[31 + 23 * 63].iterations > 0, "the centre pixel escapes");
    for threads in 2..=8 {
        assert!(render(&mut engine(threads), &job) == expected, "{threads} threads");
    }
}

#[test]
fn misiurewicz_points_are_drawn_at_any_depth() {
    // i and the tip of an antenna: z_2 and z_3 of c = i are a cycle that repels, −2 ends at the fixed point 2.
    for (center, cap) in [(["0", "1"], 4000), (["-2", "0"], 4000)] {
        for height in ["1e-100", "1e-300"] {
            let field = render(&mut engine(2), &job(center, height, [48, 32], cap, 2.0));
            let counts: BTreeSet<u32> = field.samples().iter().map(|sample| sample.iterations).collect();
            assert!(counts.len() > 5, "{center:?}, {height}: {counts:?}");
        }
    }
}

#[test]
fn millions_of_iterations_beside_the_cusp() {
    let is_slow = std::env::var_os("SLOW").is_some_and(|value| value != "0");
    // (1/4 + ε, height, ε) for ten million iterations, and for one
    let (center, height, epsilon) =
        if is_slow { ("0.2500000000001", "1e-22", 1e-13) } else { ("0.25000000001", "1e-20", 1e-11) };
    let job = job([center, "0"], height, [4, 3], 20_000_000, 2.0);
    let mut field = Field::missing(job.size());
    let stats = engine(2).render(&job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    // π / √ε, all but for a few: Klebanoff, "π in the Mandelbrot set" (2001).
    let expected = std::f64::consts::PI / f64::sqrt(epsilon);
    for sample in field.samples() {
        assert!((f64::from(sample.iterations) - expected).abs() < 10.0, "{sample:?}, not {expected}");
    }
    let reference = stats.reference.unwrap();
    assert!(f64::from(reference.steps) > 0.9 * expected && !reference.is_cut, "{reference:?}");
    assert!(reference.bytes < 1 << 30, "{reference:?}");
}

#[test]
fn pictures_in_motion_reuse_a_reference_and_settled_ones_are_as_fresh() {
    let center = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    let mut engine = engine(2);
    let still = |height: &str, by: [f64; 2], cap| {
        let job = job(center, height, [48, 32], cap, 1000.0);
        Job { viewport: job.viewport.panned(by), ..job }
    };
    let in_motion = |engine: &mut Perturbation, job: &Job| {
        let moving = Job { quality: Quality::Moving, lattice: Lattice::coarse(4), ..job.clone() };
        let mut field = Field::missing(moving.size());
        let stats = engine.render(&moving, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
        (field, stats.reference.unwrap())
    };
    // (height, pan in pixels, cap, why)
    for (height, by, cap, why) in [
        ("1e-22", [0.0, 0.0], 20_000, "the first"),
        ("1e-22", [30.0, 7.0], 20_000, "aside"),
        ("3e-23", [30.0, 7.0], 20_000, "and closer"),
        ("3e-23", [30.0, 7.0], 40_000, "a higher cap"),
        ("3e-23", [30.0, 7.0], 900, "a lower one"),
        ("1e-19", [-9.0, 3.0], 20_000, "farther out"),
        ("1e-21", [0.0, 0.0], 20_000, "back in"),
    ] {
        let job = still(height, by, cap);
        let (moving, _) = in_motion(&mut engine, &job);
        let expected = render(&mut self::engine(1), &job);
        let coarse = render(&mut self::engine(1), &Job { lattice: Lattice::coarse(4), ..job.clone() });
        let (differing, _) = moving.differing_counts(&coarse, cap);
        assert!(differing <= moving.samples().len() / 10, "{why}: {differing} counts differ in motion");
        assert!(render(&mut engine, &job) == expected, "{why}: at rest it is as fresh");
    }
}

#[test]
fn references_and_pixels_give_the_cores_back_at_once() {
    // (centre, height, cap, why)
    for (center, height, cap, why) in [
        (["0.25", "0"], "1e-20000", 2_000_000_000, "one orbit in big numbers, for ever"),
        (["-0.75", "1e-9"], "3e-9", 2_000_000_000, "points that never escape"),
    ] {
        let job = Job { shortcuts: Shortcuts::NONE, ..job(center, height, [200, 200], cap, 2.0) };
        let newest = Newest::default();
        let latest = newest.next();
        let mut engine = engine(2);
        let (result, cancelled) = std::thread::scope(|scope| {
            let render = scope.spawn(|| engine.render(&job, &latest, &HostSink::new(&mut Field::missing(job.size()))));
            std::thread::sleep(Duration::from_millis(50));
            let cancelled = Instant::now();
            newest.cancel();
            (render.join().unwrap(), cancelled.elapsed())
        });
        assert_eq!(result.unwrap_err(), RenderError::Cancelled, "{why}");
        // 10 ms is promised; a busy machine may keep the thread waiting longer than that.
        assert!(cancelled < Duration::from_millis(100), "{why}: took {cancelled:?}");
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let with = |plane, formula, height| {
        let mut job = job(["0", "0"], height, [64, 48], 100, 2.0);
        job.task = Task::EscapeTime(EscapeTime { formula, plane, max_iterations: 100, bailout: 2.0 });
        engine(1).supports(&job).map_err(|error| error.to_string())
    };
    let far = Plane::dynamical(Complex::new(16.0, 0.1));
    let quadratic = FormulaId::Quadratic;
    for (plane, formula, height, words) in [
        (Plane::Parameter, quadratic, "2.5", "choose tiles, or zoom in"),
        (Plane::Parameter, quadratic, "1e-90000", "zoom out"),
        (Plane::Parameter, quadratic, "1e-100000", "of memory; zoom out"),
        (far, quadratic, "1e-9", "no Julia sets of |c| above 16"),
    ] {
        let message = with(plane, formula, height).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(with(Plane::Parameter, quadratic, "1e-5000"), Ok(()));
}

#[test]
#[ignore = "a measurement: run it alone, with --nocapture"]
fn times_of_references_and_pixels() {
    for (place, height) in TRUTHS {
        for size in [[320, 180], [1280, 720]] {
            let mut job = Truth::read(place).job(height, 1000.0);
            job.viewport = job.viewport.with_size(size).unwrap();
            let mut engine = engine(2);
            let mut seconds = |job: &Job| {
                let mut field = Field::missing(job.size());
                engine.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap()
            };
            let first = seconds(&Job { lattice: Lattice { rows: 1, columns: 1, ..Lattice::FULL }, ..job.clone() });
            let stats = seconds(&job);
            let turns = stats.steps_done as f64 / f64::from(size[0] * size[1]);
            let [first, rest] = [first, stats].map(|stats| stats.compute.as_secs_f64());
            println!(
                "{place} {size:?}: reference {first:.4} s, pixels {rest:.3} s, {turns:.0} steps and blocks a pixel"
            );
        }
    }
}
