//! A diagram's layers on the device, where shaders read them and add to them.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytemuck::Pod;

use super::buffer::{read_buffer, storage_buffer};
use super::{Gpu, GpuError};
use crate::render::{Column, DeviceDiagram, Diagram, DiagramShape, RenderError, Strip};

/// A [`Diagram`] in device memory: each layer a buffer, column by column, each from the top down.
pub struct DiagramBuffer {
    gpu: Gpu,
    shape: DiagramShape,
    orbits: AtomicU32,
    columns: wgpu::Buffer,
    density: wgpu::Buffer,
    marks: wgpu::Buffer,
    coverage: wgpu::Buffer,
    /// Next to nothing where the shape has none.
    fan: wgpu::Buffer,
}

impl DiagramBuffer {
    /// A diagram in which nothing is yet.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn empty(gpu: &Gpu, shape: DiagramShape) -> Result<Self, GpuError> {
        // Devices clear the memory that they give.
        let buffer = |what, len: u64| {
            let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            storage_buffer(gpu, what, len, usage)
        };
        let [width, height] = shape.size.map(u64::from);
        let layer = width * height * size_of::<u32>() as u64;
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            orbits: AtomicU32::new(0),
            columns: buffer("the columns", width * size_of::<Column>() as u64)?,
            density: buffer("the density", layer)?,
            marks: buffer("the marks", layer)?,
            coverage: buffer("the coverage", layer)?,
            fan: buffer("the fan", if shape.has_fan { layer } else { 0 })?,
        })
    }

    pub fn shape(&self) -> DiagramShape {
        self.shape
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.shape.size
    }

    /// Orbits of each column.
    pub fn orbits(&self) -> u32 {
        self.orbits.load(Ordering::Relaxed)
    }

    /// For the bind groups of shaders: one [`Column`] each.
    pub fn columns(&self) -> &wgpu::Buffer {
        &self.columns
    }

    /// For the bind groups of shaders: points of unsettled orbits, one u32 a pixel.
    pub fn density(&self) -> &wgpu::Buffer {
        &self.density
    }

    /// For the bind groups of shaders: points of cycles, one u32 a pixel.
    pub fn marks(&self) -> &wgpu::Buffer {
        &self.marks
    }

    /// For the bind groups of shaders: how far curves cover a pixel, as in [`Strip::coverage`].
    pub fn coverage(&self) -> &wgpu::Buffer {
        &self.coverage
    }

    /// For the bind groups of shaders: light of the way that orbits take, as in [`Strip::fan`]; of no use where the
    /// shape has none.
    pub fn fan(&self) -> &wgpu::Buffer {
        &self.fan
    }

    /// Takes note of orbits that came to each column.
    pub(super) fn add_orbits(&self, orbits: u32) {
        self.orbits.fetch_add(orbits, Ordering::Relaxed);
    }

    /// The layers that the shape has: one u32 a pixel each.
    pub(super) fn layers(&self) -> impl Iterator<Item = &wgpu::Buffer> {
        let fan = self.shape.has_fan.then_some(&self.fan);
        [&self.density, &self.marks, &self.coverage].into_iter().chain(fan)
    }

    /// Most pixels that one buffer can hold.
    pub fn most_pixels(gpu: &Gpu) -> u64 {
        let limits = gpu.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / size_of::<u32>() as u64
    }

    /// Makes all layers empty, for so many orbits of each column to come.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn clear(&self, orbits: u32) -> Result<(), GpuError> {
        self.gpu.checked("a diagram", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.columns, 0, None);
            self.layers().for_each(|layer| encoder.clear_buffer(layer, 0, None));
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        self.orbits.store(orbits, Ordering::Relaxed);
        Ok(())
    }

    /// Puts whole columns of a diagram of the same shape in the place of what is there, and takes on its number of orbits.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone or out of memory.
    pub fn upload(&self, diagram: &Diagram, columns: Range<u32>) -> Result<(), GpuError> {
        assert_eq!(diagram.shape(), self.shape);
        let columns = columns.start as usize..columns.end as usize;
        let height = self.shape.size[1] as usize;
        let pixels = columns.start * height..columns.end * height;
        let all = diagram.strip();
        self.gpu.checked("an upload", |_| {
            self.write(&self.columns, columns.start, &all.columns[columns.clone()]);
            for (buffer, layer) in self.layers().zip([&all.density, &all.marks, &all.coverage, &all.fan]) {
                self.write(buffer, pixels.start, &layer[pixels.clone()]);
            }
        })?;
        self.orbits.store(diagram.orbits(), Ordering::Relaxed);
        Ok(())
    }

    fn write<T: Pod>(&self, buffer: &wgpu::Buffer, first: usize, items: &[T]) {
        self.gpu.queue.write_buffer(buffer, (first * size_of::<T>()) as u64, bytemuck::cast_slice(items));
    }

    fn read_layers(&self) -> Result<Diagram, GpuError> {
        let [width, height] = self.shape.size;
        let pixels = width as usize * height as usize;
        let all = Strip {
            first: 0,
            height,
            columns: self.read(&self.columns, width as usize)?,
            density: self.read(&self.density, pixels)?,
            marks: self.read(&self.marks, pixels)?,
            coverage: self.read(&self.coverage, pixels)?,
            fan: if self.shape.has_fan { self.read(&self.fan, pixels)? } else { Vec::new() },
        };
        Ok(Diagram::from_strip(self.shape, self.orbits(), all))
    }

    fn read<T: Pod>(&self, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>, GpuError> {
        let mut items = Vec::with_capacity(count);
        let len = (count * size_of::<T>()) as u64;
        // Mapped memory need not be aligned.
        read_buffer(&self.gpu, buffer, 0..len, |bytes| {
            items.extend(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
        })?;
        Ok(items)
    }
}

impl DeviceDiagram for DiagramBuffer {
    fn size(&self) -> [u32; 2] {
        self.shape.size
    }

    fn read_back(&self) -> Result<Diagram, RenderError> {
        Ok(self.read_layers()?)
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Recently used buffers: one is used again when nobody else holds it any more.
#[derive(Default)]
pub struct DiagramPool(Vec<Arc<DiagramBuffer>>);

impl DiagramPool {
    /// Buffers kept: one being filled, one being added to a picture.
    const KEPT: usize = 2;

    /// An empty buffer for so many orbits of each column.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room for another.
    pub fn take(&mut self, gpu: &Gpu, shape: DiagramShape, orbits: u32) -> Result<Arc<DiagramBuffer>, GpuError> {
        let room = |shape: DiagramShape| (shape.size, shape.has_fan);
        let free = self.0.iter().position(|b| room(b.shape) == room(shape) && Arc::strong_count(b) == 1);
        let mut buffer = match free {
            Some(index) => self.0.remove(index),
            None => Arc::new(DiagramBuffer::empty(gpu, shape)?),
        };
        if let Some(buffer) = Arc::get_mut(&mut buffer) {
            buffer.shape = shape;
        }
        buffer.clear(orbits)?;
        self.0.push(buffer.clone());
        if self.0.len() > Self::KEPT {
            self.0.remove(0);
        }
        Ok(buffer)
    }
}
