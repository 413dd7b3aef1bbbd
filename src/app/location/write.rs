//! Locations as text.

use std::fmt::Write as _;

use super::{Frame, Location};
use crate::color::Coloring;
use crate::fractal::FormulaId;
use crate::math::BigComplex;
use crate::render::Quality;
use crate::view::{Mandelbrot, ParamValue};

impl Location {
    /// The location as a file: one key a line, unknown keys last.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (key, value) in self.entries() {
            let _ = writeln!(text, "{key} = {value}");
        }
        if !self.unknown.is_empty() {
            let unknown = toml::to_string(&self.unknown).expect("what was read as TOML can be written as TOML");
            text.push_str(&unknown);
        }
        text
    }

    /// The place as one line for the clipboard, with every digit; [`Location::parse`] reads it back.
    pub fn one_line(&self) -> String {
        let needed =
            ["view", "formula", "c", "center", "height", "box", "stretch", "rotation", "max_iterations", "bailout"];
        let told = self.entries().into_iter().filter(|(key, _)| {
            let usual = match *key {
                "formula" => self.formula == FormulaId::Quadratic,
                "view" => self.view == Mandelbrot::KEY,
                _ => false,
            };
            let is_knob = self.knobs.iter().any(|(knob, _)| knob == key);
            (needed.contains(key) || is_knob) && !usual
        });
        told.map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ")
    }

    /// Keys and values as TOML, in the order in which they are written.
    fn entries(&self) -> Vec<(&'static str, String)> {
        let mut entries = vec![("version", self.version.to_string())];
        let mut put = |key, value: Option<String>| entries.extend(value.map(|value| (key, value)));
        put("name", self.name.as_deref().map(quoted));
        put("about", self.about.as_deref().map(quoted));
        put("view", Some(quoted(&self.view)));
        put("formula", Some(quoted(self.formula.key())));
        put("c", self.c.as_ref().map(pair));
        match &self.frame {
            Frame::Height { center, height } => {
                put("center", Some(pair(center)));
                put("height", Some(quoted(&height.to_string())));
            }
            Frame::Box { low, high, stretch } => {
                let edges = [&low.re, &high.re, &low.im, &high.im].map(|edge| quoted(&edge.to_string()));
                put("box", Some(format!("[{}]", edges.join(", "))));
                put("stretch", stretch.then(|| "true".into()));
            }
        }
        for (key, value) in &self.knobs {
            put(key, Some(knob(value)));
        }
        put("rotation", (self.rotation != 0.0).then(|| float(self.rotation)));
        put("size", self.size.map(|[width, height]| format!("[{width}, {height}]")));
        put("max_iterations", self.max_iterations.map(|n| n.to_string()));
        put("bailout", self.bailout.map(float));
        put("engine", self.engine.as_deref().map(quoted));
        put("quality", self.quality.map(|quality| quoted(quality_key(quality))));
        put("supersample", self.supersample.map(|n| n.to_string()));
        put("palette", self.palette.as_deref().map(quoted));
        if self.palette.is_some() || self.coloring != Coloring::default() {
            put("curve", Some(quoted(self.coloring.curve.key())));
            put("density", Some(float(self.coloring.density.into())));
            put("offset", Some(float(self.coloring.offset.into())));
        }
        entries
    }
}

/// Name of a quality in files and on the command line.
pub fn quality_key(quality: Quality) -> &'static str {
    match quality {
        Quality::Moving | Quality::Draft => "draft",
        Quality::Exact => "exact",
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}

/// The value of a knob as TOML.
fn knob(value: &ParamValue) -> String {
    match value {
        ParamValue::Count(count) => count.to_string(),
        ParamValue::Number(number) => float(*number),
        ParamValue::Switch(on) => on.to_string(),
        ParamValue::Choice(key) => quoted(key),
        ParamValue::Point(point) => pair(point),
    }
}

fn pair(point: &BigComplex) -> String {
    format!("[{}, {}]", quoted(&point.re.to_string()), quoted(&point.im.to_string()))
}

/// The shortest text that reads back as the same number, whole numbers without a point.
fn float(value: f64) -> String {
    value.to_string()
}
