//! Bookmarks: places worth coming back to, each a small picture with its location inside.
//!
//! A folder of the user's holds one PNG for each, so that the program opens them as it does all its pictures, and any file
//! manager shows what they are. Their numbers are their order.

use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};

use super::export::encoded;
use super::location::{Frame, Location, png_location};
use crate::color::{add_light, average_light};

/// Most of a thumbnail, in pixels; a picture is made smaller by whole factors until it fits.
const THUMBNAIL: [u32; 2] = [192, 128];
/// Largest factor: that many pixels still add up.
const MOST_SMALLER: u32 = 63;
/// A picture with longer sides than this is no thumbnail.
const MOST_SIDE: u32 = 1024;

/// A small picture, RGBA, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Thumbnail {
    pub size: [u32; 2],
    pub pixels: Vec<[u8; 4]>,
}

/// One place.
#[derive(Clone, Debug, PartialEq)]
pub struct Bookmark {
    /// Number of its file.
    pub id: u32,
    pub location: Location,
    pub thumbnail: Thumbnail,
}

/// All places, and those removed since the program began.
#[derive(Default)]
pub struct Bookmarks {
    /// None where the user has no such place: then they last as long as the program.
    folder: Option<PathBuf>,
    all: Vec<Bookmark>,
    /// Each with where it stood.
    removed: Vec<(usize, Bookmark)>,
}

impl Thumbnail {
    /// A picture made smaller, its pixels averaged in linear light.
    pub fn of([width, height]: [u32; 2], pixels: &[[u8; 4]]) -> Self {
        let side = width.div_ceil(THUMBNAIL[0]).max(height.div_ceil(THUMBNAIL[1]));
        let side = side.min(width.min(height)).clamp(1, MOST_SMALLER);
        let size = [width / side, height / side];
        let places = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        let mean = |(x, y): (u32, u32)| {
            let mut light = [[0; 3]];
            for row in y * side..(y + 1) * side {
                let first = (row * width + x * side) as usize;
                pixels[first..first + side as usize].iter().for_each(|pixel| add_light(&[*pixel], &mut light));
            }
            let mut mean = [[0; 3]];
            average_light(&light, side * side, &mut mean);
            let [[r, g, b]] = mean;
            [r, g, b, 255]
        };
        Self { size, pixels: places.map(mean).collect() }
    }

    /// What stands for a picture that there is none of.
    fn blank() -> Self {
        Self { size: [3, 2], pixels: vec![[24, 26, 33, 255]; 6] }
    }

    /// That of a file; blank where it is none of ours.
    fn read(path: &Path) -> Option<Self> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(path).ok()?)).read_info().ok()?;
        let info = reader.info();
        let (size, kind) = ([info.width, info.height], (info.color_type, info.bit_depth));
        if size.iter().any(|side| *side > MOST_SIDE) || kind != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return None;
        }
        let mut bytes = vec![0; reader.output_buffer_size()?];
        reader.next_frame(&mut bytes).ok()?;
        Some(Self { size, pixels: bytes.as_chunks().0.iter().map(|[r, g, b]| [*r, *g, *b, 255]).collect() })
    }
}

impl Bookmarks {
    /// Those of a folder; none where there is no such folder yet. Other files are left alone.
    pub fn load(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut all: Vec<_> = entries.filter_map(|entry| Bookmark::read(&entry.path())).collect();
        all.sort_by_key(|bookmark| bookmark.id);
        Self { folder: Some(folder.to_owned()), all, removed: Vec::new() }
    }

    /// In their order.
    pub fn all(&self) -> &[Bookmark] {
        &self.all
    }

