//! Where the orbit of 0 under z² + c ends.
//!
//! A quadratic polynomial has at most one attracting cycle, and the orbit of 0 is drawn to it (Fatou). A cycle that
//! attracts is the attractor, however early it was found; so cycles are looked for after a few steps, and again after
//! many, which is where most of the time is saved.

use super::cycle::{self, Cycle};
use super::system::{ComplexQuadratic, System as _};
use crate::math::Complex;

/// Where a critical orbit ends, as far as [`TRANSIENTS`] show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// Outside.
    Escaped,
    /// On a cycle, attracting or neutral.
    Cycle(Cycle<Complex>),
    /// At this point, and on no cycle that was found: chaos on the real line, else on or close to the boundary of
    /// the Mandelbrot set.
    Unsettled(Complex),
}

/// Steps before each look for a cycle.
pub const TRANSIENTS: [u32; 3] = [64, 512, 4096];
/// Longest cycle looked for.
pub const MOST_PERIOD: u32 = 128;

/// Where the orbit of 0 ends, and the steps that it took, searches not counted.
///
/// For the conjugate of `c` it is the conjugate, bit for bit.
#[inline(always)]
pub fn end(system: &ComplexQuadratic) -> (End, u32) {
    let (mut z, mut steps) = (Complex::new(0.0, 0.0), 0);
    for until in TRANSIENTS {
        while steps < until {
            steps += 1;
            z = system.step(z);
            if system.has_escaped(z) {
                return (End::Escaped, steps);
            }
        }
        if let Some(cycle) = cycle::search(system, z, MOST_PERIOD) {
            return (End::Cycle(cycle), steps);
        }
    }
    (End::Unsettled(z), steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractal::cycle::Stability;

    fn end_of(re: f64, im: f64) -> End {
        end(&ComplexQuadratic { c: Complex::new(re, im) }).0
    }

    #[test]
    fn early_looks_find_the_cycles_that_there_are() {
        // (c, period, why)
        for (re, im, period, why) in [
            (0.0, 0.0, 1, "superstable"),
            (0.2499, 0.0, 1, "slow, by the cusp"),
            (-0.7499, 0.0, 1, "slow, by the fork"),
            (-1.0, 0.2, 2, "in the disc of period 2"),
            (-0.122_561_166_876_654, 0.744_861_766_619_744, 3, "the rabbit's nucleus"),
            (-1.754_877_666_246_693, 0.0, 3, "nucleus of the real window"),
            (-1.940_799_806_529_485, 0.0, 4, "nucleus of the last of period 4"),
        ] {
            let End::Cycle(cycle) = end_of(re, im) else { panic!("{re} + {im}i: no cycle; {why}") };
            assert_eq!((cycle.period, cycle.stability()), (period, Stability::Attracting), "{re} + {im}i: {why}");
        }
        assert_eq!(end_of(0.3, 0.0), End::Escaped);
        assert!(matches!(end_of(-1.9, 0.0), End::Unsettled(z) if z.im == 0.0), "chaos stays on the line");
    }

    #[test]
    fn conjugate_parameters_have_conjugate_ends() {
        let conjugate = |z: Complex| Complex::new(z.re, -z.im);
        for k in 0..400 {
            let (re, im) = (-1.6 + 0.005 * f64::from(k), 0.003 * f64::from(k % 37));
            match (end_of(re, im), end_of(re, -im)) {
                (End::Cycle(a), End::Cycle(b)) => {
                    assert_eq!((a.period, a.point), (b.period, conjugate(b.point)), "{re} + {im}i");
                }
                (End::Unsettled(a), End::Unsettled(b)) => assert_eq!(a, conjugate(b), "{re} + {im}i"),
                (a, b) => assert_eq!(a, b, "{re} + {im}i"),
            }
        }
    }
}
