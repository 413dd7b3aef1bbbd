//! Pictures that are coloured as a whole: diagrams, whose tone follows from all of their columns, and scenes in space.

use std::path::Path;

use super::{
    Destination, ExportError, MOST_DIAGRAM_PIXELS, MOST_SPACE_PIXELS, Progress, diagram_picture, space_picture,
};
use crate::app::location::Location;
use crate::color::DiagramScheme;
use crate::engine::Engine;
use crate::render::{Columns, Diagram, DiagramSink, ExposureSink, Job, Latest, Stats, Task};

/// How such a picture is coloured, and what is said in it.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// Of diagrams.
    pub scheme: DiagramScheme,
    /// Written into the file.
    pub location: &'a Location,
}

impl Whole<'_> {
    /// Renders the picture and writes it, as [`Export::run`](super::Export::run) does.
    pub(super) fn run(
        &self,
        job: &Job,
        engine: &mut dyn Engine,
        destination: Destination,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Stats, ExportError> {
        let (stats, bytes) = self.picture(job, engine, destination.path(), latest, progress)?;
        destination.write(&bytes)?;
        Ok(stats)
    }

    /// The bytes of the PNG; `path` is for messages.
    ///
    /// # Errors
    /// [`ExportError`] of the engine, the size or the encoder.
    pub fn picture(
        &self,
        job: &Job,
        engine: &mut dyn Engine,
        path: &Path,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<(Stats, Vec<u8>), ExportError> {
        self.check(job)?;
        let unwritten = |source: png::EncodingError| ExportError::Write { path: path.into(), source: source.into() };
        let text = self.location.to_toml();
        if let Task::Space(task) = &job.task {
            let sink = ExposureSink::default();
            let stats = engine.render(job, latest, &sink)?;
            return Ok((stats, space_picture(&sink.into_exposure(), task, Some(&text)).map_err(unwritten)?));
        }
        let (stats, diagram) = rounds(job, engine, latest, progress)?;
        Ok((stats, diagram_picture(&[diagram], 0, self.scheme, Some(&text)).map_err(unwritten)?))
    }

    fn check(&self, job: &Job) -> Result<(), ExportError> {
        let [width, height] = job.size();
        let pixels = u64::from(width) * u64::from(height);
        let most = if job.orbits().is_some() { MOST_DIAGRAM_PIXELS } else { MOST_SPACE_PIXELS };
        if pixels <= most { Ok(()) } else { Err(ExportError::TooLargeAsAWhole { width, height, most }) }
    }
}

/// A diagram, one round of orbits after the other: the same as at once.
fn rounds(
    job: &Job,
    engine: &mut dyn Engine,
    latest: &Latest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Stats, Diagram), ExportError> {
    let orbits = job.orbits().expect("diagrams have orbits");
    let (mut sum, mut diagram) = (Stats::default(), Diagram::blank(job));
    for first in orbits.clone().step_by(Columns::ROUND as usize) {
        let round = job.clone().with_orbits(first..(first + Columns::ROUND).min(orbits.end));
        let sink = DiagramSink::new(&round);
        let stats = engine.render(&round, latest, &sink)?;
        diagram.add(&sink.into_diagram());
        sum = Stats {
            compute: sum.compute + stats.compute,
            steps: sum.steps + stats.steps,
            steps_done: sum.steps_done + stats.steps_done,
            ..stats
        };
        progress(Progress { samples_done: diagram.orbits().into(), samples: orbits.len() as u64 });
    }
    Ok((sum, diagram))
}
