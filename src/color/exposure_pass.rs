//! The colour pass of scenes in space: light to a picture's pixels, on the device. The GPU twin of
//! [`paint_exposure`](super::paint_exposure), which is its definition.

use bytemuck::{Pod, Zeroable};

use super::diagram::{GROUND, Rgb};
use super::exposure::{AXIS, AXIS_OPACITY, MOST_STROKES, Response, axes};
use super::stroke::{Course, Stroke};
use crate::gpu::{ExposureBuffer, Gpu, GpuError, Picture, shader, uniform_buffer};
use crate::render::Space;

/// Pixels along a workgroup's side, as in the shader.
const GROUP: u32 = 16;

/// Colours exposures where they are. One for the whole program; make it off the thread that draws.
pub struct ExposurePass {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
}

/// `Look` of exposure.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct LookUniform {
    ground: [f32; 4],
    axis: [f32; 4],
    slice: [f32; 4],
    gain: f32,
    slice_gain: f32,
    stroke_count: u32,
    padding: u32,
    strokes: [StrokeUniform; MOST_STROKES],
}

/// `Stroke` of exposure.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct StrokeUniform {
    along: u32,
    low: f32,
    high: f32,
    slope: f32,
    offset: f32,
    thickness: f32,
    padding: [u32; 2],
}

impl ExposurePass {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses it.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let pipeline = shader::compute_pipeline(gpu, "exposure", None, shader::Checks::Full)?;
        Ok(Self { gpu: gpu.clone(), pipeline })
    }

    /// Records the colouring of a scene's `exposure` into `picture`, which must have its size.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost.
    pub fn paint(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        task: &Space,
        exposure: &ExposureBuffer,
        picture: &Picture,
    ) -> Result<(), GpuError> {
        debug_assert_eq!(exposure.size(), picture.size());
        let [width, height] = picture.size();
        let look = LookUniform::new(task, exposure);
        let bind_group = self.gpu.checked("the colour pass", |_| {
            let look = uniform_buffer(&self.gpu, bytemuck::bytes_of(&look));
            let resources = [
                look.as_entire_binding(),
                exposure.light().as_entire_binding(),
                wgpu::BindingResource::TextureView(picture.view()),
            ];
            shader::bind_group(&self.gpu, "exposure", &self.pipeline, &resources)
        })?;
        let mut pass = encoder
            .begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("exposure"), timestamp_writes: None });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(width.div_ceil(GROUP), height.div_ceil(GROUP), 1);
        Ok(())
    }
}

impl LookUniform {
    fn new(task: &Space, exposure: &ExposureBuffer) -> Self {
        let response = Response::new(task.scene, exposure.gain());
        let strokes = axes(&task.camera, exposure.size());
        let mut uniform = Self {
            ground: vector(GROUND, 1.0),
            axis: vector(AXIS, AXIS_OPACITY),
            slice: vector(response.slice_color, response.slice_opacity),
            gain: response.gain as f32,
            slice_gain: response.slice_gain as f32,
            stroke_count: strokes.len() as u32,
            ..Self::zeroed()
        };
        for (to, stroke) in uniform.strokes.iter_mut().zip(&strokes) {
            *to = StrokeUniform::new(stroke);
        }
        uniform
    }
}

impl StrokeUniform {
    fn new(stroke: &Stroke) -> Self {
        let Course { along, ends: [low, high], slope, offset, thickness } = stroke.course();
        let [low, high, slope, offset, thickness] = [low, high, slope, offset, thickness].map(|v| v as f32);
        Self { along: along as u32, low, high, slope, offset, thickness, padding: [0; 2] }
    }
}

fn vector([r, g, b]: Rgb, opacity: f64) -> [f32; 4] {
    [r, g, b, opacity].map(|v| v as f32)
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn uniforms_lie_as_the_shader_reads_them() {
        let members = [
            ("ground", offset_of!(LookUniform, ground)),
            ("axis", offset_of!(LookUniform, axis)),
            ("slice", offset_of!(LookUniform, slice)),
            ("gain", offset_of!(LookUniform, gain)),
            ("slice_gain", offset_of!(LookUniform, slice_gain)),
            ("stroke_count", offset_of!(LookUniform, stroke_count)),
            ("padding", offset_of!(LookUniform, padding)),
            ("strokes", offset_of!(LookUniform, strokes)),
        ];
        shader::assert_layout("exposure", "Look", size_of::<LookUniform>(), &members);
        let members = [
            ("along", offset_of!(StrokeUniform, along)),
            ("low", offset_of!(StrokeUniform, low)),
            ("high", offset_of!(StrokeUniform, high)),
            ("slope", offset_of!(StrokeUniform, slope)),
            ("offset", offset_of!(StrokeUniform, offset)),
            ("thickness", offset_of!(StrokeUniform, thickness)),
            ("padding", offset_of!(StrokeUniform, padding)),
        ];
        shader::assert_layout("exposure", "Stroke", size_of::<StrokeUniform>(), &members);
    }
}
