//! Perturbation of every formula over both planes, against orbits at full precision at places found by zooming in.

use cardioid::engine::{self, Engine, Machine, Naive, Perturbation};
use cardioid::fractal::FormulaId;
use cardioid::fractal::big_orbit::BigOrbit as _;
use cardioid::fractal::formula::{Followed, FollowedVisitor};
use cardioid::fractal::formula_orbit::{FormulaOrbit, Neighbours};
use cardioid::fractal::reference::fraction_limbs;
use cardioid::math::{BigComplex, Complex, Decimal};
use cardioid::render::{Channels, EscapeTime, Field, HostSink, Job, Latest, Lattice, Plane, Sample, Task, Viewport};

/// Size of the pictures: shares of the height are exact.
const SIZE: [u32; 2] = [96, 64];
const CAP: u32 = 10_000;

fn job(formula: FormulaId, plane: &Plane, viewport: Viewport, bailout: f64) -> Job {
    let plane = plane.clone();
    let task = EscapeTime { formula, plane, max_iterations: CAP, bailout };
    let channels = Channels { smooth: true, ..Channels::default() };
    Job { channels, ..Job::new(viewport, Task::EscapeTime(task)) }
}

fn engine(threads: usize) -> Perturbation {
    Perturbation::new(Machine::without_gpu(threads).unwrap().pool)
}

/// By perturbation where it does such views, else by the definition.
fn render(engine: &mut Perturbation, job: &Job) -> Field {
    let mut field = Field::of_job(job);
    let engine: &mut dyn Engine = if engine.supports(job).is_ok() { engine } else { &mut Naive };
    engine::render(engine, job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field
}

fn sample(engine: &mut Perturbation, job: &Job, [x, y]: [u32; 2]) -> Sample {
    let lattice = Lattice { first_row: y, rows: 1, first_column: x, columns: 1, ..Lattice::FULL };
    render(engine, &Job { lattice, ..job.clone() }).samples()[0]
}

/// Zooms in on the boundary from the whole set on, and stops where the height falls below some powers of ten: towards a point of
/// the picture whose distance is about a third of a pixel, or the next best but `skip`. Where the Burning Ship folds the plane
/// distances are small, too: there, one whose neighbour escapes some twenty steps earlier or later.
fn descend(formula: FormulaId, plane: &Plane, exponents: &[i32], skip: usize) -> Vec<Viewport> {
    let ([re, im], height) = if *plane == Plane::Parameter { formula.home() } else { (["0", "0"], "3") };
    let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
    let mut viewport = Viewport::new(center, height.parse().unwrap(), [24, 16]).unwrap();
    let mut engine = engine(2);
    let mut stops = Vec::new();
    while stops.len() < exponents.len() {
        let mut job = job(formula, plane, viewport.clone(), 1000.0);
        job.channels.distance = true;
        let field = render(&mut engine, &job);
        let steps = |i: usize| f64::from(field.samples()[i].iterations);
        let jump = |i: usize| (steps(i) - steps(i + 1)).abs().max((steps(i) - steps(i + 24)).abs());
        let off = |i: usize| match formula {
            FormulaId::BurningShip => ((jump(i) + 0.1) / 20.0).ln().abs(),
            _ => (f64::from(field.slopes().unwrap()[i].distance) / 0.3).ln().abs(),
        };
        let mut order: Vec<usize> = (0..24 * 15 - 1).filter(|&i| steps(i) > 0.0).collect();
        order.sort_by(|&i, &j| off(i).total_cmp(&off(j)));
        let at = [order[skip] % 24, order[skip] / 24].map(|i| i as f64 + 0.5);
        // As high as two pixels of the last one.
        let anchor = viewport.plane_from_pixel(at);
        viewport = Viewport::new(anchor, viewport.height().scaled(0.125, 6), [24, 16]).unwrap();
        let log10 = viewport.height().to_float_exp().log2() * std::f64::consts::LOG10_2;
        if log10 < f64::from(exponents[stops.len()]) {
            stops.push(viewport.with_size(SIZE).unwrap());
        }
    }
    stops
}

/// What a pixel's orbit in big numbers says.
#[derive(Clone, Copy, Debug)]
struct Truth {
    /// Smooth count for R = 1000; 0 where |z_n| stays below 4 up to the cap.
    smooth: f64,
    /// About the distance to the set, in pixels.
    distance: f64,
}

/// The truth of one pixel, from its exact place.
struct TruthOf<'a> {
    job: &'a Job,
    pixel: [u32; 2],
}

