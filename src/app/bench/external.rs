//! Other people's programs in our table: started once a frame, timed by themselves, compared like everyone.
//!
//! A program prints `seconds=…`, the time of its frame alone, and may write its counts to `{out}`:
//! little-endian u32, row by row, top row first, min(n, max), and max for the inside.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::render::{Field, Job, Latest, Sample};

/// Placeholders of a command.
const PLACEHOLDERS: [&str; 9] = ["xmin", "xmax", "ymin", "ymax", "width", "height", "max_iter", "threads", "out"];
/// Longest frame of an external program: past this it hangs.
const PATIENCE: Duration = Duration::from_secs(600);
/// Time between looks at whether it is done. Its own time is what counts, so this costs nothing.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A program to run.
#[derive(Debug)]
pub struct External {
    name: String,
    /// The program and its arguments, placeholders unfilled.
    words: Vec<String>,
    threads: usize,
    /// Where it writes its counts.
    folder: TempDir,
}

/// One frame of it.
#[derive(Debug)]
pub struct Frame {
    pub seconds: f64,
    /// What it wrote, if anything.
    pub counts: Option<Field>,
}

/// Why there is no frame.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    #[error("given up")]
    Cancelled,
    #[error("cannot start {program:?}: {source}")]
    Start { program: String, source: io::Error },
    #[error("{status}{}", .said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Failed { status: ExitStatus, said: Option<String> },
    #[error("it prints no seconds=…, the time of its frame")]
    Silent,
    #[error("it prints seconds={0}, which is no time")]
    NoTime(String),
    #[error("it wrote {found} bytes of counts where {expected} were due")]
    Counts { found: usize, expected: usize },
    #[error("no answer after {} s", PATIENCE.as_secs())]
    Hangs,
    #[error("files of its own cannot be had: {0}")]
    Files(#[from] io::Error),
}

impl External {
    /// Reads `NAME=COMMAND`; the command is split as a shell would, and no shell runs it.
    ///
    /// # Errors
    /// A message that says what is wrong and what would do.
    pub fn parse(text: &str, threads: usize) -> Result<Self, String> {
        let wanted = "give NAME=COMMAND, such as 'mine=./mine {xmin} {xmax} {ymin} {ymax} {width} {height} {max_iter}'";
        let (name, command) = text.split_once('=').ok_or_else(|| format!("{text:?} names no command; {wanted}"))?;
        let name = name.trim();
        if name.is_empty() || name.len() > 40 || name.contains(['|', '\n']) {
            return Err(format!("{name:?} is no name of at most 40 characters; {wanted}"));
        }
        let words = shlex::split(command).ok_or_else(|| format!("the quotes of {command:?} do not close"))?;
        if words.is_empty() {
            return Err(format!("{name:?} has an empty command; {wanted}"));
        }
        words.iter().try_for_each(|word| known_placeholders(word))?;
        let folder = tempfile::tempdir().map_err(|e| format!("no folder for its counts: {e}"))?;
        Ok(Self { name: name.into(), words, threads, folder })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it cannot be asked.
    pub fn lacks(&self, job: &Job) -> Option<String> {
        (job.viewport.rotation_degrees() != 0.0)
            .then(|| "external programs are given upright boxes; this view is turned".into())
    }

    /// Runs it on every pixel of a job.
    ///
    /// # Errors
    /// `ExternalError`; the program is ended first if it still runs.
    pub fn run(&self, job: &Job, latest: &Latest) -> Result<Frame, ExternalError> {
        let out = self.folder.path().join("counts.u32");
        let _ = std::fs::remove_file(&out); // There is none before the first frame.
        let words: Vec<_> = self.words.iter().map(|word| filled(word, job, self.threads, &out)).collect();
        let mut said = tempfile::tempfile()?;
        let child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said.try_clone()?)
            .spawn()
            .map_err(|source| ExternalError::Start { program: words[0].clone(), source })?;
        let status = wait(child, latest)?;
        let said = text_of(&mut said)?;
        if !status.success() {
            let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            return Err(ExternalError::Failed { status, said: last.map(shortened) });
        }
        Ok(Frame { seconds: seconds_in(&said)?, counts: counts(&out, job)? })
    }
}

