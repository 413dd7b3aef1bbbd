//! `cardioid serve`: answers requests for tiles and frames, for programs that have a cluster's workers.

use std::io::{self, BufRead as _, Read as _};
use std::sync::mpsc;

use cardioid::cluster::serve::{MOST_LINE_BYTES, Server};
use cardioid::render::Newest;

use super::plan::engine_named;
use super::render::MOST_THREADS;
use super::{Failure, machine, values};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A request is a line of JSON; its reply is a tile, a frame, or what went wrong: docs/cluster.md has them all.
`cardioid render --cluster` starts this on workers by itself. The end of stdin ends the work.")]
pub struct Args {
    /// Read requests from stdin, and write replies to stdout
    #[arg(long, required = true)]
    stdio: bool,
    /// Threads to compute with [default: all]
    #[arg(long, value_name = "N", value_parser = values::whole::<MOST_THREADS>, allow_hyphen_values = true)]
    threads: Option<u32>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut server =
        Server::new(Box::new(move |key, job| engine_named(key, threads, job).map_err(|failure| failure.message)));
    let newest = Newest::default();
    let latest = newest.next();
    let (send, lines) = mpsc::sync_channel(1);
    // Whoever asked may die while a tile is drawn: nobody waits for it then.
    std::thread::spawn(move || {
        while let Some(line) = next_line()
            && send.send(line).is_ok()
        {}
        newest.cancel();
    });
    let mut out = io::stdout().lock();
    for line in lines {
        if latest.is_stale() || server.answer(&line, &latest, &mut out).is_err() {
            break;
        }
    }
    Ok(())
}

/// The next line of stdin. Of one that is too long only as much is kept as shows it.
fn next_line() -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let mut stdin = io::stdin().lock();
    stdin.by_ref().take(MOST_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).ok()?;
    if line.len() > MOST_LINE_BYTES && !line.ends_with(b"\n") {
        stdin.skip_until(b'\n').ok()?;
    }
    Some(line).filter(|line| !line.is_empty())
}
