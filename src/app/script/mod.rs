//! Scripts: commands one a line, and waits between them, played without a hand on the mouse.
//!
//! [`Script`] is what was written, [`Driver`] plays it frame by frame on whatever shows an explorer, and [`Record`] is what
//! it measured. `docs/drive.md` tells the format.

mod driver;
mod record;

use std::path::{Path, PathBuf};
use std::time::Duration;

use include_dir::{Dir, include_dir};

pub use driver::{Driver, Due, Ended, Sight};
pub use record::{Record, StepRecord};

use super::command::{Command, NotUnderstood};
use crate::math::shortened;

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/scripts");

/// A script of more bytes than this is none.
const MOST_BYTES: usize = 1 << 20;
/// Times that a line may be repeated.
const MOST_REPEATS: u32 = 100_000;
/// How long a picture may take to settle unless the line says otherwise.
const LONGEST_SETTLING: Duration = Duration::from_secs(60);
/// Longest wait that a line may ask for, in seconds.
const LONGEST_WAIT: f64 = 86_400.0;

/// The words that only scripts have: (name, arguments, what it does).
pub const WORDS: [(&str, &str, &str); 4] = [
    ("wait", "SECONDS", "lets time pass"),
    (
        "wait-settled",
        "[SECONDS]",
        "waits until the picture is complete and nothing moves, for a minute at most or so long",
    ),
    ("size", "WIDTHxHEIGHT", "gives the window a size, panels and all, in pixels"),
    ("repeat", "N [every SECONDS] COMMAND", "does a command N times, one a frame or so many seconds apart"),
];

/// What a script does, line by line.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Its name, or the file's.
    pub name: String,
    lines: Vec<Line>,
}

/// One line that does something.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    /// Counted from 1; 0 for what was asked for on the command line.
    number: usize,
    text: String,
    action: Action,
}

#[derive(Clone, Debug, PartialEq)]
enum Action {
    Command { command: Command, times: u32, every: Duration },
    Wait(Duration),
    WaitSettled(Duration),
    Size([u32; 2]),
}

/// Why there is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("there is no script {0:?}, neither a file nor one that came with the program: {1}")]
    NoSuch(String, String),
    #[error("cannot read the script: {reason}: {}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("{name}, line {line}: {why}")]
    Line { name: String, line: usize, why: NotUnderstood },
    #[error("{0} does nothing: it has neither a command nor a wait")]
    Empty(String),
}

impl ScriptError {
    /// The request makes no sense, whatever the machine.
    pub fn is_asked_wrongly(&self) -> bool {
        !matches!(self, Self::Read { .. })
    }
}

impl Script {
    /// Names of the scripts that came with the program.
    pub fn named() -> Vec<&'static str> {
        let mut keys: Vec<_> = FILES.files().filter_map(|file| file.path().file_stem()?.to_str()).collect();
        keys.sort_unstable();
        keys
    }

    /// Opens what a user names: a file, or a script that came with the program.
    ///
    /// # Errors
    /// [`ScriptError`] says what was found and what would do.
    pub fn open(argument: &str) -> Result<Self, ScriptError> {
        let path = Path::new(argument);
        if path.is_file() {
            let failed = |reason: String| ScriptError::Read { path: path.into(), reason };
            let bytes = std::fs::read(path).map_err(|e| failed(e.to_string()))?;
            let text = String::from_utf8(bytes).map_err(|_| failed("it is not text".into()))?;
            return Self::parse(argument, &text);
        }
        let own = FILES.files().find(|file| file.path().file_stem().is_some_and(|stem| stem == argument));
        match own.and_then(|file| file.contents_utf8()) {
            Some(text) => Self::parse(argument, text),
            None => Err(ScriptError::NoSuch(shortened(argument), Self::named().join(", "))),
        }
    }

    /// Reads a script; `name` stands in messages.
    ///
    /// # Errors
    /// [`ScriptError::Line`] at the first line that is not understood.
    pub fn parse(name: &str, text: &str) -> Result<Self, ScriptError> {
        if text.len() > MOST_BYTES {
            let reason = format!("a script has at most {MOST_BYTES} bytes and this has more");
            return Err(ScriptError::Read { path: name.into(), reason });
        }
        let mut lines = Vec::new();
        for (index, text) in text.lines().enumerate() {
            let number = index + 1;
            let wrong = |why| ScriptError::Line { name: name.into(), line: number, why };
            // shlex leaves out comments, and knows what a quoted # is.
            let words = shlex::split(text).ok_or_else(|| wrong(NotUnderstood::new("a quote is not closed")))?;
            if words.is_empty() {
                continue;
            }
            let action = Action::read(&words).map_err(wrong)?;
            lines.push(Line { number, text: text.trim().into(), action });
        }
        if lines.is_empty() {
            return Err(ScriptError::Empty(name.into()));
        }
        Ok(Self { name: name.into(), lines })
    }

    /// The same script after a command that stands nowhere in it.
    pub fn after(mut self, command: Command) -> Self {
        let text = command.line();
        let action = Action::Command { command, times: 1, every: Duration::ZERO };
        self.lines.insert(0, Line { number: 0, text, action });
        self
    }

    /// Every command of it, once each.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.lines.iter().filter_map(|line| match &line.action {
            Action::Command { command, .. } => Some(command),
            _ => None,
        })
    }
}

