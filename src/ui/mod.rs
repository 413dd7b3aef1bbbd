//! ui

use crate::app::Location;

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    #[error("no display: {0}")]
    NoDisplay(String),
    #[error("{0}")]
    Failed(String),
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`UiError::NoDisplay`] where there is nothing to open a window on.
pub fn run(_location: Option<Location>) -> Result<(), UiError> {
    Err(UiError::NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set".into()))
}
