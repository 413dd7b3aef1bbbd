//! Jittered samples on every engine, and the averages of them in files.

use std::time::{Duration, Instant};

use cardioid::app::export::{Destination, Export, Output, Picture};
use cardioid::app::{Command, Explorer, Location, Pass, Subframes};
use cardioid::color::{AveragePass, Coloring, Palette, add_light, average_light, shade};
use cardioid::engine::{Engine, Machine, Naive, Precision, Tiles, all};
use cardioid::fractal::FormulaId;
use cardioid::gpu::{Gpu, Picture as DevicePicture};
use cardioid::math::BigComplex;
use cardioid::render::{Channels, EscapeTime, Field, HostSink, Jitter, Job, Latest, Plane, Stats, Task, Viewport};

use super::navigation::{explorer, fresh, pass, settle, shown};

const SEAHORSE: [&str; 2] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];

fn job(center: [&str; 2], height: &str, degrees: f64, size: [u32; 2], max_iterations: u32) -> Job {
    let [re, im] = center.map(|text| text.parse().unwrap());
    let viewport = Viewport::new(BigComplex::new(re, im), height.parse().unwrap(), size).unwrap();
    let (formula, plane) = (FormulaId::Quadratic, Plane::Parameter);
    let task = Task::EscapeTime(EscapeTime { formula, plane, max_iterations, bailout: 1000.0 });
    let channels = Channels { smooth: true, ..Channels::default() };
    Job { channels, ..Job::new(viewport.with_rotation(degrees).unwrap(), task) }
}

fn jittered(job: &Job, jitter: Jitter) -> Job {
    Job { lattice: job.lattice.jittered(jitter), ..job.clone() }
}

fn render(engine: &mut dyn Engine, job: &Job) -> (Field, Stats) {
    let mut field = Field::missing(job.size());
    let stats = engine.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    (field, stats)
}

/// Every second sample of a picture twice as large, beginning at a column and a row.
fn every_second(of: &Field, [column, row]: [u32; 2]) -> Field {
    let [width, height] = of.size().map(|pixels| pixels / 2);
    let places = (0..height).flat_map(|j| (0..width).map(move |i| (2 * i + column, 2 * j + row)));
    Field::from_samples([width, height], places.map(|(x, y)| of.row(y)[x as usize]).collect())
}

#[test]
fn a_quarter_of_a_pixel_leads_to_the_pixels_of_a_picture_twice_as_large() {
    let machine = Machine::without_gpu(2).unwrap();
    let mut engines = all(&Machine { gpu: Gpu::headless().map_err(|e| e.to_string()), ..machine });
    for (center, height, degrees, cap, why) in [
        (["-0.75", "0"], "2.5", 0.0, 300, "across the axis"),
        (["-0.7445", "0.1"], "1e-2", 30.0, 1000, "turned"),
        (SEAHORSE, "1e-11", 0.0, 3000, "near the end of f64"),
        (SEAHORSE, "1e-20", 77.0, 5000, "deep"),
    ] {
        let size = [48, 32];
        let (plain, twice) =
            (job(center, height, degrees, size, cap), job(center, height, degrees, size.map(|s| 2 * s), cap));
        let able = |engine: &&mut Box<dyn Engine>| [&plain, &twice].iter().all(|job| engine.supports(job).is_ok());
        for engine in engines.iter_mut().filter(able) {
            let (whole, _) = render(engine.as_mut(), &twice);
            for (jitter, first) in [(Jitter { x: 1024, y: -1024 }, [1, 0]), (Jitter { x: -1024, y: 1024 }, [0, 1])] {
                let (got, _) = render(engine.as_mut(), &jittered(&plain, jitter));
                let (differing, _) = got.differing_counts(&every_second(&whole, first), cap);
                // Bit for bit in upright views; elsewhere places are sums that round, and references may differ.
                let most =
                    if degrees == 0.0 && engine.precision() == Precision::F64 { 0 } else { got.samples().len() / 20 };
                assert!(differing <= most, "{} {why}: {differing} counts differ", engine.key());
            }
        }
    }
}

#[test]
fn subframes_of_a_deep_view_share_one_reference() {
    let machine = Machine::without_gpu(2).unwrap();
    let mut engines = all(&Machine { gpu: Gpu::headless().map_err(|e| e.to_string()), ..machine });
    let deep = job(SEAHORSE, "1e-28", 0.0, [40, 30], 50_000);
    for engine in engines.iter_mut().filter(|engine| engine.supports(&deep).is_ok()) {
        let first = render(engine.as_mut(), &deep).1.phases.preparation();
        assert!(first > Duration::ZERO, "{}", engine.key());
        // What is found again takes microseconds; the least of some, for a busy machine may stop a thread anywhere.
        let again = (1..6).map(|i| render(engine.as_mut(), &jittered(&deep, Jitter::nth(i))).1.phases.preparation());
        assert!(again.min().unwrap() < first / 10, "{}: a new reference", engine.key());
    }
}

