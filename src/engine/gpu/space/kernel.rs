//! The compute pass that throws points onto a picture: its buffers, and one slice of the points at a time.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::super::kernel::Program;
use super::super::submission::{Tally, Took};
use super::points::Stretch;
use crate::engine::space::CloudPoint;
use crate::engine::space::splat::{AMOUNT, DITHER, FRACTION, LEAST_FADE, Lens, SHIFT};
use crate::gpu::{ExposureBuffer, Gpu, GpuError, shader, uniform_buffer};
use crate::render::{Camera, Space};

/// Points of a workgroup, as in the shader.
const GROUP: u32 = 64;

/// `Lens` of splat.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct LensUniform {
    across: [f32; 4],
    down: [f32; 4],
    depth: [f32; 4],
    fade: [f32; 4],
    ends: [f32; 2],
    size: [u32; 2],
    nearest: f32,
    amount: f32,
    fraction: u32,
    shift: u32,
    dither: u32,
    first: u32,
    end: u32,
    number: u32,
    tints: [[u32; 4]; 64],
}

/// A scene being exposed.
pub struct Kernel<'a> {
    gpu: &'a Gpu,
    program: &'a Program,
    exposure: &'a ExposureBuffer,
    uniform: LensUniform,
    uniform_buffer: wgpu::Buffer,
    /// Nothing is counted: it is for the time that a slice takes.
    tally: Tally,
}

/// Points that are bound to the pass.
pub struct Bound {
    bind_group: wgpu::BindGroup,
    number: u32,
}

impl<'a> Kernel<'a> {
    /// Makes ready for a scene whose light is to be added to `exposure`.
    pub fn new(
        gpu: &'a Gpu,
        program: &'a Program,
        task: &Space,
        exposure: &'a ExposureBuffer,
    ) -> Result<Self, GpuError> {
        let uniform = LensUniform::new(task, exposure.size());
        let tally = Tally::new(gpu, size_of::<u32>() as u64)?;
        let uniform_buffer = gpu.checked("the kernel", |_| uniform_buffer(gpu, bytemuck::bytes_of(&uniform)))?;
        Ok(Self { gpu, program, exposure, uniform, uniform_buffer, tally })
    }

    /// Makes ready for some points.
    pub fn bind(&self, stretch: &Stretch<'_>) -> Result<Bound, GpuError> {
        let resources =
            [&self.uniform_buffer, stretch.buffer, self.exposure.light()].map(wgpu::Buffer::as_entire_binding);
        let bind_group = self
            .gpu
            .checked("the kernel", |_| shader::bind_group(self.gpu, "splat", &self.program.pipeline, &resources))?;
        Ok(Bound { bind_group, number: stretch.number })
    }

    /// Adds the light of some of the points, and waits for it: the time that it took.
    pub fn run(&mut self, bound: &Bound, points: Range<u32>) -> Result<Took, GpuError> {
        (self.uniform.first, self.uniform.end) = (points.start, points.end);
        self.uniform.number = bound.number;
        let record = |pass: &mut wgpu::ComputePass<'_>| {
            self.gpu.queue.write_buffer(&self.uniform_buffer, 0, bytemuck::bytes_of(&self.uniform));
            pass.set_pipeline(&self.program.pipeline);
            pass.set_bind_group(0, &bound.bind_group, &[]);
            pass.dispatch_workgroups((points.len() as u32).div_ceil(GROUP), 1, 1);
        };
        let ((), took) = self.tally.run(self.gpu, self.program.clock.as_ref(), record, |_| ())?;
        Ok(took)
    }
}

impl LensUniform {
    fn new(task: &Space, size: [u32; 2]) -> Self {
        let lens = Lens::new(task, size);
        let [across, down, depth] = lens.rows;
        let [fade, fade_slope] = lens.fade;
        Self {
            across,
            down,
            depth,
            fade: [fade, fade_slope, LEAST_FADE, Camera::MOST_FADE as f32],
            ends: lens.ends,
            size,
            nearest: Camera::NEAREST as f32,
            amount: AMOUNT / CloudPoint::FULL as f32,
            fraction: FRACTION,
            shift: SHIFT,
            dither: DITHER,
            tints: bytemuck::cast(*task.tints),
            ..Self::zeroed()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::gpu::shader::assert_layout;

    #[test]
    fn uniforms_and_points_lie_as_the_shader_reads_them() {
        let members = [
            ("across", offset_of!(LensUniform, across)),
            ("down", offset_of!(LensUniform, down)),
            ("depth", offset_of!(LensUniform, depth)),
            ("fade", offset_of!(LensUniform, fade)),
            ("ends", offset_of!(LensUniform, ends)),
            ("size", offset_of!(LensUniform, size)),
            ("nearest", offset_of!(LensUniform, nearest)),
            ("amount", offset_of!(LensUniform, amount)),
            ("fraction", offset_of!(LensUniform, fraction)),
            ("shift", offset_of!(LensUniform, shift)),
            ("dither", offset_of!(LensUniform, dither)),
            ("first", offset_of!(LensUniform, first)),
            ("end", offset_of!(LensUniform, end)),
            ("number", offset_of!(LensUniform, number)),
            ("tints", offset_of!(LensUniform, tints)),
        ];
        assert_layout("splat", "Lens", size_of::<LensUniform>(), &members);
        let members = [("place", offset_of!(CloudPoint, place)), ("paint", offset_of!(CloudPoint, paint))];
        assert_layout("splat", "Point", size_of::<CloudPoint>(), &members);
    }
}
