//! The screen, driven without a window: what is clicked and typed becomes the right commands.

mod cluster;
mod overlay;
mod watching;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cardioid::app::animation::Pace;
use cardioid::app::export::Channel;
use cardioid::app::{
    AnimationRequest, Command, Comparison, ComparisonRow, EngineChoice, Explorer, Landmark, OverlayMode, Play,
    SaveRequest, State,
};
use cardioid::color::Palette;
use cardioid::engine::{Machine, Precision};
use cardioid::math::BigComplex;
use cardioid::render::{SpaceAxis, Stats};
use cardioid::ui::screen::{self, Memory};
use cardioid::ui::shortcuts::{self, BINDINGS, GESTURES};
use cardioid::view::{ComplexBifurcation, ParamValue};
use egui::accesskit::Role;
use egui::{Rect, UiBuilder, Vec2};
use egui_kittest::kittest::Queryable as _;
use egui_kittest::{Harness, SnapshotOptions};

/// The program without its window.
struct App {
    explorer: Explorer,
    memory: Memory,
    /// All that was asked for so far.
    asked: Vec<Command>,
    canvas: Rect,
    /// Nothing is drawn: what is shown was put there by the test.
    is_frozen: bool,
}

impl App {
    fn new() -> Self {
        let machine = Machine::without_gpu(1).unwrap();
        let mut explorer = Explorer::start(State::new([320, 200]), &machine, false, Arc::new(|| {})).unwrap();
        // Pictures of the screen must not depend on how far it has come.
        explorer.state.antialiasing = false;
        Self { explorer, memory: Memory::default(), asked: Vec::new(), canvas: Rect::NOTHING, is_frozen: false }
    }

    /// One frame, as the window does it.
    fn frame(&mut self, ui: &mut egui::Ui) {
        let events = ui.input(|i| i.events.clone());
        let mut commands = shortcuts::commands(&events, &self.explorer, self.memory.is_typing());
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        self.canvas = screen::show(&mut root, &self.explorer, &mut self.memory, &mut commands).rect;
        for command in commands {
            self.asked.push(command.clone());
            self.explorer.state.apply(command);
        }
        if !self.is_frozen {
            self.explorer.frame();
        }
    }
}

/// Frames until the screen rests: pictures that come while it is drawn ask for more of them.
const MAX_STEPS: u64 = 64;

fn harness(size: impl Into<Vec2>) -> Harness<'static, App> {
    let builder = Harness::builder().with_size(size).with_max_steps(MAX_STEPS);
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.frame(ui), App::new());
    harness.run();
    harness
}

