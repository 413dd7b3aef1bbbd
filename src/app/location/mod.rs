//! Locations: all that leads back to a picture, as plain data and as text with every digit.
//!
//! The same schema (`docs/location-file.md`) is a file, the text inside our PNGs, a line on the
//! clipboard, and the named places of the program. [`Location::open`] reads any of them;
//! [`Location::to_toml`] and [`Location::one_line`] write; [`Location::job`] leads on to an engine.

mod loose;
mod open;
mod png_text;
mod read;
mod write;

pub use loose::parse_point;
pub use open::NamedPlace;
pub use png_text::{PNG_KEYWORD, png_location};

use std::path::PathBuf;

use crate::color::{Coloring, Palette};
use crate::fractal::FormulaId;
use crate::math::{BigComplex, Decimal, shortened};
use crate::render::cap::{by_depth, is_deep};
use crate::render::{Channels, EscapeTime, Job, Lattice, Plane, Quality, Shortcuts, Task, Viewport, ViewportError};
use crate::view::{Julia, Mandelbrot, ParamValue, View};

/// A place and how it is drawn. What is `None` was not said: the reader's own defaults apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// Version of the schema that it was written in.
    pub version: u32,
    /// Key of the view, `mandelbrot` unless said otherwise.
    pub view: String,
    pub formula: FormulaId,
    /// Parameter of a Julia set; the view's own where it is not said.
    pub c: Option<BigComplex>,
    pub frame: Frame,
    /// Degrees anticlockwise, finite.
    pub rotation: f64,
    /// Width and height in pixels.
    pub size: Option<[u32; 2]>,
    /// Cap on n, from 1 to [`EscapeTime::MOST_ITERATIONS`].
    pub max_iterations: Option<u32>,
    /// Radius from [`EscapeTime::LEAST_BAILOUT`] to [`EscapeTime::MOST_BAILOUT`].
    pub bailout: Option<f64>,
    /// Key of an engine, or `auto`.
    pub engine: Option<String>,
    pub quality: Option<Quality>,
    /// Samples along each side of a pixel.
    pub supersample: Option<u32>,
    /// Key of a palette.
    pub palette: Option<String>,
    pub coloring: Coloring,
    /// What else the view's own knobs say, in their order.
    pub knobs: Vec<(&'static str, ParamValue)>,
    /// Name and description, for people.
    pub name: Option<String>,
    pub about: Option<String>,
    /// Keys that this version does not know: kept, and written again.
    pub unknown: toml::Table,
}

/// The part of the plane, as it was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// Centre, and height in plane units; the width follows from the picture's shape.
    Height { center: BigComplex, height: Decimal },
    /// Opposite corners. Grown about the centre until pixels are square, unless stretched.
    Box { low: BigComplex, high: BigComplex, stretch: bool },
}

impl Frame {
    /// The frame that shows the whole of a view.
    pub fn home(view: &str, formula: FormulaId) -> Self {
        if ![Mandelbrot::KEY, Julia::KEY].contains(&view)
            && let Some(view) = crate::view::all([1, 1]).into_iter().find(|known| known.key() == view)
        {
            return Self::of(view.viewport());
        }
        let ([re, im], height) = if view == Julia::KEY { (["0", "0"], Julia::HOME_HEIGHT) } else { formula.home() };
        let number = |text: &str| text.parse::<Decimal>().expect("home views are numbers");
        Self::Height { center: BigComplex::new(number(re), number(im)), height: number(height) }
    }

    /// The frame of a viewport.
    pub fn of(viewport: &Viewport) -> Self {
        let center = viewport.center().clone();
        match viewport.stretched_width() {
            None => Self::Height { center, height: viewport.height().clone() },
            Some(width) => {
                let (dx, dy) = (width.half(), viewport.height().half());
                let low = BigComplex::new(&center.re - &dx, &center.im - &dy);
                let high = BigComplex::new(&center.re + &dx, &center.im + &dy);
                Self::Box { low, high, stretch: true }
            }
        }
    }
}

