//! Moving about, without a window: what hands do, frame by frame, must lead where people expect.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cardioid::app::export::Channel;
use cardioid::app::{Command, Effect, EngineChoice, Explorer, Location, OverlayMode, SaveRequest, State};
use cardioid::engine::{Engine as _, Machine, Naive, Perturbation, all, iterations};
use cardioid::math::BigComplex;
use cardioid::render::{Field, HostSink, Job, Latest, Viewport};
use cardioid::ui::gestures::{self, Gestures};
use cardioid::ui::keyboard::Keyboard;
use cardioid::ui::screen::{self, Memory};
use cardioid::ui::shortcuts;
use cardioid::view::{ParamValue, Spatial};
use egui::{Event, Key, Modifiers, MouseWheelUnit, Pos2, Rect, UiBuilder, Vec2, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

pub(crate) const FRAME: f64 = 1.0 / 60.0;
const SEAHORSE: [&str; 2] = ["-0.743643887037151", "0.131825904205330"];

pub(crate) fn explorer(size: [u32; 2], threads: usize) -> Explorer {
    let machine = Machine::without_gpu(threads).unwrap();
    Explorer::start(State::new(size), &machine, false, Arc::new(|| {})).unwrap()
}

/// One frame: time passes, and what was drawn is taken.
pub(crate) fn pass(explorer: &mut Explorer) {
    explorer.state.tick(FRAME);
    explorer.frame();
}

/// Lets frames pass until the view rests and its picture is complete, or cannot be.
pub(crate) fn settle(explorer: &mut Explorer) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        pass(explorer);
        if !explorer.state.is_moving() && (explorer.upper.status.settled || explorer.upper.status.failure.is_some()) {
            return;
        }
        assert!(Instant::now() < deadline, "the picture never settles");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Lets motion end; nobody draws.
pub(crate) fn rest(state: &mut State) {
    while state.is_moving() {
        state.tick(FRAME);
    }
    // Longer than a burst: what follows is a step of its own.
    state.tick(1.0);
}

/// What the settled picture holds.
pub(crate) fn shown(explorer: &Explorer) -> Field {
    explorer.upper.film().newest().expect("a picture is shown").samples().unwrap()
}

/// The same view by the plain engine, with no history.
pub(crate) fn fresh(job: &Job) -> Field {
    let mut field = Field::missing(job.size());
    Naive.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field
}

pub(crate) fn seahorse(explorer: &mut Explorer, height: &str) {
    explorer.state.apply(Command::SetCenter { re: SEAHORSE[0].into(), im: SEAHORSE[1].into() });
    explorer.state.apply(Command::SetHeight(height.into()));
}

pub(crate) fn zoom(factor: f64, about_px: [f64; 2]) -> Command {
    Command::Zoom { factor, about_px }
}

/// Relative difference of heights, and distance of centres in pixels.
pub(crate) fn apart(a: &Viewport, b: &Viewport) -> f64 {
    let height = (a.height().to_float_exp().div(b.height().to_float_exp()).to_f64() - 1.0).abs();
    let [width, rows] = b.size().map(f64::from);
    let [x, y] = b.pixel_from_plane(a.center());
    height.max((x - width / 2.0).hypot(y - rows / 2.0) / rows)
}

// Depth.

#[test]
fn no_notch_is_too_deep_and_the_way_out_leads_home() {
    let mut explorer = explorer([96, 64], 2);
    explorer.state.apply(Command::SetCenter { re: SEAHORSE[0].into(), im: SEAHORSE[1].into() });
    settle(&mut explorer);
    let home = explorer.state.viewport().clone();
    for factor in [1.25, 0.8] {
        for _ in 0..400 {
            explorer.state.apply(zoom(factor, [71.0, 13.0]));
            pass(&mut explorer);
        }
        settle(&mut explorer);
        if factor > 1.0 {
            let by = explorer.upper.status.engine.map(|(key, _)| key);
            assert_eq!((by, explorer.upper.status.settled), (Some("perturbation"), true));
            assert!(explorer.state.viewport().height().to_f64() < 1e-37);
            assert!(!explorer.is_busy(), "nothing goes on in vain");
        }
    }
    assert_eq!(explorer.upper.status.failure, None);
    assert!(explorer.upper.status.settled);
    let lost = apart(explorer.state.viewport(), &home);
    assert!(lost < 1e-9, "{lost:e} of the view is lost on the way");
}

#[test]
fn four_hundred_key_presses_are_geometric_and_return() {
    let mut state = State::new([640, 400]);
    let home = state.viewport().clone();
    for (factor, way) in [(1.25, -1.0), (0.8, 1.0)] {
        for _ in 0..200 {
            let before = state.viewport().height().to_float_exp().log2();
            state.apply(Command::ZoomCentre { factor });
            rest(&mut state);
            let step = state.viewport().height().to_float_exp().log2() - before;
            assert!((step - way * 1.25f64.log2()).abs() < 1e-9, "a step of {step} octaves");
        }
    }
    assert!(apart(state.viewport(), &home) < 1e-9);
}

#[test]
fn outwards_ends_before_the_plane_is_empty() {
    let mut state = State::new([640, 400]);
    for _ in 0..200 {
        state.apply(zoom(0.5, [10.0, 10.0]));
        rest(&mut state);
    }
    let height = state.viewport().height().to_f64();
    assert!((100.0..1e6).contains(&height), "{height}");
    assert!(!state.is_moving());
}

// Hands.

/// The program without its window, moved by events as the window is.
pub(crate) struct Hands {
    pub(crate) explorer: Explorer,
    memory: Memory,
    pub(crate) gestures: Gestures,
    keyboard: Keyboard,
    pub(crate) canvas: Rect,
}

impl Hands {
    pub(crate) fn on(size: Vec2, scale: f32) -> Harness<'static, Self> {
        let mut explorer = explorer([320, 200], 1);
        explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
        let (memory, gestures, keyboard) = (Memory::default(), Gestures::default(), Keyboard::default());
        let hands = Self { explorer, memory, gestures, keyboard, canvas: Rect::NOTHING };
        let builder = Harness::builder().with_size(size).with_pixels_per_point(scale);
        let mut harness = builder.build_ui_state(|ui, hands: &mut Self| hands.frame(ui), hands);
        harness.run_steps(4);
        harness
    }

    fn frame(&mut self, ui: &mut egui::Ui) {
        self.explorer.state.tick(FRAME);
        let mut events = ui.input(|i| i.events.clone());
        let typing = self.memory.is_typing();
        self.keyboard.follow(&mut events, typing);
        let mut commands = shortcuts::commands(&events, &self.explorer, typing);
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        let response = screen::show(&mut root, &self.explorer, &mut self.memory, &mut commands);
        self.canvas = response.rect;
        let canvas = gestures::Canvas {
            rect: response.rect,
            pixels_per_point: ui.pixels_per_point(),
            pointer_on_top: response.contains_pointer(),
            time: ui.input(|i| i.time),
            scroll_pans: false,
            hands: self.explorer.state.hands,
            handles: Default::default(),
        };
        for event in &events {
            self.gestures.event(event, &canvas, &mut commands);
        }
        let size = (response.rect.size() * ui.pixels_per_point()).round();
        self.explorer.state.apply(Command::Resize { size: [size.x as u32, size.y as u32] });
        for command in commands {
            self.explorer.state.apply(command);
        }
        let held = self.gestures.course(&canvas);
        if let Some(command) = self.keyboard.steer(held, &self.explorer, typing) {
            self.explorer.state.apply(command);
        }
        self.explorer.frame();
    }

    pub(crate) fn viewport(&self) -> &Viewport {
        self.explorer.state.viewport()
    }

    /// A place of the canvas, as shares of its sides.
    pub(crate) fn at(&self, share: [f32; 2]) -> Pos2 {
        self.canvas.min + self.canvas.size() * vec2(share[0], share[1])
    }
}

