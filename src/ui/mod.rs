//! The window: everything that names egui or winit.
//!
//! [`screen`] lays out panels, overlay and canvas; [`gestures`], [`shortcuts`] and [`keyboard`] turn input into
//! commands; [`run`] brings them to a real window. All but the last work without one.

mod canvas;
pub mod gestures;
pub mod keyboard;
mod overlay;
mod painter;
mod panels;
pub mod screen;
pub mod shortcuts;
pub mod theme;
mod window;

pub use window::{WindowError, run};
