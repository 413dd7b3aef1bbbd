//! The compute pass of one diagram: its buffers, and one part of it at a time.

use bytemuck::{Pod, Zeroable};

use super::super::kernel::Program;
use super::super::submission::{Tally, Took, long};
use super::parts::{GROUP_COLUMNS, Part};
use super::rule::DeviceTask;
use crate::gpu::{DiagramBuffer, Gpu, GpuError, shader, storage_buffer, uniform_buffer};
use crate::render::{Columns, Fan, Ordinate};

/// Width of the noise that keeps orbits of f32 from falling into cycles that are rounding's: four units in the last
/// place of 1.
const DITHER: f32 = 4.8e-7;
/// Largest parameter that a shader compares with: infinities have no place there.
const FARTHEST: f64 = 1e30;

/// `Effort` of lib/orbit.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct EffortUniform {
    transient: u32,
    most_period: u32,
    most_transient: u32,
    escape_radius: f32,
}

/// `Slice` of orbit_density.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct SliceUniform {
    effort: EffortUniform,
    parameters: [f32; 2],
    size: [u32; 2],
    kept: u32,
    first_column: u32,
    end_column: u32,
    first_orbit: u32,
    end_orbit: u32,
    column_number: u32,
    column_stride: u32,
    seed: f32,
    width: f32,
    top: f32,
    rows_per_unit: f32,
    orbit_width: f32,
    dither: f32,
    line: f32,
    shows_second: u32,
    upside_down: u32,
    fan_skip: u32,
    fan_steps: u32,
    padding: [u32; 2],
}

/// A diagram being computed.
pub struct Kernel<'a> {
    gpu: &'a Gpu,
    program: &'a Program,
    uniform: SliceUniform,
    uniform_buffer: wgpu::Buffer,
    tally: Tally,
    bind_group: wgpu::BindGroup,
}

impl<'a> Kernel<'a> {
    /// Makes ready for the columns of a job, to be added to `diagram`.
    pub fn new(
        gpu: &'a Gpu,
        program: &'a Program,
        columns: &Columns<'_, impl DeviceTask>,
        diagram: &DiagramBuffer,
    ) -> Result<Self, GpuError> {
        let uniform = SliceUniform::new(columns);
        let table = table(columns);
        let tally = Tally::new(gpu, size_of::<u64>() as u64)?;
        let table_len = size_of_val(&*table) as u64;
        let table_buffer = storage_buffer(gpu, "the table", table_len, wgpu::BufferUsages::COPY_DST)?;
        gpu.checked("the kernel", |_| {
            gpu.queue.write_buffer(&table_buffer, 0, bytemuck::cast_slice(&table));
            let uniform_buffer = uniform_buffer(gpu, bytemuck::bytes_of(&uniform));
            let resources = [
                &uniform_buffer,
                &table_buffer,
                diagram.columns(),
                diagram.density(),
                diagram.marks(),
                diagram.coverage(),
                diagram.fan(),
                tally.counters(),
            ]
            .map(wgpu::Buffer::as_entire_binding);
            let bind_group = shader::bind_group(gpu, "orbit density", &program.pipeline, &resources);
            Self { gpu, program, uniform, uniform_buffer, tally, bind_group }
        })
    }

    /// Adds a part, and waits for it: the steps that its orbits took, and the time.
    pub fn run(&mut self, part: &Part) -> Result<(u64, Took), GpuError> {
        (self.uniform.first_column, self.uniform.end_column) = (part.columns.start, part.columns.end);
        (self.uniform.first_orbit, self.uniform.end_orbit) = (part.orbits.start, part.orbits.end);
        let groups = (part.columns.len() as u32).div_ceil(GROUP_COLUMNS);
        let record = |pass: &mut wgpu::ComputePass<'_>| {
            self.gpu.queue.write_buffer(&self.uniform_buffer, 0, bytemuck::bytes_of(&self.uniform));
            pass.set_pipeline(&self.program.pipeline);
            pass.set_bind_group(0, &self.bind_group, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        };
        self.tally.run(self.gpu, self.program.clock.as_ref(), record, |tally| long(tally, 0))
    }
}

