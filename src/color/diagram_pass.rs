//! The colour pass of diagrams: layers to a picture's pixels, on the device. The GPU twin of
//! [`paint_diagram`](super::paint_diagram), which is its definition.
//!
//! The median of the densities, those that [`Tone::of`](super::Tone::of) measures, is found on the device as well: bins are
//! filled, then added up, then used.

use bytemuck::{Pod, Zeroable};

use super::COUNT_BINS;
use super::diagram::{DEPTH, DOUBLING_HUE, DiagramScheme, EXPONENT_STOPS, GLOW, GLOW_SHARE, HUES, ODD_HUE, Rgb, WHITE};
use super::section::{FAN_SHARE, FULL, GAIN, GREY, GREY_SHARE, fan_hue};
use super::tone::tone_columns;
use crate::gpu::{DiagramBuffer, Gpu, GpuError, Picture, shader, storage_buffer, uniform_buffer};
use crate::render::{Fan, Line, Span, Strip};

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
    color_section: wgpu::ComputePipeline,
    bins: wgpu::Buffer,
    median: wgpu::Buffer,
}

/// `Measured` of diagram_bins.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct MeasuredUniform {
    first: u32,
    stride: u32,
    columns: u32,
    height: u32,
}

/// `Periods` of lib/period.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct PeriodsUniform {
    hues: [f32; 4],
    odd_hue: f32,
    doubling_hue: f32,
    depth: f32,
    padding: u32,
}

/// `Colors` of section_color.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct SectionUniform {
    ground: [f32; 4],
    grey: [f32; 4],
    curve: [f32; 4],
    fan: [f32; 4],
    periods: PeriodsUniform,
    tells: u32,
    first_hue: f32,
    column_hue: f32,
    gain: f32,
    full: f32,
    fan_share: f32,
    grey_share: f32,
    light: f32,
    covered: f32,
    padding: [u32; 3],
}

/// `Colors` of diagram_color.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct ColorsUniform {
    exponent_stops: [[f32; 4]; 6],
    tone_stops: [[f32; 4]; 6],
    ground: [f32; 4],
    white: [f32; 4],
    periods: PeriodsUniform,
    glow: f32,
    glow_share: f32,
    by_exponent: u32,
    covered: f32,
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
            color_section: pipeline("section_color")?,
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
        let [density, bins, median] =
            [diagram.density(), &self.bins, &self.median].map(wgpu::Buffer::as_entire_binding);
        let color = if diagram.shape().line.is_some() { &self.color_section } else { &self.color };
        let bind_group = |pipeline, resources: &[wgpu::BindingResource<'_>]| {
            shader::bind_group(&self.gpu, "diagram", pipeline, resources)
        };
        let measured = MeasuredUniform::new([width, height]);
        let [fill_bins, find_median, pixels] = self.gpu.checked("the colour pass", |_| {
            let colors = match diagram.shape().line {
                Some(line) => self.uniform(&SectionUniform::new(scheme, diagram.orbits(), line)),
                None => self.uniform(&ColorsUniform::new(scheme, diagram.orbits())),
            };
            let mut pixels = vec![
                colors.as_entire_binding(),
                diagram.columns().as_entire_binding(),
                density.clone(),
                diagram.coverage().as_entire_binding(),
                median.clone(),
                wgpu::BindingResource::TextureView(picture.view()),
            ];
            if diagram.shape().line.is_some() {
                pixels.push(diagram.fan().as_entire_binding());
            }
            [
                bind_group(&self.fill_bins, &[density, bins.clone(), self.uniform(&measured).as_entire_binding()]),
                bind_group(&self.find_median, &[bins, median]),
                bind_group(color, &pixels),
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
        dispatch(&self.fill_bins, &fill_bins, [(measured.columns * height).div_ceil(COUNTED), 1]);
        dispatch(&self.find_median, &find_median, [1, 1]);
        dispatch(color, &pixels, [height.div_ceil(GROUP), width.div_ceil(GROUP)]);
        Ok(())
    }

    fn uniform(&self, content: &impl Pod) -> wgpu::Buffer {
        uniform_buffer(&self.gpu, bytemuck::bytes_of(content))
    }
}

impl MeasuredUniform {
    /// Of a diagram of `size` pixels.
    fn new([width, height]: [u32; 2]) -> Self {
        let Span { first, stride, count: columns, .. } = tone_columns(width);
        Self { first, stride, columns, height }
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
            periods: PeriodsUniform::new(),
            glow: GLOW as f32,
            glow_share: GLOW_SHARE as f32,
            by_exponent: scheme.stops().is_none().into(),
            covered: Strip::COVERED as f32 * orbits.max(1) as f32,
        }
    }
}

