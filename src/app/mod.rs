//! app

pub mod location;

pub use location::{Frame, Location, LocationError};
