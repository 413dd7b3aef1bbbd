//! Slopes of f64 orbits: beside what an engine computes, how z changes from pixel to pixel at each escape.
//!
//! This is the definition. It is done for the samples that an engine hands over, on the thread that does, so every engine
//! of f64 orbits has it, and its counts and fractions stay as they are.

use fearless_simd::{Level, Simd, dispatch};

use super::Precision;
use crate::fractal::{Formula, FormulaVisitor};
use crate::math::{Complex, FloatExp};
use crate::render::{EscapeTime, Grid, Job, Latest, Preparation, Sample, Sink, Slope, Tile};

/// Adds slopes to samples on their way to a sink.
pub struct WithSlopes<'a> {
    task: &'a EscapeTime,
    grid: Grid,
    /// The one c of a dynamical plane.
    c: Option<Complex>,
    /// The way that the point of a pixel moves, to the right and upwards.
    axes: [Complex; 2],
    level: Level,
    latest: &'a Latest,
    sink: &'a dyn Sink,
}

impl<'a> WithSlopes<'a> {
    /// Where the job asks for slopes, and samples come of f64 orbits.
    pub fn new(job: &'a Job, precision: Precision, latest: &'a Latest, sink: &'a dyn Sink) -> Option<Self> {
        let task = job.task.escape_time().filter(|_| job.channels.distance && precision == Precision::F64)?;
        let axes = job.viewport.pixel_axes(FloatExp::from(1.0));
        Some(Self { task, grid: job.grid(), c: task.plane.c(), axes, level: Level::new(), latest, sink })
    }
}

impl Sink for WithSlopes<'_> {
    fn begin(&self, tile: Tile) {
        self.sink.begin(tile);
    }

    fn end(&self, tile: Tile) {
        self.sink.end(tile);
    }

    fn preparing(&self, preparation: Preparation) {
        self.sink.preparing(preparation);
    }

    fn put(&self, tile: Tile, samples: &[Sample]) {
        let tile_slopes = TileSlopes { of: self, tile, samples };
        let slopes = dispatch!(self.level, simd => self.task.formula.visit(InSimd { simd, tile_slopes }));
        if let Some(slopes) = slopes {
            self.sink.put_slopes(tile, &slopes);
            self.sink.put(tile, samples);
        }
    }

    fn fill(&self, tile: Tile, sample: Sample) {
        if sample.iterations == 0 { self.sink.fill(tile, sample) } else { self.put(tile, &vec![sample; tile.area()]) }
    }
}

/// The samples of one tile.
struct TileSlopes<'a> {
    of: &'a WithSlopes<'a>,
    tile: Tile,
    samples: &'a [Sample],
}

/// The same with the instructions of a processor: orbits need its fused multiply-add.
struct InSimd<'a, S> {
    simd: S,
    tile_slopes: TileSlopes<'a>,
}

impl<S: Simd> FormulaVisitor for InSimd<'_, S> {
    type Output = Option<Vec<Slope>>;

    fn visit<F: Formula>(self) -> Self::Output {
        self.simd.vectorize(
            #[inline(always)]
            || self.tile_slopes.compute::<F>(),
        )
    }
}

impl TileSlopes<'_> {
    /// The slopes of all samples; none once the job is stale.
    #[inline(always)]
    fn compute<F: Formula>(&self) -> Option<Vec<Slope>> {
        let Self { of: WithSlopes { grid, c, axes, latest, .. }, tile, samples } = self;
        let mut slopes = Vec::with_capacity(samples.len());
        for (y, row) in (tile.y as usize..).zip(samples.chunks_exact(tile.width as usize)) {
            for (x, sample) in (tile.x as usize..).zip(row) {
                slopes.push(slope::<F>(grid.point(x, y), *axes, sample.iterations, *c, latest)?);
            }
        }
        Some(slopes)
    }
}

/// Steps between looks at whether the job is stale: some ten microseconds.
const STEPS_PER_LOOK: u32 = 4096;

/// The slope of `point`, which escapes at step `n`, or never where that is 0: none once the job is stale.
///
/// Δ_0 is 0 and Δ_{n+1} = F′(z_n)·Δ_n + Δc for each way Δc that a pixel moves c; where it moves z_0, that is Δ_0 and Δc is 0.
#[inline(always)]
fn slope<F: Formula>(point: Complex, axes: [Complex; 2], n: u32, c: Option<Complex>, latest: &Latest) -> Option<Slope> {
    let still = [Complex::default(); 2];
    let (mut z, c, [mut across, mut up], moves) = match c {
        None => (Complex::default(), point, still, axes),
        Some(c) => (point, c, axes, still),
    };
    for step in 0..n {
        if step.is_multiple_of(STEPS_PER_LOOK) && latest.is_stale() {
            return None;
        }
        across = F::differential(z, across).add(moves[0]);
        up = F::differential(z, up).add(moves[1]);
        z = F::step(z, c);
    }
    Some(if n == 0 { Slope::INTERIOR } else { Slope::new(z, [across, up]) })
}
