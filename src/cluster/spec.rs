//! The whole picture as text: everything that decides a byte of it, and nothing else.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::cut::Cut;
use super::diagrams::{Diagrams, WrittenDiagrams};
use super::part::Axis;
use super::tile;
use crate::app::export::Channel;
use crate::app::location::{Location, LocationError};
use crate::color::Palette;
use crate::render::{Job, Shortcuts, Viewport};

/// A picture that can be drawn in parts, anywhere.
///
/// Its text is one line of JSON: the location that the picture carries inside, with nothing left to a default, and what
/// no location says. Numbers of the plane are decimal text within the location. What follows from the picture as a
/// whole, such as the cap on iterations, was measured before and stands in it as a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    location: Location,
    shortcuts: Shortcuts,
    content: Content,
    text: String,
}

/// What pixels hold, and of what.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Colours of a set.
    Set,
    /// Numbers of one, as a `.npy` has them.
    Numbers(Channel),
    /// Colours of diagrams.
    Diagrams(Diagrams),
}

/// Why there is no spec.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    #[error(
        "a picture of {0} cannot be drawn in parts, for each point of its orbits may fall anywhere in it; draw it on one machine"
    )]
    Whole(String),
    #[error("this is no picture's spec: {0}")]
    Malformed(String),
    #[error("the spec leaves {0} open; it was not written by this program")]
    Open(&'static str),
    #[error(transparent)]
    Location(#[from] LocationError),
}

/// The text, in the order of its keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    spec: u32,
    program: String,
    shortcuts: WrittenShortcuts,
    location: String,
    /// Channel, where pixels hold numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    diagrams: Option<WrittenDiagrams>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenShortcuts {
    bulbs: bool,
    cycles: bool,
    symmetry: bool,
}

impl Spec {
    const VERSION: u32 = 1;
    /// Longest text that is read.
    pub const MOST_BYTES: usize = 1 << 20;

    /// The spec of a picture's job; `told` is the location that the picture carries, completed by that job.
    ///
    /// # Errors
    /// [`SpecError`] for views whose pictures cannot be cut.
    pub fn of(job: &Job, told: &Location) -> Result<Self, SpecError> {
        if job.task.escape_time().is_none() {
            return Err(SpecError::Whole(told.view.clone()));
        }
        Self::written(job, told, None, None)
    }

    /// The spec of a job's numbers; `told` is its location, completed by that job.
    ///
    /// # Errors
    /// As [`Spec::of`].
    pub fn numbers(job: &Job, told: &Location, channel: Channel) -> Result<Self, SpecError> {
        if job.task.escape_time().is_none() {
            return Err(SpecError::Whole(told.view.clone()));
        }
        Self::written(job, told, Some(channel.key().into()), None)
    }

    /// The spec of a picture of diagrams, whose tones were measured; `told` is the location that it carries.
    ///
    /// # Errors
    /// [`SpecError`] where the location leaves something open.
    pub fn diagrams(diagrams: &Diagrams, told: &Location) -> Result<Self, SpecError> {
        Self::written(&diagrams.panels.jobs[0], told, None, Some(WrittenDiagrams::of(diagrams)))
    }

    fn written(
        job: &Job,
        told: &Location,
        numbers: Option<String>,
        diagrams: Option<WrittenDiagrams>,
    ) -> Result<Self, SpecError> {
        let Shortcuts { bulbs, cycles, symmetry } = job.shortcuts;
        let shortcuts = WrittenShortcuts { bulbs, cycles, symmetry };
        let location = told.to_toml();
        let written = Written { spec: Self::VERSION, program: program(), shortcuts, location, numbers, diagrams };
        // Read back, so that both ends have the same.
        Self::from_text(&serde_json::to_string(&written).expect("it is text, switches and whole numbers"))
    }

