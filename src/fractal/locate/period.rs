//! The period of a region: the first n for which the orbits of its edge wind round 0.
//!
//! z_n is a polynomial in c, so by the argument principle the images of the edge wind round 0 as often as z_n is 0 within.
//! Before the first such n nothing in the region has been near 0, and the image is hardly bent: a few points of the edge
//! are enough. They are iterated as differences from the orbit of the centre.
//!
//! Source: Munafo, Mu-Ency, "Period" (box method); Heiland-Allen, "Deep zoom theory and practice" (2021).

use std::f64::consts::{LN_2, TAU};

use super::{NotFound, Progress, Region, Watch};
use crate::fractal::big_orbit::QuadraticOrbit;
use crate::math::{Complex, ComplexExp, FloatExp};

/// Points along each side of the region.
const PER_SIDE: u32 = 8;
/// While images are this much smaller than their distance from 0, the derivative alone tells where they are.
const LINEAR: FloatExp = FloatExp::power_of_two(-24);
/// Where a point of the edge has come farther from 0 than 2 to this power, its neighbours point anywhere.
const FAR: i64 = 32;

/// A period that some point of the region has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub period: u32,
    /// About where the point is, from the centre. None where there are several.
    pub offset: Option<ComplexExp>,
}

/// Follows the orbits of a region's edge.
pub(super) struct PeriodSearch<'a> {
    region: &'a Region,
    orbit: QuadraticOrbit,
    steps: u32,
    z: ComplexExp,
    /// Points of the edge, from the centre.
    edge: Vec<ComplexExp>,
    /// Their images, from that of the centre; none while the derivative is enough.
    image: Option<Vec<ComplexExp>>,
    /// When the image was largest, and how large.
    widest: (u32, FloatExp),
}

impl<'a> PeriodSearch<'a> {
    pub fn new(region: &'a Region, fraction: usize) -> Self {
        let orbit = QuadraticOrbit::new(region.center(), fraction);
        let (edge, widest) = (region.edge(PER_SIDE), (0, FloatExp::ZERO));
        Self { region, orbit, steps: 0, z: ComplexExp::ZERO, edge, image: None, widest }
    }

    /// Steps that have been taken.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The next period; those before it have been found before, or are not there.
    ///
    /// # Errors
    /// [`NotFound`] says why there is none up to `most`; it is [`NotFound::Unclear`] where the edge tells nothing any
    /// more, and parts of the region may still have one.
    pub fn next(&mut self, most: u32, watch: Watch) -> Result<Candidate, NotFound> {
        while self.steps < most {
            watch.step(self.steps, || Progress::Searching { steps: self.steps })?;
            self.step();
            if self.has_settled() {
                return Err(NotFound::Inside);
            }
            let far = |z: &ComplexExp| z.norm() > FloatExp::from(2.0);
            let Some(image) = &self.image else {
                if far(&self.z) {
                    return Err(NotFound::Nothing);
                }
                continue;
            };
            let points: Vec<ComplexExp> = image.iter().map(|&d| self.z.add(d)).collect();
            match winding(&points) {
                0 if points.iter().all(far) => return Err(NotFound::Nothing),
                0 => {}
                1 => {
                    let offset = Some(zero(&self.edge, &points)).filter(|&at| self.region.contains(at));
                    return Ok(Candidate { period: self.steps, offset });
                }
                _ => return Ok(Candidate { period: self.steps, offset: None }),
            }
            if points.iter().any(|z| z.exponent() > FAR) {
                return Err(NotFound::Unclear);
            }
        }
        Err(NotFound::TooLong { most })
    }

    /// From z_n to z_{n+1}, of the centre and of the edge.
    fn step(&mut self) {
        if let Some(image) = &mut self.image {
            for (d, &dc) in image.iter_mut().zip(&self.edge) {
                *d = self.z.doubled().add(*d).mul(*d).add(dc);
            }
        }
        self.z = self.orbit.next_point();
        self.steps += 1;
        if self.image.is_none() && self.width() > self.z.norm().mul(LINEAR) {
            let derivative = self.orbit.derivative();
            self.image = Some(self.edge.iter().map(|dc| dc.mul(derivative)).collect());
        }
    }

    /// About how large the image is.
    fn width(&self) -> FloatExp {
        match &self.image {
            None => self.orbit.derivative().norm().mul(self.region.radius()),
            Some(image) => image.iter().map(|d| d.size()).fold(FloatExp::ZERO, FloatExp::max),
        }
    }

