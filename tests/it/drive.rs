//! Scripts: what they say is done, what was measured is told, and what cannot be is refused.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use cardioid::app::location::png_location;
use cardioid::app::script::{Driver, Ended, Record, Script};
use cardioid::engine::Machine;
use cardioid::render::Newest;
use cardioid::ui::drive_headless;
use serde_json::Value;

fn play(text: &str) -> Record {
    let script = Script::parse("a test", text).unwrap();
    let mut driver = Driver::new(script, Newest::default().next());
    drive_headless(&mut driver, &Machine::without_gpu(2).unwrap(), [640, 400]).unwrap();
    driver.into_record("headless")
}

fn start(folder: &Path, args: &[&str], script: &str) -> Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_cardioid"));
    program.current_dir(folder).env("HOME", folder).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    program.args(["drive", "-"]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    // Refused before it reads anything, it is gone already.
    let _ = child.stdin.take().unwrap().write_all(script.as_bytes());
    child
}

fn run(folder: &Path, args: &[&str], script: &str) -> Output {
    start(folder, args, script).wait_with_output().unwrap()
}

#[test]
fn a_script_is_played_and_every_step_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("end.png");
    let record = play(&format!(
        "panels\noverlay off\nengine threads\nwait-settled\ngo-to 'center = [\"-0.75\", \"0.1\"], height = \"0.02\"'\n\
         wait-settled\nrepeat 3 every 0.02 zoom-at 100 80 1.25\nwait-settled\nsize 500 300\nwait-settled\nwait 0.1\n\
         export {}\n",
        file.display()
    ));
    assert_eq!(record.ended, Ended::Complete);
    let texts: Vec<_> = record.steps.iter().map(|step| step.text.split(' ').next().unwrap()).collect();
    assert_eq!(texts, ["panels", "overlay", "engine", "go-to", "repeat", "size", "export"]);
    let [.., goes, zooms, resizes, _] = &record.steps[..] else { unreachable!() };
    for step in [goes, zooms, resizes] {
        let (first, settled) = (step.first_picture_ms.expect(&step.text), step.settled_ms.expect(&step.text));
        assert!(0.0 < first && first <= settled && settled <= step.seconds * 1e3, "{step:?}");
        assert_eq!(step.engine, Some("threads"));
        assert!(step.frames.n() > 0 && step.frames.gaps().is_some(), "{step:?}");
    }
    assert!(zooms.settled_ms > Some(40.0), "not before the third notch: {zooms:?}");
    assert!(resizes.seconds >= 0.1, "a wait belongs to the step before it");
    // The file is the view at the canvas's size.
    let saved = png_location(&file).unwrap();
    assert_eq!((saved.size, record.size), (Some([500, 300]), [500, 300]));
    assert!((saved.viewport([500, 300]).unwrap().height().to_f64() * 1.25f64.powi(3) / 0.02 - 1.0).abs() < 1e-9);
    assert!(resizes.view.contains("center = ["), "{}", resizes.view);
}

#[test]
fn what_was_measured_is_written_as_json_and_told_as_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--headless", "--size", "320x240", "--threads", "2", "--engine", "simd", "--record", "out.json"];
    let output = run(folder.path(), &args, "home # the set\nwait-settled\nquit\nhome\n");
    let (told, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), errors.as_ref()), (Some(0), ""));
    assert!(told.contains("engine simd") && told.contains("home") && told.lines().count() == 5, "{told}");
    let json: Value = serde_json::from_slice(&std::fs::read(folder.path().join("out.json")).unwrap()).unwrap();
    assert_eq!((&json["mode"], &json["ended"]["how"]), (&"headless".into(), &"complete".into()));
    assert_eq!((json["size"][0].as_u64(), json["machine"]["threads"].as_u64()), (Some(320), Some(2)));
    let steps = json["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|step| step["line"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1]);
    for field in ["text", "seconds", "frames", "gap_ms", "cpu_ms", "first_picture_ms", "settled_ms", "engine", "view"] {
        assert!(steps[1].get(field).is_some(), "{field} is not in {}", steps[1]);
    }
    if cfg!(target_os = "linux") {
        assert!(json["resident_bytes"].as_u64() > Some(1 << 20), "{json}");
        assert!(json["cpu_ms"]["p99"].as_f64() > Some(0.0), "{json}");
    }
}

#[test]
fn what_cannot_be_done_ends_the_script_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("taken.png"), "x").unwrap();
    // (script, exit code, parts of the message, why)
    for (script, code, parts, why) in [
        ("home\nzom 3\n", 2, &["stdin, line 2", "\"zom\"", "\"zoom\""][..], "found before anything is played"),
        ("# nothing\n", 2, &["stdin does nothing"], "no command"),
        ("home\npalette nosuch\n", 2, &["stdin, line 2", "nosuch", "choose one of"], "refused by the explorer"),
        ("param bailout 1\n", 2, &["stdin, line 1", "Bailout"], "out of its range"),
        ("export taken.png\n", 2, &["stdin, line 1", "taken.png"], "never replaced in silence"),
        (
            "param max_iterations 2000000000\nengine threads\nrecompute\ngo-to 'center = [\"-0.1\", \"0\"], height = \
             \"0.1\"'\nwait-settled 0.3\n",
            1,
            &["stdin, line 5", "within 0.3 s"],
            "hours of work",
        ),
    ] {
        let output = run(folder.path(), &["--headless", "--size", "320x240"], script);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), errors.lines().count()), (Some(code), 1), "{why}: {errors}");
        for part in parts {
            assert!(errors.contains(part), "{why}: {errors}");
        }
    }
    for (args, part) in [
        (&["--engine", "turbo"][..], "perturbation"),
        (&["--record", "no/such/folder.json"], "cannot write the record"),
        (&["--size", "0x4"], "WIDTHxHEIGHT"),
    ] {
        let output = run(folder.path(), args, "home");
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(part), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_script_leaves_what_it_measured() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("out.json");
    let child = start(folder.path(), &["--headless", "--record", "out.json"], "home\nwait-settled\nwait 600\n");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !record.exists() {
        assert!(Instant::now() < deadline, "it never begins");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted in line 1"), "{output:?}");
    let json: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!((&json["ended"]["how"], &json["steps"][0]["text"]), (&"interrupted".into(), &"home".into()));
}
