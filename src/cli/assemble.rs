//! `cardioid assemble`: parts of a picture put together.

use std::path::PathBuf;
use std::time::Instant;

use cardioid::app::export::{Destination, Estimate, FileKind};
use cardioid::cluster::Assembly;
use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::plan::cancelled_by_ctrl_c;
use super::progress::Bar;
use super::{Failure, say, values};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file is byte for byte the one that a single `cardioid render` of the whole picture writes. Parts may come in any order;
they stay where they are.

  cardioid render seahorse-valley --size 30000x20000 --part 1/4 --out part-1.cdt     # and 2/4, 3/4, 4/4, anywhere
  cardioid assemble part-*.cdt --out big.png")]
pub struct Args {
    /// Parts of one picture, all of them, as `cardioid render --part` wrote them
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// File to write: .png, or of numbers .npy or .u32
    #[arg(long, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(values::file),
        allow_hyphen_values = true)]
    out: PathBuf,
    /// Replace FILE where it is there already
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let start = Instant::now();
    let (kind, path) = FileKind::of(&args.out)?;
    let assembly = Assembly::of(&args.parts)?;
    let [width, height] = assembly.size();
    let destination = Destination::open(&path, args.force)?;
    let estimate = Estimate::of(assembly.size(), 1);
    let bar = Bar::new(estimate.samples, estimate.label());
    assembly.write(kind, destination, &cancelled_by_ctrl_c(), &|progress| bar.show(progress))?;
    drop(bar);
    let (count, seconds) = (args.parts.len(), start.elapsed().as_secs_f64());
    let parts = if count == 1 { "1 part".into() } else { format!("{count} parts") };
    say(format_args!("{width}x{height} of {parts}: seconds={seconds:.6} file={}", path.display()));
    Ok(())
}
