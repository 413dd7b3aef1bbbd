//! Where locations come from: files, pictures, and the places that came with the program.

use std::path::Path;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use super::{Location, LocationError, png_location};

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/locations");

/// Longest location file: anything longer is something else.
const MOST_BYTES: u64 = 16 << 20;

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
        if path.is_file() || (path.exists() && named.is_none()) {
            return Self::open_file(path);
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
        Err(LocationError::NoSuch(argument.into(), keys.join(", ")))
    }

    /// Opens a location file or a PNG of ours; which of them it is, its first bytes tell.
    ///
    /// # Errors
    /// As [`Location::open`].
    pub fn open_file(path: &Path) -> Result<Self, LocationError> {
        let failed = |reason: String| LocationError::Read { path: path.into(), reason };
        let metadata = path.metadata().map_err(|e| failed(e.to_string()))?;
        if metadata.is_dir() {
            return Err(failed("it is a directory; name a file in it".into()));
        }
        if starts_as_png(path).map_err(|e| failed(e.to_string()))? {
            return png_location(path);
        }
        if metadata.len() > MOST_BYTES {
            return Err(failed(format!("{} bytes are too many for a location", metadata.len())));
        }
        let bytes = std::fs::read(path).map_err(|e| failed(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| failed("it is neither text nor a PNG".into()))?;
        Self::parse(&path.display().to_string(), &text)
    }
}

fn starts_as_png(path: &Path) -> std::io::Result<bool> {
    use std::io::Read as _;
    let mut start = Vec::new();
    std::fs::File::open(path)?.take(8).read_to_end(&mut start)?;
    Ok(start == b"\x89PNG\r\n\x1a\n")
}
