//! What can go wrong with a device, in one line each.

use std::time::Duration;

use crate::render::RenderError;

/// Why something could not be had from the device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    #[error("no GPU driver answers ({0})")]
    NoAdapter(String),
    #[error("no adapter is named {wanted:?}; WGPU_ADAPTER_NAME can pick one of: {found}")]
    NoSuchAdapter { wanted: String, found: String },
    #[error("{adapter} opens no device: {reason}")]
    NoDevice { adapter: String, reason: String },
    #[error("the device has no room for {what}; choose a smaller size or a CPU engine")]
    OutOfMemory { what: &'static str },
    #[error("{what} takes {needed} bytes where the device allows {limit}; choose a smaller size or a CPU engine")]
    TooLarge { what: &'static str, needed: u64, limit: u64 },
    #[error("the driver refuses {what}: {reason}")]
    Refused { what: &'static str, reason: String },
    #[error("the device is lost: {0}")]
    Lost(String),
    #[error("the device did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    #[error(transparent)]
    Shader(#[from] super::shader::ShaderError),
}

impl GpuError {
    /// The error that a driver reported while `what` was made.
    pub(super) fn reported(what: &'static str, error: &wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory { what },
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
                Self::Refused { what, reason: one_line(description) }
            }
        }
    }
}

impl From<GpuError> for RenderError {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::OutOfMemory { .. } | GpuError::TooLarge { .. } => Self::NoRoom(error.to_string()),
            error => Self::Device(error.to_string()),
        }
    }
}

/// Joins the lines of a driver's message, for there is one line to show it in.
pub(super) fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}
