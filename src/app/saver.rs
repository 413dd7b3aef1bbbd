//! Saving beside the exploring: one thread, one picture or animation at a time.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::animation::{Animation, AnimationError, Course, Detail, Pace, Recording, has_ffmpeg};
use super::cluster::{Address, Cluster, ClusterProgress, ClusterWork, Order, Site};
use super::command::EngineChoice;
use super::export::{
    Channel, Destination, Estimate, Export, ExportError, FileKind, Numbers, Output, Picture, Progress, Whole,
    unused_name,
};
use super::location::Location;
use super::pass::Wake;
use super::play::Play;
use super::state::State;
use crate::color::DiagramScheme;
use crate::engine::{Engine, Machine, all, choose, iterations};
use crate::render::{Job, Latest, Newest, Unheard};
use crate::view::View;

/// A picture to save.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveRequest {
    /// Where to; a new name in the pictures folder where it is not said.
    pub path: Option<String>,
    /// That of the canvas where it is not said.
    pub size: Option<[u32; 2]>,
    /// Samples along each side of a pixel; of pictures alone.
    pub supersample: u32,
    /// What a `.npy` is to hold.
    pub channel: Channel,
    pub overwrite: bool,
    /// Who draws it, where this machine does not.
    pub cluster: Option<Site>,
    /// A cluster draws only what it did not before.
    pub resume: bool,
}

impl SaveRequest {
    /// As on the canvas, by this machine.
    pub fn plain(path: Option<String>) -> Self {
        Self {
            path,
            size: None,
            supersample: 1,
            channel: Channel::default(),
            overwrite: false,
            cluster: None,
            resume: false,
        }
    }
}

/// An animation to save.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationRequest {
    /// A folder for the frames, or a film: `.mp4` or `.webm`.
    pub path: String,
    pub play: Play,
    pub pace: Pace,
    pub size: [u32; 2],
    pub overwrite: bool,
    /// Who draws its frames, where this machine does not.
    pub cluster: Option<Site>,
}

/// What became of a save.
#[derive(Clone, Debug, PartialEq)]
pub enum Saved {
    /// The file, or the folder, that is there now.
    Done(PathBuf),
    /// Someone gave it up: what is left.
    GivenUp(String),
    /// Why it could not be done.
    Failed(String),
}

/// Why a picture or an animation is not even begun.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("numbers are drawn on this machine alone; choose it, or save a picture")]
    Numbers,
    #[error("there is no way to clusters here; draw on this machine")]
    NoCluster,
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Animation(#[from] AnimationError),
}

/// Runs exports on a thread of their own.
pub struct Saver {
    machine: Machine,
    wake: Wake,
    running: Option<Running>,
}

struct Running {
    newest: Newest,
    /// Thousandths done.
    done: Arc<AtomicU32>,
    /// Where a cluster draws.
    cluster: Option<Arc<Mutex<ClusterWork>>>,
    result: Receiver<Saved>,
}

impl Saver {
    pub fn new(machine: Machine, wake: Wake) -> Self {
        Self { machine, wake, running: None }
    }

    /// Share done, 0 to 1, while something is being saved.
    pub fn progress(&self) -> Option<f32> {
        self.running.as_ref().map(|r| r.done.load(Ordering::Relaxed) as f32 / 1000.0)
    }

    /// How far a cluster is, while one draws.
    pub fn cluster(&self) -> Option<ClusterWork> {
        self.running.as_ref()?.cluster.as_deref().map(|work| locked(work).clone())
    }

