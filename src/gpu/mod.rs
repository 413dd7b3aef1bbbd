//! The device: adapter and queue, shaders, buffers, clocks, pictures. No fractals and no windows here.
//!
//! [`Gpu`] opens the device and knows when it is gone. [`SampleBuffer`] holds a field's samples where
//! shaders read them, [`DiagramBuffer`] the layers of a diagram, [`ExposureBuffer`] the light of a scene in space,
//! [`Picture`] the pixels made of any of them, and [`Presenter`] lays pictures into a window.

mod buffer;
mod clock;
mod device;
mod diagram;
mod diagram_sum;
mod error;
mod exposure;
mod picture;
mod pool;
mod present;
mod samples;
pub mod shader;
mod trusted;
mod weave;

pub use buffer::{map_and_read, read_buffer, storage_buffer, uniform_buffer};
pub use clock::{PassClock, STAMPS_LEN, Stamps, elapsed};
pub use device::Gpu;
pub use diagram::DiagramBuffer;
pub use diagram_sum::DiagramSum;
pub use error::GpuError;
pub use exposure::ExposureBuffer;
pub use picture::{Picture, read_texture};
pub use pool::Pool;
pub use present::{Between, Filter, Presenter, Quad};
pub use samples::SampleBuffer;
pub use weave::Weave;
