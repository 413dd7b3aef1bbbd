//! What comes back from points in space: light, summed up in whole numbers.
//!
//! Sums of whole numbers do not depend on their order: any number of threads gives the same bytes.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::{RenderError, Sample, Sink, Tile};

/// The light on each pixel of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposure {
    pub size: [u32; 2],
    /// Row by row, top row first: red, green, blue, and the light of the real slice; [`Exposure::UNIT`] is that of a
    /// point of full weight.
    pub light: Vec<[u32; 4]>,
    /// What makes light of the coloured points, and of the real slice, about 1 where a line or a sheet of full
    /// weight lies across the line of sight at the camera's target, however many points there are.
    pub gain: [f32; 2],
}

impl Exposure {
    /// Light of a point of full weight.
    pub const UNIT: u32 = 256;

    /// A picture without any light.
    pub fn dark(size: [u32; 2]) -> Self {
        Self { size, light: vec![[0; 4]; size[0] as usize * size[1] as usize], gain: [0.0; 2] }
    }

    /// Most that so much light of a pixel may differ from that of other arithmetic: where roundings differ, some points
    /// fall a 256th of a pixel beside their place.
    pub fn tolerance(light: u32) -> u32 {
        4 + light / 64
    }
}

/// An exposure that lives on a device. The colour pass reads it there; the host asks only when it must.
pub trait DeviceExposure: Any + Send + Sync {
    /// Width and height in pixels.
    fn size(&self) -> [u32; 2];
    /// Copies the light to the host: for export and comparison, never for the live picture.
    ///
    /// # Errors
    /// [`RenderError::Device`] when the device is gone.
    fn read_back(&self) -> Result<Exposure, RenderError>;
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// Keeps the newest exposure on the host.
#[derive(Default)]
pub struct ExposureSink(Mutex<Exposure>);

impl ExposureSink {
    /// The newest one; empty where none has come.
    pub fn into_exposure(self) -> Exposure {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for ExposureSink {
    fn put(&self, _: Tile, _: &[Sample]) {}

    fn put_exposure(&self, exposure: Exposure) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = exposure;
    }
}
