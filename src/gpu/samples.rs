//! A field's samples on the device, where the colour pass reads them.

use std::any::Any;
use std::sync::Arc;

use super::buffer::{read_buffer, storage_buffer};
use super::{Gpu, GpuError};
use crate::render::{DeviceField, Field, RenderError, Sample, Tile};

const SAMPLE_LEN: u64 = size_of::<Sample>() as u64;

/// The samples of a job in device memory: row by row, top row first, without padding.
pub struct SampleBuffer {
    gpu: Gpu,
    size: [u32; 2],
    buffer: wgpu::Buffer,
}

impl SampleBuffer {
    /// A field in which nothing is computed yet, to be filled by [`SampleBuffer::upload`].
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn missing(gpu: &Gpu, size: [u32; 2]) -> Result<Self, GpuError> {
        let samples = Self::with_any_content(gpu, size)?;
        samples.upload(Tile::whole(size), &vec![Sample::MISSING; samples.len() as usize])?;
        Ok(samples)
    }

    /// A copy of a field of the host.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn from_field(gpu: &Gpu, field: &Field) -> Result<Self, GpuError> {
        let samples = Self::with_any_content(gpu, field.size())?;
        samples.upload(Tile::whole(field.size()), field.samples())?;
        Ok(samples)
    }

    /// A field whose samples the caller writes, all of them, before anyone looks.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn with_any_content(gpu: &Gpu, size: [u32; 2]) -> Result<Self, GpuError> {
        let bytes = u64::from(size[0]) * u64::from(size[1]) * SAMPLE_LEN;
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        Ok(Self { gpu: gpu.clone(), size, buffer: storage_buffer(gpu, "the samples", bytes, usage)? })
    }

    /// Most samples that one buffer can hold.
    pub fn most_samples(gpu: &Gpu) -> u64 {
        let limits = gpu.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / SAMPLE_LEN
    }

    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Number of samples.
    fn len(&self) -> u64 {
        u64::from(self.size[0]) * u64::from(self.size[1])
    }

    /// For the bind groups of shaders that read or write samples.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Copies a tile's samples (row by row) to their place.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn upload(&self, tile: Tile, samples: &[Sample]) -> Result<(), GpuError> {
        self.upload_all([(tile, samples)])
    }

    /// Copies many tiles in one go: best once a frame, for every call costs a submission.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone or out of memory.
    pub fn upload_all<'a>(&self, tiles: impl IntoIterator<Item = (Tile, &'a [Sample])>) -> Result<(), GpuError> {
        self.gpu.checked("an upload", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            for (tile, samples) in tiles {
                assert_eq!(samples.len(), tile.area());
                self.upload_tile(&mut encoder, tile, samples);
            }
            self.gpu.queue.submit([encoder.finish()]);
        })
    }

    fn upload_tile(&self, encoder: &mut wgpu::CommandEncoder, tile: Tile, samples: &[Sample]) {
        let bytes: &[u8] = bytemuck::cast_slice(samples);
        if bytes.is_empty() {
            return;
        }
        let staging = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("samples to upload"),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        // A mapping fails only with the device, and then nothing is missed.
        let Ok(mut mapped) = staging.get_mapped_range_mut(..) else { return };
        mapped.copy_from_slice(bytes);
        drop(mapped);
        staging.unmap();
        let rows = if tile.width == self.size[0] { 1 } else { u64::from(tile.height) };
        let run = bytes.len() as u64 / rows;
        for row in 0..rows {
            let first = (u64::from(tile.y) + row) * u64::from(self.size[0]) + u64::from(tile.x);
            encoder.copy_buffer_to_buffer(&staging, row * run, &self.buffer, first * SAMPLE_LEN, run);
        }
    }
}

impl DeviceField for SampleBuffer {
    fn size(&self) -> [u32; 2] {
        self.size
    }

    fn read_back(&self) -> Result<Field, RenderError> {
        let mut samples: Vec<Sample> = Vec::with_capacity(self.len() as usize);
        // Mapped memory need not be aligned for samples, so they are read one by one.
        let mut append = |bytes: &[u8]| {
            samples.extend(bytes.chunks_exact(size_of::<Sample>()).map(bytemuck::pod_read_unaligned::<Sample>));
        };
        read_buffer(&self.gpu, &self.buffer, 0..self.len() * SAMPLE_LEN, &mut append)?;
        Ok(Field::from_samples(self.size, samples))
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
