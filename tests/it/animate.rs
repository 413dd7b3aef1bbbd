//! Animations: frames that are pictures, folders that go on where they were left, films by a stand-in for ffmpeg.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cardioid::app::animation::Pace;
use cardioid::app::location::png_location;
use cardioid::app::{AnimationRequest, Command as Asked, Explorer, Play, State};
use cardioid::engine::Machine;
use cardioid::view::{ComplexBifurcation, ParamValue};

use crate::cli::{Place, pixels};

const SMALL: &str = "animate --view bifurcation-complex --size 32x24 --orbits 2 --seconds 4 --fps 1";

/// The numbered frames of a folder, in order.
fn frames(folder: &Path) -> Vec<PathBuf> {
    let names = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut frames: Vec<_> = names.filter(|path| path.extension().is_some_and(|ending| ending == "png")).collect();
    frames.sort();
    frames
}

fn number(frame: &Path, key: &str) -> f64 {
    let knobs = png_location(frame).unwrap().knobs;
    match knobs.iter().find(|(name, _)| *name == key) {
        Some((_, ParamValue::Number(value))) => *value,
        other => panic!("{other:?} is no number"),
    }
}

#[test]
fn frames_are_the_pictures_that_render_draws() {
    let place = Place::new();
    // (options of the view, of the animation, what moves)
    for (view, motion, knob) in [
        ("bifurcation-complex --size 40x31 --orbits 4", "--play section", "section"),
        (
            "bifurcation-complex --size 40x30 --ordinate im --skip 9 --box -1.4,-0.6,-1,1",
            "--from -0.3 --to 0.3",
            "section",
        ),
        ("bifurcation-complex --size 40x30 --ordinate re --no-fan --scheme ink", "--from 0 --to 0.4", "section"),
        ("bifurcation-3d --size 40x30 --samples 20000 --section 0.2 --ghost --pitch 0.5", "--play spin", "yaw"),
        ("bifurcation-3d --size 40x30 --samples 20000 --yaw -1", "--play section --scene section", "section"),
    ] {
        place.done(&format!("animate --view {view} {motion} --seconds 1.5 --fps 2 --out {knob} --force"));
        let frames = frames(&place.path(knob));
        assert_eq!(frames.len(), 3, "{view}");
        for frame in frames {
            let value = number(&frame, knob);
            place.done(&format!("render --view {view} --{knob} {value} --force --out one.png"));
            assert_eq!(pixels(&frame), pixels(&place.path("one.png")), "{view} {motion}: {knob} {value}");
        }
    }
    let flight = "--view bifurcation-3d --size 40x30 --samples 20000";
    place.done(&format!("animate {flight} --play fly --seconds 4 --fps 1 --out fly"));
    for (frame, share) in frames(&place.path("fly")).iter().zip([0.0, 2.0 / 3.0, 1.0, 1.0 / 3.0_f64]) {
        place.done(&format!("render {flight} --fly {share} --force --out one.png"));
        assert_eq!(pixels(frame), pixels(&place.path("one.png")), "{share}");
    }
}

#[test]
fn the_same_again_draws_only_what_is_missing() {
    let place = Place::new();
    place.done(&format!("{SMALL} --out frames"));
    let all = frames(&place.path("frames"));
    let state = || -> Vec<(Vec<u8>, SystemTime)> {
        all.iter().map(|path| (std::fs::read(path).unwrap(), path.metadata().unwrap().modified().unwrap())).collect()
    };
    let before = state();
    assert_eq!(all.len(), 4);
    std::fs::remove_file(&all[1]).unwrap();
    // As a machine that went down may leave it.
    std::fs::write(&all[2], &before[2].0[..100]).unwrap();
    let said = place.done(&format!("{SMALL} --threads 1 --out frames"));
    assert!(said.contains("4 frames of 32x24, 2 drawn now"), "{said}");
    for (i, (before, after)) in before.iter().zip(state()).enumerate() {
        assert_eq!(before.0, after.0, "frame {i}");
        assert_eq!(before.1 == after.1, i == 0 || i == 3, "frame {i} was left alone, or not");
    }
    assert_eq!(all.len() + 1, place.path("frames").read_dir().unwrap().count(), "frames and a manifest, no more");
}

