//! `cardioid render --view bifurcation`: a bifurcation diagram, as a picture or as hits. What is said of one goes for
//! the panels of complex diagrams as well.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::app::export::{
    CountsFormat, Destination, DiagramOutput, Estimate, ExportError, Layer, Numbers, Panels, Progress, Work,
};
use cardioid::cluster::{Axis, Diagrams, PartError, RemotePicture, Spec, write_part};
use cardioid::color::DiagramScheme;
use cardioid::engine::Engine;
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::render::{Job, Latest, OrbitDensity, RenderError, Stats, Task, Tile, Viewport};

use super::whole::location_of;
use super::{Args, section};
use crate::cli::plan::{Content, DEFAULT_SIZE, Figures, cancelled_by_ctrl_c, engine_named, median, say_who_took_over};
use crate::cli::progress::{Bar, TileBar};
use crate::cli::values::Corners;
use crate::cli::{Failure, machine};

pub const KEY: &str = "bifurcation";
pub const DEFAULT_SAMPLES: u32 = 2000;
pub const DEFAULT_ORBITS: u32 = 64;

/// Diagrams to be drawn, and what their picture says of itself.
pub struct Sheet {
    pub panels: Panels,
    pub scheme: DiagramScheme,
    /// But for the engine.
    pub location: Location,
}

/// Renders and writes the file of what options ask for: the figures of it, and where it is.
pub fn draw(args: &Args) -> Result<(Figures, PathBuf), Failure> {
    refuse_options_of_sets(args)?;
    args.refuse_options_of_other_views()?;
    let (content, path) = args.content_and_path()?;
    Estimate::of(size(args), 1).check()?;
    let panels = if is_complex(args) { section::panels(args, content)? } else { panel(args)? };
    let scheme = args.scheme.as_deref().and_then(DiagramScheme::from_key).unwrap_or_default();
    let location = location_of(&panels.jobs, scheme);
    Ok((Sheet { panels, scheme, location }.draw(args, content, &path)?, path))
}

impl Sheet {
    /// Renders and writes the file: all of it, or a part.
    pub fn draw(mut self, args: &Args, content: Content, path: &Path) -> Result<Figures, Failure> {
        let start = Instant::now();
        let size = self.panels.size();
        let drawn = match content {
            Content::Part(part, _) => part.tile(size, Axis::Columns)?,
            Content::Picture | Content::Numbers(_) => Tile::whole(size),
        };
        let estimate = Estimate::of([drawn.width, drawn.height], 1);
        estimate.check()?;
        let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
        let named = |key: &str| engine_named(key, threads, &self.panels.jobs[0]);
        let mut engine = named(args.engine.as_deref().unwrap_or("auto"))?;
        self.location.engine = Some(engine.key().into());
        let destination = Destination::open(path, args.force)?;
        let latest = cancelled_by_ctrl_c();
        let bar = Bar::new(estimate.samples, estimate.label());
        let show = |progress| bar.show(progress);
        let mut describe = engine.describe();
        let mut times = Vec::new();
        let stats = match (content, args.cluster.remote()?) {
            (Content::Part(part, _), _) => {
                let spec = self.spec(engine.as_mut(), &latest)?;
                write_part(&spec, part, engine.as_mut(), destination, &latest, &show)?
            }
            (Content::Numbers(_), Some(_)) => return Err(args.cluster.not_for("a file of hits")),
            (Content::Picture, Some(remote)) => {
                let spec = self.spec(engine.as_mut(), &latest)?;
                let (bar, begin) = (TileBar::new(), Instant::now());
                let picture = RemotePicture { spec: &spec, side: args.tile, begin: args.begin() };
                remote.render(&picture, destination, &latest, &mut |progress| bar.show(progress))?;
                describe = format!("Dask at {}", remote.address);
                Stats { compute: begin.elapsed(), ..Stats::default() }
            }
            (_, None) => {
                times = extra_runs(&self.panels, args.repeat, engine.as_mut(), &latest)?;
                match self.save(content, engine.as_mut(), destination, &latest, &show) {
                    Err(ExportError::Render(error)) if error.of_device().is_some() => {
                        let other = named("auto")?;
                        say_who_took_over(engine.key(), other.key(), &error);
                        engine = other;
                        describe = engine.describe();
                        self.location.engine = Some(engine.key().into());
                        let destination = Destination::open(path, args.force)?;
                        self.save(content, engine.as_mut(), destination, &latest, &show)?
                    }
                    saved => saved?,
                }
            }
        };
        times.push(stats.compute);
        Ok(Figures {
            engine: engine.key(),
            describe,
            compute: median(times),
            total: start.elapsed(),
            max_iterations: 0,
            size,
            stats,
        })
    }

    /// What is said to whoever draws a part of it.
    fn spec(&self, engine: &mut dyn Engine, latest: &Latest) -> Result<Spec, Failure> {
        let tones = self.panels.tones(engine, latest).map_err(ExportError::Render)?;
        let diagrams = Diagrams { panels: self.panels.clone(), scheme: self.scheme, tones };
        Ok(Spec::diagrams(&diagrams, &self.location).map_err(PartError::from)?)
    }

    fn save(
        &self,
        content: Content,
        engine: &mut dyn Engine,
        destination: Destination,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Stats, ExportError> {
        let output = match content {
            Content::Numbers(Numbers::U32) => DiagramOutput::Hits(CountsFormat::U32),
            Content::Numbers(Numbers::Npy(_)) => DiagramOutput::Hits(CountsFormat::Npy),
            Content::Picture | Content::Part(..) => {
                DiagramOutput::Picture { scheme: self.scheme, location: &self.location }
            }
        };
        self.panels.save(output, engine, destination, latest, progress)
    }
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
