//! Parts of a picture as files (`.cdt`): a band of rows or, of diagrams, of columns, and which picture it is of.
//!
//! A part is a tile in the CDT1 form, as wide or as high as the picture, and a note behind it: the magic `CDJ1`, the part's number,
//! the number of all parts, the length of the spec (u32 each), the spec, and the SHA-256 of all bytes before.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::rows::RowsError;
use super::tile::{HEADER_BYTES, Header, TileError};
use super::{Spec, SpecError, paint};
use crate::app::export::{Destination, ExportError, Progress, Work};
use crate::engine::Engine;
use crate::math::shortened;
use crate::render::{Latest, Stats, Tile};

/// Ending of the names of such files.
pub const ENDING: &str = "cdt";
const NOTE_MAGIC: [u8; 4] = *b"CDJ1";
/// Magic and three numbers.
const NOTE_BYTES: u64 = 16;
const DIGEST_BYTES: u64 = 32;

/// Along which side a picture is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Into bands of rows, the first at the top.
    Rows,
    /// Into bands of columns, the first at the left.
    Columns,
}

impl std::fmt::Display for Axis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Rows => "rows",
            Self::Columns => "columns",
        })
    }
}

impl Axis {
    /// Rows or columns of a picture.
    pub(super) fn length(self, [width, height]: [u32; 2]) -> u32 {
        match self {
            Self::Rows => height,
            Self::Columns => width,
        }
    }

    /// Those that a part has.
    pub(super) fn band(self, tile: Tile) -> Range<u32> {
        match self {
            Self::Rows => tile.y..tile.y + tile.height,
            Self::Columns => tile.x..tile.x + tile.width,
        }
    }
}

/// One of so many bands of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 1 to `of`.
    number: u32,
    of: u32,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Part {
    type Err = String;

    /// Reads `3/8`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (number, of) = text.split_once('/').unwrap_or((text, ""));
        let [number, of] = [number, of].map(|part| part.trim().parse::<u32>().unwrap_or(0));
        Self::new(number, of).ok_or_else(|| {
            format!(
                "{:?} is no part; say which of how many, from the first to the last, such as 1/8 … 8/8",
                shortened(text)
            )
        })
    }
}

impl Part {
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }

    /// What it has of a picture that is cut in such a way.
    ///
    /// # Errors
    /// [`PartError::TooMany`] where there are more parts than rows or columns.
    pub fn tile(self, size: [u32; 2], axis: Axis) -> Result<Tile, PartError> {
        let length = axis.length(size);
        if self.of > length {
            return Err(PartError::TooMany { of: self.of, length, axis });
        }
        let place = |number: u32| (u64::from(number) * u64::from(length) / u64::from(self.of)) as u32;
        let (first, end) = (place(self.number - 1), place(self.number));
        let whole = Tile::whole(size);
        Ok(match axis {
            Axis::Rows => Tile { y: first, height: end - first, ..whole },
            Axis::Columns => Tile { x: first, width: end - first, ..whole },
        })
    }

    pub(super) fn number(self) -> u32 {
        self.number
    }

    pub(super) fn of(self) -> u32 {
        self.of
    }
}

/// Why there is no part, or no picture of parts.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error("a picture of {length} {axis} has no {of} parts; choose at most {length}")]
    TooMany { of: u32, length: u32, axis: Axis },
    #[error("cannot read the part ({source}); look whether it is there: {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("this is no part of a picture ({reason}); give files that `cardioid render --part` wrote: {}", path.display())]
    Foreign { path: PathBuf, reason: String },
    #[error("the part ends too early; copy it again, or draw it again: {}", .0.display())]
    Truncated(PathBuf),
    #[error("the part's bytes were changed on the way; copy it again, or draw it again: {}", .0.display())]
    Damaged(PathBuf),
    #[error(
        "these are parts of two pictures ({difference}); assemble those of one alone: {} and {}", first.display(),
        second.display()
    )]
    Mixed { first: PathBuf, second: PathBuf, difference: String },
    #[error("{axis} {first} to {last} are in both; leave one of them out: {} and {}", a.display(), b.display())]
    Doubled { a: PathBuf, b: PathBuf, axis: Axis, first: u32, last: u32 },
    #[error("{axis} {first} to {last} of {length} are in none of the files; draw them as the others were{how}")]
    Missing { axis: Axis, first: u32, last: u32, length: u32, how: String },
    #[error(transparent)]
    Rows(#[from] RowsError),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl PartError {
    /// True where the request makes no sense, rather than cannot be done.
    pub fn is_asked_wrongly(&self) -> bool {
        match self {
            Self::TooMany { .. }
            | Self::Foreign { .. }
            | Self::Mixed { .. }
            | Self::Doubled { .. }
            | Self::Missing { .. } => true,
            Self::Read { .. } | Self::Truncated(_) | Self::Damaged(_) => false,
            Self::Spec(error) => matches!(error, SpecError::Whole(_)),
            Self::Rows(RowsError::Export(error)) | Self::Export(error) => error.is_asked_wrongly(),
            Self::Rows(_) => true,
        }
    }
}