/// Why a text, a file or a name is no location.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LocationError {
    #[error("{key} = {found} in {origin} is not usable; {allowed}")]
    Value { origin: String, key: &'static str, found: String, allowed: String },
    #[error("{origin} is not a location: {message}; see docs/location-file.md for what one looks like")]
    Syntax { origin: String, message: String },
    #[error("{0:?} is neither a file nor a named place; give a .toml, a PNG of ours, or one of: {1}")]
    NoSuch(String, String),
    #[error("cannot read the location: {reason}: {}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("this picture holds no location; only PNGs that Cardioid wrote lead back to their place: {}", .0.display())]
    ForeignPng(PathBuf),
}

impl Location {
    /// The version of the schema that this program writes.
    pub const VERSION: u32 = 1;
    pub const DEFAULT_ITERATIONS: u32 = 1000;
    /// Bailout of pictures: large, so that smooth counts join without a step.
    pub const PICTURE_BAILOUT: f64 = 1000.0;
    /// Bailout of bare counts: the definition's.
    pub const COUNT_BAILOUT: f64 = 2.0;
    /// Largest |re|, |im| and height: far beyond any sight, and far within f64.
    pub const MOST_EXTENT: &'static str = "1e100";
    pub const MOST_SUPERSAMPLE: u32 = 16;

    /// The Mandelbrot view that shows the whole set.
    pub fn home(formula: FormulaId) -> Self {
        Self::at(formula, Frame::home(Mandelbrot::KEY, formula))
    }

    /// A place of which nothing more is said.
    pub fn at(formula: FormulaId, frame: Frame) -> Self {
        Self {
            version: Self::VERSION,
            view: Mandelbrot::KEY.into(),
            formula,
            c: None,
            frame,
            rotation: 0.0,
            size: None,
            max_iterations: None,
            bailout: None,
            engine: None,
            quality: None,
            supersample: None,
            palette: None,
            coloring: Coloring::default(),
            knobs: Vec::new(),
            name: None,
            about: None,
            unknown: toml::Table::new(),
        }
    }

    /// The place that a viewport shows, with its size and rotation.
    pub fn from_viewport(formula: FormulaId, viewport: &Viewport) -> Self {
        let frame = Frame::of(viewport);
        let rotation = viewport.rotation_degrees();
        Self { rotation, size: Some(viewport.size()), ..Self::at(formula, frame) }
    }

    /// The place of a set's job, with its cap and bailout.
    ///
    /// # Panics
    /// Where the job is none of a set.
    pub fn of_job(job: &Job) -> Self {
        let task = job.task.escape_time().expect("jobs of sets have escape times");
        let c = match &task.plane {
            Plane::Parameter => None,
            Plane::Dynamical { c } => Some(c.clone()),
        };
        let view = if c.is_some() { Julia::KEY } else { Mandelbrot::KEY };
        Self {
            view: view.into(),
            c,
            max_iterations: Some(task.max_iterations),
            bailout: Some(task.bailout),
            quality: Some(job.quality),
            ..Self::from_viewport(task.formula, &job.viewport)
        }
    }

    /// What a view shows, with its knobs where they are not of sets.
    pub fn of_view(view: &dyn View) -> Self {
        let task = view.task();
        let escape = task.escape_time();
        let mut location =
            Self::from_viewport(escape.map_or(FormulaId::Quadratic, |task| task.formula), view.viewport());
        location.view = view.key().into();
        location.c = view.params().into_iter().find_map(|param| match param.value {
            ParamValue::Point(c) if param.key == "c" => Some(c),
            _ => None,
        });
        if escape.is_none() {
            location.knobs = view.params().into_iter().map(|param| (param.key, param.value)).collect();
        }
        location.max_iterations = escape.map(|task| task.max_iterations);
        location.bailout = escape.map(|task| task.bailout);
        location
    }

    /// The viewport at `size` pixels, whatever size the location was written at.
    ///
    /// # Errors
    /// [`ViewportError`] where the size is absurd or the frame is empty.
    pub fn viewport(&self, size: [u32; 2]) -> Result<Viewport, ViewportError> {
        let upright = match &self.frame {
            Frame::Height { center, height } => Viewport::new(center.clone(), height.clone(), size)?,
            Frame::Box { low, high, stretch: true } => Viewport::from_box(low, high, size)?,
            Frame::Box { low, high, stretch: false } => Viewport::from_box(low, high, size)?.with_square_pixels(),
        };
        upright.with_rotation(self.rotation)
    }

