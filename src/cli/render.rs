//! `cardioid render`: a picture or counts, without a window.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::app::export::{Destination, Estimate, Export, FileKind, Output, Picture, render_bands};
use cardioid::app::location::Frame;
use cardioid::color::{Curve, Palette};
use cardioid::engine::{self, Engine};
use cardioid::math::{BigComplex, Decimal};
use cardioid::render::{Channels, Job, Latest, Newest, Quality, Shortcuts, Stats, Task};
use serde_json::json;

use super::progress::Bar;
use super::values::{self, Corners};
use super::{Failure, machine, print, say};

const DEFAULT_SIZE: [u32; 2] = [1920, 1080];
const MOST_THREADS: u32 = 1024;
const MOST_REPEATS: u32 = 1000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
FILE ends in .png (a picture), .npy (iteration counts for NumPy) or .u32 (the same, raw).
A count is the least n with |z_n| > bailout, where z_1 = c; .npy holds 0 where there is none up to the cap,
.u32 holds the cap. Numbers of the place may have any number of digits.")]
pub struct Args {
    /// A location file (.toml), a PNG that Cardioid wrote, a named place, or a point like -0.75+0.1i
    #[arg(default_value = "home")]
    location: String,
    /// File to write: .png, .npy or .u32
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Centre of the view [default: the location's; -0.75,0 at home]
    #[arg(long, value_name = "RE,IM", value_parser = values::point, allow_hyphen_values = true)]
    center: Option<BigComplex>,
    /// Height of the view in plane units [default: the location's; 2.5 at home]
    #[arg(long, value_name = "H", value_parser = values::height, allow_hyphen_values = true)]
    height: Option<Decimal>,
    /// The view as a box, grown until pixels are square
    #[arg(long = "box", value_name = "XMIN,XMAX,YMIN,YMAX", value_parser = values::corners,
        allow_hyphen_values = true, conflicts_with_all = ["center", "height"])]
    corners: Option<Corners>,
    /// Map the box exactly, each axis at its own scale
    #[arg(long, requires = "corners")]
    stretch: bool,
    /// Turn the view, degrees anticlockwise
    #[arg(long, value_name = "DEGREES", value_parser = |text: &str| values::number(text, -1e6, 1e6),
        allow_hyphen_values = true)]
    rotation: Option<f64>,
    /// Size in pixels [default: the location's, or 1920x1080]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    size: Option<[u32; 2]>,
    /// Cap on iterations [default: the location's, or 1000]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ i32::MAX as u32 }>, allow_hyphen_values = true)]
    max_iterations: Option<u32>,
    /// Bailout radius, 2 or more [default: the location's; 1000 for pictures, 2 for counts]
    #[arg(long, value_name = "R", value_parser = values::bailout, allow_hyphen_values = true)]
    bailout: Option<f64>,
    /// Engine, see `cardioid engines`; auto takes a CPU engine, so that files do not depend on the GPU
    #[arg(long, value_name = "KEY")]
    engine: Option<String>,
    /// exact is f64 or better; draft may trade accuracy for speed
    #[arg(long, value_name = "QUALITY", value_parser = ["draft", "exact"])]
    quality: Option<String>,
    /// Ways of not iterating; none of them changes a count: all, none, or some of bulbs,cycles,symmetry
    #[arg(long, value_name = "LIST", default_value = "all", value_parser = shortcuts)]
    shortcuts: Shortcuts,
    /// Palette by name [default: the location's, or night-gold]
    #[arg(long, value_name = "NAME")]
    palette: Option<String>,
    /// How counts run through the palette: root, log or linear
    #[arg(long, value_name = "CURVE", value_parser = ["root", "log", "linear"])]
    curve: Option<String>,
    /// How fast colours change, 1 being usual
    #[arg(long, value_name = "X", value_parser = |text: &str| values::number(text, 0.0, 1e4), allow_hyphen_values = true)]
    density: Option<f64>,
    /// Where the palette begins, in turns
    #[arg(long, value_name = "X", value_parser = |text: &str| values::number(text, -1e4, 1e4), allow_hyphen_values = true)]
    offset: Option<f64>,
    /// N×N samples a pixel, averaged in linear light
    #[arg(long, value_name = "N", value_parser = values::whole::<{ Location::MOST_SUPERSAMPLE }>, allow_hyphen_values = true)]
    supersample: Option<u32>,
    /// Threads to compute with [default: all]
    #[arg(long, value_name = "N", value_parser = values::whole::<MOST_THREADS>, allow_hyphen_values = true)]
    threads: Option<u32>,
    /// Render N times after a warm-up, and report the median time
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::whole::<MOST_REPEATS>, allow_hyphen_values = true)]
    repeat: u32,
    /// Replace FILE where it is there already
    #[arg(long)]
    force: bool,
    /// Print figures as JSON on stdout
    #[arg(long)]
    json: bool,
}

