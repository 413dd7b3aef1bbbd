//! Steady motion, turned views and the hands that steer them: what is held moves on, and ends with the hand.

use std::time::{Duration, Instant};

use cardioid::app::{Command, Course, Effect, Explorer, Hands as Preferences, State, ZoomSpeed};
use cardioid::engine::{self, Machine};
use cardioid::math::BigComplex;
use cardioid::render::{Field, HostSink, Job, Latest, Lattice, Viewport};
use cardioid::view::{Bifurcation, Spatial};
use egui::{Event, Key, Modifiers, PointerButton, pos2, vec2};

use crate::navigation::{FRAME, Hands, apart, explorer, fresh, pass, play, rest, seahorse, settle, shown, wheel, zoom};

const SEAHORSE: [&str; 2] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];

/// Frames as they come: some early, some late, some very late.
fn uneven(seconds: f64) -> Vec<f64> {
    let mut frames = Vec::new();
    let mut left = seconds;
    for frame in [0.016, 0.004, 0.033, 0.017, 0.09, 0.001, 0.2, 0.016].into_iter().cycle() {
        if frame >= left {
            frames.push(left);
            return frames;
        }
        frames.push(frame);
        left -= frame;
    }
    frames
}

fn at(height: &str, rotation: f64) -> State {
    let mut state = State::new([1280, 800]);
    let [re, im] = SEAHORSE;
    state.apply(Command::GoTo(format!("center = [\"{re}\", \"{im}\"], height = \"{height}\", rotation = {rotation}")));
    state
}

fn cruise(zoom: f64, about_px: [f64; 2]) -> Command {
    Command::Cruise(Course { zoom, about_px: Some(about_px), ..Course::default() })
}

/// How far a point is from a place, in pixels.
fn off(viewport: &Viewport, point: &BigComplex, [x, y]: [f64; 2]) -> f64 {
    let [there_x, there_y] = viewport.pixel_from_plane(point);
    (there_x - x).hypot(there_y - y)
}

fn octaves(from: &Viewport, to: &Viewport) -> f64 {
    from.height().to_float_exp().log2() - to.height().to_float_exp().log2()
}

// Held.

#[test]
fn a_held_zoom_has_one_speed_whatever_the_frames_and_stays_on_its_point() {
    let pointer = [1000.3, 120.7];
    for (height, rotation) in [("2.5", 0.0), ("1e-12", 33.0), ("1e-200", 200.0)] {
        let mut state = at(height, rotation);
        let start = state.viewport().clone();
        let point = start.plane_from_pixel(pointer);
        let mut seconds = 0.0;
        for frame in uneven(2.0) {
            state.apply(cruise(4f64.ln(), pointer));
            state.tick(frame);
            seconds += frame;
            let gone = octaves(&start, state.viewport());
            assert!((gone - 2.0 * seconds).abs() < 1e-6, "{height}: {gone} octaves in {seconds} s");
            assert!(off(state.viewport(), &point, pointer) < 0.01, "{height}");
        }
        state.apply(Command::Cruise(Course::default()));
        assert!(!state.is_moving(), "nothing is eased after it");
        let there = state.viewport().clone();
        state.tick(0.1);
        assert_eq!(state.viewport(), &there);
        assert!((octaves(&start, &there) - 4.0).abs() < 1e-6);
    }
}

#[test]
fn the_pointer_steers_a_held_zoom() {
    let mut state = at("1e-3", 0.0);
    for i in 0..120 {
        let pointer = [200.0 + 7.0 * f64::from(i), 700.0 - 5.0 * f64::from(i)];
        let under = state.viewport().plane_from_pixel(pointer);
        state.apply(cruise(4f64.ln(), pointer));
        state.tick(FRAME);
        assert!(off(state.viewport(), &under, pointer) < 0.01, "frame {i}");
    }
}

