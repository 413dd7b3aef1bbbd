//! A render: what is to be drawn with what, and the figures of doing it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::app::export::{Destination, Estimate, Export, ExportError, Numbers, Output, Picture, render_bands};
use cardioid::color::Palette;
use cardioid::engine::{self, Engine, iterations};
use cardioid::math::shortened;
use cardioid::render::{Job, Latest, Newest, Quality, Shortcuts, Stats, Task};
use serde_json::json;

use super::progress::Bar;
use super::{Failure, machine, say};

/// Size of pictures whose location says none.
pub const DEFAULT_SIZE: [u32; 2] = [1920, 1080];

/// Repeated renders count once memory, caches and clock speeds have had this long to settle.
const WARM_UP: Duration = Duration::from_millis(100);

/// What the file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Picture,
    Numbers(Numbers),
}

/// All engines, and which of them is to draw.
type Chosen = (Vec<Box<dyn Engine>>, usize);

/// All that was asked for, defaults filled in.
pub struct Plan {
    pub location: Location,
    /// True where an option names the engine: that is an order; what a location says is a wish.
    pub engine_ordered: bool,
    pub size: [u32; 2],
    pub content: Content,
    pub path: PathBuf,
    pub replace: bool,
    pub shortcuts: Shortcuts,
    pub threads: usize,
    pub repeat: u32,
}

impl Plan {
    /// The picture of a location, as it would be without any option.
    pub fn picture(location: Location, path: &Path) -> Self {
        Self {
            size: location.size.unwrap_or(DEFAULT_SIZE),
            location,
            engine_ordered: false,
            content: Content::Picture,
            path: path.to_owned(),
            replace: false,
            shortcuts: Shortcuts::ALL,
            threads: machine::all_threads(),
            repeat: 1,
        }
    }

    /// Renders and writes the file.
    pub fn draw(&self) -> Result<Figures, Failure> {
        let start = Instant::now();
        // What can be refused is refused before any work.
        let palette = self.palette()?;
        let job = self.job()?;
        let supersample = if self.content == Content::Picture { self.location.supersample.unwrap_or(1) } else { 1 };
        let estimate = Estimate::of(self.size, supersample * supersample);
        estimate.check()?;
        let (mut engines, at) = self.engine(&job)?;
        let mut job = Job { quality: self.quality(engines[at].as_ref()), ..job };
        let destination = Destination::open(&self.path, self.replace)?;
        let latest = cancelled_by_ctrl_c();
        let bar = Bar::new(estimate.samples, estimate.label());
        if self.location.max_iterations.is_none() {
            let cap = iterations::measured(&mut engines, &job, &latest, &bar).map_err(ExportError::Render)?;
            job = job.with_max_iterations(cap);
        }
        let engine = &mut engines[at];
        let told = self.location.complete(&job, engine.key(), supersample);
        let output = match self.content {
            Content::Picture => {
                let coloring = self.location.coloring;
                Output::Picture(Picture { palette, coloring, supersample, location: &told })
            }
            Content::Numbers(numbers) => Output::Numbers(numbers),
        };
        let export = Export { job, output };
        let mut times = self.extra_runs(&export, engine.as_mut(), &latest)?;
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
        let mut run = || {
            engine.forget();
            render_bands(engine, &export.job, export.samples_of_a_pixel(), latest, &|_| {}, &mut |_| Ok(()))
        };
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            run()?;
        }
        let times = (1..self.repeat).map(|_| run().map(|stats| stats.compute)).collect::<Result<_, _>>()?;
        engine.forget();
        Ok(times)
    }

    fn palette(&self) -> Result<&'static Palette, Failure> {
        let key = self.location.palette.as_deref().unwrap_or(Palette::DEFAULT);
        Palette::named(key).ok_or_else(|| {
            let keys: Vec<_> = Palette::all().iter().map(Palette::key).collect();
            Failure::asked_wrongly(format_args!(
                "there is no palette {:?}; choose one of: {}",
                shortened(key),
                keys.join(", ")
            ))
        })
    }

    fn job(&self) -> Result<Job, Failure> {
        let picture = Job { shortcuts: self.shortcuts, ..self.location.job(self.size)? };
        let Content::Numbers(numbers) = self.content else { return Ok(picture) };
        let channel = numbers.channel();
        let task = Task::EscapeTime(self.location.task(channel.usual_bailout()));
        Ok(Job { task, channels: channel.needs(), ..picture })
    }

    /// All engines, and which of them was named, or is the one that `auto` takes among the CPU's.
    fn engine(&self, job: &Job) -> Result<Chosen, Failure> {
        let asked = self.location.engine.as_deref().unwrap_or("auto");
        let named = engines_with(asked, self.threads, job).and_then(|engines| self.exact_enough(engines));
        match named {
            Err(Failure { message, .. }) if asked != "auto" && !self.engine_ordered => {
                say(format_args!("cardioid: the location's engine will not do here, auto takes its place: {message}"));
                engines_with("auto", self.threads, job)
            }
            engines => engines,
        }
    }

    /// Refuses an engine of f32 where exact samples are asked for in so many words.
    fn exact_enough(&self, (engines, at): Chosen) -> Result<Chosen, Failure> {
        if engines[at].precision().is_single() && self.location.quality == Some(Quality::Exact) {
            return Err(Failure::asked_wrongly(format_args!(
                "{} computes in f32, and exact is f64 or better; say --quality draft, or choose a CPU engine",
                engines[at].key()
            )));
        }
        Ok((engines, at))
    }

    /// What was asked for; where nothing was, what the engine can.
    fn quality(&self, engine: &dyn Engine) -> Quality {
        let usual = if engine.precision().is_single() { Quality::Draft } else { Quality::Exact };
        self.location.quality.unwrap_or(usual)
    }
}

