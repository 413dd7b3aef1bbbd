//! The first pass over a tile: what shortcuts know, and what escapes within a few steps.
//!
//! Four vectors of neighbouring points, one above the other, are iterated in step and tested at
//! every step. Most of the outside ends here; the rest go on to the stream, one by one.

use fearless_simd::prelude::*;

use super::lanes::{Lanes, Mask};
use super::points::{Point, Points};
use super::slots::Slots;
use super::work::{Steps, Work};
use crate::engine::naive;
use crate::fractal::Formula;
use crate::fractal::interior::{lasting_escape, quadratic_bulbs};
use crate::math::{Complex, Real};
use crate::render::{RenderError, Sample, Tile};

/// Steps of the first pass: past them, neighbours no longer escape together.
pub const STEPS: u32 = 48;
/// Steps between looks at whether any of the group's points are left.
const STEPS_PER_LOOK: u32 = 4;
/// Vectors in a group, which are rows of the picture.
pub const ROWS: usize = 4;

/// Iterates a tile's points, writes the samples of those that end, and lists the others.
///
/// # Errors
/// [`RenderError::Cancelled`] once the job is stale.
#[inline(always)]
pub fn first_pass<S: Simd, F: Formula, const SMOOTH: bool>(
    simd: S,
    work: &Work,
    tile: Tile,
    first_id: u32,
    slots: &mut Slots,
    waiting: &mut Points,
) -> Result<Steps, RenderError> {
    let mut pass = Pass::<S>::new(simd, work);
    let columns = Columns::new(work, tile);
    let mut pending = 0;
    for y in (0..tile.height as usize).step_by(ROWS) {
        for x in (0..tile.width as usize).step_by(Lanes::<S>::LEN) {
            let group = pass.group::<F>(simd, &columns, tile, x, y);
            let id = first_id + (y * slots.stride + x) as u32;
            let left = pass.iterate::<F, SMOOTH>(simd, group, id, slots);
            if left.is_any() {
                pending += pass.list::<F>(simd, left, id, slots, waiting)?;
            }
        }
    }
    slots.leave(simd, first_id, pending, work);
    Ok(pass.steps)
}

/// A tile's part of the grid along x, filled up to whole vectors.
struct Columns {
    re_x: [f64; Self::MOST],
    im_x: [f64; Self::MOST],
}

impl Columns {
    const MOST: usize = super::MOST_SIDE as usize;

    fn new(work: &Work, tile: Tile) -> Self {
        let (x, width) = (tile.x as usize, tile.width as usize);
        let copy = |numbers: &[f64]| {
            let mut filled = [numbers[x + width - 1]; Self::MOST];
            filled[..width].copy_from_slice(&numbers[x..x + width]);
            filled
        };
        Self { re_x: copy(&work.grid.re_x), im_x: copy(&work.grid.im_x) }
    }
}

/// What stays the same from group to group.
struct Pass<'a, S: Simd> {
    work: &'a Work<'a>,
    bailout_sq: Lanes<S>,
    lasting_sq: Lanes<S>,
    first_steps: u32,
    steps: Steps,
}

/// Neighbouring points on their way.
struct Group<S: Simd> {
    z: [Complex<Lanes<S>>; ROWS],
    c: [Complex<Lanes<S>>; ROWS],
    /// Points that are still to be iterated.
    alive: [Mask<S>; ROWS],
}

impl<S: Simd> Group<S> {
    #[inline(always)]
    fn is_any(&self) -> bool {
        self.alive_bits() != 0
    }

    #[inline(always)]
    fn alive_bits(&self) -> u64 {
        let bits = |row: usize| self.alive[row].to_bitmask() << (row * Lanes::<S>::LEN);
        bits(0) | bits(1) | bits(2) | bits(3)
    }

    /// Whether escapes last, and may be looked for later, for all points.
    #[inline(always)]
    fn lasts(&self, lasting_sq: Lanes<S>) -> bool {
        let [a, b, c, d] = self.c;
        let lasts = |c: Complex<Lanes<S>>| c.norm_sq().at_most_mask(lasting_sq);
        (lasts(a) & lasts(b) & lasts(c) & lasts(d)).all_true()
    }

