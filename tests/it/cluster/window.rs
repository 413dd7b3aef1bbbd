//! The window's way to a cluster: it asks who is there, and has it draw the file that it saves itself.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cardioid::app::animation::Pace;
use cardioid::app::export::Channel;
use cardioid::app::{AnimationRequest, Command, Explorer, Play, SaveRequest, Seen, Site, State};
use cardioid::cluster::{Dask, Partial, this_platform};
use cardioid::engine::Machine;

use super::Cluster;

impl Cluster {
    fn site(&self) -> Site {
        Site { address: self.file().parse().unwrap(), certificates: None }
    }

    /// What the window would reach this cluster by; `program` draws.
    fn dask(&self, program: &Path) -> Arc<Dask> {
        let programs = vec![(this_platform(), program.to_owned())];
        Arc::new(Dask { python: self.python.clone(), programs })
    }

    fn request(&self, name: &str, cluster: Option<Site>) -> SaveRequest {
        let path = Some(self.place.path(name).to_str().unwrap().into());
        let (size, supersample, channel) = (Some([96, 70]), 2, Channel::default());
        SaveRequest { path, size, supersample, channel, overwrite: false, cluster, resume: false }
    }
}

fn explorer(dask: Arc<Dask>) -> Explorer {
    let mut explorer =
        Explorer::start(State::new([160, 100]), &Machine::without_gpu(1).unwrap(), false, Arc::new(|| {})).unwrap();
    explorer.reach_clusters_by(dask);
    explorer
}

