//! Reference orbits: one orbit at the precision that a view needs, which all of its points then follow.
//!
//! It ends as soon as more of it would be of no use: where it escapes, where a nucleus lies in the view and
//! points may begin again at 0, and where it has come to an attracting cycle.
//!
//! Source: Munafo, Mu-Ency, "Perturbation"; Heiland-Allen, "Deep zoom theory and practice (again)" (2022), for rebasing
//! and for periods from the derivative.

use super::big_orbit::{BigOrbit, QuadraticOrbit};
use crate::math::{BigComplex, Complex, ComplexExp, FloatExp};

/// Bits kept below a pixel step: the error of an orbit grows as its distance to the neighbours does.
const GUARD_BITS: f64 = 64.0;
/// Points nearer to 0 than 2 to this power are kept with an exponent of their own, too.
const TINY: i64 = -900;

/// Z_0, Z_1, …, Z_M, rounded to f64: over a plane of parameters, Z_0 = 0 and Z_1 = C.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    points: Vec<Complex>,
    /// The points with a part nearer to 0 than f64 resolves, by index.
    tiny: Vec<(u32, Complex<FloatExp>)>,
    end: End,
}

/// Why a reference ends, and what comes after its last point Z_M.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// |Z_M| > 2: those who follow it leave with it, and go on alone.
    Escape,
    /// 0 lies among the images of the view's points: there is a nucleus of period M in the view or beside it.
    Nucleus,
    /// The orbit has come to an attracting cycle, bit for bit: Z_M stands for Z_{M − period} too.
    Cycle { period: u32 },
    /// The orbit is not followed any further.
    Cap,
}

impl Reference {
    /// Most steps of a reference: its points take 256 MiB then.
    pub const MOST_STEPS: u32 = 1 << 24;
    /// Bytes that a step of it takes.
    pub const BYTES_PER_STEP: u64 = size_of::<Complex>() as u64;

    /// The orbit of 0 under z² + `center` up to `max_iterations` steps, for a view of half diagonal `radius` whose finest pixel step is
    /// `step`. None as soon as `goes_on`, which is asked before each step, says no.
    pub fn new(
        center: &BigComplex,
        radius: FloatExp,
        step: FloatExp,
        max_iterations: u32,
        mut goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut orbit = Orbit::new(center.clone(), fraction_limbs(step));
        orbit.follow(radius, max_iterations, |_| goes_on()).then_some(orbit.reference)
    }

    /// 0, and so far out after one step that there is no way back.
    pub fn escaped_at_once(to: Complex) -> Self {
        Self { points: vec![Complex::default(), to], tiny: Vec::new(), end: End::Escape }
    }

    /// What is there before the first step.
    fn at_zero() -> Self {
        Self { points: vec![Complex::default()], tiny: Vec::new(), end: End::Cap }
    }

    /// The first `last` steps of it: what it would be with that cap.
    #[must_use]
    pub fn up_to(&self, last: u32) -> Self {
        if last >= self.last() {
            return self.clone();
        }
        let tiny = self.tiny.iter().copied().take_while(|&(m, _)| m <= last).collect();
        Self { points: self.points[..=last as usize].to_vec(), tiny, end: End::Cap }
    }

