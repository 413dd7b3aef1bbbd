//! Tiles as bytes: the CDT1 form.
//!
//! A tile is a header of 28 bytes and the pixels, row by row, top row first. A failure is a CDE1 reply instead: magic,
//! length as u32, and UTF-8 text. All numbers are little-endian u32. The header:
//!
//! | bytes | |
//! |--|--|
//! | 0 | magic `CDT1` |
//! | 4 | version, 1 |
//! | 8, 12 | x and y of the upper left pixel in the whole picture |
//! | 16, 20 | width and height |
//! | 24 | bytes of a pixel: 3 for red, green and blue; 4 or 8 for a number |

use std::io::{self, Read, Write};

use crate::render::Tile;

const MAGIC: [u8; 4] = *b"CDT1";
const ERROR_MAGIC: [u8; 4] = *b"CDE1";
const VERSION: u32 = 1;
/// Bytes of a header.
pub const HEADER_BYTES: usize = 28;
/// Bytes of a pixel: red, green and blue in sRGB, as PNGs have them.
pub const RGB8: u32 = 3;
/// All that pixels have: of colours, and of numbers.
const SIZES: [u32; 3] = [RGB8, 4, 8];
/// Longest text of a failure.
const MOST_ERROR_BYTES: u32 = 1 << 16;

/// What a tile says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where the pixels belong in the whole picture.
    pub tile: Tile,
    pub bytes_per_pixel: u32,
}

/// Why some bytes are no tile or frame, or not the one that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum TileError {
    #[error("it ends after {0} bytes of its header")]
    Short(usize),
    #[error("it does not begin as a tile does")]
    Magic,
    #[error("its form is of version {0}; this program knows {VERSION}")]
    Version(u32),
    #[error("its header says {width}x{height} pixels of {bytes} bytes at {x},{y}, which no picture has",
        width = .0.tile.width, height = .0.tile.height, bytes = .0.bytes_per_pixel, x = .0.tile.x, y = .0.tile.y)]
    Absurd(Header),
    #[error("{wanted:?} was asked for, and {found:?} came")]
    Another { wanted: Tile, found: Tile },
    #[error("its pixels have {found} bytes each, and not {wanted}")]
    Pixels { wanted: u32, found: u32 },
    #[error("it lacks {0} bytes of its pixels")]
    Truncated(u64),
    #[error("there are {0} bytes after its end")]
    Long(u64),
    #[error("the frame is no whole PNG")]
    NoPng,
    /// What the other end says went wrong.
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Header {
    /// Number of bytes that follow the header.
    pub fn pixel_bytes(&self) -> u64 {
        u64::from(self.tile.width) * u64::from(self.tile.height) * u64::from(self.bytes_per_pixel)
    }

    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let Tile { x, y, width, height } = self.tile;
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        let numbers = [VERSION, x, y, width, height, self.bytes_per_pixel];
        for (at, number) in bytes[4..].chunks_exact_mut(4).zip(numbers) {
            at.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// # Errors
    /// [`TileError`] where this program wrote no such header.
    pub fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, TileError> {
        if bytes[..4] != MAGIC {
            return Err(TileError::Magic);
        }
        let number = |k: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[4 + 4 * k + i]));
        if number(0) != VERSION {
            return Err(TileError::Version(number(0)));
        }
        let tile = Tile { x: number(1), y: number(2), width: number(3), height: number(4) };
        let header = Self { tile, bytes_per_pixel: number(5) };
        let most = crate::render::MOST_PIXELS;
        let fits = |first: u32, count: u32| count > 0 && first.checked_add(count).is_some_and(|end| end <= most);
        let is_sound = fits(tile.x, tile.width) && fits(tile.y, tile.height) && SIZES.contains(&header.bytes_per_pixel);
        if is_sound { Ok(header) } else { Err(TileError::Absurd(header)) }
    }

    /// Reads a header, or the failure that came in its place.
    ///
    /// # Errors
    /// [`TileError`].
    pub fn read(from: &mut dyn Read) -> Result<Self, TileError> {
        let mut bytes = [0; HEADER_BYTES];
        let version = begin(from, MAGIC)?;
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&version.to_le_bytes());
        let got = 8 + read_some(from, &mut bytes[8..])?;
        if got < HEADER_BYTES { Err(TileError::Short(got)) } else { Self::from_bytes(&bytes) }
    }
}

/// Writes a tile; `pixels` are the bytes of `tile.area()` pixels.
///
/// # Errors
/// What the writer fails with.
pub fn write(to: &mut dyn Write, tile: Tile, pixels: &[u8]) -> io::Result<()> {
    assert!(pixels.len().is_multiple_of(tile.area()), "{} bytes for {tile:?}", pixels.len());
    let bytes_per_pixel = (pixels.len() / tile.area()) as u32;
    to.write_all(&Header { tile, bytes_per_pixel }.to_bytes())?;
    to.write_all(pixels)
}

