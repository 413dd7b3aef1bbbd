//! The stream: lanes that iterate in blocks of untested steps, and take the next point when one ends.
//!
//! Several vectors are in flight at once, for each step waits on the one before it and the processor
//! wants other work meanwhile. After a block the lanes are tested together; an escaped point is replayed
//! later from the start of its last block. A lane never waits for its neighbours, or for the end of a tile.

use fearless_simd::prelude::*;

use super::first_pass::{self, first_pass};
use super::flight::{Flight, MOST_LANES};
use super::inside::fill_if_inside;
use super::lanes::Lanes;
use super::points::Points;
use super::replay::{self, replay};
use super::slots::Slots;
use super::work::{Steps, Work};
use crate::fractal::Formula;
use crate::render::{RenderError, Sample};

/// Blocks between looks at whether the job is stale: a few microseconds.
const BLOCKS_PER_CHECK: u64 = 16;
/// Blocks after which escaped points are replayed even if they are few.
const BLOCKS_PER_FLUSH: u64 = 256;

/// Escaped points that find room before the list must be compacted, which is seldom then.
const ROOM_FOR_ESCAPED: usize = 1024;

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
        let lanes = Lanes::<S>::LEN;
        let columns = (work.side as usize).next_multiple_of(lanes);
        let rows = (work.side as usize).next_multiple_of(first_pass::ROWS);
        self.slots.reset(MOST_LANES + 1, columns, rows);
        self.waiting.clear();
        self.waiting.reserve(0, lanes);
        self.escaped.clear();
        self.escaped.reserve(ROOM_FOR_ESCAPED, lanes);
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
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
    let mut flight = Flight::<S, V, K>::new(simd, work);
    let mut steps = Steps::default();
    loop {
        steps += top_up::<S, F, SMOOTH>(simd, work, flight.vacant_count(), slots, waiting)?;
        flight.board(waiting);
        if !flight.is_empty() {
            escaped.reserve(MOST_LANES, Lanes::<S>::LEN);
            fly::<S, F, V, K>(&mut flight, work)?;
        } else if escaped.len() == 0 {
            break;
        }
        flight.leave_escaped(escaped);
        flight.leave_inside(
            #[inline(always)]
            |id, done| {
                steps.done += done;
                slots.finish(simd, id, Sample::INTERIOR, work);
            },
        );
        // A few wait for more, but not long, and not at the end.
        let is_late = flight.is_empty() || flight.blocks.is_multiple_of(BLOCKS_PER_FLUSH);
        let enough = if is_late { 1 } else { replay::VECTORS * Lanes::<S>::LEN };
        while escaped.len() >= enough {
            steps.done += (K * replay::<S, F, SMOOTH>(simd, work, K, escaped, slots)) as u64;
        }
    }
    steps += slots.steps();
    Ok(steps)
}

/// Iterates until points want to leave, or a look at those that wait is due.
#[inline(always)]
fn fly<S: Simd, F: Formula, const V: usize, const K: usize>(
    flight: &mut Flight<S, V, K>,
    work: &Work,
) -> Result<(), RenderError> {
    loop {
        let want_to_leave = flight.block::<F>();
        if flight.blocks.is_multiple_of(BLOCKS_PER_CHECK) {
            work.check()?;
        }
        if want_to_leave || flight.blocks.is_multiple_of(BLOCKS_PER_FLUSH) {
            return Ok(());
        }
    }
}

/// Begins tiles until `wanted` points wait, or nothing more can be begun.
#[inline(always)]
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
        work.sink.begin(tile);
        if let Some(filled) = fill_if_inside::<F>(work, tile) {
            steps += filled;
            continue;
        }
        let first_id = slots.begin(tile).expect("a slot is free");
        waiting.reserve(tile.area(), Lanes::<S>::LEN);
        steps += simd.vectorize(
            #[inline(always)]
            || first_pass::<S, F, SMOOTH>(simd, work, tile, first_id, slots, waiting),
        )?;
    }
    Ok(steps)
}
