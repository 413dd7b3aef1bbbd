//! Clusters as the app knows them: where one is, who is there, and how far it is with a picture.
//!
//! The app can reach none itself. Whoever can gives the explorer a [`Cluster`]; [`Trial`] asks it who is there, and the saver has it
//! draw.

mod trial;
mod work;

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::animation::Recording;
use super::export::Destination;
use super::location::Location;
use super::saver::Saved;
use crate::color::DiagramScheme;
use crate::engine::Engine;
use crate::render::{Job, Latest};

pub use trial::Trial;
pub use work::ClusterWork;

/// Where a cluster is, as people write it: `local`, `tcp://HOST:PORT`, `tls://HOST:PORT`, or `file:///…` of a scheduler file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address(String);

/// A cluster that can be asked: its address, and what is needed to be let in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Site {
    pub address: Address,
    /// Folder of `ca.pem`, `cert.pem` and `key.pem`.
    pub certificates: Option<PathBuf>,
}

/// What is wrong with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address is local, tcp://HOST:PORT, tls://HOST:PORT, or file:///… of a scheduler file")]
pub struct NoAddress;

/// Who is at a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub workers: u64,
    pub threads: u64,
    pub dashboard: Option<String>,
}

/// How far a cluster is with a picture or an animation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterProgress {
    /// Tiles, or frames.
    pub done: u64,
    pub total: u64,
    pub workers: u64,
    pub dashboard: Option<String>,
    /// Something that somebody should know; it is told once.
    pub warning: Option<String>,
}

/// A picture that a cluster is to draw.
pub struct Order {
    pub site: Site,
    /// The whole picture, one sample a pixel.
    pub job: Job,
    /// What the picture says of itself, with nothing left to a default.
    pub location: Location,
    /// Colours, where it is a diagram.
    pub scheme: DiagramScheme,
    /// Measures here what follows from the picture as a whole, and says by its key who draws there.
    pub engine: Box<dyn Engine>,
    pub destination: Destination,
    /// Tiles that were drawn before and are not used may go.
    pub overwrite: bool,
    /// They are used.
    pub resume: bool,
}

/// What reaches clusters. All are called on threads of their own, and end soon once `latest` is stale.
pub trait Cluster: Send + Sync {
    /// Goes there, looks, and leaves.
    ///
    /// # Errors
    /// Why that was not possible, for people.
    fn look(&self, site: &Site, latest: &Latest) -> Result<Seen, String>;

    /// Has the picture drawn, and writes it: the file that this machine writes, byte for byte.
    fn draw(&self, order: Order, latest: &Latest, progress: &dyn Fn(ClusterProgress)) -> Saved;

    /// Has the frames drawn that a recording lacks, and writes what this machine would.
    fn record(&self, site: &Site, recording: Recording, latest: &Latest, progress: &dyn Fn(ClusterProgress)) -> Saved;
}

impl Address {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether nobody is let in there without certificates.
    pub fn needs_certificates(&self) -> bool {
        self.0.starts_with("tls://")
    }
}

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Self, NoAddress> {
        let has_port = |rest: &str| {
            rest.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        let is_sound = match text.split_once("://") {
            Some(("tcp" | "tls", rest)) => has_port(rest),
            Some(("file", rest)) => rest.starts_with('/'),
            _ => text == "local",
        };
        if is_sound { Ok(Self(text.into())) } else { Err(NoAddress) }
    }
}

impl TryFrom<String> for Address {
    type Error = NoAddress;

    fn try_from(text: String) -> Result<Self, NoAddress> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.0
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n| if n == 1 { "" } else { "s" };
        match (self.workers, self.threads) {
            (0, _) => f.write_str("the scheduler answers, and has no workers yet; start some: dask worker ADDRESS"),
            (workers, threads) => {
                write!(f, "{workers} worker{} with {threads} thread{}", plural(workers), plural(threads))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_as_people_write_them() {
        for (text, is_one) in [
            ("local", true),
            ("tcp://192.168.0.5:8786", true),
            ("tcp://[::1]:8786", true),
            ("tls://scheduler.example:8786", true),
            ("file:///shared/scheduler.json", true),
            ("", false),
            ("here", false),
            ("tcp://host", false),
            ("tcp://:8786", false),
            ("tcp://host:99999", false),
            ("file://shared/scheduler.json", false),
            ("http://host:8787", false),
            (" local", false),
        ] {
            assert_eq!(text.parse::<Address>().is_ok(), is_one, "{text:?}");
        }
    }

    #[test]
    fn who_is_there_is_told_in_a_line() {
        let seen = |workers, threads| Seen { workers, threads, dashboard: None }.to_string();
        assert_eq!(seen(1, 1), "1 worker with 1 thread");
        assert_eq!(seen(3, 12), "3 workers with 12 threads");
        assert!(seen(0, 0).contains("dask worker"));
    }
}