/// The bytes of the picture that a job is exported to, three a pixel.
pub fn exported(job: &Job, engine: &mut dyn Engine, supersample: u32, palette: &Palette) -> Vec<[u8; 3]> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let location = Location::parse("here", "max_iterations = 400").unwrap();
    let output = Output::Picture(Picture { palette, coloring: Coloring::default(), supersample, location: &location });
    let destination = Destination::open(&path, false).unwrap();
    Export { job: job.clone(), output }.run(engine, destination, &Latest::forever(), &|_| {}).unwrap();
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes.as_chunks().0.to_vec()
}

#[test]
fn files_average_the_first_places_of_the_list() {
    let palette = Palette::default_palette();
    let (params, job) = (Coloring::default().params(palette), job(["-0.7445", "0.1"], "3e-2", 0.0, [70, 50], 400));
    let mut light = vec![[0; 3]; 70 * 50];
    let mut shaded = vec![[0; 4]; light.len()];
    for count in 1..=9 {
        shade(&params, palette.table(), &render(&mut Naive, &jittered(&job, Jitter::nth(count - 1))).0, &mut shaded);
        add_light(&shaded, &mut light);
        let side = count.isqrt();
        if side * side == count {
            let mut expected = vec![[0; 3]; light.len()];
            average_light(&light, count, &mut expected);
            let mut tiles = Tiles::new(Machine::without_gpu(2).unwrap().pool);
            assert!(exported(&job, &mut tiles, side, palette) == expected, "{side} × {side} samples a pixel");
        }
    }
}

#[test]
fn averages_come_nearer_to_the_picture_of_many_samples() {
    let job = job(["-0.7445", "0.1"], "3e-2", 0.0, [60, 40], 1000);
    let mut tiles = Tiles::new(Machine::without_gpu(2).unwrap().pool);
    let mut drawn = |side| exported(&job, &mut tiles, side, Palette::default_palette());
    let truth = drawn(16);
    let error = |picture: Vec<[u8; 3]>| {
        let levels =
            picture.iter().flatten().zip(truth.iter().flatten()).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
        (levels.sum::<f64>() / (3 * truth.len()) as f64).sqrt()
    };
    let errors = [1, 2, 4, 8].map(|side| error(drawn(side)));
    // The error of n places spread evenly falls faster than with √n; twice as fine is at least 1.7 times as near.
    assert!(errors.windows(2).all(|pair| pair[0] > 1.7 * pair[1]), "{errors:?}");
}

/// What the window does with subframes, on the processor.
struct Sum {
    light: Vec<[u32; 3]>,
    count: u32,
}

impl Sum {
    fn of(explorer: &Explorer) -> Self {
        let settled = explorer.upper.subframes().expect("it has begun").settled().clone();
        let [width, height] = settled.job.size();
        let mut sum = Self { light: vec![[0; 3]; (width * height) as usize], count: 0 };
        sum.add(explorer, &settled);
        sum
    }

    fn add(&mut self, explorer: &Explorer, pass: &Pass) {
        let (palette, coloring) = (explorer.state.palette, explorer.state.coloring);
        let mut shaded = vec![[0; 4]; self.light.len()];
        shade(&coloring.params(palette), palette.table(), &pass.samples().unwrap(), &mut shaded);
        add_light(&shaded, &mut self.light);
        self.count += 1;
    }