    /// Starts saving the state's present view. What is in the way shows before any work.
    ///
    /// `cluster` draws where the request names one.
    ///
    /// # Errors
    /// [`ExportError`] of the destination or the size, or why no cluster can do it.
    pub fn start(
        &mut self,
        state: &State,
        request: &SaveRequest,
        cluster: Option<&Arc<dyn Cluster>>,
    ) -> Result<(), SaveError> {
        let path = match request.path.as_deref().map(str::trim).filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => default_picture_path(state.view().key()),
        };
        let (kind, path) = FileKind::of(&path)?;
        let numbers = match kind {
            FileKind::Picture => None,
            FileKind::Counts(_) if request.cluster.is_some() => return Err(SaveError::Numbers),
            FileKind::Counts(_) if state.job().task.escape_time().is_none() => {
                return Err(ExportError::NoNumbers.into());
            }
            FileKind::Counts(format) => Some(Numbers::of(format, request.channel)?),
        };
        let supersample = if numbers.is_some() { 1 } else { request.supersample };
        let size = request.size.unwrap_or_else(|| state.viewport().size());
        Estimate::of(size, supersample * supersample).check()?;
        let viewport = state.viewport().with_size(size).map_err(ExportError::from)?;
        let destination = Destination::open(&path, request.overwrite)?;
        let shown = state.job();
        let channels = numbers.map_or(shown.channels, |numbers| numbers.channel().needs());
        let job = Job { viewport, focus: [0.0; 2], channels, ..shown.clone() };
        let (engines, at) = self.engines(state.engine, &job);
        engines[at].supports(&job).map_err(|e| ExportError::Render(e.into()))?;
        let unmeasured = state.view().has_automatic_iterations().then_some(shown);
        let (location, scheme) = (state.location(), state.view().diagram_scheme());
        let mut plan = Plan { engines, at, job, unmeasured, location, scheme, supersample };
        if let Some(site) = request.cluster.clone() {
            let cluster = cluster.ok_or(SaveError::NoCluster)?.clone();
            return Ok(self.draw_there(plan, site, cluster, destination, request)?);
        }
        let (palette, coloring) = (state.palette, state.coloring);
        let started = self.spawn(None, move |latest, progress| {
            plan.measure(latest);
            let location = plan.told();
            let Plan { mut engines, job, .. } = plan;
            let output = match numbers {
                Some(numbers) => Output::Numbers(numbers),
                None if job.task.escape_time().is_none() => Output::Whole(Whole { scheme, location: &location }),
                None => Output::Picture(Picture { palette, coloring, supersample, location: &location }),
            };
            match (Export { job, output }).run(engines[at].as_mut(), destination, latest, progress) {
                Ok(_) => Saved::Done(path),
                Err(error) if error.is_cancelled() => Saved::GivenUp("saving cancelled; no file was left".into()),
                Err(error) => Saved::Failed(error.to_string()),
            }
        });
        Ok(started?)
    }

    /// Has a cluster draw; what is measured before is measured here.
    fn draw_there(
        &mut self,
        mut plan: Plan,
        site: Site,
        cluster: Arc<dyn Cluster>,
        destination: Destination,
        &SaveRequest { overwrite, resume, .. }: &SaveRequest,
    ) -> Result<(), ExportError> {
        self.spawn_there(site.address.clone(), "tiles", move |latest, hear| {
            plan.measure(latest);
            let location = plan.told();
            let Plan { mut engines, at, job, scheme, .. } = plan;
            let engine = engines.swap_remove(at);
            let order = Order { site, job, location, scheme, engine, destination, overwrite, resume };
            cluster.draw(order, latest, hear)
        })
    }

    /// Starts saving what moves of the state's present views, or goes on with it. What is in the way shows before any
    /// work.
    ///
    /// `cluster` draws where the request names one.
    ///
    /// # Errors
    /// [`AnimationError`] of the path or of what is asked for, or why no cluster can do it.
    pub fn start_animation(
        &mut self,
        state: &State,
        request: &AnimationRequest,
        cluster: Option<&Arc<dyn Cluster>>,
    ) -> Result<(), SaveError> {
        let panels = moving(state, request.play);
        let course = Course::Round(request.play);
        let animation = Animation::new(panels, course, request.pace, request.size, Detail::default())?;
        let (mut engines, at) = self.engines(state.engine, &state.job());
        let mut engine = engines.swap_remove(at);
        let path = PathBuf::from(request.path.trim());
        let recording = Recording::open(animation, &path, engine.key(), request.overwrite)?;
        if let Some(site) = request.cluster.clone() {
            let cluster = cluster.ok_or(SaveError::NoCluster)?.clone();
            let started = self.spawn_there(site.address.clone(), "frames", move |latest, hear| {
                cluster.record(&site, recording, latest, hear)
            });
            return Ok(started?);
        }
        let started =
            self.spawn(None, move |latest, progress| match recording.run(engine.as_mut(), latest, progress) {
                Ok(recorded) => Saved::Done(recorded.path),
                Err(error) if error.is_cancelled() => Saved::GivenUp(error.to_string()),
                Err(error) => Saved::Failed(error.to_string()),
            });
        Ok(started?)
    }

    /// Has a cluster work on so many `units`; `work` tells how far it is.
    fn spawn_there(
        &mut self,
        address: Address,
        units: &'static str,
        work: impl FnOnce(&Latest, &dyn Fn(ClusterProgress)) -> Saved + Send + 'static,
    ) -> Result<(), ExportError> {
        let shared = Arc::new(Mutex::new(ClusterWork::new(address, units, Instant::now())));
        let heard = shared.clone();
        self.spawn(Some(shared), move |latest, progress| {
            work(latest, &|news| {
                let (samples_done, samples) = (news.done, news.total);
                locked(&heard).hear(news, Instant::now());
                progress(Progress { samples_done, samples, preparing: None });
            })
        })
    }

    fn spawn(
        &mut self,
        cluster: Option<Arc<Mutex<ClusterWork>>>,
        work: impl FnOnce(&Latest, &(dyn Fn(Progress) + Sync)) -> Saved + Send + 'static,
    ) -> Result<(), ExportError> {
        let newest = Newest::default();
        let latest: Latest = newest.next();
        let done = Arc::new(AtomicU32::new(0));
        let (sender, result) = channel();
        let (wake, progress) = (self.wake.clone(), done.clone());
        std::thread::Builder::new()
            .name("saving".into())
            .spawn(move || {
                let saved = work(&latest, &|p| {
                    progress.store((p.share() * 1000.0) as u32, Ordering::Relaxed);
                    wake();
                });
                let _ = sender.send(saved);
                wake();
            })
            .map_err(|source| ExportError::Write { path: PathBuf::from("(no thread)"), source })?;
        self.running = Some(Running { newest, done, cluster, result });
        Ok(())
    }

    /// Gives up what is being saved; no half of a file is left behind.
    pub fn cancel(&self) {
        if let Some(running) = &self.running {
            running.newest.cancel();
        }
    }

    /// What became of the save, once.
    pub fn outcome(&mut self) -> Option<Saved> {
        let outcome = match self.running.as_ref()?.result.try_recv() {
            Ok(outcome) => outcome,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Saved::Failed("the saving thread ended early".into()),
        };
        self.running = None;
        Some(outcome)
    }

    /// The engines for files, which are f64 or better, and which of them is the one chosen, where it can do the job, or the best.
    fn engines(&self, chosen: EngineChoice, job: &Job) -> (Vec<Box<dyn Engine>>, usize) {
        let mut engines = all(&self.machine);
        engines.retain(|engine| !engine.precision().is_single());
        let able = engines.iter().position(|e| e.key() == chosen.key() && e.supports(job).is_ok());
        let best = || {
            let key = choose(&engines, job, false).map_or("tiles", |choice| choice.key);
            engines.iter().position(|e| e.key() == key).expect("the CPU engines are always there")
        };
        let at = able.unwrap_or_else(best);
        (engines, at)
    }
}

