//! `cardioid render --view bifurcation-3d`: orbits of z² + c in space, as a picture.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use cardioid::app::Location;
use cardioid::app::export::{Destination, FileKind, MOST_SPACE_PIXELS, space_picture};
use cardioid::color::space_tints;
use cardioid::render::{Camera, ExposureSink, Job, Scene, Space};
use cardioid::view::Spatial;

use super::Args;
use super::diagram::failed;
use crate::cli::plan::{DEFAULT_SIZE, Figures, cancelled_by_ctrl_c, engine_named, median};
use crate::cli::{Failure, machine};

pub const KEY: &str = "bifurcation-3d";
/// Names of scenes.
pub const SCENES: [&str; 2] = ["section", "set"];

/// Renders and writes the file: the figures of it, and where it is.
pub fn draw(args: &Args) -> Result<(Figures, PathBuf), Failure> {
    let start = Instant::now();
    refuse_other_options(args)?;
    args.refuse_options_of_other_views()?;
    let (kind, path) = FileKind::of(&args.out)?;
    if kind != FileKind::Picture {
        return Err(Failure::asked_wrongly("a scene in space has no counts; end the file's name in .png"));
    }
    let task = task(args)?;
    let job = job(task.clone(), args.size.unwrap_or(DEFAULT_SIZE))?;
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut engine = engine_named(args.engine.as_deref().unwrap_or("auto"), threads, &job)?;
    let destination = Destination::open(&path, args.force)?;
    let latest = cancelled_by_ctrl_c();
    let sink = ExposureSink::default();
    // The first of several runs warms up: it computes the points, and the others only throw them onto the picture.
    let mut stats = engine.render(&job, &latest, &sink).map_err(failed)?;
    let mut times = vec![stats.compute];
    if args.repeat > 1 {
        times.clear();
        for _ in 0..args.repeat {
            stats = engine.render(&job, &latest, &sink).map_err(failed)?;
            times.push(stats.compute);
        }
    }
    let text = Location::of_view(&Spatial::of_task(&task, job.size())).to_toml();
    destination.write(&space_picture(&sink.into_exposure(), &task, Some(&text)).map_err(Failure::could_not)?)?;
    let figures = Figures {
        engine: engine.key(),
        describe: engine.describe(),
        compute: median(times),
        total: start.elapsed(),
        max_iterations: job.max_iterations(),
        size: job.size(),
        stats,
    };
    Ok((figures, path))
}

fn refuse_other_options(args: &Args) -> Result<(), Failure> {
    let location = ("a location", args.location != "home");
    let of_diagrams =
        [("--map", args.map.is_some()), ("--orbits", args.orbits.is_some()), ("--scheme", args.scheme.is_some())];
    let mut given = std::iter::once(location).chain(args.options_of_sets()).chain(of_diagrams);
    match given.find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::asked_wrongly(format_args!(
            "{option} means nothing to orbits in space; they take --scene, --section, --ghost, --yaw, --pitch, \
             --distance, --fly, --samples and --size"
        ))),
    }
}

fn task(args: &Args) -> Result<Space, Failure> {
    let scene = scene(args)?;
    let points =
        args.samples.unwrap_or(if args.quality.as_deref() == Some("draft") { Space::MOVING } else { Space::STILL });
    if points < Space::LEAST_POINTS {
        return Err(Failure::asked_wrongly(format_args!(
            "{points} points are too few for a scene in space; choose --samples from {} to {}",
            Space::LEAST_POINTS,
            Space::MOST_POINTS
        )));
    }
    Ok(Space { scene, ghost: args.ghost, points, camera: camera(args), tints: Arc::new(space_tints(scene)) })
}

fn scene(args: &Args) -> Result<Scene, Failure> {
    let is_set = match args.scene.as_deref() {
        None => args.fly.is_some() && args.section.is_none(),
        Some(key) => key == "set",
    };
    if is_set && (args.section.is_some() || args.ghost) {
        let option = if args.ghost { "--ghost" } else { "--section" };
        return Err(Failure::asked_wrongly(format_args!("{option} is of --scene section; leave one of them out")));
    }
    Ok(if is_set { Scene::Set } else { Scene::Section { s: args.section.unwrap_or(0.0) } })
}

fn camera(args: &Args) -> Camera {
    let from = args.fly.map_or(Camera::HOME, Camera::flight);
    Camera {
        yaw: args.yaw.unwrap_or(from.yaw),
        pitch: args.pitch.unwrap_or(from.pitch),
        distance: args.distance.unwrap_or(from.distance),
        ..from
    }
}

fn job(task: Space, size: [u32; 2]) -> Result<Job, Failure> {
    let [width, height] = size.map(u64::from);
    if width * height > MOST_SPACE_PIXELS {
        return Err(Failure::asked_wrongly(format_args!(
            "a scene of {width}x{height} pixels is too large; choose a size of at most {MOST_SPACE_PIXELS} pixels"
        )));
    }
    Ok(task.job(size)?)
}
