//! The colour pass of diagrams: layers to a picture's pixels, on the device. The GPU twin of
//! [`paint_diagram`](super::paint_diagram), which is its definition.
//!
//! The median of the densities is found on the device as well: bins are filled, then added up, then used.

use bytemuck::{Pod, Zeroable};

use super::COUNT_BINS;
use super::diagram::{DEPTH, DOUBLING_HUE, DiagramScheme, EXPONENT_STOPS, GLOW, GLOW_SHARE, HUES, ODD_HUE, Rgb, WHITE};
use crate::gpu::{DiagramBuffer, Gpu, GpuError, Picture, shader, storage_buffer, uniform_buffer};
use crate::render::Strip;

/// Pixels along a workgroup's side where colours are made, as in the shader.
const GROUP: u32 = 8;
/// Densities that a workgroup puts into bins, as in the shader.
const COUNTED: u32 = 64 * 256;

/// Colours diagrams where they are. One for the whole program; make it off the thread that draws.
pub struct DiagramPass {
    gpu: Gpu,
    fill_bins: wgpu::ComputePipeline,
    find_median: wgpu::ComputePipeline,
    color: wgpu::ComputePipeline,
    bins: wgpu::Buffer,
    median: wgpu::Buffer,
}

/// `Colors` of diagram_color.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct ColorsUniform {
    exponent_stops: [[f32; 4]; 6],
    tone_stops: [[f32; 4]; 6],
    ground: [f32; 4],
    white: [f32; 4],
    hues: [f32; 4],
    odd_hue: f32,
    doubling_hue: f32,
    depth: f32,
    glow: f32,
    glow_share: f32,
    by_exponent: u32,
    covered: f32,
    padding: u32,
}

impl DiagramPass {
    /// Compiles the pass.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses it.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let pipeline = |name| shader::compute_pipeline(gpu, name, None, shader::Checks::Full);
        let buffer = |what, words: usize| storage_buffer(gpu, what, 4 * words as u64, wgpu::BufferUsages::COPY_DST);
        Ok(Self {
            gpu: gpu.clone(),
            fill_bins: pipeline("diagram_bins")?,
            find_median: pipeline("diagram_median")?,
            color: pipeline("diagram_color")?,
            bins: buffer("the bins", COUNT_BINS)?,
            median: buffer("the median", 1)?,
        })
    }

    /// Records the colouring of `diagram` into `picture`, which must have its size.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost.
    pub fn paint(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        scheme: DiagramScheme,
        diagram: &DiagramBuffer,
        picture: &Picture,
    ) -> Result<(), GpuError> {
        debug_assert_eq!(diagram.size(), picture.size());
        let [width, height] = picture.size();
        let colors = ColorsUniform::new(scheme, diagram.orbits());
        let [density, bins, median] =
            [diagram.density(), &self.bins, &self.median].map(wgpu::Buffer::as_entire_binding);
        let [fill_bins, find_median, color] = self.gpu.checked("the colour pass", |_| {
            let colors = uniform_buffer(&self.gpu, bytemuck::bytes_of(&colors));
            let pixels = [
                colors.as_entire_binding(),
                diagram.columns().as_entire_binding(),
                density.clone(),
                diagram.coverage().as_entire_binding(),
                median.clone(),
                wgpu::BindingResource::TextureView(picture.view()),
            ];
            [
                self.bind_group(&self.fill_bins, &[density, bins.clone()]),
                self.bind_group(&self.find_median, &[bins, median]),
                self.bind_group(&self.color, &pixels),
            ]
        })?;
        encoder.clear_buffer(&self.bins, 0, None);
        let mut pass =
            encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some("diagram"), timestamp_writes: None });
        let mut dispatch = |pipeline, bind_group, groups: [u32; 2]| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, bind_group, &[]);
            pass.dispatch_workgroups(groups[0], groups[1], 1);
        };
        dispatch(&self.fill_bins, &fill_bins, [(width * height).div_ceil(COUNTED), 1]);
        dispatch(&self.find_median, &find_median, [1, 1]);
        dispatch(&self.color, &color, [height.div_ceil(GROUP), width.div_ceil(GROUP)]);
        Ok(())
    }

    /// The resources of a pipeline, bound in the order of their numbers.
    fn bind_group(&self, pipeline: &wgpu::ComputePipeline, resources: &[wgpu::BindingResource<'_>]) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("diagram"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }
}

impl ColorsUniform {
    /// For a diagram of that many orbits a column.
    fn new(scheme: DiagramScheme, orbits: u32) -> Self {
        Self {
            exponent_stops: EXPONENT_STOPS.map(vector),
            tone_stops: scheme.stops().map_or([[0.0; 4]; 6], |stops| stops.map(vector)),
            ground: vector(scheme.ground()),
            white: vector(WHITE),
            hues: HUES.map(|hue| hue as f32),
            odd_hue: ODD_HUE as f32,
            doubling_hue: DOUBLING_HUE as f32,
            depth: DEPTH as f32,
            glow: GLOW as f32,
            glow_share: GLOW_SHARE as f32,
            by_exponent: scheme.stops().is_none().into(),
            covered: Strip::COVERED as f32 * orbits.max(1) as f32,
            padding: 0,
        }
    }
}

fn vector([r, g, b]: Rgb) -> [f32; 4] {
    [r as f32, g as f32, b as f32, 1.0]
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::render::Column;

    #[test]
    fn colors_lie_as_the_shader_reads_them() {
        let members = [
            ("exponent_stops", offset_of!(ColorsUniform, exponent_stops)),
            ("tone_stops", offset_of!(ColorsUniform, tone_stops)),
            ("ground", offset_of!(ColorsUniform, ground)),
            ("white", offset_of!(ColorsUniform, white)),
            ("hues", offset_of!(ColorsUniform, hues)),
            ("odd_hue", offset_of!(ColorsUniform, odd_hue)),
            ("doubling_hue", offset_of!(ColorsUniform, doubling_hue)),
            ("depth", offset_of!(ColorsUniform, depth)),
            ("glow", offset_of!(ColorsUniform, glow)),
            ("glow_share", offset_of!(ColorsUniform, glow_share)),
            ("by_exponent", offset_of!(ColorsUniform, by_exponent)),
            ("covered", offset_of!(ColorsUniform, covered)),
        ];
        shader::assert_layout("diagram_color", "Colors", size_of::<ColorsUniform>(), &members);
    }

    #[test]
    fn columns_lie_as_the_shader_reads_them() {
        let members = [
            ("periodic", offset_of!(Column, periodic)),
            ("unsettled", offset_of!(Column, unsettled)),
            ("period", offset_of!(Column, period)),
            ("padding", offset_of!(Column, padding)),
            ("periodic_exponents", offset_of!(Column, periodic_exponents)),
            ("unsettled_exponents", offset_of!(Column, unsettled_exponents)),
        ];
        shader::assert_layout("diagram_color", "Column", size_of::<Column>(), &members);
    }
}
