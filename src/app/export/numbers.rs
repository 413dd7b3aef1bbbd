//! Samples as raw numbers, for other programs.
//!
//! Source: NumPy, "The .npy format", version 1.0.

use std::fs::File;
use std::io::{self, Write};

use super::{BandWriter, ExportError, Work, WriteError, render_bands};
use crate::app::location::Location;
use crate::engine::Engine;
use crate::render::{Channels, Field, Job, Latest, Sample, Slope, Stats};

/// Files of little-endian numbers, row by row, top row first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountsFormat {
    /// NumPy's own format, shape (height, width): n, and 0 where none was found.
    Npy,
    /// No header, u32: min(n, max), and max where none was found.
    U32,
}

/// What a `.npy` file holds of each sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channel {
    /// n as u32; 0 where none was found.
    #[default]
    Iterations,
    /// ν = n + 1 − log_d(ln|z_n| / ln R) as f64; 0 inside.
    Smooth,
    /// |z_n| ln|z_n| / |dz_n/dpixel| as f32, the distance estimate in pixels; 0 inside.
    Distance,
}

impl Channel {
    pub const ALL: [Self; 3] = [Self::Iterations, Self::Smooth, Self::Distance];

    /// Name on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Smooth => "smooth",
            Self::Distance => "distance",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.key() == key)
    }

    /// What samples must hold for it.
    pub fn needs(self) -> Channels {
        Channels { smooth: self == Self::Smooth, periods: false, distance: self == Self::Distance }
    }

    /// R where none is named: smooth counts and distances are the better the larger it is.
    pub fn usual_bailout(self) -> f64 {
        if self == Self::Iterations { Location::COUNT_BAILOUT } else { Location::PICTURE_BAILOUT }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Iterations | Self::Distance => 4,
            Self::Smooth => 8,
        }
    }

    /// Renders the numbers of a job's rectangle and writes them row by row, little-endian, as a `.npy` holds them.
    ///
    /// # Errors
    /// [`ExportError`] of the engine, or what the writer fails with.
    pub fn write(
        self,
        job: &Job,
        engine: &mut dyn Engine,
        to: &mut dyn Write,
        work: &Work<'_>,
    ) -> Result<Stats, ExportError> {
        let numbers = Numbers::Npy(self);
        render_bands(engine, job, 1, work.latest, work.progress, &mut |band| {
            numbers.write(band, job.max_iterations(), work.latest, to).map_err(|e| e.told(work.failed))
        })
    }

    /// NumPy's name for its numbers.
    fn numpy_type(self) -> &'static str {
        match self {
            Self::Iterations => "<u4",
            Self::Smooth => "<f8",
            Self::Distance => "<f4",
        }
    }
}

/// A format, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Npy(Channel),
    U32,
}

impl Numbers {
    /// # Errors
    /// [`ExportError::NotWhole`] where a format of whole numbers is to hold others.
    pub fn of(format: CountsFormat, channel: Channel) -> Result<Self, ExportError> {
        match format {
            CountsFormat::Npy => Ok(Self::Npy(channel)),
            CountsFormat::U32 if channel == Channel::Iterations => Ok(Self::U32),
            CountsFormat::U32 => Err(ExportError::NotWhole(channel)),
        }
    }

    pub fn channel(self) -> Channel {
        match self {
            Self::Npy(channel) => channel,
            Self::U32 => Channel::Iterations,
        }
    }

    /// What stands before the numbers of a file.
    pub fn header(self, size: [u32; 2]) -> Vec<u8> {
        match self {
            Self::Npy(channel) => npy_header(channel.numpy_type(), size),
            Self::U32 => Vec::new(),
        }
    }

    /// Makes the numbers of a `.npy` those of this format; `cap` is the one on iterations.
    pub fn adapt(self, npy: &mut [u8], cap: u32) {
        if self == Self::U32 {
            for number in npy.chunks_exact_mut(4).filter(|number| **number == [0; 4]) {
                number.copy_from_slice(&cap.to_le_bytes());
            }
        }
    }

    pub(super) fn writer(self, mut file: File, job: &Job) -> io::Result<NumbersWriter> {
        file.write_all(&self.header(job.size()))?;
        Ok(NumbersWriter { file, numbers: self, cap: job.max_iterations() })
    }

    /// Writes the numbers of a band; `cap` is for those of `.u32` where no n was found.
    fn write(self, band: &Field, cap: u32, latest: &Latest, to: &mut dyn Write) -> Result<(), WriteError> {
        let slopes = band.slopes().unwrap_or_default();
        for (k, samples) in band.samples().chunks(CHUNK).enumerate() {
            if latest.is_stale() {
                return Err(WriteError::Cancelled);
            }
            let slopes = slopes.iter().skip(k * CHUNK).take(CHUNK);
            to.write_all(&self.bytes(cap, samples, slopes))?;
        }
        Ok(())
    }

    fn bytes<'a>(self, cap: u32, samples: &[Sample], slopes: impl Iterator<Item = &'a Slope>) -> Vec<u8> {
        let steps = |s: &Sample| s.steps(cap) as u32;
        match self {
            Self::U32 => samples.iter().flat_map(|s| steps(s).to_le_bytes()).collect(),
            Self::Npy(Channel::Iterations) => samples.iter().flat_map(|s| s.iterations.to_le_bytes()).collect(),
            Self::Npy(Channel::Smooth) => samples.iter().flat_map(|s| s.smooth().to_le_bytes()).collect(),
            Self::Npy(Channel::Distance) => slopes.flat_map(|s| s.distance.to_le_bytes()).collect(),
        }
    }
}

/// The header of a `.npy` file of counts.
pub(super) fn npy_header_of_counts(size: [u32; 2]) -> Vec<u8> {
    npy_header(Channel::Iterations.numpy_type(), size)
}

/// Magic, version 1.0, and a dictionary padded so that the numbers begin at a multiple of 64 bytes.
fn npy_header(numpy_type: &str, [width, height]: [u32; 2]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '{numpy_type}', 'fortran_order': False, 'shape': ({height}, {width}), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let length = (before + dictionary.len() + 1).next_multiple_of(64) - before;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{dictionary:<width$}\n", width = length - 1).bytes());
    header
}

pub(super) struct NumbersWriter {
    file: File,
    numbers: Numbers,
    /// Written to `.u32` where no n was found.
    cap: u32,
}

/// Samples written at once, a megabyte or two: few calls, and often enough to be given up.
const CHUNK: usize = 1 << 18;

impl BandWriter for NumbersWriter {
    fn write(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError> {
        self.numbers.write(band, self.cap, latest, &mut self.file)
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
            let header = npy_header_of_counts(size);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])) + 10, header.len());
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }

    #[test]
    fn names_of_channels_are_read_back() {
        assert_eq!(Channel::ALL.map(|channel| Channel::from_key(channel.key())), Channel::ALL.map(Some));
        assert_eq!(Channel::from_key("slope"), None);
    }
}
