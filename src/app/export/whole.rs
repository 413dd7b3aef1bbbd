//! Pictures that are coloured as a whole: diagrams, whose tone follows from all of their columns, and scenes in space.

use std::path::Path;

use super::{
    Destination, ExportError, MOST_DIAGRAM_PIXELS, MOST_SPACE_PIXELS, Progress, diagram_picture, space_picture,
};
use crate::app::location::Location;
use crate::color::DiagramScheme;
use crate::engine::Engine;
use crate::render::{Columns, Diagram, DiagramSink, ExposureSink, Job, Latest, Stats, Task};

/// How panels above each other share the rows of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Rows of each.
    pub rows: u32,
    /// Rows between them: one or two, so that all have the same height.
    pub gap: u32,
}

impl Stack {
    /// Of one or two panels in a picture of `height` rows.
    ///
    /// # Errors
    /// [`ExportError::NoRows`] where there is no row for each.
    pub fn of(height: u32, panels: u32) -> Result<Self, ExportError> {
        let gap = if panels == 1 { 0 } else { 2 - height % 2 };
        let rows = height.saturating_sub(gap) / panels;
        if rows == 0 { Err(ExportError::NoRows { height, panels }) } else { Ok(Self { rows, gap }) }
    }
}

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

    /// The bytes of the PNG of pictures above each other, `gap` rows apart.
    ///
    /// # Errors
    /// As [`Whole::picture`].
    pub fn stack(
        &self,
        jobs: &[Job],
        gap: u32,
        engine: &mut dyn Engine,
        path: &Path,
        latest: &Latest,
    ) -> Result<Vec<u8>, ExportError> {
        if let [job] = jobs {
            return Ok(self.picture(job, engine, path, latest, &|_| {})?.1);
        }
        let diagrams = jobs.iter().map(|job| {
            self.check(job)?;
            Ok(rounds(job, engine, latest, &|_| {})?.1)
        });
        let diagrams = diagrams.collect::<Result<Vec<_>, ExportError>>()?;
        let bytes = diagram_picture(&diagrams, gap, self.scheme, Some(&self.location.to_toml()));
        bytes.map_err(|source| ExportError::Write { path: path.into(), source: source.into() })
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
        sum = sum.and(stats);
        progress(Progress { samples_done: diagram.orbits().into(), samples: orbits.len() as u64, preparing: None });
    }
    Ok((sum, diagram))
}