#[test]
fn keys_that_are_held_move_and_stop_as_they_come_up() {
    let mut harness = Hands::on(vec2(1000.0, 700.0), 1.5);
    let place = harness.state().at([0.3, 0.6]);
    harness.hover_at(place);
    harness.run_steps(2);
    for (modifiers, way) in [(Modifiers::NONE, 1.0), (Modifiers::SHIFT, -1.0)] {
        let start = harness.state().viewport().clone();
        harness.key_down_modifiers(modifiers, Key::Z);
        harness.run_steps(31);
        let gone = octaves(&start, harness.state().viewport());
        assert!((gone - way * 2.0 * 30.0 * FRAME).abs() < 2.1 * FRAME, "{gone} octaves");
        harness.key_up_modifiers(modifiers, Key::Z);
        harness.run_steps(2);
        let there = harness.state().viewport().clone();
        harness.run_steps(10);
        assert_eq!(harness.state().viewport(), &there);
    }
    for (events, why) in [
        (vec![Event::WindowFocused(false)], "the focus is lost, and the release with it"),
        (vec![key(Key::Z, false, Modifiers::NONE)], "the key comes up"),
    ] {
        harness.key_down(Key::Z);
        harness.run_steps(3);
        assert!(harness.state().explorer.state.is_moving());
        for event in events {
            harness.event(event);
        }
        harness.run_steps(2);
        assert!(!harness.state().explorer.state.is_moving(), "{why}");
        harness.key_up(Key::Z);
        harness.run_steps(2);
    }
    // The same letter with Ctrl takes back, and does nothing but that, in whatever order the keys come up.
    harness.key_down_modifiers(Modifiers::CTRL, Key::Z);
    harness.run_steps(2);
    let there = harness.state().viewport().clone();
    harness.event(key(Key::Z, false, Modifiers::NONE));
    harness.run_steps(5);
    assert_eq!(harness.state().viewport(), &there);
}

fn key(key: Key, pressed: bool, modifiers: Modifiers) -> Event {
    Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }
}

#[test]
fn a_tap_of_an_arrow_is_a_tenth_and_a_held_one_moves_evenly() {
    let mut harness = Hands::on(vec2(1000.0, 700.0), 1.0);
    harness.key_press(Key::Tab);
    harness.run_steps(4);
    let way = |harness: &egui_kittest::Harness<'static, Hands>, from: &Viewport| {
        let [width, height] = from.size().map(f64::from);
        let [x, y] = harness.state().viewport().pixel_from_plane(from.center());
        [(width / 2.0 - x) / width, (y - height / 2.0) / height]
    };
    for (name, expected) in [(Key::ArrowRight, [0.1, 0.0]), (Key::ArrowUp, [0.0, 0.1]), (Key::ArrowLeft, [-0.1, 0.0])] {
        let start = harness.state().viewport().clone();
        harness.key_press(name);
        harness.run_steps(60);
        let gone = way(&harness, &start);
        assert!((0..2).all(|i| (gone[i] - expected[i]).abs() < 2e-3), "{name:?}: {gone:?}");
    }
    let start = harness.state().viewport().clone();
    harness.key_down(Key::ArrowRight);
    harness.run_steps(4);
    let mut last = way(&harness, &start)[0];
    for frame in 0..60 {
        if frame % 2 == 0 {
            // The system repeats the key: that changes nothing.
            harness.event(key(Key::ArrowRight, true, Modifiers::NONE));
        } else {
            harness.run_steps(1);
        }
        harness.run_steps(1);
        let here = way(&harness, &start)[0];
        let steps = (here - last) / (0.6 * FRAME);
        assert!((0.5..3.5).contains(&steps), "{steps} frames' way in frame {frame}");
        last = here;
    }
    harness.key_up(Key::ArrowRight);
    harness.run_steps(2);
    let there = harness.state().viewport().clone();
    harness.run_steps(20);
    assert_eq!(harness.state().viewport(), &there, "no backlog of repeats");
}

#[test]
fn two_hundred_steps_in_and_out_by_key_come_back() {
    let mut state = State::new([640, 400]);
    let home = state.viewport().clone();
    let mut explorer = explorer([64, 40], 1);
    for (name, frames) in [(Key::Plus, 1), (Key::Minus, 1)] {
        for _ in 0..200 {
            for command in cardioid::ui::shortcuts::commands(&[key(name, true, Modifiers::NONE)], &explorer, false) {
                state.apply(command);
            }
            for _ in 0..frames {
                state.tick(FRAME);
            }
            assert!(state.viewport().height().is_positive());
        }
        rest(&mut state);
    }
    assert!(apart(state.viewport(), &home) < 1e-9);
    pass(&mut explorer);
}

