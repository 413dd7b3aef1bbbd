//! `cardioid render LOCATION` where the location is of a diagram or a scene in space.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cardioid::app::Location;
use cardioid::app::export::{Destination, Export, Output, Panels, Whole};
use cardioid::color::DiagramScheme;
use cardioid::render::{Job, Ordinate, Section, Task};
use cardioid::view::{Bifurcation, ComplexBifurcation};

use super::diagram::Sheet;
use super::{Args, uncut};
use crate::cli::plan::{Content, DEFAULT_SIZE, Figures, cancelled_by_ctrl_c, engine_named};
use crate::cli::{Failure, machine};

/// True for locations of diagrams and of scenes in space.
pub fn is_whole(location: &Location) -> bool {
    location.at_view([1, 1]).is_ok_and(|view| view.task().escape_time().is_none())
}

/// Renders and writes the file: the figures of it, and where it is.
pub fn draw(args: &Args, location: &Location) -> Result<(Figures, PathBuf), Failure> {
    args.refuse_all_but_size()?;
    let (content, path) = args.content_and_path()?;
    if matches!(content, Content::Numbers(_)) {
        let message = "hits are written with --view and its options, not from a location; end the file's name in .png";
        return Err(Failure::asked_wrongly(message));
    }
    let size = args.size.or(location.size).unwrap_or(DEFAULT_SIZE);
    let view = location.at_view(size)?;
    let job = Job { shortcuts: args.shortcuts, ..Job::new(view.viewport().clone(), view.task()) };
    let location = Location { size: Some(size), ..location.clone() };
    let figures = if job.task.space().is_some() {
        if content != Content::Picture || args.cluster.is_given() {
            return Err(uncut(&location.view));
        }
        scene(args, job, location, &path)?
    } else {
        let panels = Panels { jobs: vec![job], gap: 0 };
        Sheet { panels, scheme: view.diagram_scheme(), location }.draw(args, content, &path)?
    };
    Ok((figures, path))
}

/// Renders and writes a scene in space.
fn scene(args: &Args, job: Job, location: Location, path: &Path) -> Result<Figures, Failure> {
    let start = Instant::now();
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut engine = engine_named(args.engine.as_deref().unwrap_or("auto"), threads, &job)?;
    let destination = Destination::open(path, args.force)?;
    let told = Location { engine: Some(engine.key().into()), ..location };
    let size = job.size();
    let output = Output::Whole(Whole { scheme: DiagramScheme::default(), location: &told });
    let stats = Export { job, output }.run(engine.as_mut(), destination, &cancelled_by_ctrl_c(), &|_| {})?;
    Ok(Figures {
        engine: engine.key(),
        describe: engine.describe(),
        compute: stats.compute,
        total: start.elapsed(),
        max_iterations: 0,
        size,
        stats,
    })
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
