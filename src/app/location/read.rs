//! Locations from text. Numbers are read from their own characters, never through f64.

use toml::de::{DeTable, DeValue};

use super::{Frame, Location, LocationError, parse_point};
use crate::color::{Coloring, Curve};
use crate::fractal::FormulaId;
use crate::math::{BigComplex, Decimal, shortened};
use crate::render::{EscapeTime, Quality};
use crate::view::{self, Julia, Mandelbrot, Param, ParamRange, ParamValue};

impl Location {
    /// Reads a location file, its one-line form, or a bare point such as `-0.75+0.1i`.
    ///
    /// `origin` names the text in messages: a path, or "the clipboard".
    ///
    /// # Errors
    /// [`LocationError`] names the key, what was found, and what is allowed.
    pub fn parse(origin: &str, text: &str) -> Result<Self, LocationError> {
        let syntax = |message: String| LocationError::Syntax { origin: origin.into(), message: shortened(&message) };
        if text.trim().is_empty() {
            return Err(syntax("it is empty".into()));
        }
        let file = DeTable::parse(text);
        if let Ok(table) = &file {
            return Keys { origin, table: table.get_ref(), text }.location();
        }
        let inline = format!("location = {{ {} }}", text.trim().trim_start_matches('{').trim_end_matches('}'));
        if let Ok(table) = DeTable::parse(&inline)
            && let Some(DeValue::Table(table)) = table.get_ref().get("location").map(toml::Spanned::get_ref)
        {
            return Keys { origin, table, text: &inline }.location();
        }
        if !text.contains('=') {
            let center = parse_point(text).map_err(|e| syntax(e.to_string()))?;
            let Frame::Height { height, .. } = Frame::home(Mandelbrot::KEY, FormulaId::Quadratic) else {
                unreachable!("home views have a height")
            };
            let frame = checked(origin, Keys::frame_at(center, height))?;
            return Ok(Self::at(FormulaId::Quadratic, frame));
        }
        let Err(error) = file else { unreachable!("files that parse were returned above") };
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        Err(syntax(format!("line {line}: {}", error.message())))
    }
}

/// Largest extent, as a number.
fn most_extent() -> Decimal {
    Location::MOST_EXTENT.parse().expect("a number")
}

/// A value that a key may not have: key, what was found, what is allowed.
struct Wrong(&'static str, String, String);

fn checked<T>(origin: &str, result: Result<T, Wrong>) -> Result<T, LocationError> {
    result.map_err(|Wrong(key, found, allowed)| {
        let found = shortened(&found);
        LocationError::Value { origin: origin.into(), key, found, allowed }
    })
}

/// The keys of one location.
struct Keys<'a> {
    origin: &'a str,
    table: &'a DeTable<'a>,
    text: &'a str,
}

const KNOWN: &[&str] = &[
    "version",
    "name",
    "about",
    "view",
    "formula",
    "c",
    "center",
    "height",
    "box",
    "stretch",
    "rotation",
    "size",
    "max_iterations",
    "bailout",
    "engine",
    "quality",
    "supersample",
    "palette",
    "curve",
    "density",
    "offset",
];

