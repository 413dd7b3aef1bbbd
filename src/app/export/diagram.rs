//! Bifurcation diagrams as files, one or several above each other, of any size.

use std::io::{BufWriter, Write as _};

use super::numbers::{CountsFormat, npy_header_of_counts};
use super::panels::{Layer, Panels, Work};
use super::{Destination, Estimate, ExportError, PngRows, Progress};
use crate::app::location::Location;
use crate::color::DiagramScheme;
use crate::engine::Engine;
use crate::render::{Latest, Stats, Tile};

/// What a file of diagrams holds.
#[derive(Clone, Copy, Debug)]
pub enum DiagramOutput<'a> {
    /// A PNG with the location inside.
    Picture { scheme: DiagramScheme, location: &'a Location },
    /// Hits, row by row, the row of the largest ordinate first.
    Hits(CountsFormat),
}

impl Panels {
    /// Computes the diagrams and writes the file.
    ///
    /// `progress` is called from any thread, often. Once `latest` is stale this ends within a fraction of a second.
    ///
    /// # Errors
    /// [`ExportError`]; no file is left then.
    pub fn save(
        &self,
        output: DiagramOutput<'_>,
        engine: &mut dyn Engine,
        destination: Destination,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Stats, ExportError> {
        let size = self.size();
        Estimate::of(size, 1).check()?;
        let path = destination.path().to_owned();
        let failed = |source| ExportError::Write { path: path.clone(), source };
        let work = Work { latest, progress, folder: destination.folder(), failed: &failed };
        let file = destination.file().try_clone().map_err(failed)?;
        let whole = Tile::whole(size);
        let stats = match output {
            DiagramOutput::Picture { scheme, location } => {
                let mut rows = PngRows::new(file, size, &location.to_toml()).map_err(failed)?;
                let stats = self.write(whole, Layer::Colors { scheme, tones: None }, engine, &mut rows, &work)?;
                rows.finish().map_err(failed)?;
                stats
            }
            DiagramOutput::Hits(format) => {
                let mut file = BufWriter::new(file);
                if format == CountsFormat::Npy {
                    file.write_all(&npy_header_of_counts(size)).map_err(failed)?;
                }
                let stats = self.write(whole, Layer::Hits, engine, &mut file, &work)?;
                file.flush().map_err(failed)?;
                stats
            }
        };
        destination.keep()?;
        Ok(stats)
    }
}