/// Runs frames until the picture is settled and every able engine was timed `times` times.
fn settle(harness: &mut Harness<'static, App>, times: usize) {
    for _ in 0..times {
        harness.state_mut().explorer.state.apply(Command::Recompute);
        let deadline = Instant::now() + Duration::from_secs(20);
        harness.step();
        loop {
            harness.step();
            let explorer = &harness.state().explorer;
            let is_done = |key: &str| explorer.upper.timings.engine(key).is_some_and(|t| t.last().is_some());
            let done = explorer.upper.engines().iter().all(|e| e.absent.is_some() || is_done(e.key));
            if (explorer.upper.status.settled && done) || Instant::now() > deadline {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What was asked for since the last call.
fn asked(harness: &mut Harness<'static, App>) -> Vec<Command> {
    harness.run();
    std::mem::take(&mut harness.state_mut().asked)
}

fn click(harness: &mut Harness<'static, App>, label: &str) -> Vec<Command> {
    harness.get_by_label(label).click();
    asked(harness)
}

/// Replaces what a field holds, and enters it.
fn type_into(harness: &mut Harness<'static, App>, label: &str, text: &str) -> Vec<Command> {
    harness.get_by_label(label).click();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.key_press(egui::Key::Delete);
    harness.get_by_label(label).type_text(text);
    harness.run();
    harness.key_press(egui::Key::Enter);
    asked(harness)
}

#[test]
fn every_engine_has_a_row_that_chooses_it_and_a_row_of_timings() {
    let mut harness = harness([1280.0, 900.0]);
    let keys: Vec<&'static str> = harness.state().explorer.upper.engines().iter().map(|e| e.key).collect();
    for key in keys {
        let row = harness.get_by_role_and_label(Role::Button, key);
        row.click();
        assert_eq!(asked(&mut harness), [Command::SetEngine(EngineChoice::Named(key))]);
        assert_eq!(harness.state().explorer.state.engine.key(), key);
        let in_overlay = harness.query_all_by_label_contains(key).any(|node| node.rect().left() > 700.0);
        assert!(in_overlay, "{key} has no row of timings");
    }
    assert_eq!(click(&mut harness, "auto"), [Command::SetEngine(EngineChoice::Auto)]);
}

#[test]
fn bookmarks_are_added_gone_to_and_removed_by_hand() {
    for size in [[1280.0, 1100.0], [480.0, 320.0]] {
        let mut harness = harness(size);
        if size[1] > 1000.0 {
            assert_eq!(click(&mut harness, "Antialias pictures at rest"), [Command::ToggleAntialiasing]);
            assert_eq!(click(&mut harness, "Bookmarks"), [Command::ToggleBookmarks]);
        } else {
            harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::M);
            harness.run();
            assert_eq!(asked(&mut harness), [Command::ToggleBookmarks]);
        }
        assert_eq!(click(&mut harness, "Add this place"), [Command::AddBookmark]);
        harness.run();
        let screen = harness.ctx.content_rect();
        assert!(screen.contains_rect(harness.get_by_label("Remove").rect()), "the list fits into {size:?}");
        assert_eq!(click(&mut harness, "Remove"), [Command::RemoveBookmark(1)]);
        assert_eq!(click(&mut harness, "Undo removal"), [Command::RestoreBookmark]);
        harness.state_mut().explorer.state.apply(Command::SetHeight("1e-5".into()));
        harness.run();
        assert_eq!(click(&mut harness, "Bookmark 1"), [Command::GoToBookmark(1)]);
        assert_eq!(harness.state().explorer.state.viewport().height(), &"2.5".parse().unwrap());
    }
}

#[test]
fn buttons_send_their_commands() {
    let mut harness = harness([1280.0, 900.0]);
    harness.state_mut().explorer.state.apply(Command::GoTo("-1.25, 0.02".into()));
    harness.run();
    for (label, expected) in [
        ("←", Command::Back),
        ("→", Command::Forward),
        ("Home", Command::Home),
        ("Copy", Command::CopyLocation),
        ("Automatic iterations", switch("automatic_iterations", false)),
        ("Time the others when the view settles", Command::ToggleLiveTimings),
        ("Compare", Command::Compare),
        ("Stop", Command::CloseCompare),
        ("Save at any size…", Command::ShowExport(true)),
        ("Cancel", Command::ShowExport(false)),
        ("Full timings", Command::SetOverlay(OverlayMode::Full)),
        ("Compact timings", Command::SetOverlay(OverlayMode::Compact)),
        ("Close timings", Command::SetOverlay(OverlayMode::Off)),
        ("Keys", Command::ToggleKeys),
        ("Close", Command::ToggleKeys),
        ("Hide panel", Command::TogglePanels),
    ] {
        assert_eq!(click(&mut harness, label), [expected], "{label}");
    }
    assert!(harness.query_by_label("Home").is_none(), "the panel is hidden");
    assert_eq!(harness.state().canvas.width(), 1280.0, "the canvas takes the room");
}

fn switch(key: &'static str, on: bool) -> Command {
    Command::SetParam { key, value: ParamValue::Switch(on) }
}

#[test]
fn palettes_are_chosen_by_their_strips() {
    let mut harness = harness([1280.0, 900.0]);
    for palette in Palette::all().iter().filter(|p| p.key() != Palette::DEFAULT) {
        harness.get_by_role_and_label(Role::Button, palette.name()).click();
        assert_eq!(asked(&mut harness), [Command::SetPalette(palette.key().into())]);
        assert_eq!(harness.state().explorer.state.palette.key(), palette.key());
    }
}

#[test]
fn numbers_typed_into_the_knobs_arrive_whole() {
    let mut harness = harness([1280.0, 900.0]);
    let commands = type_into(&mut harness, "Max iterations", "12345");
    let expected = Command::SetParam { key: "max_iterations", value: ParamValue::Count(12345) };
    assert_eq!(commands, [expected], "no 1, 12, 123 on the way");
}

#[test]
fn the_centre_keeps_every_digit() {
    let mut harness = harness([1280.0, 900.0]);
    let re = "-0.743643887037158704752191506114774";
    let commands = type_into(&mut harness, "Re", re);
    assert!(matches!(&commands[..], [Command::SetCenter { re: asked, .. }] if asked == re), "{commands:?}");
    assert_eq!(harness.state().explorer.state.viewport().center().re.to_string(), re);
    assert_eq!(harness.get_by_label("Re").value().as_deref(), Some(re), "the field shows it");
    let commands = type_into(&mut harness, "Height", "4e-30");
    assert_eq!(commands, [Command::SetHeight("4e-30".into())]);
}

#[test]
fn a_point_pasted_into_either_field_is_gone_to() {
    // (field, text, re, im)
    for (field, text, re, im) in [
        ("Re", "-0.75, 0.1", "-0.75", "0.1"),
        ("Im", "-0.75+0.1i", "-0.75", "0.1"),
        ("Re", "-1.25e-1;6.5e-1", "-0.125", "0.65"),
        ("Re", "-0.5 - 2e-3j", "-0.5", "-0.002"),
        (
            "Re",
            "-0.743643887037158704752191506114774000000000000000000000000001 0.131825904205311970493132056385139",
            "-0.743643887037158704752191506114774000000000000000000000000001",
            "0.131825904205311970493132056385139",
        ),
    ] {
        let mut harness = harness([1280.0, 900.0]);
        assert_eq!(type_into(&mut harness, field, text), [Command::GoTo(text.into())]);
        let center = harness.state().explorer.state.viewport().center().clone();
        assert_eq!((center.re.to_string(), center.im.to_string()), (re.into(), im.into()), "{text}");
    }
}

#[test]
fn nonsense_is_marked_where_it_stands_and_changes_nothing() {
    let mut harness = harness([1280.0, 900.0]);
    let before = harness.state().explorer.state.viewport().clone();
    for (field, text, complaint) in [
        ("Re", "-0.7four", "is not a number"),
        ("Re", "1,5", "unexpected \",\" at character 2"),
        ("Re", "-0.75+0.1k", "unexpected \"+\" at character 6"),
        ("Im", "", "the number is empty"),
        ("Height", "-2", "write one above 0"),
        ("Height", "NaN", "is not finite"),
    ] {
        assert_eq!(type_into(&mut harness, field, text), [], "{field} {text:?}");
        assert!(harness.query_by_label_contains(complaint).is_some(), "{field} {text:?} is not marked");
        assert_eq!(harness.get_by_label(field).value().as_deref(), Some(text), "what was typed stays");
        harness.key_press(egui::Key::Escape);
        harness.run();
        assert!(harness.query_by_label_contains(complaint).is_none(), "Escape takes {text:?} back");
    }
    assert_eq!(harness.state().explorer.state.viewport(), &before);
}

#[test]
fn letters_type_in_fields_and_act_elsewhere() {
    let mut harness = harness([1280.0, 900.0]);
    harness.get_by_label("Re").click();
    harness.run();
    harness.key_press(egui::Key::P);
    harness.key_press(egui::Key::Tab);
    assert_eq!(asked(&mut harness), [], "a field has the keyboard");
    harness.key_press(egui::Key::Escape);
    harness.run();
    harness.state_mut().asked.clear();
    for (key, expected) in [
        (egui::Key::Tab, Command::TogglePanels),
        (egui::Key::Tab, Command::TogglePanels),
        (egui::Key::P, Command::NextPalette),
    ] {
        harness.key_press(key);
        assert_eq!(asked(&mut harness), [expected]);
    }
    // A click on the picture takes the keyboard from a field.
    harness.get_by_label("Re").click();
    harness.run();
    assert!(harness.state().memory.is_typing());
    let middle = harness.state().canvas.center();
    harness.drag_at(middle);
    harness.drop_at(middle);
    harness.run();
    assert!(!harness.state().memory.is_typing());
    // A button that was clicked does not keep Space and Enter for itself.
    click(&mut harness, "Home");
    harness.key_press(egui::Key::Space);
    harness.key_press(egui::Key::Enter);
    assert_eq!(asked(&mut harness), []);
}

#[test]
fn a_wheel_over_the_panel_never_reaches_the_canvas() {
    let mut harness = harness([900.0, 400.0]);
    let before = harness.get_by_label("Home").rect();
    harness.hover_at(egui::pos2(140.0, 200.0));
    harness.run();
    harness.get_by_label("Home").scroll_down();
    harness.run();
    assert!(harness.get_by_label("Home").rect().top() < before.top(), "the panel scrolls");
}

#[test]
fn the_key_sheet_lists_every_binding_and_gesture() {
    let mut harness = harness([900.0, 600.0]);
    harness.key_press(egui::Key::H);
    assert_eq!(asked(&mut harness), [Command::ToggleKeys]);
    for binding in BINDINGS.iter().filter(|b| !b.keys.is_empty()) {
        assert!(harness.query_all_by_label(binding.text).next().is_some(), "{:?} is missing", binding.text);
        for cap in binding.keys.split("  ") {
            assert!(harness.query_all_by_label(cap).next().is_some(), "the cap {cap:?} is missing");
        }
    }
    for (_, _, text) in GESTURES {
        assert!(harness.query_all_by_label(text).next().is_some(), "{text:?} is missing");
    }
}

#[test]
fn the_export_dialog_sends_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken.png");
    std::fs::write(&taken, "a picture").unwrap();
    let mut harness = harness([1280.0, 900.0]);
    click(&mut harness, "Save at any size…");
    click(&mut harness, "4K");
    type_into(&mut harness, "File", taken.to_str().unwrap());
    assert_eq!(click(&mut harness, "Save"), [], "a file is never replaced in silence");
    click(&mut harness, "replace the file that is there");
    let path = Some(taken.to_str().unwrap().into());
    let (size, supersample, channel) = (Some([3840, 2160]), 2, Channel::Iterations);
    let expected = SaveRequest { path, size, supersample, channel, overwrite: true, cluster: None, resume: false };
    assert_eq!(click(&mut harness, "Save"), [Command::Export(expected)]);
}

#[test]
fn the_export_dialog_offers_numbers_and_their_channels() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = harness([1280.0, 900.0]);
    click(&mut harness, "Save at any size…");
    assert!(harness.query_by_label("Distance").is_none(), "a picture has no channels");
    type_into(&mut harness, "File", folder.path().join("a.png").to_str().unwrap());
    click(&mut harness, "Numbers");
    click(&mut harness, "Distance");
    let path = Some(folder.path().join("a.npy").to_str().unwrap().into());
    let size = Some(harness.state().explorer.state.viewport().size());
    let expected = SaveRequest {
        path,
        size,
        supersample: 2,
        channel: Channel::Distance,
        overwrite: false,
        cluster: None,
        resume: false,
    };
    assert_eq!(click(&mut harness, "Save"), [Command::Export(expected)]);
}

#[test]
fn animations_are_saved_from_views_that_play() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = harness([1280.0, 900.0]);
    click(&mut harness, "Save at any size…");
    assert!(harness.query_by_label("Animation").is_none(), "a set does not move by itself");
    click(&mut harness, "Cancel");
    harness.state_mut().explorer.state.apply(Command::SetView(ComplexBifurcation::KEY));
    harness.run();
    click(&mut harness, "Save at any size…");
    click(&mut harness, "Animation");
    click(&mut harness, "4K");
    let film = folder.path().join("film.webm").display().to_string();
    type_into(&mut harness, "File", &film);
    let expected = AnimationRequest {
        path: film,
        play: Play::Section,
        pace: Pace { seconds: 12.0, fps: 30 },
        size: [3840, 2160],
        overwrite: false,
        cluster: None,
    };
    harness.state_mut().is_frozen = true;
    assert_eq!(click(&mut harness, "Save"), [Command::ExportAnimation(expected)]);
}

