//! What tasks of either kind are to the shader.

use crate::fractal::MapId;
use crate::gpu::shader::{ShaderError, compose};
use crate::render::{ColumnTask, Fan, OrbitDensity, Ordinate, Section};

/// What is iterated: each has a program of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    Map(MapId),
    /// z² + c on a line.
    Line,
}

impl Rule {
    /// `map_step` and its kin.
    ///
    /// # Errors
    /// [`ShaderError`] where a piece is missing.
    pub fn wgsl(self) -> Result<String, ShaderError> {
        match self {
            Self::Map(map) => Ok(map.wgsl().to_owned()),
            Self::Line => compose("lib/line", None),
        }
    }
}

/// A task whose columns the device can fill.
pub trait DeviceTask: ColumnTask {
    fn rule(&self) -> Rule;

    /// First coordinate of the point that orbits start from.
    fn seed(&self) -> f64;

    /// Orbits farther out have escaped.
    fn escape_radius(&self) -> f64;

    /// Least and largest parameter where there may be something to draw.
    fn parameters(&self) -> [f64; 2];

    /// Im c, where orbits are complex.
    fn line(&self) -> f64 {
        0.0
    }

    fn ordinate(&self) -> Ordinate {
        Ordinate::Re
    }

    fn fan(&self) -> Option<Fan> {
        None
    }
}

impl DeviceTask for OrbitDensity {
    fn rule(&self) -> Rule {
        Rule::Map(self.map)
    }

    fn seed(&self) -> f64 {
        self.map.seed()
    }

    fn escape_radius(&self) -> f64 {
        self.map.escape_radius()
    }

    fn parameters(&self) -> [f64; 2] {
        self.map.parameters()
    }
}

impl DeviceTask for Section {
    fn rule(&self) -> Rule {
        Rule::Line
    }

    fn seed(&self) -> f64 {
        0.0
    }

    fn escape_radius(&self) -> f64 {
        2.0
    }

    /// Critical orbits with |c| > 2 escape with their first step.
    fn parameters(&self) -> [f64; 2] {
        [-2.0, 2.0]
    }

    fn line(&self) -> f64 {
        self.parameter(0.0).im
    }

    fn ordinate(&self) -> Ordinate {
        self.ordinate
    }

    fn fan(&self) -> Option<Fan> {
        self.fan
    }
}
