//! The mathematics, as pure functions: no threads, no clocks, no files.

pub mod attractor;
pub mod big_orbit;
pub mod big_point;
pub mod critical;
pub mod cycle;
pub mod formula;
pub mod formula_orbit;
pub mod interior;
pub mod locate;
pub mod lyapunov;
pub mod map;
pub mod orbit;
pub mod reference;
mod smooth;
pub mod system;
pub mod window;

pub use formula::{Formula, FormulaId, FormulaVisitor};
pub use map::{Map, MapId, MapVisitor};
pub use smooth::Smooth;
