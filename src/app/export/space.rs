//! Scenes in space as files.

use super::encode::encoded;
use crate::color::paint_exposure;
use crate::render::{Exposure, Space};

/// Most pixels of a scene: each takes 16 bytes of light, and 32 more while it is coloured.
pub const MOST_SPACE_PIXELS: u64 = 1 << 25;

/// A PNG of the scene, with the text of its location inside.
///
/// # Errors
/// Where the encoder fails.
pub fn space_picture(exposure: &Exposure, task: &Space, location: Option<&str>) -> Result<Vec<u8>, png::EncodingError> {
    encoded(exposure.size, paint_exposure(exposure, task), location)
}
