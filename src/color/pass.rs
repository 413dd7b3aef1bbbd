//! The colour pass: a field's samples to a picture's pixels, on the device. The GPU twin of
//! [`shade`](super::shade()), which is its definition.

use std::sync::{Mutex, PoisonError};

use super::{ShadeParams, Table, period_table};
use crate::gpu::{Gpu, GpuError, Picture, SampleBuffer, shader, storage_buffer, uniform_buffer};

/// Pixels along a workgroup's side, as in the shader.
const GROUP: u32 = 8;

/// Colours samples where they are. One for the whole program; make it off the thread that draws.
pub struct ColorPass {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
    palette: Mutex<Option<DevicePalette>>,
    /// Colours of the inside by period.
    periods: wgpu::Buffer,
}

/// The table that was used last, on the host and on the device.
struct DevicePalette {
    table: Box<Table>,
    buffer: wgpu::Buffer,
}

impl ColorPass {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses it.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let pipeline = shader::compute_pipeline(gpu, "color", None, shader::Checks::Full)?;
        let bytes: &[u8] = bytemuck::cast_slice(period_table());
        let periods = storage_buffer(gpu, "the periods", bytes.len() as u64, wgpu::BufferUsages::COPY_DST)?;
        gpu.queue.write_buffer(&periods, 0, bytes);
        Ok(Self { gpu: gpu.clone(), pipeline, palette: Mutex::default(), periods })
    }

    /// Records the colouring of `samples` into `picture`, which must have their size.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost or has no room for the palette.
    pub fn paint(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        params: &ShadeParams,
        table: &Table,
        samples: &SampleBuffer,
        picture: &Picture,
    ) -> Result<(), GpuError> {
        debug_assert_eq!(samples.size(), picture.size());
        let palette = self.palette(table)?;
        let bind_group = self.gpu.checked("the colour pass", |_| {
            let params = uniform_buffer(&self.gpu, bytemuck::bytes_of(params));
            let resources = [
                params.as_entire_binding(),
                samples.buffer().as_entire_binding(),
                palette.as_entire_binding(),
                wgpu::BindingResource::TextureView(picture.view()),
                self.periods.as_entire_binding(),
            ];
            shader::bind_group(&self.gpu, "color", &self.pipeline, &resources)
        })?;
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("color"), timestamp_writes: None });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        let [width, height] = picture.size();
        pass.dispatch_workgroups(width.div_ceil(GROUP), height.div_ceil(GROUP), 1);
        Ok(())
    }

    /// The table on the device: uploaded when it differs from the last one.
    fn palette(&self, table: &Table) -> Result<wgpu::Buffer, GpuError> {
        let mut palette = self.palette.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(palette) = palette.as_ref().filter(|palette| *palette.table == *table) {
            return Ok(palette.buffer.clone());
        }
        let bytes: &[u8] = bytemuck::cast_slice(table);
        let buffer = storage_buffer(&self.gpu, "the palette", bytes.len() as u64, wgpu::BufferUsages::COPY_DST)?;
        // A buffer of its own, for passes recorded before may still want the old table.
        self.gpu.queue.write_buffer(&buffer, 0, bytes);
        *palette = Some(DevicePalette { table: Box::new(*table), buffer: buffer.clone() });
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn params_lie_as_the_shader_reads_them() {
        let members = [
            ("density", offset_of!(ShadeParams, density)),
            ("offset", offset_of!(ShadeParams, offset)),
            ("mapping", offset_of!(ShadeParams, mapping)),
            ("interior", offset_of!(ShadeParams, interior)),
        ];
        shader::assert_layout("color", "Shade", size_of::<ShadeParams>(), &members);
    }
}
