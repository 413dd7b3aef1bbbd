//! Where the orbits of a strip end: what [`attractor`] says of each, with many in flight.

use fearless_simd::Simd;

use super::Part;
use super::flight::Flight;
use super::orbit::Orbit;
use crate::fractal::Map;
use crate::fractal::attractor::{Attractor, SLOW, attractor};
use crate::fractal::cycle::{self, Cycle};
use crate::fractal::system::{At, System as _};
use crate::render::RenderError;

/// Orbits of `systems`, each where it stays.
#[inline(always)]
pub fn settle<S: Simd, M: Map<D>, const D: usize, const V: usize>(
    simd: S,
    part: &Part<'_>,
    systems: impl Iterator<Item = At<M, D>>,
) -> Result<Vec<Orbit<At<M, D>>>, RenderError> {
    let effort = part.columns.task.effort;
    let mut orbits: Vec<_> = systems.map(Orbit::at_start).collect();
    let mut under_way: Vec<usize> = (0..orbits.len()).filter(|&i| orbits[i].is_unsettled()).collect();
    let (mut steps, mut until) = (0, effort.transient);
    while !under_way.is_empty() {
        let next = until.saturating_mul(2).min(effort.most_transient);
        for chunk in under_way.chunks(Flight::<S, M, D, V>::ORBITS) {
            let mut flight =
                Flight::<S, M, D, V>::new(simd, chunk.iter().map(|&i| (orbits[i].system, orbits[i].point())));
            let free = (until / 2).saturating_sub(steps);
            flight.walk(part, free)?;
            let exponents = flight.stretch(part, until - steps - free, |_| ())?;
            let points = flight.points();
            for (lane, &i) in chunk.iter().enumerate() {
                let (point, lyapunov) = (points[lane], exponents[lane]);
                orbits[i].end = Attractor::Unsettled { point, steps: until, lyapunov };
            }
            flight.search(
                effort.most_period,
                #[inline(always)]
                |lane, period| {
                    let orbit = &mut orbits[chunk[lane]];
                    let cycle = look(simd, &orbit.system, points[lane], period);
                    if let Some(cycle) = cycle {
                        *orbit = Orbit::new(orbit.system, Attractor::Cycle(cycle));
                    }
                    cycle.is_some()
                },
            );
            for &i in chunk {
                if orbits[i].is_unsettled() && orbits[i].system.has_escaped(orbits[i].point()) {
                    part.check()?;
                    orbits[i].end = attractor(&orbits[i].system, M::start(M::SEED), effort);
                }
            }
        }
        under_way.retain(|&i| {
            matches!(orbits[i].end, Attractor::Unsettled { lyapunov, .. } if lyapunov.abs() < SLOW) && next > until
        });
        (steps, until) = (until, next);
    }
    Ok(orbits)
}

/// The closer look that few orbits get, once in the program for each map.
#[inline(never)]
fn look<S: Simd, M: Map<D>, const D: usize>(
    simd: S,
    system: &At<M, D>,
    x: [f64; D],
    period: u32,
) -> Option<Cycle<[f64; D]>> {
    simd.vectorize(
        #[inline(always)]
        || cycle::attractor_near(system, x, period),
    )
}
