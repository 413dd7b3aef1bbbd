//! Options of all commands that a cluster can work for.

use std::path::PathBuf;

use cardioid::app::Address;
use cardioid::cluster::{Remote, RemoteError, this_platform};

use super::{Failure, values};

/// Where its options stand in the help.
pub const HEADING: &str = "On a cluster (docs/cluster.md)";

#[derive(Debug, clap::Args)]
#[command(next_help_heading = HEADING)]
pub struct ClusterArgs {
    /// Draw on a Dask cluster: local, tcp://HOST:PORT, tls://HOST:PORT, or file:///… of a scheduler file
    #[arg(long, value_name = "ADDRESS")]
    cluster: Option<Address>,
    /// How often a task that failed is tried again
    #[arg(long, value_name = "N", default_value = "2", requires = "cluster",
        value_parser = |text: &str| values::whole_from(0, 100, text))]
    retries: u32,
    /// Most tasks under way [default: three for each thread of the cluster, 4 at least]
    #[arg(long, value_name = "N", requires = "cluster", value_parser = values::whole::<100_000>)]
    in_flight: Option<u32>,
    /// Folder of ca.pem, cert.pem and key.pem, for schedulers that want TLS
    #[arg(long, value_name = "DIR", requires = "cluster")]
    tls: Option<PathBuf>,
    /// This program for workers of another platform, such as aarch64-linux=cardioid-arm
    #[arg(long = "binary", value_name = "PLATFORM=FILE", requires = "cluster", value_parser = program)]
    programs: Vec<(String, PathBuf)>,
}

impl ClusterArgs {
    /// The cluster that is to draw, if one is.
    pub fn remote(&self) -> Result<Option<Remote>, Failure> {
        let Some(address) = self.cluster.clone() else { return Ok(None) };
        if let Some((_, path)) = self.programs.iter().find(|(_, path)| !path.is_file()) {
            let message = format_args!("there is no such file (--binary): {}", path.display());
            return Err(Failure::asked_wrongly(message));
        }
        Ok(Some(Remote {
            address: address.to_string(),
            tls: self.tls.clone(),
            retries: self.retries,
            in_flight: self.in_flight,
            programs: self.programs.clone(),
            python: Remote::usual_python(),
        }))
    }

    pub fn is_given(&self) -> bool {
        self.cluster.is_some()
    }

    /// What is said where a cluster is to draw what none can.
    pub fn not_for(&self, what: &str) -> Failure {
        Failure::asked_wrongly(format_args!("{what} is drawn on one machine alone; leave --cluster out"))
    }
}

fn program(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((platform, path)) if platform.contains('-') && !path.is_empty() => Ok((platform.into(), path.into())),
        _ => Err(format!("say the platform and the file, as {}=FILE", this_platform())),
    }
}

impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Export(error) => error.into(),
            RemoteError::Unfinished { error, kept } => {
                let Self { code, message } = (*error).into();
                Self { code, message: format!("{message}; {kept}") }
            }
            error => Self { code: error.exit_code(), message: error.to_string() },
        }
    }
}
