//! Many points at once, in plain numbers: each has a lane of a vector, and leaves it when its end is known.
//!
//! Every lane does [`STRIDE`] steps beside its own part of the reference, then skips by whatever blocks hold. What becomes of
//! a point hangs on nothing but the point: lanes share instructions, not decisions.

use fearless_simd::prelude::*;

use super::blocks::STRIDE;
use super::delta::Delta as _;
use super::fates::Fate;
use super::pixel::{Arrival, Point, Progress, States, Surroundings};
use crate::engine::kernel::{Column, Lanes, Mask, each_lane};
use crate::math::{Complex, Real};
use crate::render::RenderError;

/// Vectors in flight: what one waits for, the other does.
const V: usize = 2;
/// Room for the lanes of one vector, and of all.
const MOST_LEN: usize = 8;
const MOST_LANES: usize = V * MOST_LEN;
/// Flights between looks at whether the job is stale: some ten microseconds.
const FLIGHTS_PER_LOOK: u64 = 16;

type Columns = Complex<Column<MOST_LANES>>;

/// Points on their way, in lanes.
pub struct Flight<'a, S: Simd, const SLOPES: bool> {
    simd: S,
    surroundings: &'a Surroundings<'a>,
    delta: Columns,
    spread: Columns,
    c: Columns,
    offset: Columns,
    n: [u32; MOST_LANES],
    m: [u32; MOST_LANES],
    id: [u32; MOST_LANES],
    turns: [u64; MOST_LANES],
    states: [States; MOST_LANES],
    /// Lanes that hold a point, one bit a lane.
    live: u64,
    events: Events,
}

/// What was met on the way, by lane.
struct Events {
    lanes: u64,
    /// Lanes whose delta was below the floor before that, or on the whole way.
    dives: u64,
    steps: [u32; MOST_LANES],
    delta: Columns,
    spread: Columns,
}

/// Follows points to their ends; `finish` takes their ids and fates.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
#[inline(always)]
pub fn follow<S: Simd, const SLOPES: bool>(
    simd: S,
    surroundings: &Surroundings<'_>,
    waiting: &mut Vec<Point>,
    mut finish: impl FnMut(u32, Fate),
) -> Result<(), RenderError> {
    let mut flight = Flight::<S, SLOPES>::new(simd, surroundings);
    for flights in 0_u64.. {
        flight.board(waiting, &mut finish)?;
        if flight.live == 0 {
            break;
        }
        if flights.is_multiple_of(FLIGHTS_PER_LOOK) && surroundings.latest.is_stale() {
            return Err(RenderError::Cancelled);
        }
        flight.fly(waiting, &mut finish)?;
    }
    Ok(())
}

/// What becomes of a lane.
enum Next {
    Fly,
    End(Fate),
    /// Its delta has become too small for plain numbers.
    Dive,
}

impl<'a, S: Simd, const SLOPES: bool> Flight<'a, S, SLOPES> {
    const LEN: usize = Lanes::<S>::LEN;
    const LANES: usize = V * Self::LEN;

    #[inline(always)]
    fn new(simd: S, surroundings: &'a Surroundings<'a>) -> Self {
        Self {
            simd,
            surroundings,
            delta: Columns::ZEROS,
            spread: Columns::ZEROS,
            c: Columns::ZEROS,
            offset: Columns::ZEROS,
            n: [0; MOST_LANES],
            m: [0; MOST_LANES],
            id: [0; MOST_LANES],
            turns: [0; MOST_LANES],
            states: [States::default(); MOST_LANES],
            live: 0,
            events: Events {
                lanes: 0,
                dives: 0,
                steps: [0; MOST_LANES],
                delta: Columns::ZEROS,
                spread: Columns::ZEROS,
            },
        }
    }

