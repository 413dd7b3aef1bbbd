//! Periods of the inside: beside what an engine computes, the cycle that each interior point's orbit is drawn to.
//!
//! It is done for the samples that an engine hands over, so every engine can be asked for it.

use fearless_simd::{Level, Simd as _, dispatch};

use super::Precision;
use super::precision::is_mandelbrot;
use crate::fractal::critical::{End, end};
use crate::fractal::interior::quadratic_bulbs;
use crate::fractal::system::ComplexQuadratic;
use crate::math::Complex;
use crate::render::{Grid, Job, Latest, Preparation, Sample, Sink, Slope, Tile};

/// Adds periods to samples on their way to a sink.
pub struct WithPeriods<'a> {
    grid: Grid,
    level: Level,
    latest: &'a Latest,
    sink: &'a dyn Sink,
}

impl<'a> WithPeriods<'a> {
    /// Where the job asks for periods, and they are known: for z² + c over the plane of c, as fine as f64 tells c apart.
    pub fn new(job: &Job, latest: &'a Latest, sink: &'a dyn Sink) -> Option<Self> {
        let is_known = is_mandelbrot(job) && Precision::F64.resolves(job, "").is_ok();
        (job.channels.periods && is_known).then(|| Self { grid: job.grid(), level: Level::new(), latest, sink })
    }
}

impl Sink for WithPeriods<'_> {
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
        let mut samples = samples.to_vec();
        let width = tile.width as usize;
        for (y, row) in (tile.y as usize..).zip(samples.chunks_exact_mut(width)) {
            if self.latest.is_stale() {
                return;
            }
            dispatch!(self.level, simd => simd.vectorize(
                #[inline(always)]
                || for (x, sample) in (tile.x as usize..).zip(row) {
                    if sample.iterations == 0 {
                        *sample = Sample::of_period(period(self.grid.point(x, y)));
                    }
                }
            ));
        }
        self.sink.put(tile, &samples);
    }

    fn put_slopes(&self, tile: Tile, slopes: &[Slope]) {
        self.sink.put_slopes(tile, slopes);
    }
}

/// The period of the cycle that the orbit of 0 is drawn to; 0 where none was found.
#[inline(always)]
fn period(c: Complex) -> u32 {
    let [cardioid, disc] = quadratic_bulbs(c);
    if cardioid.0 <= cardioid.1 {
        return 1;
    }
    if disc.0 <= disc.1 {
        return 2;
    }
    match end(&ComplexQuadratic { c }).0 {
        End::Cycle(cycle) => cycle.period,
        End::Escaped | End::Unsettled(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_known_components_have_their_periods() {
        for (re, im, expected, why) in [
            (0.0, 0.0, 1, "the cardioid"),
            (-1.0, 0.1, 2, "the disc"),
            (-0.1225611669, 0.7448617666, 3, "the rabbit"),
            (-1.754877666, 0.0, 3, "on the needle"),
            (0.2822713908, 0.5300606176, 4, "beside the cardioid"),
            (-1.3107026413, 0.0, 4, "after two doublings"),
            (0.3, 0.0, 0, "outside"),
        ] {
            assert_eq!(period(Complex::new(re, im)), expected, "{re} + {im}i, {why}");
        }
    }
}
