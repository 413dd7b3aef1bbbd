//! The window: everything that names egui or winit.
//!
//! [`screen`] lays out panels, overlay and canvas; [`gestures`], [`shortcuts`] and [`keyboard`] turn input into
//! commands; [`run`] brings them to a real window. All but the last work without one: [`drive_headless`] plays a script on a
//! screen that nobody sees.

mod canvas;
pub mod desk;
pub mod gestures;
mod headless;
pub mod keyboard;
mod overlay;
mod painter;
mod panels;
pub mod screen;
pub mod shortcuts;
pub mod theme;
mod window;

pub use desk::WINDOW_SIZE;
pub use headless::drive_headless;
pub use window::{WindowError, drive, run};
