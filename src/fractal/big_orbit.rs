//! Orbits in big numbers: one step at a time, and how the images of neighbouring points spread on the way.

use super::big_point::BigPoint;
use crate::math::{BigComplex, Complex, ComplexExp, Fixed, FloatExp};

/// An orbit at the precision that a reference needs.
pub trait BigOrbit: Send {
    /// The next point, rounded.
    fn step(&mut self) -> Complex<FloatExp>;

    /// Whether 0 lies among the images of points within `radius` of the centre, by the derivative.
    fn images_hold_zero(&self, radius: FloatExp) -> bool;

    /// How far the images of neighbouring points are apart, in units of those points' distance.
    fn spread(&self) -> FloatExp;

    /// The factor by which distances grow on the way round a cycle, at most.
    fn growth(&self, cycle: &[Complex]) -> FloatExp;
}

/// z ↦ z² + c in fixed point.
pub struct QuadraticOrbit {
    c: [Fixed; 2],
    z: BigPoint,
    value: ComplexExp,
    /// dZ/dC.
    derivative: ComplexExp,
}

impl QuadraticOrbit {
    /// At z = 0, with `limbs` limbs after the point; both parts of `c` are at most 2.
    pub fn new(c: &BigComplex, limbs: usize) -> Self {
        Self::of([c.re.to_fixed(limbs), c.im.to_fixed(limbs)])
    }

    /// The same for a `c` in fixed point, at its width.
    pub fn of(c: [Fixed; 2]) -> Self {
        let z = BigPoint::origin(c[0].fraction());
        Self { z, value: ComplexExp::ZERO, derivative: ComplexExp::ZERO, c }
    }

    /// The next point, its parts to the digits of the larger.
    pub fn next_point(&mut self) -> ComplexExp {
        self.step();
        self.value
    }

    /// z with all its digits.
    pub fn z(&self) -> [&Fixed; 2] {
        self.z.parts()
    }

    /// dz/dc.
    pub fn derivative(&self) -> ComplexExp {
        self.derivative
    }
}

impl BigOrbit for QuadraticOrbit {
    fn step(&mut self) -> Complex<FloatExp> {
        self.derivative = self.value.doubled().mul(self.derivative).add(ComplexExp::ONE);
        self.z.square();
        self.z.add(&self.c);
        let value = self.z.value();
        self.value = ComplexExp::from_parts(value.re, value.im);
        value
    }

    fn images_hold_zero(&self, radius: FloatExp) -> bool {
        self.value.size() < radius.mul(self.derivative.size())
    }

    fn spread(&self) -> FloatExp {
        self.derivative.size()
    }

    fn growth(&self, cycle: &[Complex]) -> FloatExp {
        cycle.iter().fold(FloatExp::from(1.0), |product, z| product.mul((2.0 * z.norm()).into()))
    }
}
