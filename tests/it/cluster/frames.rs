//! Animations on a cluster.

use super::*;

const SMALL: &str = "animate --view bifurcation-complex --size 33x25 --orbits 2 --seconds 4 --fps 1";

/// Names and bytes of all that is in a folder.
fn folder(cluster: &Cluster, name: &str) -> Vec<(String, Vec<u8>)> {
    let entries = cluster.place.path(name).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap());
    let mut files: Vec<_> = entries.map(read).collect();
    files.sort();
    files
}

#[test]
fn frames_of_a_cluster_are_those_of_one_machine() {
    let Some(cluster) = Cluster::start() else { return };
    // (animation, why)
    for (animation, why) in [
        (SMALL, "two panels"),
        (
            "animate --view bifurcation-3d --play spin --section -0.1 --yaw 2.9 --samples 20000 --size 40x30 --seconds 3 --fps 1",
            "a camera",
        ),
        (
            "animate --view bifurcation-complex --ordinate re --from -0.1 --to 0.3 --size 32x24 --seconds 2 --fps 1",
            "a sweep",
        ),
    ] {
        cluster.place.done(&format!("{animation} --force --out one"));
        let told = ended(cluster.command(&format!("{animation} --force --out many"), None), 0);
        assert!(told.contains("drawn now by tiles (Dask at file:") && told.contains("folder=many"), "{told}");
        assert!(folder(&cluster, "one") == folder(&cluster, "many"), "{why}");
    }
    // Each side goes on with what the other began.
    std::fs::remove_file(cluster.place.path("many/00002.png")).unwrap();
    let sweep = "animate --view bifurcation-complex --ordinate re --from -0.1 --to 0.3 --size 32x24 --seconds 2 --fps 1 --out many";
    let told = ended(cluster.command(sweep, None), 0);
    assert!(told.contains("2 frames of 32x24, 1 drawn now"), "{told}");
    assert!(cluster.place.done(sweep).contains("0 drawn now"));
    assert!(folder(&cluster, "one") == folder(&cluster, "many"));
}

#[test]
fn frames_that_fail_are_named_and_the_others_stay() {
    let Some(cluster) = Cluster::start() else { return };
    cluster.place.done(&format!("{SMALL} --out one"));
    let failing = cluster.slow_renderer("failing", 0.0, "\"frame\": 2");
    let told = ended(cluster.command(&format!("{SMALL} --out many --retries 1"), Some(&failing)), 3);
    assert!(
        told.contains("frame 3, on tcp://") && told.contains("told to fail") && told.contains("the same again"),
        "{told}"
    );
    assert_eq!(folder(&cluster, "many").len(), 1 + 3);

    let endless = cluster.slow_renderer("endless", 30.0, "none");
    let mut animate = cluster.command(&format!("{SMALL} --out many"), Some(&endless)).spawn().unwrap();
    wait_until("the frame is begun", || !cluster.drawn("endless").is_empty());
    let start = Instant::now();
    assert!(signal("INT", &animate.id().to_string()));
    assert_eq!(animate.wait().unwrap().code(), Some(1));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    let mut told = String::new();
    animate.stderr.unwrap().read_to_string(&mut told).unwrap();
    assert!(told.contains("3 of 4 frames are there"), "{told}");

    let told = ended(cluster.command(&format!("{SMALL} --out many"), None), 0);
    assert!(told.contains("1 drawn now"), "{told}");
    assert!(folder(&cluster, "one") == folder(&cluster, "many"));
}
