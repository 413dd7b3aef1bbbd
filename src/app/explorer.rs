//! The explorer at work: the state, what is being drawn for it, and the timings that come of it.
//!
//! Once a frame the window lets time pass ([`State::tick`]), applies commands, calls [`Explorer::frame`] and paints what [`Explorer::film`] holds;
//! tests do the same without a window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::command::{Effect, EngineChoice};
use super::compare::Comparison;
use super::film::Film;
use super::inspector::Inspector;
use super::pass::{Pass, Wake};
use super::saver::Saver;
use super::scheduler::{Engines, Event, Scheduler};
use super::state::State;
use super::timings::{Timing, Timings};
use crate::engine::{Engine, Machine, Precision, all, caution};
use crate::render::{Job, Lattice, Stats, Task};

/// A job that is still without its first pass after this long gives way to a newer view.
const PATIENCE: Duration = Duration::from_millis(60);

/// State, drawing and timings.
pub struct Explorer {
    pub state: State,
    pub timings: Timings,
    pub status: Status,
    pub comparison: Option<Comparison>,
    /// Engine at work and share done, while a comparison runs.
    pub comparing: Option<(&'static str, f32)>,
    engines: Vec<EngineInfo>,
    scheduler: Scheduler,
    saver: Saver,
    inspector: Inspector,
    film: Film,
    asked: Option<Asked>,
    compared_job: Option<Job>,
    finished: Option<Arc<Pass>>,
}

/// An engine as people see it.
#[derive(Clone, Debug)]
pub struct EngineInfo {
    pub key: &'static str,
    pub about: &'static str,
    pub describe: String,
    pub precision: Precision,
    /// Why it cannot do the present view.
    pub absent: Option<String>,
}

/// How the present picture stands.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The engine at work, and why it was taken.
    pub engine: Option<(&'static str, &'static str)>,
    /// Why there is no picture.
    pub failure: Option<String>,
    /// What to know about the accuracy of the picture.
    pub caution: Option<String>,
    pub settled: bool,
    /// Figures of the settled picture.
    pub stats: Option<Stats>,
}

/// What the scheduler was last asked to draw.
struct Asked {
    request: u64,
    job: Job,
    choice: EngineChoice,
    redraws: u64,
    at: Instant,
    has_picture: bool,
}

