//! Columns with many orbits in flight: what one waits for, others compute.
//!
//! Several vectors step together, for each step waits on the one before it. Searches for cycles, and all that is
//! drawn, follow orbit by orbit.

use fearless_simd::prelude::*;

use super::empty_strip;
use super::fan::Pen;
use super::line::OnLine;
use crate::engine::diagram::{Orbit, Part, count, finish_column};
use crate::engine::kernel::Lanes;
use crate::fractal::attractor::{Attractor, Effort, SLOW, attractor};
use crate::fractal::cycle;
use crate::fractal::formula::{Formula as _, Quadratic};
use crate::fractal::lyapunov::Product;
use crate::fractal::system::{Point as _, System as _};
use crate::math::{Binary64 as _, Complex, Real as _};
use crate::render::{RenderError, Section, Strip};

/// Vectors in flight.
const VECTORS: usize = 4;
/// Most numbers of a vector.
const MOST_LEN: usize = 8;
/// A number for each orbit in flight.
type Lane<T> = [T; VECTORS * MOST_LEN];
/// Steps between looks at whether an orbit is left, or the job is stale.
const STEPS_PER_LOOK: u32 = 64;

#[inline(always)]
pub fn run<S: Simd>(simd: S, part: &Part<'_, Section>) -> Result<(Strip, u64), RenderError> {
    let (columns, task) = (part.columns, part.columns.task);
    let mut strip = empty_strip(part);
    let all = part.range.clone().flat_map(|column| task.orbits.clone().map(move |orbit| (column, orbit)));
    let systems: Vec<_> = all.map(|(column, orbit)| OnLine::new(task, columns.parameter(column, orbit))).collect();
    let (mut orbits, mut steps) = settle(simd, part, &systems)?;
    for (i, orbits) in orbits.chunks_exact_mut(task.orbits.len()).enumerate() {
        let pixels = strip.pixels(i);
        for orbit in orbits.iter_mut() {
            if let Attractor::Unsettled { point, .. } = orbit.end {
                part.check()?;
                orbit.lyapunov = count(columns, &orbit.system, point, &mut strip.density[pixels.clone()]);
                steps += u64::from(task.kept);
            }
        }
        finish_column(columns, orbits, &mut strip, i);
    }
    if let Some(pen) = Pen::new(columns) {
        let mut first = 0;
        for chunk in systems.chunks(Flight::<S>::ORBITS) {
            draw_fan(simd, part, &pen, chunk, first, &mut strip)?;
            first += chunk.len();
        }
    }
    Ok((strip, steps))
}

/// Where each orbit ends: what [`attractor`] says, unless it is known beforehand. And the steps taken.
#[inline(always)]
fn settle<S: Simd>(
    simd: S,
    part: &Part<'_, Section>,
    systems: &[OnLine],
) -> Result<(Vec<Orbit<OnLine>>, u64), RenderError> {
    let effort = part.columns.task.effort;
    let known = |system: &OnLine| system.known_cycle().map(Attractor::Cycle);
    let mut ends: Vec<Option<Attractor<Complex>>> = systems.iter().map(known).collect();
    let open: Vec<usize> = (0..systems.len()).filter(|&i| ends[i].is_none()).collect();
    let mut steps = 0;
    for chunk in open.chunks(Flight::<S>::ORBITS) {
        let flying: Vec<OnLine> = chunk.iter().map(|&i| systems[i]).collect();
        let mut flight = Flight::new(simd, &flying);
        let half = effort.transient / 2;
        flight.walk(part, half)?;
        let exponents = flight.stretch(part, effort.transient - half)?;
        let (re, im) = flight.points();
        for (lane, (&i, system)) in chunk.iter().zip(&flying).enumerate() {
            part.check()?;
            let end = end(system, effort, Complex::new(re[lane], im[lane]), exponents[lane]);
            steps += Orbit::new(*system, end).steps(effort);
            ends[i] = Some(end);
        }
    }
    let ends = ends.into_iter().map(|end| end.expect("each of them flew"));
    Ok((systems.iter().zip(ends).map(|(&system, end)| Orbit::new(system, end)).collect(), steps))
}

/// Where an orbit ends that came to `point` after its first steps, with a Lyapunov exponent over half of them.
#[inline(always)]
fn end(system: &OnLine, effort: Effort, point: Complex, lyapunov: f64) -> Attractor<Complex> {
    let is_slow = lyapunov.abs() < SLOW && effort.transient < effort.most_transient;
    if !system.has_escaped(point) {
        if let Some(cycle) = cycle::search(system, point, effort.most_period) {
            return Attractor::Cycle(cycle);
        }
        if !is_slow {
            return Attractor::Unsettled { point, steps: effort.transient, lyapunov };
        }
    }
    attractor(system, Complex::ORIGIN, effort)
}

