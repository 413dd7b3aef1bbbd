//! The mathematics, as pure functions: no threads, no clocks, no files.

pub mod formula;
pub mod interior;
mod smooth;

pub use formula::{Formula, FormulaId, FormulaVisitor};
pub use smooth::Smooth;
