//! Parts put together again: the file that one machine writes, row by row.

use std::io::Write as _;
use std::path::Path;

use super::part::{Axis, PartError, PartFile, PartReader};
use super::rows::RowsFile;
use crate::app::export::{Destination, ExportError, FileKind, Progress};
use crate::render::{Latest, RenderError};

/// All parts of one picture, from the top down or from the left to the right.
#[derive(Debug)]
pub struct Assembly {
    parts: Vec<PartFile>,
}

/// Bytes of the rows that are put together at once.
const MOST_BAND_BYTES: usize = 4 << 20;
/// Longest difference of two pictures that is told, in characters of each.
const MOST_DIFFERENCE: usize = 60;

impl Assembly {
    /// Reads what the files say, in any order, and looks whether they are the whole of one picture.
    ///
    /// # Errors
    /// [`PartError`] names the files or rows that are in the way.
    pub fn of<P: AsRef<Path>>(paths: &[P]) -> Result<Self, PartError> {
        let parts = paths.iter().map(|path| PartFile::open(path.as_ref()));
        let mut parts = parts.collect::<Result<Vec<_>, PartError>>()?;
        let first = parts.first().expect("somebody names at least one part");
        let axis = first.spec.axis();
        if let Some(other) = parts.iter().find(|part| part.spec != first.spec) {
            return Err(PartError::Mixed {
                first: first.path.clone(),
                second: other.path.clone(),
                difference: difference(first, other),
            });
        }
        parts.sort_by_key(|part| axis.band(part.tile).start);
        let assembly = Self { parts };
        assembly.check()?;
        Ok(assembly)
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.parts[0].spec.size()
    }

    fn axis(&self) -> Axis {
        self.parts[0].spec.axis()
    }

    /// Looks whether each row or column is there once.
    fn check(&self) -> Result<(), PartError> {
        let axis = self.axis();
        let length = axis.length(self.size());
        let mut next = 0;
        for (k, part) in self.parts.iter().enumerate() {
            let band = axis.band(part.tile);
            if band.start < next {
                let (a, b) = (self.parts[k - 1].path.clone(), part.path.clone());
                return Err(PartError::Doubled { a, b, axis, first: band.start + 1, last: next.min(band.end) });
            }
            if band.start > next {
                return Err(self.missing(next, band.start));
            }
            next = band.end;
        }
        if next < length { Err(self.missing(next, length)) } else { Ok(()) }
    }

    /// What is told of the first gap; where all files are parts of the same number, of all that are missing.
    fn missing(&self, first: u32, end: u32) -> PartError {
        const MOST: usize = 8;
        let of = self.parts[0].part.of();
        let how = if self.parts.iter().all(|part| part.part.of() == of) {
            let is_there = |number: &u32| self.parts.iter().any(|part| part.part.number() == *number);
            let absent: Vec<_> = (1..=of).filter(|number| !is_there(number)).collect();
            let mut list: Vec<_> = absent.iter().take(MOST).map(|number| format!("{number}/{of}")).collect();
            if absent.len() > MOST {
                list.push(format!("and {} more", absent.len() - MOST));
            }
            format!(", with --part {}", list.join(", "))
        } else {
            String::new()
        };
        let axis = self.axis();
        PartError::Missing { axis, first: first + 1, last: end, length: axis.length(self.size()), how }
    }

    /// Writes the file, some rows at a time: a picture, or numbers.
    ///
    /// # Errors
    /// [`PartError`]; no file is left then.
    pub fn write(
        &self,
        kind: FileKind,
        destination: Destination,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<(), PartError> {
        let spec = &self.parts[0].spec;
        let path = destination.path().to_owned();
        let failed = |source| ExportError::Write { path: path.clone(), source };
        let file = destination.file().try_clone().map_err(failed)?;
        let mut rows = RowsFile::begin(file, kind, spec, "these parts", &failed)?;
        self.each_band(latest, progress, &mut |band| rows.write_all(band).map_err(failed))?;
        rows.finish().map_err(failed)?;
        destination.keep()?;
        Ok(())
    }

    /// Hands on the bytes of all rows from the top down, some at a time.
    fn each_band(
        &self,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
        take: &mut dyn FnMut(&[u8]) -> Result<(), ExportError>,
    ) -> Result<(), PartError> {
        let [width, height] = self.size();
        let row_bytes = width as usize * self.parts[0].spec.bytes_per_pixel() as usize;
        let most = (MOST_BAND_BYTES / row_bytes).max(1) as u32;
        let mut done = 0;
        // Those that lie side by side.
        for parts in self.parts.chunk_by(|a, b| a.tile.y == b.tile.y) {
            let mut readers = parts.iter().map(PartFile::reader).collect::<Result<Vec<_>, PartError>>()?;
            for first in parts[0].rows().step_by(most as usize) {
                if latest.is_stale() {
                    return Err(ExportError::Render(RenderError::Cancelled).into());
                }
                let count = most.min(parts[0].rows().end - first);
                let mut band = vec![0; count as usize * row_bytes];
                let mut left = 0;
                for (reader, part) in readers.iter_mut().zip(parts) {
                    let own = part.row_bytes();
                    let rows = reader.rows(count)?;
                    for (to, from) in band.chunks_exact_mut(row_bytes).zip(rows.chunks_exact(own)) {
                        to[left..left + own].copy_from_slice(from);
                    }
                    left += own;
                }
                take(&band)?;
                done += u64::from(count) * u64::from(width);
                let samples = u64::from(width) * u64::from(height);
                progress(Progress { samples_done: done, samples, preparing: None });
            }
            readers.into_iter().try_for_each(PartReader::finish)?;
        }
        Ok(())
    }
}

/// The first line in which two pictures differ.
fn difference(a: &PartFile, b: &PartFile) -> String {
    let [first, second] = [a, b].map(|part| part.spec.location().to_toml());
    let lines = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    let short = |line: &str| line.chars().take(MOST_DIFFERENCE).collect::<String>();
    lines.map_or_else(|| "drawn in other ways".into(), |(a, b)| format!("{} and {}", short(a), short(b)))
}
