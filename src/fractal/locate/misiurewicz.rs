//! Misiurewicz points: the c at which the orbit of 0 ends on a repelling cycle, each the centre of a spiral or a tip.
//!
//! Where z_m is the first point of a cycle of period p, z_{m−1} and z_{m+p−1} have the same square and are not equal:
//! their sum is 0. So the search looks for returns to the negative of an earlier point, as close as the
//! region's own spread allows, and Newton's method is run on the sum, which leaves out shorter ways into a cycle.
//!
//! Source: Douady and Hubbard, "Étude dynamique des polynômes complexes" (1984); Tan Lei, "Similarity between the
//! Mandelbrot set and Julia sets" (1990), for what the multiplier says; Hutz and Towsley, "Misiurewicz points for
//! polynomial maps" (2015), for the factor.

use std::collections::BTreeMap;

use super::newton::{Equation, Root, Value, distance, limbs, point, solve, walk};
use super::{NotFound, Progress, Region, SEARCH_BITS, Watch, rounded};
use crate::fractal::big_orbit::QuadraticOrbit;
use crate::math::{BigComplex, Complex, ComplexExp, Fixed, FloatExp};

/// Longest orbit that is kept to look for returns: 250 MB.
const MOST_KEPT: u32 = 1 << 21;
/// Returns of an orbit that are tried before another orbit is followed.
const MOST_TRIES: usize = 24;
/// Images of the region that are larger than this lie over all that there is: what is found then is no sight of it.
const COVERED: f64 = 64.0;
/// A return is no farther from the negative of a point than this share of the point's size: else it is a return to 0.
const CLOSE: f64 = 0.25;
/// A point is found to this share of the square of the region's radius, so that one may go twice as deep there.
const SHARE: f64 = 1e-8;
/// Points in f64 are told apart where this share of their size lies between them.
const F64_SHARE: f64 = 1e-14;
/// The cycle spreads points by 2 to about these powers: it repels, and a picture that repeats itself only after more
/// looks like no spiral.
const SCALES: std::ops::Range<f64> = -0.5..6.0;
/// Places of a region whose orbits are searched before it is given up, or its quarters are looked at.
const MOST_BASES: u32 = 9;
/// How often a region is halved.
const MOST_HALVINGS: u32 = 2;

/// The centre of a spiral, a tip or a junction.
#[derive(Clone, Debug, PartialEq)]
pub struct Misiurewicz {
    /// To about twice the digits that the region's size asks for.
    pub center: BigComplex,
    /// m, the least with z_{m+p} = z_m, where z_0 = 0.
    pub preperiod: u32,
    /// p, the least such.
    pub period: u32,
    /// That of the cycle: about the centre the picture repeats itself magnified by its size and turned by its angle.
    pub multiplier: ComplexExp,
}

impl Misiurewicz {
    /// The factor of magnification after which the picture repeats itself.
    pub fn scale(&self) -> FloatExp {
        self.multiplier.norm()
    }

    /// The turn that goes with it, in degrees anticlockwise, above −180 and up to 180.
    pub fn turn_degrees(&self) -> f64 {
        super::angle_degrees(self.multiplier)
    }
}

/// A Misiurewicz point of a region, the first to close of the orbits that are followed, `most_steps` long at most.
///
/// # Errors
/// [`NotFound`] says why there is none.
pub fn misiurewicz(region: &Region, most_steps: u32, watch: Watch) -> Result<Misiurewicz, NotFound> {
    let most_steps = most_steps.min(MOST_KEPT);
    // The middle first, and then ever finer parts.
    let mut parts = vec![region.clone()];
    let mut end = NotFound::Inside;
    for _ in 0..=MOST_HALVINGS {
        for part in &parts {
            match in_part(part, most_steps, watch) {
                Err(NotFound::Inside) => {}
                Err(NotFound::Cancelled) => return Err(NotFound::Cancelled),
                Err(why) => end = why,
                Ok(found) => return Ok(found),
            }
        }
        parts = parts.iter().flat_map(Region::quarters).collect();
    }
    Err(end)
}

/// Looks from several places of a region.
fn in_part(region: &Region, most_steps: u32, watch: Watch) -> Result<Misiurewicz, NotFound> {
    let mut end = NotFound::Inside;
    for base in (0..MOST_BASES).map(|i| region.offset(spread_out(i))) {
        match from_base(region, base, most_steps, watch) {
            Err(NotFound::Inside) => {}
            Err(NotFound::Cancelled) => return Err(NotFound::Cancelled),
            Err(why) => end = why,
            Ok(found) => return Ok(found),
        }
    }
    Err(end)
}