fn shortcuts(text: &str) -> Result<Shortcuts, String> {
    let mut chosen = match text {
        "all" => return Ok(Shortcuts::ALL),
        "none" => return Ok(Shortcuts::NONE),
        _ => Shortcuts::NONE,
    };
    for name in text.split(',').map(str::trim) {
        match name {
            "bulbs" => chosen.bulbs = true,
            "cycles" => chosen.cycles = true,
            "symmetry" => chosen.symmetry = true,
            _ => return Err(format!("{name:?} is no shortcut; say all, none, or some of bulbs,cycles,symmetry")),
        }
    }
    Ok(chosen)
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let plan = Plan::from_args(args)?;
    let figures = plan.draw()?;
    if args.json {
        print(figures.json())?;
    }
    say(figures.line(&plan.path));
    Ok(())
}

/// All that was asked for, defaults filled in.
pub struct Plan {
    location: Location,
    /// True where an option names the engine: that is an order; what a location says is a wish.
    engine_ordered: bool,
    size: [u32; 2],
    kind: FileKind,
    path: PathBuf,
    replace: bool,
    shortcuts: Shortcuts,
    threads: usize,
    repeat: u32,
}

impl Plan {
    /// The picture of a location, as it would be without any option.
    pub fn picture(location: Location, path: &Path) -> Self {
        Self {
            size: location.size.unwrap_or(DEFAULT_SIZE),
            location,
            engine_ordered: false,
            kind: FileKind::Picture,
            path: path.to_owned(),
            replace: false,
            shortcuts: Shortcuts::ALL,
            threads: machine::all_threads(),
            repeat: 1,
        }
    }

    fn from_args(args: &Args) -> Result<Self, Failure> {
        let (kind, path) = FileKind::of(&args.out)?;
        if kind != FileKind::Picture && args.supersample.is_some_and(|n| n > 1) {
            return Err(Failure::asked_wrongly("counts are not averaged; leave --supersample out, or write a .png"));
        }
        let opened = Location::open(&args.location)?;
        opened.warnings().iter().for_each(|warning| say(format_args!("cardioid: {warning}")));
        let size = args.size.or(opened.size).unwrap_or(DEFAULT_SIZE);
        Ok(Self {
            location: args.applied_to(opened, size)?,
            engine_ordered: args.engine.is_some(),
            size,
            kind,
            path,
            replace: args.force,
            shortcuts: args.shortcuts,
            threads: args.threads.map_or_else(machine::all_threads, |n| n as usize),
            repeat: args.repeat,
        })
    }

