//! Saving beside the exploring: one thread, one picture or animation at a time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::animation::{Animation, AnimationError, Course, Detail, Pace, Recording, has_ffmpeg};
use super::command::EngineChoice;
use super::export::{
    Channel, Destination, Estimate, Export, ExportError, FileKind, Numbers, Output, Picture, Progress, Whole,
    unused_name,
};
use super::pass::Wake;
use super::play::Play;
use super::state::State;
use crate::engine::{Engine, Machine, all, choose, iterations};
use crate::render::{Job, Latest, Newest, Quality, RenderError, Unheard};
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

    /// Starts saving the state's present view. What is in the way shows before any work.
    ///
    /// # Errors
    /// [`ExportError`] of the destination or the size.
    pub fn start(&mut self, state: &State, request: &SaveRequest) -> Result<(), ExportError> {
        let path = match request.path.as_deref().map(str::trim).filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => default_picture_path(state.view().key()),
        };
        let (kind, path) = FileKind::of(&path)?;
        let numbers = match kind {
            FileKind::Picture => None,
            FileKind::Counts(_) if state.job().task.escape_time().is_none() => return Err(ExportError::NoNumbers),
            FileKind::Counts(format) => Some(Numbers::of(format, request.channel)?),
        };
        let supersample = if numbers.is_some() { 1 } else { request.supersample };
        let size = request.size.unwrap_or_else(|| state.viewport().size());
        Estimate::of(size, supersample * supersample).check()?;
        let viewport = state.viewport().with_size(size)?;
        let destination = Destination::open(&path, request.overwrite)?;
        let shown = state.job();
        let channels = numbers.map_or(shown.channels, |numbers| numbers.channel().needs());
        let job = Job { viewport, focus: [0.0; 2], channels, ..shown.clone() };
        let (mut engines, at) = self.engines(state.engine, &job);
        engines[at].supports(&job).map_err(RenderError::from)?;
        let is_automatic = state.view().has_automatic_iterations();
        let mut location = state.location();
        location.size = Some(size);
        location.supersample = (supersample > 1 && job.task.escape_time().is_some()).then_some(supersample);
        location.engine = Some(engines[at].key().into());
        location.quality = Some(Quality::Exact);
        let (palette, coloring) = (state.palette, state.coloring);
        let (is_whole, scheme) = (job.task.escape_time().is_none(), state.view().diagram_scheme());
        self.spawn(move |latest, progress| {
            let mut job = job;
            if is_automatic && let Ok(cap) = iterations::measured(&mut engines, &shown, latest, &Unheard) {
                // That of the picture shown, whether it is complete or not.
                job = job.with_max_iterations(cap);
                location.max_iterations = Some(cap);
            }
            let output = match numbers {
                Some(numbers) => Output::Numbers(numbers),
                None if is_whole => Output::Whole(Whole { scheme, location: &location }),
                None => Output::Picture(Picture { palette, coloring, supersample, location: &location }),
            };
            match (Export { job, output }).run(engines[at].as_mut(), destination, latest, progress) {
                Ok(_) => Saved::Done(path),
                Err(error) if error.is_cancelled() => Saved::GivenUp("saving cancelled; no file was left".into()),
                Err(error) => Saved::Failed(error.to_string()),
            }
        })
    }

    /// Starts saving what moves of the state's present views, or goes on with it. What is in the way shows before any
    /// work.
    ///
    /// # Errors
    /// [`AnimationError`] of the path or of what is asked for.
    pub fn start_animation(&mut self, state: &State, request: &AnimationRequest) -> Result<(), AnimationError> {
        let panels = moving(state, request.play);
        let course = Course::Round(request.play);
        let animation = Animation::new(panels, course, request.pace, request.size, Detail::default())?;
        let (mut engines, at) = self.engines(state.engine, &state.job());
        let mut engine = engines.swap_remove(at);
        let path = PathBuf::from(request.path.trim());
        let recording = Recording::open(animation, &path, engine.key(), request.overwrite)?;
        let started = self.spawn(move |latest, progress| match recording.run(engine.as_mut(), latest, progress) {
            Ok(recorded) => Saved::Done(recorded.path),
            Err(error) if error.is_cancelled() => Saved::GivenUp(error.to_string()),
            Err(error) => Saved::Failed(error.to_string()),
        });
        Ok(started?)
    }

    fn spawn(
        &mut self,
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
        self.running = Some(Running { newest, done, result });
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
