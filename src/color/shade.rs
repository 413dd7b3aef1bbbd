//! Shading: one sample to one pixel. The CPU twin of `shaders/color.wgsl`, and its definition.
//!
//! With ν = `iterations + fraction` in f32, x = 1 + max(ν, 0), and the curve f:
//!
//! ```text
//! turns = offset + density · f(x)        f(x) = ⁴√x  |  log₂ x  |  x      (mapping 0, 1, 2)
//! entry = ⌊turns · 4096⌋ mod 4096        pixel = table[entry]
//! ```
//!
//! The mapping depends on nothing but the sample, so colours stay where they are when the view moves.
//! Root and logarithm rise ever more slowly: near the boundary, and at depth where counts run into
//! the thousands, bands stay wide instead of turning to noise.

use std::sync::OnceLock;

use bytemuck::{Pod, Zeroable};
use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;

use super::{Palette, TABLE_LEN, Table, period_color};
use crate::render::{Field, Sample};

/// How counts run through a palette: people's knobs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coloring {
    pub curve: Curve,
    /// How fast colours change: 1 is what the curve is tuned for; finite, from 0 to 10 000.
    pub density: f32,
    /// Where in the palette the home view's rim lies, in turns; finite.
    pub offset: f32,
}

impl Default for Coloring {
    fn default() -> Self {
        Self { curve: Curve::default(), density: 1.0, offset: 0.0 }
    }
}

/// How a smooth iteration count becomes a place in the palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// The fourth root: calm at the boundary, and still lively where counts run into the thousands.
    #[default]
    Root,
    /// Equal ratios of counts are equal distances: the calmest.
    Log,
    /// Equal counts are equal distances; noise where counts change fast.
    Linear,
}

impl Curve {
    pub const ALL: &[Self] = &[Self::Root, Self::Log, Self::Linear];

    /// Name in files and on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Log => "log",
            Self::Linear => "linear",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|c| c.key() == key)
    }

    /// Turns of the palette per unit of f at density 1.
    fn turns(self) -> f32 {
        match self {
            Self::Root => 0.6,
            Self::Log => 0.25,
            Self::Linear => 1.0 / 64.0,
        }
    }

    /// f where the palette begins: at the calm rim of the home view, whatever the density.
    fn origin(self) -> f32 {
        match self {
            Self::Root => 1.4,
            Self::Log => 2.0,
            Self::Linear => 4.0,
        }
    }
}

impl Coloring {
    /// What the shading needs, with the palette's own colour for the interior.
    pub fn params(&self, palette: &Palette) -> ShadeParams {
        let [r, g, b] = palette.interior();
        let mapping = match self.curve {
            Curve::Root => ShadeParams::ROOT,
            Curve::Log => ShadeParams::LOG,
            Curve::Linear => ShadeParams::LINEAR,
        };
        let density = self.density.clamp(0.0, 1e4) * self.curve.turns();
        ShadeParams {
            density,
            offset: (self.offset - density * self.curve.origin()).rem_euclid(1.0),
            mapping,
            interior: u32::from_le_bytes([r, g, b, 255]),
        }
    }
}

/// The numbers of a shading; shaders read the same sixteen bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct ShadeParams {
    /// Turns of the palette per unit of f(x), not negative.
    pub density: f32,
    /// Turns at f(x) = 0, in 0 ≤ offset < 1.
    pub offset: f32,
    /// [`Self::ROOT`], [`Self::LOG`] or [`Self::LINEAR`].
    pub mapping: u32,
    /// RGBA of the interior, red in the lowest byte.
    pub interior: u32,
}

impl ShadeParams {
    pub const ROOT: u32 = 0;
    pub const LOG: u32 = 1;
    pub const LINEAR: u32 = 2;
}

/// Colours a field into `out`, width × height pixels of RGBA, top row first, with all of rayon's threads.
pub fn shade(params: &ShadeParams, table: &Table, field: &Field, out: &mut [[u8; 4]]) {
    let width = field.size()[0] as usize;
    debug_assert_eq!(out.len(), field.samples().len());
    let rows = out.par_chunks_mut(width).zip(field.samples().par_chunks(width));
    rows.for_each(|(out, samples)| shade_row(params, table, samples, out));
}

/// Colours samples one by one: missing ones become transparent, the interior its own colour.
pub fn shade_row(params: &ShadeParams, table: &Table, samples: &[Sample], out: &mut [[u8; 4]]) {
    match params.mapping {
        ShadeParams::ROOT => shade_along(params, table, samples, out, |x| x.sqrt().sqrt()),
        ShadeParams::LOG => shade_along(params, table, samples, out, log2),
        _ => shade_along(params, table, samples, out, |x| x),
    }
}

