//! Sections: the complex bifurcation diagram of z² + c along a line Im c = s.

use std::ops::Range;

use super::diagram::ColumnTask;
use crate::fractal::attractor::Effort;
use crate::fractal::map::DiagramBox;
use crate::math::Complex;

/// Where the critical orbits of z² + c stay for c = x + i·s, over x (abscissa) and one coordinate of z (ordinate).
///
/// Orbits of −s are those of s, conjugated: so −s is computed as s, and its heights of Im z upside down.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Im c.
    pub s: f64,
    pub ordinate: Ordinate,
    /// Which orbits of each column, as [`OrbitDensity`](super::OrbitDensity) has them.
    pub orbits: Range<u32>,
    /// Points that an orbit adds to its column, if it stays.
    pub kept: u32,
    pub effort: Effort,
    /// The way that orbits take, escaping or not.
    pub fan: Option<Fan>,
}

impl Section {
    /// Largest |s|: farther out every orbit escapes.
    pub const MOST: f64 = 2.0;
    /// Least and largest Re c, then Re z or Im z: all that is to be seen at any s.
    pub const HOME: DiagramBox = DiagramBox { parameter: [-2.0, 0.5], ordinate: [-2.0, 2.0] };

    /// While a picture moves.
    pub const MOVING: Effort = Effort { transient: 500, most_period: 256, most_transient: 500 };
    /// Once it stands still.
    pub const STILL: Effort = Effort { transient: 5_000, most_period: 256, most_transient: 20_000 };

    /// The parameter above the line's point x = `re`, whatever the sign of s.
    pub fn parameter(&self, re: f64) -> Complex {
        Complex::new(re, self.s.abs())
    }
}

impl ColumnTask for Section {
    fn orbits(&self) -> &Range<u32> {
        &self.orbits
    }

    fn kept(&self) -> u32 {
        self.kept
    }

    fn effort(&self) -> Effort {
        self.effort
    }

    fn is_upside_down(&self) -> bool {
        self.s < 0.0 && self.ordinate == Ordinate::Im
    }
}

/// The coordinate of z that a diagram shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordinate {
    Re,
    Im,
}

impl Ordinate {
    pub const ALL: [Self; 2] = [Self::Re, Self::Im];

    #[inline(always)]
    pub fn of<R>(self, z: Complex<R>) -> R {
        match self {
            Self::Re => z.re,
            Self::Im => z.im,
        }
    }
}

/// Points z_{skip+1}, …, z_{skip+steps} of each orbit, up to where it escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fan {
    /// Points left out at the beginning: none for the whole fan, thousands for the attractor alone.
    pub skip: u32,
    pub steps: u32,
}

impl Fan {
    pub const DEFAULT: Self = Self { skip: 0, steps: 300 };
    pub const MOST_SKIP: u32 = 10_000;
    /// So many points of the most orbits still fit a u32.
    pub const MOST_STEPS: u32 = 1000;
    /// Light of a point of full weight, in the units of [`Strip::fan`](super::Strip::fan).
    pub const UNIT: f64 = 4096.0;

    /// Light of the `n`-th point drawn, n ≥ 1: later ones are fainter.
    pub fn light(n: u32) -> f64 {
        Self::UNIT * (1.0 / (1.0 + f64::from(n) / 40.0)).clamp(0.15, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::OrbitDensity;

    #[test]
    fn the_light_of_all_orbits_fits() {
        let of_one: f64 = (1..=Fan::MOST_STEPS).map(|n| Fan::light(n) + 1.0).sum();
        assert!(of_one * f64::from(OrbitDensity::MOST_ORBITS) < f64::from(u32::MAX));
        assert_eq!(Fan::light(300), 0.15 * Fan::UNIT);
    }
}