#[test]
fn folders_of_something_else_are_refused_and_replaced_when_told() {
    let place = Place::new();
    place.done(&format!("{SMALL} --out frames"));
    for (more, part) in [
        ("--fps 2", "fps = 1, asked for 2"),
        ("--seconds 3", "frames = 4, asked for 3"),
        ("--size 34x24", "size = [32, 24], asked for [34, 24]"),
        ("--from 0 --to 0.1", "from = nothing, asked for 0"),
        ("--skip 3", "panel.1.skip = 0, asked for 3"),
        ("--engine naive", "engine = \"tiles\", asked for \"naive\""),
        ("--orbits 3", "orbits = 2, asked for 3"),
    ] {
        let option = more.split(' ').next().unwrap();
        let usual = SMALL.split(" --").filter(|given| !option.ends_with(given.split(' ').next().unwrap()));
        let usual = usual.collect::<Vec<_>>().join(" --");
        place.refused(&format!("{usual} {more} --out frames"), 2, &["another animation", part, "--force"]);
    }
    assert_eq!(frames(&place.path("frames")).len(), 4);
    let shorter = SMALL.replace("--seconds 4", "--seconds 3");
    place.done(&format!("{shorter} --force --out frames"));
    assert_eq!(frames(&place.path("frames")).len(), 3, "no frame of the old one is left");

    std::fs::create_dir(place.path("theirs")).unwrap();
    std::fs::write(place.path("theirs/note.txt"), "mine").unwrap();
    place.refused(&format!("{SMALL} --out theirs"), 2, &["theirs", "something in the folder"]);
    place.done(&format!("{SMALL} --out theirs --force"));
    assert_eq!(std::fs::read(place.path("theirs/note.txt")).unwrap(), b"mine");
    std::fs::write(place.path("file"), "mine").unwrap();
    place.refused(&format!("{SMALL} --out file"), 2, &["file", "no folder"]);
    place.refused(&format!("{SMALL} --out gone/frames"), 1, &["gone", "no directory"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_whole_frames_and_says_how_to_go_on() {
    let place = Place::new();
    let args = "animate --view bifurcation-complex --size 64x48 --engine naive --orbits 256 --seconds 100 --out long";
    let child = place.program().args(args.split(' ')).stderr(Stdio::piped()).spawn().unwrap();
    let folder = place.path("long");
    let begun = Instant::now();
    while !(folder.is_dir() && frames(&folder).len() >= 2) && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let stopped = Instant::now();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stopped.elapsed() < Duration::from_secs(3), "{:?}", stopped.elapsed());
    let whole = frames(&folder);
    assert!(stderr.contains(&format!("{} of 3000 frames", whole.len())) && stderr.contains("goes on"), "{stderr}");
    for frame in &whole {
        assert_eq!(pixels(frame).dimensions(), (64, 48));
    }
    assert_eq!(folder.read_dir().unwrap().count(), whole.len() + 1, "frames and a manifest, no more");
}

/// Runs an animation to `film` with a stand-in for ffmpeg alone on the path, if any.
#[cfg(unix)]
fn filmed(place: &Place, stand_in: Option<&str>, film: &str) -> (Output, String) {
    use std::os::unix::fs::PermissionsExt as _;
    let programs = tempfile::tempdir().unwrap();
    let path = programs.path().join("ffmpeg");
    if let Some(script) = stand_in {
        std::fs::write(&path, format!("#!/bin/sh\n[ \"$1\" = -version ] && exit\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let args = format!("{SMALL} --force --out {film}");
    let output = place.program().args(args.split(' ')).env("PATH", programs.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, stderr)
}

#[cfg(unix)]
#[test]
fn films_are_made_of_all_frames() {
    let place = Place::new();
    let script = "for word; do echo \"$word\"; done > words; for film; do :; done; echo film > \"$film\"";
    for (film, codec) in [("a.mp4", "libx264"), ("a.webm", "libvpx-vp9")] {
        let (output, stderr) = filmed(&place, Some(script), film);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert_eq!(std::fs::read(place.path(film)).unwrap(), b"film\n");
        let words = std::fs::read_to_string(place.path("words")).unwrap();
        let words: Vec<&str> = words.lines().collect();
        let after = |option: &str| words[words.iter().position(|word| *word == option).unwrap() + 1];
        assert!(after("-i").ends_with("a.frames/%05d.png"), "{words:?}");
        assert_eq!([after("-framerate"), after("-start_number"), after("-c:v")], ["1", "1", codec]);
        assert_eq!(frames(&place.path("a.frames")).len(), 4);
        assert!(stderr.contains(&format!("file={film}")), "{stderr}");
        let drawn = if film == "a.mp4" { "4 drawn now" } else { "0 drawn now" };
        assert!(stderr.contains(drawn), "both films are of the same frames: {stderr}");
    }
    place.refused(&format!("{SMALL} --out a.mp4"), 1, &["a.mp4", "there already", "--force"]);
    place.refused("animate --view bifurcation-complex --size 33x24 --out b.mp4", 2, &["33x24", "even"]);
    assert_eq!(place.listing(), ["a.frames", "a.mp4", "a.webm", "words"]);
}

#[cfg(unix)]
#[test]
fn without_ffmpeg_the_frames_stay_and_the_way_on_is_told() {
    let place = Place::new();
    // (stand-in, parts of the message)
    for (stand_in, parts) in [
        (None, &["there is no ffmpeg", "%05d.png", "-framerate 1", "a.mp4"][..]),
        (Some("echo 'unknown encoder' >&2; exit 3"), &["unknown encoder", "frames are there", "a.mp4"]),
        (Some("exit 3"), &["exit status: 3"]),
    ] {
        let (output, stderr) = filmed(&place, stand_in, "a.mp4");
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{stderr:?} lacks {part:?}");
        }
        assert_eq!((frames(&place.path("a.frames")).len(), place.listing()), (4, vec!["a.frames".into()]));
    }
}

#[test]
fn nonsense_is_refused_before_anything_is_made() {
    let place = Place::new();
    for (args, part) in [
        ("--view bifurcation-complex --seconds 0", "no animation"),
        ("--view bifurcation-complex --seconds NaN", "NaN"),
        ("--view bifurcation-complex --seconds -1", "from 0 to"),
        ("--view bifurcation-complex --seconds inf", "not finite"),
        ("--view bifurcation-complex --seconds 0.001", "no animation"),
        ("--view bifurcation-complex --fps 0", "from 1 to 240"),
        ("--view bifurcation-complex --fps 2.5", "from 1 to 240"),
        ("--view bifurcation-complex --seconds 1e6 --fps 1", "1 to 99999 frames"),
        ("--view bifurcation-complex --from -2.5 --to 1", "from -2 to 2"),
        ("--view bifurcation-complex --from 0 --to 3", "from -2 to 2"),
        ("--view bifurcation-complex --from 0", "--to"),
        ("--view bifurcation-complex --play fly", "nothing that plays"),
        ("--view bifurcation-complex --play dance", "section, fly, spin"),
        ("--view bifurcation-complex --size 10x2", "larger height"),
        ("--view bifurcation-complex --size 100000x100000", "too many"),
        ("--view bifurcation-complex --samples 2e6", "out of bounds"),
        ("--view bifurcation-complex --yaw 1", "--yaw is of --view bifurcation-3d"),
        ("--view bifurcation-complex --section 0.1", "--section is of --view bifurcation-3d"),
        ("--view bifurcation-3d --skip 1", "--skip is of --view bifurcation-complex"),
        ("--view bifurcation-3d --play spin --from 0 --to 1", "--play section"),
        ("--view bifurcation-3d --play section --section 0.1", "--section means nothing"),
        ("--view bifurcation-3d --play section --scene set", "nothing that plays"),
        ("--view bifurcation-3d --play spin --scene set --ghost", "--ghost means nothing"),
        ("--view bifurcation-3d --play fly --yaw 1", "--yaw means nothing"),
        ("--view bifurcation-3d --play spin --samples 10", "out of bounds"),
        ("--view mandelbrot", "bifurcation-complex, bifurcation-3d"),
        ("--view bifurcation-complex --engine warp", "\"warp\""),
        ("", "--view"),
    ] {
        place.refused(&format!("animate {args} --out out"), 2, &[part]);
    }
    place.refused("animate --view bifurcation-complex", 2, &["--out"]);
    place.refused("animate --view bifurcation-complex --out a.gif", 2, &[".gif", ".mp4 or .webm"]);
    place.refused("animate --view bifurcation-complex --engine simd --out out", 1, &["naive, tiles"]);
}

fn saved(explorer: &mut Explorer, request: &AnimationRequest, cancel_after: Option<usize>) -> String {
    explorer.state.apply(Asked::ExportAnimation(request.clone()));
    let deadline = Instant::now() + Duration::from_secs(60);
    explorer.frame();
    while explorer.state.exporting {
        assert!(Instant::now() < deadline, "saving never ends");
        let folder = Path::new(&request.path);
        if cancel_after.is_some_and(|n| folder.is_dir() && frames(folder).len() >= n) {
            explorer.state.apply(Asked::CancelExport);
        }
        explorer.frame();
        std::thread::sleep(Duration::from_millis(2));
    }
    explorer.state.notice().unwrap().text.clone()
}

#[test]
fn the_window_saves_what_plays_and_goes_on_after_a_stop() {
    let place = Place::new();
    let machine = Machine::without_gpu(1).unwrap();
    let mut explorer = Explorer::start(State::new([96, 64]), &machine, false, Arc::new(|| {})).unwrap();
    let path = place.path("frames").to_string_lossy().into_owned();
    let pace = Pace { seconds: 0.5, fps: 20 };
    let request = AnimationRequest { path, play: Play::Section, pace, size: [48, 40], overwrite: false, cluster: None };
    assert!(saved(&mut explorer, &request, None).contains("nothing that plays"), "a set has no section");

    explorer.state.apply(Asked::SetView(ComplexBifurcation::KEY));
    let notice = saved(&mut explorer, &request, Some(1));
    assert!(notice.contains("of 10 frames are there"), "{notice}");
    let before = explorer.state.stage().section();
    let notice = saved(&mut explorer, &request, None);
    assert!(notice.starts_with("saved ") && notice.contains("frames"), "{notice}");
    assert_eq!(explorer.state.stage().section(), before, "the view stays as it was");
    let all = frames(&place.path("frames"));
    assert_eq!((all.len(), pixels(&all[0]).dimensions()), (10, (48, 40)));
    let other = AnimationRequest { pace: Pace { seconds: 0.5, fps: 10 }, ..request };
    assert!(saved(&mut explorer, &other, None).contains("another animation"));
}