/// Waits for a program to end, and ends it where nobody wants its frame any more.
fn wait(mut child: Child, latest: &Latest) -> Result<ExitStatus, ExternalError> {
    let begun = Instant::now();
    loop {
        let error = match child.try_wait()? {
            // Ctrl+C reaches the program too: that it failed then says nothing.
            _ if latest.is_stale() => ExternalError::Cancelled,
            Some(status) => return Ok(status),
            None if begun.elapsed() > PATIENCE => ExternalError::Hangs,
            None => {
                std::thread::sleep(LOOK_EVERY);
                continue;
            }
        };
        let _ = child.kill(); // It may have ended by itself.
        let _ = child.wait();
        return Err(error);
    }
}

/// The last `seconds=…` of an output.
fn seconds_in(text: &str) -> Result<f64, ExternalError> {
    let (_, rest) = text.rsplit_once("seconds=").ok_or(ExternalError::Silent)?;
    let number = rest.split(|c: char| !c.is_ascii_alphanumeric() && !".+-".contains(c)).next().unwrap_or_default();
    let seconds = number.trim_end_matches('s').parse::<f64>().ok().filter(|s| s.is_finite() && *s > 0.0);
    seconds.ok_or_else(|| ExternalError::NoTime(shortened(number)))
}

/// What a program wrote, if it wrote anything, as samples: the cap stands for the inside.
fn counts(path: &std::path::Path, job: &Job) -> Result<Option<Field>, ExternalError> {
    let Ok(bytes) = std::fs::read(path) else { return Ok(None) };
    let [width, height] = job.size();
    let expected = width as usize * height as usize * 4;
    if bytes.len() != expected {
        return Err(ExternalError::Counts { found: bytes.len(), expected });
    }
    let count = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("chunks of four"));
    let sample = |n: u32| Sample { iterations: if n >= job.max_iterations() { 0 } else { n }, fraction: 0.0 };
    let samples = bytes.chunks_exact(4).map(|bytes| sample(count(bytes))).collect();
    Ok(Some(Field::from_samples([width, height], samples)))
}

/// Refuses words with placeholders that mean nothing.
fn known_placeholders(word: &str) -> Result<(), String> {
    for part in word.split('{').skip(1) {
        let name = part.split('}').next().unwrap_or_default();
        if !PLACEHOLDERS.contains(&name) {
            return Err(format!("{{{name}}} means nothing here; there are {{{}}}", PLACEHOLDERS.join("}, {")));
        }
    }
    Ok(())
}

/// A word of the command for one job.
fn filled(word: &str, job: &Job, threads: usize, out: &std::path::Path) -> String {
    let view = &job.viewport;
    let [width, height] = view.size();
    let half_height = view.height().half();
    let half_width = match view.stretched_width() {
        Some(width) => width.half(),
        None => half_height.scaled(f64::from(width) / f64::from(height), 18),
    };
    let center = view.center();
    let values = [
        (&center.re - &half_width).to_f64().to_string(),
        (&center.re + &half_width).to_f64().to_string(),
        (&center.im - &half_height).to_f64().to_string(),
        (&center.im + &half_height).to_f64().to_string(),
        width.to_string(),
        height.to_string(),
        job.max_iterations().to_string(),
        threads.to_string(),
        out.display().to_string(),
    ];
    let pairs = PLACEHOLDERS.iter().zip(&values);
    pairs.fold(word.to_owned(), |word, (name, value)| word.replace(&format!("{{{name}}}"), value))
}

/// All that a program printed, stdout and stderr in order.
fn text_of(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// As much of a line as a cell of the table holds.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_time_counts_and_nonsense_is_named() {
        for (text, expected) in [
            ("seconds=0.5", Some(0.5)),
            ("seconds=9 warm-up\nframe: seconds=1.25e-2 file=x", Some(0.0125)),
            ("seconds=2s", Some(2.0)),
            ("seconds=inf", None),
            ("seconds=-1", None),
            ("seconds=0", None),
            ("seconds=", None),
            ("0.5 s", None),
        ] {
            assert_eq!(seconds_in(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn commands_are_split_and_checked() {
        let external = External::parse("c=./a.out '{width} by' {out}", 2).unwrap();
        assert_eq!((external.name(), &external.words[1..]), ("c", &["{width} by".to_owned(), "{out}".into()][..]));
        for (text, part) in [
            ("c", "NAME=COMMAND"),
            ("=./a.out", "no name"),
            ("c=", "empty command"),
            ("c='a", "do not close"),
            ("c=a {depth}", "{depth}"),
        ] {
            let said = External::parse(text, 2).map(|_| ()).unwrap_err();
            assert!(said.contains(part), "{text}: {said}");
        }
    }
}
