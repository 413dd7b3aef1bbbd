//! The points that are iterated at this moment, each in a lane of its own.

use fearless_simd::prelude::*;

use super::columns::{self, each_lane};
use super::first_pass;
use super::lanes::{Lanes, Mask};
use super::points::{Point, Points};
use super::work::Work;
use crate::fractal::Formula;
use crate::math::{Complex, Real};

/// Most lanes in flight: bits of a word.
pub const MOST_LANES: usize = 64;
/// Blocks between renewals of the states that cycles are recognised by, for the youngest points.
const BLOCKS_PER_RENEWAL: u64 = 4;
/// Points that leave together, for the change of passengers costs as much as a block.
const PARTY: u32 = 4;
/// Blocks after which smaller parties leave, too.
const BLOCKS_OF_PATIENCE: u64 = 8;

/// `V` vectors of points that are iterated in blocks of `K` steps.
pub struct Flight<S: Simd, const V: usize, const K: usize> {
    simd: S,
    z: Complex<Column>,
    c: Complex<Column>,
    id: Column,
    /// The clock when each lane's point had done no step; NaN where there is none.
    born: Column,
    /// Each point's state at some earlier step: to meet it again is to be in a cycle.
    seen: Complex<Column>,
    /// Steps done since the render began, in each lane alike.
    clock: f64,
    pub blocks: u64,
    /// The clock at which the next point may reach the cap.
    due: f64,
    max_iterations: f64,
    bailout_sq: Lanes<S>,
    cycles: bool,
    /// Lanes without a point, one bit a lane, as in the next two.
    vacant: u64,
    /// Points that escaped in their last block, and are kept at its start.
    escaped: u64,
    /// Points that reached the cap, or repeat themselves for ever.
    inside: u64,
}

type Column = columns::Column<MOST_LANES>;

impl<S: Simd, const V: usize, const K: usize> Flight<S, V, K> {
    const ALL: u64 = u64::MAX >> (MOST_LANES - V * Lanes::<S>::LEN);

