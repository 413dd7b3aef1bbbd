//! Columns with many orbits in flight: what one waits for, others compute.
//!
//! The orbits of a strip run side by side in lanes that the compiler makes vectors of. Histograms are private, and
//! there are several of each: in a window of periods orbits come to the same rows again and again, and one count
//! would have to wait for the other.

use super::curve::finish_column;
use super::orbit::Orbit;
use super::{Part, Run};
use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, SLOW, attractor};
use crate::fractal::cycle;
use crate::fractal::lyapunov::Product;
use crate::fractal::map::Fate;
use crate::fractal::system::{At, Point, System as _};
use crate::render::{Columns, RenderError, Strip};

/// Orbits in flight.
const LANES: usize = 32;
/// Histograms of each column.
const COPIES: usize = 4;
/// Steps between looks at whether the job is stale: a fraction of a millisecond.
const STEPS_PER_LOOK: u32 = 4096;

pub struct Flock<'a>(pub Part<'a>);

/// The orbits of a chunk; lanes beyond their number repeat the last.
type Lanes<T> = [T; LANES];

impl Run for Flock<'_> {
    #[inline(always)]
    fn run<const D: usize, M: Map<D>>(self) -> Result<(Strip, u64), RenderError> {
        let part = &self.0;
        let (columns, task) = (part.columns, part.columns.task);
        let mut strip = part.empty_strip();
        let all = part.range.clone().flat_map(|column| task.orbits.clone().map(move |orbit| (column, orbit)));
        let systems: Vec<_> = all.map(|(column, orbit)| At::<M, D>::new(columns.parameter(column, orbit))).collect();
        let mut orbits = settle(part, &systems)?;

        let is_unsettled = |orbit: &Orbit<At<M, D>>| matches!(orbit.end, Attractor::Unsettled { .. });
        let unsettled: Vec<usize> = (0..orbits.len()).filter(|&i| is_unsettled(&orbits[i])).collect();
        let mut counts = Counts::new(columns, strip.columns.len());
        for chunk in unsettled.chunks(LANES) {
            count(part, &mut orbits, chunk, &mut counts)?;
        }
        if !unsettled.is_empty() {
            counts.sum(&mut strip.density);
        }
        let counted = unsettled.len() as u64 * u64::from(task.kept);
        let steps = counted + orbits.iter().map(|orbit| orbit.steps(task.effort)).sum::<u64>();
        for (i, orbits) in orbits.chunks_exact(task.orbits.len()).enumerate() {
            finish_column(columns, orbits, &mut strip, i);
        }
        Ok((strip, steps))
    }
}

/// Where each orbit ends: what [`attractor`] says, with many in flight where none can escape.
#[inline(always)]
fn settle<M: Map<D>, const D: usize>(
    part: &Part<'_>,
    systems: &[At<M, D>],
) -> Result<Vec<Orbit<At<M, D>>>, RenderError> {
    let effort = part.columns.task.effort;
    let mut orbits = Vec::with_capacity(systems.len());
    for chunk in systems.chunks(LANES) {
        part.check()?;
        let fates: Vec<Fate> = chunk.iter().map(|system| M::fate(system.parameter)).collect();
        if fates.iter().all(|&fate| fate == Fate::Empty) {
            let escaped = chunk.iter().map(|&system| Orbit::new(system, Attractor::Escaped { steps: 0 }));
            orbits.extend(escaped);
            continue;
        }
        let mut x = [M::start(M::SEED); LANES];
        let mut exponents = [0.0; LANES];
        let is_bounded = fates.iter().all(|&fate| fate == Fate::Bounded);
        if is_bounded {
            let lanes = in_lanes(chunk);
            walk(part, &lanes, &mut x, effort.transient / 2)?;
            exponents = stretch(part, &lanes, &mut x, effort.transient - effort.transient / 2, |_| ())?;
        }
        for (lane, &system) in chunk.iter().enumerate() {
            let (point, lyapunov) = (x[lane], exponents[lane]);
            let cycle = if is_bounded { cycle::search(&system, point, effort.most_period) } else { None };
            let is_slow = lyapunov.abs() < SLOW && effort.transient < effort.most_transient;
            let end = match cycle {
                Some(cycle) => Attractor::Cycle(cycle),
                None if is_bounded && !is_slow => Attractor::Unsettled { point, steps: effort.transient, lyapunov },
                None => {
                    part.check()?;
                    attractor(&system, M::start(M::SEED), effort)
                }
            };
            orbits.push(Orbit::new(system, end));
        }
    }
    Ok(orbits)
}

