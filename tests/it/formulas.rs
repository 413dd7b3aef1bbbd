//! Every formula on every engine: what the definition counts, and what the device sees of it.

use cardioid::engine::{Engine, GpuEngine, Machine, Naive, SimdEngine, Symmetric, Tiles};
use cardioid::fractal::FormulaId;
use cardioid::gpu::Gpu;
use cardioid::math::{BigComplex, Complex};
use cardioid::render::{
    Channels, EscapeTime, Field, HostSink, Job, Latest, Lattice, Plane, Quality, Shortcuts, Task, Viewport,
};

/// A formula's home view, or the dynamical plane of some c.
fn job(formula: FormulaId, plane: Plane, size: [u32; 2], max_iterations: u32, bailout: f64) -> Job {
    let ([re, im], height) = match &plane {
        Plane::Parameter => formula.home(),
        Plane::Dynamical { .. } => (["0", "0"], "3"),
    };
    let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
    Job {
        viewport: Viewport::new(center, height.parse().unwrap(), size).unwrap(),
        lattice: Lattice::FULL,
        task: Task::EscapeTime(EscapeTime { formula, plane, max_iterations, bailout }),
        channels: Channels { smooth: true, ..Channels::default() },
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0, 0.0],
    }
}

fn render(engine: &mut dyn Engine, job: &Job) -> Field {
    let mut field = Field::missing(job.size());
    let result = engine.render(job, &Latest::forever(), &HostSink::new(&mut field));
    result.unwrap_or_else(|e| panic!("{}: {e}", engine.key()));
    field
}

/// Of parameters, and two dynamical ones: the second of a real c, where Julia sets mirror.
fn planes() -> [Plane; 3] {
    [Plane::Parameter, Plane::dynamical(Complex::new(-0.4, 0.6)), Plane::dynamical(Complex::new(-0.7, 0.0))]
}

#[test]
fn engines_give_the_samples_of_the_definition() {
    let machine = Machine::without_gpu(2).unwrap();
    let mut engines: [Box<dyn Engine>; 3] =
        [Box::new(Symmetric), Box::new(SimdEngine::new()), Box::new(Tiles::new(machine.pool))];
    for &formula in FormulaId::ALL {
        for plane in planes() {
            for (max_iterations, bailout) in [(300, 2.0), (77, 2.5), (500, 1000.0), (100, 1e154), (100, 1e200)] {
                let job = job(formula, plane.clone(), [61, 41], max_iterations, bailout);
                let expected = render(&mut Naive, &job);
                for engine in &mut engines {
                    let got = render(engine.as_mut(), &job);
                    let (key, task) = (engine.key(), &job.task);
                    assert_eq!(expected.differing_counts(&got, max_iterations).0, 0, "{key}: counts of {task:?}");
                    assert!(got == expected, "{key}: fractions of {task:?}");
                }
            }
        }
    }
}

#[test]
fn the_device_counts_as_far_as_f32_can() {
    let gpu = match Gpu::headless() {
        Ok(gpu) => gpu,
        Err(e) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{e}"),
        Err(e) => return eprintln!("SKIP: {e}"),
    };
    let mut engine = GpuEngine::new(Ok(gpu));
    for &formula in FormulaId::ALL {
        // About twice what a software device shows. The ship's rigging is fine enough that one rounding decides often.
        let home_bound = if formula == FormulaId::BurningShip { 0.05 } else { 0.004 };
        let [parameters, points, _] = planes();
        for (plane, bailout, bound) in [
            (&parameters, 1000.0, home_bound),
            (&parameters, 2.0, home_bound),
            (&parameters, 1e9, home_bound),
            // Near their boundary almost everywhere, if not dust.
            (&points, 1000.0, 0.06),
        ] {
            let job = job(formula, plane.clone(), [160, 120], 300, bailout);
            let (expected, got) = (render(&mut Naive, &job), render(&mut engine, &job));
            let share = expected.differing_counts(&got, 300).0 as f64 / got.samples().len() as f64;
            eprintln!("{}, R = {bailout}: {:.3} % of counts differ", formula.key(), share * 100.0);
            assert!(share <= bound, "{} with {plane:?}, R = {bailout}: {share}", formula.key());
            let pairs = got.samples().iter().zip(expected.samples()).filter(|(a, b)| a.iterations == b.iterations);
            let mut off: Vec<f32> = pairs.map(|(a, b)| (a.fraction - b.fraction).abs()).collect();
            off.sort_by(f32::total_cmp);
            assert!(off[off.len() * 95 / 100] < 1e-3, "{}: fractions at R = {bailout}", formula.key());
        }
    }
}
