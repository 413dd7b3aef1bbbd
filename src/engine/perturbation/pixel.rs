//! One point's orbit, as its difference from the reference.
//!
//! z_n = Z_m + δ with δ ← (2·Z_m + δ)·δ + δc. Where |z| < |δ| the reference helps no longer: the orbit is rebased, that is
//! δ ← z and m ← 0, which changes nothing, for Z_0 = 0. So one reference is enough for all points.

use super::blocks::{Blocks, Hop};
use super::delta::Delta;
use super::fates::Fate;
use super::jet::Term as _;
use super::repeats::Repeats;
use crate::fractal::reference::{End, Reference};
use crate::math::{Complex, ComplexExp, FloatExp};
use crate::render::{Latest, RenderError, Slope};

/// Steps and blocks between looks at whether the job is stale: some ten microseconds.
const TURNS_PER_LOOK: u64 = 256;

/// What all points of a picture share.
pub struct Surroundings<'a> {
    pub reference: &'a Reference,
    pub blocks: &'a Blocks,
    /// The unit of offsets: the finest pixel step.
    pub unit: FloatExp,
    /// The same as a plain number: 0 where that is below its range.
    pub plain_unit: f64,
    /// Size below which deltas need an exponent of their own, where some may come there; else 0.
    pub floor: f64,
    pub bailout_sq: f64,
    pub max_iterations: u32,
    /// Whether orbits that repeat themselves are known to stay.
    pub cycles: bool,
    /// The way of a pixel to the right and upwards, in units, where points keep how they spread.
    pub axes: Option<[Complex; 2]>,
    pub latest: &'a Latest,
}

/// How far a point has come; `D` is its kind of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress<D> {
    pub delta: D,
    /// How z changes with the offset.
    pub spread: D,
    /// Steps done.
    pub n: u32,
    /// Index of the reference's point beside it.
    pub m: u32,
}

/// A point on its way.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Its place in the tile.
    pub id: u32,
    /// How far it lies from the reference, in units.
    pub offset: Complex,
    pub progress: Progress<ComplexExp>,
    pub states: States,
    /// Steps and blocks executed.
    pub turns: u64,
}

/// What comes of a step or a block.
pub enum Arrival {
    /// The point goes on.
    On,
    /// It has escaped to this z.
    Escaped(Complex),
    Inside,
}

impl Progress<ComplexExp> {
    /// In plain numbers, which must hold it.
    pub fn to_plain(self) -> Progress<Complex> {
        Progress { delta: self.delta.to_complex(), spread: self.spread.to_complex(), n: self.n, m: self.m }
    }
}

impl Progress<Complex> {
    pub fn to_wide(self) -> Progress<ComplexExp> {
        Progress { delta: self.delta.into(), spread: self.spread.into(), n: self.n, m: self.m }
    }
}

/// Where an orbit is rebased: the index of the reference's point, and δ.
pub type States = Repeats<(u32, ComplexExp)>;