#[test]
fn a_hundred_keys_in_a_second_at_a_costly_view_leave_no_backlog() {
    let mut explorer = explorer([320, 200], 2);
    explorer.state.apply(Command::GoTo("center = [\"-0.1\", \"0\"], height = \"0.05\"".into()));
    explorer.state.apply(Command::SetEngine(cardioid::app::EngineChoice::Named("naive")));
    explorer.state.apply(Command::SetParam { key: "max_iterations", value: cardioid::view::ParamValue::Count(30_000) });
    let start = explorer.state.viewport().clone();
    let begun = Instant::now();
    for i in 0..100 {
        let name = [Key::ArrowRight, Key::Plus, Key::ArrowRight, Key::Minus][i % 4];
        for command in cardioid::ui::shortcuts::commands(&[key(name, true, Modifiers::NONE)], &explorer, false) {
            explorer.state.apply(command);
        }
        pass(&mut explorer);
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "frames waited for the engine: {:?}", begun.elapsed());
    for _ in 0..120 {
        pass(&mut explorer);
    }
    assert!(!explorer.state.is_moving());
    assert!(octaves(&start, explorer.state.viewport()).abs() < 1e-9);
    explorer.state.apply(Command::SetParam { key: "max_iterations", value: cardioid::view::ParamValue::Count(100) });
    settle(&mut explorer);
    assert_eq!(shown(&explorer), fresh(&explorer.state.job()));
}

#[test]
fn buttons_zoom_while_they_are_held_where_that_is_preferred() {
    let mut harness = Hands::on(vec2(1000.0, 700.0), 2.0);
    let hands = Preferences { buttons_zoom: true, zoom_speed: ZoomSpeed::Fast, ..Preferences::default() };
    harness.state_mut().explorer.state.apply(Command::SetHands(hands));
    let place = harness.state().at([0.3, 0.6]);
    let button = |pos, button, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    for (which, way) in [(PointerButton::Primary, 1.0), (PointerButton::Secondary, -1.0)] {
        harness.hover_at(place);
        harness.run_steps(2);
        let start = harness.state().viewport().clone();
        harness.event(button(place, which, true));
        // A double-click may come as two presses and one release.
        harness.event(button(place, which, true));
        harness.run_steps(20);
        let gone = octaves(&start, harness.state().viewport()) * way;
        assert!((0.8..1.3).contains(&gone), "{gone} octaves in a third of a second at three a second");
        // Steered from outside as from the edge.
        harness.event(Event::PointerMoved(pos2(-500.0, -500.0)));
        harness.run_steps(2);
        let corner = [0.0, 0.0];
        let under = harness.state().viewport().plane_from_pixel(corner);
        if harness.state().canvas.left() == 0.0 {
            harness.run_steps(3);
            assert!(off(harness.state().viewport(), &under, corner) < 0.01);
        }
        harness.event(button(pos2(-500.0, -500.0), which, false));
        harness.run_steps(2);
        assert!(!harness.state().explorer.state.is_moving(), "one release ends it");
    }
}

#[test]
fn thrown_zooms_die_out_and_any_hand_ends_them() {
    let about_px = [300.0, 200.0];
    for (ending, why) in [
        (None, "by itself"),
        (Some(Command::Hold), "a press, or focus lost"),
        (Some(Command::GlideBy { share: [0.1, 0.0] }), "a key"),
        (Some(zoom(1.25, [10.0, 10.0])), "the wheel"),
    ] {
        let mut state = at("1e-5", 0.0);
        let start = state.viewport().clone();
        state.apply(Command::ThrowZoom { speed: 3.0, about_px });
        let mut seconds = 0.0;
        let is_ended = ending.is_some();
        for _ in 0..5 {
            state.tick(FRAME);
        }
        assert!(octaves(&start, state.viewport()) > 0.2);
        if let Some(command) = ending {
            state.apply(command);
        }
        let there = state.viewport().clone();
        while state.is_moving() {
            state.tick(FRAME);
            seconds += FRAME;
            assert!(seconds < 5.0, "{why}: it never rests");
        }
        let gone = octaves(&there, state.viewport());
        if is_ended {
            assert!(gone < 1.25f64.log2() + 1e-9, "{why}: {gone}");
        } else {
            // Speed times the time constant of its friction.
            let whole = octaves(&start, state.viewport());
            assert!((whole - 3.0 * 0.25 * std::f64::consts::LOG2_E).abs() < 0.02, "{whole}");
        }
    }
}

