//! A point of the plane in one number type.

/// A complex number `re + im·i`; `R` is a scalar or a vector of scalars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<R = f64> {
    pub re: R,
    pub im: R,
}

impl<R> Complex<R> {
    pub const fn new(re: R, im: R) -> Self {
        Self { re, im }
    }
}

impl Complex {
    pub fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }

    pub fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }

    #[inline(always)]
    pub fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }

    /// Quotient `self / other`; NaN where `other` is zero. Sizes must stay well within the range of f64.
    pub fn div(self, other: Self) -> Self {
        let size = other.re * other.re + other.im * other.im;
        let Self { re, im } = self.mul(Self::new(other.re, -other.im));
        Self::new(re / size, im / size)
    }

    /// The square root to the right of the imaginary axis.
    pub fn sqrt(self) -> Self {
        let root = |double_square: f64| (double_square.max(0.0) / 2.0).sqrt();
        let size = self.norm();
        Self::new(root(size + self.re), root(size - self.re).copysign(self.im))
    }

    pub fn scaled(self, factor: f64) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }

    /// |z|².
    #[inline(always)]
    pub fn norm_sq(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    /// |z|. Sizes must stay well within the range of f64.
    pub fn norm(self) -> f64 {
        self.norm_sq().sqrt()
    }
}