/// Draws the way of each orbit, step by step; `first` of the strip's orbits come before them.
#[inline(always)]
fn draw_fan<S: Simd>(
    simd: S,
    part: &Part<'_, Section>,
    pen: &Pen<'_>,
    chunk: &[OnLine],
    first: usize,
    strip: &mut Strip,
) -> Result<(), RenderError> {
    let task = part.columns.task;
    let height = strip.height as usize;
    let mut flight = Flight::new(simd, chunk);
    let mut slopes = [Complex::splat(simd, Complex::ORIGIN); VECTORS];
    for n in 0..pen.fan.skip + pen.fan.steps {
        flight.step_with(&mut slopes, true);
        if n % STEPS_PER_LOOK == 0 {
            part.check()?;
        }
        if !flight.any_left() {
            break;
        }
        if n < pen.fan.skip {
            continue;
        }
        let ordinates = flight.in_lanes(|v| task.ordinate.of(flight.z[v]));
        let slopes = flight.in_lanes(|v| task.ordinate.of(slopes[v]));
        let norms = flight.in_lanes(|v| flight.z[v].norm_sq());
        for lane in 0..chunk.len() {
            if norms[lane] <= 4.0 {
                let column = (first + lane) / task.orbits.len();
                let pixels = column * height..(column + 1) * height;
                pen.add(n - pen.fan.skip, ordinates[lane], slopes[lane], &mut strip.fan[pixels]);
            }
        }
    }
    Ok(())
}

/// Orbits that step together.
struct Flight<S: Simd> {
    simd: S,
    c: [Complex<Lanes<S>>; VECTORS],
    z: [Complex<Lanes<S>>; VECTORS],
}

impl<S: Simd> Flight<S> {
    const ORBITS: usize = VECTORS * Lanes::<S>::LEN;

    /// At z = 0; lanes beyond the number of systems repeat the last.
    #[inline(always)]
    fn new(simd: S, systems: &[OnLine]) -> Self {
        let c: Lane<Complex> = std::array::from_fn(|lane| systems[lane.min(systems.len() - 1)].c());
        let (re, im) = (c.map(|c| c.re), c.map(|c| c.im));
        let vector = |v: usize| {
            let from = v * Lanes::<S>::LEN;
            Complex::new(Lanes::load(simd, &re[from..]), Lanes::load(simd, &im[from..]))
        };
        Self { simd, c: std::array::from_fn(vector), z: [Complex::splat(simd, Complex::ORIGIN); VECTORS] }
    }

    #[inline(always)]
    fn step(&mut self) {
        for v in 0..VECTORS {
            self.z[v] = Quadratic::step(self.z[v], self.c[v]);
        }
    }

    /// A step, and its derivative after `linear`; by c where that moves, too.
    #[inline(always)]
    fn step_with(&mut self, linear: &mut [Complex<Lanes<S>>; VECTORS], c_moves: bool) {
        let one = Lanes::splat(self.simd, 1.0);
        for (z, linear) in self.z.iter().zip(linear.iter_mut()) {
            let (x, y) = (z.re.add(z.re), z.im.add(z.im));
            let Complex { re, im } = *linear;
            let pushed = x.mul(re).sub(y.mul(im));
            linear.re = if c_moves { pushed.add(one) } else { pushed };
            linear.im = x.mul(im).add(y.mul(re));
        }
        self.step();
    }

    /// Whether an orbit has not escaped; one that has stays away.
    #[inline(always)]
    fn any_left(&self) -> bool {
        let four = Lanes::splat(self.simd, 4.0);
        (0..VECTORS).any(|v| self.z[v].norm_sq().at_most_mask(four).any_true())
    }

    #[inline(always)]
    fn walk(&mut self, part: &Part<'_, Section>, steps: u32) -> Result<(), RenderError> {
        let mut left = steps;
        while left > 0 && self.any_left() {
            let some = left.min(STEPS_PER_LOOK);
            for _ in 0..some {
                self.step();
            }
            left -= some;
            part.check()?;
        }
        Ok(())
    }

    /// The same, with the Lyapunov exponents over these steps: as [`crate::fractal::lyapunov::exponent`] has them,
    /// operation by operation.
    #[inline(always)]
    fn stretch(&mut self, part: &Part<'_, Section>, steps: u32) -> Result<Lane<f64>, RenderError> {
        let one = Complex::splat(self.simd, Complex::IDENTITY);
        let least = Lanes::splat(self.simd, f64::MIN_POSITIVE);
        let mut products = [Product::one(one.re); VECTORS];
        let mut linear = [one; VECTORS];
        let mut left = steps;
        while left > 0 && self.any_left() {
            let some = left.min(Product::<f64>::FACTORS);
            for _ in 0..some {
                self.step_with(&mut linear, false);
            }
            for (linear, product) in linear.iter_mut().zip(&mut products) {
                let Complex { re, im } = *linear;
                let size = re.mul(re).add(im.mul(im)).sqrt();
                let size = size.where_set(size.above_mask(least), least);
                product.times(size);
                product.fold();
                let back = one.re.div(size);
                *linear = Complex::new(re.mul(back), im.mul(back));
            }
            left -= some;
            part.check()?;
        }
        let (exponents, significands) =
            (self.in_lanes(|v| products[v].exponent), self.in_lanes(|v| products[v].significand));
        Ok(std::array::from_fn(|lane| {
            let product = Product { exponent: exponents[lane], significand: significands[lane] };
            product.ln() / f64::from(steps)
        }))
    }

    fn points(&self) -> (Lane<f64>, Lane<f64>) {
        (self.in_lanes(|v| self.z[v].re), self.in_lanes(|v| self.z[v].im))
    }

    /// The numbers of all vectors.
    #[inline(always)]
    fn in_lanes(&self, vector: impl Fn(usize) -> Lanes<S>) -> Lane<f64> {
        let mut numbers = [0.0; VECTORS * MOST_LEN];
        for v in 0..VECTORS {
            vector(v).store(&mut numbers[v * Lanes::<S>::LEN..]);
        }
        numbers
    }
}
