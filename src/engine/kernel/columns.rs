//! Numbers of many points, each in a lane of its own.

use fearless_simd::prelude::*;

use super::lanes::Lanes;
use crate::math::Complex;

/// One number of each of `N` lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Column<const N: usize>(pub [f64; N]);

impl<const N: usize> Column<N> {
    pub const NAN: Self = Self([f64::NAN; N]);
    pub const ZERO: Self = Self([0.0; N]);

    /// The lanes of vector `v`.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S, v: usize) -> Lanes<S> {
        Lanes::load(simd, &self.0[v * Lanes::<S>::LEN..])
    }

    #[inline(always)]
    pub fn store<S: Simd>(&mut self, v: usize, lanes: Lanes<S>) {
        lanes.store(&mut self.0[v * Lanes::<S>::LEN..]);
    }
}

impl<const N: usize> Complex<Column<N>> {
    pub const ZEROS: Self = Self::new(Column::ZERO, Column::ZERO);

    #[inline(always)]
    pub fn get(&self, lane: usize) -> Complex {
        Complex::new(self.re.0[lane], self.im.0[lane])
    }

    #[inline(always)]
    pub fn set(&mut self, lane: usize, z: Complex) {
        (self.re.0[lane], self.im.0[lane]) = (z.re, z.im);
    }

    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S, v: usize) -> Complex<Lanes<S>> {
        Complex::new(self.re.load(simd, v), self.im.load(simd, v))
    }

    #[inline(always)]
    pub fn store<S: Simd>(&mut self, v: usize, z: Complex<Lanes<S>>) {
        self.re.store(v, z.re);
        self.im.store(v, z.im);
    }
}

/// The lanes, of `N`, whose bits are set, from the first on.
#[inline(always)]
pub fn each_lane<const N: usize>(bits: u64) -> impl Iterator<Item = usize> {
    EachLane::<N>(bits)
}

struct EachLane<const N: usize>(u64);

impl<const N: usize> Iterator for EachLane<N> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        // The compiler need not know that it is below.
        let lane = self.0.trailing_zeros() as usize % N;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}
