//! A diagram's layers on the device, where shaders read them and add to them.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;

use super::buffer::{read_buffer, storage_buffer};
use super::{Gpu, GpuError};
use crate::render::{Column, DeviceDiagram, Diagram, DiagramShape, Line, RenderError, Strip};

/// A [`Diagram`] in device memory: each layer a buffer, column by column, each from the top down.
pub struct DiagramBuffer {
    gpu: Gpu,
    size: [u32; 2],
    has_fan: bool,
    content: Mutex<Content>,
    columns: wgpu::Buffer,
    density: wgpu::Buffer,
    marks: wgpu::Buffer,
    coverage: wgpu::Buffer,
    /// Next to nothing where the shape has none.
    fan: wgpu::Buffer,
}

/// What is known of a diagram beside its layers.
#[derive(Clone, Copy, Default)]
struct Content {
    /// Of each column.
    orbits: u32,
    line: Option<Line>,
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
            size: shape.size,
            has_fan: shape.has_fan,
            content: Mutex::new(Content { orbits: 0, line: shape.line }),
            columns: buffer("the columns", width * size_of::<Column>() as u64)?,
            density: buffer("the density", layer)?,
            marks: buffer("the marks", layer)?,
            coverage: buffer("the coverage", layer)?,
            fan: buffer("the fan", if shape.has_fan { layer } else { 0 })?,
        })
    }

    pub fn shape(&self) -> DiagramShape {
        DiagramShape { size: self.size, line: self.content().line, has_fan: self.has_fan }
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Orbits of each column.
    pub fn orbits(&self) -> u32 {
        self.content().orbits
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
        self.content().orbits += orbits;
    }

    /// The layers that the shape has: one u32 a pixel each.
    pub(super) fn layers(&self) -> impl Iterator<Item = &wgpu::Buffer> {
        let fan = self.has_fan.then_some(&self.fan);
        [&self.density, &self.marks, &self.coverage].into_iter().chain(fan)
    }

    /// Most pixels that one buffer can hold.
    pub fn most_pixels(gpu: &Gpu) -> u64 {
        let limits = gpu.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / size_of::<u32>() as u64
    }

    /// Whether it has the layers of a shape.
    pub fn fits(&self, shape: DiagramShape) -> bool {
        (self.size, self.has_fan) == (shape.size, shape.has_fan)
    }

    /// Makes all layers empty, for so many orbits of each column of a shape that [fits](Self::fits).
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn clear(&self, shape: DiagramShape, orbits: u32) -> Result<(), GpuError> {
        debug_assert!(self.fits(shape));
        self.gpu.checked("a diagram", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.columns, 0, None);
            self.layers().for_each(|layer| encoder.clear_buffer(layer, 0, None));
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        *self.content() = Content { orbits, line: shape.line };
        Ok(())
    }

    /// Puts whole columns of a diagram of the same shape in the place of what is there, and takes on its number of orbits.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone or out of memory.
    pub fn upload(&self, diagram: &Diagram, columns: Range<u32>) -> Result<(), GpuError> {
        assert_eq!(diagram.shape(), self.shape());
        let columns = columns.start as usize..columns.end as usize;
        let height = self.size[1] as usize;
        let pixels = columns.start * height..columns.end * height;
        let all = diagram.strip();
        self.gpu.checked("an upload", |_| {
            self.write(&self.columns, columns.start, &all.columns[columns.clone()]);
            for (buffer, layer) in self.layers().zip([&all.density, &all.marks, &all.coverage, &all.fan]) {
                self.write(buffer, pixels.start, &layer[pixels.clone()]);
            }
        })?;
        self.content().orbits = diagram.orbits();
        Ok(())
    }

    fn write<T: Pod>(&self, buffer: &wgpu::Buffer, first: usize, items: &[T]) {
        self.gpu.queue.write_buffer(buffer, (first * size_of::<T>()) as u64, bytemuck::cast_slice(items));
    }

    fn read_layers(&self) -> Result<Diagram, GpuError> {
        let [width, height] = self.size;
        let pixels = width as usize * height as usize;
        let all = Strip {
            first: 0,
            height,
            columns: self.read(&self.columns, width as usize)?,
            density: self.read(&self.density, pixels)?,
            marks: self.read(&self.marks, pixels)?,
            coverage: self.read(&self.coverage, pixels)?,
            fan: if self.has_fan { self.read(&self.fan, pixels)? } else { Vec::new() },
        };
        Ok(Diagram::from_strip(self.shape(), self.orbits(), all))
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
        self.size
    }

    fn read_back(&self) -> Result<Diagram, RenderError> {
        Ok(self.read_layers()?)
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
