//! The compute pass of one field of deltas: its buffers, and what one slice of it did.

use bytemuck::{Pod, Zeroable};

use super::rounds::Slice;
use super::table::{MOST_LEVELS, Outline, Table, TableEnd};
use crate::engine::gpu::kernel::{EscapeUniform, Program};
use crate::engine::gpu::submission::{Tally, Took, long, word};
use crate::gpu::{Gpu, GpuError, SampleBuffer, shader, storage_buffer, uniform_buffer};
use crate::math::FloatExp;
use crate::render::{EscapeTime, Grid};

/// Most pixels that are followed at the same time: 24 MiB of orbits.
pub const BATCH: u32 = 1 << 20;
/// Threads of a workgroup.
pub const GROUP: u32 = 64;
/// Bytes of the tally.
const TALLY_LEN: u64 = 28;

/// `Slice` of deltas.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct SliceUniform {
    escape: EscapeUniform,
    size: [u32; 2],
    first_pixel: u32,
    first: u32,
    end: u32,
    list: u32,
    next_list: u32,
    fresh: u32,
    turns: u32,
    max_iterations: u32,
    limit: u32,
    last: u32,
    end_kind: u32,
    period: u32,
    levels: u32,
    unit: f32,
    unit_exponent: i32,
    padding: [u32; 3],
    starts: [u32; MOST_LEVELS + 1],
}

/// `Orbit` of deltas.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Orbit {
    delta: [f32; 2],
    exponent: i32,
    m: u32,
    n: u32,
    padding: u32,
}

/// What is asked of the points of a field.
pub struct Aim<'a> {
    pub task: &'a EscapeTime,
    /// Whether fractions of counts are wanted.
    pub smooth: bool,
    /// What offsets from the reference are counted in.
    pub unit: FloatExp,
    /// Steps after which an orbit is given up, at most the cap.
    pub limit: u32,
}

/// What a slice did.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Steps and blocks executed.
    pub turns: u64,
    /// Counts of the pixels found to escape, together.
    pub steps: u64,
    /// Pixels found inside.
    pub inside: u32,
    /// Pixels whose orbits are too long for f32.
    pub given_up: u32,
    pub undecided: u32,
}

/// Room for the orbits of a batch, and for its two lists.
#[derive(Clone)]
pub struct Room {
    orbits: wgpu::Buffer,
    lists: wgpu::Buffer,
}

impl Room {
    /// For at least so many pixels.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn new(gpu: &Gpu, pixels: u32) -> Result<Self, GpuError> {
        let buffer = |what, len| storage_buffer(gpu, what, u64::from(pixels) * len, wgpu::BufferUsages::empty());
        Ok(Self { orbits: buffer("the orbits", size_of::<Orbit>() as u64)?, lists: buffer("the lists", 8)? })
    }

    pub fn pixels(&self) -> u32 {
        (self.lists.size() / 8) as u32
    }
}

/// A field being computed.
pub struct Kernel<'a> {
    gpu: &'a Gpu,
    program: &'a Program,
    room: u32,
    uniform: SliceUniform,
    uniform_buffer: wgpu::Buffer,
    tally: Tally,
    bind_group: wgpu::BindGroup,
}

impl<'a> Kernel<'a> {
    /// Makes ready for the points at `offsets`, whose samples go to `samples`.
    ///
    /// # Errors
    /// [`GpuError`] where the device is gone or has no room.
    pub fn new(
        gpu: &'a Gpu,
        program: &'a Program,
        table: &Table,
        aim: &Aim<'_>,
        offsets: &Grid,
        samples: &SampleBuffer,
        room: &Room,
    ) -> Result<Self, GpuError> {
        let uniform = SliceUniform::new(aim, &table.outline, samples.size());
        let axes = axes(offsets);
        let points = storage_buffer(gpu, "the offsets", 8 * axes.len() as u64, wgpu::BufferUsages::COPY_DST)?;
        let tally = Tally::new(gpu, TALLY_LEN)?;
        gpu.checked("the kernel", |_| {
            gpu.queue.write_buffer(&points, 0, bytemuck::cast_slice(&axes));
            let uniform_buffer = uniform_buffer(gpu, bytemuck::bytes_of(&uniform));
            let (Room { orbits, lists }, Table { points: reference, blocks, .. }) = (room, table);
            let buffers =
                [&uniform_buffer, &points, reference, blocks, orbits, lists, samples.buffer(), tally.counters()];
            let resources = buffers.map(wgpu::Buffer::as_entire_binding);
            let bind_group = shader::bind_group(gpu, "deltas", &program.pipeline, &resources);
            Self { gpu, program, room: room.pixels(), uniform, uniform_buffer, tally, bind_group }
        })
    }

