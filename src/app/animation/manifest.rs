//! An animation as text: what a folder of frames says of itself in `animation.toml`, written before the first frame.

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use super::{Animation, AnimationError, Course, Detail, Pace};
use crate::app::location::Location;
use crate::app::play::Play;
use crate::math::shortened;
use crate::render::Camera;
use crate::view::{Steer, View};

pub const NAME: &str = "animation.toml";
/// Largest manifest that is read: anything longer is something else.
const MOST_BYTES: u64 = 1 << 16;

const ABOUT: &str = "\
# Frames of an animation by Cardioid. As long as this file lies here, the same request draws only those that are missing.
";

/// The manifest, as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    program: String,
    play: String,
    from: Option<f64>,
    to: Option<f64>,
    fps: u32,
    frames: u32,
    size: [u32; 2],
    engine: String,
    orbits: Option<u32>,
    samples: Option<u32>,
    /// Target, yaw, pitch, distance and field of view.
    camera: Option<[f64; 7]>,
    panel: Vec<Table>,
}

impl Animation {
    /// All that decides a byte of the frames; [`Animation::from_text`] reads it.
    pub fn to_text(&self, engine: &str) -> String {
        self.manifest(engine).to_string()
    }

    /// The animation of a text, and the key of the engine that draws it.
    ///
    /// # Errors
    /// [`AnimationError`] where it describes none, or one that cannot be.
    pub fn from_text(text: &str) -> Result<(Self, String), AnimationError> {
        let malformed = AnimationError::Malformed;
        let written: Written = toml::from_str(text).map_err(|e| malformed(e.message().into()))?;
        if written.program != program() {
            return Err(malformed(format!("it is of {}, and this is {}", shortened(&written.program), program())));
        }
        let play = Play::from_key(&written.play)
            .ok_or_else(|| malformed(format!("nothing plays as {:?}", shortened(&written.play))))?;
        let course = match written.from.zip(written.to) {
            Some((from, to)) => Course::Sweep { from, to },
            None => Course::Round(play),
        };
        let panels = written.panel.iter().map(|table| written.panel(table)).collect::<Result<Vec<_>, _>>()?;
        let is_space = panels.iter().any(|view| view.camera().is_some());
        if !(1..=if is_space { 1 } else { 2 }).contains(&panels.len()) {
            return Err(malformed(format!("it has {} panels", panels.len())));
        }
        let pace = Pace { seconds: f64::from(written.frames) / f64::from(written.fps), fps: written.fps };
        let detail = Detail { orbits: written.orbits, samples: written.samples };
        Ok((Self::new(panels, course, pace, written.size, detail)?, written.engine))
    }

