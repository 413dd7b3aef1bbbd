//! Arguments of commands as words: each kind of value says how it is read and written.

use std::sync::LazyLock;

use super::words::NotUnderstood;
use super::{EngineChoice, Ladder, OverlayMode, Table};
use crate::app::animation::Pace;
use crate::app::cluster::{Address, NoAddress, Site};
use crate::app::export::Channel;
use crate::app::landmark::Landmark;
use crate::app::location::parse_point;
use crate::app::motion::Course;
use crate::app::play::Play;
use crate::app::saver::{AnimationRequest, SaveRequest};
use crate::app::settings::{Hands, ZoomSpeed};
use crate::app::sheet::Format;
use crate::app::tile_map::TileMap;
use crate::engine::{self, Machine};
use crate::math::{BigComplex, shortened};
use crate::render::{MOST_PIXELS, SpaceAxis};
use crate::view::{self, Param, ParamRange, ParamValue};

/// The words of a line that are not read yet.
pub struct Words<'a> {
    pub name: &'a str,
    rest: std::slice::Iter<'a, String>,
    /// The word read last.
    last: &'a str,
}

impl<'a> Words<'a> {
    pub fn new(name: &'a str, arguments: &'a [String]) -> Self {
        Self { name, rest: arguments.iter(), last: name }
    }

    /// The next word, where there is one.
    pub fn next(&mut self) -> Option<&'a str> {
        self.last = self.rest.next()?;
        Some(self.last)
    }

    fn is_at_end(&self) -> bool {
        self.rest.len() == 0
    }

    /// Takes the next word where it is `word`.
    fn take(&mut self, word: &str) -> bool {
        let is_next = self.rest.as_slice().first().is_some_and(|next| next == word);
        if is_next {
            self.next();
        }
        is_next
    }

    /// The next word, which is to be `what`.
    fn wanted(&mut self, what: &str) -> Result<&'a str, NotUnderstood> {
        self.next().ok_or_else(|| NotUnderstood::new(format_args!("{what} is missing")))
    }

    /// The next word as one of a few.
    fn one_of<T: Copy>(&mut self, what: &str, known: &[(&'static str, T)]) -> Result<T, NotUnderstood> {
        let given = self.wanted(&format!("a {what}"))?;
        let found = known.iter().find(|(key, _)| *key == given);
        found.map(|(_, value)| *value).ok_or_else(|| NotUnderstood::unknown(what, given, known.iter().map(|(k, _)| *k)))
    }
}

/// A value in words.
pub trait Word: Sized {
    /// # Errors
    /// [`NotUnderstood`] where the next words are no such value.
    fn read(words: &mut Words) -> Result<Self, NotUnderstood>;

    fn write(&self, line: &mut Vec<String>);
}

/// Values of one word that [`std::str::FromStr`] reads.
macro_rules! plain {
    ($($kind:ty, $what:literal, $is_one:expr;)*) => {$(
        impl Word for $kind {
            fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
                let given = words.wanted(concat!("a ", $what))?;
                let no = || NotUnderstood::new(format_args!(concat!("{:?} is no ", $what), shortened(given)));
                given.parse().ok().filter($is_one).ok_or_else(no)
            }

            fn write(&self, line: &mut Vec<String>) {
                line.push(self.to_string());
            }
        }
    )*};
}

plain! {
    f64, "number", |number: &f64| number.is_finite();
    f32, "number", |number: &f32| number.is_finite();
    u32, "whole number", |_| true;
    usize, "whole number", |_| true;
    String, "word", |_| true;
}

/// Values of one word out of a few.
macro_rules! choices {
    ($($kind:ty, $what:literal, $known:expr;)*) => {$(
        impl Word for $kind {
            fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
                words.one_of($what, &$known)
            }

            fn write(&self, line: &mut Vec<String>) {
                let key = $known.iter().find(|(_, value)| value == self).map_or("", |(key, _)| *key);
                line.push(key.into());
            }
        }
    )*};
}

choices! {
    bool, "switch", [("on", true), ("off", false)];
    SpaceAxis, "axis", [("x", SpaceAxis::X), ("y", SpaceAxis::Y), ("z", SpaceAxis::Z)];
    Landmark, "landmark", [Landmark::Minibrot, Landmark::Spiral].map(|l| (l.name(), l));
    OverlayMode, "overlay", OverlayMode::ALL.map(|mode| (mode.key(), mode));
    TileMap, "map of tiles", [("off", TileMap::Off), ("live", TileMap::Live), ("heat", TileMap::Heat)];
    Table, "table", [("timings", Table::Timings), ("comparison", Table::Comparison), ("race", Table::Race)];
    Format, "format", [("markdown", Format::Markdown), ("json", Format::Json), ("csv", Format::Csv)];
    Ladder, "scale", [("ms", Ladder::Millis), ("mpx", Ladder::Megapixels)];
    Play, "way to move", Play::ALL.map(|play| (play.key(), play));
    EngineChoice, "engine", *ENGINES;
    ZoomSpeed, "speed", [("slow", ZoomSpeed::Slow), ("normal", ZoomSpeed::Normal), ("fast", ZoomSpeed::Fast)];
}