#[test]
fn with_reduced_motion_nothing_is_eased_or_thrown() {
    let mut state = at("1e-5", 0.0);
    state.apply(Command::SetHands(Preferences { reduced_motion: true, ..Preferences::default() }));
    for command in [
        zoom(1.25, [10.0, 10.0]),
        Command::GlideBy { share: [0.1, 0.0] },
        Command::Turn { degrees: 15.0 },
        Command::ThrowZoom { speed: 3.0, about_px: [0.0; 2] },
        Command::Throw { velocity_px: [500.0, 0.0] },
    ] {
        state.apply(command.clone());
        state.tick(FRAME);
        assert!(!state.is_moving(), "{command:?}");
    }
    assert_eq!(state.viewport().rotation_degrees(), 345.0);
}

// Turned.

#[test]
fn a_turn_by_hand_keeps_the_point_on_its_ray_and_the_middle_in_its_place() {
    for (height, rotation) in [("2.5", 0.0), ("1e-200", 300.0)] {
        let mut state = at(height, rotation);
        let center = state.viewport().center().clone();
        let mut pos = [900.0, 350.0];
        let point = state.viewport().plane_from_pixel(pos);
        for i in 1..=90 {
            let angle = f64::from(i) * 0.11;
            let next = [640.0 + (200.0 + f64::from(i)) * angle.cos(), 400.0 - 180.0 * angle.sin()];
            state.apply(Command::DragTurn { from_px: pos, to_px: next });
            pos = next;
            let [x, y] = state.viewport().pixel_from_plane(&point);
            let [hand, there] = [[pos[0] - 640.0, pos[1] - 400.0], [x - 640.0, y - 400.0]];
            let beside = (hand[0] * there[1] - hand[1] * there[0]) / hand[0].hypot(hand[1]);
            assert!(beside.abs() < 0.01, "{height}: {beside} pixels beside its ray");
        }
        assert_eq!(state.viewport().center(), &center);
        for nonsense in [[f64::NAN, 3.0], [640.0, 400.0], [f64::INFINITY, 1.0]] {
            let before = state.viewport().clone();
            state.apply(Command::DragTurn { from_px: pos, to_px: nonsense });
            state.apply(Command::DragTurn { from_px: nonsense, to_px: pos });
            assert_eq!(state.viewport(), &before, "{nonsense:?}");
        }
    }
}

#[test]
fn taps_turn_by_fifteen_degrees_exactly_and_upright_is_upright() {
    let mut state = at("1e-3", 0.0);
    for (taps, expected) in [(3, 315.0), (22, 345.0), (-24, 345.0), (-1, 0.0)] {
        for _ in 0..i32::abs(taps) {
            state.apply(Command::Turn { degrees: 15.0 * f64::from(taps.signum()) });
            state.tick(FRAME);
        }
        rest(&mut state);
        assert_eq!(state.viewport().rotation_degrees(), expected, "after {taps} taps");
    }
    for rotation in ["37.25", "200", "-1e-30", "359.9999999"] {
        state.apply(Command::SetRotation(rotation.into()));
        state.apply(Command::Upright);
        rest(&mut state);
        assert_eq!(state.viewport().rotation_degrees(), 0.0, "from {rotation}");
    }
    state.apply(Command::Cruise(Course { turn: 60.0, ..Course::default() }));
    for frame in uneven(1.5) {
        state.tick(frame);
    }
    assert!((state.viewport().rotation_degrees() - 270.0).abs() < 1e-6);
    state.apply(Command::Home);
    assert_eq!(state.viewport().rotation_degrees(), 0.0);
}

#[test]
fn hands_move_a_turned_picture_as_they_do_an_upright_one() {
    for height in ["1e-3", "1e-200"] {
        let mut state = at(height, 71.0);
        let (pointer, by_px) = ([200.0, 650.0], [37.0, -12.0]);
        let before = state.viewport().clone();
        let under = before.plane_from_pixel(pointer);
        state.apply(Command::Pan { by_px });
        let moved = [pointer[0] + by_px[0], pointer[1] + by_px[1]];
        assert!(off(state.viewport(), &under, moved) < 0.01, "{height}: it goes with the hand");

        let under = state.viewport().plane_from_pixel(pointer);
        for factor in [1.25, 0.8] {
            for _ in 0..400 {
                state.apply(zoom(factor, pointer));
                state.tick(FRAME);
                assert!(off(state.viewport(), &under, pointer) < 0.5);
            }
            rest(&mut state);
        }
        let back = octaves(&before, state.viewport());
        assert!(back.abs() < 1e-9, "{height}: {back}");

        let middle = state.viewport().plane_from_pixel([300.0, 300.0]);
        state.apply(Command::ZoomToBox { from_px: [200.0, 250.0], to_px: [400.0, 350.0] });
        assert!(off(state.viewport(), &middle, [640.0, 400.0]) < 0.01, "{height}: a box");
        assert_eq!(state.viewport().rotation_degrees(), 71.0);
    }
}

