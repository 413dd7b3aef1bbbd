//! The picture of one half of the canvas: what was asked for, what has come of it, and how long engines took.

use std::mem::discriminant;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::antialias::{Colours, Subframes};
use super::command::EngineChoice;
use super::compare::extent;
use super::film::Film;
use super::pass::{Pass, Wake};
use super::scheduler::{Engines, Event, Scheduler};
use super::tile_map::Board;
use super::timings::{Shown, Timings};
use crate::engine::{Engine, Machine, Precision, all, caution};
use crate::render::{Job, Lattice, Preparation, Stats, Task};

/// A job that is still without its first pass after this long gives way to a newer view: at least and at most.
const PATIENCE: [Duration; 2] = [Duration::from_millis(60), Duration::from_millis(500)];

/// The same where a picture in motion is to have every pixel.
const PATIENCE_FOR_ALL: Duration = Duration::from_secs(5);

/// A picture being drawn, on a thread of its own.
pub struct Drawing {
    pub timings: Timings,
    pub status: Status,
    pub(super) scheduler: Scheduler,
    engines: Vec<EngineInfo>,
    film: Film,
    asked: Option<Asked>,
    /// How long the next job may be without a picture: longer where those before it were not seen.
    patience: Duration,
    finished: Option<Arc<Pass>>,
    subframes: Option<Subframes>,
    /// Number of the subframes begun last.
    last_subframes: u64,
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
    /// The cap that the view asks for, once that is known.
    pub measured: Option<u32>,
    /// From the request until the first samples of it, of any pass, and until all of them. Pictures of earlier views never
    /// count.
    pub first_picture: Option<Duration>,
    pub final_picture: Option<Duration>,
    /// What the window did for the picture so far.
    pub shown: Option<Shown>,
}

/// What is wanted of a picture beside its job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish {
    pub choice: EngineChoice,
    /// Raised to have the same job drawn again.
    pub redraws: u64,
    /// The other engines are timed once the picture is settled.
    pub time_others: bool,
    /// The cap is the one that the view asks for.
    pub automatic_iterations: bool,
    /// Every pixel at once, also in motion.
    pub full_resolution: bool,
}

/// What the scheduler was last asked to draw.
struct Asked {
    request: u64,
    job: Job,
    wish: Wish,
    at: Instant,
    has_picture: bool,
}

