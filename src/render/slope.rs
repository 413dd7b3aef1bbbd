//! How far the set is from a sample, and which way it lies.

use bytemuck::{Pod, Zeroable};

use crate::math::{Complex, log2};

/// The slope of a sample's escape, in pixels and so the same at every depth: what lies beside its [`Sample`](super::Sample).
///
/// With ∇|z_n| for the way that |z_n| changes from pixel to pixel, at the step n of escape, it holds
/// |z_n| ln|z_n| / |∇|z_n|| and the direction of ∇|z_n|. Where z_n has a complex derivative D by the pixel, x to the right
/// and y upwards, these are |z_n| ln|z_n| / |D| and the direction of z_n / D.
///
/// Source: Milnor, "Dynamics in One Complex Variable", appendix G; Heiland-Allen, "Distance estimation" (mathr.co.uk), for
/// maps without a complex derivative.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Slope {
    /// An estimate of the distance to the set, in pixels: of a connected set's true distance, half to twice. 0 inside.
    pub distance: f32,
    /// The unit vector away from the set, x to the right and y upwards in the picture; 0 inside.
    pub direction: [f32; 2],
}

impl Slope {
    /// Of a point that never escapes.
    pub const INTERIOR: Self = Self { distance: 0.0, direction: [0.0; 2] };

    /// Of an orbit that escapes to `z`, |z| > 1, where z changes by `across` from a pixel to the next on its right, and by
    /// `up` to the one above.
    ///
    /// Where |z| does not change at all, as at a critical point, the distance is the largest number; where it changes
    /// beyond all numbers, it is 0. Then there is no direction.
    #[inline(always)]
    pub fn new(z: Complex, [across, up]: [Complex; 2]) -> Self {
        let norm_sq = z.re * z.re + z.im * z.im;
        let log_norm = log2(norm_sq.min(f64::MAX)) * (std::f64::consts::LN_2 / 2.0);
        // |z| times the gradient of |z|.
        let gradient = Complex::new(z.re * across.re + z.im * across.im, z.re * up.re + z.im * up.im);
        let steepness = gradient.norm();
        if !steepness.is_finite() {
            return Self::INTERIOR;
        }
        // 0 is for points inside.
        let distance = (norm_sq * log_norm / steepness).min(f32::MAX.into()) as f32;
        let distance = distance.max(f32::MIN_POSITIVE);
        let direction = if steepness > 0.0 { gradient.scaled(steepness.recip()) } else { Complex::default() };
        Self { distance, direction: [direction.re as f32, direction.im as f32] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_complex_derivative() {
        let (z, d) = (Complex::new(-800.0, 900.0), Complex::new(3.0, -40.0));
        let got = Slope::new(z, [d, d.mul(Complex::new(0.0, 1.0))]);
        let distance = z.norm() * z.norm().ln() / d.norm();
        assert!((f64::from(got.distance) / distance - 1.0).abs() < 1e-7, "{got:?}, not {distance}");
        let away = z.div(d);
        let away = away.scaled(away.norm().recip());
        assert!((f64::from(got.direction[0]) - away.re).abs() < 1e-7, "{got:?}, not {away:?}");
        assert!((f64::from(got.direction[1]) - away.im).abs() < 1e-7, "{got:?}, not {away:?}");
    }

    #[test]
    fn no_slope_is_not_a_number() {
        let z = Complex::new(1e3, 1.0);
        for (z, size, distance) in [(z, 0.0, f32::MAX), (z, f64::INFINITY, 0.0), (z, f64::NAN, 0.0)] {
            let spread = Complex::new(size, 0.0);
            assert_eq!(Slope::new(z, [spread; 2]), Slope { distance, ..Slope::INTERIOR });
        }
        let gone = Slope::new(Complex::new(f64::INFINITY, f64::NAN), [Complex::new(1.0, 1.0); 2]);
        assert_eq!(gone, Slope::INTERIOR);
    }
}