impl FollowedVisitor for TruthOf<'_> {
    type Output = Truth;

    fn visit<F: Followed>(self) -> Truth {
        let Self { job, pixel: [x, y] } = self;
        let viewport = &job.viewport;
        let [width, height] = viewport.size().map(f64::from);
        let along = |pixels: f64| &Decimal::from_f64(pixels / height) * viewport.height();
        let re = &viewport.center().re + &along(f64::from(x) + 0.5 - width / 2.0);
        let im = &viewport.center().im - &along(f64::from(y) + 0.5 - height / 2.0);
        let point = BigComplex::new(re, im);
        let step = viewport.finest_step();
        // Of a dynamical plane, points may come as near to 0 as a pixel to the power of the degree.
        let limbs = fraction_limbs(step) * (F::DEGREE as usize) + 2;
        let zero = BigComplex::new(0.into(), 0.into());
        let Task::EscapeTime(task) = &job.task else { unreachable!() };
        let (mut orbit, c) = match &task.plane {
            Plane::Parameter => (FormulaOrbit::<F>::new(&zero, &point, limbs, Neighbours::Parameter), point.to_f64()),
            Plane::Dynamical { c } => (FormulaOrbit::<F>::new(&point, c, limbs, Neighbours::Dynamical), c.to_f64()),
        };
        for n in 1..=CAP {
            let mut z = orbit.step().to_f64();
            // Near 2, rounding to f64 would leave too little.
            if z.norm() <= 4.0 {
                continue;
            }
            let growth = orbit.spread().mul(step).to_f64();
            let distance = z.norm() * z.norm().ln() / growth;
            let mut m = n;
            while z.norm() <= 1000.0 {
                z = F::step(z, c);
                m += 1;
            }
            let smooth = f64::from(m) + 1.0 - (z.norm().ln() / 1000_f64.ln()).ln() / F::DEGREE.ln();
            return Truth { smooth, distance };
        }
        Truth { smooth: 0.0, distance: 0.0 }
    }
}

/// Samples of some pixels of a view; whether these differ.
fn check(formula: FormulaId, plane: &Plane, viewport: &Viewport, why: &str) -> bool {
    let job = job(formula, plane, viewport.clone(), 1000.0);
    let mut engine = engine(1);
    let mut values = Vec::new();
    for k in 0..12 {
        let pixel = [(k * 37 + 5) % SIZE[0], (k * 23 + 11) % SIZE[1]];
        let truth = formula.visit_followed(TruthOf { job: &job, pixel }).unwrap();
        values.push(truth.smooth);
        let got = sample(&mut engine, &job, pixel);
        let smooth = f64::from(got.iterations) + f64::from(got.fraction);
        // The fraction is held as f32.
        let bound = 1e-5 + 2e-6 / truth.distance;
        let is_right = match (got.iterations == 0, truth.smooth == 0.0) {
            (true, true) => true,
            (true, _) | (_, true) => truth.distance < 1e-9,
            _ => (smooth - truth.smooth).abs() < bound,
        };
        assert!(is_right, "{}, {why}, {}, {pixel:?}: {smooth}, not {truth:?}", formula.key(), viewport.height());
    }
    values.iter().any(|value| (value - values[0]).abs() > 0.01)
}

#[test]
fn samples_of_every_formula_are_those_of_big_orbits() {
    for &formula in FormulaId::ALL.iter().filter(|&&formula| formula != FormulaId::Quadratic) {
        let is_folded = matches!(formula, FormulaId::BurningShip | FormulaId::Tricorn);
        for (skip, exponents) in [(0, &[-5, -7, -9, -21, -60, -330][..if is_folded { 6 } else { 5 }]), (2, &[-6, -30])]
        {
            let views = descend(formula, &Plane::Parameter, exponents, skip);
            let rich = views.iter().filter(|viewport| check(formula, &Plane::Parameter, viewport, "parameters"));
            assert!(2 * rich.count() >= views.len(), "{}: most pixels are alike", formula.key());
        }
    }
}

fn big(re: &str, im: &str) -> BigComplex {
    BigComplex::new(re.parse().unwrap(), im.parse().unwrap())
}

#[test]
fn samples_of_julia_sets_are_those_of_big_orbits() {
    for &formula in FormulaId::ALL {
        // (c, why)
        for (c, why) in [
            (big("-0.8", "0.156"), "a web of spirals"),
            (big("-0.4", "0.6"), "a c whose orbit of 0 may leave"),
            (big("-1", "0"), "for z² + c, 0 has the period 2"),
        ] {
            let plane = Plane::Dynamical { c };
            let views = descend(formula, &plane, &[-6, -30, -99], 0);
            let rich = views.iter().filter(|viewport| check(formula, &plane, viewport, why));
            // Much of what this ship leaves of its Julia sets is bare.
            let is_bare = formula == FormulaId::BurningShip;
            assert!(2 * rich.count() >= views.len() || is_bare, "{}, {why}: most pixels are alike", formula.key());
        }
    }
}

