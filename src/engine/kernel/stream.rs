//! The stream: lanes that iterate in blocks of untested steps, and take the next point when one ends.
//!
//! Several vectors are in flight at once, for each step waits on the one before it and the processor
//! wants other work meanwhile. After a block the lanes are tested together; an escaped point is replayed
//! later from the start of its last block. A lane never waits for its neighbours, or for the end of a tile.

use fearless_simd::prelude::*;

use super::first_pass::{self, first_pass};
use super::lanes::{Lanes, Mask};
use super::points::{PointLanes, Points};
use super::replay::{self, replay};
use super::slots::Slots;
use super::work::{Steps, Work};
use crate::fractal::Formula;
use crate::math::{Complex, Real};
use crate::render::{RenderError, Sample};

/// Blocks between looks at whether the job is stale: a few microseconds.
const BLOCKS_PER_CHECK: u64 = 16;
/// Blocks after which escaped points are replayed even if they are few.
const BLOCKS_PER_FLUSH: u64 = 256;
/// Blocks between renewals of the states that cycles are recognised by, for the youngest points.
const BLOCKS_PER_RENEWAL: u64 = 4;

/// Most lanes in flight: bits of a word.
const MOST_LANES: usize = 64;

/// What one thread keeps from render to render, so that nothing is allocated in between.
pub struct Scratch {
    slots: Slots,
    waiting: Points,
    escaped: Points,
}

impl Scratch {
    pub fn new() -> Self {
        Self { slots: Slots::default(), waiting: Points::new(), escaped: Points::new() }
    }

    /// Makes ready for tiles of a job: one for every lane that a point could keep waiting, and one to begin.
    pub fn begin<S: Simd>(&mut self, work: &Work) {
        let columns = (work.side as usize).next_multiple_of(Lanes::<S>::LEN);
        let rows = (work.side as usize).next_multiple_of(first_pass::ROWS);
        self.slots.reset(MOST_LANES + 1, columns, rows);
    }
}

/// Computes tiles of `work` until none are left; `V` vectors are in flight, `K` steps in a block.
///
/// # Errors
/// [`RenderError::Cancelled`] within microseconds of the job being stale.
#[inline(always)]
pub fn run<S: Simd, F: Formula, const SMOOTH: bool, const V: usize, const K: usize>(
    simd: S,
    work: &Work,
    scratch: &mut Scratch,
) -> Result<Steps, RenderError> {
    let Scratch { slots, waiting, escaped } = scratch;
    let lanes = V * Lanes::<S>::LEN;
    waiting.clear();
    waiting.reserve(0, Lanes::<S>::LEN);
    escaped.clear();
    escaped.reserve(replay::VECTORS * Lanes::<S>::LEN + lanes, Lanes::<S>::LEN);
    let mut flight = Flight::<S, V>::new(simd, work);
    let mut steps = Steps::default();
    let mut vacant = flight.all();
    loop {
        if vacant != 0 {
            steps += top_up::<S, F, SMOOTH>(simd, work, vacant.count_ones() as usize, slots, waiting)?;
            vacant = flight.board(vacant, waiting);
        }
        if vacant == flight.all() {
            if escaped.len() == 0 {
                break;
            }
            steps.done += (K * replay::<S, F, SMOOTH>(simd, work, K, escaped, slots)) as u64;
            continue;
        }
        let ended = loop {
            let ended = flight.block::<F, K>();
            let (escapes, stays) = (ended.escaped & !vacant, ended.stays & !vacant);
            if flight.blocks % BLOCKS_PER_CHECK == 0 {
                work.check()?;
                if flight.blocks % BLOCKS_PER_FLUSH == 0 && escaped.len() > 0 {
                    steps.done += (K * replay::<S, F, SMOOTH>(simd, work, K, escaped, slots)) as u64;
                    // A slot may have become free for the lanes that idle.
                }
            }
            if escapes | stays != 0 {
                break Ended { escaped: escapes, stays, ..ended };
            }
            flight.proceed(&ended);
        };
        steps.done += flight.leave::<K>(&ended, work, slots, escaped);
        vacant |= ended.escaped | ended.stays;
        while escaped.len() >= replay::VECTORS * Lanes::<S>::LEN {
            steps.done += (K * replay::<S, F, SMOOTH>(simd, work, K, escaped, slots)) as u64;
        }
    }
    steps += slots.steps();
    Ok(steps)
}