/// Writes a failure in a tile's place, its text cut where it is very long.
///
/// # Errors
/// What the writer fails with.
pub fn write_failure(to: &mut dyn Write, text: &str) -> io::Result<()> {
    let text = &text[..text.floor_char_boundary(MOST_ERROR_BYTES as usize)];
    to.write_all(&ERROR_MAGIC)?;
    to.write_all(&(text.len() as u32).to_le_bytes())?;
    to.write_all(text.as_bytes())
}

/// The pixels of a reply that is to hold this tile and nothing more.
///
/// # Errors
/// [`TileError`] where it holds anything else.
pub fn from_reply(reply: &[u8], wanted: Tile) -> Result<&[u8], TileError> {
    let mut rest = reply;
    let header = Header::read(&mut rest)?;
    if header.tile != wanted {
        return Err(TileError::Another { wanted, found: header.tile });
    }
    match (rest.len() as u64, header.pixel_bytes()) {
        (found, expected) if found < expected => Err(TileError::Truncated(expected - found)),
        (found, expected) if found > expected => Err(TileError::Long(found - expected)),
        _ => Ok(rest),
    }
}

/// Reads the magic of a reply and the number after it, or the failure that came in its place.
pub(super) fn begin(from: &mut dyn Read, magic: [u8; 4]) -> Result<u32, TileError> {
    let mut bytes = [0; 8];
    let got = read_some(from, &mut bytes)?;
    let number = u32::from_le_bytes(std::array::from_fn(|i| bytes[4 + i]));
    if got == bytes.len() && bytes[..4] == ERROR_MAGIC {
        let mut text = Vec::new();
        from.take(number.min(MOST_ERROR_BYTES).into()).read_to_end(&mut text)?;
        return Err(TileError::Failed(String::from_utf8_lossy(&text).into_owned()));
    }
    if !magic.starts_with(&bytes[..got.min(4)]) {
        return Err(TileError::Magic);
    }
    if got < bytes.len() { Err(TileError::Short(got)) } else { Ok(number) }
}

/// Reads as much as there is, up to the buffer's length.
fn read_some(from: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match from.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: Tile = Tile { x: 5, y: 7, width: 3, height: 2 };

    fn reply() -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, TILE, &[1, 2, 3].repeat(6)).unwrap();
        bytes
    }

    #[test]
    fn tiles_are_these_bytes_and_come_back() {
        let bytes = reply();
        let header = [
            b"CDT1".as_slice(),
            &[1, 0, 0, 0],
            &[5, 0, 0, 0],
            &[7, 0, 0, 0],
            &[3, 0, 0, 0],
            &[2, 0, 0, 0],
            &[3, 0, 0, 0],
        ];
        assert_eq!(bytes[..HEADER_BYTES], header.concat());
        assert_eq!(from_reply(&bytes, TILE).unwrap(), [1, 2, 3].repeat(6));
    }

    #[test]
    fn whatever_is_cut_or_too_long_is_an_error() {
        let bytes = reply();
        for end in 0..bytes.len() {
            let error = from_reply(&bytes[..end], TILE).unwrap_err();
            let is_told = match error {
                TileError::Short(got) => got == end && end < HEADER_BYTES,
                TileError::Truncated(lacking) => end >= HEADER_BYTES && lacking as usize == bytes.len() - end,
                _ => false,
            };
            assert!(is_told, "{end}: {error}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(matches!(from_reply(&longer, TILE), Err(TileError::Long(1))));
        let wanted = Tile { x: 6, ..TILE };
        assert!(matches!(from_reply(&bytes, wanted), Err(TileError::Another { .. })));
    }

    #[test]
    fn headers_with_any_byte_changed_are_told_apart_or_refused() {
        let bytes = reply();
        // A fixed sequence of pseudorandom numbers: Numerical Recipes' linear congruence.
        let mut seed = 1u32;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (at, value) = ((seed >> 8) as usize % HEADER_BYTES, (seed >> 24) as u8);
            let mut changed = bytes.clone();
            let is_same = changed[at] == value;
            changed[at] = value;
            let read = from_reply(&changed, TILE);
            assert_eq!(read.is_ok(), is_same, "byte {at} as {value}: {read:?}");
            // Noise alone is refused as well, and nothing is reserved for what it claims.
            let noise: Vec<u8> = (0..seed as usize % 64).map(|k| (seed.rotate_left(k as u32) >> 3) as u8).collect();
            assert!(from_reply(&noise, TILE).is_err());
        }
    }

    #[test]
    fn failures_come_as_their_text() {
        let mut bytes = Vec::new();
        write_failure(&mut bytes, "the device is gone").unwrap();
        let error = from_reply(&bytes, TILE).unwrap_err();
        assert!(matches!(&error, TileError::Failed(text) if text == "the device is gone"), "{error}");
        // A length beyond what comes reserves nothing.
        let mut lying = b"CDE1".to_vec();
        lying.extend([255; 4]);
        lying.extend(b"short");
        assert!(matches!(from_reply(&lying, TILE), Err(TileError::Failed(text)) if text == "short"));
        let mut long = Vec::new();
        write_failure(&mut long, &"é".repeat(1 << 16)).unwrap();
        assert_eq!(long.len(), 8 + MOST_ERROR_BYTES as usize);
    }
}
