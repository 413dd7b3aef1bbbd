//! Palettes: one file each in `assets/palettes`, found by folder.
//!
//! ```toml
//! name = "Night Gold"
//! about = "midnight blue that catches fire at the edge"
//! interior = "#000000"          # optional
//! stops = [
//!   { at = 0.00, color = "oklch(0.16 0.06 265)" },   # or oklab(L a b), or #rrggbb
//!   { at = 0.60, color = "#f5d9a0" },
//! ]
//! ```
//!
//! A palette is a loop: the last stop leads back to the first. Read in grey it rises once and falls
//! once, so that a print without colours shows the same shapes.

use std::sync::{LazyLock, OnceLock};

use include_dir::{Dir, include_dir};
use palette::convert::FromColorUnclamped as _;
use palette::{Oklab, Oklch, Srgb};
use serde::Deserialize;

use super::gradient::{Gradient, srgb_from_oklab};

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/palettes");

/// Entries of a palette's table: neighbours differ by a level or two, so no interpolation is needed.
pub const TABLE_LEN: usize = 4096;

/// One turn of a palette, RGBA in sRGB encoding, opaque.
pub type Table = [[u8; 4]; TABLE_LEN];

/// A named loop of colours, and the colour of the interior.
#[derive(Clone, Debug)]
pub struct Palette {
    key: String,
    name: String,
    about: String,
    interior: [u8; 3],
    gradient: Gradient,
    table: OnceLock<Box<Table>>,
}

/// Why a text is no palette.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PaletteError {
    #[error("palette {key:?} is not a palette file: {message}")]
    Toml { key: String, message: String },
    #[error("palette {key:?}: {text:?} is not a colour; write \"#rrggbb\", \"oklch(L C H)\" or \"oklab(L a b)\"")]
    Color { key: String, text: String },
    #[error("palette {key:?} needs at least two stops, at rising places from 0 to below 1")]
    Stops { key: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaletteFile {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default = "black")]
    interior: String,
    stops: Vec<Stop>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    at: f64,
    color: String,
}

fn black() -> String {
    "#000000".into()
}

impl Palette {
    /// Key of the palette that pictures have unless told otherwise.
    pub const DEFAULT: &'static str = "night-gold";

    /// Every palette that came with the program, by key.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Palette>> = LazyLock::new(|| {
            let mut files: Vec<_> = FILES.files().collect();
            files.sort_by_key(|file| file.path());
            let read = |file: &&include_dir::File| {
                let key = file.path().file_stem()?.to_str()?;
                Some(Palette::from_toml(key, file.contents_utf8()?).expect("palettes of the program are tested"))
            };
            files.iter().filter_map(read).collect()
        });
        &ALL
    }

    /// The palette of that key, if the program has it.
    pub fn named(key: &str) -> Option<&'static Self> {
        Self::all().iter().find(|p| p.key == key)
    }

    /// The palette of [`Palette::DEFAULT`].
    pub fn default_palette() -> &'static Self {
        Self::named(Self::DEFAULT).expect("the default palette is among the program's files")
    }

    /// Reads a palette file; `key` is its name without folder and ending.
    ///
    /// # Errors
    /// [`PaletteError`] says what is wrong with the text.
    pub fn from_toml(key: &str, text: &str) -> Result<Self, PaletteError> {
        let file: PaletteFile = toml::from_str(text)
            .map_err(|e| PaletteError::Toml { key: key.into(), message: e.message().to_owned() })?;
        let color = |text: &String| {
            parse_color(text).ok_or_else(|| PaletteError::Color { key: key.into(), text: text.clone() })
        };
        let stops =
            file.stops.iter().map(|s| Ok((s.at, color(&s.color)?))).collect::<Result<Vec<_>, PaletteError>>()?;
        let in_order = stops.windows(2).all(|w| w[0].0 < w[1].0) && stops.iter().all(|s| (0.0..1.0).contains(&s.0));
        if stops.len() < 2 || !in_order {
            return Err(PaletteError::Stops { key: key.into() });
        }
        Ok(Self {
            key: key.into(),
            name: file.name,
            about: file.about,
            interior: srgb_from_oklab(color(&file.interior)?),
            gradient: Gradient::new(&stops),
            table: OnceLock::new(),
        })
    }

    /// Name in files and on the command line.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The palette in a few words.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Colour of points that never escaped.
    pub fn interior(&self) -> [u8; 3] {
        self.interior
    }

    /// The loop of colours itself.
    pub fn gradient(&self) -> &Gradient {
        &self.gradient
    }

    /// One turn as [`TABLE_LEN`] opaque colours, sRGB-encoded: entry i is the colour at i / `TABLE_LEN` turns.
    pub fn table(&self) -> &Table {
        self.table.get_or_init(|| {
            let entry = |i: usize| {
                let [r, g, b] = self.gradient.srgb(i as f64 / TABLE_LEN as f64);
                [r, g, b, 255]
            };
            let entries: Box<[[u8; 4]]> = (0..TABLE_LEN).map(entry).collect();
            entries.try_into().expect("as many entries as the table has")
        })
    }
}

/// Reads `#rrggbb`, `oklch(L C H)` with H in degrees, or `oklab(L a b)`.
fn parse_color(text: &str) -> Option<Oklab<f64>> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix('#') {
        if hex.len() != 6 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(hex, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        return Some(Oklab::from_color_unclamped(Srgb::new(r, g, b).into_format::<f64>()));
    }
    let (space, numbers) = text.strip_suffix(')')?.split_once('(')?;
    let numbers = numbers.split_ascii_whitespace().map(|n| n.parse::<f64>().ok()).collect::<Option<Vec<_>>>()?;
    let &[l, x, y] = numbers.as_slice() else { return None };
    if !(0.0..=1.0).contains(&l) || !x.is_finite() || !y.is_finite() {
        return None;
    }
    match space.trim() {
        "oklab" => Some(Oklab::new(l, x, y)),
        "oklch" if x >= 0.0 => Some(Oklab::from_color_unclamped(Oklch::new(l, x, y))),
        _ => None,
    }
}