impl Explorer {
    /// Starts the drawing thread at the home view.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(mut state: State, machine: &Machine, takes_device_fields: bool, wake: Wake) -> std::io::Result<Self> {
        let crew = Crew::start(machine, takes_device_fields, wake)?;
        state.engine_keys = crew.infos.iter().map(|e| e.key).collect();
        Ok(Self {
            state,
            timings: Timings::new(crew.infos.iter().map(|e| e.key)),
            status: Status::default(),
            comparison: None,
            comparing: None,
            engines: crew.infos,
            scheduler: crew.scheduler,
            saver: crew.saver,
            inspector: crew.inspector,
            film: Film::default(),
            asked: None,
            compared_job: None,
            finished: None,
        })
    }

    /// Goes on with the same state on another machine: the device was lost.
    ///
    /// # Errors
    /// As [`Explorer::start`].
    pub fn restart(&mut self, machine: &Machine, takes_device_fields: bool, wake: Wake) -> std::io::Result<()> {
        let crew = Crew::start(machine, takes_device_fields, wake)?;
        (self.engines, self.scheduler, self.saver) = (crew.infos, crew.scheduler, crew.saver);
        self.inspector = crew.inspector;
        (self.film, self.asked, self.finished) = (Film::default(), None, None);
        self.comparing = None;
        self.timings.forget();
        Ok(())
    }

    pub fn engines(&self) -> &[EngineInfo] {
        &self.engines
    }

    pub fn film(&self) -> &Film {
        &self.film
    }

    /// What is known of the point looked at.
    pub fn inspector(&self) -> &Inspector {
        &self.inspector
    }

    /// Share of the present pass that is done, while one is being drawn.
    pub fn progress(&self) -> Option<f32> {
        (!self.status.settled).then(|| self.film.newest().map(|pass| pass.progress())).flatten()
    }

    /// True where the picture still changes, or soon will.
    pub fn is_busy(&self) -> bool {
        self.state.is_moving() || (!self.status.settled && self.status.failure.is_none()) || self.comparing.is_some()
    }

    /// Share of the picture being saved that is done.
    pub fn saving(&self) -> Option<f32> {
        self.saver.progress()
    }

    /// Someone touches the machine: engines that are only being timed give way.
    pub fn give_way(&self) {
        self.scheduler.give_way();
    }

    /// Takes what was drawn, asks for what is wanted now. Gives what the window must do.
    pub fn frame(&mut self) -> Vec<Effect> {
        for event in self.scheduler.events().collect::<Vec<_>>() {
            self.hear(event);
        }
        if let Some(outcome) = self.saver.outcome() {
            self.saved(outcome);
        }
        let effects = self.state.take_effects().into_iter().filter_map(|e| self.handle(e)).collect();
        self.inspector.update(self.state.question());
        self.ask();
        effects
    }

    /// Does what needs no window; gives back the rest.
    fn handle(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Compare => {
                self.comparison = None;
                self.comparing = Some(("", 0.0));
                let job = self.state.job();
                self.compared_job = Some(job.clone());
                self.scheduler.compare(job);
                if !self.status.settled {
                    // The comparison took the thread from the picture: ask again afterwards.
                    self.asked = None;
                }
                None
            }
            Effect::CancelCompare => {
                self.comparison = None;
                if self.comparing.take().is_some() {
                    self.scheduler.cancel();
                }
                None
            }
            Effect::Export(request) => {
                if let Err(error) = self.saver.start(&self.state, &request) {
                    self.state.exporting = false;
                    self.state.complain(error.to_string());
                }
                None
            }
            Effect::CancelExport => {
                self.saver.cancel();
                None
            }
            other => Some(other),
        }
    }

    fn saved(&mut self, outcome: Result<std::path::PathBuf, super::export::ExportError>) {
        self.state.exporting = false;
        match outcome {
            Ok(path) => {
                self.state.export_shown = false;
                self.state.say(format!("saved {}", path.display()));
            }
            Err(error) if error.is_cancelled() => self.state.say("saving cancelled; no file was left"),
            Err(error) => self.state.complain(error.to_string()),
        }
    }

    /// Asks for the present view if it is not the one being drawn.
    fn ask(&mut self) {
        let job = self.state.job();
        if self.comparing.is_some() {
            if self.compared_job.as_ref().is_none_or(|compared| same_picture(compared, &job)) {
                return;
            }
            self.give_up_comparison();
        }
        let (choice, redraws) = (self.state.engine, self.state.redraws);
        if let Some(asked) = &self.asked {
            if same_picture(&asked.job, &job) && asked.choice == choice && asked.redraws == redraws {
                return;
            }
            // Moving on before anything was shown would starve the picture while the view moves.
            let under_way = !self.status.settled && self.status.failure.is_none();
            if !asked.has_picture && under_way && asked.at.elapsed() < PATIENCE {
                return;
            }
            let same_kind = same_kind(&asked.job, &job);
            if !same_kind {
                self.timings.forget();
            }
            if !same_kind || asked.redraws != redraws {
                self.film.clear();
                self.finished = None;
            }
        }
        self.film.move_on(self.finished.take());
        self.status = Status { caution: caution(&job), engine: self.status.engine, ..Status::default() };
        for engine in &mut self.engines {
            engine.absent = None;
        }
        let time_others = self.state.live_timings && self.state.overlay != super::OverlayMode::Off;
        let request = self.scheduler.draw(job.clone(), choice, time_others);
        self.asked = Some(Asked { request, job, choice, redraws, at: Instant::now(), has_picture: false });
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Started { request, pass, why } if self.is_current(request) => {
                self.status.engine = Some((pass.engine, why));
                self.film.begin(pass);
            }
            Event::Finished { request, pass, stats } if self.is_current(request) => self.finish(request, pass, stats),
            Event::Failed { request, engine, reason } if self.is_current(request) => match engine {
                "auto" => self.status.failure = Some(reason),
                _ => self.state.complain(format!("{engine}: {reason}")),
            },
            Event::Timed { request, engine, size, stats } if self.is_current(request) => {
                self.record(engine, request, size, stats);
            }
            Event::Absent { request, engine, reason } if self.is_current(request) => {
                if let Some(info) = self.engines.iter_mut().find(|e| e.key == engine) {
                    info.absent = Some(reason);
                }
            }
            Event::Comparing { engine, share } if self.comparing.is_some() => {
                self.comparing = Some((engine, share));
            }
            Event::Compared(comparison) if self.comparing.take().is_some() => {
                self.comparison = Some(comparison);
            }
            // News of a picture that nobody waits for any more.
            _ => {}
        }
    }

    /// The view moved on: what was frozen for the comparison is no longer looked at.
    fn give_up_comparison(&mut self) {
        self.comparing = None;
        self.state.comparing = false;
        self.scheduler.cancel();
        self.state.say("comparison given up: the view changed");
    }

    fn is_current(&self, request: u64) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.request == request)
    }

    fn finish(&mut self, request: u64, pass: Arc<Pass>, stats: Stats) {
        if let Some(asked) = &mut self.asked {
            asked.has_picture = true;
        }
        self.finished = Some(pass.clone());
        if pass.job.lattice != Lattice::FULL {
            self.timings.warm(pass.engine);
            return;
        }
        self.film.settle();
        self.status.settled = true;
        self.status.stats = Some(stats);
        self.record(pass.engine, request, pass.job.size(), stats);
    }

    fn record(&mut self, engine: &'static str, view: u64, size: [u32; 2], stats: Stats) {
        let full_size = self.state.viewport().size();
        self.timings.record(engine, Timing { stats, size, full_size, view });
    }
}

