//! Finds the places that a view is about: the nucleus of its minibrot, and the centre of its spiral.
//!
//! [`nucleus`] looks for the lowest period in a [`Region`] (`period`), and runs Newton's method at the precision
//! that the minibrot's size asks for (`newton`). [`misiurewicz`] does the same for points whose orbit ends on a
//! repelling cycle. Both are pure and may take seconds or minutes: the caller brings the thread, and a [`Watch`].

mod misiurewicz;
mod newton;
mod nucleus;
mod period;
mod region;

pub use misiurewicz::{Misiurewicz, misiurewicz};
pub use nucleus::{Nucleus, nucleus};
pub use region::Region;

use crate::math::{BigComplex, ComplexExp, Decimal, Fixed, FloatExp};

/// Bits of an orbit below the size of the region that is searched.
const SEARCH_BITS: f64 = 72.0;

/// Longest orbit that a search follows unless it is told otherwise.
pub const MOST_STEPS: u32 = 20_000_000;

/// Who waits for a search: it is told how far it is, and asked whether it is still wanted.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked before each step of an orbit in big numbers.
    pub goes_on: &'a dyn Fn() -> bool,
    /// Called now and then.
    pub tell: &'a dyn Fn(Progress),
}

impl Watch<'static> {
    /// Nobody watches, and the search runs to its end.
    pub fn none() -> Self {
        Self { goes_on: &|| true, tell: &|_| {} }
    }
}

impl Watch<'_> {
    /// Steps between two reports.
    const INTERVAL: u32 = 2048;

    /// Before step `n` of an orbit.
    fn step(&self, n: u32, progress: impl FnOnce() -> Progress) -> Result<(), NotFound> {
        if !(self.goes_on)() {
            return Err(NotFound::Cancelled);
        }
        if n.is_multiple_of(Self::INTERVAL) {
            (self.tell)(progress());
        }
        Ok(())
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No period is known yet after so many steps.
    Searching { steps: u32 },
    /// The place is known to about so many decimal digits, and at `step` of the `period` steps that make it finer.
    Refining { digits: u32, step: u32, period: u32 },
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Searching { steps } => write!(f, "looking for a period: {steps} steps"),
            Self::Refining { digits, step, period } => {
                write!(f, "found, {digits} digits so far: {} %", u64::from(*step) * 100 / u64::from(*period).max(1))
            }
        }
    }
}

/// Why a search ends with nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    #[error("the search was given up")]
    Cancelled,
    #[error("nothing of the kind lies here; move to the edge of the set, or zoom out a little")]
    Nothing,
    #[error("all of this lies within one component, whose nucleus is elsewhere; zoom out until its outline shows")]
    Inside,
    #[error("nothing of the kind was found here; put what you mean in the middle, and zoom in on it a little")]
    Unclear,
    #[error("no period up to {most} was found; zoom out, or ask for longer orbits")]
    TooLong { most: u32 },
}

/// A point to the digits that tell apart what is `unit` wide, and twelve more.
fn rounded(c: &[Fixed; 2], unit: FloatExp) -> BigComplex {
    let place = (unit.log2() * std::f64::consts::LOG10_2).floor() as i64 - 12;
    let [re, im] = c.each_ref().map(|part| Decimal::from_fixed(part).rounded_at(place));
    BigComplex::new(re, im)
}

/// The direction of a number, in degrees anticlockwise from the real axis, above −180 and up to 180.
fn angle_degrees(z: ComplexExp) -> f64 {
    let direction = z.mantissa();
    // No negative zero: the real axis has one direction each way.
    (direction.im + 0.0).atan2(direction.re).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractal::big_orbit::QuadraticOrbit;
    use crate::math::Complex;

    /// A region of 3 to 2 about a centre.
    pub(super) fn region(re: &str, im: &str, height: &str) -> Region {
        let half = height.parse::<Decimal>().unwrap().to_float_exp().div(2.0.into());
        let axes = [Complex::new(1.5, 0.0), Complex::new(0.0, 1.0)].map(|axis| ComplexExp::from(axis).scaled(half));
        Region::new(BigComplex::new(re.parse().unwrap(), im.parse().unwrap()), axes)
    }

    /// Whether the orbit of the point at an offset from a centre stays within |z| ≤ 2 for so many steps.
    pub(super) fn stays(center: &BigComplex, offset: ComplexExp, steps: u32) -> bool {
        let fraction = newton::limbs(100.0 - offset.size().log2());
        let [re, im] = offset.parts().map(Decimal::from_float_exp);
        let c = BigComplex::new(&center.re + &re, &center.im + &im);
        let mut orbit = QuadraticOrbit::new(&c, fraction);
        (0..steps).all(|_| orbit.next_point().norm() <= FloatExp::from(2.0))
    }

    #[test]
    fn progress_reads_as_a_sentence() {
        for (progress, text) in [
            (Progress::Searching { steps: 4096 }, "looking for a period: 4096 steps"),
            (Progress::Refining { digits: 30, step: 1, period: 4 }, "found, 30 digits so far: 25 %"),
        ] {
            assert_eq!(progress.to_string(), text);
        }
    }
}
