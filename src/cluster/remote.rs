//! A picture drawn by a Dask cluster: this program cuts and writes it, a Python client sends tiles to workers.
//!
//! [`Remote::render`] starts `python -m cardioid_dask`, which is part of this program, with the picture's spec and its tiles.
//! Replies come through its stdout in any order; [`Strips`] puts them into rows. What it says of itself comes through its stderr, a
//! line of JSON each.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use super::strips::Strips;
use super::tile::{Header, TileError};
use super::{Spec, tile};
use crate::app::export::{Destination, ExportError, PngRows};
use crate::render::{Latest, RenderError, Tile};

/// The client's own files.
const CLIENT: [(&str, &str); 4] = [
    ("__init__.py", include_str!("cardioid_dask/cardioid_dask/__init__.py")),
    ("__main__.py", include_str!("cardioid_dask/cardioid_dask/__main__.py")),
    ("client.py", include_str!("cardioid_dask/cardioid_dask/client.py")),
    ("worker.py", include_str!("cardioid_dask/cardioid_dask/worker.py")),
];
/// The client ends with it where there is no Dask, and where a tile is missing.
const NO_DASK: i32 = 4;
const TILE_MISSING: i32 = 3;
/// How often is asked whether somebody gave the picture up.
const GLANCE: Duration = Duration::from_millis(50);
/// How long the client has for leaving nothing behind on its workers.
const GRACE: Duration = Duration::from_millis(800);
/// Bytes of rows that are begun and not written: tiles farther down wait.
const OPEN_BYTES: u64 = 96 << 20;

/// A cluster, and how it is used.
#[derive(Clone, Debug)]
pub struct Remote {
    /// `local`, `tcp://HOST:PORT`, `tls://HOST:PORT`, or `file:///…` of a scheduler file.
    pub address: String,
    /// Folder of `ca.pem`, `cert.pem` and `key.pem`.
    pub tls: Option<PathBuf>,
    /// Pixels along a side of a tile.
    pub side: u32,
    /// How often a tile is tried again.
    pub retries: u32,
    /// Most tiles under way; three for each thread where it is not said.
    pub in_flight: Option<u32>,
    /// This program for other platforms, such as `aarch64-linux`, beside the one that runs.
    pub programs: Vec<(String, PathBuf)>,
    /// The interpreter.
    pub python: PathBuf,
}

/// What the client says.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct RemoteProgress {
    /// Tiles.
    pub done: u64,
    pub total: u64,
    pub workers: u64,
    pub dashboard: Option<String>,
}

/// How the client ends where it does not succeed.
#[derive(Debug, Default, Deserialize)]
struct Ended {
    error: String,
    tile: Option<[u32; 4]>,
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
    #[error(
        "the tile of {width}x{height} pixels at {x},{y} failed each time, the last time with: {error}; no file was written",
        width = tile.width, height = tile.height, x = tile.x, y = tile.y
    )]
    Missing { tile: Tile, error: String },
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
            Self::Missing { .. } => 3,
            Self::Export(error) if error.is_asked_wrongly() => 2,
            _ => 1,
        }
    }
}

/// What comes from the client.
enum Event {
    Tile(Tile, Vec<u8>),
    Broken(TileError),
    Progress(RemoteProgress),
    Ended(Ended),
    /// Its stdout has ended.
    End,
}

impl Remote {
    /// Draws the picture and writes it: the file that one machine writes, byte for byte.
    ///
    /// Memory is bounded, whatever the size. Once `latest` is stale this ends within a second, and leaves no work behind.
    ///
    /// # Errors
    /// [`RemoteError`]; no file is left then.
    pub fn render(
        &self,
        spec: &Spec,
        destination: Destination,
        latest: &Latest,
        progress: &dyn Fn(&RemoteProgress),
    ) -> Result<(), RemoteError> {
        let path = destination.path().to_owned();
        let failed = |source| RemoteError::from(ExportError::Write { path: path.clone(), source });
        let file = destination.file().try_clone().map_err(failed)?;
        let mut rows = PngRows::new(file, spec.size(), &spec.location().to_toml()).map_err(failed)?;
        let mut strips = Strips::of(spec.size(), self.side);
        let mut client = Client::start(self, self.order(spec, &strips)?)?;
        let mut told = None;
        while !strips.is_done() {
            match client.events.recv_timeout(GLANCE) {
                _ if latest.is_stale() => return Err(ExportError::Render(RenderError::Cancelled).into()),
                Ok(Event::Tile(tile, pixels)) => {
                    for strip in strips.put(tile, pixels)? {
                        rows.write_all(&strip).map_err(failed)?;
                    }
                }
                Ok(Event::Broken(error)) => return Err(error.into()),
                Ok(Event::Progress(now)) => progress(&now),
                Ok(Event::Ended(ended)) => told = Some(ended),
                Err(RecvTimeoutError::Timeout) if !client.has_ended() => {}
                Ok(Event::End) | Err(_) => break,
            }
        }
        let (status, told) = client.wait(told);
        if !strips.is_done() || !status.is_some_and(|status| status.success()) {
            return Err(self.failure(status, told));
        }
        rows.finish().map_err(failed)?;
        Ok(destination.keep()?)
    }