/// Every engine, there or not, after `auto`.
static ENGINES: LazyLock<Vec<(&str, EngineChoice)>> = LazyLock::new(|| {
    let auto = EngineChoice::Auto;
    let named = Machine::without_gpu(1).map(|machine| engine::all(&machine)).unwrap_or_default();
    let named = named.iter().map(|engine| EngineChoice::Named(engine.key()));
    std::iter::once(auto).chain(named).map(|choice| (choice.key(), choice)).collect()
});

/// The knobs of all views.
static PARAMS: LazyLock<Vec<Param>> =
    LazyLock::new(|| view::all([1, 1]).iter().flat_map(|view| view.params()).collect());

/// A place or a distance.
impl Word for [f64; 2] {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        Ok([Word::read(words)?, Word::read(words)?])
    }

    fn write(&self, line: &mut Vec<String>) {
        self.iter().for_each(|number| number.write(line));
    }
}

/// What may be left out at the end of a line.
impl<T: Word> Word for Option<T> {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        if words.is_at_end() { Ok(None) } else { T::read(words).map(Some) }
    }

    fn write(&self, line: &mut Vec<String>) {
        self.iter().for_each(|value| value.write(line));
    }
}

/// A size in pixels: `1280x800`, or two numbers.
impl Word for [u32; 2] {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let given = words.wanted("a size")?;
        let (width, height) = match given.split_once(['x', 'X', '×']) {
            Some(sides) => sides,
            None => (given, words.wanted("a height")?),
        };
        size([width, height]).ok_or_else(|| {
            let given = shortened(given);
            NotUnderstood::new(format_args!("{given:?} is no WIDTHxHEIGHT, each from 1 to {MOST_PIXELS}"))
        })
    }

    fn write(&self, line: &mut Vec<String>) {
        line.push(format!("{}x{}", self[0], self[1]));
    }
}

fn size(sides: [&str; 2]) -> Option<[u32; 2]> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=MOST_PIXELS).contains(side));
    Some([side(sides[0])?, side(sides[1])?])
}

/// The key of a view, or of a knob.
impl Word for &'static str {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        if words.name == "param" {
            let known: Vec<_> = PARAMS.iter().map(|param| (param.key, param.key)).collect();
            return words.one_of("knob", &known);
        }
        let known: Vec<_> = view::all([1, 1]).iter().map(|view| (view.key(), view.key())).collect();
        words.one_of("view", &known)
    }

    fn write(&self, line: &mut Vec<String>) {
        line.push((*self).into());
    }
}

/// What kind of value it is, the knob's key says, which stands before it.
impl Word for ParamValue {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let knob = PARAMS.iter().find(|param| param.key == words.last);
        Ok(match knob.map(|param| &param.range) {
            Some(ParamRange::Count { .. }) => Self::Count(Word::read(words)?),
            Some(ParamRange::Number { .. }) => Self::Number(Word::read(words)?),
            Some(ParamRange::Switch) => Self::Switch(Word::read(words)?),
            Some(ParamRange::Point) => Self::Point(Word::read(words)?),
            Some(ParamRange::Choice(_)) | None => Self::Choice(Word::read(words)?),
        })
    }

    fn write(&self, line: &mut Vec<String>) {
        match self {
            Self::Count(count) => count.write(line),
            Self::Number(number) => number.write(line),
            Self::Switch(on) => on.write(line),
            Self::Choice(key) => key.write(line),
            Self::Point(point) => point.write(line),
        }
    }
}

/// A point of the plane as one word, `-0.75,0.1`.
impl Word for BigComplex {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let given = words.wanted("a point")?;
        parse_point(given).map_err(|why| NotUnderstood::new(format_args!("{why}; a point is RE,IM")))
    }

    fn write(&self, line: &mut Vec<String>) {
        line.push(format!("{},{}", self.re, self.im));
    }
}

impl Word for Course {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let (pan, zoom, turn) = (Word::read(words)?, Word::read(words)?, Word::read(words)?);
        Ok(Self { pan, zoom, turn, about_px: Word::read(words)? })
    }

    fn write(&self, line: &mut Vec<String>) {
        self.pan.write(line);
        self.zoom.write(line);
        self.turn.write(line);
        self.about_px.write(line);
    }
}