#[test]
fn turned_places_are_in_history_undo_and_locations() {
    let mut state = State::new([640, 400]);
    let mut places = vec![state.viewport().clone()];
    for (i, rotation) in ["10", "93.125", "0", "270"].into_iter().enumerate() {
        state.apply(zoom(3.0, [100.0 * i as f64, 300.0]));
        rest(&mut state);
        places.push(state.viewport().clone());
        state.apply(Command::SetRotation(rotation.into()));
        rest(&mut state);
        if state.viewport() != places.last().unwrap() {
            places.push(state.viewport().clone());
        }
    }
    let last = places.len() - 1;
    for (back, forth) in [(Command::Back, Command::Forward), (Command::Undo, Command::Redo)] {
        for place in places[..last].iter().rev() {
            state.apply(back.clone());
            assert_eq!(state.viewport(), place);
        }
        for place in &places[1..] {
            state.apply(forth.clone());
            assert_eq!(state.viewport(), place);
        }
    }
    state.apply(Command::SetRotation("33.25".into()));
    let there = state.viewport().clone();
    state.apply(Command::CopyLocation);
    let copied =
        state.take_effects().into_iter().find_map(|e| if let Effect::Copy(line) = e { Some(line) } else { None });
    state.apply(Command::Home);
    state.apply(Command::GoTo(copied.unwrap()));
    assert_eq!(state.viewport(), &there);
    for nonsense in ["", "north", "nan", "1e999"] {
        state.apply(Command::SetRotation(nonsense.into()));
        assert_eq!(state.viewport(), &there, "{nonsense:?}");
        assert!(state.notice().is_some_and(|notice| notice.is_error), "{nonsense:?}");
    }
}

#[test]
fn diagrams_and_pairs_stay_upright_and_say_so() {
    let mut state = State::new([640, 400]);
    for (lead, words) in
        [(Command::SetView(Bifurcation::KEY), "diagrams stay upright"), (Command::TogglePair, "L shows it alone")]
    {
        state.apply(Command::SetView("mandelbrot"));
        state.apply(lead);
        let before = state.viewport().clone();
        for command in [
            Command::Turn { degrees: 15.0 },
            Command::DragTurn { from_px: [10.0, 10.0], to_px: [300.0, 10.0] },
            Command::SetRotation("30".into()),
        ] {
            state.apply(command.clone());
            rest(&mut state);
            state.apply(Command::Cruise(Course { turn: 60.0, ..Course::default() }));
            state.tick(FRAME);
            state.apply(Command::Cruise(Course::default()));
            assert_eq!(state.viewport(), &before, "{command:?}");
        }
        state.apply(Command::Turn { degrees: 15.0 });
        assert!(state.notice().is_some_and(|notice| notice.text.contains(words)), "{:?}", state.notice());
    }
    // A turned place leaves the pair; the pair stands a turned set upright.
    assert!(state.stage().lower().is_some());
    state.apply(Command::GoTo("center = [\"-0.7\", \"0.2\"], height = \"0.1\", rotation = 30".into()));
    assert_eq!((state.stage().lower().is_none(), state.viewport().rotation_degrees()), (true, 30.0));
    state.apply(Command::TogglePair);
    assert_eq!((state.stage().lower().is_some(), state.viewport().rotation_degrees()), (true, 0.0));
    state.apply(Command::Undo);
    assert_eq!(state.viewport().rotation_degrees(), 30.0);
}

