//! A picture drawn by a Dask cluster: this program cuts and writes it, workers draw its tiles.

use std::io;
use std::path::PathBuf;

use super::partial::{Begin, Kept, Partial, PartialError};
use super::rows::{RowsError, RowsFile};
use super::session::{FailedTask, RemoteProgress, RemoteTask, Session};
use super::tile::{self, TileError};
use super::{Spec, trial};
use crate::app::animation::AnimationError;
use crate::app::export::{Destination, ExportError, FileKind};
use crate::render::{Latest, RenderError};

/// A cluster, and how it is used.
#[derive(Clone, Debug)]
pub struct Remote {
    /// `local`, `tcp://HOST:PORT`, `tls://HOST:PORT`, or `file:///…` of a scheduler file.
    pub address: String,
    /// Folder of `ca.pem`, `cert.pem` and `key.pem`.
    pub tls: Option<PathBuf>,
    /// How often a task is tried again.
    pub retries: u32,
    /// Most tasks under way; three for each thread where it is not said.
    pub in_flight: Option<u32>,
    /// This program for other platforms, such as `aarch64-linux`, beside the one that runs.
    pub programs: Vec<(String, PathBuf)>,
    /// The interpreter.
    pub python: PathBuf,
}

/// A picture for a cluster.
#[derive(Clone, Copy, Debug)]
pub struct RemotePicture<'a> {
    pub spec: &'a Spec,
    /// Pixels along a side of a tile; as many as take about a second where it is not said.
    pub side: Option<u32>,
    pub begin: Begin,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    #[error("{0} wants certificates; name the folder of ca.pem, cert.pem and key.pem (--tls DIR)")]
    NoCertificates(String),
    #[error("there is no such certificate (--tls): {}", .0.display())]
    NoCertificate(PathBuf),
    #[error(
        "clusters need Python, and it cannot be started ({source}); install it, or name it in CARDIOID_PYTHON: {}",
        python.display()
    )]
    NoPython { python: PathBuf, source: io::Error },
    #[error(
        "{error}; install it with `{python} -m pip install \"dask[distributed]\"`, or name another Python in \
         CARDIOID_PYTHON", python = python.display()
    )]
    NoDask { python: PathBuf, error: String },
    #[error("{}; no file was written", missing(.0))]
    Missing(Vec<FailedTask>),
    #[error("{}; the same again draws these alone: {}", missing(failed), folder.display())]
    MissingFrames { failed: Vec<FailedTask>, folder: PathBuf },
    #[error("the cluster cannot draw this: {0}")]
    Cluster(String),
    #[error("what came back is not what was asked for: {0}")]
    Tile(#[from] TileError),
    /// A picture that was begun.
    #[error("{error}; {kept}")]
    Unfinished { error: Box<RemoteError>, kept: Kept },
    #[error("writing failed ({source}): {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Partial(#[from] PartialError),
    #[error(transparent)]
    Rows(#[from] RowsError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Animation(#[from] AnimationError),
}

impl RemoteError {
    /// Exit code of a program that fails with it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NoPython { .. } | Self::NoDask { .. } => 4,
            Self::Missing(_) | Self::MissingFrames { .. } => 3,
            Self::NoCertificates(_) | Self::NoCertificate(_) => 2,
            Self::Partial(PartialError::There(_) | PartialError::Another(_)) => 2,
            Self::Rows(RowsError::Colors(_) | RowsError::Numbers(..)) => 2,
            Self::Rows(RowsError::Export(error)) | Self::Export(error) if error.is_asked_wrongly() => 2,
            Self::Animation(error) if error.is_asked_wrongly() => 2,
            Self::Unfinished { error, .. } => error.exit_code(),
            _ => 1,
        }
    }

    /// True where someone gave the picture up: no failure.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Export(error) => error.is_cancelled(),
            Self::Animation(error) => error.is_cancelled(),
            Self::Unfinished { error, .. } => error.is_cancelled(),
            _ => false,
        }
    }

    /// What remains of the picture, if anything does.
    pub fn kept(&self) -> Option<&Kept> {
        match self {
            Self::Unfinished { kept, .. } => Some(kept),
            _ => None,
        }
    }
}