    /// True where the last removal can be taken back.
    pub fn can_restore(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Appends a place that has no picture yet; gives its number.
    pub(super) fn add(&mut self, location: Location) -> u32 {
        let used = self.all.iter().chain(self.removed.iter().map(|(_, bookmark)| bookmark)).map(|b| b.id).max();
        let is_free = |id: &u32| self.path(*id).is_none_or(|path| path.symlink_metadata().is_err());
        let id = (used.unwrap_or(0) + 1..).find(is_free).expect("some number is free");
        self.all.push(Bookmark { id, location, thumbnail: Thumbnail::blank() });
        id
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Bookmark> {
        self.all.iter_mut().find(|bookmark| bookmark.id == id)
    }

    /// Takes a bookmark out; false where there is none of that number.
    pub(super) fn remove(&mut self, id: u32) -> bool {
        let Some(at) = self.all.iter().position(|bookmark| bookmark.id == id) else { return false };
        let bookmark = self.all.remove(at);
        self.removed.push((at, bookmark));
        true
    }

    /// Puts the bookmark removed last back to where it stood; gives its number.
    pub(super) fn restore(&mut self) -> Option<u32> {
        let (at, bookmark) = self.removed.pop()?;
        let id = bookmark.id;
        self.all.insert(at.min(self.all.len()), bookmark);
        Some(id)
    }

    /// Brings the file of one number up to date, whole or not at all: it goes where there is no such bookmark any more.
    ///
    /// # Errors
    /// Where the folder cannot be made or written to.
    pub(super) fn save(&self, id: u32) -> io::Result<()> {
        let (Some(folder), Some(path)) = (&self.folder, self.path(id)) else { return Ok(()) };
        let Some(bookmark) = self.all.iter().find(|bookmark| bookmark.id == id) else {
            return std::fs::remove_file(path)
                .or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) });
        };
        std::fs::create_dir_all(folder)?;
        let Thumbnail { size, pixels } = bookmark.thumbnail.clone();
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&encoded(size, pixels, Some(&bookmark.location.to_toml()))?)?;
        file.persist(path)?;
        Ok(())
    }

    fn path(&self, id: u32) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{id:04}.png")))
    }
}

impl Bookmark {
    /// Where it leads, for people: the view, and how much of the plane it shows.
    pub fn place(&self) -> String {
        let height = match &self.location.frame {
            Frame::Height { height, .. } => height.to_float_exp(),
            Frame::Box { low, high, .. } => (&high.im - &low.im).to_float_exp(),
        };
        let plain = height.to_f64();
        let height = if (0.01..1e4).contains(&plain) { format!("{plain:.2}") } else { format!("{height:.2}") };
        format!("{}, height {height}", self.location.view)
    }

    fn read(path: &Path) -> Option<Self> {
        if path.extension()? != "png" {
            return None;
        }
        let id = path.file_stem()?.to_str()?.parse().ok()?;
        let location = png_location(path).ok()?;
        Some(Self { id, location, thumbnail: Thumbnail::read(path).unwrap_or_else(Thumbnail::blank) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Location {
        Location::parse("here", text).unwrap()
    }

    #[test]
    fn bookmarks_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("bookmarks");
        let mut bookmarks = Bookmarks::load(&path);
        for text in ["height = \"1e-300\"", "rotation = 30", "view = \"julia\"\nc = [\"0.1\", \"-1e-40\"]"] {
            let id = bookmarks.add(place(text));
            bookmarks.save(id).unwrap();
        }
        let picture = Thumbnail::of([400, 300], &vec![[200, 100, 50, 255]; 400 * 300]);
        assert_eq!((picture.size, picture.pixels[0]), ([133, 100], [200, 100, 50, 255]));
        let second = bookmarks.get_mut(2).unwrap();
        (second.thumbnail, second.location.name) = (picture, Some("a \"name\" – of mine".into()));
        bookmarks.save(2).unwrap();
        std::fs::write(path.join("0007.png"), "no picture").unwrap();
        std::fs::write(path.join("notes.txt"), "mine").unwrap();
        assert_eq!(Bookmarks::load(&path).all(), bookmarks.all());

        assert!(bookmarks.remove(2) && !bookmarks.remove(2));
        bookmarks.save(2).unwrap();
        assert_eq!(Bookmarks::load(&path).all(), bookmarks.all());
        assert_eq!(bookmarks.add(place("rotation = 1")), 4, "the number of one that may come back is not used again");
        assert_eq!(bookmarks.restore(), Some(2));
        bookmarks.save(2).unwrap();
        assert_eq!(bookmarks.all().iter().map(|b| b.id).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(Bookmarks::load(&path).all(), &bookmarks.all()[..3]);
        assert_eq!(bookmarks.add(place("rotation = 2")), 5);
        for _ in 0..2 {
            bookmarks.add(place("rotation = 2"));
        }
        assert_eq!(bookmarks.all().last().unwrap().id, 8, "files of others are not replaced");
    }

    #[test]
    fn thumbnails_of_odd_pictures() {
        for size in [[1, 1], [5000, 3], [3, 5000], [192, 128], [193, 128], [3840, 2160]] {
            let [width, height] = Thumbnail::of(size, &vec![[9; 4]; (size[0] * size[1]) as usize]).size;
            assert!(width >= 1 && height >= 1, "{size:?}");
        }
    }
}