impl Surroundings<'_> {
    /// The fate of a point that has escaped to `z`.
    pub fn escaped(&self, progress: &Progress<Complex>, z: Complex) -> Fate {
        let slope = |axes: [Complex; 2]| Slope::new(z, axes.map(|axis| progress.spread.mul(axis)));
        let slope = self.axes.map_or(Slope::INTERIOR, slope);
        Fate { iterations: progress.n, norm_sq: z.norm_sq(), slope, turns: 0 }
    }

    /// The point at an offset, where all points have come together; at the very beginning where it can do whole turns.
    #[inline(always)]
    pub fn set_out(&self, id: u32, offset: Complex) -> Point {
        if self.blocks.turn().is_some() {
            return Point { id, offset, progress: Progress::default(), states: States::default(), turns: 0 };
        }
        let start = self.blocks.start();
        let mut progress = Progress { n: start.steps, m: start.steps, ..Progress::default() };
        match &start.plain {
            Some(jet) => {
                progress.delta = jet.at(Complex::default(), offset).into();
                progress.spread = jet.slopes(Complex::default(), offset)[1].into();
            }
            None => {
                let way = self.wide_way(offset);
                progress.delta = start.wide.at(ComplexExp::ZERO, way.u);
                progress.spread = start.wide.slopes(ComplexExp::ZERO, way.u)[1].times(way.u_per_offset);
            }
        }
        Point { id, offset, progress, states: States::default(), turns: 1 }
    }

    /// What comes of having arrived: an end, a beginning again beside another point of the reference, or neither.
    #[inline(always)]
    pub fn arrive<D: Delta>(&self, progress: &mut Progress<D>, states: &mut States) -> Arrival {
        if progress.n > self.max_iterations {
            return Arrival::Inside;
        }
        let wide_z = progress.delta.plus(D::reference(self.reference, progress.m));
        let z = wide_z.to_f64();
        // An orbit that overflows to infinity or NaN has escaped too.
        if !(z.norm_sq() <= self.bailout_sq) {
            return Arrival::Escaped(z);
        }
        let is_rebased = wide_z.size() < progress.delta.size();
        if is_rebased || progress.m == self.reference.last() {
            match self.reference.end() {
                End::Cycle { period } if !is_rebased => progress.m -= period,
                // Here the reference was given up, and so are those who still follow it.
                End::Cap if !is_rebased => return Arrival::Inside,
                _ => (progress.delta, progress.m) = (wide_z, 0),
            }
            if self.cycles && states.repeat((progress.m, progress.delta.into())) {
                return Arrival::Inside;
            }
        }
        Arrival::On
    }

    /// One step, or the longest block that holds.
    #[inline(always)]
    pub fn go_on<D: Delta>(&self, progress: &mut Progress<D>, way: &Way<D>) {
        match progress.delta.block(self.blocks, progress.m) {
            Some(hop) => self.skip(progress, way, &hop),
            None => self.step(progress, way),
        }
    }

    #[inline(always)]
    pub fn skip<D: Delta>(&self, progress: &mut Progress<D>, way: &Way<D>, hop: &Hop<'_, D>) {
        let Hop { jet, steps, is_linear } = *hop;
        if self.axes.is_some() {
            let [along_d, along_c] = jet.slopes(progress.delta, way.u);
            progress.spread = along_d.times(progress.spread).plus(along_c.times(way.u_per_offset));
        }
        let (delta, u) = (progress.delta, way.u);
        progress.delta = if is_linear { jet.at_linear(delta, u) } else { jet.at(delta, u) };
        progress.n += steps;
        progress.m += steps;
    }

    #[inline(always)]
    pub fn step<D: Delta>(&self, progress: &mut Progress<D>, way: &Way<D>) {
        let reference = D::reference(self.reference, progress.m);
        if self.axes.is_some() {
            let z = reference.plus(progress.delta);
            progress.spread = z.plus(z).times(progress.spread).plus(way.c_per_offset);
        }
        progress.delta = progress.delta.step(reference, way.c);
        progress.n += 1;
        progress.m += 1;
    }

    /// Follows a point that plain numbers cannot hold until they can: `steps` at least, and as long as its delta is below
    /// the floor. None while it goes on there.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn surface(&self, point: &mut Point, steps: u32) -> Result<Option<Fate>, RenderError> {
        let way = self.wide_way(point.offset);
        let until = point.progress.n + steps;
        while point.progress.n < until || point.progress.delta.is_below(self.floor) {
            match self.blocks.turn().filter(|turn| point.progress.m == 0 && turn.holds(point.progress.delta)) {
                Some(turn) => {
                    if let Some(fate) = turn.follow(self, point)? {
                        return Ok(Some(fate));
                    }
                }
                None => {
                    self.go_on(&mut point.progress, &way);
                    point.turns += 1;
                }
            }
            match self.arrive(&mut point.progress, &mut point.states) {
                Arrival::On => {}
                Arrival::Inside => return Ok(Some(Fate { turns: point.turns, ..Fate::default() })),
                Arrival::Escaped(z) => {
                    return Ok(Some(Fate { turns: point.turns, ..self.escaped(&point.progress.to_plain(), z) }));
                }
            }
            if point.turns.is_multiple_of(TURNS_PER_LOOK) && self.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
        }
        Ok(None)
    }

    fn wide_way(&self, offset: Complex) -> Way<ComplexExp> {
        let c = ComplexExp::from(offset).scaled(self.unit);
        let unit = ComplexExp::ONE.scaled(self.unit);
        Way { c, u: c, c_per_offset: unit, u_per_offset: unit }
    }

    #[inline(always)]
    pub fn plain_way(&self, offset: Complex) -> Way<Complex> {
        let unit = self.plain_unit;
        Way {
            c: offset.scaled(unit),
            u: offset,
            c_per_offset: Complex::new(unit, 0.0),
            u_per_offset: Complex::new(1.0, 0.0),
        }
    }
}

/// Where a point lies from the reference.
#[derive(Clone, Copy, Debug)]
pub struct Way<D> {
    /// δc.
    pub c: D,
    /// The same as blocks count it.
    pub u: D,
    /// How both change with the offset.
    pub c_per_offset: D,
    pub u_per_offset: D,
}