/// A picture or numbers to save, found possible.
struct Plan {
    /// Those for files, and which of them is to draw.
    engines: Vec<Box<dyn Engine>>,
    at: usize,
    job: Job,
    /// The job of the picture shown, where the cap is to be measured.
    unmeasured: Option<Job>,
    location: Location,
    /// Of a diagram.
    scheme: DiagramScheme,
    supersample: u32,
}

impl Plan {
    /// Takes on the cap of the picture shown, whether it is complete or not.
    fn measure(&mut self, latest: &Latest) {
        let Some(shown) = self.unmeasured.take() else { return };
        if let Ok(cap) = iterations::measured(&mut self.engines, &shown, latest, &Unheard) {
            self.job = self.job.clone().with_max_iterations(cap);
        }
    }

    /// What the picture says of itself.
    fn told(&self) -> Location {
        let engine = self.engines[self.at].key();
        if self.job.task.escape_time().is_some() {
            return self.location.complete(&self.job, engine, self.supersample);
        }
        let (size, quality) = (Some(self.job.size()), Some(self.job.quality));
        Location { size, quality, engine: Some(engine.into()), ..self.location.clone() }
    }
}

fn locked(work: &Mutex<ClusterWork>) -> MutexGuard<'_, ClusterWork> {
    // News are whole, whoever panicked between them.
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The views that are shown and move in a way, from the top down; the one with the focus where none does.
fn moving(state: &State, play: Play) -> Vec<Box<dyn View>> {
    let moving = state.stage().shown().filter(|(_, view)| play.suits(*view));
    let moving: Vec<_> = moving.map(|(_, view)| view.boxed_clone()).collect();
    if moving.is_empty() { vec![state.view().boxed_clone()] } else { moving }
}

impl Drop for Saver {
    fn drop(&mut self) {
        let Some(running) = self.running.take() else { return };
        running.newest.cancel();
        // The thread removes its temporary file; leaving before that would leave the file.
        let _ = running.result.recv_timeout(std::time::Duration::from_secs(2));
    }
}

/// A name that is not taken, where people keep pictures.
pub fn default_picture_path(view: &str) -> PathBuf {
    unused_name(&pictures_folder().join(format!("cardioid-{view}.png")))
}

/// A name that is not taken for an animation: a film where ffmpeg is to be had, else a folder.
pub fn default_animation_path(view: &str, play: Play) -> PathBuf {
    let ending = if has_ffmpeg() { ".mp4" } else { "" };
    unused_name(&pictures_folder().join(format!("cardioid-{view}-{}{ending}", play.key())))
}

/// Where people keep pictures; their home, or the present folder, where there is none.
fn pictures_folder() -> PathBuf {
    let existing = |path: Option<PathBuf>| path.filter(|p| p.is_dir());
    existing(dirs::picture_dir()).or_else(|| existing(dirs::home_dir())).unwrap_or_else(|| PathBuf::from("."))
}