impl Word for Hands {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let buttons_zoom = words.one_of("use of buttons", &BUTTONS)?;
        let zoom_speed = Word::read(words)?;
        let reduced_motion = words.one_of("amount of motion", &MOTION)?;
        Ok(Self {
            buttons_zoom,
            zoom_speed,
            reduced_motion,
            full_resolution: words.one_of("pixels in motion", &PIXELS)?,
        })
    }

    fn write(&self, line: &mut Vec<String>) {
        line.push(BUTTONS[usize::from(self.buttons_zoom)].0.into());
        self.zoom_speed.write(line);
        line.push(MOTION[usize::from(self.reduced_motion)].0.into());
        line.push(PIXELS[usize::from(self.full_resolution)].0.into());
    }
}

/// What the first words of [`Hands`] stand for; each at its own place, as a number.
const BUTTONS: [(&str, bool); 2] = [("drag", false), ("zoom", true)];
const MOTION: [(&str, bool); 2] = [("full", false), ("reduced", true)];
const PIXELS: [(&str, bool); 2] = [("some", false), ("every", true)];

impl Word for SaveRequest {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let path = words.wanted("a file")?;
        let path = (!path.is_empty()).then(|| path.to_owned());
        let mut request = Self::plain(path);
        while let Some(given) = words.next() {
            match given.split_once('x').and_then(|(width, height)| size([width, height])) {
                Some(size) => request.size = Some(size),
                None if given == "overwrite" => request.overwrite = true,
                None if given == "resume" => request.resume = true,
                None if given == "supersample" => request.supersample = Word::read(words)?,
                None if given == "cluster" => request.cluster = Some(Word::read(words)?),
                None => {
                    request.channel = Channel::from_key(given).ok_or_else(|| {
                        let channels = Channel::ALL.map(Channel::key);
                        let known = ["WIDTHxHEIGHT", "supersample", "overwrite", "cluster", "resume"]
                            .into_iter()
                            .chain(channels);
                        NotUnderstood::unknown("option of a saved picture", given, known)
                    })?;
                }
            }
        }
        Ok(request)
    }

    fn write(&self, line: &mut Vec<String>) {
        line.push(self.path.clone().unwrap_or_default());
        self.size.write(line);
        if self.supersample != 1 {
            line.extend(["supersample".into(), self.supersample.to_string()]);
        }
        if self.channel != Channel::default() {
            line.push(self.channel.key().into());
        }
        line.extend(self.overwrite.then(|| "overwrite".into()));
        write_cluster(self.cluster.as_ref(), line);
        line.extend(self.resume.then(|| "resume".into()));
    }
}

/// A cluster's address, and the folder of certificates where it wants some.
impl Word for Site {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let given = words.wanted("an address")?;
        let no = |why: NoAddress| NotUnderstood::new(format_args!("{:?} is no cluster; {why}", shortened(given)));
        let address: Address = given.parse().map_err(no)?;
        let has_certificates = words.take("tls");
        let certificates = has_certificates.then(|| words.wanted("a folder").map(Into::into)).transpose()?;
        Ok(Self { address, certificates })
    }

    fn write(&self, line: &mut Vec<String>) {
        line.push(self.address.to_string());
        if let Some(folder) = &self.certificates {
            line.extend(["tls".into(), folder.display().to_string()]);
        }
    }
}

impl Word for AnimationRequest {
    fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
        let path = words.wanted("a path")?.to_owned();
        let play = Word::read(words)?;
        let pace = Pace { seconds: Word::read(words)?, fps: Word::read(words)? };
        let size = Word::read(words)?;
        let mut request = Self { path, play, pace, size, overwrite: false, cluster: None };
        while let Some(given) = words.next() {
            match given {
                "overwrite" => request.overwrite = true,
                "cluster" => request.cluster = Some(Word::read(words)?),
                _ => return Err(NotUnderstood::unknown("option of an animation", given, ["overwrite", "cluster"])),
            }
        }
        Ok(request)
    }

    fn write(&self, line: &mut Vec<String>) {
        self.path.write(line);
        self.play.write(line);
        self.pace.seconds.write(line);
        self.pace.fps.write(line);
        self.size.write(line);
        line.extend(self.overwrite.then(|| "overwrite".into()));
        write_cluster(self.cluster.as_ref(), line);
    }
}

fn write_cluster(site: Option<&Site>, line: &mut Vec<String>) {
    if let Some(site) = site {
        line.push("cluster".into());
        site.write(line);
    }
}
