//! Distances and directions of escape, and smooth counts: against closed forms, arbitrary precision, and each other.

use cardioid::engine::{self, Engine, Machine};
use cardioid::fractal::FormulaId;
use cardioid::math::{BigComplex, Complex};
use cardioid::render::{
    Channels, EscapeTime, Field, HostSink, Job, Latest, Lattice, Plane, Quality, Sample, Shortcuts, Slope, Task,
    Viewport,
};

use super::truth::{Place, True, boundary_point};

fn render(engine: &mut dyn Engine, job: &Job) -> Field {
    let mut field = Field::of_job(job);
    engine::render(engine, job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field
}

fn with_slopes(job: Job) -> Job {
    Job { channels: Channels { smooth: true, distance: true, ..job.channels }, ..job }
}

/// The engines whose samples are those of f64 orbits.
fn f64_engines() -> impl Iterator<Item = Box<dyn Engine>> {
    let engines = engine::all(&Machine::without_gpu(2).unwrap());
    engines.into_iter().filter(|engine| engine.precision() == engine::Precision::F64)
}

fn named(key: &str) -> Box<dyn Engine> {
    engine::all(&Machine::without_gpu(2).unwrap()).into_iter().find(|engine| engine.key() == key).unwrap()
}

#[test]
fn powers_of_a_disc_have_their_distance() {
    // With c = 0 the set is the unit disc, and |z_n| = |z_0|^(dⁿ) whatever the formula folds: the distance is r ln r.
    let size = [40, 30];
    let square =
        Viewport::new(BigComplex::new("0.1".parse().unwrap(), "0.2".parse().unwrap()), "3".parse().unwrap(), size);
    let square = square.unwrap();
    let stretched = square.with_width("9".parse().unwrap()).unwrap();
    for (viewport, rotation) in [(&square, 0.0), (&square, 33.0), (&stretched, 0.0), (&stretched, 120.0)] {
        let viewport = viewport.clone().with_rotation(rotation).unwrap();
        let [across, up] = viewport.pixel_axes(1.0.into());
        let grid = viewport.grid(Lattice::FULL);
        for &formula in FormulaId::ALL {
            let plane = Plane::dynamical(Complex::default());
            let task = Task::EscapeTime(EscapeTime { formula, plane, max_iterations: 200, bailout: 1000.0 });
            let field = render(&mut *named("tiles"), &with_slopes(Job::new(viewport.clone(), task)));
            for (i, (sample, slope)) in field.samples().iter().zip(field.slopes().unwrap()).enumerate() {
                let why = format!("{}, rotation {rotation}, sample {i}: {slope:?}", formula.key());
                let z = grid.point(i % 40, i / 40);
                if sample.iterations == 0 {
                    assert_eq!(*slope, Slope::INTERIOR, "{why}");
                    continue;
                }
                let r = z.norm();
                let along = |way: Complex| (z.re * way.re + z.im * way.im) / r;
                let gradient = Complex::new(along(across), along(up));
                let distance = r * r.ln() / gradient.norm();
                assert!((f64::from(slope.distance) / distance - 1.0).abs() < 2e-7, "{why}, not {distance}");
                let away = gradient.scaled(gradient.norm().recip());
                let [x, y] = slope.direction.map(f64::from);
                assert!((x - away.re).hypot(y - away.im) < 2e-7, "{why}, not {away:?}");
            }
        }
    }
}

#[test]
fn all_engines_of_f64_have_the_slopes_of_the_definition_and_keep_their_samples() {
    let julia = Plane::dynamical(Complex::new(-0.12, 0.74));
    for (formula, plane, height) in [
        (FormulaId::Quadratic, Plane::Parameter, "2.5"),
        (FormulaId::Quadratic, julia, "3"),
        (FormulaId::Cubic, Plane::Parameter, "3"),
        (FormulaId::BurningShip, Plane::Parameter, "3"),
    ] {
        let viewport = Viewport::new(
            BigComplex::new("-0.7".parse().unwrap(), "0".parse().unwrap()),
            height.parse().unwrap(),
            [60, 40],
        );
        let task = EscapeTime { formula, plane: plane.clone(), max_iterations: 300, bailout: 2.0 };
        let plain = Job::new(viewport.unwrap(), Task::EscapeTime(task));
        let plain = Job { channels: Channels { smooth: true, periods: true, distance: false }, ..plain };
        let job = with_slopes(plain.clone());
        let expected = render(&mut *named("naive"), &Job { shortcuts: Shortcuts::NONE, ..job.clone() });
        for mut engine in f64_engines() {
            let got = render(&mut *engine, &job);
            let why = format!("{}, {} {plane:?}", engine.key(), formula.key());
            assert!(got.slopes() == expected.slopes(), "{why}");
            assert_eq!(got.samples(), render(&mut *engine, &plain).samples(), "{why}");
        }
        let band = render(&mut *named("tiles"), &Job { lattice: Lattice::band(11, 7), ..job.clone() });
        assert_eq!(band.slopes().unwrap(), &expected.slopes().unwrap()[11 * 60..18 * 60]);
    }
}

#[test]
fn folded_formulas_have_the_slope_of_their_potential() {
    // Between neighbouring samples of a fine picture ln ln|z_n| − n ln d rises by about its gradient.
    for (formula, at) in [(FormulaId::BurningShip, ["-1.2", "-0.9"]), (FormulaId::Tricorn, ["-0.6", "1.1"])] {
        let [re, im] = at.map(|part| part.parse().unwrap());
        let viewport = Viewport::new(BigComplex::new(re, im), "1e-5".parse().unwrap(), [3, 3]).unwrap();
        let task = EscapeTime { formula, plane: Plane::Parameter, max_iterations: 300, bailout: 1000.0 };
        let field = render(&mut *named("tiles"), &with_slopes(Job::new(viewport, Task::EscapeTime(task))));
        // ν falls where the potential rises: by 1/(distance · ln d) a pixel.
        let smooth = |i: usize| f64::from(field.samples()[i].iterations) + f64::from(field.samples()[i].fraction);
        let slope = field.slopes().unwrap()[4];
        let expected = Complex::new(smooth(3) - smooth(5), smooth(7) - smooth(1)).scaled(0.5);
        let steepness = (f64::from(slope.distance) * 2_f64.ln()).recip();
        let got = Complex::new(slope.direction[0].into(), slope.direction[1].into()).scaled(steepness);
        assert!(got.sub(expected).norm() < 1e-2 * expected.norm(), "{}: {got:?}, not {expected:?}", formula.key());
    }
}

/// So many pixels from the set no count is sensible: the bound below is one of several steps.
const HAIR: f64 = 1e-6;

/// Checks that in a draft, too, a point is moved by at most a hundredth of a pixel in effect, or nobody can see it.
fn check_draft(engine: &mut dyn Engine, job: &Job, lattice: Lattice, truth: True, why: &str) {
    let draft = render(engine, &Job { lattice, quality: Quality::Draft, ..job.clone() });
    let off = (draft.samples()[0].smooth() - truth.smooth).abs();
    let shift = off * truth.distance * 2_f64.ln();
    assert!(shift <= 0.01 || off <= 1e-5, "{why}: a draft's ν is off by {off}, or {shift} pixels");
}

/// Checks counts, smooth counts and distances of some pixels of a place against arbitrary precision.
///
/// |ν − ν_true| ≤ 1e-5 + 1e-6/distance on every pixel, and half of the distances are right to 1e-6.
fn check_against_truth(engine: &mut dyn Engine, place: Place, pixels: u32, why: &str) {
    let job = with_slopes(place.job());
    let [width, height] = place.size;
    let (mut distances, mut directions) = (Vec::new(), Vec::new());
    for k in 0..pixels {
        let [x, y] = [(k * 37 + 5) % width, (k * 23 + 11) % height];
        let lattice = Lattice { first_row: y, rows: 1, first_column: x, columns: 1, ..Lattice::FULL };
        let field = render(engine, &Job { lattice, ..job.clone() });
        let (sample, slope) = (field.samples()[0], field.slopes().unwrap()[0]);
        let truth = place.pixel([x, y]);
        let why = format!("{why}, pixel ({x}, {y}): {sample:?}, {slope:?}, not {truth:?}");
        assert!(sample.iterations > 0 || slope == Slope::INTERIOR, "{why}");
        if truth.iterations == 0 || truth.distance < HAIR {
            continue;
        }
        assert!(sample.iterations > 0, "{why}");
        let off = f64::from(sample.iterations) + f64::from(sample.fraction) - truth.smooth;
        assert!(off.abs() <= 1e-5 + 1e-6 / truth.distance, "{why}: ν is off by {off}");
        check_draft(engine, &job, lattice, truth, &why);
        distances.push((f64::from(slope.distance) / truth.distance - 1.0).abs());
        let [x, y] = slope.direction.map(f64::from);
        directions.push((x - truth.direction.re).hypot(y - truth.direction.im));
    }
    assert!(distances.len() > pixels as usize / 4, "{why}: only {} pixels escape", distances.len());
    distances.sort_by(f64::total_cmp);
    directions.sort_by(f64::total_cmp);
    let [distance, direction] = [&distances, &directions].map(|errors| errors[errors.len() / 2]);
    assert!(distance <= 1e-6 && direction <= 1e-6, "{why}: median errors {distance} and {direction}");
}

#[test]
fn shallow_places_are_those_of_arbitrary_precision() {
    let mut random = Random(7);
    for (digits, height) in (1..=7).zip(["1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7"]) {
        for _ in 0..3 {
            let [re, im] = boundary_point(random.angle(), digits, 3000);
            let place = Place { center: [&re, &im], height, size: [96, 64], max_iterations: 3000, bailout: 1000.0 };
            // Deltas are for pixels of 1.5e-5 and less.
            for key in ["naive", "tiles", "perturbation"].into_iter().take(if digits < 4 { 2 } else { 3 }) {
                check_against_truth(&mut *named(key), place, 24, &format!("{key} at {re}, {im}, height {height}"));
            }
        }
    }
}

#[test]
fn deep_places_are_those_of_arbitrary_precision() {
    let seahorse = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    // (centre, height, cap, pixels, why)
    for (center, height, cap, pixels, why) in [
        (seahorse, "1e-10", 5000, 24, "where f64 has failed"),
        (seahorse, "1e-20", 20_000, 24, "where it sees one pixel"),
        (["-0.7436438870371587047", "0.1318259042"], "3e-9", 5000, 24, "a centre that escapes early"),
        (["-2", "0"], "1e-30", 1000, 24, "the end of the needle"),
        (["-1.9999999999999999999999999999", "0"], "1e-30", 1000, 24, "on the needle"),
        (["0", "1"], "1e-100", 1000, 24, "a Misiurewicz point"),
        (["0", "1"], "3e-306", 2000, 12, "where the deltas of f64 end"),
        (["0", "1"], "1e-309", 2000, 12, "and below"),
        (["1e-1000", "1"], "1e-1000", 4000, 8, "far below, beside the centre of the spiral"),
        (["0", "1"], "1e-4933", 16_000, 2, "where longer floats end, too"),
    ] {
        let place = Place { center, height, size: [96, 64], max_iterations: cap, bailout: 1000.0 };
        check_against_truth(&mut *named("perturbation"), place, pixels, why);
    }
    let mut random = Random(5);
    for (digits, height) in [(9, "1e-9"), (12, "3e-12"), (17, "1e-17"), (26, "2e-26"), (40, "1e-40")] {
        let [re, im] = boundary_point(random.angle(), digits, 5000);
        let place = Place { center: [&re, &im], height, size: [96, 64], max_iterations: 8000, bailout: 1000.0 };
        check_against_truth(&mut *named("perturbation"), place, 24, &format!("{re}, {im}, height {height}"));
    }
}

#[test]
fn f64_orbits_and_deltas_agree() {
    let mut random = Random(11);
    for (digits, height) in (3..).zip(["1e-3", "1e-4", "1e-5", "1e-6", "1e-7"]) {
        for _ in 0..2 {
            let [re, im] = boundary_point(random.angle(), digits, 3000);
            let place = Place { center: [&re, &im], height, size: [144, 96], max_iterations: 3000, bailout: 1000.0 };
            let direct = render(&mut *named("tiles"), &with_slopes(place.job()));
            let channels = Channels { smooth: true, ..Channels::default() };
            let by_deltas = render(&mut *named("perturbation"), &Job { channels, ..place.job() });
            let slopes = direct.slopes().unwrap().iter();
            // Points that stay would go on at least to the cap.
            let smooth = |sample: &Sample| if sample.iterations == 0 { 3000.0 } else { sample.smooth() };
            let apart = direct.samples().iter().zip(by_deltas.samples()).zip(slopes).filter(|((a, b), slope)| {
                // How far, in pixels, a point would have to move for such a difference.
                (smooth(a) - smooth(b)).abs() * f64::from(slope.distance) * 2_f64.ln() > 0.01
            });
            let apart = apart.count();
            assert!(apart <= 144 * 96 / 100, "{re}, {im}, height {height}: {apart} of {} apart", 144 * 96);
        }
    }
}

/// Splitmix64.
struct Random(u64);

impl Random {
    /// An angle, in radians.
    fn angle(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 * std::f64::consts::TAU
    }
}
