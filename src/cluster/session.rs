//! A cluster at work: a Python client that is started once and draws one job after the other.
//!
//! A [`Session`] starts `python -m cardioid_dask`, which is part of this program, and tells it through its stdin where the
//! cluster is, and then each job. Replies and notes come through its stdout, in any order of tasks; `__main__.py` has the form of both.
//! The session ends when dropped, and leaves nothing behind on the workers.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::remote::{Remote, RemoteError, this_platform};
use super::spec::hash_of;
use crate::app::export::ExportError;
use crate::render::{Latest, RenderError, Tile};

/// The client's own files.
const CLIENT: [(&str, &str); 6] = [
    ("__init__.py", include_str!("cardioid_dask/cardioid_dask/__init__.py")),
    ("__main__.py", include_str!("cardioid_dask/cardioid_dask/__main__.py")),
    ("client.py", include_str!("cardioid_dask/cardioid_dask/client.py")),
    ("pictures.py", include_str!("cardioid_dask/cardioid_dask/pictures.py")),
    ("scheduler.py", include_str!("cardioid_dask/cardioid_dask/scheduler.py")),
    ("worker.py", include_str!("cardioid_dask/cardioid_dask/worker.py")),
];
/// In place of a task's number: a note follows.
const NOTE: u32 = u32::MAX;
/// How often is asked whether somebody gave the work up.
const GLANCE: Duration = Duration::from_millis(50);
/// How long the client has for leaving nothing behind on its workers, where somebody waits for the end, and else.
const SHORT_GRACE: Duration = Duration::from_millis(800);
const LONG_GRACE: Duration = Duration::from_secs(5);

/// What a worker draws in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteTask {
    /// Of a picture.
    Tile(Tile),
    /// Of an animation, the first being 0.
    Frame(u32),
}

impl RemoteTask {
    fn to_json(self) -> Value {
        match self {
            Self::Tile(Tile { x, y, width, height }) => json!([x, y, width, height]),
            Self::Frame(n) => json!({ "frame": n }),
        }
    }
}

impl std::fmt::Display for RemoteTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tile(Tile { x, y, width, height }) => write!(f, "the tile of {width}x{height} pixels at {x},{y}"),
            // As their files are counted.
            Self::Frame(n) => write!(f, "frame {}", n + 1),
        }
    }
}

/// A task that failed as often as it was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTask {
    pub task: RemoteTask,
    pub error: String,
    /// Where it failed last.
    pub worker: Option<String>,
}

impl std::fmt::Display for FailedTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { task, error, worker } = self;
        match worker {
            Some(worker) => write!(f, "{task}, on {worker}: {error}"),
            None => write!(f, "{task}: {error}"),
        }
    }
}

/// How far a job is, and who works on it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct RemoteProgress {
    /// Tasks of the present job that have come.
    pub done: u64,
    /// All of its tasks.
    pub total: u64,
    pub workers: u64,
    /// Of all workers together.
    pub threads: u64,
    pub dashboard: Option<String>,
    /// Something that somebody should know; it is told once.
    pub warning: Option<String>,
}

/// What the client tells.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    Progress(RemoteProgress),
    Failed {
        task: usize,
        error: String,
        worker: Option<String>,
    },
    /// All tasks of the job have come, or failed.
    Done(()),
    Error(String),
    NoDask(String),
}

/// What comes from the client.
enum Event {
    Reply(usize, Vec<u8>),
    Note(Note),
}

/// A cluster that is there, and a client of it.
pub struct Session {
    child: Child,
    events: Receiver<io::Result<Event>>,
    /// The last line of its stderr.
    last_words: Arc<Mutex<String>>,
    seen: RemoteProgress,
    /// How long its end may take.
    grace: Duration,
    remote: Remote,
    /// The client's own files, while it runs.
    _files: TempDir,
}

impl Session {
    /// Looks who is there. Nothing is sent to the workers before the first job.
    ///
    /// # Errors
    /// [`RemoteError`]: there is no Python, no Dask or no scheduler, or `latest` is stale.
    pub fn connect(remote: &Remote, latest: &Latest) -> Result<Self, RemoteError> {
        check_certificates(remote)?;
        let mut session = Self::start(remote)?;
        let mut programs = serde_json::Map::new();
        let own = std::env::current_exe().map_err(|e| RemoteError::Cluster(format!("where is this program? {e}")))?;
        for (platform, path) in std::iter::once(&(this_platform(), own)).chain(&remote.programs) {
            programs.insert(platform.clone(), json!(path));
        }
        session.order(&json!({
            "cluster": remote.address, "tls": remote.tls, "programs": programs, "retries": remote.retries,
            "in_flight": remote.in_flight,
        }));
        loop {
            match session.next(latest)? {
                Event::Note(Note::Progress(seen)) => {
                    session.seen = seen;
                    return Ok(session);
                }
                other => session.refuse(other)?,
            }
        }
    }

