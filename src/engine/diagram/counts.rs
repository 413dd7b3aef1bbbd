//! Histograms of a strip's columns, private to a thread.

use crate::render::Strip;

use super::flight::{Each, MOST};

/// Several histograms of each column, for one count would have to wait for another of the same height. Each has
/// bins at its end for what is out of view, one a lane, for the same reason. All are empty between strips.
#[derive(Default)]
pub struct Counts {
    bins: Vec<u32>,
    height: usize,
}

impl Counts {
    /// Histograms of each column.
    const COPIES: usize = 4;

    /// Makes room for columns of that height.
    pub fn resize(&mut self, columns: usize, height: usize) {
        self.height = height;
        self.bins.resize(columns * Self::COPIES * (height + MOST), 0);
    }

    /// Where the histogram of a column begins that a lane adds to.
    pub fn base(&self, lane: usize, column: usize) -> usize {
        (column * Self::COPIES + lane % Self::COPIES) * (self.height + MOST)
    }

    /// Adds one to each of the first `count` bins.
    #[inline(always)]
    pub fn add(&mut self, bins: &Each<f64>, count: usize) {
        for bin in &bins[..count] {
            // Exact up to 2⁵²: the low bits of the significand.
            self.bins[bin.to_bits() as u32 as usize] += 1;
        }
    }

    /// Moves the counts of column `i` to the density of the strip.
    pub fn take(&mut self, i: usize, strip: &mut Strip) {
        let density = &mut strip.density[i * self.height..][..self.height];
        for copy in 0..Self::COPIES {
            let base = self.base(copy, i);
            let bins = &mut self.bins[base..][..self.height + MOST];
            density.iter_mut().zip(&*bins).for_each(|(to, from)| *to += from);
            bins.fill(0);
        }
    }
}
