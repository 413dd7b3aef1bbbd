//! Workers that do not fit, and schedulers that ask who is there.

use super::*;

#[test]
fn a_late_worker_that_cannot_draw_is_left_out_by_name() {
    let Some(mut cluster) = Cluster::start() else { return };
    let slow = cluster.slow_renderer("slow", 0.25, "none");
    let render = cluster.render("home --size 256x192 --out many.png --tile 32", Some(&slow)).spawn().unwrap();
    wait_until("two tiles", || cluster.drawn("slow").len() >= 2);
    cluster.add_worker_in(&[("UNFIT", "1")]);
    let output = render.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("worker tcp://127.0.0.1:") && told.contains("is left out: the renderer does not run there"),
        "{told}"
    );
    cluster.place.done("render home --size 256x192 --out one.png");
    assert!(cluster.bytes("one.png") == cluster.bytes("many.png"));
}

#[test]
fn certificates_open_what_is_closed_to_others() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let mut openssl = Command::new("openssl");
    openssl.args("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1".split(' '));
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "ca.pem"]);
    match openssl.current_dir(place.0.path()).stderr(Stdio::null()).status() {
        Ok(status) => assert!(status.success()),
        Err(e) => return eprintln!("skipped: openssl makes no certificate: {e}"),
    }
    std::fs::copy(place.path("ca.pem"), place.path("cert.pem")).unwrap();
    let file = |option: &str, name: &str| [option.to_owned(), place.path(name).display().to_string()];
    let options = [
        ["--protocol".into(), "tls".into()],
        file("--tls-ca-file", "ca.pem"),
        file("--tls-cert", "cert.pem"),
        file("--tls-key", "key.pem"),
    ];
    let cluster = Cluster::start_in(place, python, options.concat());
    let address = std::fs::read_to_string(cluster.place.path("scheduler.json")).unwrap();
    let address = address.split('"').find(|text| text.starts_with("tls://")).expect(&address);
    let render = |cluster_address: &str, args: &str| {
        let mut command = cluster.place.program();
        command.env("CARDIOID_PYTHON", &cluster.python).args(["render", "home", "--size", "64x64", "--out", "a.png"]);
        command.args(["--cluster", cluster_address]).args(args.split_whitespace());
        command
    };
    ended(render(address, "--tls ."), 0);
    let told = ended(render(&address.replace("tls://", "tcp://"), "--force"), 1);
    assert!(told.contains("no scheduler answers at tcp://"), "{told}");
}
