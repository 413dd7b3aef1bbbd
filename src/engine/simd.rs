//! Vectors: many points at once, on one thread.

use std::time::Instant;

use fearless_simd::Level;

use super::kernel::{self, Scratch, Work};
use super::{Engine, Precision};
use crate::render::{Job, Latest, RenderError, Sink, Stats};

/// The vector kernel on the calling thread.
pub struct SimdEngine {
    level: Level,
    scratch: Scratch,
}

impl SimdEngine {
    pub fn new() -> Self {
        Self::with_level(Level::new())
    }

    /// With the instructions of `level`, which need not be the processor's best.
    pub fn with_level(level: Level) -> Self {
        Self { level, scratch: Scratch::new() }
    }
}

impl Default for SimdEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for SimdEngine {
    fn key(&self) -> &'static str {
        "simd"
    }

    fn about(&self) -> &'static str {
        "vectors of points on one thread, refilled as points escape, with shortcuts for the inside"
    }

    fn describe(&self) -> String {
        format!("{}, 1 thread", kernel::describe(self.level))
    }

    fn mirrors(&self) -> bool {
        true
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let start = Instant::now();
        let work = Work::new(job, kernel::SIDE, latest, sink);
        let steps = kernel::run(self.level, &work, &mut self.scratch)?;
        let (steps, steps_done) = (steps.defined, steps.done);
        Ok(Stats { compute: start.elapsed(), steps, steps_done, threads: 1, ..Stats::default() })
    }
}
