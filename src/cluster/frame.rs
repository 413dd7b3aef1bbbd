//! Frames of an animation as bytes: the CDF1 form.
//!
//! A frame is the magic `CDF1`, the length of a PNG as little-endian u32, and that PNG. A failure comes as it does in a
//! tile's place.

use std::io::{self, Write};

use super::tile::{self, TileError};
use crate::app::animation::PNG_END;

const MAGIC: [u8; 4] = *b"CDF1";
/// What every PNG begins with.
const PNG_BEGIN: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Writes a frame; `png` is its file.
///
/// # Errors
/// What the writer fails with.
pub fn write(to: &mut dyn Write, png: &[u8]) -> io::Result<()> {
    let length = u32::try_from(png.len()).map_err(|_| io::Error::other("the frame has more than 4 GiB"))?;
    to.write_all(&MAGIC)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(png)
}

/// The file of a reply that is to hold a frame and nothing more.
///
/// # Errors
/// [`TileError`] where it holds anything else.
pub fn from_reply(reply: &[u8]) -> Result<&[u8], TileError> {
    let mut png = reply;
    let length = u64::from(tile::begin(&mut png, MAGIC)?);
    match png.len() as u64 {
        found if found < length => Err(TileError::Truncated(length - found)),
        found if found > length => Err(TileError::Long(found - length)),
        _ if png.starts_with(&PNG_BEGIN) && png.ends_with(&PNG_END) => Ok(png),
        _ => Err(TileError::NoPng),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png() -> Vec<u8> {
        [PNG_BEGIN.as_slice(), b"pixels", &PNG_END].concat()
    }

    fn reply() -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, &png()).unwrap();
        bytes
    }

    #[test]
    fn frames_are_these_bytes_and_come_back() {
        let bytes = reply();
        assert_eq!(bytes[..8], [b"CDF1".as_slice(), &[26, 0, 0, 0]].concat());
        assert_eq!(from_reply(&bytes).unwrap(), png());
    }

    #[test]
    fn whatever_is_cut_or_too_long_is_an_error() {
        let bytes = reply();
        for end in 0..bytes.len() {
            let error = from_reply(&bytes[..end]).unwrap_err();
            let is_told = match error {
                TileError::Short(got) => got == end && end < 8,
                TileError::Truncated(lacking) => end >= 8 && lacking as usize == bytes.len() - end,
                _ => false,
            };
            assert!(is_told, "{end}: {error}");
        }
        assert!(matches!(from_reply(&[bytes.as_slice(), &[0]].concat()), Err(TileError::Long(1))));
        let mut failure = Vec::new();
        tile::write_failure(&mut failure, "the device is gone").unwrap();
        assert!(matches!(from_reply(&failure), Err(TileError::Failed(text)) if text == "the device is gone"));
    }

    #[test]
    fn replies_with_any_byte_of_their_form_changed_are_refused() {
        let bytes = reply();
        let form: Vec<usize> = (0..16).chain(bytes.len() - PNG_END.len()..bytes.len()).collect();
        // A fixed sequence of pseudorandom numbers: Numerical Recipes' linear congruence.
        let mut seed = 1u32;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (at, value) = (form[(seed >> 8) as usize % form.len()], (seed >> 24) as u8);
            let mut changed = bytes.clone();
            let is_same = changed[at] == value;
            changed[at] = value;
            let read = from_reply(&changed);
            assert_eq!(read.is_ok(), is_same, "byte {at} as {value}: {read:?}");
            let noise: Vec<u8> = (0..seed as usize % 64).map(|k| (seed.rotate_left(k as u32) >> 3) as u8).collect();
            assert!(from_reply(&noise).is_err());
        }
    }
}