    /// Puts waiting points into vacant lanes.
    #[inline(always)]
    fn board(&mut self, waiting: &mut Vec<Point>, finish: &mut impl FnMut(u32, Fate)) -> Result<(), RenderError> {
        for lane in 0..Self::LANES {
            while self.live >> lane & 1 == 0 {
                let Some(mut point) = waiting.pop() else { return Ok(()) };
                let is_new = point.progress.n == 0 && self.surroundings.blocks.turn().is_some();
                if (is_new || point.progress.delta.is_below(self.surroundings.floor))
                    && let Some(fate) = self.surroundings.surface(&mut point, u32::from(is_new))?
                {
                    finish(point.id, fate);
                    continue;
                }
                let way = self.surroundings.plain_way(point.offset);
                self.c.set(lane, way.c);
                self.offset.set(lane, point.offset);
                self.id[lane] = point.id;
                self.turns[lane] = point.turns;
                self.states[lane] = point.states;
                let mut progress = point.progress.to_plain();
                let next = self.settle(lane, &mut progress, true);
                self.live |= 1 << lane;
                self.keep(lane, &progress, next, waiting, finish)?;
            }
        }
        Ok(())
    }

    /// Leaves a lane as it goes on, or vacates it.
    #[inline(always)]
    fn keep(
        &mut self,
        lane: usize,
        progress: &Progress<Complex>,
        next: Next,
        waiting: &mut Vec<Point>,
        finish: &mut impl FnMut(u32, Fate),
    ) -> Result<(), RenderError> {
        match next {
            Next::Fly => {
                self.delta.set(lane, progress.delta);
                self.spread.set(lane, progress.spread);
                (self.n[lane], self.m[lane]) = (progress.n, progress.m);
                return Ok(());
            }
            Next::End(fate) => finish(self.id[lane], Fate { turns: self.turns[lane], ..fate }),
            Next::Dive => {
                let mut point = Point {
                    id: self.id[lane],
                    offset: self.offset.get(lane),
                    progress: progress.to_wide(),
                    states: self.states[lane],
                    turns: self.turns[lane],
                };
                match self.surroundings.surface(&mut point, STRIDE)? {
                    Some(fate) => finish(point.id, fate),
                    None => waiting.push(point),
                }
            }
        }
        self.vacate(lane);
        Ok(())
    }

    /// What is left there stays at 0 beside the reference's beginning, unlooked at.
    fn vacate(&mut self, lane: usize) {
        self.live &= !(1 << lane);
        for column in [&mut self.delta, &mut self.spread, &mut self.c] {
            column.set(lane, Complex::default());
        }
        (self.n[lane], self.m[lane]) = (0, 0);
    }

    /// Takes a point on to where it flies: by all blocks that hold, from an index where blocks begin. `may_end` says that
    /// its arrival here is still to be looked at, which was no flight's whole way.
    #[inline(always)]
    fn settle(&mut self, lane: usize, progress: &mut Progress<Complex>, may_end: bool) -> Next {
        let surroundings = self.surroundings;
        if may_end {
            if let Some(end) = self.end(lane, progress) {
                return end;
            }
        } else if progress.n > surroundings.max_iterations {
            return Next::End(Fate::default());
        }
        let way = surroundings.plain_way(self.offset.get(lane));
        loop {
            let before = *progress;
            match surroundings.blocks.plain(progress.m, progress.delta.size()) {
                Some(hop) => surroundings.skip(progress, &way, &hop),
                None if progress.m.is_multiple_of(STRIDE) => return Next::Fly,
                None => surroundings.step(progress, &way),
            }
            self.turns[lane] += 1;
            if progress.delta.is_below(surroundings.floor) {
                *progress = before;
                return Next::Dive;
            }
            if let Some(end) = self.end(lane, progress) {
                return end;
            }
        }
    }

    /// What ends the flight of a point that has arrived, if anything does.
    #[inline(always)]
    fn end(&mut self, lane: usize, progress: &mut Progress<Complex>) -> Option<Next> {
        match self.surroundings.arrive(progress, &mut self.states[lane]) {
            Arrival::On if progress.delta.is_below(self.surroundings.floor) => Some(Next::Dive),
            Arrival::On => None,
            Arrival::Inside => Some(Next::End(Fate::default())),
            Arrival::Escaped(z) => Some(Next::End(self.surroundings.escaped(progress, z))),
        }
    }

