//! A render that a cluster does: the picture is measured here, drawn there, and written here.

use std::time::Instant;

use cardioid::app::export::{Destination, ExportError};
use cardioid::cluster::{Begin, Remote, RemotePicture};
use cardioid::engine::iterations;
use cardioid::render::{Job, Stats};

use super::{Figures, Plan, cancelled_by_ctrl_c};
use crate::cli::Failure;
use crate::cli::progress::{Bar, TileBar};

impl Plan {
    /// Has a cluster render in tiles of `side`, and writes the file.
    pub fn draw_on(&self, remote: &Remote, side: Option<u32>, begin: Begin) -> Result<Figures, Failure> {
        let start = Instant::now();
        self.palette()?;
        let job = self.job()?;
        let estimate = self.estimate()?;
        estimate.check()?;
        let (mut engines, at) = self.engine(&job)?;
        let engine = engines[at].key();
        let mut job = Job { quality: self.quality(engines[at].as_ref()), ..job };
        let destination = Destination::open(&self.path, self.replace)?;
        let latest = cancelled_by_ctrl_c();
        if self.location.max_iterations.is_none() {
            let bar = Bar::new(estimate.samples, estimate.label());
            let cap = iterations::measured(&mut engines, &job, &latest, &bar).map_err(ExportError::Render)?;
            job = job.with_max_iterations(cap);
        }
        drop(engines);
        let told = self.location.complete(&job, engine, self.supersample());
        let spec = self.spec(&job, &told)?;
        let (bar, drawing) = (TileBar::new(), Instant::now());
        remote.render(&RemotePicture { spec: &spec, side, begin }, destination, &latest, &mut |progress| {
            bar.show(progress);
        })?;
        Ok(Figures {
            engine,
            describe: format!("Dask at {}", remote.address),
            compute: drawing.elapsed(),
            total: start.elapsed(),
            max_iterations: job.max_iterations(),
            size: self.size,
            stats: Stats::default(),
        })
    }
}