    /// Renders and writes the file.
    pub fn draw(&self) -> Result<Figures, Failure> {
        let start = Instant::now();
        // What can be refused is refused before any work.
        let palette = self.palette()?;
        let job = self.job()?;
        let supersample = if self.kind == FileKind::Picture { self.location.supersample.unwrap_or(1) } else { 1 };
        let estimate = Estimate::of(self.size, supersample);
        estimate.check()?;
        let mut engine = self.engine(&job)?;
        let destination = Destination::open(&self.path, self.replace)?;
        let told = self.told(&job, engine.key(), supersample);
        let output = match self.kind {
            FileKind::Picture => {
                let coloring = self.location.coloring;
                Output::Picture(Picture { palette, coloring, supersample, location: &told })
            }
            FileKind::Counts(format) => Output::Counts(format),
        };
        let export = Export { job, output };
        let latest = cancelled_by_ctrl_c();
        let mut times = self.extra_runs(&export, engine.as_mut(), &latest)?;
        let bar = Bar::new(&estimate);
        let stats = export.run(engine.as_mut(), destination, &latest, &|progress| bar.show(progress))?;
        drop(bar);
        times.push(stats.compute);
        Ok(Figures {
            engine: engine.key(),
            describe: engine.describe(),
            compute: median(times),
            total: start.elapsed(),
            max_iterations: export.job.max_iterations(),
            size: self.size,
            stats,
        })
    }

    /// A warm-up and all runs but the last, which is the one that writes.
    fn extra_runs(&self, export: &Export, engine: &mut dyn Engine, latest: &Latest) -> Result<Vec<Duration>, Failure> {
        if self.repeat == 1 {
            return Ok(Vec::new());
        }
        let job = export.sampled_job()?;
        let mut run = || render_bands(engine, &job, export.supersample(), latest, &|_| {}, &mut |_| Ok(()));
        run()?;
        Ok((1..self.repeat).map(|_| run().map(|stats| stats.compute)).collect::<Result<_, _>>()?)
    }

    fn palette(&self) -> Result<&'static Palette, Failure> {
        let key = self.location.palette.as_deref().unwrap_or(Palette::DEFAULT);
        Palette::named(key).ok_or_else(|| {
            let keys: Vec<_> = Palette::all().iter().map(Palette::key).collect();
            Failure::asked_wrongly(format_args!("there is no palette {key:?}; choose one of: {}", keys.join(", ")))
        })
    }

    fn job(&self) -> Result<Job, Failure> {
        let picture = self.kind == FileKind::Picture;
        let bailout = if picture { Location::PICTURE_BAILOUT } else { Location::COUNT_BAILOUT };
        Ok(Job {
            task: Task::EscapeTime(self.location.task(bailout)),
            channels: Channels { smooth: picture },
            shortcuts: self.shortcuts,
            ..self.location.job(self.size)?
        })
    }

    /// The engine that was named, or the one that `auto` takes among the CPU's.
    fn engine(&self, job: &Job) -> Result<Box<dyn Engine>, Failure> {
        let asked = self.location.engine.as_deref().unwrap_or("auto");
        match self.engine_named(asked, job) {
            Err(Failure { message, .. }) if asked != "auto" && !self.engine_ordered => {
                say(format_args!("cardioid: the location's engine will not do here, auto takes its place: {message}"));
                self.engine_named("auto", job)
            }
            engine => engine,
        }
    }

    fn engine_named(&self, asked: &str, job: &Job) -> Result<Box<dyn Engine>, Failure> {
        let mut engines = engine::all(&machine::machine(self.threads, asked.starts_with("gpu"))?);
        let key = match asked {
            "auto" => engine::choose(&engines, job, false).map_err(Failure::could_not)?.key,
            key => key,
        };
        let Some(at) = engines.iter().position(|engine| engine.key() == key) else {
            let keys: Vec<_> = engines.iter().map(|engine| engine.key()).collect();
            let keys = keys.join(", ");
            return Err(Failure::asked_wrongly(format_args!(
                "there is no engine {asked:?}; choose one of: {keys}, auto"
            )));
        };
        let engine = engines.swap_remove(at);
        engine.supports(job).map_err(Failure::could_not)?;
        Ok(engine)
    }

    /// The location with nothing left to a default: what the picture says of itself.
    fn told(&self, job: &Job, engine: &str, supersample: u32) -> Location {
        let Task::EscapeTime(task) = &job.task;
        Location {
            size: Some(self.size),
            max_iterations: Some(task.max_iterations),
            bailout: Some(task.bailout),
            engine: Some(engine.into()),
            quality: Some(job.quality),
            supersample: Some(supersample),
            palette: Some(self.location.palette.clone().unwrap_or_else(|| Palette::DEFAULT.into())),
            ..self.location.clone()
        }
    }
}

