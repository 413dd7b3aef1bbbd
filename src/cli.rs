//! The command line: window, `render`, `assemble`, `animate`, `orbit`, `locate`, `bench`, `drive`, `serve`, `engines`.
//!
//! [`main`] reads the arguments, runs one command, and turns what went wrong into one message and
//! an exit code: 0 done, 1 could not do it, 2 asked wrongly; of clusters, 3 a tile is missing, 4 there is no Dask.

mod animate;
mod assemble;
mod bench;
mod cluster;
mod drive;
mod engines;
mod locate;
mod machine;
mod orbit;
mod plan;
mod progress;
mod render;
mod serve;
mod values;
mod window;

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use cardioid::app::LocationError;
use cardioid::app::animation::AnimationError;
use cardioid::app::export::ExportError;
use cardioid::cluster::PartError;
use cardioid::render::{RenderError, ViewportError};
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  cardioid                                   open the window at the home view
  cardioid seahorse-valley                   open it at a named place
  cardioid picture.png                       open it where a saved picture was made
  cardioid render --out set.png              draw the home view without a window
  cardioid render seahorse-valley --size 3840x2160 --supersample 3 --out wallpaper.png
  cardioid render --center \"-0.7436,0.1318\" --height 1e-3 --max-iterations 5000 --out here.png
  cardioid render home --out counts.npy      iteration counts for NumPy
  cardioid assemble part-*.cdt --out big.png   put a picture together that many machines drew (render --part)
  cardioid animate --view bifurcation-complex --out section.mp4
  cardioid orbit -0.75,0.1                   list an orbit, and say what becomes of it
  cardioid locate --center \"-0.7436,0.1318\" --height 1e-3   find the minibrot in view
  cardioid bench --chart bench.png           time every engine on this machine, and draw it
  cardioid drive seahorse-dive               play a script, and say how fast everything was
  cardioid engines                           what can compute on this machine";

/// Cardioid: explore the Mandelbrot set.
///
/// Without a command the explorer's window opens.
#[derive(Debug, Parser)]
#[command(name = "cardioid", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
struct Cli {
    /// Where to begin: a location file (.toml), a PNG that Cardioid wrote, a named place, or a point like -0.75+0.1i
    location: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Draw a picture, or write iteration counts, without a window
    Render(Box<render::Args>),
    /// Put the parts of a picture together that `render --part` wrote
    Assemble(assemble::Args),
    /// Draw what moves, frame by frame, as numbered pictures or a film
    Animate(Box<animate::Args>),
    /// List the orbit of 0 under z² + c, and say what becomes of it
    Orbit(orbit::Args),
    /// Find the minibrot in a view, or the centre of its spiral: period, place, size and turn
    Locate(locate::Args),
    /// Time engines, and other programs, side by side on named views
    Bench(Box<bench::Args>),
    /// Play a script in the window or without one, and say how fast everything was
    Drive(drive::Args),
    /// Draw tiles for a cluster, as requests on stdin ask for them
    Serve(serve::Args),
    /// List the engines: which are there, what they are, or why they are not
    Engines(engines::Args),
}

/// What ended a command: a message, and the exit code.
#[derive(Debug)]
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    const COULD_NOT: u8 = 1;
    const ASKED_WRONGLY: u8 = 2;

    /// The one or the other.
    fn new(message: impl fmt::Display, asked_wrongly: bool) -> Self {
        if asked_wrongly { Self::asked_wrongly(message) } else { Self::could_not(message) }
    }

    /// The request makes no sense: exit code 2.
    fn asked_wrongly(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), code: Self::ASKED_WRONGLY }
    }

    /// The request is fine, and cannot be done: exit code 1.
    fn could_not(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), code: Self::COULD_NOT }
    }
}

impl From<LocationError> for Failure {
    fn from(error: LocationError) -> Self {
        match error {
            LocationError::Read { .. } => Self::could_not(error),
            _ => Self::asked_wrongly(error),
        }
    }
}

impl From<ViewportError> for Failure {
    fn from(error: ViewportError) -> Self {
        Self::asked_wrongly(error)
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Render(RenderError::Cancelled) => Self::could_not("interrupted; no file was written"),
            error => Self::new(&error, error.is_asked_wrongly()),
        }
    }
}

impl From<PartError> for Failure {
    fn from(error: PartError) -> Self {
        match error {
            PartError::Export(error) => error.into(),
            error => Self::new(&error, error.is_asked_wrongly()),
        }
    }
}

impl From<AnimationError> for Failure {
    fn from(error: AnimationError) -> Self {
        Self::new(&error, error.is_asked_wrongly())
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(values::with_bare_points(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout with code 0; a reader that has gone away is no error.
            let text = error.to_string();
            if error.use_stderr() && text.len() > MOST_BYTES {
                say(without_middle(&text).trim_end());
            } else {
                let _ = error.print();
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let done = match cli.command {
        None => window::open(cli.location.as_deref()),
        Some(Command::Render(args)) => render::run(&args),
        Some(Command::Assemble(args)) => assemble::run(&args),
        Some(Command::Animate(args)) => animate::run(&args),
        Some(Command::Orbit(args)) => orbit::run(&args),
        Some(Command::Locate(args)) => locate::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Drive(args)) => drive::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Engines(args)) => engines::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { message, code }) => {
            say(format_args!("cardioid: {}", without_middle(&message)));
            ExitCode::from(code)
        }
    }
}

/// Longest message; a path may take most of it.
const MOST_BYTES: usize = 6000;

/// The message, or its beginning and end where someone gave a page for a word: its end says what to do.
fn without_middle(message: &str) -> String {
    if message.len() <= MOST_BYTES {
        return message.to_owned();
    }
    let (start, end) = (message.floor_char_boundary(200), message.ceil_char_boundary(message.len() - 1000));
    format!("{} … {}", &message[..start], &message[end..])
}

/// Writes a line to stderr; where nobody listens, nothing is said.
fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a line to stdout. A reader that has gone away (`| head`) is no error.
fn print(line: impl fmt::Display) -> Result<(), Failure> {
    match writeln!(io::stdout(), "{line}") {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Failure::could_not(format_args!("cannot print: {e}"))),
        _ => Ok(()),
    }
}