    /// All that the frames depend on.
    pub(super) fn manifest(&self, engine: &str) -> Table {
        let mut table = Table::new();
        let mut put = |key: &str, value: Value| drop(table.insert(key.into(), value));
        put("program", program().into());
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

impl Written {
    /// A view that moves, as in the first frame.
    fn panel(&self, location: &Table) -> Result<Box<dyn View>, AnimationError> {
        let malformed = |reason: &dyn ToString| AnimationError::Malformed(reason.to_string());
        let location = Location::parse("the animation", &location.to_string()).map_err(|e| malformed(&e))?;
        let mut view = location.at_view(location.size.unwrap_or([1, 1])).map_err(|e| malformed(&e))?;
        if let Some(numbers) = self.camera {
            let [x, y, z, yaw, pitch, distance, fov] = numbers;
            view.steer(Steer::Stand(Camera { target: [x, y, z], yaw, pitch, distance, fov }));
            if !numbers.iter().all(|n| n.is_finite()) || view.params().iter().any(|p| p.check(&p.value).is_err()) {
                return Err(malformed(&"its camera stands nowhere"));
            }
        }
        Ok(view)
    }
}

/// Another version may draw other frames.
fn program() -> &'static str {
    concat!("cardioid ", env!("CARGO_PKG_VERSION"))
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
    use crate::math::BigComplex;
    use crate::render::{Ordinate, Viewport};
    use crate::view::{ComplexBifurcation, ParamValue, Spatial};

    /// An animation of each kind, none of them as it is by itself.
    fn animations() -> Vec<Animation> {
        let pace = |seconds| Pace { seconds, fps: 7 };
        let section = |ordinate| -> Box<dyn View> {
            let mut view = ComplexBifurcation::of(ordinate, -0.0, [1, 1]);
            view.set_param("skip", ParamValue::Count(5)).unwrap();
            let [low, high] = [["-1.4000000000000001", "-1"], ["0.1", "1.3"]]
                .map(|[re, im]| BigComplex::new(re.parse().unwrap(), im.parse().unwrap()));
            view.set_viewport(Viewport::from_box(&low, &high, [1, 1]).unwrap());
            Box::new(view)
        };
        let space = |whole: bool| -> Box<dyn View> {
            let mut view = Spatial::at_home([80, 60]);
            view.set_param("scene", ParamValue::Choice(if whole { "set" } else { "section" }.into())).unwrap();
            view.set_param("yaw", ParamValue::Number(2.9)).unwrap();
            view.steer(Steer::Shift { by_px: [3.7, -11.0] });
            Box::new(view)
        };
        let detail = Detail { orbits: Some(3), samples: Some(40) };
        let make = |panels, course, seconds, size, detail| {
            Animation::new(panels, course, pace(seconds), size, detail).unwrap()
        };
        let samples = Detail { orbits: None, samples: Some(5000) };
        vec![
            make(Ordinate::ALL.map(section).into(), Course::Round(Play::Section), 4.0, [33, 25], detail),
            make(vec![section(Ordinate::Im)], Course::Sweep { from: -0.1, to: 0.3 }, 1.0, [33, 25], detail),
            make(vec![space(false)], Course::Round(Play::Spin), 9.9, [40, 31], samples),
            make(vec![space(true)], Course::Round(Play::Fly), 2.0, [40, 31], samples),
        ]
    }

    #[test]
    fn animations_come_back_from_their_text_with_every_bit() {
        for animation in animations() {
            let text = animation.to_text("tiles");
            let (read, engine) = Animation::from_text(&text).unwrap();
            assert_eq!((read.to_text("tiles"), engine.as_str()), (text.clone(), "tiles"));
            let (again, _) = Animation::from_text(&read.to_text("tiles")).unwrap();
            for frame in 0..read.frames() {
                let told =
                    |of: &Animation| of.views(frame).iter().map(|v| Location::of_view(v.as_ref())).collect::<Vec<_>>();
                assert_eq!(read.jobs(frame), again.jobs(frame), "{text}");
                assert_eq!(read.jobs(frame), animation.jobs(frame), "{text}");
                assert_eq!(told(&read), told(&again), "{text}");
            }
        }
    }

    #[test]
    fn texts_of_nothing_that_moves_are_refused() {
        let text = animations()[2].to_text("tiles");
        for (from, to, part) in [
            ("play = \"spin\"", "play = \"dance\"", "dance"),
            ("play = \"spin\"", "", "play"),
            ("program = \"cardioid ", "program = \"cardioid 9", "cardioid 9"),
            ("frames = 69", "frames = 0", "no animation"),
            ("fps = 7", "fps = 0", "no animation"),
            ("fps = 7", "fps = -7", "invalid"),
            ("size = [40, 31]", "size = [0, 31]", "size"),
            ("camera = [", "camera = [nan, ", "stands nowhere"),
            ("camera = [", "camera = [0.0]\nmore = [", "invalid length 1"),
            ("fps = 7", "fps = 7\nmore = 7", "more"),
            ("view = \"bifurcation-3d\"", "view = \"mandelbrot\"", "nothing that plays"),
            ("[[panel]]", "[other]", "other"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            let error = Animation::from_text(&changed).err().unwrap_or_else(|| panic!("{changed}")).to_string();
            assert!(error.contains(part), "{error:?} lacks {part:?}");
        }
        let twice = format!("{text}\n[[panel]]{}", text.split("[[panel]]").nth(1).unwrap());
        assert!(Animation::from_text(&twice).err().unwrap().to_string().contains("2 panels"));
    }

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