/// The engine that was named, or the one that `auto` takes among the CPU's.
pub fn engine_named(asked: &str, threads: usize, job: &Job) -> Result<Box<dyn Engine>, Failure> {
    let (mut engines, at) = engines_with(asked, threads, job)?;
    Ok(engines.swap_remove(at))
}

/// All engines, and the place of the one that was named, or that `auto` takes among the CPU's.
fn engines_with(asked: &str, threads: usize, job: &Job) -> Result<Chosen, Failure> {
    let engines = engine::all(&machine::machine(threads, asked.starts_with("gpu"))?);
    let key = match asked {
        "auto" => engine::choose(&engines, job, false).map_err(Failure::could_not)?.key,
        key => key,
    };
    let Some(at) = engines.iter().position(|engine| engine.key() == key) else {
        let keys: Vec<_> = engines.iter().map(|engine| engine.key()).collect();
        let keys = keys.join(", ");
        return Err(Failure::asked_wrongly(format_args!(
            "there is no engine {:?}; choose one of: {keys}, auto",
            shortened(asked)
        )));
    };
    engines[at].supports(job).map_err(Failure::could_not)?;
    Ok((engines, at))
}

/// What a render is told of.
pub struct Figures {
    pub engine: &'static str,
    pub describe: String,
    pub compute: Duration,
    pub total: Duration,
    /// 0 where there is no cap.
    pub max_iterations: u32,
    pub size: [u32; 2],
    pub stats: Stats,
}

impl Figures {
    pub fn json(&self) -> serde_json::Value {
        json!({
            "engine": self.engine,
            "threads": self.stats.threads,
            "compute_seconds": self.compute.as_secs_f64(),
            "total_seconds": self.total.as_secs_f64(),
            "max_iterations": self.max_iterations,
            "steps": self.stats.steps,
            "steps_done": self.stats.steps_done,
            "reference_seconds": self.stats.phases.reference.as_secs_f64(),
            "table_seconds": self.stats.phases.table.as_secs_f64(),
            "pixels_seconds": self.stats.phases.pixels.as_secs_f64(),
            "handed_over": self.stats.handed_over,
            "width": self.size[0],
            "height": self.size[1],
        })
    }

    /// The last line of stderr; programs look for `seconds=` in it.
    pub fn line(&self, path: &Path) -> String {
        let [width, height] = self.size;
        let (engine, describe, seconds) = (self.engine, &self.describe, self.compute.as_secs_f64());
        let phases = self.stats.phases.millis().map(|phases| {
            let phases = phases.map(|(name, millis)| format!("{name} {millis:.1} ms"));
            format!("{}; ", phases.join(", "))
        });
        let phases = phases.unwrap_or_default();
        let handed_over = self.stats.handed_over.map_or(String::new(), |reason| format!("; {reason}"));
        let how = format!("{describe}{handed_over}");
        format!("{width}x{height} by {engine} ({how}): {phases}seconds={seconds:.6} file={}", path.display())
    }
}

/// The middle one; the mean of the middle two where their number is even.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2
}

/// A mark that Ctrl+C makes stale: the work stops, and temporary files go.
pub fn cancelled_by_ctrl_c() -> Latest {
    let newest = Newest::default();
    let latest = newest.next();
    // Without a handler Ctrl+C ends the program as it always does: the worst is a leftover `.part`.
    let _ = ctrlc::set_handler(move || newest.cancel());
    latest
}