impl PeriodsUniform {
    fn new() -> Self {
        Self {
            hues: HUES.map(|hue| hue as f32),
            odd_hue: ODD_HUE as f32,
            doubling_hue: DOUBLING_HUE as f32,
            depth: DEPTH as f32,
            padding: 0,
        }
    }
}

impl SectionUniform {
    /// For a section along a line of parameters, of that many orbits a column.
    fn new(scheme: DiagramScheme, orbits: u32, line: Line) -> Self {
        let hues = [0, 1].map(|column| fan_hue(line.middle(column)));
        let [fan, curve] = scheme.stops().map_or([[0.0; 3]; 2], |stops| [stops[3], stops[5]]);
        Self {
            ground: vector(scheme.ground()),
            grey: vector(GREY),
            curve: vector(curve),
            fan: vector(fan),
            periods: PeriodsUniform::new(),
            tells: scheme.stops().is_none().into(),
            first_hue: hues[0] as f32,
            column_hue: (hues[1] - hues[0]) as f32,
            gain: GAIN as f32,
            full: (GAIN * FULL).ln_1p() as f32,
            fan_share: FAN_SHARE as f32,
            grey_share: GREY_SHARE as f32,
            light: Fan::UNIT as f32 * orbits.max(1) as f32,
            covered: Strip::COVERED as f32 * orbits.max(1) as f32,
            padding: [0; 3],
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
    fn what_is_measured_lies_as_the_shader_reads_it() {
        let members = [
            ("first", offset_of!(MeasuredUniform, first)),
            ("stride", offset_of!(MeasuredUniform, stride)),
            ("columns", offset_of!(MeasuredUniform, columns)),
            ("height", offset_of!(MeasuredUniform, height)),
        ];
        shader::assert_layout("diagram_bins", "Measured", size_of::<MeasuredUniform>(), &members);
    }

    #[test]
    fn colors_lie_as_the_shader_reads_them() {
        let members = [
            ("exponent_stops", offset_of!(ColorsUniform, exponent_stops)),
            ("tone_stops", offset_of!(ColorsUniform, tone_stops)),
            ("ground", offset_of!(ColorsUniform, ground)),
            ("white", offset_of!(ColorsUniform, white)),
            ("periods", offset_of!(ColorsUniform, periods)),
            ("glow", offset_of!(ColorsUniform, glow)),
            ("glow_share", offset_of!(ColorsUniform, glow_share)),
            ("by_exponent", offset_of!(ColorsUniform, by_exponent)),
            ("covered", offset_of!(ColorsUniform, covered)),
        ];
        shader::assert_layout("diagram_color", "Colors", size_of::<ColorsUniform>(), &members);
    }

    #[test]
    fn colors_of_sections_lie_as_the_shader_reads_them() {
        let members = [
            ("hues", offset_of!(PeriodsUniform, hues)),
            ("odd_hue", offset_of!(PeriodsUniform, odd_hue)),
            ("doubling_hue", offset_of!(PeriodsUniform, doubling_hue)),
            ("depth", offset_of!(PeriodsUniform, depth)),
        ];
        shader::assert_layout("section_color", "Periods", size_of::<PeriodsUniform>(), &members);
        let members = [
            ("ground", offset_of!(SectionUniform, ground)),
            ("grey", offset_of!(SectionUniform, grey)),
            ("curve", offset_of!(SectionUniform, curve)),
            ("fan", offset_of!(SectionUniform, fan)),
            ("periods", offset_of!(SectionUniform, periods)),
            ("tells", offset_of!(SectionUniform, tells)),
            ("first_hue", offset_of!(SectionUniform, first_hue)),
            ("column_hue", offset_of!(SectionUniform, column_hue)),
            ("gain", offset_of!(SectionUniform, gain)),
            ("full", offset_of!(SectionUniform, full)),
            ("fan_share", offset_of!(SectionUniform, fan_share)),
            ("grey_share", offset_of!(SectionUniform, grey_share)),
            ("light", offset_of!(SectionUniform, light)),
            ("covered", offset_of!(SectionUniform, covered)),
        ];
        shader::assert_layout("section_color", "Colors", size_of::<SectionUniform>(), &members);
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
