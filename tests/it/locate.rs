//! Landmarks: what is found is there, and looks as it should, on the command line and in the window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cardioid::app::{Command, Explorer, Found, Landmark, State};
use cardioid::engine::{Engine as _, Machine, Perturbation, Tiles};
use cardioid::fractal::FormulaId;
use cardioid::fractal::locate::{MOST_STEPS, Watch};
use cardioid::math::BigComplex;
use cardioid::render::{EscapeTime, Field, HostSink, Job, Latest, Plane, Task, Viewport};
use cardioid::view::ParamValue;
use serde_json::Value;

use crate::cli::Place;

fn view([re, im]: [&str; 2], height: &str, size: [u32; 2]) -> Viewport {
    let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
    Viewport::new(center, height.parse().unwrap(), size).unwrap()
}

/// Which pixels stay for so many iterations.
fn inside(viewport: Viewport, max_iterations: u32) -> Vec<bool> {
    let task = EscapeTime { formula: FormulaId::Quadratic, plane: Plane::Parameter, max_iterations, bailout: 2.0 };
    let job = Job::new(viewport, Task::EscapeTime(task));
    let mut field = Field::missing(job.size());
    let pool = Machine::without_gpu(2).unwrap().pool;
    let sink = HostSink::new(&mut field);
    if job.viewport.height().to_f64() > 1e-3 {
        Tiles::new(pool).render(&job, &Latest::forever(), &sink).unwrap();
    } else {
        Perturbation::new(pool).render(&job, &Latest::forever(), &sink).unwrap();
    }
    field.samples().iter().map(|sample| sample.iterations == 0).collect()
}

#[test]
fn minibrots_look_like_the_whole_set() {
    const SIZE: [u32; 2] = [60, 60];
    let set = inside(view(["0", "0"], "5", SIZE), 100);
    let whole = set.iter().filter(|inside| **inside).count();
    let place = |name: &str| {
        let text = std::fs::read_to_string(format!("{}/tests/truth/{name}.json", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let truth: Value = serde_json::from_str(&text).unwrap();
        ["re", "im"].map(|part| truth[part].as_str().unwrap().to_owned())
    };
    for (center, height, period) in [
        (["-1.755".to_owned(), "0.001".into()], "0.1", 3),
        (place("seahorse_1e-5"), "1e-5", 39),
        (place("seahorse_1e-5"), "1e-20", 8007),
        (place("rf_flake_2.6e157"), "1.6e-157", 7884),
        (["0".to_owned(), "1".into()], "1e-300", 800),
    ] {
        let there = view([&center[0], &center[1]], height, SIZE);
        let found = Landmark::Minibrot.find(&there, None, MOST_STEPS, Watch::none()).unwrap();
        let Found::Minibrot(nucleus) = &found else { unreachable!() };
        let about = if period == 800 { 10 } else { 0 };
        assert!(nucleus.period.abs_diff(period) <= about, "{height}: period {}", nucleus.period);
        let mini = inside(found.framed(&there).unwrap(), 100 * nucleus.period);
        let differing = mini.iter().zip(&set).filter(|(a, b)| a != b).count();
        assert!(differing * 5 < whole, "{height}: {differing} pixels of {whole} differ");
    }
}

#[test]
fn what_is_printed_can_be_rendered() {
    let place = Place::new();
    let output = place.run("locate --center -0.74364388703,0.13182590420 --height 1e-5");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("{key}: {text}"));
        line.trim().to_owned()
    };
    assert_eq!(line("minibrot"), "period 39");
    assert_eq!(line("size"), "2.16583e-6");
    let [center, height, rotation] = ["--center", "--height", "--rotation"].map(line);
    place.done(&format!(
        "render --center {center} --height {height} --rotation {rotation} --size 40x40 --max-iterations 4000 --out x.u32"
    ));
    let counts = std::fs::read(place.path("x.u32")).unwrap();
    let counts: Vec<u32> = counts.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(counts[40 * 20 + 20], 4000, "the nucleus is inside");
    assert!(counts[0] < 4000, "and the corner is not");
}

