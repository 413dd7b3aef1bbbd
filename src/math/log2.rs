//! The binary logarithm, for scalars and vectors alike.
//!
//! Only additions and (fused) multiplications are used, in one order, so that it is the same number on every machine, which
//! the logarithm of a system's library is not.

use super::Binary64;

/// log₂ x of a positive normal number, with an absolute error below 1e-8; exact at powers of two.
#[inline(always)]
pub fn log2<R: Binary64>(x: R) -> R {
    let (exponent, significand) = x.exponent_and_significand();
    let t = significand.sub(x.same(1.0));
    let [highest, lower @ ..] = LOG2_COEFFICIENTS;
    let polynomial = lower.iter().fold(x.same(highest), |sum, &coefficient| sum.mul_add(t, x.same(coefficient)));
    polynomial.mul_add(t, exponent)
}

/// P of degree 8 with the least |t·P(t) − log2(1 + t)| for √½ ≤ 1 + t ≤ √2, which is 6.7e-9 (least
/// squares on Chebyshev nodes, reweighted until the error is even); highest power first.
#[allow(clippy::approx_constant)] // The last one is near log₂ e, and better than it here.
const LOG2_COEFFICIENTS: [f64; 9] = [
    0.1254124182778729,
    -0.21030333514020594,
    0.21737938674390725,
    -0.23851943830105846,
    0.2876566747284467,
    -0.3607211953031514,
    0.4809225289285276,
    -0.7213471284694668,
    1.4426948685556544,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_librarys_logarithm() {
        for i in 0..20_000 {
            let x = 2_f64.powf(f64::from(i - 10_000) / 10.0 + 0.03);
            assert!((log2(x) - x.log2()).abs() < 1e-8, "log₂ {x} is {}, not {}", log2(x), x.log2());
        }
        assert_eq!([0.25, 1.0, 8.0].map(log2), [-2.0, 0.0, 3.0]);
    }
}
