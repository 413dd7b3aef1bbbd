//! What a formula must tell so that its orbits can be followed as differences from one of them, and the parts that such
//! answers are made of: powers, and the ways that a plane is folded before them.

use super::Formula;
use crate::fractal::big_point::BigPoint;
use crate::math::{Complex, Matrix, Scalar};

/// A formula whose views may be deeper than f64: z ↦ f(z) + c with f(0) = 0.
///
/// Everything is without c, which adds to z as it is.
pub trait Followed: Formula {
    /// f(`z` + `delta`) − f(`z`), to as many digits as `delta` has.
    fn delta_step<R: Scalar>(z: Complex<R>, delta: Complex<R>) -> Complex<R>;

    /// The derivative of f at `z`, as a map of the plane.
    fn tangent<R: Scalar>(z: Complex<R>) -> Matrix<R>;

    /// The largest |δ| of either part for which [`tangent`](Self::tangent) stands for [`delta_step`](Self::delta_step) at `z`, but
    /// for a share of about `epsilon`.
    fn linear_reach<R: Scalar>(z: Complex<R>, epsilon: f64) -> R;

    /// f(`z`), in big numbers.
    fn big_step(z: &mut BigPoint);
}

/// (z + δ)ⁿ − zⁿ = δ·((z + δ)ⁿ⁻¹ + (z + δ)ⁿ⁻²·z + … + zⁿ⁻¹), for n ≥ 2.
#[inline(always)]
pub(super) fn power_step<R: Scalar>(n: u32, z: Complex<R>, delta: Complex<R>) -> Complex<R> {
    let moved = z.plus(delta);
    let (mut sum, mut power) = (z.plus(moved), z);
    for _ in 2..n {
        power = power.times(z);
        sum = sum.times(moved).plus(power);
    }
    delta.times(sum)
}

/// n·zⁿ⁻¹, for n ≥ 2.
#[inline(always)]
pub(super) fn power_slope<R: Scalar>(n: u32, z: Complex<R>) -> Complex<R> {
    let power = (2..n).fold(z, |power, _| power.times(z));
    power.stretched(R::of(n.into()))
}

/// |δ| up to which the second term of (z + δ)ⁿ − zⁿ, (n − 1)/2·δ/z of the first, is a share of at most `epsilon`.
#[inline(always)]
pub(super) fn power_reach<R: Scalar>(n: u32, z: Complex<R>, epsilon: f64) -> R {
    z.extent().product(R::of(epsilon / f64::from(n - 1)))
}

/// |x + δ| − |x|, without cancellation.
#[inline(always)]
pub(super) fn modulus_step<R: Scalar>(x: R, delta: R) -> R {
    let moved = x.sum(delta);
    match (x.is_negative(), moved.is_negative()) {
        (false, false) => delta,
        (true, true) => delta.opposite(),
        (false, true) => x.sum(moved).opposite(),
        (true, false) => x.sum(moved),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractal::FormulaId;
    use crate::fractal::formula::FollowedVisitor;
    use crate::math::{BigComplex, Decimal, FloatExp};

    /// Points on either side of the axes and on them, and differences across the axes.
    fn pairs() -> impl Iterator<Item = (Complex, Complex)> {
        let points = [(0.5, 0.25), (-1.5, 0.125), (0.75, -1.0), (-0.5, -0.5), (1.0, 0.0), (0.0, -1.25)];
        let deltas = [(0.25, 0.5), (-1.0, 0.0625), (1.75, 2.0), (0.0, -0.5), (-0.0078125, 0.0)];
        let point = |(re, im)| Complex::new(re, im);
        points.into_iter().flat_map(move |z| deltas.map(|delta| (point(z), point(delta))))
    }

    fn for_each_followed(visitor: impl FollowedVisitor<Output = ()> + Copy) {
        assert!(FormulaId::ALL.iter().all(|id| id.visit_followed(visitor).is_some()));
    }

    #[test]
    fn delta_steps_are_differences_of_steps() {
        #[derive(Clone, Copy)]
        struct Check;
        impl FollowedVisitor for Check {
            type Output = ();
            fn visit<F: Followed>(self) {
                let c = Complex::new(0.0, 0.0);
                for (z, delta) in pairs() {
                    let expected = F::step(z.add(delta), c).sub(F::step(z, c));
                    let got = F::delta_step(z, delta);
                    assert!(got.sub(expected).norm() < 1e-12, "{}: {z:?} + {delta:?}: {got:?}", F::KEY);
                    let wide = F::delta_step::<FloatExp>(z.into(), delta.into()).to_f64();
                    assert!(got.sub(wide).norm() <= 1e-14 * got.norm(), "{}: {wide:?}, not {got:?}", F::KEY);
                }
            }
        }
        for_each_followed(Check);
    }

    #[test]
    fn tangents_stand_for_small_delta_steps() {
        #[derive(Clone, Copy)]
        struct Check;
        impl FollowedVisitor for Check {
            type Output = ();
            fn visit<F: Followed>(self) {
                let epsilon = 1e-6;
                for (z, direction) in pairs() {
                    let reach = F::linear_reach(z, epsilon);
                    let delta = direction.scaled(0.99 * reach / direction.extent());
                    let (exact, linear) = (F::delta_step(z, delta), F::tangent(z).apply(delta));
                    let off = exact.sub(linear).norm();
                    assert!(off <= 3.0 * epsilon * exact.norm(), "{} at {z:?}, {delta:?}: {off:e}", F::KEY);
                }
            }
        }
        for_each_followed(Check);
    }

    #[test]
    fn steps_in_big_numbers_are_those_of_f64() {
        #[derive(Clone, Copy)]
        struct Check;
        impl FollowedVisitor for Check {
            type Output = ();
            fn visit<F: Followed>(self) {
                for (z, _) in pairs() {
                    let big = BigComplex::new(Decimal::from_f64(z.re), Decimal::from_f64(z.im));
                    let mut point = BigPoint::new(&big, 2);
                    F::big_step(&mut point);
                    let expected = F::step(z, Complex::new(0.0, 0.0));
                    let off = point.value().to_f64().sub(expected).norm();
                    assert!(off < 1e-14, "{} at {z:?}: {:?}, not {expected:?}", F::KEY, point.value());
                }
            }
        }
        for_each_followed(Check);
    }
}