/// Places in −1 ≤ x, y < 1, the first in the middle, and each of the next where there is most room.
///
/// Source: Roberts, "The unreasonable effectiveness of quasirandom sequences" (2018).
fn spread_out(i: u32) -> [f64; 2] {
    [0.754_877_666_246_693, 0.569_840_290_998_053].map(|step| 2.0 * (0.5 + f64::from(i) * step).fract() - 1.0)
}

/// Follows the orbit of the point at `base` from the centre, and tries its returns.
fn from_base(region: &Region, base: ComplexExp, most_steps: u32, watch: Watch) -> Result<Misiurewicz, NotFound> {
    let radius = region.radius();
    let bits = SEARCH_BITS - radius.log2();
    let mut orbit = QuadraticOrbit::of(point(region, base, limbs(bits)));
    // A slope leads no farther than to the nearest nucleus: there the picture is folded.
    let mut reach = radius.mul(2.0.into());
    let mut passed = Passed::default();
    let mut tries = 0;
    for n in 1..=most_steps {
        watch.step(n, || Progress::Searching { steps: n })?;
        let z = orbit.next_point();
        let spread = orbit.derivative().norm();
        if z.norm() > FloatExp::from(2.0 + 1e-9) || radius.mul(spread) > COVERED.into() {
            return Err(NotFound::Nothing);
        }
        if reach.mul(spread) > z.norm() {
            reach = z.norm().div(spread);
        }
        passed.push(z.to_complex(), spread.log2());
        if passed.has_settled() {
            return Err(NotFound::Inside);
        }
        for (earlier, period) in passed.returns(reach.mul(spread)) {
            if tries == MOST_TRIES {
                return Err(NotFound::Nothing);
            }
            tries += 1;
            if let Some(found) = Closing::new(region, earlier, period).near(region, base, watch)? {
                return Ok(found);
            }
        }
    }
    Err(NotFound::TooLong { most: most_steps })
}

/// An orbit from z_1 on, to the digits of f64.
#[derive(Default)]
struct Passed {
    points: Vec<Step>,
    /// Indices of all points but the last, by their real parts.
    by_re: BTreeMap<Ordered, Vec<usize>>,
    /// Where neighbours have been farthest apart, and how far.
    widest: (usize, f64),
}

struct Step {
    z: Complex,
    /// log₂ |dz/dc|.
    spread: f64,
}

impl Passed {
    fn push(&mut self, z: Complex, spread: f64) {
        if let Some(last) = self.points.last() {
            self.by_re.entry(Ordered::from(last.z.re)).or_default().push(self.points.len() - 1);
        }
        if spread > self.widest.1 {
            self.widest = (self.points.len(), spread);
        }
        self.points.push(Step { z, spread });
    }

    /// The n of earlier points whose negatives the last point meets while the region's image there is `image` wide, and the
    /// periods of the cycles that this closes; the nearest first.
    fn returns(&self, image: FloatExp) -> Vec<(u32, u32)> {
        let Some((here, last)) = self.points.last().zip(self.points.len().checked_sub(1)) else { return Vec::new() };
        // What cannot be seen yet will still be there, some periods later, when the image has grown.
        if image < FloatExp::from(F64_SHARE * here.z.norm()) {
            return Vec::new();
        }
        let reach = image.min(4.0.into()).to_f64();
        let range = Ordered::from(-here.z.re - reach)..=Ordered::from(-here.z.re + reach);
        let mut met: Vec<usize> = self.by_re.range(range).flat_map(|(_, held)| held).copied().collect();
        met.retain(|&at| self.is_met(at, here.z, reach));
        let distance = |at: usize| self.points[at].z.add(here.z).norm();
        met.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        met.into_iter().filter_map(|at| Some((at as u32 + 1, self.period(at, last)?))).collect()
    }

    /// Whether `z` is about the negative of a point: near it, and not because both are near 0.
    fn is_met(&self, at: usize, z: Complex, reach: f64) -> bool {
        let earlier = self.points[at].z;
        earlier.add(z).norm() < reach.min(CLOSE * earlier.norm())
    }

    /// The shortest period with which the way from a point to the negative of it is whole periods long, where its cycle
    /// repels and does so gently.
    fn period(&self, at: usize, last: usize) -> Option<u32> {
        let (from, long) = (&self.points[at], last - at);
        let closes = |&period: &usize| {
            long.is_multiple_of(period) && self.is_met(at, self.points[at + period].z, F64_SHARE * from.z.norm())
        };
        let period = (1..=long / 2).find(closes).unwrap_or(long);
        let scale = self.points[at + period].spread - from.spread;
        SCALES.contains(&scale).then_some(period as u32)
    }

