//! Two views over one abscissa, and diagrams that are drawn round by round, without a window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cardioid::app::{Command, EngineChoice, Explorer, Half, Light, State};
use cardioid::engine::{Engine as _, Machine, Tiles};
use cardioid::math::BigComplex;
use cardioid::math::philox::philox;
use cardioid::render::{Diagram, DiagramSink, Job, Latest, Task};
use cardioid::view::{Bifurcation, ComplexBifurcation, Mandelbrot, ParamValue, Spatial};

fn explorer(size: [u32; 2]) -> Explorer {
    let machine = Machine::without_gpu(2).unwrap();
    let mut state = State::new(size);
    state.live_timings = false;
    Explorer::start(state, &machine, false, Arc::new(|| {})).unwrap()
}

/// Lets frames pass until everything that is shown is complete.
fn settle(explorer: &mut Explorer) {
    let deadline = Instant::now() + Duration::from_secs(120);
    explorer.frame();
    while explorer.is_busy() {
        assert!(Instant::now() < deadline, "the picture never settles");
        std::thread::sleep(Duration::from_millis(1));
        explorer.state.tick(1.0 / 60.0);
        explorer.frame();
    }
}

/// The same diagram in one go, with no history.
fn fresh(job: &Job) -> Diagram {
    let sink = DiagramSink::new(job);
    Tiles::new(Machine::without_gpu(2).unwrap().pool).render(job, &Latest::forever(), &sink).unwrap();
    sink.into_diagram()
}

fn shown(explorer: &Explorer) -> Diagram {
    explorer.upper.film().newest().expect("a diagram is shown").diagram().clone()
}

#[test]
fn a_diagram_drawn_in_rounds_and_moved_by_columns_is_that_drawn_at_once() {
    let mut explorer = explorer([96, 60]);
    explorer.state.apply(Command::SetView(Bifurcation::KEY));
    settle(&mut explorer);
    assert!(shown(&explorer) == fresh(&explorer.state.job()));
    for (by_px, why) in [
        ([3.0, 0.0], "to the right by whole columns"),
        ([-2.0, 0.0], "to the left"),
        ([0.0, 7.0], "down"),
        ([0.5, 0.0], "by half a column"),
    ] {
        explorer.state.apply(Command::Pan { by_px });
        settle(&mut explorer);
        let job = explorer.state.job();
        assert!(shown(&explorer) == fresh(&job), "{why}");
        assert_eq!(explorer.upper.film().newest().unwrap().job, job);
    }
}

#[test]
fn sections_of_both_coordinates_settle_to_what_is_computed_at_once() {
    let mut explorer = explorer([80, 82]);
    explorer.state.apply(Command::SetView(ComplexBifurcation::KEY));
    explorer.state.apply(Command::SetEngine(EngineChoice::Named("tiles")));
    settle(&mut explorer);
    let pictures: Vec<_> = explorer.drawings().collect();
    assert_eq!(pictures.len(), 2, "Re z above Im z");
    for (half, drawing) in pictures {
        let job = explorer.state.job_of(half);
        let pass = drawing.film().newest().unwrap();
        assert!(*pass.diagram() == fresh(&job), "{half:?}");
        assert!(matches!(job.task, Task::Section(_)));
    }
    explorer.state.apply(Command::SetParam { key: "section", value: ParamValue::Number(0.0) });
    let tasks = [Half::Upper, Half::Lower].map(|half| explorer.state.job_of(half).task);
    assert!(matches!(tasks, [Task::OrbitDensity(_), Task::Section(_)]), "at s = 0 it is the real diagram: {tasks:?}");
}

#[test]
fn both_halves_have_one_abscissa_wherever_the_hand_goes() {
    let mut state = State::new([700, 602]);
    state.apply(Command::TogglePair);
    assert!(state.stage().lower().is_some());
    for i in 0..50 {
        let [a, b, c, _] = philox([i, 0, 0, 0], [7, 0]).map(|word| f64::from(word) / f64::from(u32::MAX));
        let at = [700.0 * a, 602.0 * b];
        match i % 3 {
            0 => state.apply(Command::ZoomNow { factor: 0.5 + 3.0 * c, about_px: at }),
            1 => {
                state.apply(Command::Grasp { at_px: at });
                state.apply(Command::Pan { by_px: [100.0 * c - 50.0, 20.0] });
            }
            _ => state.apply(Command::ZoomOrdinate { factor: 0.7 + c, about_px: at }),
        }
        let [above, below] = [Half::Upper, Half::Lower].map(|half| state.stage().at(half).viewport().clone());
        for column in [0.0, 350.0, 700.0] {
            let [x, _] = below.pixel_from_plane(&above.plane_from_pixel([column, 5.0]));
            assert!((x - column).abs() < 1e-3, "step {i}: column {column} above is at {x} below");
        }
    }
}