    /// Iterates `steps` steps untested, if no point escapes in them.
    #[inline(always)]
    fn advance<F: Formula>(&mut self, steps: u32, bailout_sq: Lanes<S>) -> bool {
        let mut z = self.z;
        for _ in 0..steps {
            for (z, &c) in z.iter_mut().zip(&self.c) {
                *z = F::step(*z, c);
            }
        }
        let escaped = |row: usize| self.alive[row] & !z[row].norm_sq().at_most_mask(bailout_sq);
        let is_calm = (escaped(0) | escaped(1) | escaped(2) | escaped(3)).all_false();
        if is_calm {
            self.z = z;
        }
        is_calm
    }
}

impl<'a, S: Simd> Pass<'a, S> {
    #[inline(always)]
    fn new(simd: S, work: &'a Work<'a>) -> Self {
        let task = work.task;
        Self {
            work,
            bailout_sq: Lanes::splat(simd, task.bailout * task.bailout),
            lasting_sq: Lanes::splat(simd, lasting_escape(task.bailout)),
            first_steps: STEPS.min(task.max_iterations),
            steps: Steps::default(),
        }
    }

    /// The points at (x, y) of the tile, without those that a shortcut knows.
    #[inline(always)]
    fn group<F: Formula>(&self, simd: S, columns: &Columns, tile: Tile, x: usize, y: usize) -> Group<S> {
        let grid = &self.work.grid;
        let re_x = Lanes::<S>::load(simd, &columns.re_x[x..]);
        let im_x = Lanes::<S>::load(simd, &columns.im_x[x..]);
        let in_row = (1_u64 << (tile.width as usize - x).min(Lanes::<S>::LEN)) - 1;
        let mut group = Group {
            z: [Complex::splat(simd, Complex::new(0.0, 0.0)); ROWS],
            c: [Complex::splat(simd, Complex::new(0.0, 0.0)); ROWS],
            alive: [Mask::<S>::splat(simd, false); ROWS],
        };
        for row in 0..ROWS {
            let is_row = y + row < tile.height as usize;
            let j = (tile.y as usize) + if is_row { y + row } else { y };
            let point =
                Complex::new(re_x.add(Lanes::splat(simd, grid.re_y[j])), Lanes::splat(simd, grid.im_y[j]).add(im_x));
            group.alive[row] = Mask::<S>::from_bitmask(simd, if is_row { in_row } else { 0 });
            match self.work.c {
                None => group.c[row] = point,
                Some(c) => (group.z[row], group.c[row]) = (point, Complex::splat(simd, c)),
            }
            if self.work.knows_bulbs::<F>() {
                for (a, b) in quadratic_bulbs(point) {
                    group.alive[row] &= !a.at_most_mask(b);
                }
            }
        }
        group
    }

    /// Iterates a group, writes all its samples as far as they are known, and returns what is left of it.
    #[inline(always)]
    fn iterate<F: Formula, const SMOOTH: bool>(
        &self,
        simd: S,
        mut group: Group<S>,
        id: u32,
        slots: &mut Slots,
    ) -> Group<S> {
        let started = group.alive;
        let one = Lanes::splat(simd, 1.0);
        // Steps that each point survived.
        let mut survived = [Lanes::splat(simd, 0.0); ROWS];
        let mut norm_sq = [one; ROWS];
        let mut n = 0;
        let may_skip_tests = group.lasts(self.lasting_sq);
        let mut is_calm = false;
        while n < self.first_steps && group.is_any() {
            let steps = STEPS_PER_LOOK.min(self.first_steps - n);
            n += steps;
            // Where nothing escaped in the last steps, likely nothing will in the next.
            if is_calm && may_skip_tests && group.advance::<F>(steps, self.bailout_sq) {
                let steps = Lanes::splat(simd, f64::from(steps));
                for (survived, &alive) in survived.iter_mut().zip(&group.alive) {
                    *survived = survived.add(steps).where_set(alive, *survived);
                }
                continue;
            }
            let before = group.alive_bits();
            for _ in 0..steps {
                for row in 0..ROWS {
                    group.z[row] = F::step(group.z[row], group.c[row]);
                    let norm_sq_now = group.z[row].norm_sq();
                    if SMOOTH {
                        norm_sq[row] = norm_sq_now.where_set(group.alive[row], norm_sq[row]);
                    }
                    group.alive[row] &= norm_sq_now.at_most_mask(self.bailout_sq);
                    survived[row] = survived[row].add(one).where_set(group.alive[row], survived[row]);
                }
            }
            is_calm = group.alive_bits() == before;
        }
        let stride = slots.stride;
        let samples = slots.samples_from(id);
        for row in 0..ROWS {
            let escaped = started[row] & !group.alive[row];
            let iterations = survived[row].add(one).where_set(escaped, Lanes::splat(simd, 0.0));
            let fraction = match &self.work.smooth {
                Some(smooth) if SMOOTH => smooth.fraction(norm_sq[row]).where_set(escaped, Lanes::splat(simd, 0.0)),
                _ => Lanes::splat(simd, 0.0),
            };
            write_samples::<S, SMOOTH>(iterations, fraction, &mut samples[row * stride..]);
        }
        group
    }