/// What is said of tasks that failed: the first of them in full.
fn missing(failed: &[FailedTask]) -> String {
    const MOST: usize = 4;
    let told: Vec<_> = failed.iter().take(MOST).map(ToString::to_string).collect();
    let more = failed.len() - told.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("all was drawn but for what failed each time: {}{more}", told.join("; "))
}

impl Remote {
    /// The interpreter that `CARDIOID_PYTHON` names, or `python3`.
    pub fn usual_python() -> PathBuf {
        std::env::var_os("CARDIOID_PYTHON").unwrap_or_else(|| "python3".into()).into()
    }

    /// Draws the picture and writes it: the file that one machine writes, byte for byte.
    ///
    /// Tiles are kept in a [`Partial`] beside the file until it is whole; memory is bounded, whatever the size. Once `latest` is stale this
    /// ends within a second, and leaves no work behind.
    ///
    /// # Errors
    /// [`RemoteError`]; there is no file then, but what was drawn is kept.
    pub fn render(
        &self,
        picture: &RemotePicture,
        destination: Destination,
        latest: &Latest,
        progress: &mut dyn FnMut(&RemoteProgress),
    ) -> Result<(), RemoteError> {
        let (path, spec) = (destination.path(), picture.spec);
        let found = Partial::find(path, spec, picture.begin)?;
        let mut session = Session::connect(self, latest)?;
        let mut partial = match (found, picture.side) {
            (Some(partial), _) => partial,
            (None, Some(side)) => Partial::create(path, spec, side)?,
            (None, None) => Partial::create(path, spec, trial::side(&mut session, spec, latest, progress)?)?,
        };
        let drawn = draw(spec, &mut session, &mut partial, &destination, latest, progress);
        let unfinished = |error, partial: &Partial| match partial.remains() {
            Some(kept) => RemoteError::Unfinished { error: Box::new(error), kept },
            None => error,
        };
        drawn.map_err(|error| unfinished(error, &partial))?;
        destination.keep().map_err(|error| unfinished(error.into(), &partial))?;
        Ok(partial.remove()?)
    }
}

/// Draws what is missing, and writes all rows.
fn draw(
    spec: &Spec,
    session: &mut Session,
    partial: &mut Partial,
    destination: &Destination,
    latest: &Latest,
    progress: &mut dyn FnMut(&RemoteProgress),
) -> Result<(), RemoteError> {
    let failed = |source| RemoteError::Write { path: destination.path().into(), source };
    let file = destination.file().try_clone().map_err(failed)?;
    let (kind, _) = FileKind::of(destination.path())?;
    let unwritten = |source| ExportError::Write { path: destination.path().into(), source };
    let mut rows = RowsFile::begin(file, kind, spec, "its pixels", &unwritten)?;
    partial.write_rows(&mut rows, &failed, latest)?;
    let (cut, numbers, kept) = (partial.cut(), partial.missing(), partial.kept() as u64);
    let tasks: Vec<_> = numbers.iter().map(|number| RemoteTask::Tile(cut.tile(*number))).collect();
    let mut on_reply = |n: usize, reply: Vec<u8>| {
        let pixels = tile::from_reply(&reply, cut.tile(numbers[n]))?;
        let (wanted, found) = (spec.bytes_per_pixel(), (pixels.len() / cut.tile(numbers[n]).area()) as u32);
        if found != wanted {
            return Err(TileError::Pixels { wanted, found }.into());
        }
        partial.put(numbers[n], &reply)?;
        partial.write_rows(&mut rows, &failed, latest)
    };
    let mut of_all = |now: &RemoteProgress| {
        progress(&RemoteProgress { done: now.done + kept, total: cut.count() as u64, ..now.clone() });
    };
    let missing = session.draw(spec.text(), &tasks, latest, &mut on_reply, &mut of_all)?;
    if !missing.is_empty() {
        return Err(RemoteError::Missing(missing));
    }
    if latest.is_stale() {
        return Err(ExportError::Render(RenderError::Cancelled).into());
    }
    rows.finish().map_err(failed)
}

/// The platform of this program, as clients and workers name it: `x86_64-linux`.
pub fn this_platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}