impl Args {
    /// The location with what the options say instead.
    fn applied_to(&self, opened: Location, size: [u32; 2]) -> Result<Location, Failure> {
        let mut location = opened;
        if let Some(frame) = self.frame(&location, size)? {
            // Another place has another name.
            location = Location { frame, name: None, about: None, ..location };
        }
        let coloring = &mut location.coloring;
        coloring.curve = self.curve.as_deref().and_then(Curve::from_key).unwrap_or(coloring.curve);
        coloring.density = self.density.map_or(coloring.density, |d| d as f32);
        coloring.offset = self.offset.map_or(coloring.offset, |o| o as f32);
        let quality = self.quality.as_deref().map(|key| if key == "draft" { Quality::Draft } else { Quality::Exact });
        Ok(Location {
            rotation: self.rotation.unwrap_or(location.rotation),
            max_iterations: self.max_iterations.or(location.max_iterations),
            bailout: self.bailout.or(location.bailout),
            engine: self.engine.clone().or(location.engine),
            quality: quality.or(location.quality),
            supersample: self.supersample.or(location.supersample),
            palette: self.palette.clone().or(location.palette),
            ..location
        })
    }

    /// The frame that the options ask for; what they leave out is the location's.
    fn frame(&self, location: &Location, size: [u32; 2]) -> Result<Option<Frame>, Failure> {
        if let Some(Corners { low, high }) = self.corners.clone() {
            return Ok(Some(Frame::Box { low, high, stretch: self.stretch }));
        }
        if self.center.is_none() && self.height.is_none() {
            return Ok(None);
        }
        let shown = location.viewport(size)?;
        let center = self.center.clone().unwrap_or_else(|| shown.center().clone());
        let height = self.height.clone().unwrap_or_else(|| shown.height().clone());
        Ok(Some(Frame::Height { center, height }))
    }
}

/// What a render is told of.
pub struct Figures {
    engine: &'static str,
    describe: String,
    compute: Duration,
    total: Duration,
    max_iterations: u32,
    size: [u32; 2],
    stats: Stats,
}

impl Figures {
    fn json(&self) -> serde_json::Value {
        json!({
            "engine": self.engine,
            "threads": self.stats.threads,
            "compute_seconds": self.compute.as_secs_f64(),
            "total_seconds": self.total.as_secs_f64(),
            "max_iterations": self.max_iterations,
            "steps": self.stats.steps,
            "steps_done": self.stats.steps_done,
            "width": self.size[0],
            "height": self.size[1],
        })
    }

    /// The last line of stderr; programs look for `seconds=` in it.
    fn line(&self, path: &Path) -> String {
        let [width, height] = self.size;
        let (engine, describe, seconds) = (self.engine, &self.describe, self.compute.as_secs_f64());
        format!("{width}x{height} by {engine} ({describe}): seconds={seconds:.6} file={}", path.display())
    }
}

/// The middle one; the mean of the middle two where their number is even.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2
}

/// A mark that Ctrl+C makes stale: the render stops, and the temporary file goes.
fn cancelled_by_ctrl_c() -> Latest {
    let newest = Newest::default();
    let latest = newest.next();
    // Without a handler Ctrl+C ends the program as it always does: the worst is a leftover `.part`.
    let _ = ctrlc::set_handler(move || newest.cancel());
    latest
}