impl Action {
    fn read(words: &[String]) -> Result<Self, NotUnderstood> {
        let (name, arguments) = words.split_first().ok_or_else(|| NotUnderstood::new("a command is wanted here"))?;
        match (name.as_str(), arguments) {
            ("wait", [seconds]) => Ok(Self::Wait(read_seconds(seconds)?)),
            ("wait-settled", []) => Ok(Self::WaitSettled(LONGEST_SETTLING)),
            ("wait-settled", [seconds]) => Ok(Self::WaitSettled(read_seconds(seconds)?)),
            ("size", [size]) if size.contains('x') => read_size(size.split('x').collect::<Vec<_>>().as_slice()),
            ("size", [width, height]) => read_size(&[width, height]),
            ("repeat", [times, every, seconds, command @ ..]) if every == "every" => {
                Self::repeated(times, read_seconds(seconds)?, command)
            }
            ("repeat", [times, command @ ..]) => Self::repeated(times, Duration::ZERO, command),
            (name, _) => match WORDS.iter().find(|(word, ..)| *word == name) {
                Some((_, form, _)) => Err(NotUnderstood::new(format_args!("{name} is {name} {form}"))),
                None => {
                    let known = Command::FORMS.iter().map(|form| form.name);
                    if !known.clone().any(|known| known == name) {
                        let known = known.chain(WORDS.map(|(word, ..)| word));
                        return Err(NotUnderstood::unknown("command", name, known));
                    }
                    let command = Command::from_words(words)?;
                    Ok(Self::Command { command, times: 1, every: Duration::ZERO })
                }
            },
        }
    }

    fn repeated(times: &str, every: Duration, command: &[String]) -> Result<Self, NotUnderstood> {
        let wanted =
            || NotUnderstood::new(format_args!("a number of times is wanted, from 1 to {MOST_REPEATS}, not {times:?}"));
        let times = times.parse().ok().filter(|times| (1..=MOST_REPEATS).contains(times)).ok_or_else(wanted)?;
        Ok(Self::Command { command: Command::from_words(command)?, times, every })
    }
}

fn read_seconds(text: &str) -> Result<Duration, NotUnderstood> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=LONGEST_WAIT).contains(seconds));
    let wanted = || NotUnderstood::new(format_args!("seconds are wanted, from 0 to {LONGEST_WAIT}, not {text:?}"));
    seconds.map(Duration::from_secs_f64).ok_or_else(wanted)
}

fn read_size(sides: &[&str]) -> Result<Action, NotUnderstood> {
    let sides: Vec<u32> = sides.iter().filter_map(|side| side.trim().parse().ok()).collect();
    match sides[..] {
        [width, height] if [width, height].iter().all(|side| (1..=16_384).contains(side)) => {
            Ok(Action::Size([width, height]))
        }
        _ => Err(NotUnderstood::new("a size is WIDTHxHEIGHT, each from 1 to 16384, such as 1280x800")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_came_with_the_program_are_read() {
        assert!(Script::named().len() >= 4);
        for name in Script::named() {
            let script = Script::open(name).unwrap_or_else(|why| panic!("{why}"));
            assert!(script.commands().count() > 1, "{name}");
        }
    }

    #[test]
    fn comments_quotes_and_words_of_scripts() {
        let text = "# a comment\n\nsize 640 400 # here, too\nrepeat 3 every 0.05 zoom-at 1 2 1.25\nwait-settled\n\
                    wait-settled 5\nwait 0.5\nexport 'a #1.png'\n";
        let script = Script::parse("a test", text).unwrap();
        let actions: Vec<_> = script.lines.iter().map(|line| (line.number, line.action.clone())).collect();
        let command = |line: &str, times, seconds| Action::Command {
            command: line.parse().unwrap(),
            times,
            every: Duration::from_secs_f64(seconds),
        };
        assert_eq!(
            actions,
            [
                (3, Action::Size([640, 400])),
                (4, command("zoom-at 1 2 1.25", 3, 0.05)),
                (5, Action::WaitSettled(LONGEST_SETTLING)),
                (6, Action::WaitSettled(Duration::from_secs(5))),
                (7, Action::Wait(Duration::from_millis(500))),
                (8, command("export 'a #1.png'", 1, 0.0)),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_file_and_line() {
        for (text, parts) in [
            ("home\nwait", &["a test, line 2: ", "wait is wait SECONDS"][..]),
            ("wait -1", &["line 1", "\"-1\""]),
            ("wait nan", &["\"nan\""]),
            ("wait-setled", &["\"wait-setled\"", "\"wait-settled\""]),
            ("repeat 0 home", &["1 to 100000"]),
            ("repeat 3 hom", &["\"hom\"", "\"home\""]),
            ("repeat 3", &["a command is wanted"]),
            ("size 10", &["size is size WIDTHxHEIGHT"]),
            ("size 0x5", &["16384"]),
            ("# nothing", &["a test does nothing"]),
        ] {
            let said = Script::parse("a test", text).expect_err(text).to_string();
            for part in parts {
                assert!(said.contains(part), "{text:?}: {said}");
            }
        }
    }
}
