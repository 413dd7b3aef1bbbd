//! The compute pass of one field: its buffers, and what one slice of it did.

use bytemuck::{Pod, Zeroable};

use super::pace::{MOST_GROUPS, STRIP, Slice};
use super::submission::{Tally, Took, long, word};
use crate::fractal::{Formula, FormulaVisitor};
use crate::gpu::{Gpu, GpuError, PassClock, SampleBuffer, shader, storage_buffer, uniform_buffer};
use crate::render::{EscapeTime, Grid, Job, Plane};

/// Bytes of the tally before its strips: the steps in two halves, and the pixels known without any.
const TALLY_HEAD: u64 = 12;

/// `Escape` of lib/escape.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EscapeUniform {
    bailout_sq: f32,
    log_log_bailout_sq: f32,
    inverse_log_degree: f32,
    smooth_counts: u32,
}

/// `Slice` of escape_time.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct SliceUniform {
    escape: EscapeUniform,
    size: [u32; 2],
    first_row: u32,
    end_row: u32,
    done: u32,
    steps: u32,
    max_iterations: u32,
    dynamical: u32,
    seed: [f32; 2],
    bulbs: u32,
    fresh: u32,
    groups_of_a_plane: u32,
    padding: [u32; 3],
}

/// What a slice did.
pub struct Outcome {
    /// Steps executed.
    pub steps: u64,
    /// Pixels found inside without a step.
    pub known: u32,
    /// Pixels still undecided, in each strip of the slice.
    pub undecided: Vec<u32>,
}

/// What every field of a formula needs.
pub struct Program {
    pub pipeline: wgpu::ComputePipeline,
    pub clock: Option<PassClock>,
}

/// A field being computed.
pub struct Kernel<'a> {
    gpu: &'a Gpu,
    program: &'a Program,
    uniform: SliceUniform,
    uniform_buffer: wgpu::Buffer,
    tally: Tally,
    bind_group: wgpu::BindGroup,
}

impl<'a> Kernel<'a> {
    /// Makes ready for a field at the points of `grid`; samples go to `samples`, and z to `orbits`,
    /// a buffer of at least [`Kernel::orbits_len`] bytes.
    pub fn new(
        gpu: &'a Gpu,
        program: &'a Program,
        job: &Job,
        grid: &Grid,
        samples: &SampleBuffer,
        orbits: &wgpu::Buffer,
    ) -> Result<Self, GpuError> {
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        let uniform = SliceUniform::new(task, job, samples.size());
        let axes = axes(grid, task);
        let tally_len = TALLY_HEAD + 4 * u64::from(samples.size()[1].div_ceil(STRIP));
        let points = storage_buffer(gpu, "the coordinates", 8 * axes.len() as u64, wgpu::BufferUsages::COPY_DST)?;
        let tally = Tally::new(gpu, tally_len)?;
        gpu.checked("the kernel", |_| {
            gpu.queue.write_buffer(&points, 0, bytemuck::cast_slice(&axes));
            let uniform_buffer = uniform_buffer(gpu, bytemuck::bytes_of(&uniform));
            let resources = [&uniform_buffer, &points, orbits, samples.buffer(), tally.counters()]
                .map(wgpu::Buffer::as_entire_binding);
            let bind_group = shader::bind_group(gpu, "escape time", &program.pipeline, &resources);
            Self { gpu, program, uniform, uniform_buffer, tally, bind_group }
        })
    }

    /// Bytes that the orbits of a field take.
    pub fn orbits_len(size: [u32; 2]) -> u64 {
        u64::from(size[0]) * u64::from(size[1]) * size_of::<[f32; 2]>() as u64
    }

    /// Runs a slice, and waits for it.
    pub fn run(&mut self, slice: &Slice) -> Result<(Outcome, Took), GpuError> {
        self.uniform.first_row = slice.strips.start * STRIP;
        self.uniform.end_row = (slice.strips.end * STRIP).min(self.uniform.size[1]);
        self.uniform.done = slice.done;
        self.uniform.steps = slice.steps;
        self.uniform.fresh = u32::from(slice.fresh);
        let [columns, planes] = column_groups(self.uniform.size[0]);
        let record = |pass: &mut wgpu::ComputePass<'_>| {
            self.gpu.queue.write_buffer(&self.uniform_buffer, 0, bytemuck::bytes_of(&self.uniform));
            pass.set_pipeline(&self.program.pipeline);
            pass.set_bind_group(0, &self.bind_group, &[]);
            pass.dispatch_workgroups(columns, slice.strips.len() as u32, planes);
        };
        let read = |tally: &[u8]| Outcome {
            steps: long(tally, 0),
            known: word(tally, 8),
            undecided: slice
                .strips
                .clone()
                .map(|strip| word(tally, TALLY_HEAD as usize + 4 * strip as usize))
                .collect(),
        };
        self.tally.run(self.gpu, self.program.clock.as_ref(), record, read)
    }
}