    /// Who was there when somebody last looked; nothing is done of nothing.
    pub fn seen(&self) -> &RemoteProgress {
        &self.seen
    }

    /// Draws all tasks of a job, those that come first in the list first. `spec` is whatever the renderer knows as such.
    ///
    /// `on_reply` gets each task's place in the list and what a worker's child answered to it, in the order in which they come.
    /// A task that fails does not stop the others: those are what is returned. No tasks at all bring the renderer to the
    /// workers, and nothing else. Once `latest` is stale this ends at once.
    ///
    /// # Errors
    /// [`RemoteError`], or what `on_reply` fails with. The session draws nothing any more then.
    pub fn draw(
        &mut self,
        spec: &str,
        tasks: &[RemoteTask],
        latest: &Latest,
        on_reply: &mut dyn FnMut(usize, Vec<u8>) -> Result<(), RemoteError>,
        progress: &mut dyn FnMut(&RemoteProgress),
    ) -> Result<Vec<FailedTask>, RemoteError> {
        let list: Vec<_> = tasks.iter().map(|task| task.to_json()).collect();
        self.order(&json!({ "hash": hash_of(spec), "spec": spec, "tasks": list }));
        let mut failed = Vec::new();
        loop {
            match self.next(latest)? {
                Event::Reply(n, reply) if n < tasks.len() => on_reply(n, reply).inspect_err(|_| self.hurry())?,
                Event::Note(Note::Progress(now)) => {
                    progress(&now);
                    self.seen = RemoteProgress { done: 0, total: 0, warning: None, ..now };
                }
                Event::Note(Note::Failed { task, error, worker }) if task < tasks.len() => {
                    failed.push(FailedTask { task: tasks[task], error, worker });
                }
                Event::Note(Note::Done(())) => return Ok(failed),
                other => self.refuse(other)?,
            }
        }
    }

    fn start(remote: &Remote) -> Result<Self, RemoteError> {
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
        let last_words = Arc::default();
        let stdout = child.stdout.take().expect("it is a pipe");
        let (stderr, words) = (child.stderr.take().expect("it is a pipe"), Arc::clone(&last_words));
        std::thread::spawn(move || read_events(BufReader::with_capacity(1 << 16, stdout), &send));
        std::thread::spawn(move || read_words(stderr, &words));
        let (seen, grace, remote) = (RemoteProgress::default(), LONG_GRACE, remote.clone());
        Ok(Self { child, events, last_words, seen, grace, remote, _files: files })
    }

    /// Sends a line. A client that has ended already says why by itself.
    fn order(&mut self, order: &Value) {
        let _ = writeln!(self.child.stdin.as_mut().expect("it is a pipe"), "{order}");
    }

    fn next(&mut self, latest: &Latest) -> Result<Event, RemoteError> {
        loop {
            let event = self.events.recv_timeout(GLANCE);
            if latest.is_stale() {
                self.hurry();
                return Err(ExportError::Render(RenderError::Cancelled).into());
            }
            match event {
                Ok(Ok(event)) => return Ok(event),
                Ok(Err(error)) => return Err(RemoteError::Cluster(format!("what its client says is broken: {error}"))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(RemoteError::Cluster(self.early_end())),
            }
        }
    }

    /// What an event that has no place here means.
    fn refuse(&self, event: Event) -> Result<(), RemoteError> {
        Err(match event {
            Event::Note(Note::Progress(_)) => return Ok(()),
            Event::Note(Note::NoDask(error)) => RemoteError::NoDask { python: self.remote.python.clone(), error },
            Event::Note(Note::Error(error)) => RemoteError::Cluster(error),
            Event::Note(note) => RemoteError::Cluster(format!("its client says what makes no sense: {note:?}")),
            Event::Reply(n, _) => RemoteError::Cluster(format!("its client answers task {n}, which nobody gave it")),
        })
    }

    fn early_end(&mut self) -> String {
        let end = Instant::now() + SHORT_GRACE;
        let mut status = self.child.try_wait();
        while matches!(status, Ok(None)) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait();
        }
        let status = status.ok().flatten().map_or_else(|| "no exit code".into(), |status| status.to_string());
        let words = self.last_words.lock().expect("nothing panics while it holds this");
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        format!("its client ended early ({status}){words}")
    }

