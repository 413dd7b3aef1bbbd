//! The light of a scene in space on the device, where shaders add to it and the colour pass reads it.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::buffer::{read_buffer, storage_buffer};
use super::{Gpu, GpuError};
use crate::render::{DeviceExposure, Exposure, RenderError};

const PIXEL_LEN: u64 = size_of::<[u32; 4]>() as u64;

/// An [`Exposure`] in device memory: four u32 a pixel, row by row, top row first.
pub struct ExposureBuffer {
    gpu: Gpu,
    size: [u32; 2],
    gain: Mutex<[f32; 2]>,
    light: wgpu::Buffer,
}

impl ExposureBuffer {
    /// A picture without any light.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn dark(gpu: &Gpu, size: [u32; 2]) -> Result<Self, GpuError> {
        // Devices clear the memory that they give.
        let len = u64::from(size[0]) * u64::from(size[1]) * PIXEL_LEN;
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let light = storage_buffer(gpu, "the light", len, usage)?;
        Ok(Self { gpu: gpu.clone(), size, gain: Mutex::default(), light })
    }

    /// A copy of an exposure of the host.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn from_exposure(gpu: &Gpu, exposure: &Exposure) -> Result<Self, GpuError> {
        let buffer = Self::dark(gpu, exposure.size)?;
        gpu.checked("an upload", |_| gpu.queue.write_buffer(&buffer.light, 0, bytemuck::cast_slice(&exposure.light)))?;
        buffer.set_gain(exposure.gain);
        Ok(buffer)
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// See [`Exposure::gain`].
    pub fn gain(&self) -> [f32; 2] {
        *self.gain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_gain(&self, gain: [f32; 2]) {
        *self.gain.lock().unwrap_or_else(PoisonError::into_inner) = gain;
    }

    /// For the bind groups of shaders.
    pub fn light(&self) -> &wgpu::Buffer {
        &self.light
    }

    /// Most pixels that one buffer can hold.
    pub fn most_pixels(gpu: &Gpu) -> u64 {
        let limits = gpu.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / PIXEL_LEN
    }

    /// Puts all light out.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn clear(&self) -> Result<(), GpuError> {
        self.gpu.checked("an exposure", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.light, 0, None);
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        self.set_gain([0.0; 2]);
        Ok(())
    }
}

impl DeviceExposure for ExposureBuffer {
    fn size(&self) -> [u32; 2] {
        self.size
    }

    fn read_back(&self) -> Result<Exposure, RenderError> {
        let pixels = self.size[0] as usize * self.size[1] as usize;
        let mut light: Vec<[u32; 4]> = Vec::with_capacity(pixels);
        // Mapped memory need not be aligned.
        read_buffer(&self.gpu, &self.light, 0..pixels as u64 * PIXEL_LEN, |bytes| {
            light.extend(bytes.chunks_exact(PIXEL_LEN as usize).map(bytemuck::pod_read_unaligned::<[u32; 4]>));
        })?;
        Ok(Exposure { size: self.size, light, gain: self.gain() })
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
