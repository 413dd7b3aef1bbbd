//! Where locations come from: files, pictures, and the places that came with the program.

use std::fs::File;
use std::io::{Cursor, ErrorKind, Read as _};
use std::path::Path;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use super::png_text::location_of_png;
use super::{Location, LocationError};
use crate::math::shortened;

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/locations");

/// Longest text of a location: anything longer is something else.
pub(super) const MOST_BYTES: usize = 2 << 20;

/// A place of `assets/locations`: bookmark, benchmark scene and test case in one.
#[derive(Clone, Debug)]
pub struct NamedPlace {
    pub key: &'static str,
    pub location: Location,
}

impl NamedPlace {
    /// Every place that came with the program, by key.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<NamedPlace>> = LazyLock::new(|| {
            let mut files: Vec<_> = FILES.files().collect();
            files.sort_by_key(|file| file.path());
            let read = |file: &&'static include_dir::File<'static>| {
                let key = file.path().file_stem()?.to_str()?;
                let location = Location::parse(key, file.contents_utf8()?).expect("places of the program are tested");
                Some(NamedPlace { key, location })
            };
            files.iter().filter_map(read).collect()
        });
        &ALL
    }

    pub fn find(key: &str) -> Option<&'static Self> {
        Self::all().iter().find(|place| place.key == key)
    }
}

impl Location {
    /// Opens what a user names: a location file, a PNG of ours, a named place, or the place itself as text.
    ///
    /// # Errors
    /// [`LocationError`] says what was found and what would do.
    pub fn open(argument: &str) -> Result<Self, LocationError> {
        let path = Path::new(argument);
        let named = NamedPlace::find(argument);
        match path.metadata() {
            Ok(found) if found.is_file() || named.is_none() => return Self::open_file(path),
            // A folder that may not be entered, say; a text that can be no path at all is another matter.
            Err(e) if named.is_none() && !says_that_nothing_is_there(e.kind()) => {
                return Err(LocationError::Read { path: path.into(), reason: e.to_string() });
            }
            _ => {}
        }
        if let Some(place) = named {
            return Ok(place.location.clone());
        }
        match Self::parse("the argument", argument) {
            Err(_) if !argument.contains('=') => {}
            place => return place,
        }
        let looks_like_a_path = path.extension().is_some() || argument.contains(['/', '\\']);
        if looks_like_a_path {
            return Err(LocationError::Read { path: path.into(), reason: "no such file".into() });
        }
        let keys: Vec<_> = NamedPlace::all().iter().map(|place| place.key).collect();
        Err(LocationError::NoSuch(shortened(argument), keys.join(", ")))
    }

    /// Opens a location file or a PNG of ours; which of them it is, its first bytes tell.
    ///
    /// The file is read once, from beginning to end, so that pipes will do.
    ///
    /// # Errors
    /// As [`Location::open`].
    pub fn open_file(path: &Path) -> Result<Self, LocationError> {
        let failed = |reason: String| LocationError::Read { path: path.into(), reason };
        let metadata = path.metadata().map_err(|e| failed(e.to_string()))?;
        if metadata.is_dir() {
            return Err(failed("it is a directory; name a file in it".into()));
        }
        let mut file = File::open(path).map_err(|e| failed(e.to_string()))?;
        let mut start = Vec::new();
        file.by_ref().take(8).read_to_end(&mut start).map_err(|e| failed(e.to_string()))?;
        let is_png = start == b"\x89PNG\r\n\x1a\n";
        let whole = Cursor::new(start).chain(file);
        if is_png {
            return location_of_png(path, whole);
        }
        let mut bytes = Vec::new();
        whole.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|e| failed(e.to_string()))?;
        if bytes.len() > MOST_BYTES {
            return Err(failed(format!(
                "a location has at most {MOST_BYTES} bytes and this has more; name another file"
            )));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed("it is neither text nor a PNG".into()))?;
        Self::parse(&path.display().to_string(), &text)
    }
}

/// Whether the system found nothing of that name, or no name in it: the text may still be a place.
fn says_that_nothing_is_there(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    matches!(kind, NotFound | NotADirectory | InvalidFilename | InvalidInput)
}