/// Frames until something holds.
fn until(explorer: &mut Explorer, what: &str, holds: impl Fn(&Explorer) -> bool) {
    let start = Instant::now();
    while !holds(explorer) {
        assert!(start.elapsed() < Duration::from_secs(40), "in vain: {what}; {:?}", explorer.state.notice());
        explorer.state.tick(0.01);
        explorer.frame();
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a cluster answers.
fn answer(explorer: &mut Explorer, site: Site) -> Result<Seen, String> {
    explorer.state.apply(Command::TestCluster(site));
    explorer.frame();
    until(explorer, "an answer", |explorer| explorer.trial().unwrap().result().is_some());
    explorer.trial().unwrap().result().unwrap().clone()
}

/// What is said in the end of a save.
fn saved(explorer: &mut Explorer, request: SaveRequest) -> String {
    done(explorer, Command::Export(request))
}

fn done(explorer: &mut Explorer, command: Command) -> String {
    explorer.state.apply(command);
    explorer.frame();
    until(explorer, "the end of a save", |explorer| !explorer.state.exporting);
    explorer.state.notice().unwrap().text.clone()
}

#[test]
fn the_window_saves_through_a_cluster_what_it_saves_itself() {
    let Some(cluster) = Cluster::start() else { return };
    let mut explorer = explorer(cluster.dask(Path::new(env!("CARGO_BIN_EXE_cardioid"))));
    let nobody = Site { address: "file:///nobody/scheduler.json".parse().unwrap(), certificates: None };
    let why = answer(&mut explorer, nobody).unwrap_err();
    assert!(why.starts_with("there is no scheduler file of that name"), "{why}");
    // The second worker may take its time.
    let start = Instant::now();
    loop {
        let seen = answer(&mut explorer, cluster.site()).unwrap();
        if (seen.workers, seen.threads) == (2, 2) {
            assert!(seen.dashboard.is_some_and(|address| address.starts_with("http://127.0.0.1:")));
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{seen:?}");
    }
    // (name, commands before, why)
    for (name, commands, why) in [
        ("seahorse", "go-to '-0.75, 0.1'\nheight 0.02", "automatic iterations, measured here"),
        ("linked", "home\npair\npalette glacier", "periods, for the diagram below is shown"),
        ("diagram", "pair\nview bifurcation", "its tone, measured here"),
        ("section", "view bifurcation-complex", "two ways that orbits take"),
        ("julia", "view julia\nparam max_iterations 300\nturn 30", "a Julia set, turned"),
    ] {
        for line in commands.lines() {
            explorer.state.apply(line.parse().unwrap());
        }
        until(&mut explorer, "rest", |explorer| !explorer.state.is_moving());
        let [here, there] = ["here", "there"].map(|place| format!("{name}-{place}.png"));
        for (file, site) in [(&here, None), (&there, Some(cluster.site()))] {
            let told = saved(&mut explorer, cluster.request(file, site));
            assert!(told.starts_with("saved "), "{name}: {told}");
        }
        assert!(cluster.bytes(&here) == cluster.bytes(&there), "{name}: {why}");
    }
    let told =
        saved(&mut explorer, SaveRequest { supersample: 1, ..cluster.request("counts.npy", Some(cluster.site())) });
    assert!(told.contains("on this machine alone"), "{told}");
}

#[test]
fn the_window_has_a_cluster_draw_what_plays() {
    let Some(cluster) = Cluster::start() else { return };
    let mut explorer = explorer(cluster.dask(Path::new(env!("CARGO_BIN_EXE_cardioid"))));
    explorer.state.apply("view bifurcation-complex".parse().unwrap());
    until(&mut explorer, "rest", |explorer| !explorer.state.is_moving());
    let mut animate = |folder: &str, site: Option<Site>| {
        let path = cluster.place.path(folder).to_str().unwrap().to_owned();
        let pace = Pace { seconds: 1.0, fps: 3 };
        let (play, size) = (Play::Section, [36, 30]);
        let request = AnimationRequest { path, play, pace, size, overwrite: false, cluster: site };
        let told = done(&mut explorer, Command::ExportAnimation(request));
        assert!(told.starts_with("saved "), "{folder}: {told}");
    };
    animate("here", None);
    animate("there", Some(cluster.site()));
    for n in 1..=3 {
        let frame = |folder: &str| cluster.bytes(&format!("{folder}/{n:05}.png"));
        assert!(frame("here") == frame("there"), "frame {n}");
    }
}

#[test]
fn a_save_through_a_cluster_is_given_up_at_once() {
    let Some(cluster) = Cluster::start() else { return };
    let endless = cluster.slow_renderer("endless", 30.0, "none");
    let mut explorer = explorer(cluster.dask(&endless));
    explorer.state.apply(Command::Export(cluster.request("a.png", Some(cluster.site()))));
    explorer.frame();
    until(&mut explorer, "a tile is begun", |_| !cluster.drawn("endless").is_empty());
    let work = explorer.cluster_work().unwrap();
    assert!(work.progress.done == 0 && work.progress.workers > 0, "{work:?}");
    let start = Instant::now();
    explorer.state.apply(Command::CancelExport);
    until(&mut explorer, "the end", |explorer| !explorer.state.exporting);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert!(explorer.state.notice().unwrap().text.starts_with("saving cancelled"));
    assert!(!cluster.place.path("a.png").exists());
}

#[test]
fn what_was_drawn_is_kept_and_gone_on_from() {
    let Some(cluster) = Cluster::start() else { return };
    let slow = cluster.slow_renderer("slow", 0.2, "none");
    let mut explorer = explorer(cluster.dask(&slow));
    explorer.state.apply("param max_iterations 200".parse().unwrap());
    let request = |name, cluster_site| SaveRequest { size: Some([700, 700]), ..cluster.request(name, cluster_site) };
    explorer.state.apply(Command::Export(request("a.png", Some(cluster.site()))));
    explorer.frame();
    let partial = Partial::path_for(&cluster.place.path("a.png"));
    until(&mut explorer, "tiles are kept", |explorer| {
        partial.is_file() && explorer.cluster_work().is_some_and(|work| work.progress.done >= 3)
    });
    explorer.state.apply(Command::CancelExport);
    until(&mut explorer, "the end", |explorer| !explorer.state.exporting);
    let told = explorer.state.notice().unwrap().text.clone();
    assert!(told.starts_with("saving cancelled; ") && told.contains("tiles are kept"), "{told}");
    assert!(partial.is_file() && !told.contains("--"), "options of the command line mean nothing here: {told}");

    let told = saved(&mut explorer, request("a.png", Some(cluster.site())));
    assert!(told.contains("begun") && !told.contains("--"), "{told}");
    let drawn = cluster.drawn("slow").len();
    let told = saved(&mut explorer, SaveRequest { resume: true, ..request("a.png", Some(cluster.site())) });
    assert!(told.starts_with("saved ") && !partial.exists(), "{told}");
    assert!(cluster.drawn("slow").len() - drawn < 9, "not all were drawn again");
    assert!(saved(&mut explorer, request("b.png", None)).starts_with("saved "));
    assert!(cluster.bytes("a.png") == cluster.bytes("b.png"));
}

#[test]
fn scripts_have_clusters_draw() {
    let Some(cluster) = Cluster::start() else { return };
    let site = cluster.file();
    let script = format!(
        "go-to '-0.75, 0.1'\nheight 0.02\ntest-cluster {site}\nwait-settled\nexport here.png 64x48\nwait-settled\n\
         export there.png 64x48 cluster {site}\n"
    );
    std::fs::write(cluster.place.path("script.txt"), script).unwrap();
    let mut drive = cluster.place.program();
    drive.env("CARDIOID_PYTHON", &cluster.python).args(["drive", "script.txt", "--headless", "--size", "480x320"]);
    let output = drive.stdout(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(cluster.bytes("here.png") == cluster.bytes("there.png"));
}