impl SliceUniform {
    fn new(columns: &Columns<'_, impl DeviceTask>) -> Self {
        let (task, effort) = (columns.task, columns.task.effort());
        let fan = task.fan().unwrap_or(Fan { skip: 0, steps: 0 });
        let (column_number, column_stride) = columns.numbers();
        let effort = EffortUniform {
            transient: effort.transient,
            most_period: effort.most_period,
            most_transient: effort.most_transient,
            escape_radius: task.escape_radius() as f32,
        };
        Self {
            effort,
            parameters: task.parameters().map(|p| p.clamp(-FARTHEST, FARTHEST) as f32),
            size: columns.size(),
            kept: task.kept(),
            column_number,
            column_stride,
            seed: task.seed() as f32,
            width: columns.width() as f32,
            top: columns.top() as f32,
            rows_per_unit: columns.rows_per_unit() as f32,
            orbit_width: columns.orbit_width() as f32,
            dither: DITHER,
            line: task.line() as f32,
            shows_second: u32::from(task.ordinate() == Ordinate::Im),
            upside_down: u32::from(columns.is_upside_down()),
            fan_skip: fan.skip,
            fan_steps: fan.steps,
            ..Self::zeroed()
        }
    }
}

/// The left edge of each column in two numbers, then the light of each point of the fan.
fn table(columns: &Columns<'_, impl DeviceTask>) -> Vec<[f32; 2]> {
    let edges = (0..columns.size()[0]).map(|column| in_two(columns.edge(column)));
    let steps = columns.task.fan().map_or(0, |fan| fan.steps);
    edges.chain((1..=steps).map(|n| [Fan::light(n) as f32, 0.0])).collect()
}

/// A number as the nearest f32, and the rest.
fn in_two(number: f64) -> [f32; 2] {
    let nearest = number as f32;
    [nearest, (number - f64::from(nearest)) as f32]
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::gpu::shader::assert_layout;

    #[test]
    fn uniforms_lie_as_the_shader_reads_them() {
        let members = [
            ("transient", offset_of!(EffortUniform, transient)),
            ("most_period", offset_of!(EffortUniform, most_period)),
            ("most_transient", offset_of!(EffortUniform, most_transient)),
            ("escape_radius", offset_of!(EffortUniform, escape_radius)),
        ];
        assert_layout("orbit_density", "Effort", size_of::<EffortUniform>(), &members);
        let members = [
            ("effort", offset_of!(SliceUniform, effort)),
            ("parameters", offset_of!(SliceUniform, parameters)),
            ("size", offset_of!(SliceUniform, size)),
            ("kept", offset_of!(SliceUniform, kept)),
            ("first_column", offset_of!(SliceUniform, first_column)),
            ("end_column", offset_of!(SliceUniform, end_column)),
            ("first_orbit", offset_of!(SliceUniform, first_orbit)),
            ("end_orbit", offset_of!(SliceUniform, end_orbit)),
            ("column_number", offset_of!(SliceUniform, column_number)),
            ("column_stride", offset_of!(SliceUniform, column_stride)),
            ("seed", offset_of!(SliceUniform, seed)),
            ("width", offset_of!(SliceUniform, width)),
            ("top", offset_of!(SliceUniform, top)),
            ("rows_per_unit", offset_of!(SliceUniform, rows_per_unit)),
            ("orbit_width", offset_of!(SliceUniform, orbit_width)),
            ("dither", offset_of!(SliceUniform, dither)),
            ("line", offset_of!(SliceUniform, line)),
            ("shows_second", offset_of!(SliceUniform, shows_second)),
            ("upside_down", offset_of!(SliceUniform, upside_down)),
            ("fan_skip", offset_of!(SliceUniform, fan_skip)),
            ("fan_steps", offset_of!(SliceUniform, fan_steps)),
        ];
        assert_layout("orbit_density", "Slice", size_of::<SliceUniform>(), &members);
    }

    #[test]
    fn edges_keep_the_digits_that_f32_lacks() {
        for number in [-1.9, 0.1 + 1e-9, 3.999_999, 0.0] {
            let [nearest, rest] = in_two(number).map(f64::from);
            assert!((nearest + rest - number).abs() < 1e-14, "{number}: {nearest} + {rest}");
        }
    }
}
