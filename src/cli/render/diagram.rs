//! `cardioid render --view bifurcation`: a bifurcation diagram, as a picture or as hits. What is said of one goes for
//! the panels of complex diagrams as well.

use std::path::PathBuf;
use std::time::Instant;

use cardioid::app::export::{Destination, FileKind, MOST_DIAGRAM_PIXELS, diagram_counts, diagram_picture};
use cardioid::color::DiagramScheme;
use cardioid::engine::Engine;
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::render::{Diagram, DiagramSink, Job, Latest, OrbitDensity, RenderError, Stats, Task, Viewport};

use super::whole::location_of;
use super::{Args, section};
use crate::cli::plan::{DEFAULT_SIZE, Figures, cancelled_by_ctrl_c, engine_named, median};
use crate::cli::values::Corners;
use crate::cli::{Failure, machine};

pub const KEY: &str = "bifurcation";
pub const DEFAULT_SAMPLES: u32 = 2000;
pub const DEFAULT_ORBITS: u32 = 64;

/// Diagrams to be drawn above each other, so many rows apart.
pub struct Panels {
    pub jobs: Vec<Job>,
    pub gap: u32,
}

/// Renders and writes the file: the figures of it, and where it is.
pub fn draw(args: &Args) -> Result<(Figures, PathBuf), Failure> {
    let start = Instant::now();
    refuse_options_of_sets(args)?;
    args.refuse_options_of_other_views()?;
    let (kind, path) = FileKind::of(&args.out)?;
    let Panels { jobs, gap } = if is_complex(args) { section::panels(args, kind)? } else { panel(args)? };
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut engine = engine_named(args.engine.as_deref().unwrap_or("auto"), threads, &jobs[0])?;
    let destination = Destination::open(&path, args.force)?;
    let latest = cancelled_by_ctrl_c();
    let runs = if args.repeat > 1 { args.repeat + 1 } else { 1 };
    let (mut times, mut last) = (Vec::new(), None);
    for _ in 0..runs {
        let (stats, diagrams) = render(engine.as_mut(), &jobs, &latest)?;
        times.push(stats.compute);
        last = Some((stats, diagrams));
    }
    let (stats, diagrams) = last.expect("there is one run at least");
    // The first of several runs warms up.
    let times = if times.len() > 1 { times.split_off(1) } else { times };
    let bytes = match kind {
        FileKind::Picture => {
            let scheme = args.scheme.as_deref().and_then(DiagramScheme::from_key).unwrap_or_default();
            let location = location_of(&jobs, scheme).to_toml();
            diagram_picture(&diagrams, gap, scheme, Some(&location)).map_err(Failure::could_not)?
        }
        FileKind::Counts(format) => diagram_counts(&diagrams, format),
    };
    destination.write(&bytes)?;
    let figures = Figures {
        engine: engine.key(),
        describe: engine.describe(),
        compute: median(times),
        total: start.elapsed(),
        max_iterations: 0,
        size: size(args)?,
        stats,
    };
    Ok((figures, path))
}

/// The diagrams of all jobs, and the figures of them together.
fn render(engine: &mut dyn Engine, jobs: &[Job], latest: &Latest) -> Result<(Stats, Vec<Diagram>), Failure> {
    let mut all = Stats::default();
    let mut diagrams = Vec::with_capacity(jobs.len());
    for job in jobs {
        let sink = DiagramSink::new(job);
        let stats = engine.render(job, latest, &sink).map_err(failed)?;
        diagrams.push(sink.into_diagram());
        all = all.and(stats);
    }
    Ok((all, diagrams))
}

pub fn failed(error: RenderError) -> Failure {
    match error {
        RenderError::Cancelled => Failure::could_not("interrupted; no file was written"),
        error => Failure::could_not(error),
    }
}

fn refuse_options_of_sets(args: &Args) -> Result<(), Failure> {
    // A diagram has a box, which is always stretched.
    let is_refused = |(option, _): &(&str, bool)| !["--box", "--stretch"].contains(option);
    let location = ("a location", args.location != "home");
    let mut given = std::iter::once(location).chain(args.options_of_sets().into_iter().filter(is_refused));
    match given.find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let own = if is_complex(args) { "--section, --ordinate, --skip, --no-fan" } else { "--map" };
            Err(Failure::asked_wrongly(format_args!(
                "{option} means nothing to a bifurcation diagram; it takes --box, --size, --samples, --orbits, --scheme \
                 and {own}"
            )))
        }
    }
}

fn is_complex(args: &Args) -> bool {
    args.view.as_deref() == Some(section::KEY)
}

/// The only panel of a real diagram.
fn panel(args: &Args) -> Result<Panels, Failure> {
    let map = args.map.as_deref().and_then(MapId::from_key).unwrap_or(MapId::Quadratic);
    let task = Task::OrbitDensity(OrbitDensity {
        map,
        orbits: 0..orbits(args),
        kept: kept(args)?,
        effort: if args.quality.as_deref() == Some("draft") { Effort::MOVING } else { Effort::STILL },
    });
    let corners = args.corners.clone().unwrap_or_else(|| Corners::of(&map.home()));
    Ok(Panels { jobs: vec![job(args, task, &corners, size(args)?)?], gap: 0 })
}

/// Size of the file's picture.
pub fn size(args: &Args) -> Result<[u32; 2], Failure> {
    let size = args.size.unwrap_or(DEFAULT_SIZE);
    let [width, height] = size.map(u64::from);
    if width * height > MOST_DIAGRAM_PIXELS {
        return Err(Failure::asked_wrongly(format_args!(
            "a diagram of {width}x{height} pixels is too large; choose a size of at most {MOST_DIAGRAM_PIXELS} pixels"
        )));
    }
    Ok(size)
}

pub fn orbits(args: &Args) -> u32 {
    args.orbits.unwrap_or(DEFAULT_ORBITS)
}

/// Points of each orbit.
pub fn kept(args: &Args) -> Result<u32, Failure> {
    let kept = args.samples.unwrap_or(DEFAULT_SAMPLES);
    if kept > OrbitDensity::MOST_KEPT {
        return Err(Failure::asked_wrongly(format_args!(
            "{kept} points of each orbit are too many; choose --samples of at most {}",
            OrbitDensity::MOST_KEPT
        )));
    }
    Ok(kept)
}

pub fn job(args: &Args, task: Task, corners: &Corners, size: [u32; 2]) -> Result<Job, Failure> {
    let viewport = Viewport::from_box(&corners.low, &corners.high, size)?;
    Ok(Job { shortcuts: args.shortcuts, ..Job::new(viewport, task) })
}