#[test]
fn in_space_the_camera_turns() {
    let mut state = State::new([640, 400]);
    state.apply(Command::SetView(Spatial::KEY));
    let yaw = |state: &State| state.view().camera().unwrap().yaw;
    let before = yaw(&state);
    state.apply(Command::Turn { degrees: 15.0 });
    assert!((yaw(&state) - before).abs() > 0.2);
    let before = yaw(&state);
    state.apply(Command::Cruise(Course { turn: 60.0, ..Course::default() }));
    state.tick(0.05);
    assert!(((yaw(&state) - before).abs() - 3f64.to_radians()).abs() < 1e-9);
}

#[test]
fn a_turned_picture_settles_as_a_fresh_render_whatever_led_to_it() {
    let mut explorer = explorer([96, 64], 2);
    seahorse(&mut explorer, "1e-3");
    for (i, command) in [
        Command::SetRotation("30".into()),
        Command::Pan { by_px: [13.0, -5.0] },
        Command::ZoomNow { factor: 2.0, about_px: [48.0, 32.0] },
        Command::DragTurn { from_px: [80.0, 30.0], to_px: [70.0, 10.0] },
        Command::ZoomNow { factor: 0.5, about_px: [48.0, 32.0] },
        Command::SetRotation("180".into()),
        Command::Pan { by_px: [0.0, 8.0] },
        Command::Upright,
    ]
    .into_iter()
    .enumerate()
    {
        explorer.state.apply(command);
        for _ in 0..i % 3 {
            pass(&mut explorer);
            std::thread::sleep(Duration::from_millis(2));
        }
        if i % 2 == 1 {
            settle(&mut explorer);
            assert_eq!(shown(&explorer), fresh(&explorer.state.job()), "step {i}");
        }
    }
}

#[test]
fn nothing_but_hands_moves_a_view_that_is_resized() {
    let [mut plain, mut disturbed] = [at("1e-3", 20.0), at("1e-3", 20.0)];
    for _ in 0..50 {
        for state in [&mut plain, &mut disturbed] {
            state.apply(cruise(4f64.ln(), [500.0, 100.0]));
            state.tick(FRAME);
        }
        disturbed.apply(Command::Resize { size: [1280, 800] });
        assert_eq!(plain.viewport(), disturbed.viewport());
    }
    disturbed.apply(Command::Resize { size: [700, 900] });
    assert_eq!(
        (disturbed.viewport().rotation_degrees(), disturbed.viewport().center()),
        (20.0, plain.viewport().center())
    );
}

#[test]
fn control_drags_turn_at_every_scale() {
    for scale in [1.0, 1.5, 2.0] {
        let mut harness = Hands::on(vec2(1000.0, 700.0), scale);
        let [from, to] = [[0.8, 0.5], [0.5, 0.1]].map(|share| harness.state().at(share));
        let button = |pos, pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::CTRL,
        };
        harness.hover_at(from);
        harness.run_steps(2);
        harness.event(button(from, true));
        harness.run_steps(1);
        for i in 1..=10 {
            harness.event(Event::PointerMoved(from.lerp(to, i as f32 / 10.0)));
        }
        harness.run_steps(2);
        harness.event(button(to, false));
        harness.run_steps(2);
        let rotation = harness.state().viewport().rotation_degrees();
        assert!((rotation - 270.0).abs() < 0.3, "scale {scale}: from the right to the top is a quarter: {rotation}");
        // And the wheel zooms about the pointer there, too.
        let at = harness.state().at([0.2, 0.2]);
        let before = harness.state().viewport().clone();
        play(&mut harness, at, wheel(1.0, Modifiers::NONE));
        let px = harness.state().explorer.state.pointer_px.unwrap();
        assert!(off(harness.state().viewport(), &before.plane_from_pixel(px), px) < 0.5);
    }
}

// By itself.