pub(crate) fn wheel(notches: f32, modifiers: Modifiers) -> Event {
    Event::MouseWheel {
        unit: MouseWheelUnit::Line,
        delta: vec2(0.0, notches),
        modifiers,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
    }
}

/// Points the mouse, sends an event, and waits until nothing moves.
pub(crate) fn play(harness: &mut Harness<'static, Hands>, at: Pos2, event: Event) {
    harness.hover_at(at);
    harness.run_steps(2);
    harness.event(event);
    harness.step();
    while harness.state().explorer.state.is_moving() {
        harness.step();
    }
    harness.step();
}

#[test]
fn the_point_under_the_pointer_stays_at_every_scale_with_and_without_panels() {
    for scale in [1.0, 1.25, 1.5, 2.0, 3.0] {
        let mut harness = Hands::on(vec2(1000.0, 700.0), scale);
        for panels in [true, false] {
            if harness.state().explorer.state.panels != panels {
                harness.key_press(Key::Tab);
                harness.run_steps(4);
            }
            let canvas = harness.state().canvas;
            assert_eq!(canvas.left() > 100.0, panels, "{canvas:?}");
            for share in (0..9).map(|i| [0.05 + 0.45 * (i % 3) as f32, 0.05 + 0.45 * (i / 3) as f32]) {
                let at = harness.state().at(share);
                let [x, y] = [at.x - canvas.left(), at.y - canvas.top()].map(|d| f64::from(d * scale));
                let before = harness.state().viewport().clone();
                play(&mut harness, at, wheel(1.0, Modifiers::NONE));
                let hands = harness.state();
                let read = hands.explorer.state.pointer_px.expect("the pointer is on the canvas");
                assert!((read[0] - x).abs() < 0.5 && (read[1] - y).abs() < 0.5, "{scale}: {read:?}, not {x}, {y}");
                let ratio = before.height().to_f64() / hands.viewport().height().to_f64();
                assert!((ratio - 1.25).abs() < 1e-9, "{ratio}");
                let [later_x, later_y] = hands.viewport().pixel_from_plane(&before.plane_from_pixel([x, y]));
                let moved = (later_x - x).hypot(later_y - y);
                assert!(moved < 0.5, "scale {scale}, panels {panels}, {share:?}: moved by {moved} pixels");
            }
        }
    }
}