impl EscapeUniform {
    /// For a task, with the fractions of counts or without.
    pub fn new(task: &EscapeTime, smooth: bool) -> Self {
        let degree = task.formula.degree();
        let radius = task.bailout.min(largest_radius(degree));
        Self {
            bailout_sq: (radius * radius) as f32,
            log_log_bailout_sq: (2.0 * task.bailout.log2()).log2() as f32,
            inverse_log_degree: degree.log2().recip() as f32,
            smooth_counts: u32::from(smooth),
        }
    }
}

impl SliceUniform {
    fn new(task: &EscapeTime, job: &Job, size: [u32; 2]) -> Self {
        let (dynamical, seed) = match task.plane.c() {
            None => (0, [0.0; 2]),
            Some(c) => (1, [c.re, c.im].map(|v| v.clamp(-LARGEST_C, LARGEST_C) as f32)),
        };
        let escape = EscapeUniform::new(task, job.channels.smooth);
        let has_bulbs = task.plane == Plane::Parameter && task.formula.visit(HasBulbs);
        let bulbs = u32::from(job.shortcuts.bulbs && has_bulbs);
        let [groups_of_a_plane, _] = column_groups(size[0]);
        let max_iterations = task.max_iterations;
        Self { escape, size, max_iterations, dynamical, seed, bulbs, groups_of_a_plane, ..Self::zeroed() }
    }
}

/// Workgroups along a row, and how many times as many where that is more than a dispatch takes along one axis.
fn column_groups(width: u32) -> [u32; 2] {
    let groups = width.div_ceil(STRIP);
    let planes = groups.div_ceil(MOST_GROUPS);
    [groups.div_ceil(planes), planes]
}

/// Whether the main cardioid and the period-2 disc of z² + c are a formula's too.
struct HasBulbs;

impl FormulaVisitor for HasBulbs {
    type Output = bool;

    fn visit<F: Formula>(self) -> bool {
        F::QUADRATIC_BULBS
    }
}

/// Largest |Re c| and |Im c|: |c|² is within f32, and far outside any set.
const LARGEST_C: f64 = 1e18;

/// Largest |z| after which f32 still holds |f(z)|², for a map of that degree.
fn largest_radius(degree: f64) -> f64 {
    10f64.powf(18.0 / degree)
}

/// The grid's coordinates, each rounded once to f32: columns, then rows.
fn axes(grid: &Grid, task: &EscapeTime) -> Vec<[f32; 2]> {
    let largest = match task.plane {
        Plane::Parameter => LARGEST_C,
        Plane::Dynamical { .. } => largest_radius(task.formula.degree()),
    };
    let pair = |(&re, &im): (&f64, &f64)| [re, im].map(|v| v.clamp(-largest / 2.0, largest / 2.0) as f32);
    grid.re_x.iter().zip(&grid.im_x).map(pair).chain(grid.re_y.iter().zip(&grid.im_y).map(pair)).collect()
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::gpu::shader::assert_layout;
    use crate::render::Sample;

    #[test]
    fn uniforms_lie_as_the_shader_reads_them() {
        let members = [
            ("bailout_sq", offset_of!(EscapeUniform, bailout_sq)),
            ("log_log_bailout_sq", offset_of!(EscapeUniform, log_log_bailout_sq)),
            ("inverse_log_degree", offset_of!(EscapeUniform, inverse_log_degree)),
            ("smooth_counts", offset_of!(EscapeUniform, smooth_counts)),
        ];
        assert_layout("escape_time", "Escape", size_of::<EscapeUniform>(), &members);
        let members = [
            ("escape", offset_of!(SliceUniform, escape)),
            ("size", offset_of!(SliceUniform, size)),
            ("first_row", offset_of!(SliceUniform, first_row)),
            ("end_row", offset_of!(SliceUniform, end_row)),
            ("done", offset_of!(SliceUniform, done)),
            ("steps", offset_of!(SliceUniform, steps)),
            ("max_iterations", offset_of!(SliceUniform, max_iterations)),
            ("dynamical", offset_of!(SliceUniform, dynamical)),
            ("seed", offset_of!(SliceUniform, seed)),
            ("bulbs", offset_of!(SliceUniform, bulbs)),
            ("fresh", offset_of!(SliceUniform, fresh)),
            ("groups_of_a_plane", offset_of!(SliceUniform, groups_of_a_plane)),
        ];
        assert_layout("escape_time", "Slice", size_of::<SliceUniform>(), &members);
        // Storage buffers have no rounding, and eight bytes a sample round to one vector of sixteen.
        let members = [("iterations", offset_of!(Sample, iterations)), ("fraction", offset_of!(Sample, fraction))];
        assert_layout("escape_time", "Sample", size_of::<Sample>().next_multiple_of(16), &members);
    }

    #[test]
    fn no_square_overflows_f32() {
        for degree in [2.0, 3.0, 4.0, 7.0] {
            let next = largest_radius(degree).powf(degree) + 2.0 * LARGEST_C;
            assert!(2.0 * next * next < f64::from(f32::MAX), "degree {degree}");
        }
    }
}