    /// Whether the orbit has been followed four times as far as its neighbours have spread: it stays, and so do they.
    fn has_settled(&self) -> bool {
        self.points.len() > 64 + 4 * self.widest.0
    }
}

/// A finite f64 by its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ordered(i64);

impl From<f64> for Ordered {
    fn from(value: f64) -> Self {
        // Of numbers below 0 the bits run the other way.
        let bits = (value + 0.0).to_bits() as i64;
        Self(bits ^ (((bits >> 63) as u64) >> 1) as i64)
    }
}

/// z_last + z_earlier = 0, with 1 ≤ earlier < last.
struct Closing {
    earlier: u32,
    last: u32,
    /// What is to be told apart about the root.
    unit: FloatExp,
}

struct Seen {
    multiplier: ComplexExp,
    /// z_earlier, and how fast it moves with c.
    earlier: [ComplexExp; 2],
    /// For each shorter period that divides this one, how far the point with it would be.
    steps_to_others: Vec<(u32, FloatExp)>,
}

impl Closing {
    fn new(region: &Region, earlier: u32, period: u32) -> Self {
        let radius = region.radius().min(1.0.into());
        Self { earlier, last: earlier + period, unit: radius.mul(radius).mul(SHARE.into()) }
    }

    fn period(&self) -> u32 {
        self.last - self.earlier
    }

    /// The Misiurewicz point of the region to which Newton's method leads from `base`.
    fn near(&self, region: &Region, base: ComplexExp, watch: Watch) -> Result<Option<Misiurewicz>, NotFound> {
        match solve(self, region, base, watch)? {
            Some(root) if region.contains(distance(&root.c, region)) => self.told(region, root, watch),
            _ => Ok(None),
        }
    }

    /// What is to be said of a root; none where the orbit comes back to 0 instead.
    fn told(&self, region: &Region, root: Root<Seen>, watch: Watch) -> Result<Option<Misiurewicz>, NotFound> {
        // Far above what the root may be wrong by, far below what it is to be told from.
        let limit = root.error.mul(FloatExp::power_of_two(16));
        let [z, derivative] = root.seen.earlier;
        if z.norm() <= limit.mul(derivative.norm()) {
            return Ok(None);
        }
        if let Some(&(period, _)) = root.seen.steps_to_others.iter().find(|(_, step)| *step <= limit) {
            let (shorter, start) = (Self { last: self.earlier + period, ..*self }, distance(&root.c, region));
            let Some(root) = solve(&shorter, region, start, watch)? else { return Ok(None) };
            return shorter.told(region, root, watch);
        }
        let (preperiod, period, multiplier) = (self.earlier + 1, self.period(), root.seen.multiplier);
        Ok(Some(Misiurewicz { center: rounded(&root.c, root.unit), preperiod, period, multiplier }))
    }
}

impl Equation for Closing {
    type Seen = Seen;

    fn steps(&self) -> u32 {
        self.last
    }