/// Begins tiles until `wanted` points wait, or nothing more can be begun.
fn top_up<S: Simd, F: Formula, const SMOOTH: bool>(
    simd: S,
    work: &Work,
    wanted: usize,
    slots: &mut Slots,
    waiting: &mut Points,
) -> Result<Steps, RenderError> {
    let mut steps = Steps::default();
    while waiting.len() < wanted && slots.has_free() {
        work.check()?;
        let Some(tile) = work.next_tile() else { break };
        let first_id = slots.begin(tile).expect("a slot is free");
        waiting.reserve(tile.area(), Lanes::<S>::LEN);
        steps += simd.vectorize(
            #[inline(always)]
            || first_pass::<S, F, SMOOTH>(simd, work, tile, first_id, slots, waiting),
        )?;
    }
    Ok(steps)
}

/// The points that are iterated at this moment.
struct Flight<S: Simd, const V: usize> {
    simd: S,
    points: [PointLanes<S>; V],
    /// Steps done since the render began, in each lane alike.
    clock: f64,
    /// The clock when each lane's point had done no step; NaN where there is none.
    born: [Lanes<S>; V],
    /// Each point's state at some earlier step: to meet it again is to be in a cycle.
    seen: [Complex<Lanes<S>>; V],
    blocks: u64,
    /// The clock at which the next point may reach the cap.
    due: f64,
    max_iterations: f64,
    bailout_sq: Lanes<S>,
    cycles: bool,
}

/// What a block brought, one bit a lane.
struct Ended<S: Simd, const V: usize> {
    z: [Complex<Lanes<S>>; V],
    escaped: u64,
    /// Reached the cap, or repeats itself for ever.
    stays: u64,
}

impl<S: Simd, const V: usize> Flight<S, V> {
    const LANES: usize = V * Lanes::<S>::LEN;

    #[inline(always)]
    fn new(simd: S, work: &Work) -> Self {
        let nan = Lanes::splat(simd, f64::NAN);
        Self {
            simd,
            points: [PointLanes::none(simd); V],
            clock: 0.0,
            born: [nan; V],
            seen: [Complex::new(nan, nan); V],
            blocks: 0,
            due: f64::INFINITY,
            max_iterations: f64::from(work.task.max_iterations),
            bailout_sq: Lanes::splat(simd, work.task.bailout * work.task.bailout),
            cycles: work.shortcuts.cycles,
        }
    }

    /// One bit for every lane.
    #[inline(always)]
    fn all(&self) -> u64 {
        u64::MAX >> (64 - Self::LANES)
    }

    /// The bits of one vector, as its mask.
    #[inline(always)]
    fn mask(&self, bits: u64, vector: usize) -> Mask<S> {
        Mask::<S>::from_bitmask(self.simd, bits >> (vector * Lanes::<S>::LEN) & Self::VECTOR)
    }

    const VECTOR: u64 = (1 << Lanes::<S>::LEN) - 1;

    /// Puts waiting points into vacant lanes; returns those that stay vacant.
    #[inline(always)]
    fn board(&mut self, vacant: u64, waiting: &mut Points) -> u64 {
        let simd = self.simd;
        let mut left = vacant;
        let nan = Lanes::splat(simd, f64::NAN);
        for v in 0..V {
            let bits = vacant >> (v * Lanes::<S>::LEN) & Self::VECTOR;
            if bits == 0 {
                continue;
            }
            let mask = self.mask(vacant, v);
            waiting.take(simd, mask, &mut self.points[v]);
            let born = Lanes::splat(simd, self.clock).sub(self.points[v].steps);
            self.born[v] = born.where_set(mask, self.born[v]);
            self.seen[v].re = nan.where_set(mask, self.seen[v].re);
            let boarded = mask & born.equal_mask(born);
            left &= !(boarded.to_bitmask() << (v * Lanes::<S>::LEN));
        }
        if left != vacant {
            // Points board after equally many steps, so the latest is the last to reach the cap.
            self.due = self.due.min(self.clock - f64::from(first_pass::STEPS) + self.max_iterations);
        }
        left
    }

