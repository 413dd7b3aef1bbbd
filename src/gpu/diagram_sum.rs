//! Diagrams on the device, added to one another there: what [`Diagram::add`](crate::render::Diagram::add) and its kin do
//! on the host.

use bytemuck::{Pod, Zeroable};

use super::shader::{self, Checks};
use super::{DiagramBuffer, Gpu, GpuError, uniform_buffer};

/// Pixels that a workgroup adds, as in the shader.
const PIXELS: u32 = 64 * 64;
/// Columns that a workgroup adds, as in the shader.
const COLUMNS: u32 = 64;

/// The compiled passes. One for the whole program.
pub struct DiagramSum {
    gpu: Gpu,
    layers: wgpu::ComputePipeline,
    columns: wgpu::ComputePipeline,
}

/// `Stretch` of layer_sum.wgsl and column_sum.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct StretchUniform {
    first_to: u32,
    first_from: u32,
    count: u32,
    padding: u32,
}

impl DiagramSum {
    /// Compiles the passes.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses them.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let pipeline = |name| shader::compute_pipeline(gpu, name, None, Checks::Full);
        Ok(Self { gpu: gpu.clone(), layers: pipeline("layer_sum")?, columns: pipeline("column_sum")? })
    }

    /// Adds the orbits of another diagram of the same columns.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn add(&self, sum: &DiagramBuffer, part: &DiagramBuffer) -> Result<(), GpuError> {
        self.add_columns(sum, part, 0)?;
        sum.add_orbits(part.orbits());
        Ok(())
    }

    /// Adds all that another diagram holds, its first column at column `at`: those that fall outside are left out.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn add_columns(&self, sum: &DiagramBuffer, part: &DiagramBuffer, at: i64) -> Result<(), GpuError> {
        let ([width, height], [count, part_height]) = (sum.size(), part.size());
        assert_eq!(height, part_height);
        let (first, end) = (at.clamp(0, width.into()), (at + i64::from(count)).clamp(0, width.into()));
        if first >= end {
            return Ok(());
        }
        let columns = StretchUniform {
            first_to: first as u32,
            first_from: (first - at) as u32,
            count: (end - first) as u32,
            padding: 0,
        };
        let pixels = StretchUniform {
            first_to: columns.first_to * height,
            first_from: columns.first_from * height,
            count: columns.count * height,
            padding: 0,
        };
        self.gpu.checked("a sum", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let groups = columns.count.div_ceil(COLUMNS);
            self.record(&mut pass, &self.columns, &columns, [part.columns(), sum.columns()], groups);
            for (part, sum) in part.layers().zip(sum.layers()) {
                self.record(&mut pass, &self.layers, &pixels, [part, sum], pixels.count.div_ceil(PIXELS));
            }
            drop(pass);
            self.gpu.queue.submit([encoder.finish()]);
        })
    }

    /// The same diagram seen from `by` columns farther right; columns that were out of view have nothing yet.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room for another.
    pub fn moved(&self, diagram: &DiagramBuffer, by: i64) -> Result<DiagramBuffer, GpuError> {
        let moved = DiagramBuffer::empty(&self.gpu, diagram.shape().moved(by))?;
        self.add_columns(&moved, diagram, -by)?;
        moved.add_orbits(diagram.orbits());
        Ok(moved)
    }

    fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        pipeline: &wgpu::ComputePipeline,
        stretch: &StretchUniform,
        [part, sum]: [&wgpu::Buffer; 2],
        groups: u32,
    ) {
        let stretch = uniform_buffer(&self.gpu, bytemuck::bytes_of(stretch));
        let resources = [&stretch, part, sum].map(wgpu::Buffer::as_entire_binding);
        let bind_group = shader::bind_group(&self.gpu, "sum", pipeline, &resources);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn stretches_lie_as_the_shaders_read_them() {
        let members = [
            ("first_to", offset_of!(StretchUniform, first_to)),
            ("first_from", offset_of!(StretchUniform, first_from)),
            ("count", offset_of!(StretchUniform, count)),
        ];
        for shader in ["layer_sum", "column_sum"] {
            shader::assert_layout(shader, "Stretch", size_of::<StretchUniform>(), &members);
        }
    }
}