    fn at(
        &self,
        c: &[Fixed; 2],
        before_step: &mut dyn FnMut(u32) -> Result<(), NotFound>,
    ) -> Result<Option<Value<Seen>>, NotFound> {
        let mut multiplier = ComplexExp::ONE;
        let mut first: Option<([Fixed; 2], [ComplexExp; 2])> = None;
        let mut steps_to_others = Vec::new();
        let orbit = walk(c, self.last, before_step, |n, z, orbit| {
            let Some((_, [first_z, first_derivative])) = &first else {
                first = (n == self.earlier).then(|| (orbit.z().map(Fixed::clone), [z, orbit.derivative()]));
                return;
            };
            multiplier = multiplier.mul(z.doubled());
            let (period, slope) = (n - self.earlier, orbit.derivative().add(*first_derivative));
            if n < self.last && self.period().is_multiple_of(period) && slope != ComplexExp::ZERO {
                steps_to_others.push((period, z.add(*first_z).div(slope).norm()));
            }
        })?;
        let (Some(orbit), Some((mut value, earlier))) = (orbit, first) else { return Ok(None) };
        value.iter_mut().zip(orbit.z()).for_each(|(sum, last)| sum.add(last));
        let derivative = orbit.derivative().add(earlier[1]);
        Ok(Some(Value { value, derivative, unit: self.unit, seen: Seen { multiplier, earlier, steps_to_others } }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::region;
    use super::*;

    fn find(re: &str, im: &str, height: &str) -> Misiurewicz {
        misiurewicz(&region(re, im, height), 1_000_000, Watch::none()).unwrap_or_else(|e| panic!("{re} {im}: {e}"))
    }

    #[test]
    fn points_are_the_published_ones() {
        // c³ + 2c² + 2c + 2 = 0 has the three of preperiod 3 and period 1; the multiplier of a fixed point z is 2z, with
        // 2z = 1 ± √(1 − 4c).
        let (real, upper) = (
            "-1.543689012692076361570855971801747987",
            ["-0.2281554936539618192145720141", "1.1151425080399373597457646"],
        );
        let third = ["-0.101096363845622161025785452", "0.956286510809141500771109608"];
        // (centre, height, place, preperiod, period, scale, turn, why)
        for (re, im, height, [x, y], cycle, [scale, turn], why) in [
            ("-1.99", "0.01", "0.1", ["-2", "0"], (2, 1), [4.0, 0.0], "the tip of the needle: 2z = 4 at z = 2"),
            ("0.02", "0.99", "0.1", ["0", "1"], (2, 2), [32f64.sqrt(), 45.0], "4(−1 + i)(−i) = 4 + 4i"),
            ("-1.544", "0.001", "0.01", [real, "0"], (3, 1), [1.678_573_5, 180.0], "1 − √(1 − 4c)"),
            ("-0.23", "1.116", "0.02", upper, (3, 1), [3.087_377_9, -23.126], "1 + √(1 − 4c)"),
            ("-0.1", "0.956", "0.01", third, (4, 1), [1.328_330_1, 119.553], "the hub of three arms"),
        ] {
            let found = find(re, im, height);
            assert_eq!((found.preperiod, found.period), cycle, "{why}");
            for (got, expected) in [(&found.center.re, x), (&found.center.im, y)] {
                let off = (got - &expected.parse().unwrap()).to_f64();
                assert!(off.abs() < 1e-18, "{why}: {got}, not {expected}");
            }
            assert!((found.scale().to_f64() / scale - 1.0).abs() < 1e-4, "{why}: {}", found.scale());
            assert!((found.turn_degrees().abs() - turn.abs()).abs() < 1e-2, "{why}: {}", found.turn_degrees());
        }
    }

    #[test]
    fn deep_points_end_on_their_cycles_and_on_no_shorter_ones() {
        for (re, im, height) in [
            ("0", "1", "1e-300"),
            ("-0.77568377", "0.13646737", "1e-6"),
            ("-0.743643887037158704752191506114774", "0.131825904205311970493132056385139", "1e-5"),
            ("-0.743643887037158704752191506114774", "0.131825904205311970493132056385139", "1e-12"),
        ] {
            let found = find(re, im, height);
            let mut orbit = QuadraticOrbit::new(&found.center, limbs(2000.0));
            let points: Vec<ComplexExp> = (0..found.preperiod + found.period).map(|_| orbit.next_point()).collect();
            let z = |n: u32| points[n as usize - 1];
            let (m, p) = (found.preperiod, found.period);
            let closes = |m: u32, p: u32| z(m + p).sub(z(m)).norm() < FloatExp::from(1e-9);
            assert!(closes(m, p), "{re}, {im}: {m}, {p}");
            assert!(m == 1 || !closes(m - 1, p), "{re}, {im}: a cycle from {m} − 1 on");
            assert!((1..p).all(|shorter| !closes(m, shorter)), "{re}, {im}: a cycle shorter than {p}");
            assert!(found.scale() > FloatExp::from(1.0));
        }
    }

    #[test]
    fn where_no_point_is_it_is_said_why() {
        for (re, im, height, end) in [
            ("0.5", "0.5", "0.01", NotFound::Nothing),
            ("0.1", "0.1", "0.01", NotFound::Inside),
            ("-1", "0", "1e-30", NotFound::Inside),
        ] {
            assert_eq!(misiurewicz(&region(re, im, height), 5000, Watch::none()), Err(end), "{re}, {im}");
        }
    }

    #[test]
    fn floats_are_ordered_by_their_bits() {
        let rising = [-2.0, -1.0, -1e-300, -0.0, 1e-300, 0.5, 2.0].map(Ordered::from);
        assert!(rising.is_sorted() && Ordered::from(0.0) == Ordered::from(-0.0));
    }
}
