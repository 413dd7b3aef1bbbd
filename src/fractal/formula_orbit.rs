//! Orbits in big numbers of any formula that tells its step, over either of its planes.

use super::big_orbit::BigOrbit;
use super::big_point::BigPoint;
use super::formula::Followed;
use crate::math::{BigComplex, Complex, Fixed, FloatExp, Matrix};

/// How far out an orbit may be: the sixth power of twice as much is within the range of [`Fixed`].
pub const FARTHEST: f64 = 16.0;

/// Which of a formula's planes neighbours lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// They have a c of their own.
    Parameter,
    /// They have a z_0 of their own.
    Dynamical,
}

/// The orbit of a point under z ↦ f(z) + c.
pub struct FormulaOrbit<F> {
    z: BigPoint,
    c: [Fixed; 2],
    value: Complex<FloatExp>,
    /// How z_n moves with the coordinate in which neighbours differ.
    spread: Matrix<FloatExp>,
    neighbours: Neighbours,
    formula: std::marker::PhantomData<F>,
}

impl<F: Followed> FormulaOrbit<F> {
    /// Of `start`, with `fraction` limbs after the point. Neither |start| nor |c| is above [`FARTHEST`], and no step is
    /// asked for after one that led farther out.
    pub fn new(start: &BigComplex, c: &BigComplex, fraction: usize, neighbours: Neighbours) -> Self {
        let z = BigPoint::new(start, fraction);
        let spread = match neighbours {
            Neighbours::Parameter => Matrix::ZERO,
            Neighbours::Dynamical => Matrix::IDENTITY,
        };
        let value = z.value();
        let c = [c.re.to_fixed(fraction), c.im.to_fixed(fraction)];
        Self { z, c, value, spread, neighbours, formula: std::marker::PhantomData }
    }

    /// Where it is.
    pub fn value(&self) -> Complex<FloatExp> {
        self.value
    }
}

impl<F: Followed> BigOrbit for FormulaOrbit<F> {
    fn step(&mut self) -> Complex<FloatExp> {
        self.spread = F::tangent(self.value).after(&self.spread);
        if self.neighbours == Neighbours::Parameter {
            self.spread = self.spread.plus(&Matrix::IDENTITY);
        }
        F::big_step(&mut self.z);
        self.z.add(&self.c);
        self.value = self.z.value();
        self.value
    }

    fn images_hold_zero(&self, radius: FloatExp) -> bool {
        self.spread.solve(self.value).is_some_and(|from| from.extent() < radius)
    }

    fn spread(&self) -> FloatExp {
        self.spread.norm()
    }

    fn growth(&self, cycle: &[Complex]) -> FloatExp {
        let turn = |linear: Matrix<FloatExp>, &z: &Complex| F::tangent(Complex::from(z)).after(&linear);
        cycle.iter().fold(Matrix::IDENTITY, turn).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractal::formula::{BurningShip, Quadratic};

    fn big(re: &str, im: &str) -> BigComplex {
        BigComplex::new(re.parse().unwrap(), im.parse().unwrap())
    }

    #[test]
    fn nuclei_among_the_neighbours_are_seen() {
        // (orbit of c = −1.75488, whose nucleus of period 3 is 3.3e-6 away; radius, whether it is within)
        let origin = big("0", "0");
        for (radius, expected) in [(1e-6, false), (1e-5, true)] {
            let c = big("-1.75488", "0");
            let mut orbit = FormulaOrbit::<Quadratic>::new(&origin, &c, 2, Neighbours::Parameter);
            let found = (0..3).map(|_| {
                orbit.step();
                orbit.images_hold_zero(radius.into())
            });
            assert_eq!(found.last(), Some(expected), "radius {radius}");
        }
    }

    #[test]
    fn orbits_of_the_other_plane_start_where_they_are_asked_to() {
        let mut orbit =
            FormulaOrbit::<BurningShip>::new(&big("-0.5", "0.25"), &big("0.125", "-1"), 2, Neighbours::Dynamical);
        assert_eq!(orbit.value().to_f64(), Complex::new(-0.5, 0.25));
        // (0.5 + 0.25i)² + c = 0.1875 + 0.25i + c
        assert_eq!(orbit.step().to_f64(), Complex::new(0.3125, -0.75));
        assert_eq!(orbit.spread.to_f64(), Matrix([[-1.0, -0.5], [-0.5, 1.0]]));
    }
}
