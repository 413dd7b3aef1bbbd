//! One map at one parameter, and the little linear algebra that Newton's method needs on its space.
//!
//! A search for cycles is the same on the line, in the plane and for complex numbers; it is written once
//! over [`System`], and compiled for each.

use std::marker::PhantomData;

use super::formula::{self, Formula as _};
use super::map::Map;
use crate::math::{Binary64, Complex};

/// Something to iterate.
pub trait System {
    type Point: Point;

    /// One step.
    fn step(&self, x: Self::Point) -> Self::Point;

    /// The derivative of a step at `x`, after `linear`.
    fn push(&self, x: Self::Point, linear: Linear<Self>) -> Linear<Self>;

    /// Whether an orbit that comes to `x` is known to escape.
    fn has_escaped(&self, x: Self::Point) -> bool;
}

/// What derivatives of a system are.
pub type Linear<S> = <<S as System>::Point as Point>::Linear;

/// A point of a system's space.
pub trait Point: Copy {
    /// A linear map of the space.
    type Linear: Copy;
    const ORIGIN: Self;
    const IDENTITY: Self::Linear;

    fn distance(self, other: Self) -> f64;

    /// |x|.
    fn size(self) -> f64;

    /// Newton's next guess at a fixed point, from a point, its image, and the derivative there; not finite
    /// where there is none.
    fn newton(self, image: Self, derivative: Self::Linear) -> Self;

    /// The eigenvalue of largest modulus.
    fn multiplier(linear: Self::Linear) -> Complex;

    /// The largest stretch, up to a bounded factor.
    fn norm(linear: Self::Linear) -> f64;

    fn scaled(linear: Self::Linear, factor: f64) -> Self::Linear;
}

/// A [`Map`] at one parameter.
#[derive(Clone, Copy, Debug)]
pub struct At<M, const D: usize> {
    pub parameter: f64,
    map: PhantomData<M>,
}

impl<M: Map<D>, const D: usize> At<M, D> {
    pub fn new(parameter: f64) -> Self {
        Self { parameter, map: PhantomData }
    }
}

impl<M: Map<D>, const D: usize> System for At<M, D> {
    type Point = [f64; D];

    #[inline(always)]
    fn step(&self, x: [f64; D]) -> [f64; D] {
        M::step(x, self.parameter)
    }

    #[inline(always)]
    fn push(&self, x: [f64; D], columns: [[f64; D]; D]) -> [[f64; D]; D] {
        push::<M, f64, D>(x, self.parameter, columns)
    }

    #[inline(always)]
    fn has_escaped(&self, x: [f64; D]) -> bool {
        !(x[0].abs() <= M::ESCAPE_RADIUS)
    }
}

/// z² + c for complex z.
#[derive(Clone, Copy, Debug)]
pub struct ComplexQuadratic {
    pub c: Complex,
}

impl System for ComplexQuadratic {
    type Point = Complex;

    #[inline(always)]
    fn step(&self, z: Complex) -> Complex {
        formula::Quadratic::step(z, self.c)
    }

    #[inline(always)]
    fn push(&self, z: Complex, linear: Complex) -> Complex {
        Complex::new(z.re + z.re, z.im + z.im).mul(linear)
    }

    /// For |z| > 2 and |z| ≥ |c|, moduli grow for ever; critical orbits with |c| > 2 begin so.
    #[inline(always)]
    fn has_escaped(&self, z: Complex) -> bool {
        !(z.re.mul_add(z.re, z.im * z.im) <= 4.0)
    }
}

/// The derivative of a map's step at `x`, after the columns of another, in scalars or lanes.
#[inline(always)]
pub fn push<M: Map<D>, R: Binary64, const D: usize>(x: [R; D], parameter: R, mut columns: [[R; D]; D]) -> [[R; D]; D] {
    for column in &mut columns {
        *column = M::tangent(x, parameter, *column);
    }
    columns
}

/// The distance of two points, in scalars or lanes.
#[inline(always)]
pub fn distance<R: Binary64, const D: usize>(a: [R; D], b: [R; D]) -> R {
    let mut difference = a;
    for i in 0..D {
        difference[i] = a[i].sub(b[i]);
    }
    length(difference)
}