    /// Lets frames pass until so many samples a pixel are added.
    fn go_on(&mut self, explorer: &mut Explorer, count: u32) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.count < count {
            pass(explorer);
            for subframe in explorer.upper.subframes().map(Subframes::take).unwrap_or_default() {
                self.add(explorer, &subframe);
            }
            assert!(Instant::now() < deadline, "{} of {count} subframes came", self.count);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn average(&self) -> Vec<[u8; 3]> {
        let mut out = vec![[0; 3]; self.light.len()];
        average_light(&self.light, self.count, &mut out);
        out
    }
}

#[test]
fn the_window_comes_to_the_pictures_of_files() {
    for (height, engine) in [("1e-3", "tiles"), ("1e-25", "perturbation")] {
        let mut explorer = explorer([72, 48], 2);
        explorer.state.apply(Command::SetCenter { re: SEAHORSE[0].into(), im: SEAHORSE[1].into() });
        explorer.state.apply(Command::SetHeight(height.into()));
        settle(&mut explorer);
        pass(&mut explorer);
        let mut sum = Sum::of(&explorer);
        let settled = explorer.upper.subframes().unwrap().settled().clone();
        assert_eq!(settled.engine, engine);
        for side in [2, 4, 8] {
            sum.go_on(&mut explorer, side * side);
            let machine = Machine::without_gpu(2).unwrap();
            let mut engines = all(&machine);
            let drawer = engines.iter_mut().find(|e| e.key() == engine).unwrap();
            let file = exported(&settled.job, drawer.as_mut(), side, explorer.state.palette);
            assert!(sum.average() == file, "{side} × {side} samples a pixel at {height}");
        }
        assert_eq!(explorer.upper.subframes().unwrap().progress(), (64, 64));
        assert!(!explorer.is_antialiasing(), "nothing is left to be done");
        std::thread::sleep(Duration::from_millis(30));
        pass(&mut explorer);
        assert!(explorer.upper.subframes().unwrap().take().is_empty(), "nothing is done any more");
        if height == "1e-3" {
            assert!(shown(&explorer) == fresh(&settled.job), "what lies below is the settled picture");
        }
    }
}

#[test]
fn changes_drop_subframes_and_colours_begin_them_anew() {
    let mut explorer = explorer([48, 32], 2);
    let begun = |explorer: &mut Explorer| {
        settle(explorer);
        pass(explorer);
        Sum::of(explorer).go_on(explorer, 3);
        explorer.upper.subframes().unwrap().id()
    };
    let count = |explorer: &Explorer| explorer.upper.subframes().map(|subframes| subframes.progress().0);
    begun(&mut explorer);
    for change in [
        Command::Pan { by_px: [3.0, 0.0] },
        Command::Resize { size: [50, 30] },
        Command::MoreIterations,
        Command::SetView("julia"),
        Command::Recompute,
    ] {
        explorer.state.apply(change.clone());
        pass(&mut explorer);
        // A picture as small as this may be settled again within the frame.
        assert!(count(&explorer).is_none_or(|count| count == 1), "{change:?}");
        begun(&mut explorer);
    }
    let before = begun(&mut explorer);
    explorer.state.apply(Command::NextPalette);
    pass(&mut explorer);
    assert_eq!(count(&explorer), Some(1), "in other colours");
    assert!(explorer.upper.status.settled, "which need no new picture");
    assert!(begun(&mut explorer) > before);

    explorer.state.apply(Command::ToggleAntialiasing);
    pass(&mut explorer);
    assert!(explorer.upper.subframes().is_none() && !explorer.is_antialiasing());
    explorer.state.apply(Command::ToggleAntialiasing);
    begun(&mut explorer);

    explorer.state.apply(Command::SetView("bifurcation"));
    settle(&mut explorer);
    pass(&mut explorer);
    assert!(explorer.upper.subframes().is_none(), "diagrams have none");
}

#[test]
fn the_device_averages_as_the_processor_does() {
    let Ok(gpu) = Gpu::headless() else { return eprintln!("SKIP: there is no device") };
    let pass = AveragePass::new(&gpu).unwrap();
    let size = [67, 33];
    let pixels = (size[0] * size[1]) as usize;
    let mut average = pass.begin(size).unwrap();
    for round in 0..2 {
        let mut light = vec![[0; 3]; pixels];
        for count in 1..=5_u32 {
            let random = |i: usize| (i as u32 + 7919 * (count + 10 * round)).wrapping_mul(2_654_435_761).to_be_bytes();
            let bytes: Vec<[u8; 4]> = (0..pixels).map(random).map(|[r, g, b, _]| [r, g, b, 255]).collect();
            add_light(&bytes, &mut light);
            let picture = DevicePicture::new(&gpu, size).unwrap();
            picture.write(&gpu, &bytes);
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            pass.add(&mut encoder, &mut average, &picture).unwrap();
            gpu.queue.submit([encoder.finish()]);
            let mut expected = vec![[0; 3]; pixels];
            average_light(&light, count, &mut expected);
            let got = average.picture().read_back(&gpu).unwrap();
            assert!(got.iter().zip(&expected).all(|(got, e)| *got == [e[0], e[1], e[2], 255]), "{count} pictures");
        }
        average.clear();
    }
}