#[test]
fn programs_read_json() {
    let place = Place::new();
    let told = |args: &str| -> Value {
        let output = place.run(args);
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let nucleus = told("locate --center=-1.76,0.001 --height 0.1 --json");
    assert_eq!(nucleus["kind"], "minibrot");
    assert_eq!(nucleus["period"], 3);
    assert!(nucleus["center"][0].as_str().unwrap().starts_with("-1.7548776662466"));
    assert_eq!(nucleus["center"][1], "0");
    assert_eq!((&nucleus["size"], &nucleus["height"]), (&"1.90355e-2".into(), &"0.09518".into()));
    assert_eq!(nucleus["rotation"], 0.0);
    assert_eq!(nucleus["atom_domain"], "2.34487e-1");

    let spiral = told("locate --center 0.01,1 --height 0.1 --misiurewicz --json");
    assert_eq!(spiral["kind"], "misiurewicz");
    assert_eq!((&spiral["preperiod"], &spiral["period"]), (&2.into(), &2.into()));
    assert_eq!(spiral["center"], serde_json::json!(["0", "1"]));
    assert_eq!((&spiral["scale"], &spiral["turn_degrees"]), (&"5.65685e0".into(), &45.0.into()));
    assert_eq!(spiral["height"], "0.1", "the view's own");

    // A named place, and a depth that no f64 holds.
    assert_eq!(told("locate period-3-minibrot --json")["period"], 3);
    let deep = told("locate --center 0,1 --height 1e-400 --json");
    assert!(deep["size"].as_str().unwrap().ends_with("e-802"), "{}", deep["size"]);
    assert!(deep["height"].as_str().unwrap().contains("e-80"));
    assert!(deep["center"][1].as_str().unwrap().len() > 800, "as many digits as its size asks for");
}

#[test]
fn what_cannot_be_found_is_said_and_what_to_do() {
    let place = Place::new();
    for (args, code, parts) in [
        ("--center 0.5,0.5 --height 0.01", 1, &["no minibrot", "height 1.00e-2", "zoom out"][..]),
        ("--center 0.1,0.1 --height 0.01", 1, &["no minibrot", "one component"]),
        ("--center 0.5,0.5 --height 0.01 --misiurewicz", 1, &["no spiral", "edge of the set"]),
        ("--center 0,1 --height 1e-50 --max-steps 20", 1, &["period up to 20"]),
        ("--center 0.1x,0", 2, &["--center", "\"x\" at character 4"]),
        ("--height 1,5", 2, &["--height", "\",\" at character 2"]),
        ("--height 0", 2, &["--height", "above 0"]),
        ("--max-steps 0", 2, &["--max-steps"]),
        ("nowhere", 2, &["nowhere", "named place"]),
        ("burning-ship.toml", 2, &["Mandelbrot set"]),
    ] {
        std::fs::write(place.path("burning-ship.toml"), "formula = \"burning-ship\"").unwrap();
        place.refused(&format!("locate {args}"), code, parts);
    }
}

fn explorer() -> Explorer {
    let machine = Machine::without_gpu(1).unwrap();
    Explorer::start(State::new([160, 100]), &machine, false, Arc::new(|| {})).unwrap()
}

/// Lets frames pass until nothing is looked for any more.
fn search(explorer: &mut Explorer, command: Command) {
    explorer.state.apply(command);
    let deadline = Instant::now() + Duration::from_secs(30);
    while explorer.state.finding.is_some() {
        assert!(Instant::now() < deadline, "the search never ends");
        explorer.state.tick(0.01);
        explorer.frame();
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn find(landmark: Landmark) -> Command {
    Command::Find { landmark, at_px: None }
}

#[test]
fn the_window_goes_to_the_minibrot_and_back() {
    let mut explorer = explorer();
    explorer.state.apply(Command::GoTo("-1.76, 0.003".into()));
    explorer.state.apply(Command::SetHeight("0.1".into()));
    let before = explorer.state.viewport().clone();
    search(&mut explorer, find(Landmark::Minibrot));
    assert_eq!(explorer.state.viewport().height().to_string(), "0.09518");
    assert!(matches!(explorer.state.found(), Some(Found::Minibrot(nucleus)) if nucleus.period == 3));
    assert!(explorer.state.notice().is_some_and(|notice| notice.text.contains("period 3")));
    // Once more it is the same one, and nothing is a step of the history.
    search(&mut explorer, find(Landmark::Minibrot));
    explorer.state.apply(Command::Back);
    assert_eq!(explorer.state.viewport(), &before);
    explorer.state.apply(Command::Home);
    search(&mut explorer, Command::Find { landmark: Landmark::Spiral, at_px: Some([110.0, 10.0]) });
    assert!(explorer.state.found().is_some());
    let found = explorer.state.viewport().center().to_f64();
    assert!(found.im > 0.5, "the spiral at the place that was meant: {found:?}");
    explorer.state.apply(Command::Undo);
    assert_eq!(explorer.state.viewport().center().to_f64().re, -0.75);
}

#[test]
fn searches_that_end_with_nothing_say_so_and_leave_the_view() {
    let mut explorer = explorer();
    explorer.state.apply(Command::GoTo("0.5, 0.5".into()));
    explorer.state.apply(Command::SetHeight("0.01".into()));
    let before = explorer.state.viewport().clone();
    for (landmark, text) in [(Landmark::Minibrot, "no minibrot"), (Landmark::Spiral, "no spiral")] {
        search(&mut explorer, find(landmark));
        let notice = explorer.state.notice().expect("something is said");
        assert!(notice.is_error && notice.text.starts_with(text), "{notice:?}");
        assert_eq!(explorer.state.viewport(), &before);
    }
    // Other formulas and views have none.
    let formula = ParamValue::Choice("tricorn".into());
    explorer.state.apply(Command::SetParam { key: "formula", value: formula });
    explorer.state.apply(find(Landmark::Minibrot));
    assert!(!explorer.state.can_find() && explorer.state.finding.is_none());
    assert!(explorer.state.notice().is_some_and(|notice| notice.text.contains("Mandelbrot set of z² + c")));
}

#[test]
fn a_long_search_is_given_up_at_once() {
    let mut explorer = explorer();
    explorer.state.apply(Command::GoTo("-2, 0".into()));
    explorer.state.apply(Command::SetHeight("1e-20000".into()));
    for (end, said) in [(Command::Escape, None), (Command::Pan { by_px: [9.0, 0.0] }, Some("the view changed"))] {
        explorer.state.apply(Command::DismissNotice);
        explorer.state.apply(find(Landmark::Minibrot));
        explorer.frame();
        assert!(explorer.finding().is_some());
        let start = Instant::now();
        explorer.state.apply(end);
        explorer.frame();
        assert!(explorer.finding().is_none() && explorer.state.finding.is_none());
        assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
        let notice = explorer.state.notice().map(|notice| notice.text.clone());
        assert_eq!(notice.is_some(), said.is_some(), "{notice:?}");
        assert!(said.is_none_or(|said| notice.is_some_and(|notice| notice.contains(said))));
    }
}
