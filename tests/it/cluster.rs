//! Pictures from many machines: what workers answer.

mod bench;
mod frames;
mod library;
mod resume;
mod trouble;
mod window;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::cluster::{Spec, tile};
use cardioid::render::Tile;
use serde_json::json;

use super::cli::Place;

/// The spec of a picture that would take `max_iterations` for each of its points: they lie inside.
fn inside(max_iterations: u32) -> Spec {
    let mut location = Location::parse("the test", "center = [\"-0.1\", \"0.1\"]\nheight = \"0.1\"").unwrap();
    location.max_iterations = Some(max_iterations);
    let mut job = location.job([256, 256]).unwrap();
    job.shortcuts = cardioid::render::Shortcuts::NONE;
    Spec::of(&job, &location.complete(&job, "tiles", 1)).unwrap()
}

fn request(spec: &Spec, [x, y, width, height]: [u32; 4]) -> String {
    let request = json!({"v": 1, "job": spec.hash(), "tile": [x, y, width, height], "spec": spec.text()});
    format!("{request}\n")
}

fn serving(place: &Place) -> Child {
    let mut program = place.program();
    program.args(["serve", "--stdio", "--threads", "1"]);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_child_answers_one_request_after_the_other() {
    let mut child = serving(&Place::new());
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let spec = inside(100);
    for (line, tile, is_drawn) in [
        (request(&spec, [0, 0, 64, 32]), Tile { x: 0, y: 0, width: 64, height: 32 }, true),
        ("nonsense\n".into(), Tile::whole([1, 1]), false),
        (request(&spec, [192, 255, 64, 1]), Tile { x: 192, y: 255, width: 64, height: 1 }, true),
    ] {
        stdin.write_all(line.as_bytes()).unwrap();
        match tile::Header::read(&mut stdout) {
            Ok(header) => {
                assert!(is_drawn && header.tile == tile, "{line}");
                let mut pixels = vec![0; header.pixel_bytes() as usize];
                stdout.read_exact(&mut pixels).unwrap();
            }
            Err(error) => assert!(!is_drawn && error.to_string().contains("no request"), "{line}: {error}"),
        }
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(stdout.fill_buf().unwrap().is_empty(), "it answered what nobody asked");
}

#[test]
fn a_child_whose_parent_is_gone_ends_at_once() {
    let mut child = serving(&Place::new());
    // Hours of work.
    child.stdin.as_mut().unwrap().write_all(request(&inside(1 << 30), [0, 0, 256, 256]).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it is at work");
    let start = Instant::now();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

/// Python with Dask, as `tests/run` installs it.
fn python() -> Option<PathBuf> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/dask-venv/bin/python");
    if python.is_file() {
        return Some(python);
    }
    assert!(std::env::var("CI").is_err(), "tests/run installs Dask; there is none: {}", python.display());
    eprintln!("skipped: there is no Dask (tests/run installs it): {}", python.display());
    None
}

/// A scheduler and its workers, each a process, on ports that are free.
struct Cluster {
    place: Place,
    python: PathBuf,
    /// Options of scheduler and workers alike.
    options: Vec<String>,
    scheduler: Child,
    workers: Vec<Child>,
}

impl Cluster {
    fn start() -> Option<Self> {
        Some(Self::start_in(Place::new(), python()?, Vec::new()))
    }

    fn start_in(place: Place, python: PathBuf, options: Vec<String>) -> Self {
        let file = place.path("scheduler.json");
        let mut command = Command::new(&python);
        command.args(["-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]);
        command.args(["--dashboard-address", "127.0.0.1:0", "--scheduler-file"]).arg(&file);
        let scheduler = command.args(&options).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut cluster = Self { place, python, options, scheduler, workers: Vec::new() };
        wait_until("the scheduler is there", || file.is_file());
        cluster.add_worker();
        cluster.add_worker();
        cluster
    }

    fn file(&self) -> String {
        format!("file://{}", self.place.path("scheduler.json").display())
    }

    fn add_worker(&mut self) {
        self.add_worker_in(&[]);
    }

    /// Without a nanny: a worker that is killed stays dead.
    fn add_worker_in(&mut self, environment: &[(&str, &str)]) {
        let mut command = Command::new(&self.python);
        command.args([
            "-m",
            "dask",
            "worker",
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--host",
            "127.0.0.1",
        ]);
        command.arg("--scheduler-file").arg(self.place.path("scheduler.json"));
        command.args(&self.options).envs(environment.iter().copied());
        command.current_dir(self.place.0.path()).stdout(Stdio::null()).stderr(Stdio::null());
        self.workers.push(command.spawn().unwrap());
    }

    /// A render on this cluster; `program` takes the place of the renderer.
    fn render(&self, args: &str, program: Option<&Path>) -> Command {
        self.command(&format!("render {args}"), program)
    }

    /// Any command that a cluster can work for.
    fn command(&self, args: &str, program: Option<&Path>) -> Command {
        let mut command = self.place.program();
        command.env("CARDIOID_PYTHON", &self.python).args(args.split(' '));
        command.args(["--cluster", &self.file()]).stdout(Stdio::null()).stderr(Stdio::piped());
        if let Some(program) = program {
            command.arg(format!("--binary={}={}", cardioid::cluster::this_platform(), program.display()));
        }
        command
    }

    /// The renderer behind a script that takes its time, notes each tile with its own number, and fails where told.
    fn slow_renderer(&self, name: &str, seconds: f64, failing: &str) -> PathBuf {
        let path = self.place.path(name);
        let log = self.place.path(&format!("{name}.log"));
        let script = include_str!("cluster/slow_renderer.py")
            .replace("@REAL@", env!("CARGO_BIN_EXE_cardioid"))
            .replace("@LOG@", log.to_str().unwrap())
            .replace("@SECONDS@", &seconds.to_string())
            .replace("@FAILING@", failing);
        std::fs::write(&path, script).unwrap();
        path
    }

    /// Process numbers of the renderers that drew tiles so far, one each tile.
    fn drawn(&self, name: &str) -> Vec<String> {
        let log = std::fs::read_to_string(self.place.path(&format!("{name}.log"))).unwrap_or_default();
        log.lines().map(Into::into).collect()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in self.workers.iter_mut().chain([&mut self.scheduler]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(40), "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process got the signal: 0 asks whether it is there.
fn signal(signal: &str, process: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args([&format!("-{signal}"), process]).stderr(Stdio::null()).status().unwrap().success()
}

/// Runs what must end with `code`, and returns stderr.
fn ended(mut command: Command, code: i32) -> String {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    stderr
}

#[test]
fn a_cluster_writes_the_file_that_one_machine_writes() {
    let Some(cluster) = Cluster::start() else { return };
    // (picture, side of a tile, why)
    for (n, (picture, tile, why)) in [
        ("home --size 200x150 --max-iterations 300", 64, "tiles cut at the edges"),
        ("seahorse-valley --size 160x100 --supersample 2", 512, "one tile, with iterations that are measured"),
        ("home --size 90x61 --rotation 20 --palette glacier --engine threads", 16, "many small ones"),
        ("deep-spiral --size 96x64", 32, "a reference for each worker"),
        ("--view bifurcation --size 600x50 --orbits 3 --samples 60", 64, "a tone that is measured"),
        ("--view bifurcation-complex --size 90x61 --orbits 2 --samples 60", 16, "two panels"),
    ]
    .into_iter()
    .enumerate()
    {
        let (one, many) = (format!("one{n}.png"), format!("many{n}.png"));
        cluster.place.done(&format!("render {picture} --out {one}"));
        let told = ended(cluster.render(&format!("{picture} --out {many} --tile {tile}"), None), 0);
        assert!(told.contains("seconds=") && told.contains("dashboard"), "{told}");
        assert!(cluster.bytes(&one) == cluster.bytes(&many), "{picture}: {why}");
    }
    // (picture, name)
    for (picture, name) in [("home --size 90x61 --channel smooth", "a.npy"), ("home --size 61x40", "b.u32")] {
        cluster.place.done(&format!("render {picture} --out one-{name}"));
        ended(cluster.render(&format!("{picture} --out {name} --tile 32"), None), 0);
        assert!(cluster.bytes(name) == cluster.bytes(&format!("one-{name}")), "{name}");
    }
}

#[test]
fn workers_and_renderers_that_die_change_nothing() {
    let Some(mut cluster) = Cluster::start() else { return };
    let slow = cluster.slow_renderer("slow", 0.1, "none");
    cluster.place.done("render home --size 512x512 --out one.png");
    let render =
        cluster.render("home --size 512x512 --out many.png --tile 64 --retries 4", Some(&slow)).spawn().unwrap();
    wait_until("ten tiles", || cluster.drawn("slow").len() >= 10);
    cluster.workers[0].kill().unwrap();
    cluster.add_worker();
    wait_until("twenty tiles", || cluster.drawn("slow").len() >= 20);
    // A renderer that is alive: whoever drew last.
    assert!(signal("KILL", cluster.drawn("slow").last().unwrap()));
    let output = render.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(cluster.bytes("one.png") == cluster.bytes("many.png"));
    let mut renderers = cluster.drawn("slow");
    renderers.sort();
    renderers.dedup();
    assert!(renderers.len() >= 3, "the second worker went on with another renderer: {renderers:?}");
    wait_until("all renderers ended", || renderers.iter().all(|process| !signal("0", process)));
}

#[test]
fn what_cannot_be_drawn_is_told_and_leaves_nothing() {
    let Some(cluster) = Cluster::start() else { return };
    let broken = cluster.place.path("broken");
    std::fs::write(&broken, "\u{7f}ELF and nothing else").unwrap();
    let told = ended(cluster.render("home --size 128x128 --out a.png", Some(&broken)), 1);
    assert!(told.contains("does not run there") && told.contains("worker tcp://127.0.0.1:"), "{told}");

    let failing = cluster.slow_renderer("failing", 0.0, "[64, 64,");
    let told = ended(cluster.render("home --size 128x128 --out a.png --tile 64", Some(&failing)), 3);
    assert!(told.contains("64x64 pixels at 64,64") && told.contains("told to fail"), "{told}");
    let tries = 3;
    let drawn = cluster.drawn("failing").len();
    assert!((tries..=3 + tries).contains(&drawn), "{drawn}: one, and two again");

    let endless = cluster.slow_renderer("endless", 30.0, "none");
    let mut render =
        cluster.render("home --size 128x128 --out a.png --tile 64 --force", Some(&endless)).spawn().unwrap();
    wait_until("two tiles are begun", || cluster.drawn("endless").len() >= 2);
    let start = Instant::now();
    assert!(signal("INT", &render.id().to_string()));
    assert_eq!(render.wait().unwrap().code(), Some(1));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    wait_until("both renderers ended", || cluster.drawn("endless").iter().all(|process| !signal("0", process)));

    // The next picture finds a cluster without a trace of all this.
    ended(cluster.render("home --size 128x128 --out b.png --tile 64", None), 0);
    let names = cluster.place.listing();
    assert!(!names.iter().any(|name| name.contains("a.png") || name.contains(".part")), "{names:?}");
}

#[test]
fn clusters_that_are_not_there_are_told_in_a_line() {
    let place = Place::new();
    // Python without what was installed for it.
    let bare = place.path("bare-python");
    std::fs::write(&bare, "#!/bin/sh\nexec python3 -S \"$@\"\n").unwrap();
    assert!(Command::new("chmod").arg("755").arg(&bare).status().unwrap().success());
    std::fs::write(place.path("scene.toml"), "view = \"bifurcation-3d\"\n").unwrap();
    let render = |python: &Path, args: &str| {
        let mut command = place.program();
        command.env("CARDIOID_PYTHON", python).args(["render", "--size", "64x64", "--out", "a.png"]);
        command.args(args.split(' '));
        command
    };
    let nobody = Path::new("/nobody/python");
    for (python, args, code, expected) in [
        (bare.as_path(), "--cluster local", 4, "-m pip install \"dask[distributed]\""),
        (nobody, "--cluster local", 4, "name it in CARDIOID_PYTHON: /nobody/python"),
        (nobody, "--cluster here", 2, "an address is local, tcp://"),
        (nobody, "--cluster tcp://host", 2, "an address is local, tcp://"),
        (nobody, "--cluster tls://host:8786", 2, "tls://host:8786 wants certificates"),
        (nobody, "--cluster tls://host:8786 --tls /nobody", 2, "no such certificate (--tls): /nobody/ca.pem"),
        (nobody, "--tile 64", 2, "--cluster"),
        (nobody, "--resume", 2, "--cluster"),
        (nobody, "--cluster local --threads 2", 2, "--threads"),
        (nobody, "--cluster local --binary what=", 2, "=FILE"),
        (nobody, "--cluster local --part 1/2", 2, "--part"),
        (nobody, "--cluster local --view bifurcation-3d", 2, "may fall anywhere"),
        (nobody, "scene.toml --cluster local", 2, "may fall anywhere"),
    ] {
        let told = ended(render(python, args), code);
        assert!(told.contains(expected), "{args}: {told:?} lacks {expected:?}");
        assert!(code == 2 || told.trim_end().lines().count() == 1, "{args}: {told}");
    }
    if let Some(python) = python() {
        let told = ended(render(&python, "--cluster file:///nobody/scheduler.json"), 1);
        assert!(told.contains("no scheduler file of that name: /nobody/scheduler.json"), "{told}");
    }
    // Without a cluster no Python is started.
    ended(render(nobody, "--force"), 0);
    assert_eq!(place.listing(), ["a.png", "bare-python", "scene.toml"]);
}