/// Number of periods with a colour of their own; longer ones have the last.
pub const PERIODS: usize = 256;
/// How much of a period's colour the inside has, the rest being dark.
const INSIDE: f64 = 0.6;

/// Colours of the inside by period, RGBA with red in the lowest byte: those of a diagram's curves, dimmer.
pub fn period_table() -> &'static [u32; PERIODS] {
    static TABLE: OnceLock<[u32; PERIODS]> = OnceLock::new();
    TABLE.get_or_init(|| {
        std::array::from_fn(|period| {
            let [r, g, b] = period_color(period as u32).map(|v| (INSIDE * v * 255.0).round() as u8);
            u32::from_le_bytes([r, g, b, 255])
        })
    })
}

/// The colour of an interior sample: its period's, where that is known.
#[inline(always)]
fn inside(params: &ShadeParams, periods: &[u32; PERIODS], sample: Sample) -> u32 {
    let period = sample.fraction as usize;
    if period == 0 { params.interior } else { periods[period.min(PERIODS - 1)] }
}

/// Samples worked at once: their places in vectors, then the table one by one, then vectors again.
const BLOCK: usize = 64;

fn shade_along(
    params: &ShadeParams,
    table: &Table,
    samples: &[Sample],
    out: &mut [[u8; 4]],
    curve: impl Fn(f32) -> f32 + Copy,
) {
    // Entries, not turns, so that a place is one multiplication and one truncation away.
    let (scale, offset) = (params.density * TABLE_LEN as f32, params.offset * TABLE_LEN as f32);
    let periods = period_table();
    let level = Level::new();
    dispatch!(level, simd => simd.vectorize(
        #[inline(always)]
        || for (samples, out) in samples.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let mut block = [0u32; BLOCK];
            for (entry, sample) in block.iter_mut().zip(samples) {
                let smooth = sample.iterations as f32 + sample.fraction;
                *entry = (offset + scale * curve(1.0 + smooth.max(0.0))) as u32;
            }
            for entry in &mut block {
                *entry = u32::from_le_bytes(table[*entry as usize % TABLE_LEN]);
            }
            for ((pixel, color), sample) in out.iter_mut().zip(block).zip(samples) {
                let color = if sample.iterations == 0 { inside(params, periods, *sample) } else { color };
                let color = if sample.is_missing() { 0 } else { color };
                *pixel = color.to_le_bytes();
            }
        }
    ));
}

/// log₂ x for x ≥ 1, to 2e-5: exact at powers of two, so steps never show.
///
/// The exponent is read from the bits; a polynomial, fitted by least squares to meet 0 and 1 at its
/// ends, does the mantissa. The error moves a colour by a fiftieth of a table entry at density 1.
#[inline(always)]
fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let f = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000) - 1.0;
    let bow = 0.441_835_87 + f * (-0.266_536_28 + f * (0.147_018_77 + f * -0.044_243_74));
    exponent as f32 + (f + f * (1.0 - f) * bow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_logarithm_is_a_logarithm() {
        let worst = (0..2_000_000).map(|i| 1.0 + i as f32 * 0.37).map(|x| (log2(x) - x.log2()).abs());
        assert!(worst.fold(0.0, f32::max) < 4e-5);
        assert_eq!([1.0, 2.0, 1024.0].map(log2), [0.0, 1.0, 10.0]);
    }

    #[test]
    fn missing_and_interior_have_their_own_colours() {
        let palette = Palette::default_palette();
        let params = Coloring::default().params(palette);
        let samples =
            [Sample::MISSING, Sample::INTERIOR, Sample { iterations: 7, fraction: 0.25 }, Sample::of_period(3)];
        let mut out = [[9; 4]; 4];
        shade_row(&params, palette.table(), &samples, &mut out);
        let [r, g, b] = palette.interior();
        assert_eq!(out[..2], [[0; 4], [r, g, b, 255]]);
        assert_eq!(out[3], period_table()[3].to_le_bytes());
        let turns = params.offset + params.density * 8.25f32.sqrt().sqrt();
        assert_eq!(out[2], palette.table()[(turns * TABLE_LEN as f32) as usize % TABLE_LEN]);
    }

    #[test]
    fn colours_run_on_where_whole_counts_change() {
        let palette = Palette::default_palette();
        for curve in Curve::ALL {
            let params = Coloring { curve: *curve, density: 3.0, offset: 0.7 }.params(palette);
            for n in [1, 15, 255, 4096, 100_000] {
                let ends = [Sample { iterations: n, fraction: 1.0 }, Sample { iterations: n + 1, fraction: 0.0 }];
                let mut out = [[0; 4]; 2];
                shade_row(&params, palette.table(), &ends, &mut out);
                assert_eq!(out[0], out[1], "{curve:?} at {n}");
            }
        }
    }
}
