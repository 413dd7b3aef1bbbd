//! The vector kernel: escape times of many points at once, with counts bit-equal to the definition's.
//!
//! A tile that a bulb holds is filled (`inside`). Any other meets three things in turn. The first pass (`first_pass`) leaves out what shortcuts know and
//! iterates neighbours together while they are likely to escape together. The stream
//! (`stream`, `flight`) iterates the rest in lanes that are refilled as points end, testing once in several steps. The
//! replay (`replay`) finds the exact step at which a point escaped. All of it is written once, over
//! the vectors of `fearless_simd`, and compiled for each instruction set and each formula.
//!
//! # Why counts are exact
//! - Every operation on z is the definition's own, [`Formula::step`], rounded once.
//! - Blocks are tested only where escape [lasts](crate::fractal::interior::lasting_escape).
//! - A cycle is a state that is met again bit for bit, so the orbit is periodic by proof.
//!
//! # Why it is fast
//! z² + c needs four operations; a test at every step would need three more. One test in k steps
//! brings that to 4 + 3/k, and vectors in flight are as many as hide the latency of the operations.

mod columns;
mod first_pass;
mod flight;
mod inside;
mod lanes;
mod points;
mod replay;
mod slots;
mod stream;
mod work;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use crate::fractal::{Formula, FormulaVisitor};
use crate::render::RenderError;

pub(super) use columns::{Column, each_lane};
pub(super) use lanes::{Lanes, Mask};
pub use stream::Scratch;
pub use work::{Steps, Work};

/// Largest side of a tile, in samples.
pub const MOST_SIDE: u32 = 64;

/// Side of a tile where nothing speaks for smaller ones.
pub const SIDE: u32 = 32;

/// Computes tiles of `work` on this thread until none are left.
///
/// # Errors
/// [`RenderError::Cancelled`] within microseconds of the job being stale.
pub fn run(level: Level, work: &Work, scratch: &mut Scratch) -> Result<Steps, RenderError> {
    dispatch!(level, simd => work.task.formula.visit(Run { simd, work, scratch }))
}

/// The instruction set in use and its vectors: `f64 × 8 (AVX-512)`.
pub fn describe(level: Level) -> String {
    format!("f64 × {} ({})", lanes(level), isa(level))
}

/// Numbers in one vector.
pub fn lanes(level: Level) -> usize {
    #[inline(always)]
    fn lanes<S: Simd>(_: S) -> usize {
        S::f64s::LEN
    }
    dispatch!(level, simd => lanes(simd))
}

/// Steps that the stream does between two tests, k in the bound 4 + 3/k.
pub fn steps_between_tests(level: Level) -> usize {
    match lanes(level) {
        8 => K_OF_8,
        4 => K_OF_4,
        _ => K_OF_FEW,
    }
}

/// Name of the instruction set.
pub fn isa(level: Level) -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        match () {
            () if level.as_avx512().is_some() => "AVX-512",
            () if level.as_avx2().is_some() => "AVX2",
            () => "SSE, no fused multiply-add",
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        if level.as_neon().is_some() { "NEON" } else { "portable" }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = level;
        "portable"
    }
}

struct Run<'a, S> {
    simd: S,
    work: &'a Work<'a>,
    scratch: &'a mut Scratch,
}

impl<S: Simd> FormulaVisitor for Run<'_, S> {
    type Output = Result<Steps, RenderError>;

    fn visit<F: Formula>(self) -> Self::Output {
        let Self { simd, work, scratch } = self;
        scratch.begin::<S>(work);
        simd.vectorize(
            #[inline(always)]
            || {
                if work.smooth.is_some() {
                    shaped::<S, F, true>(simd, work, scratch)
                } else {
                    shaped::<S, F, false>(simd, work, scratch)
                }
            },
        )
    }
}

/// Steps in a block, for vectors of 8, of 4, and of fewer numbers.
const K_OF_8: usize = 24;
const K_OF_4: usize = 8;
const K_OF_FEW: usize = 8;

/// Runs the stream in the shape that suits the processor: vectors in flight and steps in a block.
#[inline(always)]
fn shaped<S: Simd, F: Formula, const SMOOTH: bool>(
    simd: S,
    work: &Work,
    scratch: &mut Scratch,
) -> Result<Steps, RenderError> {
    match S::f64s::LEN {
        8 => stream::run::<S, F, SMOOTH, 8, K_OF_8>(simd, work, scratch),
        4 => stream::run::<S, F, SMOOTH, 6, K_OF_4>(simd, work, scratch),
        _ => stream::run::<S, F, SMOOTH, 8, K_OF_FEW>(simd, work, scratch),
    }
}