#[test]
fn a_still_screen_asks_for_no_repaint() {
    let mut harness = harness([1280.0, 900.0]);
    settle(&mut harness, 1);
    harness.run_steps(30);
    let output = harness.output().viewport_output.values().next().unwrap();
    assert!(output.repaint_delay > Duration::from_secs(1), "repaints in {:?}", output.repaint_delay);
}

/// A screen that shows only what `prepare` puts there, painted as in a window.
fn still(size: impl Into<Vec2>, prepare: impl FnOnce(&mut Explorer)) -> Harness<'static, App> {
    let mut app = App::new();
    app.is_frozen = true;
    app.explorer.state.apply(Command::TogglePanels);
    prepare(&mut app.explorer);
    let builder = Harness::builder().with_size(size).with_max_steps(MAX_STEPS).wgpu();
    let mut harness = builder.build_ui_state(|ui, app: &mut App| app.frame(ui), app);
    harness.run();
    harness
}

/// Different rasterisers round edges of letters differently.
fn snapshot(harness: &mut Harness<'static, App>, name: &str) {
    let options = SnapshotOptions::new().threshold(1.0).max_failed_pixels(40).output_path("tests/it/snapshots");
    harness.snapshot_options(name, &options);
}

#[test]
fn picture_of_a_comparison() {
    let row = |key, millis: [f64; 3], differing, absent: Option<&str>| ComparisonRow {
        key,
        describe: if key == "gpu" { "f32".into() } else { "f64".into() },
        precision: if key == "gpu" { Precision::F32 } else { Precision::F64 },
        absent: absent.map(String::from),
        millis: if absent.is_none() { millis.to_vec() } else { Vec::new() },
        stats: Stats { steps: 900_000_000, ..Stats::default() },
        differing,
    };
    let mut harness = still([780.0, 330.0], |explorer| {
        explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
        explorer.comparison = Some(Comparison {
            rows: vec![
                row("naive", [2010.0, 2020.0, 2090.0], Some((0, 0)), None),
                row("tiles", [40.1, 41.0, 47.7], Some((0, 0)), None),
                row("simd", [39.9, 41.5, 49.0], Some((12, 3)), None),
                row("gpu", [1.21, 1.25, 1.4], Some((30_000, 900)), None),
                row("dask", [0.0; 3], None, Some("no scheduler answers at tcp://127.0.0.1:8786")),
            ],
            size: [1280, 800],
            parts: 1280 * 800,
            full_size: [1280, 800],
            reference: "naive",
            view: "centre -0.75, 0; height 2.5; 1000 iterations at most".into(),
        });
    });
    snapshot(&mut harness, "comparison");
}