    /// Memory that its points take, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.points.capacity() * size_of::<Complex>() + self.tiny.capacity() * size_of::<(u32, Complex<FloatExp>)>())
            as u64
    }

    fn push(&mut self, z: Complex<FloatExp>) {
        let is_tiny = |part: FloatExp| part != FloatExp::ZERO && part.exponent() < TINY;
        if is_tiny(z.re) || is_tiny(z.im) {
            self.tiny.push((self.points.len() as u32, z));
        }
        if self.points.len() == self.points.capacity() {
            // By a quarter, not by all of it again: the longest are hundreds of megabytes.
            self.points.reserve_exact((self.points.len() / 4).max(1 << 10));
        }
        self.points.push(z.to_f64());
    }

    fn last_point(&self) -> Complex {
        self.points[self.points.len() - 1]
    }

    /// Z_0 … Z_M; parts below the range of f64 are zero.
    pub fn points(&self) -> &[Complex] {
        &self.points
    }

    /// M, at least 1.
    pub fn last(&self) -> u32 {
        self.points.len() as u32 - 1
    }

    pub fn end(&self) -> End {
        self.end
    }

    /// Z_m, however near to 0.
    #[inline]
    pub fn wide(&self, m: u32) -> ComplexExp {
        let z = self.points[m as usize];
        if self.tiny.is_empty() || m == 0 || z.re.abs().max(z.im.abs()) > 1e-200 {
            return z.into();
        }
        let z = self.parts(m);
        ComplexExp::from_parts(z.re, z.im)
    }

    /// Z_m, each part however near to 0.
    #[inline]
    pub fn parts(&self, m: u32) -> Complex<FloatExp> {
        if self.tiny.is_empty() {
            return self.points[m as usize].into();
        }
        let found = self.tiny.binary_search_by_key(&m, |&(index, _)| index);
        found.map_or_else(|_| self.points[m as usize].into(), |found| self.tiny[found].1)
    }
}

/// Limbs after the point for an orbit whose neighbours are `step` apart.
pub fn fraction_limbs(step: FloatExp) -> usize {
    ((GUARD_BITS - step.log2()).max(1.0) / 64.0).ceil() as usize + 1
}

/// An orbit in the making: a [`Reference`] that can be followed further, for it stands at the last point in big numbers.
///
/// However it was followed, by many calls or one, with caps and radii that changed on the way: it is the orbit that one call
/// with the last radius would have made.
pub struct Orbit {
    center: BigComplex,
    limbs: usize,
    /// None where the centre lies so far out that it has escaped at once.
    big: Option<Box<dyn BigOrbit>>,
    /// |Z| above which it ends.
    escape: f64,
    recurrence: Recurrence,
    /// The radius of the narrowest view that it was followed for, once it was.
    radius: Option<FloatExp>,
    reference: Reference,
}

impl Orbit {
    /// At Z_0 = 0, with `limbs` limbs after the point.
    pub fn new(center: BigComplex, limbs: usize) -> Self {
        let two = FloatExp::from(2.0);
        let is_near = [&center.re, &center.im].iter().all(|part| part.to_float_exp().abs() <= two);
        let big = is_near.then(|| Box::new(QuadraticOrbit::new(&center, limbs)) as Box<dyn BigOrbit>);
        Self::of(big, center, limbs, Reference::at_zero(), 2.0)
    }

    /// At `start`, and from there on along any other orbit in big numbers, up to where |Z| is above `escape`.
    pub fn along(
        big: Box<dyn BigOrbit>,
        center: BigComplex,
        limbs: usize,
        start: Complex<FloatExp>,
        escape: f64,
    ) -> Self {
        let mut reference = Reference { points: Vec::new(), tiny: Vec::new(), end: End::Cap };
        reference.push(start);
        Self::of(Some(big), center, limbs, reference, escape)
    }

    fn of(big: Option<Box<dyn BigOrbit>>, center: BigComplex, limbs: usize, reference: Reference, escape: f64) -> Self {
        Self { center, limbs, big, escape, recurrence: Recurrence::default(), radius: None, reference }
    }

    pub fn center(&self) -> &BigComplex {
        &self.center
    }

    /// Limbs after the point.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// What there is of it, and no more.
    pub fn into_reference(self) -> Reference {
        self.reference
    }

    /// What there is of it.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Whether it has come as far as a view of half diagonal `radius` about its centre wants it to.
    pub fn is_complete(&self, radius: FloatExp, max_iterations: u32) -> bool {
        match self.reference.end {
            End::Cap => self.reference.last() >= max_iterations.min(Reference::MOST_STEPS),
            End::Nucleus => self.is_at_nucleus(radius),
            End::Escape | End::Cycle { .. } => true,
        }
    }