    /// # Errors
    /// [`SpecError`] says what is wrong with the text.
    pub fn from_text(text: &str) -> Result<Self, SpecError> {
        if text.len() > Self::MOST_BYTES {
            return Err(SpecError::Malformed(format!("it is longer than {} bytes", Self::MOST_BYTES)));
        }
        let written: Written = serde_json::from_str(text).map_err(|e| SpecError::Malformed(e.to_string()))?;
        if written.spec != Self::VERSION {
            return Err(SpecError::Malformed(format!("it is of version {}, not {}", written.spec, Self::VERSION)));
        }
        let location = Location::parse("the spec", &written.location)?;
        let is_set = written.diagrams.is_none();
        let palette = location.palette.as_deref().and_then(Palette::named);
        let needed = [
            ("size", location.size.is_some()),
            ("engine", location.engine.as_deref().is_some_and(|engine| engine != "auto")),
            ("max_iterations", !is_set || location.max_iterations.is_some()),
            ("bailout", !is_set || location.bailout.is_some()),
            ("quality", !is_set || location.quality.is_some()),
            ("supersample", !is_set || location.supersample.is_some()),
            ("palette", !is_set || palette.is_some()),
        ];
        if let Some((key, _)) = needed.into_iter().find(|(_, said)| !said) {
            return Err(SpecError::Open(key));
        }
        let WrittenShortcuts { bulbs, cycles, symmetry } = written.shortcuts;
        let shortcuts = Shortcuts { bulbs, cycles, symmetry };
        let content = match (written.diagrams, written.numbers) {
            (Some(diagrams), None) => Content::Diagrams(diagrams.read(&location, shortcuts)?),
            (None, Some(key)) => Content::Numbers(
                Channel::from_key(&key).ok_or_else(|| SpecError::Malformed(format!("it has no channel {key:?}")))?,
            ),
            (None, None) => Content::Set,
            (Some(_), Some(_)) => return Err(SpecError::Malformed("its numbers are of two kinds".into())),
        };
        let spec = Self { location, shortcuts, content, text: text.to_owned() };
        match spec.viewport() {
            Ok(_) => Ok(spec),
            Err(e) => Err(SpecError::Malformed(e.to_string())),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the text, as 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        hash_of(&self.text)
    }

    /// What the picture says of itself.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// What its pixels hold.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Bytes of a pixel.
    pub fn bytes_per_pixel(&self) -> u32 {
        match self.content {
            Content::Set | Content::Diagrams(_) => tile::RGB8,
            Content::Numbers(channel) => channel.bytes(),
        }
    }

    /// Along which side the picture is cheap to cut: what makes a column of a diagram makes all of its rows.
    pub fn axis(&self) -> Axis {
        match self.content {
            Content::Set | Content::Numbers(_) => Axis::Rows,
            Content::Diagrams(_) => Axis::Columns,
        }
    }

    /// The picture in tiles of about `side` × `side` pixels: squares, or whole columns.
    pub(super) fn cut(&self, side: u32) -> Cut {
        /// As many columns of a diagram are computed at once.
        const STRIP: u32 = 16;
        let size = self.size();
        match self.axis() {
            Axis::Rows => Cut::of(size, [side, side]),
            Axis::Columns => {
                let columns = (u64::from(side).pow(2) / u64::from(size[1])).clamp(1, size[0].into()) as u32;
                Cut::of(size, [if columns > STRIP { columns - columns % STRIP } else { columns }, size[1]])
            }
        }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        match &self.content {
            Content::Set | Content::Numbers(_) => self.location.size.expect("specs say their size"),
            Content::Diagrams(diagrams) => diagrams.panels.size(),
        }
    }

    /// Key of the engine that draws it, wherever that is.
    pub fn engine(&self) -> &str {
        self.location.engine.as_deref().expect("specs say their engine")
    }

    /// Samples along each side of a set's pixel.
    pub fn supersample(&self) -> u32 {
        self.location.supersample.expect("specs of sets say their samples")
    }

    /// The palette of a set.
    pub fn palette(&self) -> &'static Palette {
        self.location.palette.as_deref().and_then(Palette::named).expect("specs of sets name a palette")
    }