    /// [`STRIDE`] steps of all lanes, and what comes of them.
    #[inline(always)]
    fn fly(&mut self, waiting: &mut Vec<Point>, finish: &mut impl FnMut(u32, Fate)) -> Result<(), RenderError> {
        let simd = self.simd;
        let (mut delta, mut spread) = (load_all(simd, &self.delta), load_all(simd, &self.spread));
        self.steps(&mut delta, &mut spread);
        for v in 0..V {
            // Who dives stays where the flight began.
            let dives = Mask::<S>::from_bitmask(simd, self.events.dives >> (v * Self::LEN) & ((1 << Self::LEN) - 1));
            self.delta.store(v, where_set(dives, self.delta.load(simd, v), delta[v]));
            if SLOPES {
                self.spread.store(v, where_set(dives, self.spread.load(simd, v), spread[v]));
            }
        }
        for lane in each_lane::<MOST_LANES>(self.live) {
            let has = |set: u64| set >> lane & 1 == 1;
            let (delta, spread) = (self.delta.get(lane), self.spread.get(lane));
            let mut progress = Progress { delta, spread, n: self.n[lane], m: self.m[lane] };
            let next = if has(self.events.dives) {
                Next::Dive
            } else {
                let mut steps = STRIDE;
                if has(self.events.lanes) {
                    steps = self.events.steps[lane];
                    progress.delta = self.events.delta.get(lane);
                    progress.spread = self.events.spread.get(lane);
                }
                progress.n += steps;
                progress.m += steps;
                self.turns[lane] += u64::from(steps);
                self.settle(lane, &mut progress, has(self.events.lanes))
            };
            self.keep(lane, &progress, next, waiting, finish)?;
        }
        Ok(())
    }

    /// The lanes whose numbers are below the floor.
    #[inline(always)]
    fn below_floor(&self, lowest: [Lanes<S>; V]) -> u64 {
        let floor = Lanes::splat(self.simd, self.surroundings.floor);
        let mut below = 0;
        for (v, lowest) in lowest.into_iter().enumerate() {
            below |= floor.above_mask(lowest).to_bitmask() << (v * Self::LEN);
        }
        if self.surroundings.floor > 0.0 { below } else { 0 }
    }

    /// Iterates all lanes [`STRIDE`] times, and notes what is met first in each.
    #[inline(always)]
    fn steps(&mut self, delta: &mut [Complex<Lanes<S>>; V], spread: &mut [Complex<Lanes<S>>; V]) {
        let (simd, surroundings) = (self.simd, self.surroundings);
        let last = surroundings.reference.last();
        let c = load_all(simd, &self.c);
        let mut near = Columns::ZEROS;
        for lane in 0..Self::LANES {
            near.set(lane, surroundings.reference.points()[self.m[lane] as usize]);
        }
        let mut near = load_all(simd, &near);
        let bailout_sq = Lanes::splat(simd, surroundings.bailout_sq);
        let per_offset = Lanes::splat(simd, surroundings.plain_unit);
        let [two, infinite] = [2.0, f64::INFINITY].map(|x| Lanes::splat(simd, x));
        let mut lowest = [infinite; V];
        (self.events.lanes, self.events.dives) = (0, 0);
        let mut flying = self.live;
        // Steps to the reference's end, of the lane that comes there next.
        let m = self.m;
        let to_end = |lane: usize| last - m[lane];
        let mut nearest_end = (0..Self::LANES).map(to_end).min().unwrap_or(u32::MAX);
        let half = Self::LEN / 2;
        for done in (0..STRIDE as usize).step_by(half) {
            let points = self.points_ahead(done as u32);
            for k in 0..half {
                let mut met = 0;
                for v in 0..V {
                    let (d, z) = (delta[v], near[v]);
                    if SLOPES {
                        let (re, im) = (z.re.add(d.re), z.im.add(d.im));
                        let (re, im) = (re.add(re), im.add(im));
                        let s = spread[v];
                        spread[v] = Complex::new(
                            im.neg_mul_add(s.im, re.mul_add(s.re, per_offset)),
                            im.mul_add(s.re, re.mul(s.im)),
                        );
                    }
                    let (re, im) = (two.mul_add(z.re, d.re), two.mul_add(z.im, d.im));
                    let d = Complex::new(
                        im.neg_mul_add(d.im, re.mul_add(d.re, c[v].re)),
                        im.mul_add(d.re, re.mul_add(d.im, c[v].im)),
                    );
                    near[v] = Complex::new(points[v][2 * k], points[v][2 * k + 1]);
                    let z = Complex::new(near[v].re.add(d.re), near[v].im.add(d.im));
                    let size = size(d);
                    lowest[v] = Lanes(lowest[v].0.min(size.0));
                    let inside = z.norm_sq().at_most_mask(bailout_sq);
                    let rebased = size.above_mask(self::size(z));
                    met |= (!inside | rebased).to_bitmask() << (v * Self::LEN);
                    delta[v] = d;
                }
                let step = (done + k) as u32 + 1;
                if step == nearest_end {
                    met |= (0..Self::LANES).filter(|&lane| to_end(lane) == step).map(|lane| 1 << lane).sum::<u64>();
                    nearest_end = (0..Self::LANES).map(to_end).filter(|&end| end > step).min().unwrap_or(u32::MAX);
                }
                if met & flying != 0 {
                    self.events.note::<S, SLOPES>(met & flying, step, delta, spread);
                    self.events.dives |= self.below_floor(lowest) & met & flying;
                    flying &= !met;
                    if flying == 0 {
                        return;
                    }
                }
            }
        }
        self.events.dives |= self.below_floor(lowest) & flying;
    }