#[test]
fn the_wheel_zooms_with_and_without_control_and_never_over_panels() {
    let mut harness = Hands::on(vec2(1000.0, 700.0), 1.0);
    let place = harness.state().at([0.3, 0.6]);
    // (place, modifiers, magnification, why)
    for (at, modifiers, expected, why) in [
        (place, Modifiers::NONE, 1.25, "a plain notch"),
        (place, Modifiers::CTRL, 1.25, "a pinch on Windows arrives like this"),
        (place, Modifiers::ALT, 1.05, "fine"),
        (pos2(100.0, 400.0), Modifiers::NONE, 1.0, "over the panel"),
        (pos2(100.0, 400.0), Modifiers::CTRL, 1.0, "over the panel"),
    ] {
        let before = harness.state().viewport().height().to_f64();
        play(&mut harness, at, wheel(1.0, modifiers));
        let ratio = before / harness.state().viewport().height().to_f64();
        assert!((ratio - expected).abs() < 1e-9, "{why}: {ratio}");
    }
}

#[test]
fn a_pinch_out_and_back_returns_and_nonsense_means_nothing() {
    let mut harness = Hands::on(vec2(1000.0, 700.0), 2.0);
    let place = harness.state().at([0.3, 0.6]);
    let home = harness.state().viewport().clone();
    for factor in [1.1, f32::NAN, f32::INFINITY, 0.0, -1.0] {
        for _ in 0..10 {
            play(&mut harness, place, Event::Zoom(factor));
        }
    }
    let ratio = home.height().to_f64() / harness.state().viewport().height().to_f64();
    assert!((ratio / f64::from(1.1f32).powi(10) - 1.0).abs() < 1e-9, "{ratio}");
    for _ in 0..10 {
        play(&mut harness, place, Event::Zoom(1.0 / 1.1));
    }
    // 1.1 and 1 / 1.1 are inverse to the 24 bits that a pinch is told in.
    assert!(apart(harness.state().viewport(), &home) < 1e-5);
}

#[test]
fn keys_act_on_the_view_after_a_slider_was_used() {
    let mut harness = Hands::on(vec2(1000.0, 900.0), 1.0);
    let place = harness.state().at([0.3, 0.6]);
    play(&mut harness, place, wheel(3.0, Modifiers::NONE));
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Density").click();
    harness.run_steps(3);
    harness.key_press(Key::Home);
    harness.run_steps(3);
    assert_eq!(harness.state().viewport().height().to_f64(), 2.5);
    harness.key_press(Key::ArrowRight);
    harness.run_steps(60);
    assert!(harness.state().viewport().center().re.to_f64() > -0.75, "arrows move the view, not the slider");
}

