//! Orbits in big numbers: one step at a time, and how the images of neighbouring points spread on the way.

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
    z: [Fixed; 2],
    value: ComplexExp,
    /// dZ/dC.
    derivative: ComplexExp,
    /// x², y² and (x + y)² in turn, and room for what is squared.
    squares: [Fixed; 3],
    sum: Fixed,
}

impl QuadraticOrbit {
    /// At z = 0, with `limbs` limbs after the point; both parts of `c` are at most 2.
    pub fn new(c: &BigComplex, limbs: usize) -> Self {
        Self::of([c.re.to_fixed(limbs), c.im.to_fixed(limbs)])
    }

    /// The same for a `c` in fixed point, at its width.
    pub fn of(c: [Fixed; 2]) -> Self {
        let zero = || Fixed::zero(c[0].fraction());
        Self {
            z: [zero(), zero()],
            value: ComplexExp::ZERO,
            derivative: ComplexExp::ZERO,
            squares: [zero(), zero(), zero()],
            sum: zero(),
            c,
        }
    }

    /// The next point, its parts to the digits of the larger.
    pub fn next_point(&mut self) -> ComplexExp {
        self.step();
        self.value
    }

    /// z with all its digits.
    pub fn z(&self) -> &[Fixed; 2] {
        &self.z
    }

    /// dz/dc.
    pub fn derivative(&self) -> ComplexExp {
        self.derivative
    }
}

impl BigOrbit for QuadraticOrbit {
    /// x′ = x² − y² + c.re, y′ = (x + y)² − x² − y² + c.im: three squares, which cost less than products.
    fn step(&mut self) -> Complex<FloatExp> {
        let Self { c, z: [x, y], value, derivative, squares: [x_sq, y_sq, sum_sq], sum } = self;
        *derivative = value.doubled().mul(*derivative).add(ComplexExp::ONE);
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
        let [x, y] = [&*x, &*y].map(Fixed::to_float_exp);
        *value = ComplexExp::from_parts(x, y);
        Complex::new(x, y)
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
