//! Dask clusters for the window: what its saver asks of a [`Cluster`].

use std::path::PathBuf;

use super::{Begin, Diagrams, Kept, PartialError, Remote, RemoteError, RemotePicture, RemoteProgress, Session, Spec};
use crate::app::animation::Recording;
use crate::app::export::{ExportError, Panels};
use crate::app::{Cluster, ClusterProgress, Order, Saved, Seen, Site};
use crate::render::{Latest, Task};

/// How often a tile that failed is tried again.
const RETRIES: u32 = 2;

/// Clusters that the Python client reaches.
#[derive(Clone, Debug)]
pub struct Dask {
    /// The interpreter.
    pub python: PathBuf,
    /// This program for other platforms, or in place of the one that runs.
    pub programs: Vec<(String, PathBuf)>,
}

impl Default for Dask {
    /// The interpreter that `CARDIOID_PYTHON` names, or `python3`; this program alone.
    fn default() -> Self {
        Self { python: Remote::usual_python(), programs: Vec::new() }
    }
}

impl Cluster for Dask {
    fn look(&self, site: &Site, latest: &Latest) -> Result<Seen, String> {
        let session = Session::connect(&self.remote(site), latest).map_err(in_words)?;
        let RemoteProgress { workers, threads, dashboard, .. } = session.seen().clone();
        Ok(Seen { workers, threads, dashboard })
    }

    fn draw(&self, order: Order, latest: &Latest, progress: &dyn Fn(ClusterProgress)) -> Saved {
        let path = order.destination.path().to_owned();
        match self.render(order, latest, progress) {
            Ok(()) => Saved::Done(path),
            Err(error) if error.is_cancelled() => Saved::GivenUp(match error.kept() {
                Some(kept) => format!("saving cancelled; {}", remains(kept)),
                None => "saving cancelled; no file was left".into(),
            }),
            Err(error) => Saved::Failed(in_words(error)),
        }
    }

    fn record(&self, site: &Site, recording: Recording, latest: &Latest, progress: &dyn Fn(ClusterProgress)) -> Saved {
        match self.remote(site).record(recording, latest, &mut |now| progress(told(now))) {
            Ok(recorded) => Saved::Done(recorded.path),
            Err(error) if error.is_cancelled() => Saved::GivenUp(in_words(error)),
            Err(error) => Saved::Failed(in_words(error)),
        }
    }
}

/// News in the app's words.
fn told(now: &RemoteProgress) -> ClusterProgress {
    let RemoteProgress { done, total, workers, dashboard, warning, .. } = now.clone();
    ClusterProgress { done, total, workers, dashboard, warning }
}

impl Dask {
    fn remote(&self, site: &Site) -> Remote {
        Remote {
            address: site.address.to_string(),
            tls: site.certificates.clone(),
            retries: RETRIES,
            in_flight: None,
            programs: self.programs.clone(),
            python: self.python.clone(),
        }
    }

    fn render(&self, mut order: Order, latest: &Latest, progress: &dyn Fn(ClusterProgress)) -> Result<(), RemoteError> {
        let spec = spec(&mut order, latest)?;
        let begin = match (order.resume, order.overwrite) {
            (true, _) => Begin::Resume,
            (false, true) => Begin::Anew,
            (false, false) => Begin::New,
        };
        let picture = RemotePicture { spec: &spec, side: None, begin };
        self.remote(&order.site).render(&picture, order.destination, latest, &mut |now| progress(told(now)))
    }
}

/// The picture as text, measured where it must be.
fn spec(order: &mut Order, latest: &Latest) -> Result<Spec, RemoteError> {
    let Order { job, location, scheme, engine, .. } = order;
    let spec = match job.task {
        Task::OrbitDensity(_) | Task::Section(_) => {
            let panels = Panels { jobs: vec![job.clone()], gap: 0 };
            let tones = panels.tones(engine.as_mut(), latest).map_err(ExportError::Render)?;
            Spec::diagrams(&Diagrams { panels, scheme: *scheme, tones }, location)
        }
        Task::EscapeTime(_) | Task::Space(_) => Spec::of(job, location),
    };
    spec.map_err(|error| RemoteError::Cluster(error.to_string()))
}

/// What a window says of it, where the options of the command line mean nothing.
fn in_words(error: RemoteError) -> String {
    match error {
        // The address stands beside it.
        RemoteError::Cluster(reason) => reason,
        RemoteError::NoCertificates(address) => {
            format!("{address} wants certificates; name the folder of ca.pem, cert.pem and key.pem")
        }
        RemoteError::NoCertificate(path) => format!("there is no such certificate: {}", path.display()),
        RemoteError::Unfinished { error, kept } => format!("{}; {}", in_words(*error), remains(&kept)),
        RemoteError::Partial(PartialError::There(path)) => {
            format!("this picture was begun and not finished; go on from there, or begin anew: {}", path.display())
        }
        RemoteError::Partial(PartialError::Another(path)) => format!(
            "these are no tiles of this picture; begin anew, or choose another name for the file: {}",
            path.display()
        ),
        error => error.to_string(),
    }
}

fn remains(kept: &Kept) -> String {
    format!("{} of {} tiles are kept, and saved again it goes on from them", kept.tiles, kept.of)
}
