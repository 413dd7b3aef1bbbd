//! Clusters in the window: the dialog asks who is there and has them draw, and the screen tells how far they are.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cardioid::app::animation::Recording;
use cardioid::app::export::Channel;
use cardioid::app::{
    Cluster, ClusterProgress, Command, Effect, Order, OverlayMode, SaveRequest, Saved, Seen, Settings, Site,
};
use cardioid::render::Latest;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{App, asked, click, harness, type_into};

/// A cluster that says what the test has it say.
#[derive(Default)]
struct Puppet {
    answer: Mutex<Option<Result<Seen, String>>>,
    news: Mutex<Vec<ClusterProgress>>,
    outcome: Mutex<Option<Saved>>,
    /// What it was asked to draw.
    orders: Mutex<Vec<Ordered>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Ordered {
    site: Site,
    size: [u32; 2],
    engine: Option<String>,
}

impl Cluster for Puppet {
    fn look(&self, _: &Site, latest: &Latest) -> Result<Seen, String> {
        while !latest.is_stale() {
            if let Some(answer) = self.answer.lock().unwrap().take() {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Err("nobody wants to know".into())
    }

    fn record(&self, _: &Site, _: Recording, _: &Latest, _: &dyn Fn(ClusterProgress)) -> Saved {
        Saved::Failed("this one draws pictures".into())
    }

    fn draw(&self, order: Order, latest: &Latest, progress: &dyn Fn(ClusterProgress)) -> Saved {
        let Order { site, job, location, .. } = order;
        self.orders.lock().unwrap().push(Ordered { site, size: job.size(), engine: location.engine });
        loop {
            self.news.lock().unwrap().drain(..).for_each(progress);
            if let Some(outcome) = self.outcome.lock().unwrap().take() {
                return outcome;
            }
            if latest.is_stale() {
                return Saved::GivenUp("the picture was given up".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Puppet {
    fn tells(&self, done: u64, workers: u64) {
        let dashboard = Some("http://127.0.0.1:8787/status".into());
        let news = ClusterProgress { done, total: 64, workers, dashboard, ..ClusterProgress::default() };
        self.news.lock().unwrap().push(news);
    }
}

/// The screen with its dialog open and the name of a new file in it.
fn dialog(size: [f32; 2], folder: &Path) -> (Harness<'static, App>, Arc<Puppet>) {
    let mut harness = harness(size);
    let puppet = Arc::new(Puppet::default());
    let explorer = &mut harness.state_mut().explorer;
    explorer.reach_clusters_by(puppet.clone());
    explorer.state.apply(Command::TogglePanels);
    explorer.state.apply(Command::ShowExport(true));
    harness.run();
    type_into(&mut harness, "File", folder.join("a.png").to_str().unwrap());
    click(&mut harness, "A cluster");
    (harness, puppet)
}

/// Runs frames until the screen says something.
fn until_told(harness: &mut Harness<'static, App>, text: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while harness.query_all_by_label_contains(text).next().is_none() {
        assert!(Instant::now() < deadline, "{text:?} is never told");
        harness.step();
        std::thread::sleep(Duration::from_millis(2));
    }
    // A dialog that grew is in its place one frame later.
    harness.step();
}

fn is_told(harness: &Harness<'static, App>, text: &str) -> bool {
    harness.query_all_by_label_contains(text).next().is_some()
}

fn site(address: &str, certificates: Option<&Path>) -> Site {
    Site { address: address.parse().unwrap(), certificates: certificates.map(Into::into) }
}

#[test]
fn a_cluster_is_tested_before_it_draws_and_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, puppet) = dialog([1280.0, 800.0], folder.path());
    for wrong in ["here", "tcp://host", "tcp://:8786"] {
        type_into(&mut harness, "Address", wrong);
        assert!(is_told(&harness, "an address is local, tcp://HOST:PORT"), "{wrong}: the words of the command line");
        assert_eq!((click(&mut harness, "Test"), click(&mut harness, "Save")), (vec![], vec![]), "{wrong}");
    }
    let expected = site("tcp://10.0.0.5:8786", None);
    type_into(&mut harness, "Address", "tcp://10.0.0.5:8786");
    assert_eq!(click(&mut harness, "Test"), [Command::TestCluster(expected.clone())]);
    until_told(&mut harness, "asking who is there");
    *puppet.answer.lock().unwrap() = Some(Err("no scheduler answers at tcp://10.0.0.5:8786 (timed out)".into()));
    until_told(&mut harness, "no scheduler answers");
    assert!(harness.state().explorer.state.notice().is_none(), "it is said once");
    click(&mut harness, "Test");
    let dashboard = Some("http://10.0.0.5:8787/status".into());
    *puppet.answer.lock().unwrap() = Some(Ok(Seen { workers: 2, threads: 8, dashboard }));
    until_told(&mut harness, "2 workers with 8 threads");
    assert_eq!(click(&mut harness, "http://10.0.0.5:8787/status"), [Command::OpenDashboard]);
    harness.state_mut().explorer.state.apply(Command::OpenDashboard);
    harness.state_mut().explorer.state.apply(Command::CopyDashboard);
    let effects = harness.state_mut().explorer.frame();
    let address = "http://10.0.0.5:8787/status";
    assert_eq!(effects, [Effect::Browse(address.into()), Effect::Copy(address.into())]);

    type_into(&mut harness, "Address", "tcp://10.0.0.6:8786");
    assert!(!is_told(&harness, "2 workers"), "that was another cluster's answer");
    type_into(&mut harness, "Address", "tcp://10.0.0.5:8786");
    let path = Some(folder.path().join("a.png").to_str().unwrap().into());
    let size = harness.state().explorer.state.viewport().size();
    let (channel, cluster) = (Channel::default(), Some(expected.clone()));
    let request =
        SaveRequest { path, size: Some(size), supersample: 2, channel, overwrite: false, cluster, resume: false };
    assert_eq!(click(&mut harness, "Save"), [Command::Export(request)]);
    *puppet.outcome.lock().unwrap() = Some(Saved::Done(folder.path().join("a.png")));
    until_told(&mut harness, "saved ");
    let orders = puppet.orders.lock().unwrap().clone();
    assert_eq!(orders, [Ordered { site: expected.clone(), size, engine: Some("tiles".into()) }]);

    // The next run of the program knows it.
    let settings = harness.state().explorer.state.settings();
    assert_eq!(settings.cluster, Some(expected));
    let (mut harness, _) = dialog([900.0, 600.0], folder.path());
    assert_eq!(harness.get_by_label("Address").value().as_deref(), Some(""), "a new program knows none");
    let state = &mut harness.state_mut().explorer.state;
    state.apply_settings(&Settings { cluster: Some(site("tcp://10.0.0.5:8786", None)), ..Settings::default() });
    state.apply(Command::ShowExport(false));
    harness.run();
    harness.state_mut().explorer.state.apply(Command::ShowExport(true));
    harness.run();
    assert!(harness.query_by_label("Address").is_none(), "this machine draws unless somebody says else");
    click(&mut harness, "A cluster");
    assert_eq!(harness.get_by_label("Address").value().as_deref(), Some("tcp://10.0.0.5:8786"));
}

#[test]
fn certificates_are_asked_for_where_they_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = dialog([900.0, 600.0], folder.path());
    type_into(&mut harness, "Address", "tls://host:8786");
    assert!(is_told(&harness, "needs the folder of ca.pem"));
    assert_eq!(click(&mut harness, "Test"), []);
    type_into(&mut harness, "Keys", folder.path().to_str().unwrap());
    let expected = site("tls://host:8786", Some(folder.path()));
    assert_eq!(click(&mut harness, "Test"), [Command::TestCluster(expected)]);
    type_into(&mut harness, "Address", "local");
    assert!(harness.query_by_label("Keys").is_none());
    assert_eq!(click(&mut harness, "Test"), [Command::TestCluster(site("local", None))]);
}

#[test]
fn a_cluster_at_work_is_told_of_everywhere_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    for (size, mode, row) in [
        ([900.0, 600.0], OverlayMode::Compact, "3/64 · 2 w"),
        ([1280.0, 800.0], OverlayMode::Full, "3 of 64 tiles  ·  2 workers"),
    ] {
        let (mut harness, puppet) = dialog(size, folder.path());
        harness.state_mut().explorer.state.apply(Command::SetOverlay(mode));
        type_into(&mut harness, "Address", "local");
        click(&mut harness, "Save");
        until_told(&mut harness, "reaching local");
        puppet.tells(1, 2);
        until_told(&mut harness, "1 of 64 tiles  ·  2 workers");
        puppet.tells(3, 2);
        until_told(&mut harness, "tiles/s");
        assert!(is_told(&harness, " left") && is_told(&harness, row) && is_told(&harness, "   dask"));
        let whole = harness.ctx.content_rect();
        for node in harness.query_all_by_label_contains("") {
            let label = node.accesskit_node().label().unwrap_or_default();
            // What lies below in a dialog that scrolls is not seen.
            assert!(whole.contains_rect(node.rect()) || size[1] < 700.0, "{label:?} is cut in {size:?}");
        }
        assert_eq!(click(&mut harness, "Copy dashboard"), [Command::CopyDashboard]);
        assert_eq!(click(&mut harness, "Stop"), [Command::CancelExport]);
        until_told(&mut harness, "the picture was given up");
        assert!(!is_told(&harness, "   dask"), "the row goes with the work");
        assert!(harness.state().explorer.state.export_shown, "what was asked for is still there");

        asked(&mut harness);
        click(&mut harness, "Save");
        let reason = "there is no Dask here; install it with `python3 -m pip install \"dask[distributed]\"`";
        *puppet.outcome.lock().unwrap() = Some(Saved::Failed(reason.into()));
        until_told(&mut harness, reason);
    }
}

#[test]
fn pictures_that_were_begun_go_on_or_begin_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, puppet) = dialog([1280.0, 800.0], folder.path());
    type_into(&mut harness, "Address", "local");
    assert!(!is_told(&harness, "Begun"), "nothing was");
    std::fs::write(folder.path().join("a.png.partial"), "tiles").unwrap();
    // What is on the disk is looked at again after a save.
    click(&mut harness, "Save");
    *puppet.outcome.lock().unwrap() = Some(Saved::GivenUp("12 of 64 tiles are kept".into()));
    until_told(&mut harness, "tiles of it are kept");
    let asked_for = |commands: &[Command]| match commands {
        [Command::Export(request)] => (request.resume, request.overwrite),
        other => panic!("{other:?}"),
    };
    assert_eq!(asked_for(&click(&mut harness, "Save")), (true, false), "going on is what is wanted most");
    *puppet.outcome.lock().unwrap() = Some(Saved::GivenUp("20 of 64 tiles are kept".into()));
    until_told(&mut harness, "tiles of it are kept");
    click(&mut harness, "Begin anew");
    assert_eq!(asked_for(&click(&mut harness, "Save")), (false, true));
    *puppet.outcome.lock().unwrap() = Some(Saved::GivenUp("0 of 64".into()));
    until_told(&mut harness, "tiles of it are kept");
    // Another name has nothing to go on from, and this machine never has.
    type_into(&mut harness, "File", folder.path().join("b.png").to_str().unwrap());
    assert!(!is_told(&harness, "Begun"));
    type_into(&mut harness, "File", folder.path().join("a.png").to_str().unwrap());
    assert!(is_told(&harness, "Begun"));
    click(&mut harness, "This machine");
    harness.state_mut().is_frozen = true;
    assert_eq!(asked_for(&click(&mut harness, "Save")), (false, false));
}
