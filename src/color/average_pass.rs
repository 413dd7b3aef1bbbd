//! Averages of pictures on the device. The GPU twin of [`add_light`](super::add_light) and
//! [`average_light`](super::average_light), which are its definition: light is whole numbers, so both give the same bytes.

use bytemuck::{Pod, Zeroable};

use super::linear::{MOST_ADDED, TRANSFER, step_of_light};
use crate::gpu::{Gpu, GpuError, Picture, shader, storage_buffer, uniform_buffer};

/// Pixels along a workgroup's side, as in the shader.
const GROUP: u32 = 8;
/// Bytes of a pixel's light.
const LIGHT_LEN: u64 = size_of::<[u32; 3]>() as u64;

/// Adds pictures where they are.
pub struct AveragePass {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
    light_of_byte: wgpu::Buffer,
    byte_of_light: wgpu::Buffer,
}

/// The light of some pictures of one size, and the picture of its mean.
pub struct Average {
    count: u32,
    light: wgpu::Buffer,
    picture: Picture,
}

/// The numbers of one addition; the shader reads the same bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct AddedUniform {
    count: u32,
    step: u32,
    unused: [u32; 2],
}

impl AveragePass {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses it.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let pipeline = shader::compute_pipeline(gpu, "average", None, shader::Checks::Full)?;
        let table = |what, bytes: &[u8]| {
            let buffer = storage_buffer(gpu, what, bytes.len() as u64, wgpu::BufferUsages::COPY_DST)?;
            gpu.queue.write_buffer(&buffer, 0, bytes);
            Ok::<_, GpuError>(buffer)
        };
        let light_of_byte = table("the light of bytes", bytemuck::cast_slice(&TRANSFER.light_of_byte))?;
        let mut bytes = TRANSFER.byte_of_light.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let byte_of_light = table("the bytes of light", &bytes)?;
        Ok(Self { gpu: gpu.clone(), pipeline, light_of_byte, byte_of_light })
    }

    /// Room for pictures of a size; nothing is added yet.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn begin(&self, size: [u32; 2]) -> Result<Average, GpuError> {
        let bytes = u64::from(size[0]) * u64::from(size[1]) * LIGHT_LEN;
        let light = storage_buffer(&self.gpu, "the light of pictures", bytes, wgpu::BufferUsages::empty())?;
        Ok(Average { count: 0, light, picture: Picture::new(&self.gpu, size)? })
    }

    /// Records the addition of a picture of the same size, which has no transparent pixels.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost.
    pub fn add(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        average: &mut Average,
        picture: &Picture,
    ) -> Result<(), GpuError> {
        debug_assert!(picture.size() == average.picture.size() && average.count < MOST_ADDED);
        average.count += 1;
        let uniform = AddedUniform { count: average.count, step: step_of_light(average.count), unused: [0; 2] };
        let bind_group = self.gpu.checked("the average", |_| {
            let uniform = uniform_buffer(&self.gpu, bytemuck::bytes_of(&uniform));
            let resources = [
                uniform.as_entire_binding(),
                wgpu::BindingResource::TextureView(picture.view()),
                average.light.as_entire_binding(),
                self.light_of_byte.as_entire_binding(),
                self.byte_of_light.as_entire_binding(),
                wgpu::BindingResource::TextureView(average.picture.view()),
            ];
            shader::bind_group(&self.gpu, "average", &self.pipeline, &resources)
        })?;
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("average"), timestamp_writes: None });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        let [width, height] = picture.size();
        pass.dispatch_workgroups(width.div_ceil(GROUP), height.div_ceil(GROUP), 1);
        Ok(())
    }
}

impl Average {
    /// Number of pictures added.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The mean of what was added.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// Forgets what was added.
    pub fn clear(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn uniforms_lie_as_the_shader_reads_them() {
        let members = [("count", offset_of!(AddedUniform, count)), ("step", offset_of!(AddedUniform, step))];
        shader::assert_layout("average", "Added", size_of::<AddedUniform>(), &members);
    }
}
