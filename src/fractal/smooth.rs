//! The smooth iteration count: whole escape counts, joined without steps.
//!
//! Source: Linas Vepstas, "Renormalizing the Mandelbrot Escape".

use crate::math::{Binary64, log2};

/// Turns |z_n|² at escape into the fraction ν − n of the smooth iteration count.
///
/// ν = n + 1 − log_d(ln|z_n| / ln R). Where n changes, a jump of at most about
/// |c| / (R² ln R² ln d) is left: up to 1 at R = 2, 4e-5 at R = 100.
///
/// Only additions and (fused) multiplications are used, in one order, so that scalars and vectors
/// of any width, on any machine, agree in every bit. The absolute error is below 2e-7.
#[derive(Clone, Copy, Debug)]
pub struct Smooth {
    inverse_log2_bailout_sq: f64,
    inverse_log2_degree: f64,
}

impl Smooth {
    /// `bailout` is R ≥ 2, `degree` the degree d of the map.
    pub fn new(bailout: f64, degree: f64) -> Self {
        Self { inverse_log2_bailout_sq: (2.0 * log2(bailout)).recip(), inverse_log2_degree: log2(degree).recip() }
    }

    /// ν − n, at most 1, of |z_n|² > R².
    #[inline(always)]
    pub fn fraction<R: Binary64>(&self, norm_sq: R) -> R {
        // An orbit may leap past the range of f64 in its last step; the fraction is then below any use.
        let log = log2(norm_sq.at_most(f64::MAX));
        let ratio = log.mul(log.same(self.inverse_log2_bailout_sq));
        log2(ratio).neg_mul_add(log.same(self.inverse_log2_degree), log.same(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_count_meets_itself_at_band_edges() {
        let r2 = 1e6_f64;
        // (n, |z_n|², degree, expected ν, why)
        for (n, norm_sq, degree, expected, why) in [
            (10, r2, 2.0, 11.0, "just past the bailout"),
            (11, r2 * r2, 2.0, 11.0, "the same point one iteration later"),
            (11, r2.powi(3), 3.0, 11.0, "degree 3 cubes the radius"),
        ] {
            let got = f64::from(n) + Smooth::new(1000.0, degree).fraction(norm_sq);
            assert!((got - expected).abs() < 1e-7, "{why}: got {got}, expected {expected}");
        }
    }

    #[test]
    fn fractions_are_those_of_the_library_logarithms() {
        for bailout in [2.0, 3.0, 1000.0, 1e100] {
            let smooth = Smooth::new(bailout, 2.0);
            for i in 0..10_000 {
                // From the bailout itself to its cube, and past the end of f64.
                let norm_sq = (bailout * bailout).powf(1.0 + f64::from(i) / 5000.0);
                let expected = 1.0 - (norm_sq.min(f64::MAX).ln() / (2.0 * bailout.ln())).log2();
                let got = smooth.fraction(norm_sq);
                assert!((got - expected).abs() < 2e-7, "R = {bailout}, |z|² = {norm_sq}: got {got}, not {expected}");
            }
            assert!(smooth.fraction(f64::NAN).is_finite() && smooth.fraction(f64::INFINITY).is_finite());
        }
    }
}