#[test]
fn resizes_to_the_same_size_during_a_zoom_change_nothing() {
    let [mut plain, mut disturbed] = [State::new([640, 400]), State::new([640, 400])];
    for frame in 0..50 {
        for state in [&mut plain, &mut disturbed] {
            if frame % 5 == 0 {
                state.apply(zoom(1.25, [500.0, 100.0]));
            }
            state.tick(FRAME);
        }
        disturbed.apply(Command::Resize { size: [640, 400] });
        assert_eq!(plain.viewport(), disturbed.viewport());
    }
}

#[test]
fn other_sizes_keep_centre_and_height() {
    let mut state = State::new([640, 400]);
    state.apply(zoom(8.0, [500.0, 100.0]));
    rest(&mut state);
    let before = state.viewport().clone();
    for size in [[641, 401], [1, 1], [64, 2000], [0, 0], [800, 0], [0, 600], [800, 600]] {
        state.apply(Command::Resize { size });
        assert_eq!((state.viewport().center(), state.viewport().height()), (before.center(), before.height()));
        assert!(!state.viewport().size().contains(&0), "{size:?}");
    }
    assert_eq!(state.viewport().size(), [800, 600]);
}

// Places.

#[test]
fn a_drawn_box_fills_the_view() {
    // (corners, share of the view that the box takes, why)
    for (from_px, to_px, share, why) in [
        ([100.0, 100.0], [200.0, 150.0], 0.25, "a wide box fills the width"),
        ([300.0, 290.0], [290.0, 140.0], 0.5, "a tall box, drawn backwards, fills the height"),
        ([0.0, 0.0], [400.0, 300.0], 1.0, "the whole view stays"),
        ([100.0, 100.0], [102.0, 101.0], 1.0, "a slip of the hand is no box"),
        ([100.0, f64::NAN], [300.0, 200.0], 1.0, "nonsense is no box"),
    ] {
        let mut state = State::new([400, 300]);
        let before = state.viewport().clone();
        state.apply(Command::ZoomToBox { from_px, to_px });
        let after = state.viewport();
        assert!((after.height().to_f64() / before.height().to_f64() - share).abs() < 1e-9, "{why}");
        if share < 1.0 {
            let middle = [(from_px[0] + to_px[0]) / 2.0, (from_px[1] + to_px[1]) / 2.0];
            let [x, y] = after.pixel_from_plane(&before.plane_from_pixel(middle));
            assert!((x - 200.0).abs() < 1e-6 && (y - 150.0).abs() < 1e-6, "{why}: {x}, {y}");
        } else {
            assert_eq!(after, &before, "{why}");
        }
    }
}

#[test]
fn back_and_forward_lead_through_the_views_and_a_burst_is_one_step() {
    let mut state = State::new([640, 400]);
    let mut views = vec![state.viewport().clone()];
    for i in 0..5 {
        for _ in 0..4 {
            state.apply(zoom(1.25, [100.0 * f64::from(i), 300.0]));
            state.tick(FRAME);
        }
        rest(&mut state);
        views.push(state.viewport().clone());
    }
    let last = views.len() - 1;
    for view in views[..last].iter().rev() {
        state.apply(Command::Back);
        assert_eq!(state.viewport(), view);
    }
    state.apply(Command::Back);
    assert_eq!(state.viewport(), &views[0]);
    assert!(state.notice().is_some_and(|n| n.text.contains("no earlier view")));
    for view in &views[1..] {
        state.apply(Command::Forward);
        assert_eq!(state.viewport(), view);
    }
    assert!(!state.can_go_forward());
}

