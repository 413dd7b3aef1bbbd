//! Parts put together again: the file that one machine writes, row by row.

use std::path::Path;

use super::part::{PartError, PartFile};
use crate::app::export::{Destination, ExportError, PngRows, Progress};
use crate::render::Latest;

/// All parts of one picture, from the top down.
#[derive(Debug)]
pub struct Assembly {
    parts: Vec<PartFile>,
}

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
        if let Some(other) = parts.iter().find(|part| part.spec != first.spec) {
            return Err(PartError::Mixed {
                first: first.path.clone(),
                second: other.path.clone(),
                difference: difference(first, other),
            });
        }
        parts.sort_by_key(|part| part.tile.y);
        let assembly = Self { parts };
        assembly.check()?;
        Ok(assembly)
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.parts[0].spec.size()
    }

    /// Looks whether each row is there once.
    fn check(&self) -> Result<(), PartError> {
        let height = self.size()[1];
        let mut next = 0;
        for (k, part) in self.parts.iter().enumerate() {
            if part.tile.y < next {
                let before = &self.parts[k - 1];
                return Err(PartError::Doubled {
                    a: before.path.clone(),
                    b: part.path.clone(),
                    first: part.tile.y + 1,
                    last: next.min(part.tile.y + part.tile.height),
                });
            }
            if part.tile.y > next {
                return Err(self.missing(next, part.tile.y));
            }
            next = part.tile.y + part.tile.height;
        }
        if next < height { Err(self.missing(next, height)) } else { Ok(()) }
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
        PartError::Missing { first: first + 1, last: end, height: self.size()[1], how }
    }

    /// Writes the picture, some rows at a time.
    ///
    /// # Errors
    /// [`PartError`]; no file is left then.
    pub fn write(
        &self,
        destination: Destination,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<(), PartError> {
        let path = destination.path().to_owned();
        let failed = |source| ExportError::Write { path: path.clone(), source };
        let file = destination.file().try_clone().map_err(failed)?;
        let location = self.parts[0].spec.location().to_toml();
        let mut rows = PngRows::new(file, self.size(), &location).map_err(failed)?;
        let samples = self.parts.iter().map(|part| part.tile.area() as u64).sum();
        let mut done = 0;
        for part in &self.parts {
            part.copy(&mut rows, &failed, latest, &mut |bytes| {
                done += bytes as u64;
                progress(Progress { samples_done: done / 3, samples, preparing: None });
            })?;
        }
        rows.finish().map_err(failed)?;
        destination.keep()?;
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
