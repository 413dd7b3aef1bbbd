//! Samples on the device, woven into other fields there: what [`Field::spread`](crate::render::Field::spread) does on the
//! host.

use bytemuck::{Pod, Zeroable};

use super::shader::{self, Checks};
use super::{Gpu, GpuError, SampleBuffer, uniform_buffer};
use crate::render::Span;

/// Columns that a workgroup copies, as in the shader.
const LANES: u32 = 64;

/// The compiled pass. One for a drawing thread.
pub struct Weave {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
}

/// `Weave` of weave.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct WeaveUniform {
    first_from: [u32; 2],
    stride_from: [u32; 2],
    first_to: [u32; 2],
    stride_to: [u32; 2],
    count: [u32; 2],
    width_from: u32,
    width_to: u32,
}

impl Weave {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses it.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { gpu: gpu.clone(), pipeline: shader::compute_pipeline(gpu, "weave", None, Checks::Full)? })
    }

    /// Copies the known samples of some columns and rows of a field to columns and rows of another, as many.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn copy(
        &self,
        (from, [from_columns, from_rows]): (&SampleBuffer, [Span; 2]),
        (to, [to_columns, to_rows]): (&SampleBuffer, [Span; 2]),
    ) -> Result<(), GpuError> {
        let count = [to_columns.count, to_rows.count];
        assert_eq!(count, [from_columns.count, from_rows.count]);
        assert!(from_columns.is_within(from.size()[0]) && from_rows.is_within(from.size()[1]));
        assert!(to_columns.is_within(to.size()[0]) && to_rows.is_within(to.size()[1]));
        if count.contains(&0) {
            return Ok(());
        }
        let uniform = WeaveUniform {
            first_from: [from_columns.first, from_rows.first],
            stride_from: [from_columns.stride, from_rows.stride],
            first_to: [to_columns.first, to_rows.first],
            stride_to: [to_columns.stride, to_rows.stride],
            count,
            width_from: from.size()[0],
            width_to: to.size()[0],
        };
        self.gpu.checked("a weave", |device| {
            let uniform = uniform_buffer(&self.gpu, bytemuck::bytes_of(&uniform));
            let resources = [&uniform, from.buffer(), to.buffer()].map(wgpu::Buffer::as_entire_binding);
            let bind_group = shader::bind_group(&self.gpu, "weave", &self.pipeline, &resources);
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.dispatch_workgroups(count[0].div_ceil(LANES), count[1], 1);
            drop(pass);
            self.gpu.queue.submit([encoder.finish()]);
        })
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn a_weave_lies_as_the_shader_reads_it() {
        let members = [
            ("first_from", offset_of!(WeaveUniform, first_from)),
            ("stride_from", offset_of!(WeaveUniform, stride_from)),
            ("first_to", offset_of!(WeaveUniform, first_to)),
            ("stride_to", offset_of!(WeaveUniform, stride_to)),
            ("count", offset_of!(WeaveUniform, count)),
            ("width_from", offset_of!(WeaveUniform, width_from)),
            ("width_to", offset_of!(WeaveUniform, width_to)),
        ];
        shader::assert_layout("weave", "Weave", size_of::<WeaveUniform>(), &members);
    }
}