    /// Somebody waits for the end.
    fn hurry(&mut self) {
        self.grace = SHORT_GRACE;
    }
}

impl Drop for Session {
    /// Has it cancel its tasks, and ends it where that takes too long.
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let end = Instant::now() + self.grace;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
            // It would else wait for somebody to listen.
            if let Err(RecvTimeoutError::Disconnected) = self.events.recv_timeout(Duration::from_millis(5)) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Schedulers at `tls://` are reached with certificates alone.
fn check_certificates(remote: &Remote) -> Result<(), RemoteError> {
    let Some(folder) = &remote.tls else {
        let wants_some = remote.address.starts_with("tls://");
        return if wants_some { Err(RemoteError::NoCertificates(remote.address.clone())) } else { Ok(()) };
    };
    let files = ["ca.pem", "cert.pem", "key.pem"].map(|name| folder.join(name));
    match files.into_iter().find(|path| !path.is_file()) {
        Some(path) => Err(RemoteError::NoCertificate(path)),
        None => Ok(()),
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
fn read_events(mut from: BufReader<ChildStdout>, to: &SyncSender<io::Result<Event>>) {
    while from.fill_buf().is_ok_and(|bytes| !bytes.is_empty()) {
        let event = read_event(&mut from);
        let is_last = event.is_err();
        if to.send(event).is_err() || is_last {
            return;
        }
    }
}

/// One message; no more memory is taken than comes.
fn read_event(from: &mut dyn Read) -> io::Result<Event> {
    let mut numbers = [0; 8];
    from.read_exact(&mut numbers)?;
    let number = |k: usize| u32::from_le_bytes(std::array::from_fn(|i| numbers[4 * k + i]));
    let mut bytes = Vec::new();
    from.take(number(1).into()).read_to_end(&mut bytes)?;
    match (number(0), bytes.len() == number(1) as usize) {
        (_, false) => Err(io::ErrorKind::UnexpectedEof.into()),
        (NOTE, true) => Ok(Event::Note(serde_json::from_slice(&bytes)?)),
        (task, true) => Ok(Event::Reply(task as usize, bytes)),
    }
}

/// Keeps the last line that is not empty, for an end without another word.
fn read_words(from: ChildStderr, last: &Mutex<String>) {
    for line in BufReader::new(from).lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
        *last.lock().expect("nothing panics while it holds this") = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_and_no_others() {
        let message =
            |number: u32, bytes: &[u8]| [&number.to_le_bytes(), &(bytes.len() as u32).to_le_bytes(), bytes].concat();
        let read = |bytes: &[u8]| read_event(&mut &bytes[..]);
        assert!(matches!(read(&message(7, b"CDT1")), Ok(Event::Reply(7, reply)) if reply == b"CDT1"));
        let note = |text: &str| read(&message(NOTE, text.as_bytes()));
        let progress = r#"{"progress":{"done":1,"total":2,"workers":3,"threads":4,"dashboard":null,"warning":null}}"#;
        let expected = RemoteProgress { done: 1, total: 2, workers: 3, threads: 4, ..RemoteProgress::default() };
        assert!(matches!(note(progress), Ok(Event::Note(Note::Progress(found))) if found == expected));
        assert!(matches!(note(r#"{"done":null}"#), Ok(Event::Note(Note::Done(())))));
        let failed = note(r#"{"failed":{"task":5,"error":"e","worker":null}}"#);
        assert!(matches!(failed, Ok(Event::Note(Note::Failed { task: 5, error, worker: None })) if error == "e"));
        for text in ["", "{}", "[]", r#"{"done":1}"#, r#"{"failed":{"task":-1,"error":"e"}}"#, r#"{"other":1}"#] {
            assert!(note(text).is_err(), "{text}");
        }
        let whole = message(7, b"12345678");
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
        // A length beyond what comes reserves nothing.
        assert!(read(&[[1, 0, 0, 0], [255; 4], *b"few "].concat()).is_err());
    }
}
