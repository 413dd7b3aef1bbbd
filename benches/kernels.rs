//! The CPU kernels alone, on one thread: steps of the definition a second, at places that are all
//! inside, all escaped, mixed and deep, with shortcuts and without.

use cardioid::engine::{Engine, Machine, Naive, SimdEngine, Tiles};
use cardioid::fractal::attractor::Effort;
use cardioid::fractal::{FormulaId, MapId};
use cardioid::math::BigComplex;
use cardioid::render::{
    Channels, EscapeTime, Job, Latest, Lattice, OrbitDensity, Plane, Quality, Sample, Shortcuts, Sink, Task, Tile,
    Viewport,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const SIZE: [u32; 2] = [480, 270];

/// Name, centre, height, cap.
const PLACES: &[(&str, [&str; 2], &str, u32)] = &[
    ("all inside", ["-0.16", "0"], "0.2", 1000),
    ("all escaped", ["0.5", "1"], "0.5", 1000),
    ("mixed: home", ["-0.75", "0"], "2.5", 1000),
    ("mixed: seahorse valley", ["-0.75", "0.11"], "0.05", 1000),
    ("inside a period-3 bulb", ["-0.1225", "0.745"], "0.1", 1000),
    ("deep: spiral", ["-0.743643887037151", "0.131825904205330"], "1e-10", 5000),
];

fn job(&(_, [re, im], height, max_iterations): &(&str, [&str; 2], &str, u32), shortcuts: Shortcuts) -> Job {
    let number = "a number is written in the table";
    let center = BigComplex::new(re.parse().expect(number), im.parse().expect(number));
    let task = EscapeTime { formula: FormulaId::Quadratic, plane: Plane::Parameter, max_iterations, bailout: 2.0 };
    Job {
        viewport: Viewport::new(center, height.parse().expect(number), SIZE).expect("a view is written in the table"),
        lattice: Lattice::FULL,
        task: Task::EscapeTime(task),
        channels: Channels::default(),
        quality: Quality::Exact,
        shortcuts,
        focus: SIZE.map(|size| size as f32 / 2.0),
    }
}

/// Keeps nothing: what is timed is the kernel.
struct Nowhere;

impl Sink for Nowhere {
    fn put(&self, _: Tile, samples: &[Sample]) {
        std::hint::black_box(samples);
    }
}

fn kernels(criterion: &mut Criterion) {
    for place in PLACES {
        let mut group = criterion.benchmark_group(place.0);
        group.sample_size(10);
        let mut bench = |name: &str, engine: &mut dyn Engine, job: &Job| {
            let mut render = || engine.render(job, &Latest::forever(), &Nowhere).expect("f64 can do these views");
            group.throughput(Throughput::Elements(render().steps));
            group.bench_function(name, |bencher| bencher.iter(&mut render));
        };
        let (all, none) = (job(place, Shortcuts::ALL), job(place, Shortcuts::NONE));
        bench("simd", &mut SimdEngine::new(), &all);
        bench(
            "simd, smooth",
            &mut SimdEngine::new(),
            &Job { channels: Channels { smooth: true, ..Channels::default() }, ..all.clone() },
        );
        bench("simd, no shortcuts", &mut SimdEngine::new(), &none);
        bench("naive", &mut Naive, &none);
    }
}

/// Bifurcation diagrams of 1920 columns on one thread: a pass while the view moves, and one of those once it stands still.
fn diagrams(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bifurcation");
    group.sample_size(10);
    let machine = Machine::without_gpu(1).expect("threads can be had");
    for (name, orbits, kept, effort) in [("moving", 4, 256, Effort::MOVING), ("still", 8, 512, Effort::STILL)] {
        let corner = |re: &str, im: &str| {
            let number = "a number is written here";
            BigComplex::new(re.parse().expect(number), im.parse().expect(number))
        };
        let size = [1920, 1080];
        let viewport = Viewport::from_box(&corner("-2.02", "-2.05"), &corner("0.27", "2.05"), size);
        let task = OrbitDensity { map: MapId::Quadratic, orbits: 0..orbits, kept, effort };
        let job = Job {
            viewport: viewport.expect("a view is written here"),
            task: Task::OrbitDensity(task),
            ..job(&PLACES[0], Shortcuts::ALL)
        };
        let mut tiles = Tiles::new(machine.pool.clone());
        let mut render = || tiles.render(&job, &Latest::forever(), &Nowhere).expect("f64 can do this view");
        group.throughput(Throughput::Elements(render().steps));
        group.bench_function(name, |bencher| bencher.iter(&mut render));
    }
}

criterion_group!(benches, kernels, diagrams);
criterion_main!(benches);