/// Draws a part of a picture, and writes its file.
///
/// # Errors
/// [`PartError`]; no file is left then.
pub fn write_part(
    spec: &Spec,
    part: Part,
    engine: &mut dyn Engine,
    destination: Destination,
    latest: &Latest,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Stats, PartError> {
    let tile = part.tile(spec.size(), spec.axis())?;
    let path = destination.path().to_owned();
    let failed = |source| ExportError::Write { path: path.clone(), source };
    let mut file =
        Hashed { inner: BufWriter::new(destination.file().try_clone().map_err(failed)?), hash: Sha256::new() };
    let header = Header { tile, bytes_per_pixel: spec.bytes_per_pixel() };
    file.write_all(&header.to_bytes()).map_err(failed)?;
    let work = Work { latest, progress, folder: destination.folder(), failed: &failed };
    let stats = paint(spec, tile, engine, &mut file, &work)?;
    file.write_all(&note(spec, part)).map_err(failed)?;
    let Hashed { inner: mut file, hash } = file;
    file.write_all(&hash.finalize()).and_then(|()| file.flush()).map_err(failed)?;
    destination.keep()?;
    Ok(stats)
}

/// What stands behind the pixels, but for the digest.
fn note(spec: &Spec, part: Part) -> Vec<u8> {
    let mut note = NOTE_MAGIC.to_vec();
    let numbers = [part.number, part.of, spec.text().len() as u32];
    note.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    note.extend(spec.text().as_bytes());
    note
}

/// A part that was found: what it says of itself.
#[derive(Clone, Debug)]
pub struct PartFile {
    pub path: PathBuf,
    pub part: Part,
    pub tile: Tile,
    pub spec: Spec,
}

impl PartFile {
    /// Reads what the file says, but not the pixels.
    ///
    /// # Errors
    /// [`PartError`].
    pub fn open(path: &Path) -> Result<Self, PartError> {
        let unread = |source| PartError::Read { path: path.into(), source };
        let foreign = |reason: String| PartError::Foreign { path: path.into(), reason };
        let mut file = File::open(path).map_err(unread)?;
        let header = Header::read(&mut file).map_err(|e| match e {
            TileError::Io(source) => unread(source),
            TileError::Short(_) => PartError::Truncated(path.into()),
            e => foreign(e.to_string()),
        })?;
        let length = file.metadata().map_err(unread)?.len();
        let note_at = HEADER_BYTES as u64 + header.pixel_bytes();
        if length < note_at + NOTE_BYTES {
            return Err(PartError::Truncated(path.into()));
        }
        file.seek(SeekFrom::Start(note_at)).map_err(unread)?;
        let mut numbers = [0; NOTE_BYTES as usize];
        file.read_exact(&mut numbers).map_err(unread)?;
        let number = |k: usize| u32::from_le_bytes(std::array::from_fn(|i| numbers[4 * k + i]));
        let spec_bytes = number(3);
        if numbers[..4] != NOTE_MAGIC || spec_bytes as usize > Spec::MOST_BYTES {
            return Err(PartError::Damaged(path.into()));
        }
        match length.cmp(&(note_at + NOTE_BYTES + u64::from(spec_bytes) + DIGEST_BYTES)) {
            std::cmp::Ordering::Less => return Err(PartError::Truncated(path.into())),
            std::cmp::Ordering::Greater => return Err(PartError::Damaged(path.into())),
            std::cmp::Ordering::Equal => {}
        }
        let mut text = vec![0; spec_bytes as usize];
        file.read_exact(&mut text).map_err(unread)?;
        let damaged = || PartError::Damaged(path.into());
        let text = String::from_utf8(text).map_err(|_| damaged())?;
        let spec = Spec::from_text(&text).map_err(|e| foreign(e.to_string()))?;
        let part = Part::new(number(1), number(2)).ok_or_else(damaged)?;
        match part.tile(spec.size(), spec.axis()) {
            Ok(tile) if tile == header.tile && header.bytes_per_pixel == spec.bytes_per_pixel() => {
                Ok(Self { path: path.into(), part, tile, spec })
            }
            _ => Err(damaged()),
        }
    }

    /// The pixels, from the first row on.
    ///
    /// # Errors
    /// [`PartError`] of this file.
    pub(super) fn reader(&self) -> Result<PartReader<'_>, PartError> {
        let mut reader = PartReader { part: self, at: 0, hash: Sha256::new() };
        reader.read(HEADER_BYTES)?;
        Ok(reader)
    }

    /// The rows of the whole picture that it has some of.
    pub(super) fn rows(&self) -> Range<u32> {
        Axis::Rows.band(self.tile)
    }

    /// Bytes of each of its rows.
    pub(super) fn row_bytes(&self) -> usize {
        self.tile.width as usize * self.spec.bytes_per_pixel() as usize
    }
}

