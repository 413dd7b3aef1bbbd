//! Real numbers of any range, for what is written once for f64 and for floats with a wide exponent.

use super::{Complex, FloatExp};

/// A real number that can be added, multiplied and compared.
pub trait Scalar: Copy + PartialOrd + std::fmt::Debug + Send + Sync + 'static {
    const ZERO: Self;
    const ONE: Self;

    fn sum(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    fn magnitude(self) -> Self;
    fn opposite(self) -> Self;
    /// An f64 as such a number.
    fn of(value: f64) -> Self;

    fn is_negative(self) -> bool {
        self < Self::ZERO
    }

    fn larger(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    fn smaller(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

impl Scalar for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn product(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn opposite(self) -> Self {
        -self
    }

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
}

impl Scalar for FloatExp {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    #[inline]
    fn sum(self, other: Self) -> Self {
        self.add(other)
    }

    #[inline]
    fn difference(self, other: Self) -> Self {
        self.sub(other)
    }

    #[inline]
    fn product(self, other: Self) -> Self {
        self.mul(other)
    }

    #[inline]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline]
    fn opposite(self) -> Self {
        Self::ZERO.sub(self)
    }

    #[inline]
    fn of(value: f64) -> Self {
        value.into()
    }
}

impl<R: Scalar> Complex<R> {
    pub const ZERO: Self = Self::new(R::ZERO, R::ZERO);

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.re.sum(other.re), self.im.sum(other.im))
    }

    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Self::new(
            self.re.product(other.re).difference(self.im.product(other.im)),
            self.re.product(other.im).sum(self.im.product(other.re)),
        )
    }

    /// Each part times a real number.
    #[inline(always)]
    pub fn stretched(self, factor: R) -> Self {
        Self::new(self.re.product(factor), self.im.product(factor))
    }

    /// The larger of the parts' sizes: no square of it can leave the range.
    #[inline(always)]
    pub fn extent(self) -> R {
        self.re.magnitude().larger(self.im.magnitude())
    }
}

impl Complex<FloatExp> {
    /// The nearest f64 to each part: zero below their range.
    pub fn to_f64(self) -> Complex {
        Complex::new(self.re.to_f64(), self.im.to_f64())
    }
}

impl From<Complex> for Complex<FloatExp> {
    fn from(value: Complex) -> Self {
        Self::new(value.re.into(), value.im.into())
    }
}