#[test]
fn the_set_stands_above_its_diagram_at_any_depth() {
    let mut explorer = explorer([80, 82]);
    explorer.state.apply(Command::TogglePair);
    // The nucleus of period 53 nearest −1.9, where the window is 1.8e-24 wide.
    let real = "-1.8999999999994369029121901901276787942923700220843".parse().unwrap();
    let nucleus = BigComplex::new(real, 0.into());
    let upper = |state: &State| state.stage().at(Half::Upper).viewport().clone();
    while upper(&explorer.state).width().to_f64() > 4e-24 {
        let about_px = upper(&explorer.state).pixel_from_plane(&nucleus);
        explorer.state.apply(Command::ZoomNow { factor: 10.0, about_px });
    }
    let [above, below] = [Half::Upper, Half::Lower].map(|half| explorer.state.stage().at(half).viewport().clone());
    for column in [0.0, 40.0, 80.0] {
        let [x, _] = below.pixel_from_plane(&above.plane_from_pixel([column, 5.0]));
        assert!((x - column).abs() < 1e-3, "column {column} above is at {x} below");
    }
    settle(&mut explorer);
    for (half, drawing) in explorer.drawings() {
        let pass = drawing.film().newest().expect("something is shown");
        assert_eq!(pass.engine, "perturbation", "{half:?}");
        if half == Half::Lower {
            let periods: Vec<u32> = pass.diagram().columns().iter().map(|column| column.period).collect();
            assert!(periods.contains(&53), "the diagram's window: {periods:?}");
            let [x, _] = below.pixel_from_plane(&nucleus);
            assert_eq!(periods[x as usize], 53, "beneath the minibrot");
        }
    }
}

#[test]
fn a_place_of_one_diagram_leads_to_the_same_place_of_the_set() {
    let mut state = State::new([700, 602]);
    state.apply(Command::SetView(Bifurcation::KEY));
    state.apply(Command::ZoomNow { factor: 8.0, about_px: [100.0, 300.0] });
    let place = state.viewport().clone();
    state.apply(Command::TogglePair);
    assert_eq!(state.stage().upper().key(), Mandelbrot::KEY);
    let [x, _] = state.stage().upper().viewport().pixel_from_plane(&place.plane_from_pixel([650.0, 0.0]));
    assert!((x - 650.0).abs() < 1e-3, "{x}");
    state.apply(Command::TogglePair);
    assert!(state.stage().lower().is_none());
    state.apply(Command::Undo);
    assert!(state.stage().lower().is_some(), "undo brings the diagram back");
}

#[test]
fn the_divider_gives_one_half_the_room_of_the_other() {
    let mut state = State::new([400, 402]);
    state.apply(Command::TogglePair);
    state.apply(Command::SetSplit(0.25));
    let stage = state.stage();
    let heights = [Half::Upper, Half::Lower].map(|half| stage.size_of(half)[1]);
    assert_eq!(heights, [100, 300]);
    assert_eq!(stage.origin_of(Half::Lower), [0, 102]);
    for half in [Half::Upper, Half::Lower] {
        assert_eq!(stage.at(half).viewport().size(), stage.size_of(half));
    }
}

#[test]
fn scenes_in_space_settle_and_follow_the_camera() {
    let mut explorer = explorer([64, 48]);
    explorer.state.apply(Command::SetView(Spatial::KEY));
    settle(&mut explorer);
    let exposure = |explorer: &Explorer| match explorer.upper.film().newest().unwrap().take_light() {
        Some(Light::Host(exposure)) => exposure,
        _ => panic!("a CPU engine leaves its light on the host"),
    };
    let before = exposure(&explorer);
    explorer.state.apply(Command::Pan { by_px: [20.0, 0.0] });
    settle(&mut explorer);
    assert!(before != exposure(&explorer), "another camera sees something else");
    explorer.state.apply(Command::Home);
    settle(&mut explorer);
    assert!(before == exposure(&explorer), "home is where it began");
}

#[test]
fn the_layout_outlives_the_run() {
    let mut state = State::new([400, 402]);
    state.apply(Command::TogglePair);
    state.apply(Command::SetSplit(0.3));
    let mut next = State::new([400, 402]);
    next.apply_settings(&state.settings());
    let lower = |state: &State| state.stage().lower().map(|view| view.key().to_owned());
    assert_eq!(lower(&next), lower(&state));
    assert_eq!(next.stage().size_of(Half::Upper), state.stage().size_of(Half::Upper));
    assert_eq!(next.settings(), state.settings());
}

#[test]
#[ignore = "a measurement: run it alone, with --nocapture"]
fn time_to_the_first_picture_of_each_view() {
    let mut explorer = explorer([992, 800]);
    settle(&mut explorer);
    for (key, title) in explorer.state.views().to_vec() {
        let mut times: Vec<Duration> = (0..7)
            .map(|_| {
                explorer.state.apply(Command::SetView(Mandelbrot::KEY));
                settle(&mut explorer);
                let start = Instant::now();
                explorer.state.apply(Command::SetView(key));
                explorer.frame();
                while explorer.upper.film().newest().is_none_or(|pass| pass.progress() == 0.0) {
                    std::thread::sleep(Duration::from_micros(200));
                    explorer.frame();
                }
                start.elapsed()
            })
            .collect();
        times.sort();
        println!("{title}: {:?} to {:?}, median {:?}", times[0], times[6], times[3]);
    }
}