    /// Runs a slice of the batch that begins at a pixel, and waits for it.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone.
    pub fn run(&mut self, first_pixel: u32, slice: &Slice) -> Result<(Outcome, Took), GpuError> {
        let half = |second: bool| if second { self.room } else { 0 };
        let uniform = &mut self.uniform;
        uniform.first_pixel = first_pixel;
        (uniform.first, uniform.end) = (slice.places.start, slice.places.end);
        uniform.list = half(slice.second_list);
        uniform.next_list = half(!slice.second_list) + slice.written;
        uniform.fresh = u32::from(slice.fresh);
        uniform.turns = slice.turns;
        let record = |pass: &mut wgpu::ComputePass<'_>| {
            self.gpu.queue.write_buffer(&self.uniform_buffer, 0, bytemuck::bytes_of(&self.uniform));
            pass.set_pipeline(&self.program.pipeline);
            pass.set_bind_group(0, &self.bind_group, &[]);
            pass.dispatch_workgroups((slice.places.len() as u32).div_ceil(GROUP), 1, 1);
        };
        let read = |tally: &[u8]| Outcome {
            turns: long(tally, 0),
            steps: long(tally, 8),
            inside: word(tally, 16),
            given_up: word(tally, 20),
            undecided: word(tally, 24),
        };
        self.tally.run(self.gpu, self.program.clock.as_ref(), record, read)
    }
}

impl SliceUniform {
    fn new(aim: &Aim<'_>, outline: &Outline, size: [u32; 2]) -> Self {
        let (end_kind, period) = match outline.end {
            TableEnd::Rebase => (0, 0),
            TableEnd::Cycle(period) => (1, period),
            TableEnd::Stop => (2, 0),
        };
        Self {
            escape: EscapeUniform::new(aim.task, aim.smooth),
            size,
            max_iterations: aim.task.max_iterations,
            limit: aim.limit,
            last: outline.last,
            end_kind,
            period,
            levels: outline.levels,
            unit: aim.unit.mantissa() as f32,
            unit_exponent: aim.unit.exponent() as i32,
            starts: outline.starts,
            ..Self::zeroed()
        }
    }
}

/// The grid's offsets, each rounded once to f32: columns, then rows.
fn axes(grid: &Grid) -> Vec<[f32; 2]> {
    let pair = |(&re, &im): (&f64, &f64)| [re as f32, im as f32];
    grid.re_x.iter().zip(&grid.im_x).map(pair).chain(grid.re_y.iter().zip(&grid.im_y).map(pair)).collect()
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::gpu::shader::assert_layout;

    #[test]
    fn uniforms_and_orbits_lie_as_the_shader_reads_them() {
        let members = [
            ("escape", offset_of!(SliceUniform, escape)),
            ("size", offset_of!(SliceUniform, size)),
            ("first_pixel", offset_of!(SliceUniform, first_pixel)),
            ("first", offset_of!(SliceUniform, first)),
            ("end", offset_of!(SliceUniform, end)),
            ("list", offset_of!(SliceUniform, list)),
            ("next_list", offset_of!(SliceUniform, next_list)),
            ("fresh", offset_of!(SliceUniform, fresh)),
            ("turns", offset_of!(SliceUniform, turns)),
            ("max_iterations", offset_of!(SliceUniform, max_iterations)),
            ("limit", offset_of!(SliceUniform, limit)),
            ("last", offset_of!(SliceUniform, last)),
            ("end_kind", offset_of!(SliceUniform, end_kind)),
            ("period", offset_of!(SliceUniform, period)),
            ("levels", offset_of!(SliceUniform, levels)),
            ("unit", offset_of!(SliceUniform, unit)),
            ("unit_exponent", offset_of!(SliceUniform, unit_exponent)),
            ("starts", offset_of!(SliceUniform, starts)),
        ];
        assert_layout("deltas", "Slice", size_of::<SliceUniform>(), &members);
        let members = [
            ("delta", offset_of!(Orbit, delta)),
            ("exponent", offset_of!(Orbit, exponent)),
            ("m", offset_of!(Orbit, m)),
            ("n", offset_of!(Orbit, n)),
        ];
        // Storage buffers have no rounding, and the test rounds to whole vectors.
        assert_layout("deltas", "Orbit", size_of::<Orbit>().next_multiple_of(16), &members);
    }
}