/// A part's file as it is read from its beginning. It is open only meanwhile, for a picture may have more parts than a
/// program may have files.
pub(super) struct PartReader<'a> {
    part: &'a PartFile,
    at: u64,
    /// Of all bytes before.
    hash: Sha256,
}

impl PartReader<'_> {
    /// The next so many rows.
    ///
    /// # Errors
    /// [`PartError`] of this file.
    pub fn rows(&mut self, count: u32) -> Result<Vec<u8>, PartError> {
        self.read(count as usize * self.part.row_bytes())
    }

    /// Looks, once all rows were read, whether the bytes are those that were written.
    ///
    /// # Errors
    /// [`PartError`] of this file.
    pub fn finish(mut self) -> Result<(), PartError> {
        self.read(NOTE_BYTES as usize + self.part.spec.text().len())?;
        let found = self.hash.clone().finalize();
        if found[..] == self.read(DIGEST_BYTES as usize)? {
            Ok(())
        } else {
            Err(PartError::Damaged(self.part.path.clone()))
        }
    }

    fn read(&mut self, count: usize) -> Result<Vec<u8>, PartError> {
        let path = &self.part.path;
        let unread = |source: io::Error| match source.kind() {
            io::ErrorKind::UnexpectedEof => PartError::Truncated(path.clone()),
            _ => PartError::Read { path: path.clone(), source },
        };
        let mut bytes = vec![0; count];
        let mut file = File::open(path).map_err(unread)?;
        file.seek(SeekFrom::Start(self.at)).map_err(unread)?;
        file.read_exact(&mut bytes).map_err(unread)?;
        self.hash.update(&bytes);
        self.at += count as u64;
        Ok(bytes)
    }
}

/// A writer whose bytes are hashed as they pass.
struct Hashed<T> {
    inner: T,
    hash: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_each_row_once() {
        for height in [1, 2, 7, 480, 1 << 20] {
            for of in [1, 2, 3, 7, 479].into_iter().filter(|of| *of <= height) {
                let mut next = 0;
                for number in 1..=of {
                    let tile = Part::new(number, of).unwrap().tile([5, height], Axis::Rows).unwrap();
                    assert_eq!((tile.x, tile.y, tile.width), (0, next, 5));
                    let columns = Part::new(number, of).unwrap().tile([height, 5], Axis::Columns).unwrap();
                    assert_eq!(Axis::Columns.band(columns), Axis::Rows.band(tile));
                    assert!(tile.height >= height / of && tile.height <= height.div_ceil(of));
                    next += tile.height;
                }
                assert_eq!(next, height);
            }
            let too_many = Part::new(1, height + 1).unwrap().tile([5, height], Axis::Rows);
            assert!(matches!(too_many, Err(PartError::TooMany { .. })));
        }
    }

    #[test]
    fn parts_are_read_from_text() {
        assert_eq!("3/8".parse(), Ok(Part { number: 3, of: 8 }));
        for text in ["", "3", "0/8", "9/8", "-1/8", "1/0", "1/2/3", "a/b", "1.5/2", "1/4294967296"] {
            let error = text.parse::<Part>().unwrap_err();
            assert!(error.contains("such as 1/8"), "{text}: {error}");
        }
    }
}
