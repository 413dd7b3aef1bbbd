//! Columns with many orbits in flight.

use fearless_simd::Simd;

use super::counts::Counts;
use super::curve::finish_column;
use super::flight::{Flight, MOST};
use super::orbit::Orbit;
use super::settle::settle;
use super::{Part, Run};
use crate::engine::kernel::Lanes;
use crate::fractal::Map;
use crate::fractal::system::At;
use crate::math::Real as _;
use crate::math::real::TWO_POW_52;
use crate::render::{RenderError, Strip};

/// Vectors in flight, for those of 8 numbers and for shorter ones: as many as hide how long a step takes.
const VECTORS_OF_8: usize = 4;
const VECTORS: usize = 8;

/// What a thread keeps from strip to strip.
#[derive(Default)]
pub struct Scratch {
    pub strip: Strip,
    counts: Counts,
}

pub struct Flock<'a> {
    pub part: Part<'a>,
    pub scratch: &'a mut Scratch,
}

impl Run for Flock<'_> {
    #[inline(always)]
    fn run<S: Simd, M: Map<D>, const D: usize>(self, simd: S) -> Result<u64, RenderError> {
        match Lanes::<S>::LEN {
            8 => run::<S, M, D, VECTORS_OF_8>(simd, &self.part, self.scratch),
            _ => run::<S, M, D, VECTORS>(simd, &self.part, self.scratch),
        }
    }
}

#[inline(always)]
fn run<S: Simd, M: Map<D>, const D: usize, const V: usize>(
    simd: S,
    part: &Part<'_>,
    scratch: &mut Scratch,
) -> Result<u64, RenderError> {
    let (columns, task) = (part.columns, part.columns.task);
    let Scratch { strip, counts } = scratch;
    strip.reset(part.range.clone(), columns.size()[1]);
    let all = part.range.clone().flat_map(|column| task.orbits.clone().map(move |orbit| (column, orbit)));
    let systems = all.map(|(column, orbit)| At::<M, D>::new(columns.parameter(column, orbit)));
    let mut orbits = settle::<S, M, D, V>(simd, part, systems)?;

    let unsettled: Vec<usize> = (0..orbits.len()).filter(|&i| orbits[i].is_unsettled()).collect();
    counts.resize(strip.columns.len(), strip.height as usize);
    for chunk in unsettled.chunks(Flight::<S, M, D, V>::ORBITS) {
        count::<S, M, D, V>(simd, part, &mut orbits, chunk, counts)?;
    }
    let counted = unsettled.len() as u64 * u64::from(task.kept);
    let steps = counted + orbits.iter().map(|orbit| orbit.steps(task.effort)).sum::<u64>();
    for (i, orbits) in orbits.chunks_exact(task.orbits.len()).enumerate() {
        if orbits.iter().any(Orbit::is_unsettled) {
            counts.take(i, strip);
        }
        finish(simd, part, orbits, strip, i);
    }
    Ok(steps)
}

/// [`finish_column`], once in the program for each map.
#[inline(never)]
fn finish<S: Simd, M: Map<D>, const D: usize>(
    simd: S,
    part: &Part<'_>,
    orbits: &[Orbit<At<M, D>>],
    strip: &mut Strip,
    i: usize,
) {
    simd.vectorize(
        #[inline(always)]
        || finish_column(part.columns, orbits, strip, i),
    );
}

/// Counts the next points of some unsettled orbits, and measures how they stretch.
#[inline(always)]
fn count<S: Simd, M: Map<D>, const D: usize, const V: usize>(
    simd: S,
    part: &Part<'_>,
    orbits: &mut [Orbit<At<M, D>>],
    chunk: &[usize],
    counts: &mut Counts,
) -> Result<(), RenderError> {
    let (columns, task) = (part.columns, part.columns.task);
    let rows = f64::from(columns.size()[1]);
    // Added to a row they make bits that end in the number of its bin; and the rows of what is out of view.
    let (mut bases, mut out) = ([0.0; MOST], [0.0; MOST]);
    for lane in 0..MOST {
        let orbit = chunk[lane.min(chunk.len() - 1)];
        bases[lane] = TWO_POW_52 + counts.base(lane, orbit / task.orbits.len()) as f64;
        out[lane] = rows + lane as f64;
    }
    let mut flight = Flight::<S, M, D, V>::new(simd, chunk.iter().map(|&i| (orbits[i].system, orbits[i].point())));
    let (zero, rows) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, rows));
    let exponents = flight.stretch(
        part,
        task.kept,
        #[inline(always)]
        |x| {
            let mut bins = [0.0; MOST];
            for (v, x) in x.iter().enumerate() {
                let at = v * Lanes::<S>::LEN;
                let height = columns.height(x[0]);
                let in_view = zero.at_most_mask(height) & rows.above_mask(height);
                let row = height.floor().where_set(in_view, Lanes::load(simd, &out[at..]));
                row.add(Lanes::load(simd, &bases[at..])).store(&mut bins[at..]);
            }
            counts.add(&bins, chunk.len());
        },
    )?;
    for (&i, lyapunov) in chunk.iter().zip(exponents) {
        orbits[i].lyapunov = lyapunov;
    }
    Ok(())
}
