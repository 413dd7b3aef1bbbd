//! Real 2 × 2 matrices: what a map of the plane does to small distances, whether or not it keeps angles.

use super::{Complex, FloatExp, Scalar};

/// (x, y) ↦ (a·x + b·y, c·x + d·y), row by row: `[[a, b], [c, d]]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix<R = f64>(pub [[R; 2]; 2]);

impl<R: Scalar> Matrix<R> {
    pub const ZERO: Self = Self([[R::ZERO; 2]; 2]);
    pub const IDENTITY: Self = Self([[R::ONE, R::ZERO], [R::ZERO, R::ONE]]);

    /// Multiplication by a complex number.
    #[inline(always)]
    pub fn of_complex(z: Complex<R>) -> Self {
        Self([[z.re, z.im.opposite()], [z.im, z.re]])
    }

    #[inline(always)]
    pub fn apply(&self, z: Complex<R>) -> Complex<R> {
        let row = |[a, b]: [R; 2]| a.product(z.re).sum(b.product(z.im));
        Complex::new(row(self.0[0]), row(self.0[1]))
    }

    /// First `first`, then this.
    pub fn after(&self, first: &Self) -> Self {
        let [[e, f], [g, h]] = first.0;
        let row = |[a, b]: [R; 2]| [a.product(e).sum(b.product(g)), a.product(f).sum(b.product(h))];
        Self(self.0.map(row))
    }

    pub fn plus(&self, other: &Self) -> Self {
        let [[a, b], [c, d]] = self.0;
        let [[e, f], [g, h]] = other.0;
        Self([[a.sum(e), b.sum(f)], [c.sum(g), d.sum(h)]])
    }

    pub fn stretched(&self, factor: R) -> Self {
        Self(self.0.map(|row| row.map(|x| x.product(factor))))
    }

    /// The larger sum of sizes of a row: by how much [`Complex::extent`] can grow.
    pub fn norm(&self) -> R {
        let row = |[a, b]: [R; 2]| a.magnitude().sum(b.magnitude());
        row(self.0[0]).larger(row(self.0[1]))
    }
}

impl Matrix<FloatExp> {
    /// What it takes to `z`; none where it flattens the plane.
    pub fn solve(&self, z: Complex<FloatExp>) -> Option<Complex<FloatExp>> {
        let [[a, b], [c, d]] = self.0;
        let determinant = a.mul(d).sub(b.mul(c));
        if determinant == FloatExp::ZERO {
            return None;
        }
        let over = |x: FloatExp| x.div(determinant);
        Some(Complex::new(over(d.mul(z.re).sub(b.mul(z.im))), over(a.mul(z.im).sub(c.mul(z.re)))))
    }

    /// The nearest f64 to each entry: infinite above their range, zero below.
    pub fn to_f64(&self) -> Matrix {
        Matrix(self.0.map(|row| row.map(FloatExp::to_f64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_of_complex_numbers_multiply_as_these_do() {
        let [p, q, z] = [(1.5, -2.0), (0.25, 3.0), (-1.0, 0.5)].map(|(re, im)| Complex::new(re, im));
        let [a, b] = [p, q].map(Matrix::of_complex);
        assert_eq!(a.apply(z), p.mul(z));
        assert_eq!(a.after(&b), Matrix::of_complex(p.mul(q)));
        assert_eq!(a.plus(&b), Matrix::of_complex(p.add(q)));
        assert_eq!(a.norm(), 3.5);
    }

    #[test]
    fn solutions_are_taken_to_what_was_asked() {
        let wide = Matrix([[2.0, 1.0], [-0.5, 3.0]].map(|row| row.map(FloatExp::from)));
        let z = Complex::new(FloatExp::new(1.0, -3000), FloatExp::from(0.0));
        let x = wide.solve(z).unwrap();
        let back = wide.apply(x);
        assert!(back.re.sub(z.re).abs() < FloatExp::new(1.0, -3050) && back.im.abs() < FloatExp::new(1.0, -3050));
        assert_eq!(Matrix::<FloatExp>::ZERO.solve(z), None);
    }
}
