//! Pictures that were begun and not finished.

use super::*;

const TILES: usize = 64;

/// Processes that a process started.
fn children(of: u32) -> Vec<String> {
    let output = Command::new("pgrep").args(["-P", &of.to_string()]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(Into::into).collect()
}

/// The number before ` of 64 tiles are kept`.
fn kept(told: &str) -> usize {
    let (before, _) = told.split_once(&format!(" of {TILES} tiles are kept, --resume goes on from them")).expect(told);
    before.rsplit(' ').next().unwrap().parse().expect(told)
}

#[test]
fn nothing_is_drawn_twice() {
    let Some(cluster) = Cluster::start() else { return };
    let picture = "home --size 256x256 --max-iterations 300 --out many.png --retries 0";
    cluster.place.done("render home --size 256x256 --max-iterations 300 --out one.png");
    let begin = |name: &str, failing: &str, args: &str| {
        let slow = cluster.slow_renderer(name, 0.05, failing);
        cluster.render(&format!("{picture} {args}"), Some(&slow))
    };

    // Given up.
    let render = begin("first", "none", "--tile 32").spawn().unwrap();
    wait_until("ten tiles", || cluster.drawn("first").len() >= 10);
    assert!(signal("INT", &render.id().to_string()));
    let told = String::from_utf8(render.wait_with_output().unwrap().stderr).unwrap();
    let first = kept(&told);
    assert!((1..TILES).contains(&first) && told.contains("interrupted") && told.contains("many.png.partial"), "{told}");

    // What lies there is neither used nor lost without a word.
    let told = ended(cluster.render(&format!("{picture} --tile 32"), None), 2);
    assert!(told.contains("--resume") && told.contains("--force"), "{told}");
    let told = ended(cluster.render(&format!("{picture} --palette glacier --resume"), None), 2);
    assert!(told.contains("no tiles of this picture") && told.contains("many.png.partial"), "{told}");

    // Killed, and nobody says a word.
    let mut render = begin("second", "none", "--resume").spawn().unwrap();
    wait_until("ten tiles", || cluster.drawn("second").len() >= 10);
    render.kill().unwrap();
    render.wait().unwrap();
    wait_until("its renderers ended", || cluster.drawn("second").iter().all(|process| !signal("0", process)));

    // All but one.
    let told = ended(begin("third", "[224, 192,", "--resume --tile 16"), 3);
    assert!(kept(&told) == TILES - 1 && told.contains("32x32 pixels at 224,192, on tcp://127.0.0.1:"), "{told}");
    let third = cluster.drawn("third").len();
    assert!(third < TILES - first && third > 1, "{first} and more were there, {third} were drawn");

    ended(begin("fourth", "none", "--resume"), 0);
    assert_eq!(cluster.drawn("fourth").len(), 1);
    assert!(cluster.bytes("one.png") == cluster.bytes("many.png"));
    assert!(!cluster.place.path("many.png.partial").exists());
}

#[test]
fn a_scheduler_that_goes_away_takes_no_tile_along() {
    let Some(mut cluster) = Cluster::start() else { return };
    let slow = cluster.slow_renderer("slow", 0.1, "none");
    let out = cluster.place.path("many.png");
    let picture = format!("home --size 256x256 --max-iterations 300 --out {}", out.display());
    cluster.place.done("render home --size 256x256 --max-iterations 300 --out one.png");
    let render = cluster.render(&format!("{picture} --tile 32"), Some(&slow)).spawn().unwrap();
    wait_until("ten tiles", || cluster.drawn("slow").len() >= 10);
    cluster.scheduler.kill().unwrap();
    let start = Instant::now();
    let output = render.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("scheduler has gone away") && kept(&told) > 0, "{told}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());

    let other = Cluster::start().unwrap();
    ended(other.render(&format!("{picture} --resume"), None), 0);
    assert!(cluster.bytes("one.png") == cluster.bytes("many.png"));
}

#[test]
fn a_client_that_is_killed_leaves_nothing_on_the_workers() {
    let Some(cluster) = Cluster::start() else { return };
    let endless = cluster.slow_renderer("endless", 30.0, "none");
    let render = cluster.render("home --size 128x128 --out a.png --tile 64", Some(&endless)).spawn().unwrap();
    wait_until("two tiles are begun", || cluster.drawn("endless").len() >= 2);
    let client = children(render.id());
    assert!(client.len() == 1 && signal("KILL", &client[0]), "{client:?}");
    let told = String::from_utf8(render.wait_with_output().unwrap().stderr).unwrap();
    assert!(told.contains("its client ended early (signal: 9"), "{told}");
    wait_until("both renderers ended", || cluster.drawn("endless").iter().all(|process| !signal("0", process)));
    ended(cluster.render("home --size 128x128 --out a.png --tile 64", None), 0);
}

/// Largest resident memory of a process so far, in MB.
fn peak_megabytes(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1000)
}

#[test]
fn memory_is_bounded_at_both_ends() {
    if !cfg!(target_os = "linux") || std::env::var_os("SLOW").is_none_or(|slow| slow == "0") {
        eprintln!("skipped: it takes half a minute; SLOW=1 runs it, on Linux");
        return;
    }
    let Some(cluster) = Cluster::start() else { return };
    for tile in ["", " --tile 512"] {
        let mut render =
            cluster.render(&format!("home --size 16384x16384 --out a.png --force{tile}"), None).spawn().unwrap();
        let (parent, mut peaks) = (render.id().to_string(), [0; 2]);
        while render.try_wait().unwrap().is_none() {
            let client = children(render.id());
            for (peak, process) in peaks.iter_mut().zip(std::iter::once(&parent).chain(&client)) {
                *peak = peak_megabytes(process).unwrap_or(0).max(*peak);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(render.wait().unwrap().success());
        assert!(peaks.iter().all(|peak| (1..300).contains(peak)), "{tile}: {peaks:?} MB");
        eprintln!("16384x16384{tile}: {} MB in this program, {} MB in its client", peaks[0], peaks[1]);
    }
}
