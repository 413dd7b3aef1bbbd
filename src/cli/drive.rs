//! `cardioid drive`: plays a script without a hand on the mouse, and says how fast everything was.

use std::io::Read as _;
use std::path::PathBuf;

use cardioid::app::Command;
use cardioid::app::bench::Facts;
use cardioid::app::script::{Driver, Ended, Record, Script, ScriptError, WORDS};
use cardioid::ui::{self, WINDOW_SIZE, WindowError};
use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::machine::{machine, window_threads};
use super::plan::cancelled_by_ctrl_c;
use super::{Failure, print, say, values};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A script has a command a line, such as zoom-at 640 400 1.25, engine tiles, export a.png; wait-settled waits until the
picture is complete, wait 0.5 lets time pass, repeat 20 does a command in each of twenty frames. --words lists them all.
Without a display, or with --headless, everything is done but the painting. docs/drive.md tells the rest.")]
pub struct Args {
    /// A file, the name of a script that came with the program, or - for stdin
    #[arg(required_unless_present = "words")]
    script: Option<String>,
    /// Write what was measured, as JSON
    #[arg(long, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(values::file))]
    record: Option<PathBuf>,
    /// Open no window, even where there is a display
    #[arg(long, conflicts_with = "window")]
    headless: bool,
    /// Open a window, or fail
    #[arg(long)]
    window: bool,
    /// Size of the window in pixels, panels and all [default: 1280x800 points]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = values::size)]
    size: Option<[u32; 2]>,
    /// Threads of the CPU engines [default: as the window has them]
    #[arg(long, value_name = "N", value_parser = values::whole::<1024>)]
    threads: Option<u32>,
    /// The engine to begin with
    #[arg(long, value_name = "KEY")]
    engine: Option<String>,
    /// List the words of scripts
    #[arg(long)]
    words: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if args.words {
        return list_words();
    }
    let script = args.script()?;
    let threads = args.threads.map_or_else(window_threads, |threads| threads as usize);
    // Before the work: a record that cannot be written would be found out too late.
    if let Some(path) = &args.record {
        std::fs::File::create(path).map_err(|e| unwritten(path, &e))?;
    }
    let wants_gpu = script.commands().any(|c| matches!(c, Command::SetEngine(e) if e.key().contains("gpu")));
    let driver = Driver::new(script, cancelled_by_ctrl_c());
    let (driver, mode, facts) = args.play(driver, threads, wants_gpu)?;
    let line = driver.ended().cloned();
    let record = driver.into_record(mode);
    for line in record.table() {
        print(line)?;
    }
    if let Some(path) = &args.record {
        let text = format!("{:#}\n", record.json(&facts));
        std::fs::write(path, text).map_err(|e| unwritten(path, &e))?;
    }
    outcome(line, &record)
}

impl Args {
    fn script(&self) -> Result<Script, Failure> {
        let argument = self.script.as_deref().unwrap_or_default();
        let script = if argument == "-" {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|e| Failure::could_not(format_args!("cannot read the script from stdin: {e}")))?;
            Script::parse("stdin", &text)
        } else {
            Script::open(argument)
        }?;
        let Some(engine) = &self.engine else { return Ok(script) };
        let words = ["engine".to_owned(), engine.clone()];
        let command = Command::from_words(&words).map_err(|why| Failure::asked_wrongly(format_args!("--{why}")))?;
        Ok(script.after(command))
    }

    /// Plays it in a window, or where there is none and none is asked for, without one.
    fn play(&self, driver: Driver, threads: usize, wants_gpu: bool) -> Result<(Driver, &'static str, Facts), Failure> {
        let mut driver = driver;
        if !self.headless {
            let (back, shown) = ui::drive(driver, self.size, threads);
            match shown {
                Ok(()) => return Ok((back, "window", Facts::of(&machine(threads, true)?))),
                Err(WindowError::NoDisplay(reason)) if !self.window => {
                    say(format_args!("cardioid: no display here ({reason}): played without a window"));
                    driver = back;
                }
                Err(error) => return Err(Failure::could_not(error)),
            }
        }
        let machine = machine(threads, wants_gpu)?;
        let size = self.size.unwrap_or(WINDOW_SIZE);
        ui::drive_headless(&mut driver, &machine, size)
            .map_err(|e| Failure::could_not(format_args!("no thread to draw on: {e}")))?;
        Ok((driver, "headless", Facts::of(&machine)))
    }
}

/// What is to be said of the end.
fn outcome(ended: Option<Ended>, record: &Record) -> Result<(), Failure> {
    match ended {
        Some(Ended::Complete) => Ok(()),
        Some(Ended::Failed { line, why, asked_wrongly }) => {
            Err(Failure::new(format_args!("{}, line {line}: {why}", record.script), asked_wrongly))
        }
        Some(Ended::Interrupted) | None => {
            let line = record.steps.last().map_or(0, |step| step.line);
            Err(Failure::could_not(format_args!("interrupted in line {line} of {}", record.script)))
        }
    }
}

fn unwritten(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::could_not(format_args!("cannot write the record: {error}: {}", path.display()))
}

fn list_words() -> Result<(), Failure> {
    let commands = Command::FORMS.iter().map(|form| (form.name, form.arguments, form.about));
    WORDS.into_iter().chain(commands).try_for_each(|(name, arguments, about)| {
        print(format_args!("{:<38}  {about}", format!("{name} {arguments}").trim_end()))
    })
}

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Self {
        Self::new(&error, error.is_asked_wrongly())
    }
}
