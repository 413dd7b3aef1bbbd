//! Tiles of a picture that is not whole yet, as a file beside it: `big.png.partial`.
//!
//! All numbers are little-endian u32. The file begins with the magic `CDP1`, the side of its tiles, the length of the spec, the spec, and
//! the CRC-32 of all that. Then come tiles in the CDT1 form, in any order, each with the CRC-32 of its bytes. What a program that
//! was killed left half written is left out, and drawn again.
//!
//! So memory is bounded, too: tiles wait in the file until the rows above them are there.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;

use super::Spec;
use super::cut::Cut;
use super::tile::{HEADER_BYTES, Header};
use crate::app::export::ExportError;
use crate::render::{Latest, RenderError};

const MAGIC: [u8; 4] = *b"CDP1";
/// Magic and two numbers.
const HEAD_BYTES: usize = 12;
/// Bytes of rows that are put together at once.
const CHUNK: usize = 1 << 22;

/// What is done about tiles that were drawn before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// There are to be none.
    #[default]
    New,
    /// They go.
    Anew,
    /// Only what is missing is drawn.
    Resume,
}

/// What remains of a picture that is not whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub tiles: usize,
    pub of: usize,
    pub path: PathBuf,
}

impl std::fmt::Display for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tiles, of, path } = self;
        write!(f, "{tiles} of {of} tiles are kept, --resume goes on from them: {}", path.display())
    }
}

/// Why tiles cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum PartialError {
    #[error(
        "somebody began this picture and did not finish it; go on from there (--resume), or begin anew (--force): {}",
        .0.display()
    )]
    There(PathBuf),
    #[error(
        "these are no tiles of this picture; draw the one that they are of, begin anew (--force), or choose another \
         name: {}", .0.display()
    )]
    Another(PathBuf),
    #[error("another program draws this picture; wait for it, or choose another name: {}", .0.display())]
    Busy(PathBuf),
    #[error("tiles cannot be kept ({source}); see to that, and try again: {}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The file, while its picture is drawn. It goes away when dropped without a tile.
#[derive(Debug)]
pub struct Partial {
    path: PathBuf,
    file: File,
    cut: Cut,
    bytes_per_pixel: u32,
    /// Where the pixels of each tile begin in the file; 0 of those that are missing.
    places: Vec<u64>,
    /// Number of tiles that are there.
    kept: usize,
    /// Where the next tile will be.
    end: u64,
    /// The first strip whose rows were not given away.
    next_strip: usize,
}

impl Partial {
    /// Where the tiles of a picture are.
    pub fn path_for(picture: &Path) -> PathBuf {
        let mut name = OsString::from(picture);
        name.push(".partial");
        name.into()
    }

