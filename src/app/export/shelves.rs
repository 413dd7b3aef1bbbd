//! Pixels that come column by column and are wanted row by row.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use tempfile::{SpooledTempFile, spooled_tempfile_in};

use crate::render::Latest;

use super::WriteError;

/// Bytes that are held in memory; more lie in a file without a name.
const HELD: usize = 64 << 20;
/// Bytes of the rows that are put together at once.
const MOST_ROW_BYTES: u64 = 16 << 20;

/// Some columns of a picture after the other, each time all rows of them.
pub struct Shelves {
    file: SpooledTempFile,
    height: u32,
    /// Bytes of a row of each shelf.
    widths: Vec<usize>,
}

impl Shelves {
    /// Of so many rows; what is too much for memory goes to a file in `folder`.
    pub fn new(height: u32, folder: &Path) -> Self {
        Self { file: spooled_tempfile_in(HELD, folder), height, widths: Vec::new() }
    }

    /// Adds columns on the right: the bytes of their pixels, row by row.
    ///
    /// # Errors
    /// What the file fails with.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.widths.push(bytes.len() / self.height as usize);
        self.file.write_all(bytes)
    }

    /// Writes all rows from the top down, each from the left to the right.
    ///
    /// # Errors
    /// What a file fails with, and where `latest` is stale.
    pub fn write_rows(mut self, to: &mut dyn Write, latest: &Latest) -> Result<(), WriteError> {
        let width: usize = self.widths.iter().sum();
        let most = (MOST_ROW_BYTES / (width as u64).max(1)).max(1) as u32;
        let (mut rows, mut shelf) = (Vec::new(), Vec::new());
        for first in (0..self.height).step_by(most as usize) {
            let count = most.min(self.height - first) as usize;
            rows.resize(count * width, 0);
            let (mut start, mut left) = (0, 0);
            for &own in &self.widths {
                if latest.is_stale() {
                    return Err(WriteError::Cancelled);
                }
                shelf.resize(count * own, 0);
                self.file.seek(SeekFrom::Start(start + u64::from(first) * own as u64))?;
                self.file.read_exact(&mut shelf)?;
                for (row, from) in rows.chunks_exact_mut(width).zip(shelf.chunks_exact(own)) {
                    row[left..left + own].copy_from_slice(from);
                }
                start += u64::from(self.height) * own as u64;
                left += own;
            }
            to.write_all(&rows)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_rows() {
        let folder = tempfile::tempdir().unwrap();
        let (width, height) = (31, 7);
        let whole: Vec<u8> = (0..width * height).map(|k| k as u8).collect();
        for cuts in [vec![0, 31], vec![0, 1, 30, 31], vec![0, 16, 31]] {
            let mut shelves = Shelves::new(height as u32, folder.path());
            for pair in cuts.windows(2) {
                let columns: Vec<u8> = whole.chunks(width).flat_map(|row| row[pair[0]..pair[1]].to_vec()).collect();
                shelves.push(&columns).unwrap();
            }
            let mut rows = Vec::new();
            assert!(shelves.write_rows(&mut rows, &Latest::forever()).is_ok());
            assert!(rows == whole, "{cuts:?}");
        }
    }
}