    /// Whether it is the orbit that a new one, followed for a view of half diagonal `radius`, would be or begin with.
    pub fn begins_as_for(&self, radius: FloatExp) -> bool {
        self.radius.is_none_or(|narrowest| radius <= narrowest)
    }

    /// About how far it has come on the way to its end, 0 to 1: where images of the view grow evenly, or by its steps.
    pub fn share(&self, radius: FloatExp, max_iterations: u32) -> f32 {
        let steps = self.reference.last() as f32 / max_iterations.min(Reference::MOST_STEPS) as f32;
        let spread = self.big.as_ref().map_or(0.0, |big| big.spread().log2());
        let grown = spread / (-radius.log2()).max(1.0);
        steps.max(grown as f32).min(1.0)
    }

    /// Goes on up to `max_iterations` steps, for a view of half diagonal `radius` about the centre. False as soon as `goes_on`,
    /// which is asked before each step, says no; it can go on from there another time.
    pub fn follow(&mut self, radius: FloatExp, max_iterations: u32, mut goes_on: impl FnMut(&Self) -> bool) -> bool {
        self.radius = Some(self.radius.map_or(radius, |narrowest| narrowest.min(radius)));
        if self.reference.end == End::Nucleus {
            // A narrower view may not hold it any more.
            self.reference.end = self.end(radius);
        }
        while !self.is_complete(radius, max_iterations) {
            if !goes_on(self) {
                return false;
            }
            self.step(radius);
        }
        true
    }

    fn step(&mut self, radius: FloatExp) {
        let Some(big) = &mut self.big else {
            self.reference.points.push(self.center.to_f64());
            self.reference.end = End::Escape;
            return;
        };
        self.reference.push(big.step());
        self.reference.end = self.end(radius);
    }

    /// How it ends at its last point; [`End::Cap`] where it does not.
    fn end(&mut self, radius: FloatExp) -> End {
        if self.reference.last_point().norm() > self.escape {
            return End::Escape;
        }
        if self.is_at_nucleus(radius) {
            return End::Nucleus;
        }
        let Self { recurrence, big, reference, .. } = self;
        let growth = |cycle: &[Complex]| big.as_ref().map_or(FloatExp::ZERO, |big| big.growth(cycle));
        recurrence.period(&reference.points, growth).map_or(End::Cap, |period| End::Cycle { period })
    }

    fn is_at_nucleus(&self, radius: FloatExp) -> bool {
        self.big.as_ref().is_some_and(|big| big.images_hold_zero(radius))
    }
}

/// Finds when an orbit has come to an attracting cycle: it is held against the point at the last power of two, and where it
/// meets that, two whole periods against each other.
///
/// Beside a repelling cycle an orbit repeats itself too, to the digits of f64, but the way it leaves is the picture.
#[derive(Default)]
struct Recurrence {
    held: usize,
    /// The held point is on a cycle that does not attract: nothing more is to be learnt from it.
    is_spent: bool,
}