    /// The tiles of this picture that are there already and are to be used, if any.
    ///
    /// # Errors
    /// [`PartialError`] where there are some that are not to be used, or none of this picture.
    pub fn find(picture: &Path, spec: &Spec, begin: Begin) -> Result<Option<Self>, PartialError> {
        let path = Self::path_for(picture);
        let failed = |source| PartialError::Io { path: path.clone(), source };
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed(e)),
        };
        Self::locked(&file, &path)?;
        match begin {
            Begin::New => Err(PartialError::There(path)),
            Begin::Anew => std::fs::remove_file(&path).map(|()| None).map_err(failed),
            Begin::Resume => {
                Self::read(file, &path, spec).map_err(failed)?.ok_or(PartialError::Another(path)).map(Some)
            }
        }
    }

    /// A file without tiles, for those of `side`.
    ///
    /// # Errors
    /// [`PartialError`] also where there is a file by now.
    pub fn create(picture: &Path, spec: &Spec, side: u32) -> Result<Self, PartialError> {
        let path = Self::path_for(picture);
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => PartialError::There(path.clone()),
            _ => PartialError::Io { path: path.clone(), source },
        };
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(failed)?;
        let head = head(spec, side);
        let mut partial = Self::of(file, &path, spec, side, head.len() as u64);
        Self::locked(&partial.file, &path)?;
        partial.file.write_all(&head).map_err(failed)?;
        Ok(partial)
    }

    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// Number of tiles that are there.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// What remains, if anything does.
    pub fn remains(&self) -> Option<Kept> {
        let Self { kept, path, .. } = self;
        (*kept > 0).then(|| Kept { tiles: *kept, of: self.places.len(), path: path.clone() })
    }

    /// The numbers of tiles that are not there.
    pub fn missing(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|number| self.places[*number] == 0).collect()
    }

    /// Keeps a tile, header and all.
    ///
    /// # Errors
    /// [`PartialError::Io`]; the tile counts as missing then.
    pub fn put(&mut self, number: usize, tile: &[u8]) -> Result<(), PartialError> {
        let crc = crc32fast::hash(tile).to_le_bytes();
        let mut write = || {
            self.file.seek(SeekFrom::Start(self.end))?;
            self.file.write_all(tile)?;
            self.file.write_all(&crc)
        };
        write().map_err(|source| self.failed(source))?;
        self.note(number);
        self.end += (tile.len() + crc.len()) as u64;
        Ok(())
    }

    /// Hands on the rows that are whole and follow those that were handed on before; `failed` is what becomes of the
    /// writer's errors.
    ///
    /// # Errors
    /// Those, this file's own, or [`RenderError::Cancelled`].
    pub fn write_rows<E: From<PartialError> + From<ExportError>>(
        &mut self,
        to: &mut dyn Write,
        failed: &dyn Fn(io::Error) -> E,
        latest: &Latest,
    ) -> Result<(), E> {
        while self.next_strip < self.cut.strips() && self.has_strip(self.next_strip) {
            let strip = self.cut.strip(self.next_strip);
            let (row_bytes, height) = (self.row_bytes(self.cut.size()[0]), self.cut.tile(strip.start).height as usize);
            let rows_at_once = (CHUNK / row_bytes).clamp(1, height);
            for first in (0..height).step_by(rows_at_once) {
                if latest.is_stale() {
                    return Err(ExportError::Render(RenderError::Cancelled).into());
                }
                let rows = first..height.min(first + rows_at_once);
                let pixels = self.rows(strip.clone(), rows).map_err(|source| self.failed(source))?;
                to.write_all(&pixels).map_err(failed)?;
            }
            self.next_strip += 1;
        }
        Ok(())
    }

    /// The picture is whole.
    ///
    /// # Errors
    /// [`PartialError::Io`].
    pub fn remove(mut self) -> Result<(), PartialError> {
        self.kept = 0;
        std::fs::remove_file(&self.path).map_err(|source| self.failed(source))
    }

    fn of(file: File, path: &Path, spec: &Spec, side: u32, end: u64) -> Self {
        let (cut, bytes_per_pixel) = (spec.cut(side), spec.bytes_per_pixel());
        Self {
            path: path.into(),
            file,
            cut,
            bytes_per_pixel,
            places: vec![0; cut.count()],
            kept: 0,
            end,
            next_strip: 0,
        }
    }

    /// Takes the file for this program alone, as long as it is open; where locks are unknown nobody has one.
    fn locked(file: &File, path: &Path) -> Result<(), PartialError> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(PartialError::Busy(path.into())),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    /// Reads what is there, and cuts off what is not whole; none where the file is of another picture.
    fn read(file: File, path: &Path, spec: &Spec) -> io::Result<Option<Self>> {
        let mut from = BufReader::with_capacity(1 << 18, file.try_clone()?);
        let mut numbers = [0; HEAD_BYTES];
        let mut text = vec![0; head(spec, 0).len()];
        let Some(head) = some(from.read_exact(&mut numbers))?
            .map(|()| u32::from_le_bytes(std::array::from_fn(|i| numbers[4 + i])))
            .map(|side| (side, head(spec, side)))
            .filter(|(side, head)| *side > 0 && head[..HEAD_BYTES] == numbers)
        else {
            return Ok(None);
        };
        let (side, head) = head;
        text.truncate(head.len() - HEAD_BYTES);
        if some(from.read_exact(&mut text))?.is_none() || text != head[HEAD_BYTES..] {
            return Ok(None);
        }
        let mut partial = Self::of(file, path, spec, side, head.len() as u64);
        while let Some((number, bytes)) = partial.next_tile(&mut from)? {
            partial.note(number);
            partial.end += bytes;
        }
        partial.file.set_len(partial.end)?;
        Ok(Some(partial))
    }

    /// The number of the tile that comes next, and its bytes in the file; none where nothing sound follows.
    fn next_tile(&self, from: &mut dyn Read) -> io::Result<Option<(usize, u64)>> {
        let mut header = [0; HEADER_BYTES];
        if some(from.read_exact(&mut header))?.is_none() {
            return Ok(None);
        }
        let Ok(sound) = Header::from_bytes(&header) else { return Ok(None) };
        let number = self.cut.number(sound.tile).filter(|number| self.places[*number] == 0);
        let Some(number) = number.filter(|_| sound.bytes_per_pixel == self.bytes_per_pixel) else { return Ok(None) };
        let mut hasher = Hasher::new();
        hasher.update(&header);
        let copied = io::copy(&mut from.take(sound.pixel_bytes()), &mut Checked(&mut hasher))?;
        let mut crc = [0; 4];
        let is_whole = copied == sound.pixel_bytes() && some(from.read_exact(&mut crc))?.is_some();
        let bytes = (HEADER_BYTES + crc.len()) as u64 + copied;
        Ok((is_whole && hasher.finalize().to_le_bytes() == crc).then_some((number, bytes)))
    }

    /// A tile lies at the end.
    fn note(&mut self, number: usize) {
        self.places[number] = self.end + HEADER_BYTES as u64;
        self.kept += 1;
    }

    fn has_strip(&self, strip: usize) -> bool {
        self.cut.strip(strip).all(|number| self.places[number] > 0)
    }

    /// The pixels of some rows of a strip, counted from its first.
    fn rows(&mut self, strip: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> io::Result<Vec<u8>> {
        let all = self.row_bytes(self.cut.size()[0]);
        let mut pixels = vec![0; rows.len() * all];
        for number in strip {
            let tile = self.cut.tile(number);
            let (own, at) = (self.row_bytes(tile.width), self.row_bytes(tile.x));
            let mut part = vec![0; rows.len() * own];
            self.file.seek(SeekFrom::Start(self.places[number] + (rows.start * own) as u64))?;
            self.file.read_exact(&mut part)?;
            for (row, from) in pixels.chunks_exact_mut(all).zip(part.chunks_exact(own)) {
                row[at..at + own].copy_from_slice(from);
            }
        }
        Ok(pixels)
    }

    fn row_bytes(&self, pixels: u32) -> usize {
        pixels as usize * self.bytes_per_pixel as usize
    }

    fn failed(&self, source: io::Error) -> PartialError {
        PartialError::Io { path: self.path.clone(), source }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.kept == 0 {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// What the file begins with.
fn head(spec: &Spec, side: u32) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend([side, spec.text().len() as u32].into_iter().flat_map(u32::to_le_bytes));
    head.extend(spec.text().as_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    head
}

/// Nothing where the file ends.
fn some<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(e) => Err(e),
    }
}

/// A writer whose bytes are counted in.
struct Checked<'a>(&'a mut Hasher);