    /// Both parts of the next half vector of points of the reference, for each lane, after `done` steps.
    #[inline(always)]
    fn points_ahead(&self, done: u32) -> [[Lanes<S>; MOST_LEN]; V] {
        let blocks = self.surroundings.blocks;
        let mut ahead = [[Lanes::splat(self.simd, 0.0); MOST_LEN]; V];
        for (v, rows) in ahead.iter_mut().enumerate() {
            for (lane, row) in rows.iter_mut().enumerate().take(Self::LEN) {
                *row = Lanes::load(self.simd, blocks.parts(self.m[v * Self::LEN + lane] + done + 1));
            }
            transpose(rows);
        }
        ahead
    }
}

impl Events {
    /// Notes where these lanes are.
    #[inline(always)]
    fn note<S: Simd, const SLOPES: bool>(
        &mut self,
        lanes: u64,
        step: u32,
        delta: &[Complex<Lanes<S>>; V],
        spread: &[Complex<Lanes<S>>; V],
    ) {
        self.lanes |= lanes;
        for lane in each_lane::<MOST_LANES>(lanes) {
            let (v, i) = (lane / Lanes::<S>::LEN, lane % Lanes::<S>::LEN);
            self.steps[lane] = step;
            self.delta.set(lane, Complex::new(delta[v].re.0[i], delta[v].im.0[i]));
            if SLOPES {
                self.spread.set(lane, Complex::new(spread[v].re.0[i], spread[v].im.0[i]));
            }
        }
    }
}

/// All vectors of a column.
#[inline(always)]
fn load_all<S: Simd>(simd: S, columns: &Columns) -> [Complex<Lanes<S>>; V] {
    let mut all = [columns.load(simd, 0); V];
    for (v, lanes) in all.iter_mut().enumerate().skip(1) {
        *lanes = columns.load(simd, v);
    }
    all
}

#[inline(always)]
fn where_set<S: Simd>(mask: Mask<S>, a: Complex<Lanes<S>>, b: Complex<Lanes<S>>) -> Complex<Lanes<S>> {
    Complex::new(a.re.where_set(mask, b.re), a.im.where_set(mask, b.im))
}

/// The larger of the parts' sizes.
#[inline(always)]
fn size<S: Simd>(z: Complex<Lanes<S>>) -> Lanes<S> {
    Lanes(z.re.0.abs().max(z.im.0.abs()))
}

/// Rows become columns, of as many rows as a vector has lanes.
#[inline(always)]
fn transpose<S: Simd>(rows: &mut [Lanes<S>; MOST_LEN]) {
    let half = Lanes::<S>::LEN / 2;
    let mut left = Lanes::<S>::LEN;
    while left > 1 {
        let before = *rows;
        for i in 0..half {
            rows[2 * i] = Lanes(before[i].0.zip_low(before[i + half].0));
            rows[2 * i + 1] = Lanes(before[i].0.zip_high(before[i + half].0));
        }
        left /= 2;
    }
}
