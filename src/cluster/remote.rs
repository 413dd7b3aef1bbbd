//! A picture drawn by a Dask cluster: this program cuts and writes it, workers draw its tiles.

use std::io::{self, Write as _};
use std::path::PathBuf;

use super::Spec;
use super::session::{FailedTask, RemoteProgress, RemoteTask, Session};
use super::strips::Strips;
use super::tile::{self, TileError};
use crate::app::export::{Destination, ExportError, PngRows};
use crate::render::{Latest, Tile};

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

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
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
    #[error("the cluster cannot draw this: {0}")]
    Cluster(String),
    #[error("a tile that came back is none: {0}")]
    Tile(#[from] TileError),
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl RemoteError {
    /// Exit code of a program that fails with it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NoPython { .. } | Self::NoDask { .. } => 4,
            Self::Missing(_) => 3,
            Self::Export(error) if error.is_asked_wrongly() => 2,
            _ => 1,
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

    /// Draws the picture in tiles of `side` and writes it: the file that one machine writes, byte for byte.
    ///
    /// Once `latest` is stale this ends within a second, and leaves no work behind.
    ///
    /// # Errors
    /// [`RemoteError`]; no file is left then.
    pub fn render(
        &self,
        spec: &Spec,
        side: u32,
        destination: Destination,
        latest: &Latest,
        progress: &mut dyn FnMut(&RemoteProgress),
    ) -> Result<(), RemoteError> {
        let path = destination.path().to_owned();
        let failed = |source| RemoteError::from(ExportError::Write { path: path.clone(), source });
        let file = destination.file().try_clone().map_err(failed)?;
        let mut rows = PngRows::new(file, spec.size(), &spec.location().to_toml()).map_err(failed)?;
        let mut strips = Strips::of(spec.size(), side);
        let tiles: Vec<Tile> = strips.tiles().collect();
        let tasks: Vec<_> = tiles.iter().map(|tile| RemoteTask::Tile(*tile)).collect();
        let mut session = Session::connect(self, latest)?;
        let mut on_reply = |n: usize, reply: Vec<u8>| {
            let pixels = tile::from_reply(&reply, tiles[n])?;
            for strip in strips.put(tiles[n], pixels)? {
                rows.write_all(&strip).map_err(failed)?;
            }
            Ok(())
        };
        let missing = session.draw(spec.text(), &tasks, latest, &mut on_reply, progress)?;
        drop(session);
        if !missing.is_empty() {
            return Err(RemoteError::Missing(missing));
        }
        rows.finish().map_err(failed)?;
        Ok(destination.keep()?)
    }
}

/// The platform of this program, as clients and workers name it: `x86_64-linux`.
pub fn this_platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}