/// Counts the next points of some unsettled orbits, and measures how they stretch.
#[inline(always)]
fn count<M: Map<D>, const D: usize>(
    part: &Part<'_>,
    orbits: &mut [Orbit<At<M, D>>],
    chunk: &[usize],
    counts: &mut Counts,
) -> Result<(), RenderError> {
    let (columns, task) = (part.columns, part.columns.task);
    let systems: Vec<_> = chunk.iter().map(|&i| orbits[i].system).collect();
    let points: Vec<_> = chunk.iter().map(|&i| point(&orbits[i])).collect();
    let (lanes, mut x) = (in_lanes(&systems), in_lanes(&points));
    let bases: Vec<usize> = (0..).zip(chunk).map(|(lane, &i)| counts.base(lane, i / task.orbits.len())).collect();
    let used = chunk.len();
    let bases = in_lanes(&bases);
    let below = f64::from(columns.size()[1]);
    let exponents = stretch(
        part,
        &lanes,
        &mut x,
        task.kept,
        #[inline(always)]
        |x| {
            let rows: Lanes<u32> = std::array::from_fn(
                #[inline(always)]
                |lane| {
                    let height = columns.height(x[lane][0]);
                    let in_view = (height >= 0.0) & (height < below);
                    (if in_view { height } else { below }) as u32
                },
            );
            for lane in 0..used {
                counts.bins[bases[lane] + rows[lane] as usize] += 1;
            }
        },
    )?;
    for (&i, lyapunov) in chunk.iter().zip(exponents) {
        orbits[i].lyapunov = lyapunov;
    }
    Ok(())
}

fn point<M: Map<D>, const D: usize>(orbit: &Orbit<At<M, D>>) -> [f64; D] {
    match orbit.end {
        Attractor::Unsettled { point, .. } => point,
        Attractor::Cycle(_) | Attractor::Escaped { .. } => unreachable!("only unsettled orbits go on"),
    }
}

/// Up to as many items as there are lanes, the last one repeated.
#[inline(always)]
fn in_lanes<T: Copy>(items: &[T]) -> Lanes<T> {
    std::array::from_fn(|lane| items[lane.min(items.len() - 1)])
}

/// `steps` steps of every orbit.
#[inline(always)]
fn walk<M: Map<D>, const D: usize>(
    part: &Part<'_>,
    systems: &Lanes<At<M, D>>,
    x: &mut Lanes<[f64; D]>,
    steps: u32,
) -> Result<(), RenderError> {
    let mut left = steps;
    while left > 0 {
        let some = left.min(STEPS_PER_LOOK);
        for _ in 0..some {
            for lane in 0..LANES {
                x[lane] = systems[lane].step(x[lane]);
            }
        }
        left -= some;
        part.check()?;
    }
    Ok(())
}

/// The same, with the Lyapunov exponents over these steps: as [`crate::fractal::lyapunov::exponent`] has them, operation
/// by operation. `visit` sees all points after each step.
#[inline(always)]
fn stretch<M: Map<D>, const D: usize>(
    part: &Part<'_>,
    systems: &Lanes<At<M, D>>,
    x: &mut Lanes<[f64; D]>,
    steps: u32,
    mut visit: impl FnMut(&Lanes<[f64; D]>),
) -> Result<Lanes<f64>, RenderError> {
    let mut products = [Product::one(0.0); LANES];
    let mut linear = [<[f64; D]>::IDENTITY; LANES];
    let mut left = steps;
    while left > 0 {
        let some = left.min(Product::<f64>::FACTORS);
        for _ in 0..some {
            for lane in 0..LANES {
                linear[lane] = systems[lane].push(x[lane], linear[lane]);
                x[lane] = systems[lane].step(x[lane]);
            }
            visit(x);
        }
        for lane in 0..LANES {
            let size = <[f64; D]>::norm(linear[lane]).max(f64::MIN_POSITIVE);
            products[lane].times(size);
            products[lane].fold();
            linear[lane] = <[f64; D]>::scaled(linear[lane], size.recip());
        }
        left -= some;
        part.check()?;
    }
    Ok(products.map(|product| product.ln() / f64::from(steps)))
}

/// Private histograms of a strip: several of each column, each with a last bin for what is out of view.
struct Counts {
    bins: Vec<u32>,
    columns: usize,
    height: usize,
}

impl Counts {
    fn new(columns: &Columns<'_>, count: usize) -> Self {
        let height = columns.size()[1] as usize;
        Self { bins: vec![0; COPIES * count * (height + 1)], columns: count, height }
    }

    /// Where the histogram of a column begins that a lane adds to.
    fn base(&self, lane: usize, column: usize) -> usize {
        (column * COPIES + lane % COPIES) * (self.height + 1)
    }

    /// Adds all of them to the density of the strip.
    fn sum(&self, density: &mut [u32]) {
        for column in 0..self.columns {
            let to = &mut density[column * self.height..][..self.height];
            for copy in 0..COPIES {
                let from = &self.bins[self.base(copy, column)..][..self.height];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
            }
        }
    }
}
