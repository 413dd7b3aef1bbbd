//! z³ + c to z⁶ + c: the sets that people call Multibrot sets.
//!
//! Each power is made of squares and products, and c is added within the last of them.
//! Beside the mirror about the real axis, a turn by 360° / (d − 1) leaves them as they are; no engine uses that.
//!
//! Source: Schleicher, "On fibers and local connectivity of Mandelbrot and Multibrot sets" (2004).

use super::deltas::{power_reach, power_slope, power_step};
use super::{Followed, Formula};
use crate::fractal::big_point::BigPoint;
use crate::math::{Complex, Matrix, Real, Scalar};

/// z².
#[inline(always)]
fn square<R: Real>(z: Complex<R>) -> Complex<R> {
    let twice = z.re.add(z.re);
    Complex::new(z.im.neg_mul_add(z.im, z.re.mul(z.re)), twice.mul(z.im))
}

/// z² + c.
#[inline(always)]
fn square_add<R: Real>(z: Complex<R>, c: Complex<R>) -> Complex<R> {
    let twice = z.re.add(z.re);
    Complex::new(z.re.mul_add(z.re, z.im.neg_mul_add(z.im, c.re)), twice.mul_add(z.im, c.im))
}

/// a · b.
#[inline(always)]
fn mul<R: Real>(a: Complex<R>, b: Complex<R>) -> Complex<R> {
    Complex::new(a.im.neg_mul_add(b.im, a.re.mul(b.re)), a.im.mul_add(b.re, a.re.mul(b.im)))
}

/// a · b + c.
#[inline(always)]
fn mul_add<R: Real>(a: Complex<R>, b: Complex<R>, c: Complex<R>) -> Complex<R> {
    let re = a.re.mul_add(b.re, a.im.neg_mul_add(b.im, c.re));
    let im = a.re.mul_add(b.im, a.im.mul_add(b.re, c.im));
    Complex::new(re, im)
}

/// The same four, for shaders.
macro_rules! products_wgsl {
    () => {
        "
fn square(z: vec2f) -> vec2f {
    return vec2f(fma(-z.y, z.y, z.x * z.x), (z.x + z.x) * z.y);
}

fn square_add(z: vec2f, c: vec2f) -> vec2f {
    return vec2f(fma(z.x, z.x, fma(-z.y, z.y, c.x)), fma(z.x + z.x, z.y, c.y));
}

fn mul(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(fma(-a.y, b.y, a.x * b.x), fma(a.y, b.x, a.x * b.y));
}

fn mul_add(a: vec2f, b: vec2f, c: vec2f) -> vec2f {
    return vec2f(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));
}
"
    };
}

/// A power: its names, its step in Rust and the same one in WGSL.
macro_rules! power {
    ($(#[$doc:meta])* $name:ident, $key:literal, $text:literal, $degree:literal, home: $home:expr,
     |$z:ident, $c:ident| $step:expr, $wgsl:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Formula for $name {
            const KEY: &'static str = $key;
            const NAME: &'static str = $text;
            const DEGREE: f64 = $degree;
            const CONJUGATE_SYMMETRIC: bool = true;
            const QUADRATIC_BULBS: bool = false;
            const WGSL: &'static str =
                concat!(products_wgsl!(), "\nfn step(z: vec2f, c: vec2f) -> vec2f {\n    return ", $wgsl, ";\n}\n");
            const HOME: ([&'static str; 2], &'static str) = $home;

            #[inline(always)]
            fn step<R: Real>($z: Complex<R>, $c: Complex<R>) -> Complex<R> {
                $step
            }

            #[inline(always)]
            fn differential(z: Complex, d: Complex) -> Complex {
                (1..$degree as u32).fold(d.scaled($degree), |w, _| w.mul(z))
            }
        }

        impl Followed for $name {
            #[inline(always)]
            fn delta_step<R: Scalar>(z: Complex<R>, delta: Complex<R>) -> Complex<R> {
                power_step($degree as u32, z, delta)
            }

            #[inline(always)]
            fn tangent<R: Scalar>(z: Complex<R>) -> Matrix<R> {
                Matrix::of_complex(power_slope($degree as u32, z))
            }

            #[inline(always)]
            fn linear_reach<R: Scalar>(z: Complex<R>, epsilon: f64) -> R {
                power_reach($degree as u32, z, epsilon)
            }

            fn big_step(z: &mut BigPoint) {
                z.raise($degree as u32);
            }
        }
    };
}

// The outermost points of the sets are the tips with |c| = 2^(1 / (d − 1)).

power!(
    /// z ↦ z³ + c: two cusps, on the real axis.
    Cubic, "cubic", "z³ + c", 3.0, home: (["0", "0"], "3"),
    |z, c| mul_add(z, square(z), c), "mul_add(z, square(z), c)"
);

power!(
    /// z ↦ z⁴ + c: three cusps.
    Quartic, "quartic", "z⁴ + c", 4.0, home: (["-0.2", "0"], "2.6"),
    |z, c| square_add(square(z), c), "square_add(square(z), c)"
);

power!(
    /// z ↦ z⁵ + c: four cusps.
    Quintic, "quintic", "z⁵ + c", 5.0, home: (["0", "0"], "2.6"),
    |z, c| mul_add(z, square(square(z)), c), "mul_add(z, square(square(z)), c)"
);

power!(
    /// z ↦ z⁶ + c: five cusps.
    Sextic, "sextic", "z⁶ + c", 6.0, home: (["-0.1", "0"], "2.6"),
    |z, c| square_add(mul(z, square(z)), c), "square_add(mul(z, square(z)), c)"
);

#[cfg(test)]
mod tests {
    use super::*;

    /// The step of a power by repeated plain multiplication.
    fn plain(degree: u32, z: Complex, c: Complex) -> Complex {
        let power = (1..degree).fold(z, |w, _| Complex::new(w.re * z.re - w.im * z.im, w.re * z.im + w.im * z.re));
        Complex::new(power.re + c.re, power.im + c.im)
    }

    fn check<F: Formula>() {
        for i in 0..100 {
            let angle = f64::from(i) * 0.7;
            let z = Complex::new(1.3 * angle.cos(), (0.5 + f64::from(i) / 100.0) * angle.sin());
            let c = Complex::new(0.3 - f64::from(i) / 150.0, 0.1);
            let (got, expected) = (F::step(z, c), plain(F::DEGREE as u32, z, c));
            let off = (got.re - expected.re).hypot(got.im - expected.im);
            assert!(off < 1e-14, "{}: {got:?}, not {expected:?}", F::KEY);
        }
    }

    #[test]
    fn powers_are_repeated_products() {
        check::<Cubic>();
        check::<Quartic>();
        check::<Quintic>();
        check::<Sextic>();
    }
}
