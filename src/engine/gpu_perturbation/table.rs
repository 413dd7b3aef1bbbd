//! A reference and its blocks on the device: f32 mantissas, each complex number with an exponent of its own.

use bytemuck::{Pod, Zeroable};

use super::blocks::{Block, Blocks};
use crate::fractal::reference::{End, Reference};
use crate::gpu::{Gpu, GpuError, storage_buffer};
use crate::math::{Complex, ComplexExp, FloatExp};

/// Levels of blocks that the shader has room for: more than references of [`super::MOST_STEPS`] steps have.
pub const MOST_LEVELS: usize = 31;
/// Of zero in the shader: below all others, and far from where sums of exponents overflow.
pub const ZERO_EXPONENT: i32 = -(1 << 22);
/// The largest |Re Z| and |Im Z|, 2⁵⁹: |Z|² is within f32, and far outside any set.
const LARGEST_PART: f64 = (1_u64 << 59) as f64;

/// What all slices of a view's passes read.
pub struct Table {
    pub points: wgpu::Buffer,
    pub blocks: wgpu::Buffer,
    pub outline: Outline,
}

/// What a shader must know of a table beside its buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Index of the last point.
    pub last: u32,
    pub end: TableEnd,
    pub levels: u32,
    /// First block of each level, and behind the last one.
    pub starts: [u32; MOST_LEVELS + 1],
}

/// What comes after the last point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableEnd {
    /// Orbits go on beside Z_0.
    Rebase,
    /// The last point stands for the one that many indices before, too.
    Cycle(u32),
    /// Orbits that still follow are given up.
    Stop,
}

/// `Point` of deltas.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct PointWords {
    z: [f32; 2],
    exponent: i32,
    padding: u32,
}

/// `Block` of deltas.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct BlockWords {
    a: [f32; 2],
    b: [f32; 2],
    a_exponent: i32,
    b_exponent: i32,
    radius_key: i32,
    padding: u32,
}

impl Table {
    /// Uploads a reference and its blocks.
    ///
    /// # Errors
    /// [`GpuError`] where the device has no room.
    pub fn new(gpu: &Gpu, reference: &Reference, blocks: &Blocks) -> Result<Self, GpuError> {
        let points: Vec<_> = (0..=reference.last()).map(|m| PointWords::from(point(reference, m))).collect();
        let words: Vec<_> = blocks.all().iter().map(BlockWords::from).collect();
        Ok(Self {
            points: uploaded(gpu, "the reference", &points)?,
            blocks: uploaded(gpu, "the blocks", &words)?,
            outline: Outline::new(reference, blocks.starts()),
        })
    }
}

impl Outline {
    fn new(reference: &Reference, level_starts: &[usize]) -> Self {
        let end = match reference.end() {
            End::Escape | End::Nucleus => TableEnd::Rebase,
            End::Cycle { period } => TableEnd::Cycle(period),
            End::Cap => TableEnd::Stop,
        };
        let mut starts = [0; MOST_LEVELS + 1];
        starts.iter_mut().zip(level_starts).for_each(|(to, &start)| *to = start as u32);
        Self { last: reference.last(), end, levels: level_starts.len() as u32 - 1, starts }
    }
}

/// Z_m, or a point that has escaped as well where that is beyond f32.
fn point(reference: &Reference, m: u32) -> ComplexExp {
    let Complex { re, im } = reference.points()[m as usize];
    let [near_re, near_im] = [re, im].map(|part| part.clamp(-LARGEST_PART, LARGEST_PART));
    if [near_re, near_im] == [re, im] { reference.wide(m) } else { Complex::new(near_re, near_im).into() }
}

fn uploaded<T: Pod>(gpu: &Gpu, what: &'static str, content: &[T]) -> Result<wgpu::Buffer, GpuError> {
    // A binding must hold one element at least, whether there is one or not.
    let len = size_of_val(content).max(size_of::<T>()) as u64;
    let buffer = storage_buffer(gpu, what, len, wgpu::BufferUsages::COPY_DST)?;
    gpu.checked(what, |_| gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(content)))?;
    Ok(buffer)
}

impl From<ComplexExp> for PointWords {
    fn from(z: ComplexExp) -> Self {
        let (z, exponent) = words(z);
        Self { z, exponent, padding: 0 }
    }
}

impl From<&Block> for BlockWords {
    fn from(block: &Block) -> Self {
        let ((a, a_exponent), (b, b_exponent)) = (words(block.a), words(block.b));
        Self { a, b, a_exponent, b_exponent, radius_key: size_key(block.radius), padding: 0 }
    }
}

/// Mantissa and exponent, each part rounded once.
fn words(z: ComplexExp) -> ([f32; 2], i32) {
    let Complex { re, im } = z.mantissa();
    // Rounding may carry the larger part to 2, which the shader takes as well.
    ([re as f32, im as f32], z.exponent().max(ZERO_EXPONENT.into()) as i32)
}

/// `size_key` of lib/wide.wgsl, rounded down.
fn size_key(size: FloatExp) -> i32 {
    if size == FloatExp::ZERO {
        return i32::MIN;
    }
    let steps = (size.exponent() + 127) * 256 + ((size.mantissa() - 1.0) * 256.0) as i64;
    steps.clamp((i32::MIN / 2).into(), (i32::MAX / 2).into()) as i32
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::gpu::shader::assert_layout;

    #[test]
    fn points_and_blocks_lie_as_the_shader_reads_them() {
        let members = [("z", offset_of!(PointWords, z)), ("exponent", offset_of!(PointWords, exponent))];
        assert_layout("deltas", "Point", size_of::<PointWords>(), &members);
        let members = [
            ("a", offset_of!(BlockWords, a)),
            ("b", offset_of!(BlockWords, b)),
            ("a_exponent", offset_of!(BlockWords, a_exponent)),
            ("b_exponent", offset_of!(BlockWords, b_exponent)),
            ("radius_key", offset_of!(BlockWords, radius_key)),
        ];
        assert_layout("deltas", "Block", size_of::<BlockWords>(), &members);
    }

    #[test]
    fn keys_grow_with_sizes() {
        let rising = [(1.0, -300_000), (1.5, -5000), (1.0, -4999), (1.25, -1), (1.0, 0), (1.999, 0), (1.0, 1)];
        let keys = rising.map(|(mantissa, exponent)| size_key(FloatExp::new(mantissa, exponent)));
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!(size_key(FloatExp::ZERO) < keys[0]);
        // As the shader makes it of a mantissa's bits.
        assert_eq!(size_key(FloatExp::from(1.5)), (1.5_f32.to_bits() >> 15) as i32);
    }
}
