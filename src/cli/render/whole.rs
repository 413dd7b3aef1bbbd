//! `cardioid render LOCATION` where the location is of a diagram or a scene in space.

use std::path::PathBuf;
use std::time::Instant;

use cardioid::app::Location;
use cardioid::app::export::{Destination, Export, FileKind, Output, Whole};
use cardioid::color::DiagramScheme;
use cardioid::render::{Job, Ordinate, Section, Task};
use cardioid::view::{Bifurcation, ComplexBifurcation};

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
    let job = Job { shortcuts: args.shortcuts, ..Job::new(view.viewport().clone(), view.task()) };
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
pub fn location_of(panels: &[Job], scheme: DiagramScheme) -> Location {
    let viewport = panels[0].viewport.clone();
    // Of panels above each other the lower one shows Im z.
    match &panels[panels.len() - 1].task {
        Task::OrbitDensity(task) => Location::of_view(&Bifurcation::of_task(task, scheme, viewport)),
        Task::Section(task) => {
            let ordinate = if panels.len() > 1 { Ordinate::Re } else { task.ordinate };
            let task = Section { ordinate, ..task.clone() };
            Location::of_view(&ComplexBifurcation::of_task(&task, scheme, viewport))
        }
        Task::EscapeTime(_) | Task::Space(_) => unreachable!("only diagrams have panels"),
    }
}
