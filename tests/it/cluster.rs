//! Pictures from many machines: what workers answer.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};
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
