//! The numbers that deltas are held in: f64 alone, and with an exponent of its own where f64 would underflow.

use super::blocks::Blocks;
use crate::fractal::reference::Reference;
use crate::math::{Complex, ComplexExp, FloatExp};

/// A complex number that can follow a reference.
pub trait Delta: Copy + Into<ComplexExp> {
    type Size: Copy + PartialOrd;
    /// Whether it has an exponent of its own.
    const IS_WIDE: bool;

    /// The larger of the parts' sizes: no square of it can leave the range.
    fn size(self) -> Self::Size;
    /// (2·`z` + self)·self + `c`: one step beside the reference.
    fn step(self, z: Self, c: Self) -> Self;
    fn plus(self, z: Self) -> Self;
    /// Z_m.
    fn reference(reference: &Reference, m: u32) -> Self;
    /// The delta after the longest block that holds from `m` on, and the block's steps; `u` is δc in the blocks' unit.
    fn skip(self, blocks: &Blocks, m: u32, u: Self) -> Option<(Self, u32)>;
    fn is_below(self, floor: f64) -> bool;
    /// |self|².
    fn norm_sq(self) -> f64;
}

impl Delta for Complex {
    type Size = f64;
    const IS_WIDE: bool = false;

    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs().max(self.im.abs())
    }

    #[inline(always)]
    fn step(self, z: Self, c: Self) -> Self {
        z.add(z).add(self).mul(self).add(c)
    }

    #[inline(always)]
    fn plus(self, z: Self) -> Self {
        self.add(z)
    }

    #[inline(always)]
    fn reference(reference: &Reference, m: u32) -> Self {
        reference.points()[m as usize]
    }

    #[inline(always)]
    fn skip(self, blocks: &Blocks, m: u32, u: Self) -> Option<(Self, u32)> {
        let (block, steps) = blocks.plain(m, self.size())?;
        Some((block.a.mul(self).add(block.b.mul(u)), steps))
    }

    #[inline(always)]
    fn is_below(self, floor: f64) -> bool {
        self.size() < floor
    }

    #[inline(always)]
    fn norm_sq(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl Delta for ComplexExp {
    type Size = FloatExp;
    const IS_WIDE: bool = true;

    #[inline(always)]
    fn size(self) -> FloatExp {
        self.size()
    }

    #[inline(always)]
    fn step(self, z: Self, c: Self) -> Self {
        z.doubled().add(self).mul(self).add(c)
    }

    #[inline(always)]
    fn plus(self, z: Self) -> Self {
        self.add(z)
    }

    #[inline(always)]
    fn reference(reference: &Reference, m: u32) -> Self {
        reference.wide(m)
    }

    #[inline(always)]
    fn skip(self, blocks: &Blocks, m: u32, u: Self) -> Option<(Self, u32)> {
        let (block, steps) = blocks.wide(m, self.size())?;
        Some((block.a.mul(self).add(block.b.mul(u)), steps))
    }

    #[inline(always)]
    fn is_below(self, floor: f64) -> bool {
        self.size() < FloatExp::from(floor)
    }

    #[inline(always)]
    fn norm_sq(self) -> f64 {
        self.to_complex().norm_sq()
    }
}