impl Write for Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tile;
    use super::*;
    use crate::app::Location;
    use crate::fractal::FormulaId;
    use crate::render::Tile;

    const SIZE: [u32; 2] = [23, 17];

    fn spec(max_iterations: u32) -> Spec {
        let location = Location::home(FormulaId::Quadratic);
        let job = location.job(SIZE).unwrap().with_max_iterations(max_iterations);
        Spec::of(&job, &location.complete(&job, "naive", 1)).unwrap()
    }

    /// Pixels that say where they are.
    fn pixels(tile: Tile) -> Vec<[u8; 3]> {
        let place = |k: usize| [tile.x as usize + k % tile.width as usize, tile.y as usize + k / tile.width as usize];
        (0..tile.area()).map(place).map(|[x, y]| [x as u8, y as u8, 7]).collect()
    }

    fn put(partial: &mut Partial, number: usize) {
        let tile = partial.cut().tile(number);
        let mut reply = Vec::new();
        tile::write(&mut reply, tile, &pixels(tile).concat()).unwrap();
        partial.put(number, &reply).unwrap();
    }

    /// The rows that are whole and were not handed on.
    fn rows(partial: &mut Partial) -> Vec<u8> {
        let mut rows = Vec::new();
        let written: Result<(), super::super::RemoteError> =
            partial.write_rows(&mut rows, &|_| unreachable!("memory takes all"), &Latest::forever());
        written.unwrap();
        rows
    }

    fn resumed(picture: &Path) -> Partial {
        Partial::find(picture, &spec(100), Begin::Resume).unwrap().unwrap()
    }

    #[test]
    fn tiles_in_any_order_make_the_same_rows() {
        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("a.png");
        let whole: Vec<u8> = pixels(Tile::whole(SIZE)).concat();
        for side in [1, 5, 8, 17, 64] {
            for turn in 0..3 {
                let mut partial = Partial::create(&picture, &spec(100), side).unwrap();
                let mut numbers = partial.missing();
                match turn {
                    0 => {}
                    1 => numbers.reverse(),
                    _ => numbers.sort_by_key(|number| number * 7919 % 1009),
                }
                let mut all = Vec::new();
                for number in numbers {
                    put(&mut partial, number);
                    all.extend(rows(&mut partial));
                }
                assert!(all == whole && partial.missing().is_empty(), "side {side}, turn {turn}");
                partial.remove().unwrap();
            }
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_was_kept_is_used_and_what_was_cut_off_is_drawn_again() {
        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("a.png");
        let mut partial = Partial::create(&picture, &spec(100), 8).unwrap();
        for number in [0, 5, 1] {
            put(&mut partial, number);
        }
        drop(partial);
        let path = Partial::path_for(&picture);
        let bytes = std::fs::read(&path).unwrap();
        let record = (HEADER_BYTES + 8 * 8 * 3 + 4) as u64;
        let with = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let found = Partial::find(&picture, &spec(100), Begin::Resume);
            found.map(|partial| partial.map(|partial| partial.missing()))
        };
        assert_eq!(with(&bytes).unwrap(), Some(vec![2, 3, 4, 6, 7, 8]));
        for cut in [1, 4, 5, record - 1] {
            let found = with(&bytes[..bytes.len() - cut as usize]).unwrap();
            assert_eq!(found, Some(vec![1, 2, 3, 4, 6, 7, 8]), "{cut} bytes less");
        }
        let mut damaged = bytes.clone();
        let at = bytes.len() - record as usize - 20;
        damaged[at] ^= 1;
        assert_eq!(with(&damaged).unwrap(), Some(vec![1, 2, 3, 4, 5, 6, 7, 8]), "what follows damage is in doubt");
        for end in [0, 3, 11, 40] {
            assert!(matches!(with(&bytes[..end]), Err(PartialError::Another(_))), "{end} bytes");
        }
        // It goes on where it was cut off.
        std::fs::write(&path, &bytes[..bytes.len() - 7]).unwrap();
        let mut partial = resumed(&picture);
        for number in partial.missing() {
            put(&mut partial, number);
        }
        assert!(rows(&mut partial) == pixels(Tile::whole(SIZE)).concat());
    }

    #[test]
    fn tiles_of_others_and_of_nobody_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let picture = folder.path().join("a.png");
        let find = |begin, max_iterations| Partial::find(&picture, &spec(max_iterations), begin);
        assert!(find(Begin::Resume, 100).unwrap().is_none(), "there is nothing to go on from");
        drop(Partial::create(&picture, &spec(100), 8).unwrap());
        assert!(!Partial::path_for(&picture).exists(), "it has no tile");
        let mut partial = Partial::create(&picture, &spec(100), 8).unwrap();
        put(&mut partial, 3);
        assert!(matches!(find(Begin::Resume, 100), Err(PartialError::Busy(_))));
        drop(partial);
        assert!(matches!(find(Begin::New, 100), Err(PartialError::There(_))));
        assert!(matches!(find(Begin::Resume, 101), Err(PartialError::Another(_))));
        assert!(matches!(Partial::create(&picture, &spec(100), 8), Err(PartialError::There(_))));
        assert_eq!(resumed(&picture).kept(), 1);
        assert!(find(Begin::Anew, 101).unwrap().is_none() && !Partial::path_for(&picture).exists());
    }
}
