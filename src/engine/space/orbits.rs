//! The points that one orbit adds to a scene.

use crate::fractal::critical::{self, End};
use crate::fractal::cycle::Cycle;
use crate::fractal::system::{ComplexQuadratic, System as _};
use crate::math::Complex;
use crate::math::philox::{philox, unit_f64};
use crate::math::strata::{strata, strata_2d};
use crate::render::{Scene, Tint};

/// A point of a cloud: X, Y, Z, and its tint and weight.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct CloudPoint {
    pub place: [f32; 3],
    /// Tint in the lower 8 bits; above them the weight in units of 2^−16, at most 1.
    pub paint: u32,
}

impl CloudPoint {
    /// Full weight.
    pub const FULL: u32 = 1 << 16;

    fn new(place: [f64; 3], tint: Tint, weight: f64) -> Self {
        debug_assert!((0.0..=1.0).contains(&weight), "{weight}");
        let weight = (weight * f64::from(Self::FULL)) as u32;
        Self { place: place.map(|x| x as f32), paint: (weight << 8) | u32::from(tint.0) }
    }
}

/// Orbits of one kind, by number: any number of the first ones spread evenly over their parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Orbits {
    /// With Im c = `s`, over Re c: attractors, and all points on the way to them or out.
    Section { s: f64 },
    /// Over the whole set: attractors alone.
    Set,
    /// Of the real diagram: attractors alone, chaos too.
    Slice,
}

/// Points that a fan holds at most, before some are left out.
const FAN: usize = 300;
/// Weight of the first points of a fan beside those of an attractor.
const FAN_WEIGHT: f64 = 0.35;
/// A fan ends where the orbit comes back as close as this: from there on it is the attractor.
const ARRIVED: f64 = 4e-4;
/// Most points of a cycle.
const MOST_OF_CYCLE: usize = 64;
/// Points of a chaotic orbit.
const CHAOS: u32 = 512;
/// Weight of each of them: spread over the height of the diagram, they are about a line.
const CHAOS_WEIGHT: f64 = 0.4;
/// Light of a sheet of the whole set at the centre of a component, where 1 is that at its edge.
const SHEET_WEIGHT: f64 = 0.4;

impl Orbits {
    /// Adds the points of orbit `i`; gives the steps taken.
    #[inline(always)]
    pub fn add(self, i: u32, points: &mut Vec<CloudPoint>) -> u32 {
        match self {
            Self::Section { s } => add_section(Complex::new(re_at(strata(i)), s), i, points),
            Self::Set => {
                let [x, y] = strata_2d(i);
                add_sheets(Complex::new(re_at(x), Scene::MOST_IM * unit_f64(y)), points)
            }
            Self::Slice => add_slice(Complex::new(re_at(strata(i)), 0.0), points),
        }
    }

    /// Length or area over which the parameters are spread, those of mirrored orbits not counted.
    pub fn extent(self) -> f64 {
        let width = Scene::RE[1] - Scene::RE[0];
        match self {
            Self::Section { .. } | Self::Slice => width,
            Self::Set => width * Scene::MOST_IM,
        }
    }
}

fn re_at(word: u32) -> f64 {
    let [low, high] = Scene::RE;
    low + (high - low) * unit_f64(word)
}

#[inline(always)]
fn add_section(c: Complex, i: u32, points: &mut Vec<CloudPoint>) -> u32 {
    let system = ComplexQuadratic { c };
    let tint = Tint::of_re(c.re);
    let place = |z: Complex| [c.re, z.im, z.re];
    let (end, steps) = critical::end(&system);
    let period = match end {
        End::Cycle(cycle) => {
            let cycle_points = cycle.points(&system).take(MOST_OF_CYCLE);
            points.extend(cycle_points.map(|z| CloudPoint::new(place(z), tint, 1.0)));
            Some(cycle.period)
        }
        End::Unsettled(z) if c.im == 0.0 => {
            points.extend(chaos(&system, z).map(|z| CloudPoint::new(place(z), tint, CHAOS_WEIGHT)));
            None
        }
        End::Unsettled(_) | End::Escaped => None,
    };
    let (fan, length) = fan(&system, period);
    let [phase, ..] = philox([i, 0, 0, 0], [0, 0]);
    for (n, &z) in fan[..length].iter().enumerate() {
        let share = (1.0 / (1.0 + n as f64 / 40.0)).max(0.15);
        // Late points are many and faint: rather some of them, and those brighter.
        let every = if share > 0.5 {
            1
        } else if share > 0.25 {
            2
        } else {
            4
        };
        if (n as u32).wrapping_add(phase) % every == 0 {
            points.push(CloudPoint::new(place(z), tint, FAN_WEIGHT * share * f64::from(every)));
        }
    }
    steps
}