    /// The client's job, as JSON.
    fn order(&self, spec: &Spec, strips: &Strips) -> Result<serde_json::Value, RemoteError> {
        let own = std::env::current_exe().map_err(|e| RemoteError::Cluster(format!("where is this program? {e}")))?;
        let mut programs = serde_json::Map::new();
        for (platform, path) in std::iter::once(&(this_platform(), own)).chain(&self.programs) {
            programs.insert(platform.clone(), json!(path));
        }
        let tiles: Vec<_> = strips.tiles().map(|Tile { x, y, width, height }| [x, y, width, height]).collect();
        let strip_bytes = u64::from(spec.size()[0]) * u64::from(self.side) * u64::from(tile::RGB8);
        let rows_ahead = u64::from(self.side) * (OPEN_BYTES / strip_bytes).max(2);
        Ok(json!({
            "cluster": self.address, "tls": self.tls, "hash": spec.hash(), "spec": spec.text(), "tiles": tiles,
            "programs": programs, "retries": self.retries, "in_flight": self.in_flight, "rows_ahead": rows_ahead,
        }))
    }

    fn failure(&self, status: Option<ExitStatus>, told: Option<Ended>) -> RemoteError {
        let Ended { error, tile } = told.unwrap_or_else(|| Ended {
            error: format!("its client ended early ({})", status.map_or_else(|| "stopped".into(), |s| s.to_string())),
            tile: None,
        });
        match (status.and_then(|status| status.code()), tile) {
            (Some(NO_DASK), _) => RemoteError::NoDask { python: self.python.clone(), error },
            (Some(TILE_MISSING), Some([x, y, width, height])) => {
                RemoteError::Missing { tile: Tile { x, y, width, height }, error }
            }
            _ => RemoteError::Cluster(error),
        }
    }
}

/// The platform of this program, as clients and workers name it: `x86_64-linux`.
pub fn this_platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The Python program at work. It is ended when dropped.
struct Client {
    child: Child,
    events: Receiver<Event>,
    /// The client's own files, while it runs.
    _files: TempDir,
}

impl Client {
    fn start(remote: &Remote, order: serde_json::Value) -> Result<Self, RemoteError> {
        let unwritten = |e: io::Error| RemoteError::Cluster(format!("its client cannot be unpacked: {e}"));
        let files = unpacked().map_err(unwritten)?;
        let mut command = Command::new(&remote.python);
        command.args(["-m", "cardioid_dask"]).env("PYTHONPATH", python_path(files.path()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl+C is for this program, which ends the others.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            command.spawn().map_err(|source| RemoteError::NoPython { python: remote.python.clone(), source })?;
        let (send, events) = mpsc::sync_channel(1);
        let stdout = child.stdout.take().expect("it is a pipe");
        let stderr = child.stderr.take().expect("it is a pipe");
        let (tiles, lines) = (send.clone(), send);
        std::thread::spawn(move || read_tiles(BufReader::with_capacity(1 << 16, stdout), &tiles));
        std::thread::spawn(move || read_lines(BufReader::new(stderr), &lines));
        // A client that has ended already says why by its exit code.
        let _ = writeln!(child.stdin.as_mut().expect("it is a pipe"), "{order}");
        Ok(Self { child, events, _files: files })
    }

    /// Waits for its end, and for what it says last.
    fn wait(mut self, mut told: Option<Ended>) -> (Option<ExitStatus>, Option<Ended>) {
        let end = Instant::now() + 5 * GRACE;
        loop {
            match self.events.recv_timeout(GLANCE) {
                Ok(Event::Ended(ended)) => told = Some(ended),
                // Workers of its own may hold its pipes somewhat longer than itself.
                Err(_) if self.has_ended() || Instant::now() > end => break,
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(GLANCE),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
        (self.child.try_wait().ok().flatten(), told)
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Client {
    /// Has it cancel its tasks, and ends it where that takes too long.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Its threads would else wait for somebody to listen.
        let end = Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            let _ = self.events.recv_timeout(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the client's files into a folder of their own.
fn unpacked() -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("cardioid-").tempdir()?;
    let package = folder.path().join("cardioid_dask");
    std::fs::create_dir(&package)?;
    for (name, text) in CLIENT {
        std::fs::write(package.join(name), text)?;
    }
    Ok(folder)
}

/// That folder, before what the environment says.
fn python_path(folder: &Path) -> std::ffi::OsString {
    let others = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let all = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&others));
    std::env::join_paths(all).unwrap_or_else(|_| folder.into())
}

/// Sends on what stdout holds, until it ends or makes no sense.
fn read_tiles(mut from: BufReader<ChildStdout>, to: &SyncSender<Event>) {
    loop {
        let event = match from.fill_buf() {
            Ok([]) | Err(_) => Event::End,
            Ok(_) => read_tile(&mut from).map_or_else(Event::Broken, |(tile, pixels)| Event::Tile(tile, pixels)),
        };
        let is_last = !matches!(event, Event::Tile(..));
        if to.send(event).is_err() || is_last {
            return;
        }
    }
}

/// One tile and its pixels; no more memory is taken than comes.
fn read_tile(from: &mut BufReader<ChildStdout>) -> Result<(Tile, Vec<u8>), TileError> {
    let header = Header::read(from)?;
    let mut pixels = Vec::new();
    from.take(header.pixel_bytes()).read_to_end(&mut pixels)?;
    match header.pixel_bytes() - pixels.len() as u64 {
        0 => Ok((header.tile, pixels)),
        lacking => Err(TileError::Truncated(lacking)),
    }
}

/// Sends on what stderr says; the words of libraries are left out.
fn read_lines(from: impl io::BufRead, to: &SyncSender<Event>) {
    for line in from.lines().map_while(Result::ok) {
        let progress = serde_json::from_str(&line).map(Event::Progress);
        let event = progress.or_else(|_| serde_json::from_str(&line).map(Event::Ended));
        if event.is_ok_and(|event| to.send(event).is_err()) {
            return;
        }
    }
}