impl Keys<'_> {
    fn location(&self) -> Result<Location, LocationError> {
        let mut location = checked(self.origin, self.known())?;
        location.unknown = self.unknown(&location.knobs);
        Ok(location)
    }

    fn known(&self) -> Result<Location, Wrong> {
        let version = self.version()?;
        let formula = match self.string("formula")? {
            None => FormulaId::Quadratic,
            Some(key) => FormulaId::from_key(&key)
                .ok_or_else(|| self.wrong("formula", &one_of(FormulaId::ALL.iter().map(|f| f.key()))))?,
        };
        let view = self.view()?;
        let place = Location::at(formula, self.frame(&view, formula)?);
        Ok(Location {
            version,
            c: self.c(&view)?,
            knobs: self.knobs(&view)?,
            view,
            rotation: self.float("rotation", f64::MIN..=f64::MAX, "give degrees, such as 30")?.unwrap_or(0.0),
            size: self.size()?,
            max_iterations: self.whole("max_iterations", EscapeTime::MOST_ITERATIONS)?,
            bailout: self.float(
                "bailout",
                EscapeTime::LEAST_BAILOUT..=EscapeTime::MOST_BAILOUT,
                "give a radius from 2 to 1e9",
            )?,
            engine: self.string("engine")?,
            quality: self.quality()?,
            supersample: self.whole("supersample", Location::MOST_SUPERSAMPLE)?,
            palette: self.string("palette")?,
            coloring: self.coloring()?,
            name: self.string("name")?,
            about: self.string("about")?,
            ..place
        })
    }

    /// Versions to come may add keys; those are kept like any unknown one.
    fn version(&self) -> Result<u32, Wrong> {
        Ok(self.whole("version", u32::MAX)?.unwrap_or(Location::VERSION))
    }

    fn view(&self) -> Result<String, Wrong> {
        let Some(key) = self.string("view")? else { return Ok(Mandelbrot::KEY.into()) };
        let views: Vec<&str> = view::all([1, 1]).iter().map(|view| view.key()).collect();
        if views.contains(&key.as_str()) { Ok(key) } else { Err(self.wrong("view", &one_of(views.into_iter()))) }
    }

    /// The view's own knobs, tried on a view of its kind: some are there only where others are set.
    fn knobs(&self, key: &str) -> Result<Vec<(&'static str, ParamValue)>, Wrong> {
        let mut knobs = Vec::new();
        let Some(mut view) = view::all([1, 1]).into_iter().find(|view| view.key() == key) else { return Ok(knobs) };
        while let Some(param) = view.params().into_iter().find(|param| self.has_new(param, &knobs)) {
            let allowed = format!("give {}", param.range);
            let value = self.knob(&param).ok_or_else(|| self.wrong(param.key, &allowed))?;
            view.set_param(param.key, value.clone()).map_err(|_| self.wrong(param.key, &allowed))?;
            knobs.push((param.key, value));
        }
        Ok(knobs)
    }

    /// Whether the location says a knob that was not read yet and has no place of its own.
    fn has_new(&self, param: &Param, read: &[(&'static str, ParamValue)]) -> bool {
        !KNOWN.contains(&param.key) && self.value(param.key).is_some() && read.iter().all(|(key, _)| *key != param.key)
    }

    /// The value of a knob, if it is one of its kind.
    fn knob(&self, param: &Param) -> Option<ParamValue> {
        let value = self.value(param.key)?;
        match param.range {
            ParamRange::Count { .. } => decimal(value)?.to_u32().map(ParamValue::Count),
            ParamRange::Number { .. } => decimal(value).map(|number| ParamValue::Number(number.to_f64())),
            ParamRange::Switch => value.as_bool().map(ParamValue::Switch),
            ParamRange::Choice(_) => value.as_str().map(|key| ParamValue::Choice(key.into())),
            ParamRange::Point => None,
        }
    }

    fn c(&self, view: &str) -> Result<Option<BigComplex>, Wrong> {
        let Some([re, im]) = self.numbers::<2>("c", "give [re, im] as text, such as [\"-0.8\", \"0.156\"]")? else {
            return Ok(None);
        };
        if view != Julia::KEY {
            return Err(self.wrong("c", "it belongs to view = \"julia\"; say that, or leave it out"));
        }
        let most = most_extent();
        if [&re, &im].into_iter().any(|part| *part > most || *part < -&most) {
            return Err(self.wrong("c", "give parts within ±1e100"));
        }
        Ok(Some(BigComplex::new(re, im)))
    }

    fn frame(&self, view: &str, formula: FormulaId) -> Result<Frame, Wrong> {
        if let Some(edges) = self.numbers::<4>("box", "give [xmin, xmax, ymin, ymax]")? {
            if let Some(key) = ["center", "height"].into_iter().find(|key| self.value(key).is_some()) {
                return Err(self.wrong(key, "give a box, or a center and a height, not both"));
            }
            let [xmin, xmax, ymin, ymax] = edges;
            if xmin >= xmax || ymin >= ymax {
                return Err(self.wrong("box", "give [xmin, xmax, ymin, ymax] with xmin < xmax and ymin < ymax"));
            }
            let most = most_extent();
            if [&xmin, &xmax, &ymin, &ymax].into_iter().any(|edge| *edge > most || *edge < -&most) {
                return Err(self.wrong("box", "give edges within ±1e100"));
            }
            let (low, high) = (BigComplex::new(xmin, ymin), BigComplex::new(xmax, ymax));
            return Ok(Frame::Box { low, high, stretch: self.boolean("stretch")?.unwrap_or(false) });
        }
        if self.value("stretch").is_some() {
            return Err(self.wrong("stretch", "it belongs to a box; give one, or leave it out"));
        }
        let (home, home_height) = match Frame::home(view, formula) {
            Frame::Height { center, height } => (center, height),
            whole if ["center", "height"].into_iter().all(|key| self.value(key).is_none()) => return Ok(whole),
            Frame::Box { .. } => {
                let key = if self.value("center").is_some() { "center" } else { "height" };
                return Err(self.wrong(key, "a diagram has a box = [c0, c1, x0, x1] and stretch = true instead"));
            }
        };
        let center = self.numbers::<2>("center", "give [re, im] as text, such as [\"-0.75\", \"0.1\"]")?;
        let height = self.number("height", "give a height above 0, such as \"2.5\"")?;
        Self::frame_at(center.map_or(home, |[re, im]| BigComplex::new(re, im)), height.unwrap_or(home_height))
    }

    /// Centre and height, within bounds.
    fn frame_at(center: BigComplex, height: Decimal) -> Result<Frame, Wrong> {
        let most = most_extent();
        if [&center.re, &center.im].into_iter().any(|part| *part > most || *part < -&most) {
            return Err(Wrong("center", pair(&center), "give parts within ±1e100".into()));
        }
        if !height.is_positive() || height > most {
            return Err(Wrong("height", height.to_string(), "give a height above 0, up to 1e100".into()));
        }
        Ok(Frame::Height { center, height })
    }

    fn size(&self) -> Result<Option<[u32; 2]>, Wrong> {
        let allowed = format!("give [width, height], each from 1 to {}", crate::render::MOST_PIXELS);
        let Some(numbers) = self.numbers::<2>("size", &allowed)? else { return Ok(None) };
        let [width, height] = numbers.map(|n| whole_number(&n, crate::render::MOST_PIXELS));
        match (width, height) {
            (Some(width), Some(height)) => Ok(Some([width, height])),
            _ => Err(self.wrong("size", &allowed)),
        }
    }

    fn quality(&self) -> Result<Option<Quality>, Wrong> {
        match self.string("quality")?.as_deref() {
            None => Ok(None),
            Some("draft") => Ok(Some(Quality::Draft)),
            Some("exact") => Ok(Some(Quality::Exact)),
            Some(_) => Err(self.wrong("quality", "give \"draft\" or \"exact\"")),
        }
    }

    fn coloring(&self) -> Result<Coloring, Wrong> {
        let standard = Coloring::default();
        let curve = match self.string("curve")? {
            None => standard.curve,
            Some(key) => {
                Curve::from_key(&key).ok_or_else(|| self.wrong("curve", &one_of(Curve::ALL.iter().map(|c| c.key()))))?
            }
        };
        let density = self.float("density", 0.0..=1e4, "give a number from 0 to 10000, 1 being usual")?;
        let offset = self.float("offset", -1e4..=1e4, "give turns of the palette, such as 0.25")?;
        Ok(Coloring {
            curve,
            density: density.map_or(standard.density, |d| d as f32),
            offset: offset.map_or(standard.offset, |o| o as f32),
        })
    }

    fn unknown(&self, knobs: &[(&'static str, ParamValue)]) -> toml::Table {
        let whole: toml::Table = toml::from_str(self.text).unwrap_or_default();
        let own = match whole.get("location") {
            Some(toml::Value::Table(inner)) if self.table.get("location").is_none() => inner.clone(),
            _ => whole,
        };
        let is_known = |key: &str| KNOWN.contains(&key) || knobs.iter().any(|(knob, _)| *knob == key);
        own.into_iter().filter(|(key, _)| !is_known(key)).collect()
    }

    fn value(&self, key: &str) -> Option<&DeValue<'_>> {
        self.table.get(key).map(toml::Spanned::get_ref)
    }

    fn wrong(&self, key: &'static str, allowed: &str) -> Wrong {
        Wrong(key, self.value(key).map_or("nothing".into(), shown), allowed.into())
    }

    fn string(&self, key: &'static str) -> Result<Option<String>, Wrong> {
        let read = |value: &DeValue| value.as_str().map(str::to_owned);
        self.value(key).map(|value| read(value).ok_or_else(|| self.wrong(key, "give text in quotes"))).transpose()
    }

    fn boolean(&self, key: &'static str) -> Result<Option<bool>, Wrong> {
        let read = |value: &DeValue| value.as_bool().ok_or_else(|| self.wrong(key, "give true or false"));
        self.value(key).map(read).transpose()
    }

    fn number(&self, key: &'static str, allowed: &str) -> Result<Option<Decimal>, Wrong> {
        let read = |value: &DeValue| decimal(value).ok_or_else(|| self.wrong(key, allowed));
        self.value(key).map(read).transpose()
    }

    fn numbers<const N: usize>(&self, key: &'static str, allowed: &str) -> Result<Option<[Decimal; N]>, Wrong> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let list =
            value.as_array().and_then(|list| list.iter().map(|v| decimal(v.get_ref())).collect::<Option<Vec<_>>>());
        let list = list.and_then(|list| <[Decimal; N]>::try_from(list).ok());
        list.map(Some).ok_or_else(|| self.wrong(key, allowed))
    }

    fn float(
        &self,
        key: &'static str,
        range: std::ops::RangeInclusive<f64>,
        allowed: &str,
    ) -> Result<Option<f64>, Wrong> {
        let Some(number) = self.number(key, allowed)? else { return Ok(None) };
        // The number as it was written, not the f64 next to it.
        let [least, most] = [range.start(), range.end()].map(|&end| Decimal::from_f64(end));
        if (least..=most).contains(&number) { Ok(Some(number.to_f64())) } else { Err(self.wrong(key, allowed)) }
    }

    fn whole(&self, key: &'static str, most: u32) -> Result<Option<u32>, Wrong> {
        let allowed = format!("give a whole number from 1 to {most}");
        let Some(number) = self.number(key, &allowed)? else { return Ok(None) };
        whole_number(&number, most).map(Some).ok_or_else(|| self.wrong(key, &allowed))
    }
}

/// A number from its characters: of a quoted text, an integer or a float.
fn decimal(value: &DeValue) -> Option<Decimal> {
    match value {
        DeValue::String(text) => text.parse().ok(),
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        _ => None,
    }
}

/// The number as an integer from 1 to `most`, if it is one.
fn whole_number(number: &Decimal, most: u32) -> Option<u32> {
    number.to_u32().filter(|value| (1..=most).contains(value))
}

fn one_of<'a>(keys: impl Iterator<Item = &'a str>) -> String {
    format!("give one of: {}", keys.collect::<Vec<_>>().join(", "))
}

fn pair(point: &BigComplex) -> String {
    format!("[{}, {}]", point.re, point.im)
}

/// A value as its user wrote it.
fn shown(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(integer) => {
            let prefix = match integer.radix() {
                2 => "0b",
                8 => "0o",
                16 => "0x",
                _ => "",
            };
            format!("{prefix}{}", integer.as_str())
        }
        DeValue::Float(float) => float.as_str().into(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Array(list) => {
            format!("[{}]", list.iter().map(|v| shown(v.get_ref())).collect::<Vec<_>>().join(", "))
        }
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Table(_) => "a table".into(),
    }
}
