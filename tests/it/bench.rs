//! `cardioid bench` as its users meet it: tables, files, other programs, and words for what is wrong.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Small enough to be over in a moment.
const SMALL: [&str; 6] = ["--size", "64x48", "--reps", "2", "--threads", "2"];

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_cardioid"));
        program.current_dir(self.0.path()).stdin(Stdio::null()).arg("bench").args(SMALL);
        program
    }

    fn run(&self, args: &[&str]) -> Output {
        self.program().args(args).output().unwrap()
    }

    /// Runs what must succeed, and returns stdout.
    fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.done(&[args, &["--json"]].concat())).unwrap()
    }

    /// Runs what must fail with `code` and one message that holds `parts`.
    fn refused(&self, args: &[&str], code: i32, parts: &[&str]) {
        // Options given twice are clap's to refuse, so the small ones make way.
        let mut program = Command::new(env!("CARGO_BIN_EXE_cardioid"));
        let output = program.current_dir(self.0.path()).stdin(Stdio::null()).arg("bench").args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{args:?}: {stderr:?} lacks {part:?}");
        }
        assert!(output.stdout.is_empty() && !stderr.contains("panicked"), "{args:?}: {stderr}");
    }

    /// Writes a shell script, and returns the option that puts it in the table.
    #[cfg(unix)]
    fn script(&self, name: &str, body: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, body).unwrap();
        format!("--external={name}=sh '{}' {{max_iter}} {{out}} {{width}} {{height}}", path.display())
    }
}