#[test]
fn julia_sets_of_deep_parameters_are_those_of_big_orbits() {
    // (c, centre, height, why)
    for (c, center, height, why) in [
        (["0", "1"], ["0", "1"], "1e-30", "a Misiurewicz point, about itself"),
        (["1e-30", "1"], ["0", "0"], "1e-14", "1e-30 beside it, about 0: copies of its spiral"),
        (["1e-30", "1"], ["0", "0"], "1e-10", "the same from farther away"),
        (["1e-30", "1"], ["1e-30", "1"], "1e-28", "about c, as deep as c is beside the point"),
        (["1e-100", "1"], ["0", "0"], "1e-49", "1e-100 beside it"),
        (["1e-100", "1"], ["1e-200", "1e-210"], "1e-48", "and about nearly 0"),
        (["1e-700", "1"], ["0", "0"], "1e-349", "beyond f64"),
        (["-1.999999999999999999999999999999", "0"], ["2", "0"], "1e-28", "the end of a needle"),
        (["-2.5", "0.25"], ["2.155", "-0.076"], "1e-2", "a c outside, where |z| above 2 may stay"),
    ] {
        let plane = Plane::Dynamical { c: big(c[0], c[1]) };
        let viewport = Viewport::new(big(center[0], center[1]), height.parse().unwrap(), SIZE).unwrap();
        assert!(check(FormulaId::Quadratic, &plane, &viewport, why), "{why}: all pixels are alike");
    }
}

#[test]
fn samples_and_slopes_are_those_of_f64_where_both_can() {
    for &formula in FormulaId::ALL {
        for plane in [Plane::Parameter, Plane::dynamical(Complex::new(-0.8, 0.156))] {
            if (formula, &plane) == (FormulaId::Quadratic, &Plane::Parameter) {
                continue;
            }
            for (viewport, rotation) in descend(formula, &plane, &[-4, -5], 1).into_iter().zip([0.0, 40.0]) {
                let mut job = job(formula, &plane, viewport.with_rotation(rotation).unwrap(), 1000.0);
                job.channels.distance = true;
                let [plain, deltas] = [&mut Naive as &mut dyn Engine, &mut engine(2)].map(|engine| {
                    let mut field = Field::of_job(&job);
                    engine::render(engine, &job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
                    field
                });
                let smooth = |sample: &Sample| f64::from(sample.iterations) + f64::from(sample.fraction);
                let (mut shifted, mut steep) = (0, 0);
                for i in 0..plain.samples().len() {
                    let off = smooth(&plain.samples()[i]) - smooth(&deltas.samples()[i]);
                    let [a, b] = [&plain, &deltas].map(|field| field.slopes().unwrap()[i]);
                    let distance = f64::from(b.distance);
                    shifted += u32::from(off.abs() * distance * std::f64::consts::LN_2 > 0.01);
                    let turned = (a.direction[0] - b.direction[0]).hypot(a.direction[1] - b.direction[1]);
                    let differs = (f64::from(a.distance) / distance - 1.0).abs() > 1e-3 || turned > 1e-3;
                    steep += u32::from(distance > 0.01 && differs);
                }
                let most = SIZE[0] * SIZE[1] / 100;
                let place = format!("{} {plane:?} {}", formula.key(), job.viewport.height());
                assert!(shifted < most && steep < 2 * most, "{place}: {shifted} shifted, {steep} of another slope");
            }
        }
    }
}

#[test]
fn neither_tiles_nor_threads_nor_history_change_a_byte() {
    for (formula, plane) in [
        (FormulaId::BurningShip, Plane::Parameter),
        (FormulaId::Quadratic, Plane::dynamical(Complex::new(-0.8, 0.156))),
    ] {
        let viewport = descend(formula, &plane, &[-30], 0).remove(0);
        let job = job(formula, &plane, viewport, 1000.0);
        let expected = render(&mut engine(1), &job);
        for (threads, side) in [(1, 1), (2, 7), (2, 64)] {
            let mut engine = engine(threads).with_side(side);
            render(&mut engine, &Job { lattice: Lattice::coarse(4), ..job.clone() });
            assert!(render(&mut engine, &job) == expected, "{} in tiles of {side}", formula.key());
            let band = render(&mut engine, &Job { lattice: Lattice::band(20, 9), ..job.clone() });
            assert_eq!(band.row(3), expected.row(23));
        }
    }
}
