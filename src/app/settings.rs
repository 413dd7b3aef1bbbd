//! What the program remembers from one run to the next: how views are laid out on the canvas, how hands move them, and
//! which cluster draws.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cluster::Site;

/// Kept in a file of the user's. Whatever is missing or cannot be read is as in a new program.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Settings {
    /// Keys of the views that are shown above their companions.
    pub paired: Vec<String>,
    /// Share of the canvas's height that the upper of two views has.
    pub split: f64,
    /// Pictures at rest are antialiased.
    pub antialiasing: bool,
    pub hands: Hands,
    /// Who drew last of the clusters that were asked.
    pub cluster: Option<Site>,
}

/// How hands move the view.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Hands {
    /// Held, the left button zooms in and the right one out, about the pointer; else they pan and draw a box.
    pub buttons_zoom: bool,
    pub zoom_speed: ZoomSpeed,
    /// Nothing is eased or thrown.
    pub reduced_motion: bool,
    /// Pictures in motion have every pixel, however long that takes; else as many as can be drawn in time.
    pub full_resolution: bool,
}

/// How fast a zoom goes on while a key or button is held.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ZoomSpeed {
    Slow,
    #[default]
    Normal,
    Fast,
}

impl ZoomSpeed {
    pub const ALL: [Self; 3] = [Self::Slow, Self::Normal, Self::Fast];

    /// Magnification in a second.
    pub fn factor(self) -> f64 {
        match self {
            Self::Slow => 2.0,
            Self::Normal => 4.0,
            Self::Fast => 8.0,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Slow => "slow, ×2 a second",
            Self::Normal => "normal, ×4 a second",
            Self::Fast => "fast, ×8 a second",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let paired = vec![crate::view::ComplexBifurcation::KEY.into()];
        Self { paired, split: 0.5, antialiasing: true, hands: Hands::default(), cluster: None }
    }
}

impl Settings {
    /// Where they are kept; none where the user has no such place.
    pub fn path() -> Option<PathBuf> {
        Some(dirs::config_dir()?.join("cardioid").join("settings.toml"))
    }

    /// Those of a file; the defaults where there is none.
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        toml::from_str(&text).unwrap_or_default()
    }

    /// Writes them, whole or not at all.
    ///
    /// # Errors
    /// Where the folder cannot be made or written to.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, toml::to_string(self).map_err(io::Error::other)?.as_bytes())?;
        file.persist(path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_and_nonsense_is_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("settings.toml");
        assert_eq!(Settings::load(&path), Settings::default());
        let hands =
            Hands { buttons_zoom: true, zoom_speed: ZoomSpeed::Fast, reduced_motion: true, full_resolution: true };
        let certificates = Some("/keys".into());
        let cluster = Some(Site { address: "tls://host:8786".parse().unwrap(), certificates });
        let settings = Settings { paired: vec!["mandelbrot".into()], split: 0.25, antialiasing: false, hands, cluster };
        settings.save(&path).unwrap();
        assert_eq!(Settings::load(&path), settings);
        for (text, expected) in [
            ("split = 0.3", Settings { split: 0.3, ..Settings::default() }),
            ("split = \"wide\"", Settings::default()),
            ("[hands]\nzoom_speed = \"sudden\"", Settings::default()),
            ("[cluster]\naddress = \"nowhere\"", Settings::default()),
            ("\u{0}", Settings::default()),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(Settings::load(&path), expected, "{text:?}");
        }
    }
}