    #[inline(always)]
    pub fn new(simd: S, work: &Work) -> Self {
        Self {
            simd,
            z: Complex::<Column>::ZEROS,
            c: Complex::<Column>::ZEROS,
            id: Column::ZERO,
            born: Column::NAN,
            seen: Complex::new(Column::NAN, Column::NAN),
            clock: 0.0,
            blocks: 0,
            due: f64::INFINITY,
            max_iterations: f64::from(work.task.max_iterations),
            bailout_sq: Lanes::splat(simd, work.task.bailout * work.task.bailout),
            cycles: work.shortcuts.cycles,
            vacant: Self::ALL,
            escaped: 0,
            inside: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.vacant == Self::ALL
    }

    pub fn vacant_count(&self) -> usize {
        self.vacant.count_ones() as usize
    }

    /// Puts waiting points into vacant lanes.
    #[inline(always)]
    pub fn board(&mut self, waiting: &mut Points) {
        for lane in each_lane::<MOST_LANES>(self.vacant) {
            let Some(point) = waiting.pop() else { break };
            self.z.set(lane, point.z);
            self.c.set(lane, point.c);
            self.id.0[lane] = point.id;
            self.born.0[lane] = self.clock - point.steps;
            self.seen.re.0[lane] = f64::NAN;
            self.vacant &= !(1 << lane);
        }
        // All board after equally many steps, so none can reach the cap before the first of them.
        self.due = self.due.min(self.clock - f64::from(first_pass::STEPS) + self.max_iterations);
    }

    /// Takes escaped points out of their lanes.
    #[inline(always)]
    pub fn leave_escaped(&mut self, escaped: &mut Points) {
        for lane in each_lane::<MOST_LANES>(self.escaped) {
            escaped.push(Point {
                z: self.z.get(lane),
                c: self.c.get(lane),
                steps: self.clock - self.born.0[lane],
                id: self.id.0[lane],
            });
        }
        self.vacate(self.escaped);
        self.escaped = 0;
    }

    /// Takes points that never escape out of their lanes, with their id and the steps done for them.
    #[inline(always)]
    pub fn leave_inside(&mut self, mut finish: impl FnMut(u32, u64)) {
        for lane in each_lane::<MOST_LANES>(self.inside) {
            finish(self.id.0[lane] as u32, (self.clock - self.born.0[lane]) as u64);
        }
        self.vacate(self.inside);
        self.inside = 0;
    }

    #[inline(always)]
    fn vacate(&mut self, lanes: u64) {
        // What is left there goes on, unlooked at; no comparison with NaN holds.
        for lane in each_lane::<MOST_LANES>(lanes) {
            self.born.0[lane] = f64::NAN;
        }
        self.vacant |= lanes;
    }

    /// Iterates all lanes `K` steps, and tests them. True when points ought to leave.
    #[inline(always)]
    pub fn block<F: Formula>(&mut self) -> bool {
        let simd = self.simd;
        let mut z: [Complex<Lanes<S>>; V] = std::array::from_fn(
            #[inline(always)]
            |v| self.z.load(simd, v),
        );
        let c: [Complex<Lanes<S>>; V] = std::array::from_fn(
            #[inline(always)]
            |v| self.c.load(simd, v),
        );
        const { assert!(K.is_multiple_of(2)) };
        for _ in 0..K / 2 {
            // Twice, for then no register needs to be copied.
            for (z, &c) in z.iter_mut().zip(&c) {
                *z = F::step(*z, c);
            }
            for (z, &c) in z.iter_mut().zip(&c) {
                *z = F::step(*z, c);
            }
        }
        self.blocks += 1;
        self.clock += K as f64;
        let outside = self.bits(
            #[inline(always)]
            |_, v| !z[v].norm_sq().at_most_mask(self.bailout_sq),
        );
        let mut inside = 0;
        if self.cycles {
            inside = self.bits(
                #[inline(always)]
                |flight, v| {
                    let seen = flight.seen.load(simd, v);
                    z[v].re.equal_mask(seen.re) & z[v].im.equal_mask(seen.im)
                },
            );
            if self.blocks.is_multiple_of(BLOCKS_PER_RENEWAL) {
                self.renew(&z);
            }
        }
        if self.clock >= self.due {
            inside |= self.at_cap();
        }
        self.escaped |= outside & !(self.vacant | self.inside);
        self.inside |= inside & !(self.vacant | self.escaped);
        if self.escaped != 0 {
            self.keep_at_start(&mut z);
        }
        for (v, &z) in z.iter().enumerate() {
            self.z.store(v, z);
        }
        let party = (self.escaped | self.inside).count_ones();
        party >= PARTY || (party > 0 && self.blocks.is_multiple_of(BLOCKS_OF_PATIENCE))
    }

    /// Puts escaped points back to the start of the block, as if it had not been.
    #[inline(always)]
    fn keep_at_start(&mut self, z: &mut [Complex<Lanes<S>>; V]) {
        let step = Lanes::splat(self.simd, K as f64);
        for (v, z) in z.iter_mut().enumerate() {
            let mask = self.mask(self.escaped, v);
            let start = self.z.load(self.simd, v);
            *z = Complex::new(start.re.where_set(mask, z.re), start.im.where_set(mask, z.im));
            let born: Lanes<S> = self.born.load(self.simd, v);
            self.born.store(v, born.add(step).where_set(mask, born));
        }
    }

    /// Collects a mask of every vector.
    #[inline(always)]
    fn bits(&self, mask: impl Fn(&Self, usize) -> Mask<S>) -> u64 {
        (0..V).fold(
            0,
            #[inline(always)]
            |bits, v| bits | mask(self, v).to_bitmask() << (v * Lanes::<S>::LEN),
        )
    }

    /// The bits of one vector, as its mask.
    #[inline(always)]
    fn mask(&self, bits: u64, v: usize) -> Mask<S> {
        let one_vector = (1 << Lanes::<S>::LEN) - 1;
        Mask::<S>::from_bitmask(self.simd, bits >> (v * Lanes::<S>::LEN) & one_vector)
    }

    /// The lanes that have reached the cap; sets when to look again.
    #[inline(always)]
    fn at_cap(&mut self) -> u64 {
        let last = Lanes::splat(self.simd, self.clock - self.max_iterations);
        let never = Lanes::splat(self.simd, f64::INFINITY);
        let mut oldest = never;
        for v in 0..V {
            let born = self.born.load(self.simd, v);
            let rest = born.where_set(born.above_mask(last), never);
            oldest = rest.where_set(oldest.above_mask(rest), oldest);
        }
        let oldest = (0..Lanes::<S>::LEN).map(|lane| oldest.0[lane]).fold(f64::INFINITY, f64::min);
        self.due = oldest + self.max_iterations;
        self.bits(
            #[inline(always)]
            |flight, v| flight.born.load(flight.simd, v).at_most_mask(last),
        )
    }

    /// Renews the remembered state of every point younger than the power of two that the clock is at.
    ///
    /// So each is renewed about once while its age doubles, as in Brent's method, by one comparison for all.
    #[inline(always)]
    fn renew(&mut self, z: &[Complex<Lanes<S>>; V]) {
        let young = (K as u64) << (self.blocks.trailing_zeros() + 1);
        let since = Lanes::splat(self.simd, self.clock - young as f64);
        for (v, z) in z.iter().enumerate() {
            let mask = self.born.load(self.simd, v).above_mask(since);
            let seen = self.seen.load(self.simd, v);
            self.seen.store(v, Complex::new(z.re.where_set(mask, seen.re), z.im.where_set(mask, seen.im)));
        }
    }
}
