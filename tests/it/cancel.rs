//! Work that nobody wants any more: every engine of the processor lets go of its cores within a few milliseconds.

use std::time::{Duration, Instant};

use cardioid::app::{Command, Half, State};
use cardioid::engine::{self, Engine, Machine, all};
use cardioid::math::BigComplex;
use cardioid::render::{Channels, Job, Newest, RenderError, Sample, Shortcuts, Sink, Tile};

/// Longest time from the cancelling to the return of the engine.
const LONGEST: Duration = Duration::from_millis(10);
/// Work is cancelled after so many milliseconds: at its start, and well within it.
const AFTER: [u64; 4] = [1, 7, 40, 150];

struct Unseen;

impl Sink for Unseen {
    fn put(&self, _: Tile, _: &[Sample]) {}
    fn fill(&self, _: Tile, _: Sample) {}
}

/// The job that some lines of commands lead to, at every iteration.
fn job(half: Half, lines: &[&str]) -> Job {
    let mut state = State::new([1280, 800]);
    for line in lines {
        state.apply(line.parse::<Command>().unwrap_or_else(|why| panic!("{line}: {why}")));
        state.tick(1.0);
    }
    assert_eq!(state.notice().filter(|notice| notice.is_error), None);
    let channels = Channels { smooth: true, ..Channels::default() };
    Job { shortcuts: Shortcuts::NONE, channels, ..state.job_of(half) }
}

fn go_to(re: &str, im: &str, height: &str) -> String {
    Command::GoTo(format!("center = [\"{re}\", \"{im}\"], height = \"{height}\"")).line()
}

/// Time from the cancelling to the return; `None` where the engine was done before.
fn time_to_stop(engine: &mut dyn Engine, job: &Job, after: Duration) -> Option<Duration> {
    engine.forget();
    let newest = Newest::default();
    let latest = newest.next();
    std::thread::scope(|scope| {
        let render = scope.spawn(|| {
            let ended = engine::render(engine, job, &latest, &Unseen);
            (Instant::now(), ended)
        });
        std::thread::sleep(after);
        let cancelled = Instant::now();
        newest.cancel();
        let (returned, ended) = render.join().unwrap();
        match ended {
            Err(RenderError::Cancelled) => Some(returned.saturating_duration_since(cancelled)),
            Ok(_) => None,
            Err(error) => panic!("{error}"),
        }
    })
}

#[test]
fn cancelled_work_releases_its_cores_within_ten_milliseconds() {
    let seahorse = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    let point: BigComplex = BigComplex::new(seahorse[0].parse().unwrap(), seahorse[1].parse().unwrap());
    let shallow = go_to(seahorse[0], seahorse[1], "1e-3");
    let deep = go_to(&point.re.to_string(), &point.im.to_string(), "1e-30");
    let cusp = go_to("0.25", "0", "1e-3000");
    let inside = go_to("-0.1", "0", "0.1");
    let many = "param max_iterations 100000000";
    let ship = "param formula burning-ship";
    let (upper, lower) = (Half::Upper, Half::Lower);
    // (what is drawn, half, commands, engines that must be among those that can)
    let cases = [
        ("inside", upper, vec![many, &inside], 5),
        ("seahorses", upper, vec![many, &shallow], 5),
        ("a Julia set", upper, vec!["view julia", many], 5),
        ("another formula", upper, vec![ship, many, "height 0.01"], 5),
        ("deep", upper, vec![many, &deep], 1),
        ("a reference in the making", upper, vec![many, &cusp], 1),
        ("a table in the making", upper, vec!["open deep-spiral", "param max_iterations 2000000"], 1),
        ("deep, another formula", upper, vec![ship, many, "center -1.7548 -0.01", "height 1e-30"], 1),
        ("a diagram", upper, vec!["view bifurcation", "param samples 100000"], 2),
        ("a section", upper, vec!["view bifurcation-complex", "param section 0.1", "param samples 100000"], 2),
        ("the other section", lower, vec!["view bifurcation-complex", "param section 0.1"], 2),
        ("a deep diagram", upper, vec!["view bifurcation", "center -1.9 0", "width 1e-20"], 1),
        ("space", upper, vec!["view bifurcation-3d", "param points 12000000"], 2),
    ];
    let mut slow = Vec::new();
    for (what, half, lines, able) in cases {
        let job = job(half, &lines);
        let mut engines = all(&Machine::without_gpu(2).unwrap());
        engines.retain(|engine| engine.supports(&job).is_ok());
        assert!(engines.len() >= able, "{what}: {:?}", engines.iter().map(|e| e.key()).collect::<Vec<_>>());
        for engine in &mut engines {
            let times = AFTER.map(|after| {
                let after = Duration::from_millis(after);
                let time = |engine: &mut dyn Engine| time_to_stop(engine, &job, after);
                // Others use this machine, too: what is slow once is looked at again.
                let mut best = time(engine.as_mut());
                for _ in 0..4 {
                    if best.is_some_and(|best| best > LONGEST) {
                        best = best.min(time(engine.as_mut()));
                    }
                }
                best
            });
            let millis = times.map(|time| time.map(|time| (time.as_secs_f64() * 1e4).round() / 10.0));
            println!("{what:26} {:14} {millis:?}", engine.key());
            if times.iter().flatten().any(|time| *time > LONGEST) {
                slow.push((what, engine.key(), millis));
            }
        }
    }
    assert!(slow.is_empty(), "milliseconds to stop, cancelled after {AFTER:?}: {slow:#?}");
}
