//! Numbers, and nothing of fractals: complex numbers, exact decimals, floats with a wide exponent.
//!
//! [`Decimal`] holds what people type and copy, digit for digit; [`FloatExp`] holds sizes that
//! leave the range of f64; [`Real`] lets one line of mathematics serve scalars and vectors.

mod big;
mod complex;
mod complex_exp;
mod double_double;
mod fixed;
mod float_exp;
mod log2;
mod matrix;
pub mod philox;
mod quote;
pub mod real;
mod scalar;
pub mod strata;

pub use big::{BigComplex, Decimal, ParseDecimalError};
pub use complex::Complex;
pub use complex_exp::ComplexExp;
pub use double_double::DoubleDouble;
pub use fixed::Fixed;
pub use float_exp::FloatExp;
pub use log2::log2;
pub use matrix::Matrix;
pub use quote::shortened;
pub use real::{Binary64, Real};
pub use scalar::Scalar;

pub(crate) use big::{fixed_quotient, ratio_to_double_double, ratio_to_float_exp};
