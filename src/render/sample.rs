//! One pixel's iteration data.

use bytemuck::{Pod, Zeroable};

/// Escape-time data of one sample; colours come later, from these numbers alone.
///
/// The smooth iteration count is `iterations + fraction`, kept apart because one f32 loses bands
/// past 2²⁴. Shaders read the same eight bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Sample {
    /// Least n ≥ 1 with |z_n| > bailout; 0 where there is none up to the cap; [`Self::MISSING`] before it is known.
    pub iterations: u32,
    /// ν − n, for the smooth iteration count ν; inside, the period of the cycle that the orbit is drawn to. 0 where it was
    /// not asked for.
    pub fraction: f32,
}

impl Sample {
    /// Not computed yet. Caps stay below 2³¹, so no count can be mistaken for it.
    pub const MISSING: Self = Self { iterations: u32::MAX, fraction: 0.0 };
    /// Never left the disc up to the cap.
    pub const INTERIOR: Self = Self { iterations: 0, fraction: 0.0 };

    /// Inside, with the period of its cycle; 0 where none is known.
    pub fn of_period(period: u32) -> Self {
        Self { fraction: period as f32, ..Self::INTERIOR }
    }

    pub fn is_missing(self) -> bool {
        self.iterations == u32::MAX
    }

    /// The smooth iteration count ν, where its fraction was asked for; 0 inside.
    pub fn smooth(self) -> f64 {
        if self.iterations == 0 { 0.0 } else { f64::from(self.iterations) + f64::from(self.fraction) }
    }

    /// Steps of the definition: n, or the cap where the point never escaped.
    pub fn steps(self, max_iterations: u32) -> u64 {
        u64::from(if self.iterations == 0 { max_iterations } else { self.iterations })
    }
}