    /// The job of the whole picture; of diagrams, the uppermost one's.
    pub fn job(&self) -> Job {
        if let Content::Diagrams(diagrams) = &self.content {
            return diagrams.panels.jobs[0].clone();
        }
        let job = self.location.job(self.size()).expect("it was tried when the spec was read");
        let channels = match self.content {
            Content::Numbers(channel) => channel.needs(),
            Content::Set | Content::Diagrams(_) => job.channels,
        };
        Job { shortcuts: self.shortcuts, channels, ..job }
    }

    fn viewport(&self) -> Result<Viewport, crate::render::ViewportError> {
        self.location.viewport(self.size())
    }
}

/// SHA-256 of the text of a spec, as 64 hexadecimal digits.
pub(super) fn hash_of(text: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(text).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Another version may draw other bytes.
fn program() -> String {
    concat!("cardioid ", env!("CARGO_PKG_VERSION")).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::location::NamedPlace;

    fn spec_of(location: &Location, supersample: u32) -> (Job, Spec) {
        let mut job = location.job([160, 90]).unwrap().with_max_iterations(1234);
        job.shortcuts.symmetry = false;
        let told = location.complete(&job, "naive", supersample);
        let spec = Spec::of(&job, &told).unwrap();
        (job, spec)
    }

    #[test]
    fn every_named_place_comes_back_as_the_same_job() {
        let mut places = 0;
        for place in NamedPlace::all() {
            let location = Location::open(place.key).unwrap();
            if location.at_view([1, 1]).unwrap().task().escape_time().is_none() {
                continue;
            }
            let (job, spec) = spec_of(&location, 3);
            let read = Spec::from_text(spec.text()).unwrap();
            assert_eq!(read, spec, "{}", place.key);
            assert_eq!(read.job(), job, "{}", place.key);
            assert_eq!(read.location().to_toml(), location.complete(&job, "naive", 3).to_toml(), "{}", place.key);
            assert!(!spec.text().contains('\n'), "a request is one line");
            places += 1;
        }
        assert!(places > 3);
    }

    #[test]
    fn whatever_decides_a_byte_decides_the_hash() {
        let home = Location::home(crate::fractal::FormulaId::Quadratic);
        let (_, spec) = spec_of(&home, 1);
        assert_eq!(spec.hash().len(), 64);
        assert_eq!(spec.hash(), spec_of(&home, 1).1.hash());
        let mut others = vec![spec_of(&home, 2).1.hash()];
        others.push(spec_of(&Location { palette: Some("glacier".into()), ..home.clone() }, 1).1.hash());
        others.push(spec_of(&Location { rotation: 1.0, ..home }, 1).1.hash());
        others.push(spec.hash());
        others.sort();
        others.dedup();
        assert_eq!(others.len(), 4);
    }

    #[test]
    fn texts_that_leave_something_open_are_refused() {
        let (_, spec) = spec_of(&Location::home(crate::fractal::FormulaId::Quadratic), 1);
        for (from, to, expected) in [
            ("max_iterations = 1234", "", "max_iterations"),
            ("engine = \\\"naive\\\"", "engine = \\\"auto\\\"", "engine"),
            ("\"spec\":1", "\"spec\":2", "version 2"),
            ("\"bulbs\":true,", "", "bulbs"),
            ("size = [160, 90]", "size = [0, 90]", "size"),
            ("{\"spec\"", "\"spec\"", "no picture's spec"),
        ] {
            let text = spec.text().replace(from, to);
            assert_ne!(text, spec.text(), "{from}");
            let error = Spec::from_text(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        }
        assert!(matches!(Spec::from_text(&" ".repeat(Spec::MOST_BYTES + 1)), Err(SpecError::Malformed(_))));
    }
}