/// The points z₁, z₂ … of the critical orbit until it leaves or has arrived at a cycle of that period; and their
/// number.
#[inline(always)]
fn fan(system: &ComplexQuadratic, period: Option<u32>) -> ([Complex; FAN], usize) {
    let mut fan = [Complex::new(0.0, 0.0); FAN];
    let mut z = Complex::new(0.0, 0.0);
    for n in 0..FAN {
        z = system.step(z);
        if system.has_escaped(z) {
            return (fan, n);
        }
        fan[n] = z;
        let before = period.and_then(|period| n.checked_sub(period as usize));
        if before.is_some_and(|before| fan[before].sub(z).norm() < ARRIVED) {
            return (fan, n);
        }
    }
    (fan, FAN)
}

#[inline(always)]
fn chaos(system: &ComplexQuadratic, z: Complex) -> impl Iterator<Item = Complex> {
    std::iter::successors(Some(z), |&z| Some(system.step(z))).take(CHAOS as usize)
}

/// The attractor over `c`, and over its conjugate.
#[inline(always)]
fn add_sheets(c: Complex, points: &mut Vec<CloudPoint>) -> u32 {
    let system = ComplexQuadratic { c };
    let (end, steps) = critical::end(&system);
    if let End::Cycle(cycle) = end {
        let tint = Tint::of_period(cycle.period);
        let weight = sheet_weight(&cycle);
        for z in cycle.points(&system).take(MOST_OF_CYCLE) {
            points.extend([c.im, -c.im].map(|im| CloudPoint::new([c.re, im, z.re], tint, weight)));
        }
    }
    steps
}

/// Brighter towards the edge of a component, where its cycle is about to lose its hold.
fn sheet_weight(cycle: &Cycle<Complex>) -> f64 {
    let size = cycle.multiplier.norm().min(1.0);
    SHEET_WEIGHT + (1.0 - SHEET_WEIGHT) * size * size * size
}

#[inline(always)]
fn add_slice(c: Complex, points: &mut Vec<CloudPoint>) -> u32 {
    let system = ComplexQuadratic { c };
    let (end, steps) = critical::end(&system);
    let point = |z: Complex, weight| CloudPoint::new([c.re, 0.0, z.re], Tint::SLICE, weight);
    match end {
        End::Cycle(cycle) => points.extend(cycle.points(&system).take(MOST_OF_CYCLE).map(|z| point(z, 1.0))),
        End::Unsettled(z) => points.extend(chaos(&system, z).map(|z| point(z, CHAOS_WEIGHT))),
        End::Escaped => {}
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(orbits: Orbits, i: u32) -> Vec<CloudPoint> {
        let mut points = Vec::new();
        orbits.add(i, &mut points);
        points
    }

    fn is_full(point: &CloudPoint) -> bool {
        point.paint >> 8 == CloudPoint::FULL
    }

    #[test]
    fn mirrored_sections_have_mirrored_points() {
        for s in [0.05, 0.3, 0.6] {
            for i in 0..300 {
                let mirrored = points(Orbits::Section { s: -s }, i).into_iter().map(|mut point| {
                    point.place[1] = -point.place[1];
                    point
                });
                assert!(mirrored.eq(points(Orbits::Section { s }, i)), "orbit {i} at ±{s}");
            }
        }
    }

    #[test]
    fn the_real_section_is_the_slice_and_stands_upright() {
        for i in 0..500 {
            let section = points(Orbits::Section { s: 0.0 }, i);
            assert!(section.iter().all(|point| point.place[1] == 0.0), "orbit {i}");
            let slice = points(Orbits::Slice, i);
            let places = section.iter().map(|point| point.place);
            assert!(places.take(slice.len()).eq(slice.iter().map(|point| point.place)), "orbit {i}");
        }
    }

    #[test]
    fn sections_have_period_two_where_its_disc_is() {
        // The disc of period 2 is |c + 1| < 1/4, so that a section at s has −1 ± √(1/16 − s²).
        for (s, half) in [(0.05, 0.244_948_974), (0.1, 0.229_128_785)] {
            let mut inside = 0;
            for i in 0..2000 {
                let re = re_at(strata(i));
                let period = points(Orbits::Section { s }, i).iter().filter(|point| is_full(point)).count();
                assert_eq!(period == 2, (re + 1.0).abs() < half, "c = {re} + {s}i has {period} points");
                inside += usize::from(period == 2);
            }
            assert!(inside.abs_diff((2000.0 * 2.0 * half / 2.5) as usize) < 4, "{inside} of 2000 at {s}");
        }
    }

    #[test]
    fn sheets_lie_over_both_halves() {
        for i in 0..500 {
            for pair in points(Orbits::Set, i).chunks_exact(2) {
                let [[re, im, z], mirrored] = [pair[0].place, pair[1].place];
                assert_eq!(mirrored, [re, -im, z], "orbit {i}");
            }
        }
    }
}
