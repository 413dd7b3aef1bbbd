//! A render: what is to be drawn with what, and the figures of doing it.

mod remote;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::app::export::{
    Channel, Destination, Estimate, Export, ExportError, Numbers, Output, Picture, about, render_bands,
};
use cardioid::cluster::{Axis, Part, PartError, Spec, write_part};
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
    /// A band of the picture's rows, to be assembled with the others: of colours, or of numbers.
    Part(Part, Option<Channel>),
    Numbers(Numbers),
}

impl Content {
    fn is_picture(self) -> bool {
        matches!(self, Self::Picture | Self::Part(_, None))
    }

    /// What is written of each sample where it is no colour.
    fn channel(self) -> Option<Channel> {
        match self {
            Self::Picture => None,
            Self::Part(_, channel) => channel,
            Self::Numbers(numbers) => Some(numbers.channel()),
        }
    }
}

/// What one engine made.
struct Drawn {
    stats: Stats,
    times: Vec<Duration>,
    max_iterations: u32,
}

/// Why an engine made nothing.
enum Stopped {
    /// Its device failed: another engine may do.
    Device(String),
    Failed(Failure),
}

impl From<ExportError> for Stopped {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Render(error) if error.of_device().is_some() => Self::Device(error.to_string()),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<PartError> for Stopped {
    fn from(error: PartError) -> Self {
        match error {
            PartError::Export(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
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
        self.palette()?;
        let job = self.job()?;
        self.estimate()?.check()?;
        let (mut engines, at) = self.engine(&job)?;
        let (at, drawn) = self.draw_by_any(&mut engines, at, &job, &cancelled_by_ctrl_c())?;
        Ok(Figures {
            engine: engines[at].key(),
            describe: engines[at].describe(),
            compute: median(drawn.times),
            total: start.elapsed(),
            max_iterations: drawn.max_iterations,
            size: self.size,
            stats: drawn.stats,
        })
    }

    /// Renders and writes the file with one engine, or where its device fails with one of the processor: which it was.
    fn draw_by_any(
        &self,
        engines: &mut [Box<dyn Engine>],
        mut at: usize,
        job: &Job,
        latest: &Latest,
    ) -> Result<(usize, Drawn), Failure> {
        let mut drawn = self.draw_by(engines, at, job, latest);
        if let Err(Stopped::Device(reason)) = &drawn
            && let Some(other) = self.in_place_of(engines, at, job)
        {
            say_who_took_over(engines[at].key(), engines[other].key(), reason);
            at = other;
            drawn = self.draw_by(engines, at, job, latest);
        }
        match drawn {
            Ok(drawn) => Ok((at, drawn)),
            Err(Stopped::Device(reason)) => Err(Failure::could_not(reason)),
            Err(Stopped::Failed(failure)) => Err(failure),
        }
    }

    /// Renders and writes the file with one engine.
    fn draw_by(
        &self,
        engines: &mut [Box<dyn Engine>],
        at: usize,
        job: &Job,
        latest: &Latest,
    ) -> Result<Drawn, Stopped> {
        let estimate = self.estimate().map_err(Stopped::Failed)?;
        let palette = self.palette().map_err(Stopped::Failed)?;
        let supersample = self.supersample();
        let mut job = Job { quality: self.quality(engines[at].as_ref()), ..job.clone() };
        let destination = Destination::open(&self.path, self.replace)?;
        let bar = Bar::new(estimate.samples, estimate.label());
        if self.location.max_iterations.is_none() {
            let cap = iterations::measured(engines, &job, latest, &bar).map_err(ExportError::Render)?;
            job = job.with_max_iterations(cap);
        }
        let max_iterations = job.max_iterations();
        let engine = engines[at].as_mut();
        let told = self.location.complete(&job, engine.key(), supersample);
        let picture = Picture { palette, coloring: self.location.coloring, supersample, location: &told };
        if estimate.is_large() && self.content.is_picture() {
            let time = about(estimate.time(&picture, &job, engine, latest)?);
            let (size, bytes) = (format!("{}x{}", self.size[0], self.size[1]), estimate.label());
            say(format_args!("cardioid: {size} pixels are {bytes}, and take about {time} with {}", engine.key()));
        }
        let output = match self.content {
            Content::Part(part, _) => {
                let spec = self.spec(&job, &told)?;
                let stats = write_part(&spec, part, engine, destination, latest, &|progress| bar.show(progress))?;
                return Ok(Drawn { stats, times: vec![stats.compute], max_iterations });
            }
            Content::Picture => Output::Picture(picture),
            Content::Numbers(numbers) => Output::Numbers(numbers),
        };
        let export = Export { job, output };
        let mut times = self.extra_runs(&export, engine, latest)?;
        let stats = export.run(engine, destination, latest, &|progress| bar.show(progress))?;
        times.push(stats.compute);
        Ok(Drawn { stats, times, max_iterations })
    }

    /// The engine of the processor that draws what a device could not; none for parts, whose engine is that of all
    /// others.
    fn in_place_of(&self, engines: &[Box<dyn Engine>], at: usize, job: &Job) -> Option<usize> {
        if matches!(self.content, Content::Part(..)) {
            return None;
        }
        let key = engine::choose(engines, job, false).ok()?.key;
        engines.iter().position(|engine| engine.key() == key).filter(|other| *other != at)
    }

    /// What is said to whoever draws a part of it.
    fn spec(&self, job: &Job, told: &Location) -> Result<Spec, PartError> {
        Ok(match self.content.channel() {
            Some(channel) => Spec::numbers(job, told, channel)?,
            None => Spec::of(job, told)?,
        })
    }

    fn supersample(&self) -> u32 {
        if self.content.is_picture() { self.location.supersample.unwrap_or(1) } else { 1 }
    }

    /// What is to be drawn: the whole picture, or a part of it.
    fn estimate(&self) -> Result<Estimate, Failure> {
        let size = match self.content {
            Content::Part(part, _) => {
                let tile = part.tile(self.size, Axis::Rows)?;
                [tile.width, tile.height]
            }
            Content::Picture | Content::Numbers(_) => self.size,
        };
        Ok(Estimate::of(size, self.supersample() * self.supersample()))
    }

    /// A warm-up and all runs but the last, which is the one that writes.
    fn extra_runs(
        &self,
        export: &Export,
        engine: &mut dyn Engine,
        latest: &Latest,
    ) -> Result<Vec<Duration>, ExportError> {
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
        let Some(channel) = self.content.channel() else { return Ok(picture) };
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

/// Tells that an engine, whose device failed, has another draw all of it.
pub fn say_who_took_over(failed: &str, key: &str, reason: &dyn std::fmt::Display) {
    say(format_args!("cardioid: {failed} gave up, {key} draws the whole picture in its place: {reason}"));
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
            "room": self.stats.room,
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
        let room =
            self.stats.room.map_or(String::new(), |n| format!("; the device had room for {n} samples at once alone"));
        let how = format!("{describe}{handed_over}{room}");
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

#[cfg(test)]
mod tests {
    use cardioid::engine::{Machine, Precision};
    use cardioid::render::{RenderError, Sink};

    use super::*;

    /// A device that has no room beyond the first band.
    struct Full;

    impl Engine for Full {
        fn key(&self) -> &'static str {
            "gpu"
        }

        fn about(&self) -> &'static str {
            "fails"
        }

        fn describe(&self) -> String {
            "f32".into()
        }

        fn precision(&self) -> Precision {
            Precision::F32
        }

        fn render(&mut self, _: &Job, _: &Latest, _: &dyn Sink) -> Result<Stats, RenderError> {
            Err(RenderError::NoRoom("no room for the samples".into()))
        }
    }

    #[test]
    fn a_processor_takes_over_from_a_device_that_fails() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location { size: Some([64, 48]), ..Location::open("home").unwrap() };
        let engines = || {
            let mut engines = engine::all(&Machine::without_gpu(2).unwrap());
            let at = engines.iter().position(|engine| engine.key() == "gpu").unwrap();
            engines[at] = Box::new(Full);
            (engines, at)
        };
        let draw = |plan: &Plan| {
            let (mut engines, at) = engines();
            let job = plan.job().unwrap();
            let drawn = plan.draw_by_any(&mut engines, at, &job, &Latest::forever());
            drawn.map(|(at, _)| engines[at].key())
        };
        let plan = Plan::picture(location, &folder.path().join("over.png"));
        assert_eq!(draw(&plan).unwrap(), "tiles");
        let plain = Plan { path: folder.path().join("plain.png"), ..plan };
        plain.draw().unwrap();
        let [over, whole] = ["over.png", "plain.png"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
        assert!(over == whole);
        // A part by another engine would not fit to the others.
        let path = folder.path().join("part.cdt");
        let part = Plan { content: Content::Part(Part::new(1, 2).unwrap(), None), path: path.clone(), ..plain };
        let failure = draw(&part).unwrap_err();
        assert!(
            failure.message.contains("no room") && failure.code == Failure::COULD_NOT && !path.exists(),
            "{failure:?}"
        );
    }
}
