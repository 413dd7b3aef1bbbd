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