    /// Iterates all lanes `K` steps, and tests them.
    #[inline(always)]
    fn block<F: Formula, const K: usize>(&mut self) -> Ended<S, V> {
        let mut z: [Complex<Lanes<S>>; V] = std::array::from_fn(
            #[inline(always)]
            |v| self.points[v].z,
        );
        for _ in 0..K {
            for v in 0..V {
                z[v] = F::step(z[v], self.points[v].c);
            }
        }
        self.blocks += 1;
        self.clock += K as f64;
        let (mut escaped, mut stays) = (0, 0);
        for v in 0..V {
            let inside = z[v].norm_sq().at_most_mask(self.bailout_sq);
            escaped |= (!inside).to_bitmask() << (v * Lanes::<S>::LEN);
            if self.cycles {
                let repeats = z[v].re.equal_mask(self.seen[v].re) & z[v].im.equal_mask(self.seen[v].im);
                stays |= repeats.to_bitmask() << (v * Lanes::<S>::LEN);
            }
        }
        if self.clock >= self.due {
            stays |= self.at_cap();
        }
        if self.cycles && self.blocks % BLOCKS_PER_RENEWAL == 0 {
            self.renew::<K>(&z);
        }
        Ended { z, escaped, stays: stays & !escaped }
    }

    /// The lanes that have reached the cap; sets when to look again.
    #[inline(always)]
    fn at_cap(&mut self) -> u64 {
        let last = Lanes::splat(self.simd, self.clock - self.max_iterations);
        let mut at_cap = 0;
        self.due = f64::INFINITY;
        for v in 0..V {
            at_cap |= self.born[v].at_most_mask(last).to_bitmask() << (v * Lanes::<S>::LEN);
            for lane in 0..Lanes::<S>::LEN {
                let due = self.born[v].0[lane] + self.max_iterations;
                if due > self.clock {
                    self.due = self.due.min(due);
                }
            }
        }
        at_cap
    }

    /// Renews the remembered state of every point younger than the power of two that the clock is at.
    ///
    /// So each is renewed about once while its age doubles, as in Brent's method, by one comparison for all.
    #[inline(always)]
    fn renew<const K: usize>(&mut self, z: &[Complex<Lanes<S>>; V]) {
        let young = (K as u64) << (self.blocks.trailing_zeros() + 1);
        let since = Lanes::splat(self.simd, self.clock - young as f64);
        for v in 0..V {
            let mask = self.born[v].above_mask(since);
            self.seen[v].re = z[v].re.where_set(mask, self.seen[v].re);
            self.seen[v].im = z[v].im.where_set(mask, self.seen[v].im);
        }
    }

    /// Goes on from the end of a block.
    #[inline(always)]
    fn proceed(&mut self, ended: &Ended<S, V>) {
        for v in 0..V {
            self.points[v].z = ended.z[v];
        }
    }

    /// Takes the points that ended out of their lanes; returns the steps done for those that stay.
    #[inline(always)]
    fn leave<const K: usize>(
        &mut self,
        ended: &Ended<S, V>,
        work: &Work,
        slots: &mut Slots,
        escaped: &mut Points,
    ) -> u64 {
        let mut done = 0;
        let nan = Lanes::splat(self.simd, f64::NAN);
        let block_start = Lanes::splat(self.simd, self.clock - K as f64);
        for v in 0..V {
            let shift = v * Lanes::<S>::LEN;
            if (ended.escaped | ended.stays) >> shift & Self::VECTOR != 0 {
                let mut points = self.points[v];
                points.steps = block_start.sub(self.born[v]);
                escaped.push(points, self.mask(ended.escaped, v));
                let mut stays = ended.stays >> shift & Self::VECTOR;
                while stays != 0 {
                    let lane = stays.trailing_zeros() as usize;
                    done += (self.clock - self.born[v].0[lane]) as u64;
                    slots.finish(points.id.0[lane] as u32, Sample::INTERIOR, work);
                    stays &= stays - 1;
                }
                self.born[v] = nan.where_set(self.mask(ended.escaped | ended.stays, v), self.born[v]);
            }
            self.points[v].z = ended.z[v];
        }
        done
    }
}
