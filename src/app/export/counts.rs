//! Iteration counts as raw numbers, for other programs.
//!
//! Source: NumPy, "The .npy format", version 1.0.

use std::fs::File;
use std::io::{self, Write as _};

use super::{BandWriter, WriteError};
use crate::render::{Field, Job, Latest, Sample};

/// Files of little-endian u32, row by row, top row first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountsFormat {
    /// NumPy's own format, shape (height, width): n, and 0 where none was found.
    Npy,
    /// No header: min(n, max), and max where none was found.
    U32,
}

impl CountsFormat {
    pub(super) fn writer(self, mut file: File, job: &Job) -> io::Result<CountsWriter> {
        if self == Self::Npy {
            file.write_all(&npy_header(job.size()))?;
        }
        let inside = if self == Self::Npy { 0 } else { job.max_iterations() };
        Ok(CountsWriter { file, inside })
    }
}

/// Magic, version 1.0, and a dictionary padded so that the numbers begin at a multiple of 64 bytes.
pub(super) fn npy_header([width, height]: [u32; 2]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({height}, {width}), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let length = (before + dictionary.len() + 1).next_multiple_of(64) - before;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{dictionary:<width$}\n", width = length - 1).bytes());
    header
}

pub(super) struct CountsWriter {
    file: File,
    /// Written where no n was found.
    inside: u32,
}

impl BandWriter for CountsWriter {
    fn write(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError> {
        // A megabyte or so at a time: few calls, and often enough to be given up.
        for samples in band.samples().chunks(1 << 18) {
            if latest.is_stale() {
                return Err(WriteError::Cancelled);
            }
            let count = |s: &Sample| if s.iterations == 0 { self.inside } else { s.iterations };
            let bytes: Vec<u8> = samples.iter().flat_map(|s| count(s).to_le_bytes()).collect();
            self.file.write_all(&bytes)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npy_headers_are_as_numpy_writes_them() {
        for size in [[1, 1], [1920, 1080], [1 << 20, 1 << 20]] {
            let header = npy_header(size);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])) + 10, header.len());
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }
}
