//! The location inside a PNG: an iTXt chunk before the pixels, so that any program may resave or rename the file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::{Location, LocationError};

/// Keyword of the chunk that holds a location.
pub const PNG_KEYWORD: &str = "cardioid:location";

/// Reads the location that a PNG of ours holds.
///
/// # Errors
/// Where the file cannot be read, is no PNG, or holds no location.
pub fn png_location(path: &Path) -> Result<Location, LocationError> {
    let failed = |reason: String| LocationError::Read { path: path.into(), reason };
    let file = File::open(path).map_err(|e| failed(e.to_string()))?;
    let reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(|e| failed(e.to_string()))?;
    let chunk = reader.info().utf8_text.iter().find(|chunk| chunk.keyword == PNG_KEYWORD);
    let text =
        chunk.ok_or_else(|| LocationError::ForeignPng(path.into()))?.get_text().map_err(|e| failed(e.to_string()))?;
    Location::parse(&path.display().to_string(), &text)
}
