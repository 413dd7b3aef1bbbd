//! The reference orbit of z² + c: one orbit at the precision that a view needs, which all of its points then follow.
//!
//! It ends as soon as more of it would be of no use: where it escapes, where a nucleus lies in the view and
//! points may begin again at 0, and where it has come to an attracting cycle.
//!
//! Source: Munafo, Mu-Ency, "Perturbation"; Heiland-Allen, "Deep zoom theory and practice (again)" (2022), for rebasing
//! and for periods from the derivative.

use crate::math::{BigComplex, Complex, ComplexExp, Fixed, FloatExp};

/// Bits kept below a pixel step: the error of an orbit grows as its distance to the neighbours does.
const GUARD_BITS: f64 = 64.0;
/// Most steps of a reference: 128 MB of points.
const MOST_STEPS: u32 = 1 << 23;
/// Points nearer to 0 than 2 to this power are kept with an exponent of their own, too.
const TINY: i64 = -900;

/// Z_0 = 0, Z_1 = C, …, Z_M, rounded to f64.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    points: Vec<Complex>,
    /// The points nearer to 0 than f64 resolves, by index.
    tiny: Vec<(u32, ComplexExp)>,
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
    /// The orbit of `center` up to `max_iterations` steps, for a view of half diagonal `radius` whose finest pixel step is
    /// `step`. None as soon as `goes_on`, which is asked before each step, says no.
    pub fn new(
        center: &BigComplex,
        radius: FloatExp,
        step: FloatExp,
        max_iterations: u32,
        mut goes_on: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut reference = Self { points: vec![Complex::default()], tiny: Vec::new(), end: End::Cap };
        if [&center.re, &center.im].iter().any(|part| part.to_float_exp().abs() > FloatExp::from(2.0)) {
            reference.points.push(center.to_f64());
            reference.end = End::Escape;
            return Some(reference);
        }
        let mut orbit = BigOrbit::new(center, fraction_limbs(step));
        // dZ/dC: how the images of neighbouring points spread.
        let mut derivative = ComplexExp::ZERO;
        let mut recurrence = Recurrence::default();
        for n in 1..=max_iterations.min(MOST_STEPS) {
            if !goes_on() {
                return None;
            }
            derivative = reference.wide(n - 1).doubled().mul(derivative).add(ComplexExp::ONE);
            let z = orbit.step();
            reference.push(z);
            if reference.last_point().norm() > 2.0 {
                reference.end = End::Escape;
                break;
            }
            if z.size() < radius.mul(derivative.size()) {
                reference.end = End::Nucleus;
                break;
            }
            if let Some(period) = recurrence.period(&reference.points) {
                reference.end = End::Cycle { period };
                break;
            }
        }
        Some(reference)
    }

    fn push(&mut self, z: ComplexExp) {
        if z.exponent() < TINY {
            self.tiny.push((self.points.len() as u32, z));
        }
        self.points.push(z.to_complex());
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
        match self.tiny.binary_search_by_key(&m, |&(index, _)| index) {
            Ok(found) => self.tiny[found].1,
            Err(_) => z.into(),
        }
    }
}

/// Limbs after the point for an orbit whose neighbours are `step` apart.
fn fraction_limbs(step: FloatExp) -> usize {
    ((GUARD_BITS - step.log2()).max(1.0) / 64.0).ceil() as usize + 1
}

/// z ↦ z² + c in fixed point.
struct BigOrbit {
    c: [Fixed; 2],
    z: [Fixed; 2],
    /// x², y² and (x + y)² in turn, and room for what is squared.
    squares: [Fixed; 3],
    sum: Fixed,
}

impl BigOrbit {
    /// At z = 0; both parts of `c` are at most 2.
    fn new(c: &BigComplex, fraction: usize) -> Self {
        let zero = || Fixed::zero(fraction);
        Self {
            c: [c.re.to_fixed(fraction), c.im.to_fixed(fraction)],
            z: [zero(), zero()],
            squares: [zero(), zero(), zero()],
            sum: zero(),
        }
    }

    /// x′ = x² − y² + c.re, y′ = (x + y)² − x² − y² + c.im: three squares, which cost less than products.
    fn step(&mut self) -> ComplexExp {
        let Self { c, z: [x, y], squares: [x_sq, y_sq, sum_sq], sum } = self;
        sum.copy_from(x);
        sum.add(y);
        x_sq.set_square(x);
        y_sq.set_square(y);
        sum_sq.set_square(sum);
        x.copy_from(x_sq);
        x.sub(y_sq);
        x.add(&c[0]);
        y.copy_from(sum_sq);
        y.sub(x_sq);
        y.sub(y_sq);
        y.add(&c[1]);
        ComplexExp::from_parts(x.to_float_exp(), y.to_float_exp())
    }
}

/// Finds when an orbit has come to an attracting cycle: it is held against the point at the last power of two, and where it
/// meets that, two whole periods against each other.
///
/// Beside a repelling cycle an orbit repeats itself too, to the digits of f64, but the way it leaves is the picture.
#[derive(Default)]
struct Recurrence {
    held: usize,
}

impl Recurrence {
    fn period(&mut self, points: &[Complex]) -> Option<u32> {
        let last = points.len() - 1;
        if last.is_power_of_two() {
            self.held = last;
            return None;
        }
        let period = last - self.held;
        if points[last] != points[self.held] || last < 2 * period {
            return None;
        }
        let (before, cycle) = points[last + 1 - 2 * period..].split_at(period);
        let multiplier = || cycle.iter().fold(FloatExp::from(1.0), |product, z| product.mul((2.0 * z.norm()).into()));
        (before.iter().rev().eq(cycle.iter().rev()) && multiplier() < FloatExp::from(1.0)).then_some(period as u32)
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