/// Share of the commonest count among those of a coarse look at a job.
fn alike(machine: &Machine, job: &Job) -> f64 {
    let mut engines = engine::all(machine);
    let job = Job { lattice: Lattice::coarse(8), ..job.clone() };
    let key = engine::choose(&engines, &job, false).unwrap().key;
    let engine = engines.iter_mut().find(|engine| engine.key() == key).unwrap();
    let mut field = Field::missing(job.size());
    engine.render(&job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    let mut counts: Vec<u32> = field.samples().iter().map(|sample| sample.iterations).collect();
    counts.sort_unstable();
    counts.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap() as f64 / counts.len() as f64
}

/// Lets the autopilot fly from the present view; gives the octaves that it came in at most, and its way.
fn fly(explorer: &mut Explorer, seconds: f64) -> (f64, Vec<Viewport>) {
    let machine = Machine::without_gpu(2).unwrap();
    let start = explorer.state.viewport().clone();
    explorer.state.apply(Command::ToggleAutopilot);
    let (mut blank, mut deepest, mut way) = (0.0, 0.0f64, Vec::new());
    let (mut last, mut steepest) = (0.0, 0.0f64);
    let mut before = start.clone();
    for frame in 0..(seconds / FRAME) as u32 {
        pass(explorer);
        // Looks come as fast as on an idle machine, however busy this one is.
        let deadline = Instant::now() + Duration::from_secs(20);
        while explorer.is_looking_out() && frame % 3 == 0 {
            assert!(Instant::now() < deadline, "a look never ends");
            std::thread::sleep(Duration::from_micros(200));
            explorer.frame();
        }
        let speed = octaves(&before, explorer.state.viewport()) / FRAME;
        steepest = steepest.max((speed - last).abs());
        (before, last) = (explorer.state.viewport().clone(), speed);
        deepest = deepest.max(octaves(&start, explorer.state.viewport()));
        if frame % 15 == 0 {
            let is_blank = alike(&machine, &explorer.state.job()) > 0.98;
            blank = if is_blank { blank + 15.0 * FRAME } else { 0.0 };
            assert!(blank < 2.0, "blank for {blank} s after {frame} frames");
            way.push(explorer.state.viewport().clone());
        }
    }
    assert!(steepest < 0.5, "its speed jumps by {steepest} octaves a second within a frame");
    (deepest, way)
}

#[test]
fn the_autopilot_seeks_detail_and_is_never_blank_for_two_seconds() {
    for size in [[320, 200], [240, 320]] {
        let mut explorer = explorer(size, 2);
        let (deepest, _) = fly(&mut explorer, 30.0);
        // Two octaves a second at full speed.
        assert!(deepest > 25.0, "it came in by {deepest} octaves only");
        assert!(explorer.state.is_piloted());
        explorer.state.apply(Command::Hold);
        assert!(!explorer.state.is_moving());
        settle(&mut explorer);
        explorer.state.apply(Command::Back);
        assert_eq!(explorer.state.viewport().height().to_f64(), 2.5, "a flight is one step of the history");
    }
}

#[test]
fn the_autopilot_flies_on_below_floats_and_turns_back_where_nothing_can_be_drawn() {
    let mut explorer = explorer([160, 100], 2);
    let [re, im] = SEAHORSE;
    explorer.state.apply(Command::GoTo(format!("center = [\"{re}\", \"{im}\"], height = \"1e-9\"")));
    let (deepest, _) = fly(&mut explorer, 12.0);
    assert!(explorer.state.viewport().height().to_f64() < 1e-13 && deepest > 14.0, "{deepest} octaves");
    explorer.state.apply(Command::Hold);

    // A reference here would take minutes: no engine begins it.
    explorer.state.apply(Command::SetHeight("1e-90000".into()));
    explorer.state.apply(Command::ToggleAutopilot);
    let start = explorer.state.viewport().clone();
    let deadline = Instant::now() + Duration::from_secs(20);
    while octaves(&start, explorer.state.viewport()) > -2.0 {
        assert!(Instant::now() < deadline, "it goes out again");
        pass(&mut explorer);
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn any_hand_ends_the_autopilot_and_diagrams_have_none() {
    for command in [
        zoom(1.25, [100.0, 50.0]),
        Command::Grasp { at_px: [1.0, 1.0] },
        Command::NextPalette,
        Command::Escape,
        Command::ToggleAutopilot,
        cruise(1.0, [3.0, 3.0]),
    ] {
        let mut state = State::new([320, 200]);
        state.apply(Command::ToggleAutopilot);
        assert!(state.is_piloted() && state.is_moving());
        for idle in [Command::Point { at_px: Some([5.0, 5.0]) }, Command::Resize { size: [300, 200] }] {
            state.apply(idle);
        }
        assert!(state.is_piloted());
        state.apply(command.clone());
        assert!(!state.is_piloted(), "{command:?}");
    }
    let mut state = State::new([320, 200]);
    state.apply(Command::SetView(Bifurcation::KEY));
    state.apply(Command::ToggleAutopilot);
    assert!(!state.is_piloted() && state.notice().is_some_and(|notice| notice.text.contains("sets")));
}