#[test]
fn undo_and_redo_take_back_any_change() {
    let mut state = State::new([640, 400]);
    state.engine_keys = vec!["naive", "tiles"];
    let picture = |state: &State| (state.job(), state.engine, state.palette.key(), state.coloring, state.iterations());
    let mut pictures = vec![picture(&state)];
    for command in [
        zoom(3.0, [100.0, 100.0]),
        Command::NextPalette,
        Command::SetEngine(EngineChoice::Named("naive")),
        Command::MoreIterations,
        Command::SetParam { key: "bailout", value: ParamValue::Number(50.0) },
        Command::AutomaticIterations,
        Command::SetDensity(3.0),
        Command::GoTo("center = [\"-1.25\", \"0.02\"], height = \"0.01\", palette = \"ember\"".into()),
        Command::Home,
    ] {
        state.apply(command);
        rest(&mut state);
        pictures.push(picture(&state));
    }
    let last = pictures.len() - 1;
    for (i, expected) in pictures[..last].iter().enumerate().rev() {
        state.apply(Command::Undo);
        assert_eq!(&picture(&state), expected, "after undoing change {i}");
    }
    for (i, expected) in pictures[1..].iter().enumerate() {
        state.apply(Command::Redo);
        assert_eq!(&picture(&state), expected, "after redoing change {i}");
    }
}

#[test]
fn a_zoom_right_after_a_slider_is_a_step_of_its_own() {
    let mut state = State::new([640, 400]);
    for density in [1.5, 2.0, 3.0] {
        state.apply(Command::SetDensity(density));
        state.tick(FRAME);
    }
    state.apply(zoom(2.0, [100.0, 100.0]));
    rest(&mut state);
    state.apply(Command::Undo);
    assert_eq!((state.viewport().height().to_f64(), state.coloring.density), (2.5, 3.0));
    state.apply(Command::Undo);
    assert_eq!(state.coloring.density, 1.0, "one undo takes back the whole slide");
}

#[test]
fn a_location_is_copied_and_pasted_with_every_digit() {
    let re = "-0.743643887037158704752191506114774123456789012345678901234567";
    let im = "0.131825904205311970493132056385139987654321098765432109876543";
    let mut state = State::new([640, 400]);
    state.apply(Command::GoTo(format!("center = [\"{re}\", \"{im}\"], height = \"1e-50\", max_iterations = 12345")));
    let there = state.viewport().clone();
    assert_eq!(there.center(), &BigComplex::new(re.parse().unwrap(), im.parse().unwrap()));
    state.apply(Command::CopyLocation);
    let effects = state.take_effects();
    let [Effect::Copy(line)] = &effects[..] else { panic!("{effects:?}") };
    assert!(line.contains(re) && line.contains(im) && !line.contains('\n'), "{line}");
    state.apply(Command::Home);
    state.apply(Command::AutomaticIterations);
    state.apply(Command::GoTo(line.clone()));
    assert_eq!(state.viewport(), &there);
    assert_eq!(state.iterations(), (12345, false));
}

#[test]
fn what_cannot_be_gone_to_changes_nothing_and_says_why() {
    for text in ["", "nonsense", "-0.75, x", "height = \"-1\"", "center = [\"nan\", \"0\"]", "1,5,3", "\u{0}"] {
        let mut state = State::new([640, 400]);
        let before = state.job();
        state.apply(Command::GoTo(text.into()));
        assert_eq!(state.job(), before, "{text:?}");
        assert!(state.notice().is_some_and(|n| n.is_error), "{text:?} is refused in silence");
    }
}

// Drawing.

