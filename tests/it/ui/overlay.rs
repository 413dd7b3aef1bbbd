//! The timings on the screen: every column and rule of the overlay, in windows of any size.

use std::time::Duration;

use cardioid::app::{Command, Differing, EngineInfo, Explorer, Format, Ladder, OverlayMode, Shown, State, Table};
use cardioid::render::{Beside, Phases, ReferenceFigures, Stats, TimingSource};
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{App, asked, click, snapshot, still};

const SOFTWARE: &str = "software GPU: llvmpipe (vulkan)";

fn millis(millis: f64) -> Duration {
    Duration::from_secs_f64(millis * 1e-3)
}

fn stats(ms: f64) -> Stats {
    Stats { compute: millis(ms), steps: 40_000_000, steps_done: 12_000_000, ..Stats::default() }
}

/// An overlay in its full form over nothing.
fn full(explorer: &mut Explorer) {
    explorer.state.apply(Command::SetOverlay(OverlayMode::Full));
    explorer.upper.status.engine = Some(("tiles", "the fastest on this machine"));
}

/// Eight engines at the home view, each with `n` frames; the device is software.
fn home(explorer: &mut Explorer, n: u32) {
    full(explorer);
    let job = State::new([980, 780]).job();
    for (key, ms, counts) in [
        ("naive", 812.0, 0),
        ("symmetric", 421.0, 0),
        ("simd", 61.2, 0),
        ("threads", 402.0, 0),
        ("tiles", 31.4, 0),
        ("gpu", 118.0, 40),
    ] {
        for frame in 0..n {
            let wave = 1.0 + 0.2 * f64::from(frame * frame).sin();
            let source = if key == "gpu" { TimingSource::FencedClock } else { TimingSource::CpuClock };
            let beside = if key == "gpu" {
                Beside { upload: millis(3.1), read_back: millis(9.0), ..Beside::default() }
            } else {
                Beside::default()
            };
            let full_size = [980, 780];
            let size = if ["naive", "symmetric", "threads"].contains(&key) { [490, 390] } else { full_size };
            let scaled = if size == full_size { ms } else { ms / 4.0 };
            explorer.upper.timings.record(
                key,
                &job,
                [size, full_size],
                Stats { source, beside, ..stats(scaled * wave) },
            );
        }
        let same_arithmetic = key != "gpu";
        let differing = Differing { against: "naive", count: counts, of: 3038, most: 12, same_arithmetic };
        explorer.upper.timings.hold_against(key, &job, differing);
    }
    let status = &mut explorer.upper.status;
    status.settled = true;
    status.stats = Some(stats(31.4));
    status.first_picture = Some(millis(9.3));
    status.final_picture = Some(millis(48.2));
    status.shown = Some(Shown { colour: millis(1.9), present: millis(15.8), is_capped: true, is_settled: true });
}

/// A place at 1e-50: two engines that prepare, and reasons for the others.
fn deep(explorer: &mut Explorer) {
    full(explorer);
    explorer.upper.status.engine = Some(("perturbation", "deeper than f64"));
    let job = State::new([980, 780]).job();
    let phases = Phases { reference: millis(212.0), table: millis(40.0), pixels: millis(660.0) };
    let reference = Some(ReferenceFigures { steps: 203_111, bits: 256, bytes: 48_000_000, is_cut: false });
    let perturbation = Stats { phases, reference, ..stats(912.0) };
    let beside = Beside { compile: millis(310.0), upload: millis(22.0), read_back: millis(31.0) };
    let device = Stats { source: TimingSource::FencedClock, beside, ..Stats { phases, ..stats(2120.0) } };
    for _ in 0..2 {
        explorer.upper.timings.record("perturbation", &job, [[980, 780]; 2], perturbation);
        explorer.upper.timings.record("gpu-perturbation", &job, [[245, 195], [980, 780]], device);
    }
    let differing = Differing { against: "perturbation", count: 400, of: 3038, most: 12, same_arithmetic: false };
    explorer.upper.timings.hold_against("gpu-perturbation", &job, differing);
    explorer.upper.status.stats = Some(perturbation);
    explorer.upper.status.settled = true;
    explorer.upper.status.final_picture = Some(millis(1210.0));
    explorer.upper.status.first_picture = Some(millis(263.0));
    explorer.upper.status.shown = Some(Shown { colour: millis(2.0), present: millis(3.0), ..Shown::default() });
}

/// Says what the engines of a software device would say.
fn on_software(engines: &mut [EngineInfo], deep: bool) {
    for engine in engines {
        engine.absent = None;
        engine.describe = match engine.key {
            "naive" | "symmetric" => "f64, 1 thread".into(),
            "simd" => "f64 × 8 (AVX-512), 1 thread".into(),
            "threads" => "f64, 16 threads".into(),
            "tiles" => "f64 × 8 (AVX-512), 16 threads".into(),
            "perturbation" => "f64 deltas, 16 threads".into(),
            "gpu" => format!("f32, {SOFTWARE}"),
            _ => format!("f32 deltas, {SOFTWARE}"),
        };
        let is_of_depth = engine.key.ends_with("perturbation");
        if deep && !is_of_depth {
            engine.absent = Some(format!(
                "{} draws pixels no finer than 3.6e-15, this view asks for 1.3e-53; choose perturbation",
                engine.key
            ));
        } else if !deep && is_of_depth {
            engine.absent = Some(format!(
                "{} draws pixels no coarser than 1.5e-5, this view asks for 3.2e-3; choose tiles, or zoom in",
                engine.key
            ));
        }
    }
}

