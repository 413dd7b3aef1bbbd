//! The numbers that deltas are held in: f64 alone, and with an exponent of its own where f64 would underflow.

use super::blocks::{Blocks, Hop};
use super::jet::Term;
use crate::fractal::reference::Reference;
use crate::math::{Complex, ComplexExp, FloatExp};

/// Deltas below 2⁻⁹⁰⁰ are left to numbers with an exponent of their own: there, f64 still has its full digits with room
/// for what is added to it.
const FLOOR: f64 = f64::from_bits((1023 - 900) << 52);

/// Size below which deltas need an exponent of their own; 0 where the unit of offsets is above it, for they only grow from
/// there.
pub fn floor(unit: FloatExp) -> f64 {
    if unit < FloatExp::from(FLOOR) { FLOOR } else { 0.0 }
}

/// A complex number that can follow a reference.
pub trait Delta: Term + Default + Into<ComplexExp> {
    type Size: Copy + PartialOrd;

    /// The larger of the parts' sizes: no square of it can leave the range.
    fn size(self) -> Self::Size;
    /// Z_m.
    fn reference(reference: &Reference, m: u32) -> Self;
    /// The longest block that holds from `m` on for this delta.
    fn block(self, blocks: &Blocks, m: u32) -> Option<Hop<'_, Self>>;
    fn is_below(self, floor: f64) -> bool;
    fn to_f64(self) -> Complex;

    /// One step beside `z`.
    #[inline(always)]
    fn step(self, z: Self, c: Self) -> Self {
        z.plus(z).plus(self).times(self).plus(c)
    }
}

impl Delta for Complex {
    type Size = f64;

    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs().max(self.im.abs())
    }

    #[inline(always)]
    fn reference(reference: &Reference, m: u32) -> Self {
        reference.points()[m as usize]
    }

    #[inline(always)]
    fn block(self, blocks: &Blocks, m: u32) -> Option<Hop<'_, Self>> {
        blocks.plain(m, self.size())
    }

    #[inline(always)]
    fn is_below(self, floor: f64) -> bool {
        self.size() < floor
    }

    #[inline(always)]
    fn to_f64(self) -> Complex {
        self
    }
}

impl Delta for ComplexExp {
    type Size = FloatExp;

    #[inline(always)]
    fn size(self) -> FloatExp {
        self.size()
    }

    #[inline(always)]
    fn reference(reference: &Reference, m: u32) -> Self {
        reference.wide(m)
    }

    #[inline(always)]
    fn block(self, blocks: &Blocks, m: u32) -> Option<Hop<'_, Self>> {
        blocks.wide(m, self.size())
    }

    #[inline(always)]
    fn is_below(self, floor: f64) -> bool {
        self.size() < FloatExp::from(floor)
    }

    #[inline(always)]
    fn to_f64(self) -> Complex {
        self.to_complex()
    }
}
