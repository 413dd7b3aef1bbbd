//! app

pub mod export;
pub mod location;

pub use location::{Frame, Location, LocationError};
