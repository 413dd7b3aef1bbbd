//! Pairs of f64: twice the digits for the price of a few operations.
//!
//! Source: Dekker, "A floating-point technique for extending the available precision" (1971), with
//! fused multiply-add for the products.

/// The sum `high + low`, where `low` is what rounding `high` lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleDouble {
    pub high: f64,
    pub low: f64,
}

impl DoubleDouble {
    /// `self + k · step`, and a bound on its error; `k` is a whole number.
    ///
    /// The parts must stay far from the ends of the range of f64.
    pub fn plus_multiple(self, k: f64, step: Self) -> (Self, f64) {
        let product = k * step.high;
        let product_low = k.mul_add(step.high, -product) + k * step.low;
        let (high, sum_low) = two_sum(self.high, product);
        let (high, low) = two_sum(high, sum_low + (self.low + product_low));
        // Each of the few roundings loses at most 2⁻⁵³ of a low part, which is 2⁻⁵³ of a high one.
        (Self { high, low }, 2f64.powi(-102) * (self.high.abs() + product.abs()))
    }

    /// The nearest f64 to any number within `error` of this one; none where that is not certain.
    pub fn rounded(self, error: f64) -> Option<f64> {
        let (above, below) = (self.high + (self.low + error), self.high + (self.low - error));
        (above == below).then_some(above)
    }
}

/// The rounded sum and what was lost, exactly.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_what_one_float_loses() {
        let tenth = DoubleDouble { high: 0.1, low: -5.551115123125783e-18 };
        let (sum, error) = DoubleDouble { high: 1.0, low: 0.0 }.plus_multiple(-10.0, tenth);
        assert!(sum.high.abs() < 1e-32 && error < 1e-29);
        let (sum, error) = DoubleDouble { high: 0.2, low: -1.1102230246251565e-17 }.plus_multiple(1.0, tenth);
        assert_eq!(sum.rounded(error), Some(0.3), "0.2 + 0.1, which plain f64 misses");
    }

    #[test]
    fn ties_are_not_guessed() {
        let tie = DoubleDouble { high: 1.0, low: f64::EPSILON / 2.0 };
        assert_eq!(tie.rounded(1e-30), None);
        assert_eq!(tie.rounded(0.0), Some(1.0));
    }
}
