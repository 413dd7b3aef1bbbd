//! `cardioid render --view bifurcation`: a bifurcation diagram, as a picture or as hits. What is said of one goes for
//! the panels of complex diagrams as well.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cardioid::app::export::{Destination, DiagramOutput, Estimate, ExportError, FileKind, Layer, Panels, Work};
use cardioid::color::DiagramScheme;
use cardioid::engine::Engine;
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::render::{Job, Latest, OrbitDensity, RenderError, Task, Tile, Viewport};

use super::whole::location_of;
use super::{Args, section};
use crate::cli::plan::{DEFAULT_SIZE, Figures, cancelled_by_ctrl_c, engine_named, median};
use crate::cli::progress::Bar;
use crate::cli::values::Corners;
use crate::cli::{Failure, machine};

pub const KEY: &str = "bifurcation";
pub const DEFAULT_SAMPLES: u32 = 2000;
pub const DEFAULT_ORBITS: u32 = 64;

/// Renders and writes the file: the figures of it, and where it is.
pub fn draw(args: &Args) -> Result<(Figures, PathBuf), Failure> {
    let start = Instant::now();
    refuse_options_of_sets(args)?;
    args.refuse_options_of_other_views()?;
    let (kind, path) = FileKind::of(&args.out)?;
    let panels = panels(args, kind)?;
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut engine = engine_named(args.engine.as_deref().unwrap_or("auto"), threads, &panels.jobs[0])?;
    let destination = Destination::open(&path, args.force)?;
    let latest = cancelled_by_ctrl_c();
    let scheme = scheme(args);
    let location = location_of(&panels.jobs, scheme);
    let output = match kind {
        FileKind::Picture => DiagramOutput::Picture { scheme, location: &location },
        FileKind::Counts(format) => DiagramOutput::Hits(format),
    };
    let mut times = extra_runs(&panels, args.repeat, engine.as_mut(), &latest)?;
    let estimate = Estimate::of(panels.size(), 1);
    let bar = Bar::new(estimate.samples, estimate.label());
    let stats = panels.save(output, engine.as_mut(), destination, &latest, &|progress| bar.show(progress))?;
    drop(bar);
    times.push(stats.compute);
    let figures = Figures {
        engine: engine.key(),
        describe: engine.describe(),
        compute: median(times),
        total: start.elapsed(),
        max_iterations: 0,
        size: panels.size(),
        stats,
    };
    Ok((figures, path))
}

/// A warm-up and all runs but the last, which is the one that writes.
fn extra_runs(
    panels: &Panels,
    repeat: u32,
    engine: &mut dyn Engine,
    latest: &Latest,
) -> Result<Vec<Duration>, ExportError> {
    let failed = |source| ExportError::Write { path: "(nowhere)".into(), source };
    let work = Work { latest, progress: &|_| {}, folder: &std::env::temp_dir(), failed: &failed };
    let mut run = || {
        let whole = Tile::whole(panels.size());
        panels.write(whole, Layer::Hits, engine, &mut io::sink(), &work).map(|stats| stats.compute)
    };
    let mut times = (0..if repeat > 1 { repeat } else { 0 }).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    // The first of several runs warms up.
    Ok(if times.is_empty() { times } else { times.split_off(1) })
}

/// What is to be drawn, and how the panels lie.
fn panels(args: &Args, kind: FileKind) -> Result<Panels, Failure> {
    Estimate::of(size(args), 1).check()?;
    if is_complex(args) { section::panels(args, kind) } else { panel(args) }
}

fn scheme(args: &Args) -> DiagramScheme {
    args.scheme.as_deref().and_then(DiagramScheme::from_key).unwrap_or_default()
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
    Ok(Panels { jobs: vec![job(args, task, &corners, size(args))?], gap: 0 })
}

/// Size of the file's picture.
pub fn size(args: &Args) -> [u32; 2] {
    args.size.unwrap_or(DEFAULT_SIZE)
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
