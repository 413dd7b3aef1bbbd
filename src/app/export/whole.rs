//! Pictures of diagrams and of scenes in space, and those that are held as a whole: scenes, whose light may fall anywhere,
//! and frames.

use std::path::Path;

use super::encode::encoded_rgb;
use super::{Destination, DiagramOutput, ExportError, Layer, MOST_SPACE_PIXELS, Panels, Progress, Work, space_picture};
use crate::app::location::Location;
use crate::color::DiagramScheme;
use crate::engine::Engine;
use crate::render::{ExposureSink, Job, Latest, Space, Stats, Task, Tile};

/// Most pixels of diagrams whose file is held in memory.
pub const MOST_STACK_PIXELS: u64 = 1 << 26;

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
        let Task::Space(task) = &job.task else {
            let output = DiagramOutput::Picture { scheme: self.scheme, location: self.location };
            return Panels { jobs: vec![job.clone()], gap: 0 }.save(output, engine, destination, latest, progress);
        };
        let (stats, bytes) = self.scene(job, task, engine, destination.path(), latest)?;
        destination.write(&bytes)?;
        Ok(stats)
    }

    /// The bytes of the PNG of diagrams above each other, `gap` rows apart, or of a scene; `path` is for messages.
    ///
    /// # Errors
    /// [`ExportError`] of the engine, the size or the encoder.
    pub fn stack(
        &self,
        jobs: &[Job],
        gap: u32,
        engine: &mut dyn Engine,
        path: &Path,
        latest: &Latest,
    ) -> Result<Vec<u8>, ExportError> {
        if let [job] = jobs
            && let Task::Space(task) = &job.task
        {
            return Ok(self.scene(job, task, engine, path, latest)?.1);
        }
        let panels = Panels { jobs: jobs.to_vec(), gap };
        let [width, height] = panels.size();
        if u64::from(width) * u64::from(height) > MOST_STACK_PIXELS {
            return Err(ExportError::TooLargeAsAWhole { width, height, most: MOST_STACK_PIXELS });
        }
        let failed = |source| ExportError::Write { path: path.into(), source };
        let work = Work { latest, progress: &|_| {}, folder: &std::env::temp_dir(), failed: &failed };
        let (layer, mut pixels) = (Layer::Colors { scheme: self.scheme, tones: None }, Vec::new());
        panels.write(Tile::whole([width, height]), layer, engine, &mut pixels, &work)?;
        encoded_rgb([width, height], &pixels, Some(&self.location.to_toml())).map_err(|e| failed(e.into()))
    }

    /// The bytes of the PNG of a scene in space.
    fn scene(
        &self,
        job: &Job,
        task: &Space,
        engine: &mut dyn Engine,
        path: &Path,
        latest: &Latest,
    ) -> Result<(Stats, Vec<u8>), ExportError> {
        let [width, height] = job.size();
        if u64::from(width) * u64::from(height) > MOST_SPACE_PIXELS {
            return Err(ExportError::TooLargeAsAWhole { width, height, most: MOST_SPACE_PIXELS });
        }
        let sink = ExposureSink::default();
        let stats = engine.render(job, latest, &sink)?;
        let bytes = space_picture(&sink.into_exposure(), task, Some(&self.location.to_toml()));
        Ok((stats, bytes.map_err(|source| ExportError::Write { path: path.into(), source: source.into() })?))
    }
}