/// The threads of an explorer.
struct Crew {
    infos: Vec<EngineInfo>,
    scheduler: Scheduler,
    saver: Saver,
    inspector: Inspector,
}

impl Crew {
    fn start(machine: &Machine, takes_device_fields: bool, wake: Wake) -> std::io::Result<Self> {
        let engines = all(machine);
        let infos = engines.iter().map(|e| EngineInfo::of(e.as_ref())).collect();
        let hardware_gpu = machine.gpu.as_ref().is_ok_and(|gpu| !gpu.is_software());
        let saver = Saver::new(machine.clone(), wake.clone());
        let inspector = Inspector::start(machine, wake.clone())?;
        let scheduler = Scheduler::start(Engines { engines, hardware_gpu, takes_device_fields }, wake)?;
        Ok(Self { infos, scheduler, saver, inspector })
    }
}

impl EngineInfo {
    fn of(engine: &dyn Engine) -> Self {
        Self {
            key: engine.key(),
            about: engine.about(),
            describe: engine.describe(),
            precision: engine.precision(),
            absent: None,
        }
    }
}

/// True where both jobs give the same samples: only the order of the tiles may differ.
fn same_picture(a: &Job, b: &Job) -> bool {
    Job { focus: a.focus, ..b.clone() } == *a
}

/// True where times of both jobs may stand in one row: the same map over the same plane.
fn same_kind(a: &Job, b: &Job) -> bool {
    match (&a.task, &b.task) {
        (Task::EscapeTime(a), Task::EscapeTime(b)) => a.formula == b.formula && a.plane == b.plane,
        (Task::OrbitDensity(a), Task::OrbitDensity(b)) => a.map == b.map,
        (Task::Section(a), Task::Section(b)) => a.ordinate == b.ordinate,
        (Task::Space(a), Task::Space(b)) => a.scene == b.scene,
        _ => false,
    }
}