    /// Lists the points that are left, and returns how many samples are still to come.
    #[inline(always)]
    fn list<F: Formula>(
        &mut self,
        simd: S,
        group: Group<S>,
        id: u32,
        slots: &mut Slots,
        waiting: &mut Points,
    ) -> Result<u32, RenderError> {
        let max_iterations = self.work.task.max_iterations;
        if self.first_steps == max_iterations {
            let points: u32 = group.alive.iter().map(|alive| alive.to_bitmask().count_ones()).sum();
            self.steps.done += u64::from(points) * u64::from(max_iterations);
            return Ok(0);
        }
        let mut pending = 0;
        for row in 0..ROWS {
            let first = id + (row * slots.stride) as u32;
            let lasting = group.c[row].norm_sq().at_most_mask(self.lasting_sq);
            let unsure = (group.alive[row] & !lasting).to_bitmask();
            if unsure != 0 {
                self.iterate_one_by_one::<F>(simd, group.z[row], group.c[row], unsure, first, slots)?;
            }
            let alive = group.alive[row] & lasting;
            let steps = Lanes::splat(simd, f64::from(self.first_steps));
            let id = Lanes::splat(simd, f64::from(first)).add(Lanes(S::f64s::from_fn(simd, |lane| lane as f64)));
            waiting.push_lanes(Point { z: group.z[row], c: group.c[row], steps, id }, alive);
            pending += alive.to_bitmask().count_ones();
        }
        Ok(pending)
    }

    /// Ends points that a block of untested steps could bring back into the disc: a handful near |c| = R = 2.
    #[cold]
    fn iterate_one_by_one<F: Formula>(
        &mut self,
        simd: S,
        z: Complex<Lanes<S>>,
        c: Complex<Lanes<S>>,
        which: u64,
        first_id: u32,
        slots: &mut Slots,
    ) -> Result<(), RenderError> {
        let work = self.work;
        for lane in (0..Lanes::<S>::LEN).filter(|lane| which >> lane & 1 == 1) {
            let point = |z: Complex<Lanes<S>>| Complex::new(z.re.0[lane], z.im.0[lane]);
            let (n, norm_sq) = simd.vectorize(
                #[inline(always)]
                || naive::continue_orbit::<F>(point(z), point(c), self.first_steps, work.task, work.latest),
            )?;
            slots.samples_from(first_id)[lane] = naive::sample(n, norm_sq, work.smooth.as_ref());
            if n == 0 {
                self.steps.done += u64::from(work.task.max_iterations);
            }
        }
        Ok(())
    }
}

/// Writes a vector of samples; counts and fractions come as f64.
#[inline(always)]
pub fn write_samples<S: Simd, const SMOOTH: bool>(iterations: Lanes<S>, fraction: Lanes<S>, to: &mut [Sample]) {
    let mut counts = [0.0; 8];
    let mut fractions = [0.0; 8];
    iterations_as_bits(iterations).store(&mut counts);
    if SMOOTH {
        fraction.store(&mut fractions);
    }
    for ((sample, count), fraction) in to[..Lanes::<S>::LEN].iter_mut().zip(counts).zip(fractions) {
        *sample = Sample { iterations: count.to_bits() as u32, fraction: fraction as f32 };
    }
}

/// Numbers whose low 32 bits are the given integers.
#[inline(always)]
pub fn iterations_as_bits<S: Simd>(iterations: Lanes<S>) -> Lanes<S> {
    Lanes(iterations.0 + f64::from_bits(crate::math::real::TWO_POW_52_BITS))
}