#[test]
fn picture_of_a_place_too_deep() {
    let mut harness = still([640.0, 420.0], |explorer| {
        explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
        explorer.upper.status.failure =
            Some("perturbation draws pixels no finer than 6.2e-78914, this view asks for 9.5e-90003".into());
        explorer.state.apply(Command::SetHeight("4e-90000".into()));
        explorer.state.apply(Command::CopyLocation);
        explorer.state.apply(Command::Point { at_px: Some([30.0, 20.0]) });
    });
    snapshot(&mut harness, "too_deep");
}

/// Frames until the card's verdict and picture have come.
fn inspect(harness: &mut Harness<'static, App>) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        harness.step();
        let inspector = harness.state().explorer.inspector();
        let seen = inspector.inspection().map(|seen| seen.c);
        if seen.is_some() && seen == inspector.c() && inspector.portrait().is_some() {
            harness.run();
            return;
        }
        assert!(Instant::now() < deadline, "the point is never answered");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A pixel of the home view on the real axis, or off it.
fn point_at(harness: &mut Harness<'static, App>, re: f64, im: f64) {
    let state = &mut harness.state_mut().explorer.state;
    state.apply(Command::Resize { size: [800, 800] });
    state.apply(Command::Point { at_px: Some([400.0 + (re + 0.75) * 320.0, 400.0 - im * 320.0]) });
    inspect(harness);
}

#[test]
fn the_orbit_card_says_what_becomes_of_a_point() {
    let mut harness = harness([1280.0, 900.0]);
    harness.key_press(egui::Key::G);
    assert_eq!(asked(&mut harness), [Command::ToggleOrbit]);
    assert!(harness.query_by_label("point at the picture").is_some());
    for (re, im, plot, parts) in [
        (
            -1.0,
            0.0,
            "Cobweb",
            &["period 2  ·", "settles on an attracting cycle", "r = 1 + √(1 − 4c) = 3.2", "|z_n|"][..],
        ),
        (0.25, 0.0, "Cobweb", &["neutral fixed point", "0.3125000000"]),
        (1.0, 0.0, "Cobweb", &["escapes at n = 3", "677.0"]),
        (-0.125, 0.75, "Orbit from close up", &["attracting cycle of period 3", "Im z_n", "0.750000 "]),
    ] {
        point_at(&mut harness, re, im);
        for part in parts.iter().map(|part| part.trim_end()).chain([plot]) {
            assert!(harness.query_all_by_label_contains(part).next().is_some(), "{re}, {im}: {part:?} is missing");
        }
        assert!(harness.query_by_role_and_label(Role::Image, "Julia set").is_some());
    }
    harness.state_mut().explorer.state.apply(Command::PinPoint { at_px: Some([400.0, 400.0]) });
    harness.run();
    assert!(harness.query_by_label("Pinned point").is_some());
    let [re, im] = ["-1.25", "0.015625"].map(|part| part.parse().unwrap());
    harness.state_mut().explorer.state.apply(Command::Inspect(BigComplex::new(re, im)));
    harness.run();
    assert_eq!(harness.get_by_label("Re c").value().as_deref(), Some("-1.25"), "a typed point is shown");
    harness.key_press(egui::Key::Escape);
    harness.run();
    assert!(harness.query_by_label("Orbit").is_some());
    harness.state_mut().asked.clear();
    assert_eq!(click(&mut harness, "Close orbit"), [Command::ToggleOrbit]);
    assert!(harness.query_by_role_and_label(Role::Image, "Julia set").is_none());
}

#[test]
fn picture_of_an_orbit() {
    let mut harness = still([900.0, 640.0], |explorer| {
        explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
        explorer.state.apply(Command::Resize { size: [900, 640] });
        explorer.state.apply(Command::ToggleOrbit);
        explorer.state.apply(Command::PinPoint { at_px: Some([480.0, 150.0]) });
    });
    let deadline = Instant::now() + Duration::from_secs(20);
    let question = harness.state().explorer.state.question();
    assert!(question.is_some());
    while harness.state().explorer.inspector().portrait().is_none() && Instant::now() < deadline {
        harness.state_mut().explorer.frame();
        std::thread::sleep(Duration::from_millis(2));
    }
    harness.run();
    snapshot(&mut harness, "orbit");
}

#[test]
fn the_other_views_have_their_buttons() {
    let mut harness = harness([1280.0, 900.0]);
    assert_eq!(click(&mut harness, "Linked"), [Command::TogglePair]);
    assert_eq!(click(&mut harness, "Play"), [Command::TogglePlay]);
    assert_eq!(
        harness.state_mut().explorer.state.stage().lower().map(cardioid::view::View::key),
        Some("bifurcation-complex")
    );
    harness.state_mut().explorer.state.apply(Command::TogglePlay);
    assert_eq!(click(&mut harness, "One"), [Command::TogglePair]);
    harness.state_mut().explorer.state.apply(Command::SetView("bifurcation-3d"));
    harness.run();
    for (label, expected) in [
        ("Y", Command::Look(SpaceAxis::Y)),
        ("Z", Command::Look(SpaceAxis::Z)),
        ("Spin", Command::ToggleSpin),
        ("Pause", Command::TogglePlay),
    ] {
        harness.get_by_label(label).click();
        // What spins asks for frames without end.
        harness.step();
        harness.step();
        let sent = std::mem::take(&mut harness.state_mut().asked);
        assert_eq!(sent, [expected], "{label}");
    }
}

#[test]
fn landmarks_have_buttons_keys_and_a_menu_at_the_pointer() {
    let mut harness = harness([1280.0, 900.0]);
    let find = |landmark, at_px| Command::Find { landmark, at_px };
    for (label, key, landmark) in
        [("Minibrot", egui::Key::D, Landmark::Minibrot), ("Spiral", egui::Key::W, Landmark::Spiral)]
    {
        assert_eq!(click(&mut harness, label), [find(landmark, None)], "{label}");
        harness.state_mut().explorer.state.apply(Command::CancelFind);
        // Given up in one frame, shown in the next.
        harness.step();
        harness.step();
        harness.key_press(key);
        assert_eq!(asked(&mut harness), [find(landmark, None)], "{key:?}");
        harness.state_mut().explorer.state.apply(Command::CancelFind);
        // Given up in one frame, shown in the next.
        harness.step();
        harness.step();
    }
    let place = harness.state().canvas.center() + egui::vec2(30.0, -20.0);
    for pressed in [true, false] {
        let (button, modifiers) = (egui::PointerButton::Secondary, egui::Modifiers::NONE);
        harness.event(egui::Event::PointerMoved(place));
        harness.event(egui::Event::PointerButton { pos: place, button, pressed, modifiers });
    }
    harness.step();
    harness.run();
    let from_corner = place - harness.state().canvas.min;
    let at_px = [from_corner.x, from_corner.y].map(f64::from);
    harness.get_by_label_contains("Zoom to the minibrot here").click();
    assert_eq!(asked(&mut harness), [find(Landmark::Minibrot, Some(at_px))]);
}

#[test]
fn what_was_found_is_told_in_the_panel() {
    let mut harness = harness([1280.0, 900.0]);
    harness.state_mut().explorer.state.apply(Command::GoTo("-1.75, 0".into()));
    harness.state_mut().explorer.state.apply(Command::SetHeight("0.1".into()));
    harness.state_mut().explorer.state.apply(Command::Find { landmark: Landmark::Minibrot, at_px: None });
    let deadline = Instant::now() + Duration::from_secs(20);
    while harness.state().explorer.state.finding.is_some() {
        assert!(Instant::now() < deadline);
        harness.step();
    }
    harness.run();
    harness.get_by_label("period 3, size 1.90e-2, turned 0.0°");
    harness.state_mut().explorer.state.apply(Command::GoTo("0.3, 0.5".into()));
    harness.run();
    assert!(harness.query_by_label("period 3, size 1.90e-2, turned 0.0°").is_none(), "it is out of view");
}

#[test]
fn picture_of_the_set_above_its_diagram() {
    let mut harness = still([1000.0, 700.0], |explorer| {
        explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
        explorer.state.apply(Command::Resize { size: [1000, 700] });
        explorer.state.apply(Command::TogglePair);
        explorer.state.apply(Command::ZoomNow { factor: 3.0, about_px: [300.0, 500.0] });
        explorer.state.apply(Command::Point { at_px: Some([400.0, 200.0]) });
    });
    harness.run();
    snapshot(&mut harness, "linked");
}