impl Drawing {
    /// Starts the drawing thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn start(machine: &Machine, takes_device_fields: bool, wake: Wake) -> std::io::Result<Self> {
        let engines = all(machine);
        let infos: Vec<EngineInfo> = engines.iter().map(|e| EngineInfo::of(e.as_ref())).collect();
        let hardware_gpu = machine.gpu.as_ref().is_ok_and(|gpu| !gpu.is_software());
        let scheduler = Scheduler::start(Engines { engines, hardware_gpu, takes_device_fields }, wake)?;
        Ok(Self {
            timings: Timings::new(infos.iter().map(|e| e.key)),
            status: Status::default(),
            scheduler,
            engines: infos,
            film: Film::default(),
            asked: None,
            patience: PATIENCE[0],
            finished: None,
            subframes: None,
            last_subframes: 0,
        })
    }

    pub fn engines(&self) -> &[EngineInfo] {
        &self.engines
    }

    /// For tests of what is shown of them.
    pub fn engines_mut(&mut self) -> &mut [EngineInfo] {
        &mut self.engines
    }

    /// The tiles of the newest pass, while somebody looks.
    pub fn board(&self) -> &Board {
        self.scheduler.board()
    }

    pub fn film(&self) -> &Film {
        &self.film
    }

    /// The window has shown what there is, and that took so long: colours add up until the settled picture is on screen.
    pub(super) fn was_shown(&mut self, frame: Shown) {
        if self.status.shown.is_some_and(|shown| shown.is_settled) {
            return;
        }
        let colour = self.status.shown.map_or(Duration::ZERO, |shown| shown.colour) + frame.colour;
        self.status.shown = Some(Shown { colour, is_settled: self.status.settled, ..frame });
    }

    /// Share of the present pass that is done, while one is being drawn.
    pub fn progress(&self) -> Option<f32> {
        (!self.status.settled).then(|| self.film.newest().map(|pass| pass.progress())).flatten()
    }

    /// The cap that a view asks for, where that is the one that is drawn and the cap is known.
    pub(super) fn measured(&self, job: &Job) -> Option<u32> {
        let (cap, asked) = (self.status.measured?, self.asked.as_ref()?);
        same_picture(&asked.job, &job.clone().with_max_iterations(cap)).then_some(cap)
    }

    /// What the engine does before the next sample, while it does.
    pub fn preparation(&self) -> Option<Preparation> {
        (!self.status.settled).then(|| self.film.newest().and_then(|pass| pass.preparation())).flatten()
    }

    /// True where the picture still changes.
    pub fn is_busy(&self) -> bool {
        !self.status.settled && self.status.failure.is_none()
    }

    /// Subframes of the settled picture, where it is antialiased.
    pub fn subframes(&self) -> Option<&Subframes> {
        self.subframes.as_ref()
    }

    /// Goes on with the antialiasing of the settled picture in these colours; without any, lets it be.
    pub(super) fn antialias(&mut self, colours: Option<Colours>) {
        let settled = self.film.newest().filter(|pass| self.status.settled && pass.job.task.escape_time().is_some());
        let (Some(colours), Some(settled)) = (colours, settled) else { return self.no_antialiasing() };
        if self.subframes.as_ref().is_none_or(|subframes| !subframes.are_of(settled, colours)) {
            self.scheduler.stop_antialiasing();
            self.last_subframes += 1;
            let took = self.status.stats.map(|stats| stats.compute);
            self.subframes = Some(Subframes::new(self.last_subframes, settled.clone(), colours, took));
        }
        if let Some(subframes) = &mut self.subframes
            && let Some(jitter) = subframes.next()
        {
            self.scheduler.subframe(subframes.id(), subframes.settled().clone(), jitter);
        }
    }

    fn no_antialiasing(&mut self) {
        if self.subframes.take().is_some() {
            self.scheduler.stop_antialiasing();
        }
    }

    /// Asks for the same view again: something else took the thread.
    pub(super) fn ask_again(&mut self) {
        self.asked = None;
    }

    /// Nobody looks at the picture: its thread sleeps, and forgets it.
    pub(super) fn rest(&mut self) {
        if self.asked.take().is_some() {
            self.scheduler.cancel();
            self.film.clear();
            self.finished = None;
            self.subframes = None;
        }
    }

    /// Asks for a job if it is not the one being drawn.
    pub(super) fn ask(&mut self, job: Job, wish: Wish) {
        let is_busy = self.is_busy();
        if let Some(asked) = &mut self.asked {
            if same_picture(&asked.job, &job) && asked.wish == (Wish { time_others: asked.wish.time_others, ..wish }) {
                let was_wished = std::mem::replace(&mut asked.wish.time_others, wish.time_others);
                if let (true, false, false, Some((engine, _))) =
                    (wish.time_others, was_wished, is_busy, self.status.engine)
                {
                    self.scheduler.time_others(asked.request, asked.job.clone(), engine);
                }
                return;
            }
            // Moving on before anything was shown would starve the picture while the view moves.
            if !asked.has_picture && is_busy {
                let patience = if wish.full_resolution { PATIENCE_FOR_ALL } else { self.patience };
                if asked.at.elapsed() < patience {
                    return;
                }
                self.patience = (2 * self.patience).min(PATIENCE[1]);
            }
            let same_kind = same_kind(&asked.job, &job);
            if !same_kind {
                self.timings.forget();
            } else if asked.job.size() != job.size() {
                self.timings.cool();
            }
            if !same_kind || asked.wish.redraws != wish.redraws {
                self.film.clear();
                self.finished = None;
            }
        }
        self.film.move_on(self.finished.take());
        self.subframes = None;
        self.status = Status { engine: self.status.engine, ..Status::default() };
        for engine in &mut self.engines {
            engine.absent = None;
        }
        let request = self.scheduler.draw(job.clone(), wish);
        self.asked = Some(Asked { request, job, wish, at: Instant::now(), has_picture: false });
    }

    /// Takes what has come; gives back what is not about the picture.
    pub(super) fn hear(&mut self) -> Vec<Event> {
        let events: Vec<Event> = self.scheduler.events().collect();
        events.into_iter().filter_map(|event| self.take(event)).collect()
    }

    fn take(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Started { request, pass, why } if self.is_current(request) => {
                self.status.engine = Some((pass.engine, why));
                let engine = self.engines.iter().find(|engine| engine.key == pass.engine);
                let caution = engine.and_then(|engine| caution(&pass.job, engine.precision));
                // What an earlier pass of this request told holds for all of them.
                self.status.caution = caution.or(self.status.caution.take());
                self.film.begin(pass);
            }
            Event::Finished { request, pass, stats, settled } if self.is_current(request) => {
                self.finish(pass, stats, settled);
            }
            Event::Measured { request, max_iterations } if self.is_current(request) => {
                if let Some(asked) = &mut self.asked {
                    asked.job = asked.job.clone().with_max_iterations(max_iterations);
                }
                self.status.measured = Some(max_iterations);
            }
            Event::Failed { request, engine: "auto", reason } if self.is_current(request) => {
                self.status.failure = Some(reason);
            }
            Event::Timed { request, engine, size, stats } if self.is_current(request) => {
                self.timings.warm(engine);
                self.record(engine, size, stats);
            }
            Event::Held { request, engine, differing } if self.is_current(request) => {
                if let Some(asked) = &self.asked {
                    self.timings.hold_against(engine, &asked.job, differing);
                }
            }
            Event::Absent { request, engine, reason } if self.is_current(request) => {
                if let Some(info) = self.engines.iter_mut().find(|e| e.key == engine) {
                    info.absent = Some(reason);
                }
            }
            Event::Subframe { of, subframe } => {
                if let Some(subframes) = self.subframes.as_mut().filter(|subframes| subframes.id() == of) {
                    subframes.arrived(subframe);
                }
            }
            Event::Failed { request, .. } if self.is_current(request) => return Some(event),
            Event::Comparing { .. } | Event::Compared(_) | Event::Racing { .. } | Event::Raced { .. } => {
                return Some(event);
            }
            // News of a picture that nobody waits for any more.
            _ => {}
        }
        None
    }

    fn is_current(&self, request: u64) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.request == request)
    }

    fn finish(&mut self, pass: Arc<Pass>, stats: Option<Stats>, settled: bool) {
        if let Some(reason) = stats.and_then(|stats| stats.handed_over) {
            self.status.caution = Some(reason.into());
        }
        if let Some(asked) = self.asked.as_mut().filter(|asked| !asked.has_picture) {
            asked.has_picture = true;
            self.status.first_picture = Some(asked.at.elapsed());
            self.patience = (2 * asked.at.elapsed()).clamp(PATIENCE[0], PATIENCE[1]);
        }
        self.finished = Some(pass.clone());
        // A round of a diagram's orbits is worth as much as another; a coarse pass only warms the engine.
        let counts = |asked: &Asked| (&pass.job.task, pass.job.quality) == (&asked.job.task, asked.job.quality);
        let counts = self.asked.as_ref().is_some_and(counts);
        if pass.job.lattice != Lattice::FULL || !counts {
            self.timings.warm(pass.engine);
            return;
        }
        let reference = stats.and_then(|stats| stats.reference);
        if let Some(cut) = reference.and_then(|reference| reference.caution(pass.job.max_iterations())) {
            self.status.caution = Some(cut);
        }
        if let Some(stats) = stats {
            self.record(pass.engine, extent(&pass.job), stats);
        }
        if settled {
            self.film.settle();
            self.status.settled = true;
            self.status.stats = stats;
            self.status.final_picture = self.asked.as_ref().map(|asked| asked.at.elapsed());
        }
    }

    fn record(&mut self, engine: &'static str, size: [u32; 2], stats: Stats) {
        let Some(asked) = &self.asked else { return };
        self.timings.record(engine, &asked.job, [size, extent(&asked.job)], stats);
    }
}

impl EngineInfo {
    pub(super) fn of(engine: &dyn Engine) -> Self {
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
pub(super) fn same_picture(a: &Job, b: &Job) -> bool {
    Job { focus: a.focus, ..b.clone() } == *a
}

/// True where times of both jobs may stand in one row: the same map over the same plane.
fn same_kind(a: &Job, b: &Job) -> bool {
    match (&a.task, &b.task) {
        (Task::EscapeTime(a), Task::EscapeTime(b)) => a.formula == b.formula && a.plane == b.plane,
        (Task::OrbitDensity(a), Task::OrbitDensity(b)) => a.map == b.map,
        (Task::Section(a), Task::Section(b)) => a.ordinate == b.ordinate,
        (Task::Space(a), Task::Space(b)) => discriminant(&a.scene) == discriminant(&b.scene),
        _ => false,
    }
}