fn screen(size: [f32; 2], prepare: impl FnOnce(&mut Explorer), is_deep: bool) -> Harness<'static, App> {
    let mut harness = still(size, |explorer| {
        prepare(explorer);
        on_software(explorer.upper.engines_mut(), is_deep);
    });
    harness.run();
    harness
}

#[test]
fn every_column_of_the_rule_is_there_and_five_frames_make_a_percentile() {
    let mut harness = screen([1000.0, 700.0], |explorer| home(explorer, 4), false);
    for heading in ["last", "median", "p95", "p99", "max", "n", "Mpx/s", "Giter/s", "done", "clock", "× naive", "≠"]
    {
        assert!(harness.query_all_by_label(heading).next().is_some(), "{heading} is missing");
    }
    let dashes = |harness: &Harness<'static, App>| harness.query_all_by_label("–").count();
    // Median, p95, p99 and max of six engines.
    assert_eq!(dashes(&harness), 24, "four frames are too few");
    for part in ["compute 31.4", "upload", "read-back", "colour 1.90", "present 15.8, capped"] {
        assert!(harness.query_all_by_label_contains(part).next().is_some(), "{part:?} is missing");
    }
    assert!(harness.query_by_label("fence").is_some());
    let job = State::new([980, 780]).job();
    for key in ["naive", "symmetric", "simd", "threads", "tiles", "gpu"] {
        harness.state_mut().explorer.upper.timings.record(key, &job, [[980, 780]; 2], stats(30.0));
    }
    harness.run();
    assert_eq!(dashes(&harness), 0);
    for text in [
        "first picture 9.30 ms  ·  final 48.2 ms",
        "f32, software GPU",
        "software GPU: llvmpipe (vulkan) says nothing about real ones",
    ] {
        assert!(harness.query_all_by_label_contains(text).next().is_some(), "{text:?} is missing");
    }
    let is_a_rate = |node: egui_kittest::Node<'_>| {
        node.accesskit_node().label().is_some_and(|label| label.to_lowercase().contains("fps"))
    };
    assert!(!harness.query_all_by_label_contains("").any(is_a_rate), "frames per second are no measure");
}

#[test]
fn every_clock_is_named() {
    let harness = screen(
        [1000.0, 700.0],
        |explorer| {
            full(explorer);
            let job = State::new([980, 780]).job();
            for (key, source) in [
                ("tiles", TimingSource::CpuClock),
                ("gpu", TimingSource::GpuTimestamps),
                ("gpu-perturbation", TimingSource::FencedClock),
            ] {
                explorer.upper.timings.record(key, &job, [[980, 780]; 2], Stats { source, ..stats(5.0) });
            }
        },
        false,
    );
    for word in ["CPU", "stamps"] {
        assert!(harness.query_by_label(word).is_some(), "{word}");
    }
}

#[test]
fn engines_of_another_view_are_grey_and_have_no_ratio() {
    let mut harness = screen([1000.0, 700.0], |explorer| home(explorer, 6), false);
    assert!(harness.query_all_by_label_contains("×2").next().is_some());
    let mut other = State::new([980, 780]);
    other.apply(Command::GoTo("-1.25, 0.02".into()));
    harness.state_mut().explorer.upper.timings.record("tiles", &other.job(), [[980, 780]; 2], stats(30.0));
    harness.run();
    assert!(harness.query_all_by_label_contains("×2").next().is_none(), "nothing is there to compare with");
}

#[test]
fn tables_are_copied_and_the_ladder_has_two_scales() {
    let mut harness = screen([1000.0, 700.0], |explorer| home(explorer, 6), false);
    for format in Format::ALL {
        let expected = Command::CopyTable { table: Table::Timings, format };
        assert_eq!(click(&mut harness, format.label()), [expected]);
    }
    harness.get_by_role_and_label(Role::Button, "Ladder in Mpx/s").click();
    assert_eq!(asked(&mut harness), [Command::SetLadder(Ladder::Megapixels)]);
}

/// Every line of text in the overlay lies within it, and it within the window.
#[test]
fn nothing_is_cut_in_a_small_window() {
    for (prepare, is_deep) in
        [(&(|explorer: &mut Explorer| home(explorer, 30)) as &dyn Fn(&mut Explorer), false), (&deep, true)]
    {
        let harness = screen([612.0, 600.0], prepare, is_deep);
        let whole = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(612.0, 600.0));
        for node in harness.query_all_by_label_contains("") {
            let rect = node.rect();
            assert!(whole.contains_rect(rect), "{:?} at {rect:?}", node.accesskit_node().label());
        }
        assert!(harness.query_by_label("CSV").is_some(), "the last line is seen");
    }
}

#[test]
fn picture_of_the_timings() {
    let mut harness = screen(
        [1000.0, 600.0],
        |explorer| {
            home(explorer, 40);
            let job = State::new([980, 780]).job();
            // One slow frame in forty.
            explorer.upper.timings.record("tiles", &job, [[980, 780]; 2], stats(200.0));
            explorer.upper.timings.record("tiles", &job, [[980, 780]; 2], stats(31.0));
        },
        false,
    );
    snapshot(&mut harness, "timings");
}

#[test]
fn picture_of_the_timings_of_a_deep_view() {
    let mut harness = screen([612.0, 600.0], deep, true);
    snapshot(&mut harness, "timings_deep");
}

#[test]
fn picture_of_the_compact_timings() {
    let mut harness = screen(
        [400.0, 300.0],
        |explorer| {
            home(explorer, 6);
            explorer.state.apply(Command::SetOverlay(OverlayMode::Compact));
        },
        false,
    );
    snapshot(&mut harness, "timings_compact");
}