/// The row of an engine on the first view.
fn row<'a>(report: &'a Value, engine: &str) -> &'a Value {
    let rows = report["views"][0]["engines"].as_array().unwrap();
    rows.iter().find(|row| row["engine"] == engine).unwrap_or_else(|| panic!("no {engine} in {report:#}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn json_has_every_figure_and_they_fit_together() {
    let report = Place::new().json(&["--engines", "naive,symmetric,simd,threads,tiles", "--views", "home"]);
    assert_eq!(report["complete"], true);
    let machine = &report["machine"];
    for text in ["processor", "system", "simd"] {
        assert!(machine[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {machine:#}");
    }
    let (operations, k) = (number(&machine["operations_per_second"]), number(&machine["steps_between_tests"]));
    let bound = number(&machine["bound_giter_per_second"]);
    assert!((operations / (4.0 + 3.0 / k) / 1e9 / bound - 1.0).abs() < 1e-9, "{machine:#}");
    let view = &report["views"][0];
    assert_eq!(
        (&view["view"], &view["max_iterations"], &view["baseline"]),
        (&"home".into(), &1000.into(), &"naive".into())
    );
    for engine in ["naive", "symmetric", "simd", "threads", "tiles"] {
        let row = row(&report, engine);
        let [least, median, most] = ["min_ms", "median_ms", "max_ms"].map(|field| number(&row[field]));
        assert!(0.0 < least && least <= median && median <= most, "{row:#}");
        assert_eq!((row["n"].as_u64(), &row["differing"], &row["source"]), (Some(2), &0.into(), &"CPU clock".into()));
        let steps = number(&view["steps"]);
        assert!((number(&row["giter_per_second"]) * median * 1e6 / steps - 1.0).abs() < 1e-9, "{row:#}");
        assert!((number(&row["mpx_per_second"]) * median * 1e3 / (64.0 * 48.0) - 1.0).abs() < 1e-9, "{row:#}");
        assert!((0.0..1.5).contains(&number(&row["share_of_bound"])), "{row:#}");
        assert!(number(&row["steps_done"]) > 0.0 && row["threads"].as_u64() > Some(0), "{row:#}");
        assert!(row["ratio"].is_number() || row["tie"] == true, "{row:#}");
        assert!(row["p95_ms"].is_null(), "two runs have no percentiles: {row:#}");
    }
    assert_eq!(number(&row(&report, "naive")["ratio"]), 1.0);
}

#[test]
fn text_and_markdown_have_a_row_for_each_engine_and_view() {
    let place = Place::new();
    let (engines, views) = (["naive", "tiles"], ["talk-base", "height = 2, max_iterations = 50"]);
    let args = ["--engines", "naive,tiles", "--views", views[0], "--views", views[1]];
    for (format, begins) in [(&[][..], ""), (&["--markdown"][..], "| ")] {
        let text = place.done(&[&args[..], format].concat());
        for view in views {
            assert_eq!(text.matches(view).count(), 1, "{view}:\n{text}");
        }
        for engine in engines {
            let start = format!("{begins}{engine} ");
            assert_eq!(text.lines().filter(|line| line.starts_with(&start)).count(), 2, "{engine}:\n{text}");
        }
        assert!(text.contains("bound of one thread") && text.contains("shortcuts: all"), "{text}");
    }
}

#[test]
fn engines_that_cannot_say_why_and_the_others_go_on() {
    let args = ["--engines", "tiles,gpu", "--views", "center = [0, 1], height = 1e-60", "--views", "home"];
    let report = Place::new().json(&args);
    let deep = &report["views"][0];
    assert!(deep["steps"].is_null(), "{deep:#}");
    for row in deep["engines"].as_array().unwrap() {
        let reason = row["reason"].as_str().unwrap();
        assert!(reason.contains("zoom out") || reason.contains("no device"), "{row:#}");
        assert!(row["median_ms"].is_null(), "{row:#}");
    }
    let home = &report["views"][1]["engines"][0];
    assert!(home["engine"] == "tiles" && home["median_ms"].is_number(), "{home:#}");
}

#[test]
fn deep_views_show_their_phases() {
    let place = Place::new();
    let report = place.json(&["--engines", "tiles,perturbation", "--views", "deep-flake,home"]);
    assert_eq!((&report["views"][0]["width"], &report["views"][0]["height"]), (&64.into(), &48.into()));
    let deep = row(&report, "perturbation");
    let phases = ["reference_ms", "table_ms", "pixels_ms"].map(|phase| number(&deep[phase]));
    assert!(phases.iter().all(|&millis| millis > 0.0), "the reference is made anew for every run: {deep:#}");
    let whole = number(&deep["median_ms"]);
    assert!((phases.iter().sum::<f64>() / whole - 1.0).abs() < 0.3, "{deep:#}");
    assert!(deep["differing"].is_null() && row(&report, "tiles")["reference_ms"].is_null());

    // Where a frame takes too long the reference is not scaled, pixels are.
    let capped = place.json(&["--engines", "perturbation", "--views", "deep-flake", "--cap", "0.001"]);
    let capped = row(&capped, "perturbation");
    assert!(capped["scaled"] == true && number(&capped["reference_ms"]) < 3.0 * phases[0], "{capped:#}");

    let text = place.done(&["--engines", "perturbation", "--views", "deep-flake"]);
    assert!(text.contains("perturbation: reference ") && text.contains(" ms, pixels "), "{text}");
}

#[test]
fn views_may_be_points_and_one_must_be_measured() {
    let place = Place::new();
    for view in ["-0.5,0.1", "-0.5+0.1i"] {
        let report = place.json(&["--engines", "naive", "--views", view]);
        assert_eq!((report["views"].as_array().unwrap().len(), &report["views"][0]["view"]), (1, &view.into()));
    }
    let output = place.run(&["--engines", "naive,tiles", "--views", "height = 1e-60"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("nothing could be measured"), "{stderr}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("zoom out"));
}

#[test]
fn slow_engines_run_on_fewer_pixels_and_are_marked() {
    let args = ["--engines", "naive,tiles", "--views", "interior", "--cap", "0.002"];
    let report = Place::new().json(&args);
    let naive = row(&report, "naive");
    assert!(naive["scaled"] == true && naive["stride"].as_u64() > Some(1) && naive["differing"] == 0, "{naive:#}");
    let full = number(&report["views"][0]["steps"]);
    assert!((number(&naive["steps_done"]) / full - 1.0).abs() < 1e-6, "{naive:#}");
    assert!(Place::new().done(&args).contains("~ timed on one pixel"));
}

#[cfg(unix)]
#[test]
fn other_programs_are_in_the_table_and_compared() {
    let place = Place::new();
    let own = env!("CARGO_BIN_EXE_cardioid");
    // Our own render, as other people's harnesses call it, from a folder whose name holds a blank.
    let render = "render --box={xmin},{xmax},{ymin},{ymax} --stretch --size {width}x{height} --max-iterations {max_iter} \
                  --threads {threads} --force --out {out}.u32";
    std::fs::create_dir(place.path("a b")).unwrap();
    std::fs::write(place.path("a b/call"), "\"$@\" && f=$(eval echo \\${$#}) && mv \"$f\" \"${f%.u32}\"").unwrap();
    let ours = format!("--external=ours=sh '{}' '{own}' {render}", place.path("a b/call").display());
    // All black: every count is the cap, and every count that is not the cap differs.
    let black = place.script(
        "black",
        "i=0; while [ $i -lt $(($3 * $4)) ]; do printf '\\144\\0\\0\\0'; i=$((i + 1)); done > \"$2\"; echo seconds=0.25",
    );
    let quiet = place.script("quiet", "echo seconds=1e-3; echo seconds=2e-3");
    let report = place.json(&["--engines", "naive", "--views", "talk-base", &ours, &black, &quiet]);
    let [ours, black, quiet] = ["ours", "black", "quiet"].map(|name| row(&report, name));
    assert_eq!((&ours["differing"], &ours["external"]), (&0.into(), &true.into()), "{ours:#}");
    let inside = number(&report["views"][0]["interior_share"]);
    assert_eq!((number(&black["median_ms"]), &black["largest_difference"]), (250.0, &99.into()), "{black:#}");
    assert!((number(&black["differing_share"]) - (1.0 - inside)).abs() < 0.01, "{black:#}");
    assert!(number(&quiet["median_ms"]) == 2.0 && quiet["differing"].is_null(), "{quiet:#}");
}

#[cfg(unix)]
#[test]
fn broken_programs_say_why() {
    let place = Place::new();
    // (name, script, part of the reason)
    for (name, body, part) in [
        ("silent", "echo done", "no seconds="),
        ("absurd", "echo seconds=-1", "seconds=-1"),
        ("failing", "echo it hurts >&2; exit 3", "it hurts"),
        ("short", "echo seconds=1; printf abcd > $2", "4 bytes of counts where 12288"),
    ] {
        let script = place.script(name, body);
        let report = place.json(&["--engines", "tiles", "--views", "home", &script]);
        let reason = row(&report, name)["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(part), "{name}: {reason:?}");
        assert!(row(&report, "tiles")["median_ms"].is_number());
    }
    let text = place.done(&["--engines", "tiles", "--views", "home", "--external", "gone=./no-such-program"]);
    assert!(text.contains("gone ") && text.contains("cannot start \"./no-such-program\""), "{text}");
}

#[test]
fn nonsense_is_refused_as_asked_wrongly() {
    let place = Place::new();
    for (args, parts) in [
        (&["--engines", "warp"][..], &["\"warp\"", "naive", "tiles", "gpu"][..]),
        (&["--engines", ""], &["--engines", "naive"]),
        (&["--views", "nowhere"], &["\"nowhere\"", "seahorse-valley"]),
        (&["--views", ","], &["--views"]),
        (&["--size", "0x5"], &["--size", "from 1 to 1048576"]),
        (&["--size", "1048576x1048576"], &["--size", "67108864 pixels"]),
        (&["--reps", "0"], &["--reps", "from 1 to 1000"]),
        (&["--reps", "1e9"], &["--reps", "from 1 to 1000"]),
        (&["--threads", "0"], &["--threads", "from 1 to 1024"]),
        (&["--cap", "0"], &["--cap", "0.001"]),
        (&["--cap", "nan"], &["--cap", "not finite"]),
        (&["--shortcuts", "some"], &["--shortcuts", "bulbs,cycles,symmetry"]),
        (&["--external", "x"], &["--external", "NAME=COMMAND"]),
        (&["--external", "x=a {depth}"], &["{depth}", "{max_iter}"]),
        (&["--external", "tiles=true"], &["\"tiles\" is taken"]),
        (&["--chart", "x.jpg"], &["--chart", ".png or .svg"]),
        (&["--json", "--markdown"], &["--json", "--markdown"]),
        (&["home"], &["home"]),
    ] {
        place.refused(args, 2, parts);
    }
    place.refused(&["--views", "gone.toml"], 1, &["gone.toml", "no such file"]);
    std::fs::write(place.path("taken.png"), "mine").unwrap();
    place.refused(&["--chart", "taken.png"], 1, &["taken.png", "--force"]);
    place.refused(&["--chart", "gone/x.png", "--out", "new"], 1, &["gone", "no directory"]);
    assert!(!place.path("new").exists(), "a folder was made for nothing");
    place.refused(&["--chart", "--json"], 2, &["--chart", "not an option"]);
    place.refused(&["--out", "taken.png"], 1, &["taken.png"]);
    assert_eq!(std::fs::read(place.path("taken.png")).unwrap(), b"mine");
}

#[test]
fn files_are_written_and_kept() {
    let place = Place::new();
    let args = ["--engines", "naive,simd,tiles", "--views", "home,talk-base", "--out", "deep/er"];
    let stdout = place.done(&args);
    let read = |name: &str| std::fs::read(place.path("deep/er").join(name)).unwrap();
    let report: Value = serde_json::from_slice(&read("bench.json")).unwrap();
    assert_eq!(report["views"].as_array().unwrap().len(), 2);
    assert!(String::from_utf8(read("bench.md")).unwrap().contains("| tiles |") && stdout.contains("tiles"));

    let chart = image::load_from_memory(&read("bench.png")).unwrap().into_rgb8();
    let inked = chart.pixels().filter(|pixel| pixel.0 != [255; 3]).count();
    assert!(chart.width() == 3840 && inked > 20_000, "{inked} pixels of {:?}", chart.dimensions());
    let svg = String::from_utf8(read("bench.svg")).unwrap();
    for (label, times) in [("home", 1), ("talk-base", 1), ("naive", 2), ("simd", 2), ("tiles", 2), ("64×48", 1)] {
        let found = svg.lines().filter(|line| line.trim().starts_with(label)).count();
        assert!(found >= times, "{label} is there {found} times");
    }

    let again = place.run(&args);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("bench.json"));
    assert_eq!(serde_json::from_slice::<Value>(&read("bench.json")).unwrap(), report);
    place.done(&[&args[..], &["--force"]].concat());
    let both = place.run(&[&args[..], &["--force", "--chart", "deep/er/bench.png"]].concat());
    assert_eq!(String::from_utf8_lossy(&both.stderr).matches("file=").count(), 4, "one name is written once");
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_there_is() {
    let place = Place::new();
    let marker = place.path("begun");
    let waiting = format!("--external=waiting=sh -c 'touch {}; sleep 60'", marker.display());
    let mut program = place.program();
    program.args(["--engines", "naive", "--views", "talk-base,home", "--out", "kept", &waiting]);
    let child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !marker.exists() && begun.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stdout.contains("INCOMPLETE") && stdout.contains("talk-base"), "{stdout}");
    assert!(stderr.contains("interrupted") && begun.elapsed().as_secs() < 20, "{stderr}");
    assert_eq!(place.path("kept").read_dir().unwrap().count(), 0);
}
