//! The few operations that formulas are written in, for scalars and vectors alike.
//!
//! Each operation is one IEEE-754 rounding. A formula written with them therefore means the same,
//! bit for bit, in the plain loop and in every vector width.

/// A real number, or a vector of them worked on lane by lane.
pub trait Real: Copy {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self · a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b − self · a`, rounded once.
    fn neg_mul_add(self, a: Self, b: Self) -> Self;
    fn abs(self) -> Self;
}

macro_rules! scalar {
    ($($float:ty),*) => {$(
        impl Real for $float {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                <$float>::mul_add(self, a, b)
            }
            #[inline(always)]
            fn neg_mul_add(self, a: Self, b: Self) -> Self {
                <$float>::mul_add(-self, a, b)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$float>::abs(self)
            }
        }
    )*};
}
scalar!(f32, f64);
