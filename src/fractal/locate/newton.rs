//! Newton's method for orbits in big numbers, at a precision that rises with what is known.
//!
//! At first the slope is the derivative, to the digits of f64. Once two places agree with it to those digits the slope
//! between them has more, and the secant method takes over: the digits then grow by the golden ratio from pass to pass,
//! and no derivative in big numbers is needed.

use std::f64::consts::LOG10_2;

use super::{NotFound, Progress, Region, Watch};
use crate::fractal::big_orbit::QuadraticOrbit;
use crate::math::{ComplexExp, Fixed, FloatExp, fixed_quotient};

/// Passes in a row that may bring the root no nearer before it is given up.
const MOST_IDLE: u32 = 6;
/// Bits to which a derivative in f64 is right after millions of steps.
const SLOPE_BITS: f64 = 36.0;
/// Bits below what an orbit must resolve, for the roundings of its steps.
const GUARD_BITS: f64 = 40.0;
/// The root is found to its unit divided by 2 to this power.
const UNIT_BITS: i64 = 48;
/// A search that strays this many radii from the middle of the region is lost.
const STRAY: f64 = 4.0;

/// A function of c whose root is wanted.
pub(super) trait Equation {
    /// What else comes of an orbit.
    type Seen;

    /// Steps of the orbit that gives a value.
    fn steps(&self) -> u32;

    /// None where the orbit leaves the circle of radius 2 too far behind to be followed.
    ///
    /// # Errors
    /// As `before_step`, which is called before each step.
    fn at(
        &self,
        c: &[Fixed; 2],
        before_step: &mut dyn FnMut(u32) -> Result<(), NotFound>,
    ) -> Result<Option<Value<Self::Seen>>, NotFound>;
}

pub(super) struct Value<S> {
    pub value: [Fixed; 2],
    pub derivative: ComplexExp,
    /// Size of what is to be told apart about the root.
    pub unit: FloatExp,
    pub seen: S,
}

/// A root, and what its orbit looks like.
pub(super) struct Root<S> {
    pub c: [Fixed; 2],
    /// The root is no farther from `c` than about this.
    pub error: FloatExp,
    pub unit: FloatExp,
    /// What the last orbit showed, which was not farther from the root than `error`.
    pub seen: S,
}

/// Orbits that come farther from 0 than 2 to this power are not followed.
const FAR: i64 = 16;

/// The orbit of 0 under z² + `c` after that many steps; `visit` sees the number of each step, its point and the orbit there.
/// None where it comes too far from 0.
///
/// # Errors
/// As `before_step`, which is called before each step.
pub(super) fn walk(
    c: &[Fixed; 2],
    steps: u32,
    before_step: &mut dyn FnMut(u32) -> Result<(), NotFound>,
    mut visit: impl FnMut(u32, ComplexExp, &QuadraticOrbit),
) -> Result<Option<QuadraticOrbit>, NotFound> {
    let mut orbit = QuadraticOrbit::of(c.clone());
    for n in 1..=steps {
        before_step(n)?;
        let z = orbit.next_point();
        if z.exponent() > FAR {
            return Ok(None);
        }
        visit(n, z, &orbit);
    }
    Ok(Some(orbit))
}

/// Limbs after the point for numbers that tell apart what is 2^−`bits` wide.
pub(super) fn limbs(bits: f64) -> usize {
    (bits.max(1.0) / 64.0).ceil() as usize
}

/// The root to which Newton's method leads from `start`, an offset from the region's centre; none where it strays.
///
/// # Errors
/// [`NotFound::Cancelled`].
pub(super) fn solve<E: Equation>(
    equation: &E,
    region: &Region,
    start: ComplexExp,
    watch: Watch,
) -> Result<Option<Root<E::Seen>>, NotFound> {
    let period = equation.steps();
    let mut known = Known::nothing(region.radius(), period);
    let mut c = point(region, start, known.limbs());
    let mut before = None;
    let mut patience = Patience::default();
    loop {
        c = c.map(|part| part.with_fraction(known.limbs()));
        let digits = known.digits();
        let at = equation.at(&c, &mut |step| watch.step(step, || Progress::Refining { digits, step, period }))?;
        let Some(Value { value, derivative, unit, seen }) = at else { return Ok(None) };
        if derivative == ComplexExp::ZERO {
            return Ok(None);
        }
        let newton = wide(&value).div(derivative);
        let next = match before.as_ref().and_then(|before| better(newton, [&c, &value], before)) {
            Some(step) => difference(&c, &step),
            None => moved(&c, newton.scaled((-1.0).into())),
        };
        let size = newton.norm();
        let target = unit.mul(FloatExp::power_of_two(-UNIT_BITS));
        if size <= target && known.resolves(target) {
            return Ok(Some(Root { c: next, error: size.max(target), unit, seen }));
        }
        if patience.ends(size) || distance(&next, region).norm() > region.radius().mul(STRAY.into()) {
            return Ok(None);
        }
        before = Some([c, value]);
        c = next;
        known.after_step(size, target);
    }
}