impl Recurrence {
    /// The period of the cycle that the last of `points` lies on, where distances shrink on the way round it.
    fn period(&mut self, points: &[Complex], growth: impl Fn(&[Complex]) -> FloatExp) -> Option<u32> {
        let last = points.len() - 1;
        if last.is_power_of_two() {
            *self = Self { held: last, is_spent: false };
            return None;
        }
        let period = last - self.held;
        if self.is_spent || points[last] != points[self.held] || last < 2 * period {
            return None;
        }
        let (before, cycle) = points[last + 1 - 2 * period..].split_at(period);
        if !before.iter().rev().eq(cycle.iter().rev()) {
            return None;
        }
        self.is_spent = growth(cycle) >= FloatExp::from(1.0);
        (!self.is_spent).then_some(period as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(re: &str, im: &str, height: &str, cap: u32) -> Reference {
        let height = height.parse::<crate::math::Decimal>().unwrap().to_float_exp();
        let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
        let step = height.div(FloatExp::from(100.0));
        Reference::new(&center, height, step, cap, || true).unwrap()
    }

    #[test]
    fn references_end_where_more_would_be_of_no_use() {
        // (centre, height, steps, end, why)
        for (re, im, height, steps, end, why) in [
            ("1", "0", "1e-30", 3, End::Escape, "1, 2, 5"),
            ("3", "0", "1e-30", 1, End::Escape, "at once"),
            ("1e400", "-7", "1e-30", 1, End::Escape, "beyond f64"),
            ("-1", "0", "1e-30", 2, End::Nucleus, "the nucleus of period 2"),
            ("0", "0", "1e-3000", 1, End::Nucleus, "the nucleus of period 1"),
            ("-1.7548776662466927600495088963585286918946", "0", "1e-30", 3, End::Nucleus, "the nucleus of period 3"),
            ("-2", "0", "1e-300", 499, End::Nucleus, "the needle: 4ⁿ times the radius reaches 2"),
            ("-0.9", "0", "1e-30", 130, End::Cycle { period: 2 }, "within the disc of period 2"),
            ("0.25", "0", "1e-90", 5000, End::Cap, "the cusp: slow for ever"),
        ] {
            let got = reference(re, im, height, 5000);
            let about = i64::from(got.last()).abs_diff(steps) <= if steps > 3 { 100 } else { 0 };
            assert!(about && got.end() == end, "{why}: {:?} after {}", got.end(), got.last());
        }
    }

    #[test]
    fn orbits_followed_in_parts_are_those_followed_at_once() {
        // (centre, height, cap, why)
        for (re, im, height, cap, why) in [
            ("0", "1", "1e-60", 3000, "it ends in a nucleus"),
            (
                "-0.743643887037158704752191506114774",
                "0.131825904205311970493132056385139",
                "1e-40",
                4000,
                "a seahorse",
            ),
            ("0.25", "0", "1e-40", 1500, "the cusp, up to its cap"),
            ("-0.9", "0", "1e-30", 1500, "a cycle"),
            ("0.3", "0", "1e-30", 1500, "an escape"),
        ] {
            let whole = reference(re, im, height, cap);
            let height = height.parse::<crate::math::Decimal>().unwrap().to_float_exp();
            let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
            let mut orbit = Orbit::new(center, fraction_limbs(height.div(FloatExp::from(100.0))));
            for (wider, cap) in [(1e20, 10), (1e12, 200), (1e12, 700), (1e3, cap)] {
                orbit.follow(height.mul(wider.into()), cap, |_| true);
            }
            let mut left = 3;
            let mut three_steps = |_: &Orbit| {
                left -= 1;
                left >= 0
            };
            orbit.follow(height, cap, &mut three_steps);
            assert!(orbit.follow(height, cap, |_| true) && orbit.is_complete(height, cap));
            assert!(orbit.reference() == &whole, "{why}");
            let cap = (whole.last() - 1).min(100);
            let mut short = Orbit::new(orbit.center().clone(), orbit.limbs());
            short.follow(height, cap, |_| true);
            assert!(whole.up_to(cap) == *short.reference(), "{why}, cut short");
        }
    }

    #[test]
    fn points_are_those_of_f64_while_rounding_allows() {
        let got = reference("-0.75", "0.1", "1e-40", 1000);
        let c = Complex::new(-0.75, 0.1);
        let mut z = Complex::default();
        for &point in &got.points()[..20] {
            assert!(point.sub(z).norm() < 1e-13, "{point:?}, not {z:?}");
            z = z.mul(z).add(c);
        }
    }

    #[test]
    fn points_near_0_keep_their_size() {
        // c = 1e-400 is Z_1 itself.
        let got = reference("1e-400", "0", "1e-600", 1);
        assert_eq!(got.points()[1], Complex::default());
        assert!((got.wide(1).size().log2() + 400.0 * 10f64.log2()).abs() < 1e-9);
    }
}