    /// Whether four times as many steps have passed since the image was widest: the orbits stay, side by side.
    fn has_settled(&mut self) -> bool {
        let width = self.width();
        if width > self.widest.1 {
            self.widest = (self.steps, width);
        }
        self.steps > 64 + 4 * self.widest.0
    }
}

/// How often the polygon winds round 0, anticlockwise.
fn winding(points: &[ComplexExp]) -> i32 {
    let crosses = |(a, b): (Complex, Complex)| {
        // Only directions count, so that the sizes of corners need not agree.
        let is_left = a.re * b.im - a.im * b.re > 0.0;
        match (a.im >= 0.0, b.im >= 0.0) {
            (false, true) if is_left => 1,
            (true, false) if !is_left => -1,
            _ => 0,
        }
    };
    edges(points).map(|(a, b)| crosses((a.mantissa(), b.mantissa()))).sum()
}

/// Where the one zero lies of a function that takes these values along the edge: ∮ c d(ln z) / 2πi.
fn zero(edge: &[ComplexExp], points: &[ComplexExp]) -> ComplexExp {
    let middles = edges(edge).map(|(a, b)| a.add(b).scaled(0.5.into()));
    let parts = middles.zip(edges(points)).map(|(c, (a, b))| {
        let ratio = b.div(a);
        let angle = ratio.mantissa().im.atan2(ratio.mantissa().re);
        c.mul(ComplexExp::from(Complex::new(angle, -ratio.norm().log2() * LN_2)))
    });
    parts.fold(ComplexExp::ZERO, ComplexExp::add).scaled((1.0 / TAU).into())
}

/// Each corner of a polygon with the next one.
fn edges(points: &[ComplexExp]) -> impl Iterator<Item = (ComplexExp, ComplexExp)> {
    points.iter().copied().zip(points.iter().copied().cycle().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::BigComplex;

    fn region(re: &str, im: &str, half: f64) -> Region {
        let axes = [Complex::new(half * 1.5, 0.0), Complex::new(0.0, half)].map(ComplexExp::from);
        Region::new(BigComplex::new(re.parse().unwrap(), im.parse().unwrap()), axes)
    }

    fn first(re: &str, im: &str, half: f64) -> Result<Candidate, NotFound> {
        PeriodSearch::new(&region(re, im, half), 4).next(100_000, Watch::none())
    }

    #[test]
    fn regions_have_the_lowest_period_in_them() {
        // (centre, half height, period, why)
        for (re, im, half, period, why) in [
            ("-0.75", "0", 1.25, 1, "the whole set"),
            ("-1", "0", 0.1, 2, "the disc of period 2"),
            ("-1.755", "0.001", 0.01, 3, "the minibrot on the needle"),
            ("-0.12", "0.74", 0.05, 3, "the rabbit"),
            ("0.28", "0.53", 0.02, 4, "the bulb of a quarter turn"),
            ("-1.9408", "0", 0.001, 4, "the needle"),
            ("-1.62541", "0", 0.001, 5, "the needle"),
        ] {
            assert_eq!(first(re, im, half).map(|c| c.period), Ok(period), "{why}");
        }
    }

    #[test]
    fn zeros_are_told_from_the_edge_alone() {
        for (re, im, half, root) in [
            ("-0.75", "0.2", 1.25, [0.0, 0.0]),
            ("-1", "0", 0.3, [-1.0, 0.0]),
            ("-0.12", "0.76", 0.05, [-0.122_561_166_876_653_6, 0.744_861_766_619_744_2]),
        ] {
            let offset = first(re, im, half).unwrap().offset.unwrap().to_complex();
            let off =
                [re.parse::<f64>().unwrap() + offset.re - root[0], im.parse::<f64>().unwrap() + offset.im - root[1]];
            assert!(off.iter().all(|d| d.abs() < half / 10.0), "{re}, {im}: {off:?}");
        }
    }

    #[test]
    fn where_nothing_is_the_search_ends() {
        // (centre, half height, why it ends)
        for (re, im, half, end) in [
            ("2", "2", 0.1, NotFound::Nothing),
            ("2", "2", 1e-30, NotFound::Nothing),
            ("0.4", "0.4", 1e-30, NotFound::Nothing),
            ("0.1", "0.1", 0.01, NotFound::Inside),
            ("-1.05", "0.05", 0.001, NotFound::Inside),
            ("0.25", "0", 1e-9, NotFound::TooLong { most: 1000 }),
            ("0.2501", "0.0001", 0.0001, NotFound::Unclear),
        ] {
            let region = region(re, im, half);
            assert_eq!(PeriodSearch::new(&region, 4).next(1000, Watch::none()), Err(end), "{re}, {im}");
        }
    }
}
