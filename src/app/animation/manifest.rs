//! What a folder of frames says of itself: `animation.toml`, written before the first frame.

use std::path::Path;

use toml::{Table, Value};

use super::{Animation, AnimationError, Course};
use crate::app::location::Location;
use crate::math::shortened;
use crate::view::View;

pub const NAME: &str = "animation.toml";
/// Largest manifest that is read: anything longer is something else.
const MOST_BYTES: u64 = 1 << 16;

const ABOUT: &str = "\
# Frames of an animation by Cardioid. As long as this file lies here, the same request draws only those that are missing.
";

impl Animation {
    /// All that the frames depend on.
    pub(super) fn manifest(&self, engine: &str) -> Table {
        let mut table = Table::new();
        let mut put = |key: &str, value: Value| drop(table.insert(key.into(), value));
        put("program", concat!("cardioid ", env!("CARGO_PKG_VERSION")).into());
        put("play", self.course.play().key().into());
        if let Course::Sweep { from, to } = self.course {
            put("from", from.into());
            put("to", to.into());
        }
        put("fps", i64::from(self.fps).into());
        put("frames", i64::from(self.frames).into());
        put("size", Value::Array(self.size.map(|side| i64::from(side).into()).to_vec()));
        put("engine", engine.into());
        for (key, count) in [("orbits", self.detail.orbits), ("samples", self.detail.samples)] {
            if let Some(count) = count {
                put(key, i64::from(count).into());
            }
        }
        // As in the first frame: where the section or the camera happened to be before means nothing.
        let views = self.views(0);
        if let Some(camera) = views.iter().find_map(|view| view.camera()) {
            let numbers = camera.target.into_iter().chain([camera.yaw, camera.pitch, camera.distance, camera.fov]);
            put("camera", Value::Array(numbers.map(Value::from).collect()));
        }
        let told = |view: &dyn View| {
            let text = Location::of_view(view).to_toml();
            Value::Table(text.parse::<Table>().expect("locations are TOML"))
        };
        put("panel", Value::Array(views.iter().map(|view| told(view.as_ref())).collect()));
        table
    }
}

/// The manifest as a file.
pub fn text(manifest: &Table) -> String {
    format!("{ABOUT}{manifest}")
}

/// The manifest of a folder; none where it has none that can be read.
pub fn read(folder: &Path) -> Option<Table> {
    let path = folder.join(NAME);
    if path.metadata().ok()?.len() > MOST_BYTES {
        return None;
    }
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// Refuses where a folder says something else than what is asked for.
///
/// # Errors
/// [`AnimationError::Another`], with the first difference.
pub fn compare(there: &Table, asked: &Table, folder: &Path) -> Result<(), AnimationError> {
    let [there, asked] = [there, asked].map(leaves);
    let value = |of: &[(String, String)], key: &str| {
        let found = of.iter().find(|(name, _)| name == key);
        found.map_or_else(|| "nothing".into(), |(_, value)| shortened(value))
    };
    let keys = asked.iter().chain(&there).map(|(key, _)| key);
    match keys.map(|key| (key, value(&there, key), value(&asked, key))).find(|(_, there, asked)| there != asked) {
        None => Ok(()),
        Some((key, there, asked)) => {
            Err(AnimationError::Another { key: key.clone(), there, asked, folder: folder.into() })
        }
    }
}

/// All values as text, by paths such as `panel.1.scheme`.
fn leaves(table: &Table) -> Vec<(String, String)> {
    let within = |name: &str, table: &Table| -> Vec<(String, String)> {
        leaves(table).into_iter().map(|(key, value)| (format!("{name}.{key}"), value)).collect()
    };
    let of = |(key, value): (&String, &Value)| match value {
        Value::Table(table) => within(key, table),
        Value::Array(list) if list.iter().any(Value::is_table) => {
            let tables = list.iter().filter_map(Value::as_table);
            tables.zip(1..).flat_map(|(table, n)| within(&format!("{key}.{n}"), table)).collect()
        }
        value => vec![(key.clone(), value.to_string())],
    };
    table.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let table = |text: &str| text.parse::<Table>().unwrap();
        let old = table("fps = 30\nsize = [8, 6]\n[[panel]]\nscheme = \"ink\"\n[[panel]]\nscheme = \"ink\"");
        assert!(compare(&old, &table(&text(&old)), Path::new("f")).is_ok(), "as written and read again");
        for (asked, part) in [
            ("fps = 25\nsize = [8, 6]", "fps = 30, asked for 25"),
            ("fps = 30\nsize = [8, 8]", "size = [8, 6], asked for [8, 8]"),
            ("fps = 30\nsize = [8, 6]\n[[panel]]\nscheme = \"ink\"", "panel.2.scheme = \"ink\", asked for nothing"),
            ("from = 0.5\nfps = 30", "from = nothing, asked for 0.5"),
        ] {
            let error = compare(&old, &table(asked), Path::new("f")).unwrap_err().to_string();
            assert!(error.contains(part), "{error:?} lacks {part:?}");
        }
    }
}