#[test]
fn the_settled_picture_is_a_fresh_render_after_any_way_there() {
    for threads in 1..=4 {
        let mut explorer = explorer([120, 80], threads);
        for factor in [1.25, 0.8] {
            for i in 0..30 {
                explorer.state.apply(zoom(factor, [30.0, 55.0]));
                for _ in 0..1 + i % 3 {
                    pass(&mut explorer);
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        }
        settle(&mut explorer);
        assert_eq!(shown(&explorer), fresh(&explorer.state.job()), "{threads} threads");
    }
}

#[test]
fn a_thousand_commands_in_the_middle_of_drawing_end_in_the_right_view() {
    let size = [160, 100];
    let mut explorer = explorer(size, 3);
    let mut twin = State::new(size);
    twin.engine_keys = explorer.upper.engines().iter().map(|e| e.key).collect();
    let mut random = 7u64;
    let mut next = |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    for _ in 0..1000 {
        let at = [next(160) as f64, next(100) as f64];
        let command = match next(16) {
            0..4 => zoom(1.25, at),
            4..8 => zoom(0.8, at),
            8 => Command::Pan { by_px: [at[0] - 80.0, at[1] - 50.0] },
            9 => Command::Throw { velocity_px: [at[0] * 10.0, -at[1]] },
            10 => Command::ZoomToBox { from_px: at, to_px: [next(160) as f64, next(100) as f64] },
            11 => [Command::Home, Command::Back, Command::Forward][next(3) as usize].clone(),
            12 => [Command::Undo, Command::Redo][next(2) as usize].clone(),
            13 => [Command::MoreIterations, Command::AutomaticIterations][next(2) as usize].clone(),
            14 => [Command::NextPalette, Command::Recompute, Command::Hold][next(3) as usize].clone(),
            _ => Command::SetEngine(EngineChoice::Named(["simd", "threads", "tiles", "gpu"][next(4) as usize])),
        };
        twin.apply(command.clone());
        twin.tick(FRAME);
        explorer.state.apply(command);
        pass(&mut explorer);
        if next(4) == 0 {
            std::thread::sleep(Duration::from_millis(next(8)));
        }
    }
    // Iterations were doubled many times: a cap that the plain engine can afford.
    for state in [&mut twin, &mut explorer.state] {
        state.apply(Command::SetParam { key: "max_iterations", value: ParamValue::Count(3000) });
    }
    settle(&mut explorer);
    rest(&mut twin);
    assert_eq!(explorer.state.viewport(), twin.viewport());
    assert_eq!(shown(&explorer), fresh(&explorer.state.job()));
}

#[test]
fn a_deep_picture_at_rest_is_as_fresh_whatever_led_to_it() {
    let mut explorer = explorer([72, 48], 2);
    let [re, im] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    explorer.state.apply(Command::SetCenter { re: re.into(), im: im.into() });
    explorer.state.apply(Command::SetHeight("1e-15".into()));
    for (round, factor) in [1.25, 1.25, 0.8, 1.25].into_iter().enumerate() {
        for notch in 0..30 {
            explorer.state.apply(zoom(factor, [50.0, 20.0 + round as f64]));
            if notch % 10 == 9 {
                explorer.state.apply(Command::Pan { by_px: [15.0, -4.0] });
            }
            for _ in 0..4 {
                pass(&mut explorer);
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        settle(&mut explorer);
        let job = explorer.state.job();
        let machine = Machine::without_gpu(1).unwrap();
        let mut expected = Field::missing(job.size());
        Perturbation::new(machine.pool.clone())
            .render(&job, &Latest::forever(), &HostSink::new(&mut expected))
            .unwrap();
        assert!(shown(&explorer) == expected, "round {round}");
        // Nobody said a cap: a file of the same place has the same.
        let place = Location { max_iterations: None, ..explorer.state.location() };
        let same = place.job([72, 48]).unwrap();
        let cap = iterations::measured(&mut all(&machine), &same, &Latest::forever(), &HostSink::new(&mut expected));
        assert_eq!(Ok(job.max_iterations()), cap, "round {round}");
        assert!(explorer.state.iterations().1, "it is automatic all the way");
    }
}

#[test]
fn a_picture_settles_though_frames_come_only_when_there_is_news() {
    let woken = Arc::new(AtomicBool::new(true));
    let (machine, news) = (Machine::without_gpu(2).unwrap(), woken.clone());
    let wake = Arc::new(move || news.store(true, Ordering::Release));
    let mut explorer = Explorer::start(State::new([96, 64]), &machine, false, wake).unwrap();
    let [re, im] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
    for height in ["1e-12", "1e-20", "1e-3", "1e-21"] {
        explorer.state.apply(Command::GoTo(format!("center = [\"{re}\", \"{im}\"], height = \"{height}\"")));
        for notch in 0..12 {
            explorer.state.apply(zoom(1.25, [60.0, 10.0 + f64::from(notch)]));
            pass(&mut explorer);
            std::thread::sleep(Duration::from_millis(3));
        }
        let deadline = Instant::now() + Duration::from_secs(30);
        while explorer.state.is_moving() || !explorer.upper.status.settled {
            assert!(Instant::now() < deadline, "{height}: nothing comes any more");
            if explorer.state.is_moving() || woken.swap(false, Ordering::AcqRel) {
                pass(&mut explorer);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_reference_in_the_making_is_told_and_given_up_at_once() {
    let mut explorer = explorer([96, 64], 2);
    settle(&mut explorer);
    // The cusp: nothing comes to an end within any number of steps, and each takes tens of microseconds.
    explorer.state.apply(Command::GoTo("center = [\"0.25\", \"0\"], height = \"1e-5000\"".into()));
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut shares = Vec::new();
    while shares.len() < 3 {
        assert!(Instant::now() < deadline, "nothing is told of it");
        pass(&mut explorer);
        assert!(!explorer.upper.film().pictures().is_empty(), "the old picture stays");
        if let Some(making) = explorer.upper.preparation() {
            assert_eq!(making.what, "reference");
            shares.extend(making.share.filter(|share| shares.last() != Some(share)));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(shares.is_sorted() && shares.iter().all(|share| (0.0..1.0).contains(share)), "{shares:?}");
    explorer.state.apply(Command::Home);
    let start = Instant::now();
    settle(&mut explorer);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn a_view_that_keeps_moving_is_shown_however_slow_its_engine() {
    let mut explorer = explorer([320, 200], 1);
    explorer.state.apply(Command::SetEngine(EngineChoice::Named("naive")));
    explorer.state.apply(Command::SetView(Spatial::KEY));
    let deadline = Instant::now() + Duration::from_secs(30);
    while !explorer.upper.film().pictures().iter().any(|pass| pass.progress() >= 1.0) {
        assert!(Instant::now() < deadline, "nothing is ever seen of it");
        explorer.state.apply(Command::Pan { by_px: [3.0, 1.0] });
        pass(&mut explorer);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn iterations_are_raised_and_lowered_by_hand_up_to_two_thousand_million() {
    let mut state = State::new([96, 64]);
    for _ in 0..40 {
        state.apply(Command::MoreIterations);
    }
    assert_eq!(state.iterations(), (i32::MAX as u32, false));
    state.apply(Command::SetParam { key: "max_iterations", value: ParamValue::Count(1_000_000) });
    state.apply(Command::FewerIterations);
    assert_eq!(state.iterations(), (500_000, false));
    state.apply(Command::AutomaticIterations);
    assert_eq!(state.iterations(), (1000, true));
}

#[test]
fn frames_never_wait_for_an_engine() {
    let mut explorer = explorer([640, 400], 2);
    settle(&mut explorer);
    // All inside, and an engine without shortcuts: minutes of work.
    explorer.state.apply(Command::SetEngine(EngineChoice::Named("threads")));
    explorer.state.apply(Command::GoTo("center = [\"-0.1\", \"0\"], height = \"0.05\"".into()));
    explorer.state.apply(Command::SetParam { key: "max_iterations", value: ParamValue::Count(1_000_000) });
    let mut gaps = Vec::new();
    for frame in 0..300 {
        if frame % 10 == 0 {
            explorer.state.apply(Command::Pan { by_px: [3.0, 1.0] });
        }
        let start = Instant::now();
        pass(&mut explorer);
        gaps.push(start.elapsed());
        assert!(!explorer.upper.film().pictures().is_empty(), "the old picture stays");
        std::thread::sleep(Duration::from_millis(3));
    }
    assert!(!explorer.upper.status.settled && explorer.is_busy());
    // Between two jobs there is a moment without a pass; then the share done is shown again.
    let deadline = Instant::now() + Duration::from_secs(10);
    while !explorer.upper.progress().is_some_and(|share| (0.0..=1.0).contains(&share)) {
        assert!(Instant::now() < deadline, "no progress is shown");
        explorer.frame();
        std::thread::sleep(Duration::from_millis(1));
    }
    gaps.sort();
    assert!(gaps[297] < Duration::from_millis(50), "the 99th percentile is {:?}", gaps[297]);

    // And the work is dropped as soon as something else is wanted.
    explorer.state.apply(Command::SetEngine(EngineChoice::Auto));
    explorer.state.apply(Command::SetParam { key: "max_iterations", value: ParamValue::Count(100) });
    explorer.state.apply(Command::Home);
    let start = Instant::now();
    settle(&mut explorer);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn an_engine_that_cannot_do_the_view_is_replaced_and_says_so() {
    let mut explorer = explorer([96, 64], 1);
    explorer.state.apply(Command::SetEngine(EngineChoice::Named("gpu")));
    settle(&mut explorer);
    assert_eq!(explorer.upper.status.engine, Some(("tiles", "the engine chosen cannot do this view")));
    assert_eq!(explorer.state.engine, EngineChoice::Named("gpu"), "the choice stays for views that it can do");
}

#[test]
fn f64_comes_with_a_warning_where_it_is_not_trusted() {
    let mut explorer = explorer([96, 64], 1);
    let tiles = EngineChoice::Named("tiles");
    // (engine, height, engine that draws, a warning, why)
    for (choice, height, drawn_by, warning, why) in [
        (EngineChoice::Auto, "1e-3", Some("tiles"), false, "plenty of digits"),
        (tiles, "1e-11", Some("tiles"), true, "some counts are rounding's"),
        (EngineChoice::Auto, "1e-11", Some("perturbation"), false, "deltas have digits enough"),
        (tiles, "1e-15", Some("perturbation"), false, "pixels of f64 cannot be told apart"),
        (EngineChoice::Auto, "1e-300", Some("perturbation"), false, "far beyond f64"),
        (EngineChoice::Auto, "1e-5000", Some("perturbation"), false, "far beyond the exponents of f64"),
        (EngineChoice::Auto, "1e-90000", None, false, "a reference would take minutes a step"),
        (EngineChoice::Auto, "2.5", Some("tiles"), false, "and out again"),
    ] {
        explorer.state.apply(Command::SetEngine(choice));
        seahorse(&mut explorer, height);
        settle(&mut explorer);
        let status = &explorer.upper.status;
        assert_eq!(status.settled, drawn_by.is_some(), "{height}: {why}");
        assert_eq!(status.failure.is_none(), drawn_by.is_some(), "{height}: {why}");
        assert_eq!(status.caution.is_some(), warning, "{height}: {why}");
        if drawn_by.is_some() {
            assert_eq!(status.engine.map(|(key, _)| key), drawn_by, "{height}: {why}");
        }
    }
}

#[test]
fn saving_leaves_the_view_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.png");
    let mut explorer = explorer([96, 64], 1);
    seahorse(&mut explorer, "0.01");
    settle(&mut explorer);
    let (before, picture) = (explorer.state.job(), shown(&explorer));
    save(&mut explorer, &path, [200, 50]);
    assert_eq!(explorer.state.job(), before);
    assert_eq!(shown(&explorer), picture);
    explorer.state.apply(zoom(0.5, [48.0, 32.0]));
    settle(&mut explorer);
    assert!((explorer.state.viewport().height().to_f64() - 0.02).abs() < 1e-12, "zooming out works");

    // The saved picture leads back.
    let height = before.viewport.height().clone();
    explorer.state.apply(Command::Open(path.to_string_lossy().into_owned()));
    assert_eq!(explorer.state.viewport().height(), &height);
    assert_eq!(explorer.state.viewport().center(), before.viewport.center());
}

#[test]
fn numbers_are_saved_at_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("distances.npy");
    let mut explorer = explorer([96, 64], 1);
    seahorse(&mut explorer, "0.01");
    save(&mut explorer, &path, [30, 20]);
    let bytes = std::fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'descr': '<f4'"));
    let numbers = bytes[bytes.len() - 4 * 30 * 20..].chunks(4);
    let distances: Vec<_> = numbers.map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
    assert!(distances.iter().any(|&d| d > 1.0) && distances.iter().all(|d| (0.0..1e3).contains(d)), "{distances:?}");
}

fn save(explorer: &mut Explorer, path: &Path, size: [u32; 2]) {
    let path_text = Some(path.to_string_lossy().into_owned());
    let (size, supersample, channel, overwrite) = (Some(size), 2, Channel::Distance, false);
    explorer.state.apply(Command::Export(SaveRequest {
        path: path_text,
        size,
        supersample,
        channel,
        overwrite,
        cluster: None,
        resume: false,
    }));
    let deadline = Instant::now() + Duration::from_secs(30);
    pass(explorer);
    while explorer.state.exporting {
        assert!(Instant::now() < deadline, "saving never ends");
        pass(explorer);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(path.is_file(), "{:?}", explorer.state.notice());
}