    /// Whether the inside shows the periods of its cycles.
    pub fn has_periods(&self) -> bool {
        self.knobs.contains(&("periods", ParamValue::Switch(true)))
    }

    /// The view at `size` pixels, with all that the location says of it.
    ///
    /// # Errors
    /// As [`Location::viewport`].
    pub fn at_view(&self, size: [u32; 2]) -> Result<Box<dyn View>, ViewportError> {
        let known = crate::view::all(size).into_iter().find(|view| view.key() == self.view);
        let mut view = known.expect("locations name views that there are");
        for (key, value) in &self.knobs {
            // What was read was tried on a view before.
            let _ = view.set_param(key, value.clone());
        }
        view.set_viewport(self.viewport(size)?);
        Ok(view)
    }

    /// The cap where the location says none: below what f64 draws, the one that follows depth.
    fn usual_iterations(&self) -> u32 {
        let deep = self.viewport([1, 1]).ok().filter(is_deep);
        deep.map_or(Self::DEFAULT_ITERATIONS, |viewport| by_depth(&viewport))
    }

    /// The task, with `bailout` where the location says none.
    pub fn task(&self, bailout: f64) -> EscapeTime {
        EscapeTime {
            formula: self.formula,
            plane: self.plane(),
            max_iterations: self.max_iterations.unwrap_or_else(|| self.usual_iterations()),
            bailout: self.bailout.unwrap_or(bailout),
        }
    }

    /// The plane that the view shows.
    fn plane(&self) -> Plane {
        if self.view != Julia::KEY {
            return Plane::Parameter;
        }
        Plane::Dynamical { c: self.c.clone().unwrap_or_else(Julia::default_c) }
    }

    /// The job of a picture at `size` pixels: smooth counts, every shortcut, from the middle outwards.
    ///
    /// # Errors
    /// As [`Location::viewport`].
    pub fn job(&self, size: [u32; 2]) -> Result<Job, ViewportError> {
        Ok(Job {
            viewport: self.viewport(size)?,
            lattice: Lattice::FULL,
            task: Task::EscapeTime(self.task(Self::PICTURE_BAILOUT)),
            channels: Channels { smooth: true, periods: self.has_periods(), ..Channels::default() },
            quality: self.quality.unwrap_or_default(),
            shortcuts: Shortcuts::ALL,
            focus: size.map(|pixels| pixels as f32 / 2.0),
        })
    }

    /// The location with nothing left to a default: what the picture of `job` says of itself.
    ///
    /// `job` is the picture's, one sample a pixel; `engine` is the key of the one that drew it.
    #[must_use]
    pub fn complete(&self, job: &Job, engine: &str, supersample: u32) -> Self {
        let task = job.task.escape_time();
        Self {
            size: Some(job.viewport.size()),
            max_iterations: task.map(|task| task.max_iterations),
            bailout: task.map(|task| task.bailout),
            engine: Some(engine.into()),
            quality: Some(job.quality),
            supersample: Some(supersample),
            palette: Some(self.palette.clone().unwrap_or_else(|| Palette::DEFAULT.into())),
            ..self.clone()
        }
    }

    /// What a reader should tell its user, a line each: a schema to come, and keys that mean nothing here.
    pub fn warnings(&self) -> Vec<String> {
        let (version, known) = (self.version, Self::VERSION);
        let newer =
            || format!("the location is of version {version}, this program knows {known}; what is new is not drawn");
        let keys: Vec<_> = self.unknown.keys().map(|key| format!("{key:?}")).collect();
        let list = shortened(&keys.join(", "));
        let unknown = match keys.len() {
            0 => None,
            1 => Some(format!("the location's key {list} means nothing to this version; it is kept")),
            n => Some(format!("{n} keys of the location mean nothing to this version; they are kept: {list}")),
        };
        (version > known).then(newer).into_iter().chain(unknown).collect()
    }
}
