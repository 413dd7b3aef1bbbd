//! What is looked at: each view is a picture with a place and a few knobs of its own.
//!
//! A view is one file and one line in [`all`]; panels, flags, sessions and help follow from
//! [`View::params`].

mod bifurcation;
mod complex;
mod diagram;
mod escape;
mod julia;
mod mandelbrot;
mod space;

pub use bifurcation::Bifurcation;
pub use complex::ComplexBifurcation;
pub use julia::Julia;
pub use mandelbrot::Mandelbrot;
pub use space::Spatial;

use crate::color::DiagramScheme;
use crate::math::{BigComplex, Decimal};
use crate::render::{Camera, Channels, SpaceAxis, Task, Viewport};

/// A kind of picture, at a place.
pub trait View: Send {
    /// Name in files and on the command line.
    fn key(&self) -> &'static str;

    /// Name in the window.
    fn title(&self) -> &'static str;

    /// The same view at the same place: for undo, and for coming back.
    fn boxed_clone(&self) -> Box<dyn View>;

    /// The knobs with their present values, in the order to show them.
    fn params(&self) -> Vec<Param>;

    /// Turns one knob.
    ///
    /// # Errors
    /// [`ParamError`] where there is no such knob or the value is out of its range; nothing changes then.
    fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError>;

    fn viewport(&self) -> &Viewport;

    fn set_viewport(&mut self, viewport: Viewport);

    /// The view that shows the whole, at a size in pixels.
    fn home(&self, size: [u32; 2]) -> Viewport;

    /// What to compute at the present place.
    fn task(&self) -> Task;

    /// Whether the cap on iterations follows the view.
    fn has_automatic_iterations(&self) -> bool {
        false
    }

    /// The present place, at rest, asks for a cap.
    fn measured_iterations(&mut self, _cap: u32) {}

    /// What a sample must hold beside its count.
    fn channels(&self) -> Channels {
        Channels { smooth: true, ..Channels::default() }
    }

    /// The letters of abscissa and ordinate; none for a plane of complex numbers.
    fn axes(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// How its diagram is coloured, if it is one.
    fn diagram_scheme(&self) -> DiagramScheme {
        DiagramScheme::default()
    }

    /// The view that can stand below this one and share its abscissa.
    fn companion(&self, _size: [u32; 2]) -> Option<Box<dyn View>> {
        None
    }

    /// Im c of the line through the Mandelbrot set whose diagram this is.
    fn section(&self) -> Option<f64> {
        None
    }

    /// Whether a view and its companion always have the same value of a knob.
    fn shares(&self, _key: &str) -> bool {
        false
    }

    /// The point c of the parameter plane of z² + c that a place of the view stands for.
    fn parameter_at(&self, _point: &BigComplex) -> Option<BigComplex> {
        None
    }

    /// Ordinates that fit what is between two parameters.
    fn fitting_ordinates(&self, _parameters: [f64; 2]) -> Option<[Decimal; 2]> {
        None
    }

    /// The camera that scenes in space are seen by.
    fn camera(&self) -> Option<&Camera> {
        None
    }

    /// Steers the camera; false where it has none, and the viewport moves as usual.
    fn steer(&mut self, _steer: Steer) -> bool {
        false
    }
}

/// What a hand does with a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steer {
    /// Turns what is seen with the hand, by a distance in pixels.
    Turn { by_px: [f64; 2] },
    /// Moves what is seen with the hand.
    Shift { by_px: [f64; 2] },
    /// Magnifies.
    Zoom { factor: f64 },
    /// Looks along an axis.
    Look(SpaceAxis),
    /// Takes a place on the flight from above (0) to the side (1).
    Fly { share: f64 },
    /// Takes the place of another camera.
    Stand(Camera),
    /// Back to where it began.
    Home,
}

/// Every view, in the order of the menu, at home.
pub fn all(size: [u32; 2]) -> Vec<Box<dyn View>> {
    vec![
        Box::new(Mandelbrot::at_home(size)),
        Box::new(Julia::at_home(size)),
        Box::new(Bifurcation::at_home(size)),
        Box::new(ComplexBifurcation::at_home(size)),
        Box::new(Spatial::at_home(size)),
    ]
}

/// A knob: what panels, flags and help need to show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub key: &'static str,
    pub label: &'static str,
    pub help: &'static str,
    pub value: ParamValue,
    pub range: ParamRange,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ParamValue {
    Count(u32),
    Number(f64),
    Switch(bool),
    Choice(String),
    Point(BigComplex),
}

/// What values a knob takes.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamRange {
    Count {
        least: u32,
        most: u32,
    },
    Number {
        least: f64,
        most: f64,
    },
    Switch,
    /// Keys and the names to show for them.
    Choice(Vec<(&'static str, &'static str)>),
    /// Any point of the plane.
    Point,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    #[error("this view has no {0:?}; it has {1}")]
    Unknown(String, String),
    #[error("{label} cannot be {asked}; choose {allowed}")]
    Range { label: &'static str, asked: String, allowed: String },
}

/// Whether the knob `key` of `params` takes a value.
///
/// # Errors
/// [`ParamError`] where there is no such knob, or it does not.
fn checked(params: &[Param], key: &str, value: &ParamValue) -> Result<(), ParamError> {
    match params.iter().find(|p| p.key == key) {
        Some(param) => param.check(value),
        None => {
            let known: Vec<&str> = params.iter().map(|p| p.key).collect();
            Err(ParamError::Unknown(key.into(), known.join(", ")))
        }
    }
}

impl Param {
    /// Whether the knob takes a value.
    ///
    /// # Errors
    /// [`ParamError::Range`], naming what it takes.
    pub fn check(&self, value: &ParamValue) -> Result<(), ParamError> {
        let fits = match (&self.range, value) {
            (ParamRange::Count { least, most }, ParamValue::Count(v)) => (least..=most).contains(&v),
            (ParamRange::Number { least, most }, ParamValue::Number(v)) => (least..=most).contains(&v),
            (ParamRange::Switch, ParamValue::Switch(_)) | (ParamRange::Point, ParamValue::Point(_)) => true,
            (ParamRange::Choice(keys), ParamValue::Choice(v)) => keys.iter().any(|(key, _)| key == v),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(ParamError::Range { label: self.label, asked: value.to_string(), allowed: self.range.to_string() })
    }
}

impl std::fmt::Display for ParamValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(v) => write!(f, "{v}"),
            Self::Number(v) => write!(f, "{v}"),
            Self::Switch(v) => write!(f, "{v}"),
            Self::Choice(v) => write!(f, "{v:?}"),
            Self::Point(v) => write!(f, "{}, {}", v.re, v.im),
        }
    }
}

impl std::fmt::Display for ParamRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::Number { least, most } => write!(f, "a number from {least} to {most}"),
            Self::Switch => write!(f, "true or false"),
            Self::Point => write!(f, "a point such as -0.75+0.1i"),
            Self::Choice(keys) => {
                let keys: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
                write!(f, "one of {}", keys.join(", "))
            }
        }
    }
}