/// What is known of a root, and the bits that the next pass is worth.
struct Known {
    /// Bits for the roundings of an orbit.
    guard: f64,
    /// log₂ of the region's radius.
    radius: f64,
    /// Bits of c below the radius before the next pass, and before the last.
    bits: [f64; 2],
    /// Bits after the point that the next pass is to resolve.
    worth: f64,
}

impl Known {
    fn nothing(radius: FloatExp, steps: u32) -> Self {
        let radius = radius.log2();
        let guard = GUARD_BITS + f64::from(steps).log2();
        Self { guard, radius, bits: [0.0; 2], worth: SLOPE_BITS - radius }
    }

    /// Limbs after the point for the next pass.
    fn limbs(&self) -> usize {
        limbs(self.worth + self.guard)
    }

    /// Whether these limbs resolve what is `target` wide.
    fn resolves(&self, target: FloatExp) -> bool {
        limbs(self.guard - target.log2()) <= self.limbs()
    }

    /// Decimal digits of c after the point.
    fn digits(&self) -> u32 {
        ((self.bits[0] - self.radius) * LOG10_2) as u32
    }

    /// A step was made from a place `size` away from the root, which is to be known to `target`.
    fn after_step(&mut self, size: FloatExp, target: FloatExp) {
        let bits = if size == FloatExp::ZERO { f64::INFINITY } else { self.radius - size.log2() };
        self.bits = [bits, self.bits[0]];
        // A step adds the bits of its slope: those of f64, or those that were known a pass ago.
        let [next_slope, slope] = self.bits.map(|bits| bits.max(SLOPE_BITS));
        self.worth = (bits + slope + next_slope - self.radius).min(-target.log2());
    }
}

/// Passes that bring the root no nearer.
#[derive(Default)]
struct Patience {
    nearest: Option<FloatExp>,
    idle: u32,
}

impl Patience {
    /// Counts a pass that was `size` away from the root; true after too many that came no nearer.
    fn ends(&mut self, size: FloatExp) -> bool {
        if self.nearest.is_none_or(|nearest| size < nearest.mul(0.5.into())) {
            *self = Self { nearest: Some(size), idle: 0 };
        } else {
            self.idle += 1;
        }
        self.idle == MOST_IDLE
    }
}

/// The secant's step, where it agrees with Newton's to the digits that the derivative has: then it has more.
fn better(
    newton: ComplexExp,
    [c, value]: [&[Fixed; 2]; 2],
    [c_before, value_before]: &[[Fixed; 2]; 2],
) -> Option<[Fixed; 2]> {
    let widened = |number: &[Fixed; 2]| number.each_ref().map(|part| part.with_fraction(c[0].fraction()));
    let (run, rise) = (difference(c, &widened(c_before)), difference(value, &widened(value_before)));
    let slope = wide(&rise);
    if slope == ComplexExp::ZERO || !agree(newton, wide(value).mul(wide(&run)).div(slope)) {
        return None;
    }
    // f(c) · (c − c′) / (f(c) − f(c′)).
    fixed_quotient(value, &run, &rise)
}

/// To the digits of a derivative in f64.
fn agree(a: ComplexExp, b: ComplexExp) -> bool {
    a.sub(b).norm() <= a.norm().mul(FloatExp::power_of_two(-(SLOPE_BITS as i64)))
}

/// The point at `offset` from the region's centre.
pub(super) fn point(region: &Region, offset: ComplexExp, fraction: usize) -> [Fixed; 2] {
    moved(&fixed_center(region, fraction), offset)
}

fn fixed_center(region: &Region, fraction: usize) -> [Fixed; 2] {
    let center = region.center();
    [center.re.to_fixed(fraction), center.im.to_fixed(fraction)]
}

/// From the region's centre to `c`.
pub(super) fn distance(c: &[Fixed; 2], region: &Region) -> ComplexExp {
    wide(&difference(c, &fixed_center(region, c[0].fraction())))
}

/// To the digits of f64.
fn wide(number: &[Fixed; 2]) -> ComplexExp {
    ComplexExp::from_parts(number[0].to_float_exp(), number[1].to_float_exp())
}

fn moved(c: &[Fixed; 2], by: ComplexExp) -> [Fixed; 2] {
    let [re, im] = by.parts();
    let mut moved = c.clone();
    for (part, by) in moved.iter_mut().zip([re, im]) {
        part.add(&Fixed::from_float_exp(by, part.fraction()));
    }
    moved
}

fn difference(a: &[Fixed; 2], b: &[Fixed; 2]) -> [Fixed; 2] {
    let mut difference = a.clone();
    difference.iter_mut().zip(b).for_each(|(a, b)| a.sub(b));
    difference
}
