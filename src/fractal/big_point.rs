//! A point in big numbers, and the operations that formulas are made of there.

use crate::math::{BigComplex, Complex, Fixed, FloatExp};

/// A point in fixed point, with room to compute its powers in.
pub struct BigPoint {
    re: Fixed,
    im: Fixed,
    room: [Fixed; 6],
}

impl BigPoint {
    pub fn new(value: &BigComplex, fraction: usize) -> Self {
        Self { re: value.re.to_fixed(fraction), im: value.im.to_fixed(fraction), ..Self::origin(fraction) }
    }

    /// 0.
    pub fn origin(fraction: usize) -> Self {
        let zero = || Fixed::zero(fraction);
        Self { re: zero(), im: zero(), room: std::array::from_fn(|_| zero()) }
    }

    /// Both parts with all their digits.
    pub fn parts(&self) -> [&Fixed; 2] {
        [&self.re, &self.im]
    }

    pub fn value(&self) -> Complex<FloatExp> {
        Complex::new(self.re.to_float_exp(), self.im.to_float_exp())
    }

    pub fn add(&mut self, [re, im]: &[Fixed; 2]) {
        self.re.add(re);
        self.im.add(im);
    }

    /// z̄.
    pub fn conjugate(&mut self) {
        self.im.negate();
    }

    /// |Re z| + i·|Im z|.
    pub fn take_moduli(&mut self) {
        self.re.make_positive();
        self.im.make_positive();
    }

    /// zⁿ, for n ≥ 2.
    pub fn raise(&mut self, n: u32) {
        let [base_re, base_im, ..] = &mut self.room;
        base_re.copy_from(&self.re);
        base_im.copy_from(&self.im);
        // The bits of n from the second highest on: square, and once more times z where one is set.
        for bit in (0..n.ilog2()).rev() {
            self.square();
            if n >> bit & 1 == 1 {
                self.multiply();
            }
        }
    }

    /// z², as x² − y² and (x + y)² − x² − y²: three squares, which cost less than products.
    pub fn square(&mut self) {
        let Self { re, im, room: [_, _, re_sq, im_sq, sum, sum_sq] } = self;
        sum.copy_from(re);
        sum.add(im);
        re_sq.set_square(re);
        im_sq.set_square(im);
        sum_sq.set_square(sum);
        re.copy_from(re_sq);
        re.sub(im_sq);
        im.copy_from(sum_sq);
        im.sub(re_sq);
        im.sub(im_sq);
    }

    /// Times the number that [`raise`](Self::raise) was called on.
    fn multiply(&mut self) {
        let Self { re, im, room: [base_re, base_im, a, b, c, d] } = self;
        a.set_product(re, base_re);
        b.set_product(im, base_im);
        c.set_product(re, base_im);
        d.set_product(im, base_re);
        re.copy_from(a);
        re.sub(b);
        im.copy_from(c);
        im.add(d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(re: &str, im: &str) -> BigComplex {
        BigComplex::new(re.parse().unwrap(), im.parse().unwrap())
    }

    #[test]
    fn powers_are_products() {
        let z = big("-0.7", "0.6");
        let mut expected = (z.re.clone(), z.im.clone());
        for n in 2..=9 {
            let (re, im) = &expected;
            expected = (&(re * &z.re) - &(im * &z.im), &(re * &z.im) + &(im * &z.re));
            let mut power = BigPoint::new(&z, 4);
            power.raise(n);
            for (got, exact) in [(power.re, &expected.0), (power.im, &expected.1)] {
                let mut off = exact.to_fixed(4);
                off.sub(&got);
                assert!(
                    off.to_float_exp().abs() < FloatExp::new(1.0, -240),
                    "power {n}: off by {}",
                    off.to_float_exp()
                );
            }
        }
    }
}
