//! `cardioid render LOCATION` where the location is of a diagram or a scene in space.

use std::path::PathBuf;
use std::time::Instant;

use cardioid::app::Location;
use cardioid::app::export::{Destination, Export, FileKind, Output, Whole};
use cardioid::app::location::Frame;
use cardioid::fractal::FormulaId;
use cardioid::render::{Camera, Channels, Job, Lattice, Ordinate, Quality, Scene, Space, Task};
use cardioid::view::{Bifurcation, ComplexBifurcation, ParamValue, Spatial};

use super::Args;
use crate::cli::plan::{DEFAULT_SIZE, Figures, cancelled_by_ctrl_c, engine_named};
use crate::cli::{Failure, machine};

/// True for locations of views that are coloured as a whole.
pub fn is_whole(location: &Location) -> bool {
    location.at_view([1, 1]).is_ok_and(|view| view.task().escape_time().is_none())
}

/// Renders and writes the file: the figures of it, and where it is.
pub fn draw(args: &Args, location: &Location) -> Result<(Figures, PathBuf), Failure> {
    let start = Instant::now();
    args.refuse_all_but_size()?;
    let (kind, path) = FileKind::of(&args.out)?;
    if kind != FileKind::Picture {
        let message = "hits are written with --view and its options, not from a location; end the file's name in .png";
        return Err(Failure::asked_wrongly(message));
    }
    let size = args.size.or(location.size).unwrap_or(DEFAULT_SIZE);
    let view = location.at_view(size)?;
    let job = Job {
        viewport: view.viewport().clone(),
        lattice: Lattice::FULL,
        task: view.task(),
        channels: Channels::default(),
        quality: Quality::Exact,
        shortcuts: args.shortcuts,
        focus: [0.0; 2],
    };
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut engine = engine_named(args.engine.as_deref().unwrap_or("auto"), threads, &job)?;
    let destination = Destination::open(&path, args.force)?;
    let told = Location { size: Some(size), engine: Some(engine.key().into()), ..location.clone() };
    let output = Output::Whole(Whole { scheme: view.diagram_scheme(), location: &told });
    let stats =
        Export { job: job.clone(), output }.run(engine.as_mut(), destination, &cancelled_by_ctrl_c(), &|_| {})?;
    let figures = Figures {
        engine: engine.key(),
        describe: engine.describe(),
        compute: stats.compute,
        total: start.elapsed(),
        max_iterations: job.max_iterations(),
        size,
        stats,
    };
    Ok((figures, path))
}

/// The location of a diagram, or of panels above each other, that options asked for.
pub fn location_of(panels: &[Job], scheme: &'static str) -> Location {
    let mut location = Location::from_viewport(FormulaId::Quadratic, &panels[0].viewport);
    let choice = |key: &str| ParamValue::Choice(key.into());
    let work =
        |orbits: usize, kept: u32| [("orbits", ParamValue::Count(orbits as u32)), ("samples", ParamValue::Count(kept))];
    // Of panels above each other the lower one shows Im z.
    match &panels[panels.len() - 1].task {
        Task::OrbitDensity(task) => {
            location.view = Bifurcation::KEY.into();
            location.knobs.push(("map", choice(task.map.key())));
            location.knobs.extend(work(task.orbits.len(), task.kept));
        }
        Task::Section(task) => {
            location.view = ComplexBifurcation::KEY.into();
            let shown = if panels.len() > 1 { Ordinate::Re } else { task.ordinate };
            location.knobs.extend([
                ("section", ParamValue::Number(task.s)),
                ("ordinate", choice(if shown == Ordinate::Re { "re" } else { "im" })),
                ("fan", ParamValue::Switch(task.fan.is_some())),
                ("skip", ParamValue::Count(task.fan.map_or(0, |fan| fan.skip))),
            ]);
            location.knobs.extend(work(task.orbits.len(), task.kept));
        }
        Task::EscapeTime(_) | Task::Space(_) => {}
    }
    location.knobs.push(("scheme", choice(scheme)));
    location
}

/// The location of a scene that options asked for.
pub fn location_of_scene(task: &Space, size: [u32; 2]) -> Location {
    let mut location = Location::at(FormulaId::Quadratic, Frame::home(Spatial::KEY, FormulaId::Quadratic));
    (location.view, location.size) = (Spatial::KEY.into(), Some(size));
    let choice = |key: &str| ("scene", ParamValue::Choice(key.into()));
    match task.scene {
        Scene::Section { s } => location.knobs.extend([
            choice("section"),
            ("section", ParamValue::Number(s)),
            ("ghost", ParamValue::Switch(task.ghost)),
        ]),
        Scene::Set => location.knobs.push(choice("set")),
    }
    let Camera { yaw, pitch, distance, fov, .. } = task.camera;
    let turn = std::f64::consts::TAU;
    location.knobs.extend([
        ("yaw", ParamValue::Number(if yaw.abs() > turn / 2.0 { yaw - turn * (yaw / turn).round() } else { yaw })),
        ("pitch", ParamValue::Number(pitch)),
        ("distance", ParamValue::Number(distance)),
        ("fov", ParamValue::Number(fov)),
        ("points", ParamValue::Count(task.points)),
    ]);
    location
}
