//! Automatic iterations: enough for what a view shows, and not much more.

use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::app::location::Frame;
use cardioid::engine::{Machine, all, iterations};
use cardioid::fractal::FormulaId;
use cardioid::math::BigComplex;
use cardioid::render::cap;
use cardioid::render::{Field, HostSink, Job, Latest, Lattice, Newest, RenderError};

fn job([re, im]: [&str; 2], height: &str, size: [u32; 2]) -> Job {
    let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
    let frame = Frame::Height { center, height: height.parse().unwrap() };
    Location::at(FormulaId::Quadratic, frame).job(size).unwrap()
}

fn measured(job: &Job, threads: usize) -> u32 {
    let mut engines = all(&Machine::without_gpu(threads).unwrap());
    let mut nothing = Field::missing([0, 0]);
    iterations::measured(&mut engines, job, &Latest::forever(), &HostSink::new(&mut nothing)).unwrap()
}

/// Counts of a view with a cap.
fn counts(job: &Job, cap: u32) -> Vec<u32> {
    let mut engines = all(&Machine::without_gpu(2).unwrap());
    let key = cardioid::engine::choose(&engines, job, false).unwrap().key;
    let engine = engines.iter_mut().find(|engine| engine.key() == key).unwrap();
    let job = job.clone().with_max_iterations(cap);
    let mut field = Field::missing(job.size());
    engine.render(&job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field.samples().iter().map(|sample| sample.iterations).collect()
}

const SEAHORSE: [&str; 2] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];

#[test]
fn hardly_a_point_that_escapes_is_missed() {
    // (centre, height, why)
    for (center, height, why) in [
        (["-0.75", "0"], "2.5", "home"),
        (["-0.7453", "0.1127"], "6.5e-4", "seahorses"),
        (["-0.743643887037151", "0.131825904205330"], "1e-7", "a seahorse where f64 ends"),
        (SEAHORSE, "1e-20", "a deep seahorse"),
        (["0.2500001", "0"], "1e-7", "beside the cusp, where points take their time"),
        (["-1.7548776662466927600495088963585286918946", "0"], "3e-2", "a minibrot"),
        (["0", "1"], "1e-100", "a Misiurewicz point"),
    ] {
        let job = job(center, height, [96, 64]);
        let cap = measured(&job, 2);
        let farther = counts(&job, cap.saturating_mul(16));
        let escaped = farther.iter().filter(|&&count| count > 0).count();
        let missed = farther.iter().filter(|&&count| count > cap).count();
        // One in a hundred of some two hundred points: of all points it may be two, or three.
        assert!(missed * 100 <= escaped * 3, "{why}: {cap} iterations miss {missed} of {escaped}");
    }
}

#[test]
fn what_is_inside_does_not_run_away() {
    let depth = |job: &Job| cap::by_depth(&job.viewport);
    // (centre, height, why)
    for (center, height, why) in [
        (["-0.1", "0.1"], "0.1", "within the cardioid"),
        (["-1.7548776662466927600495088963585286918946", "0"], "1e-3", "within a minibrot"),
        (["-1.7548776662466927600495088963585286918946", "0"], "1e-12", "deep within it"),
        (["-1", "0"], "1e-40", "deep within the disc"),
    ] {
        let job = job(center, height, [96, 64]);
        let start = Instant::now();
        assert_eq!(measured(&job, 2), depth(&job), "{why}");
        assert!(start.elapsed() < Duration::from_secs(2), "{why}: took {:?}", start.elapsed());
    }
}

#[test]
fn the_cap_is_the_view_s_alone() {
    for (center, height) in [(["-0.75", "0"], "2.5"), (["0.2500001", "0"], "1e-7"), (SEAHORSE, "1e-20")] {
        let job = job(center, height, [120, 80]);
        let expected = measured(&job, 1);
        let others = Job { lattice: Lattice::band(3, 9), focus: [7.0; 2], ..job.clone().with_max_iterations(77) };
        assert_eq!([measured(&job, 3), measured(&others, 2)], [expected; 2], "{center:?}");
    }
    assert_eq!(measured(&job(["-0.75", "0"], "2.5", [640, 400]), 2), 1000, "home stays cheap");
}

#[test]
fn measuring_is_given_up_at_once() {
    let newest = Newest::default();
    let latest = newest.next();
    newest.cancel();
    let mut engines = all(&Machine::without_gpu(1).unwrap());
    let mut nothing = Field::missing([0, 0]);
    let job = job(SEAHORSE, "1e-20", [96, 64]);
    let given_up = iterations::measured(&mut engines, &job, &latest, &HostSink::new(&mut nothing));
    assert_eq!(given_up, Err(RenderError::Cancelled));
}
