//! The folders of `tests/cases`: a location, what may differ, and the picture that was looked at.
//!
//! ```toml
//! center = ["-0.7463", "0.1102"]   # a location file, see docs/location-file.md
//! height = "0.005"
//! size = [96, 64]
//! [compare]
//! differing_pixels = 0   # counts that may differ from the plain engine's
//! tolerance = 0          # colour levels a channel
//! max_outliers = 0       # pixels past the tolerance
//! ```

use std::path::PathBuf;

use cardioid::app::Location;
use cardioid::color::{Palette, shade};
use cardioid::engine::Engine;
use cardioid::render::{Field, HostSink, Job, Latest};

/// One golden case.
pub struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub location: Location,
    pub job: Job,
    /// Counts that may differ from the plain engine's.
    pub differing_pixels: usize,
    /// Colour levels a channel.
    pub tolerance: u8,
    /// Pixels past the tolerance.
    pub max_outliers: usize,
    /// Why the case fails, where that is known.
    pub known_failure: Option<String>,
}

/// Every case, by name.
pub fn all() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut folders: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.into_iter().map(Case::read).collect()
}

/// Holds pixels against `tests/pictures/NAME.png`, the one that was looked at, within `levels` of each channel.
/// `UPDATE_GOLDEN=1` writes it.
pub fn assert_looked_at(name: &str, size: [u32; 2], pixels: &[[u8; 4]], levels: u8) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pictures/{name}.png"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = bytemuck::cast_slice(pixels);
        image::save_buffer(&path, bytes, size[0], size[1], image::ColorType::Rgba8).unwrap();
    }
    let expected = image::open(&path).expect("UPDATE_GOLDEN=1 writes it").into_rgba8();
    let differs = |(a, b): &(&[u8; 4], &image::Rgba<u8>)| (0..4).any(|i| a[i].abs_diff(b.0[i]) > levels);
    let differing = pixels.iter().zip(expected.pixels()).filter(differs).count();
    assert_eq!(differing, 0, "{differing} pixels differ from {}", path.display());
}

impl Case {
    fn read(folder: PathBuf) -> Self {
        let file = folder.join("case.toml");
        let location = Location::open_file(&file).unwrap_or_else(|e| panic!("{e}"));
        let job = location.job(location.size.expect("cases have a size")).unwrap();
        let compare = location.unknown.get("compare").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let number = |key: &str| compare.get(key).map_or(0, |v| v.as_integer().expect("whole numbers")) as usize;
        let known_failure = location.unknown.get("known_failure").and_then(|v| v.as_str()).map(str::to_owned);
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            differing_pixels: number("differing_pixels"),
            tolerance: number("tolerance") as u8,
            max_outliers: number("max_outliers"),
            folder,
            location,
            job,
            known_failure,
        }
    }

    /// The case's samples, by any engine.
    pub fn field(&self, engine: &mut dyn Engine) -> Field {
        let mut field = Field::missing(self.job.size());
        let result = engine.render(&self.job, &Latest::forever(), &HostSink::new(&mut field));
        result.unwrap_or_else(|e| panic!("{}: {e}", self.name));
        field
    }

    /// The field in the case's colours.
    pub fn colored(&self, field: &Field) -> Vec<[u8; 4]> {
        let palette = Palette::named(self.location.palette.as_deref().unwrap_or(Palette::DEFAULT)).expect("a palette");
        let mut pixels = vec![[0; 4]; field.samples().len()];
        shade(&self.location.coloring.params(palette), palette.table(), field, &mut pixels);
        pixels
    }
}
