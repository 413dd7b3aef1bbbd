//! Orbits side by side in vectors: what one waits for, others compute.

use std::marker::PhantomData;

use fearless_simd::prelude::*;

use super::Part;
use crate::engine::kernel::{Lanes, Mask};
use crate::fractal::Map;
use crate::fractal::cycle::{CLOSE, WILD};
use crate::fractal::lyapunov::Product;
use crate::fractal::system::{At, distance, norm, push, scaled};
use crate::render::RenderError;

/// Most orbits in flight, on any processor.
pub const MOST: usize = 32;
/// Steps between looks at whether the job is stale: a fraction of a millisecond.
const STEPS_PER_LOOK: u32 = 4096;

/// One number for each orbit.
pub type Each<T> = [T; MOST];

/// Some orbits, in `V` vectors; lanes beyond their number repeat the last.
pub struct Flight<S: Simd, M, const D: usize, const V: usize> {
    simd: S,
    parameters: [Lanes<S>; V],
    x: [[Lanes<S>; D]; V],
    orbits: usize,
    map: PhantomData<M>,
}

impl<S: Simd, M: Map<D>, const D: usize, const V: usize> Flight<S, M, D, V> {
    /// Orbits in flight.
    pub const ORBITS: usize = V * Lanes::<S>::LEN;

    /// At least one orbit and up to [`Self::ORBITS`]: systems, and where they are.
    #[inline(always)]
    pub fn new(simd: S, orbits: impl ExactSizeIterator<Item = (At<M, D>, [f64; D])>) -> Self {
        let count = orbits.len();
        let (mut parameters, mut x) = ([0.0; MOST], [[0.0; MOST]; D]);
        for (lane, (system, point)) in orbits.enumerate() {
            parameters[lane] = system.parameter;
            for i in 0..D {
                x[i][lane] = point[i];
            }
        }
        for numbers in std::iter::once(&mut parameters).chain(&mut x) {
            let last = numbers[count - 1];
            numbers[count..].fill(last);
        }
        let mut flight = Self {
            simd,
            parameters: [Lanes::splat(simd, 0.0); V],
            x: [[Lanes::splat(simd, 0.0); D]; V],
            orbits: count,
            map: PhantomData,
        };
        for v in 0..V {
            flight.parameters[v] = Lanes::load(simd, &parameters[v * Lanes::<S>::LEN..]);
            for (lanes, x) in flight.x[v].iter_mut().zip(&x) {
                *lanes = Lanes::load(simd, &x[v * Lanes::<S>::LEN..]);
            }
        }
        flight
    }

    /// Where the orbits are.
    #[inline(always)]
    pub fn points(&self) -> Each<[f64; D]> {
        let mut points = [[0.0; D]; MOST];
        for i in 0..D {
            let mut coordinate = [0.0; MOST];
            for v in 0..V {
                self.x[v][i].store(&mut coordinate[v * Lanes::<S>::LEN..]);
            }
            for (point, x) in points.iter_mut().zip(coordinate) {
                point[i] = x;
            }
        }
        points
    }

    /// `steps` steps of every orbit.
    #[inline(always)]
    pub fn walk(&mut self, part: &Part<'_>, steps: u32) -> Result<(), RenderError> {
        let mut left = steps;
        while left > 0 {
            let some = left.min(STEPS_PER_LOOK);
            let mut x = self.x;
            for _ in 0..some {
                for (x, parameter) in x.iter_mut().zip(self.parameters) {
                    *x = M::step(*x, parameter);
                }
            }
            self.x = x;
            left -= some;
            part.check()?;
        }
        Ok(())
    }

    /// The same, with the Lyapunov exponents over these steps: as [`crate::fractal::lyapunov::exponent`] has them,
    /// operation by operation. `visit` sees the first coordinates after each step.
    #[inline(always)]
    pub fn stretch(
        &mut self,
        part: &Part<'_>,
        steps: u32,
        mut visit: impl FnMut(&[[Lanes<S>; D]; V]),
    ) -> Result<Each<f64>, RenderError> {
        let mut products = [Product::one(self.x[0][0]); V];
        let mut linear = [self.identity(); V];
        let mut left = steps;
        while left > 0 {
            let some = left.min(Product::<f64>::FACTORS);
            let mut x = self.x;
            for _ in 0..some {
                for v in 0..V {
                    linear[v] = push::<M, _, D>(x[v], self.parameters[v], linear[v]);
                    x[v] = M::step(x[v], self.parameters[v]);
                }
                visit(&x);
            }
            for v in 0..V {
                let shorten = products[v].take_length(norm(linear[v]));
                linear[v] = scaled(linear[v], shorten);
            }
            self.x = x;
            left -= some;
            part.check()?;
        }
        let (mut exponents, mut significands) = ([0.0; MOST], [0.0; MOST]);
        for v in 0..V {
            products[v].exponent.store(&mut exponents[v * Lanes::<S>::LEN..]);
            products[v].significand.store(&mut significands[v * Lanes::<S>::LEN..]);
        }
        for (exponent, significand) in exponents.iter_mut().zip(significands) {
            *exponent = Product { exponent: *exponent, significand }.ln() / f64::from(steps);
        }
        Ok(exponents)
    }

    /// Calls `try_cycle` with each orbit and each number of steps up to `most_period` after which it comes back,
    /// until that says true: the closer looks of [`crate::fractal::cycle::search`]. The orbits stay where they are.
    #[inline(always)]
    pub fn search(&self, most_period: u32, mut try_cycle: impl FnMut(usize, u32) -> bool) {
        let (close, wild) = (Lanes::splat(self.simd, CLOSE), Lanes::splat(self.simd, WILD));
        let mut from = self.x;
        let mut left = self.orbits;
        for lane in left..Self::ORBITS {
            self.leave_out(&mut from, lane);
        }
        let (mut y, mut linear) = (self.x, [self.identity(); V]);
        for period in 1..=most_period {
            let mut any = Mask::<S>::splat(self.simd, false);
            let mut returned = [any; V];
            for v in 0..V {
                linear[v] = push::<M, _, D>(y[v], self.parameters[v], linear[v]);
                y[v] = M::step(y[v], self.parameters[v]);
                let is_close = close.above_mask(distance(from[v], y[v]));
                returned[v] = is_close & wild.above_mask(norm(linear[v]));
                any |= returned[v];
            }
            if !any.any_true() {
                continue;
            }
            for (v, returned) in returned.iter().enumerate() {
                let mut bits = returned.to_bitmask();
                while bits != 0 {
                    let lane = v * Lanes::<S>::LEN + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if try_cycle(lane, period) {
                        self.leave_out(&mut from, lane);
                        left -= 1;
                    }
                }
            }
            if left == 0 {
                return;
            }
        }
    }

    /// Makes a lane one that never comes back.
    #[inline(always)]
    fn leave_out(&self, from: &mut [[Lanes<S>; D]; V], lane: usize) {
        let (v, i) = (lane / Lanes::<S>::LEN, lane % Lanes::<S>::LEN);
        let mut numbers = [0.0; MOST];
        from[v][0].store(&mut numbers);
        numbers[i] = f64::NAN;
        from[v][0] = Lanes::load(self.simd, &numbers);
    }

    #[inline(always)]
    fn identity(&self) -> [[Lanes<S>; D]; D] {
        let mut columns = [[Lanes::splat(self.simd, 0.0); D]; D];
        for (i, column) in columns.iter_mut().enumerate() {
            column[i] = Lanes::splat(self.simd, 1.0);
        }
        columns
    }
}