/// The Euclidean length. (With the largest coordinate in its place the vectorizer of LLVM 22.1 lost the second
/// coordinate of cycles; the known values of Hénon's map would tell.)
#[inline(always)]
fn length<R: Binary64, const D: usize>(x: [R; D]) -> R {
    if D == 1 {
        return x[0].abs();
    }
    let mut sum = x[0].mul(x[0]);
    for x in &x[1..] {
        sum = sum.add(x.mul(*x));
    }
    sum.sqrt()
}

/// The sum of the columns' lengths, in scalars or lanes: the largest stretch, up to a bounded factor.
#[inline(always)]
pub fn norm<R: Binary64, const D: usize>(columns: [[R; D]; D]) -> R {
    let mut sum = length(columns[0]);
    for column in &columns[1..] {
        sum = sum.add(length(*column));
    }
    sum
}

/// Columns times a factor, in scalars or lanes.
#[inline(always)]
pub fn scaled<R: Binary64, const D: usize>(mut columns: [[R; D]; D], factor: R) -> [[R; D]; D] {
    for column in &mut columns {
        for x in column {
            *x = x.mul(factor);
        }
    }
    columns
}

/// The line and the plane; a linear map is its columns.
impl<const D: usize> Point for [f64; D] {
    type Linear = [[f64; D]; D];
    const ORIGIN: Self = [0.0; D];
    const IDENTITY: Self::Linear = {
        assert!(D == 1 || D == 2, "lines and planes only");
        let mut columns = [[0.0; D]; D];
        let mut i = 0;
        while i < D {
            columns[i][i] = 1.0;
            i += 1;
        }
        columns
    };

    #[inline(always)]
    fn distance(self, other: Self) -> f64 {
        distance(self, other)
    }

    #[inline(always)]
    fn size(self) -> f64 {
        length(self)
    }

    #[inline(always)]
    fn newton(self, image: Self, columns: Self::Linear) -> Self {
        let mut next = self;
        if D == 1 {
            next[0] += (image[0] - self[0]) / (1.0 - columns[0][0]);
            return next;
        }
        // (1 − L) δ = image − x, by Cramer's rule.
        let [[a, b], [c, d]] = [[1.0 - columns[0][0], -columns[1][0]], [-columns[0][1], 1.0 - columns[1][1]]];
        let [p, q] = [image[0] - self[0], image[1] - self[1]];
        let determinant = a * d - b * c;
        next[0] += (p * d - b * q) / determinant;
        next[1] += (a * q - p * c) / determinant;
        next
    }

    #[inline(always)]
    fn multiplier(columns: Self::Linear) -> Complex {
        if D == 1 {
            return Complex::new(columns[0][0], 0.0);
        }
        let half_trace = (columns[0][0] + columns[1][1]) / 2.0;
        let determinant = columns[0][0] * columns[1][1] - columns[1][0] * columns[0][1];
        let square = half_trace * half_trace - determinant;
        if square >= 0.0 {
            Complex::new(half_trace + square.sqrt().copysign(half_trace), 0.0)
        } else {
            Complex::new(half_trace, (-square).sqrt())
        }
    }

    #[inline(always)]
    fn norm(columns: Self::Linear) -> f64 {
        norm(columns)
    }

    #[inline(always)]
    fn scaled(columns: Self::Linear, factor: f64) -> Self::Linear {
        scaled(columns, factor)
    }
}

impl Point for Complex {
    type Linear = Complex;
    const ORIGIN: Complex = Complex::new(0.0, 0.0);
    const IDENTITY: Complex = Complex::new(1.0, 0.0);

    #[inline(always)]
    fn distance(self, other: Self) -> f64 {
        self.sub(other).norm()
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.norm()
    }

    #[inline(always)]
    fn newton(self, image: Self, derivative: Complex) -> Self {
        self.add(image.sub(self).div(Self::IDENTITY.sub(derivative)))
    }

    #[inline(always)]
    fn multiplier(linear: Complex) -> Complex {
        linear
    }

    #[inline(always)]
    fn norm(linear: Complex) -> f64 {
        linear.norm()
    }

    #[inline(always)]
    fn scaled(linear: Complex, factor: f64) -> Complex {
        linear.scaled(factor)
    }
}
