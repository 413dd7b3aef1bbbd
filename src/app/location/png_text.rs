//! The location inside a PNG: an iTXt chunk before the pixels, so that any program may resave or rename the file.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::open::MOST_BYTES;
use super::{Location, LocationError};

/// Keyword of the chunk that holds a location.
pub const PNG_KEYWORD: &str = "cardioid:location";

/// Reads the location that a PNG of ours holds.
///
/// # Errors
/// Where the file cannot be read, is no PNG, or holds no location.
pub fn png_location(path: &Path) -> Result<Location, LocationError> {
    let file = File::open(path).map_err(|e| LocationError::Read { path: path.into(), reason: e.to_string() })?;
    location_of_png(path, file)
}

/// The same of a PNG that is read from elsewhere; `path` names it in messages.
pub(super) fn location_of_png(path: &Path, png: impl Read) -> Result<Location, LocationError> {
    let failed = |reason: String| LocationError::Read { path: path.into(), reason };
    let decoder = png::Decoder::new(BufReader::new(Onwards(png)));
    let reader = decoder.read_info().map_err(|e| failed(e.to_string()))?;
    let chunk = reader.info().utf8_text.iter().find(|chunk| chunk.keyword == PNG_KEYWORD);
    let mut chunk = chunk.ok_or_else(|| LocationError::ForeignPng(path.into()))?.clone();
    let too_long = |e| failed(format!("its location is damaged, or longer than {MOST_BYTES} bytes ({e})"));
    // A megabyte of a file can hold a gigabyte of text.
    chunk.decompress_text_with_limit(MOST_BYTES).map_err(too_long)?;
    let text = chunk.get_text().map_err(|e| failed(e.to_string()))?;
    Location::parse(&path.display().to_string(), &text)
}

/// A reader that only goes on: the decoder's type wants more, and its header needs no more.
struct Onwards<R>(R);

impl<R: Read> Read for Onwards<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl<R> Seek for Onwards<R> {
    fn seek(&mut self, _to: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}
