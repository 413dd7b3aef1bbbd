//! Symmetry: the set mirrors about the real axis, so half of the home view is a copy.

use std::time::Instant;

use super::mirror::Mirror;
use super::naive::{Rows, row_tile};
use super::{Engine, Precision};
use crate::render::{Job, Latest, RenderError, Sample, Sink, Stats};

/// The plain loop, with each pair of mirrored rows computed once.
pub struct Symmetric;

impl Engine for Symmetric {
    fn key(&self) -> &'static str {
        "symmetric"
    }

    fn about(&self) -> &'static str {
        "the plain loop, and rows that mirror each other about the real axis computed once"
    }

    fn describe(&self) -> String {
        "f64, 1 thread".into()
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
        let rows = Rows::new(job, latest);
        let mirror = Mirror::of(rows.task, &rows.grid);
        let mut row = vec![Sample::MISSING; rows.grid.re_x.len()];
        let mut stats = Stats { threads: 1, ..Stats::default() };
        for y in mirror.computed() {
            sink.begin(row_tile(y, &row));
            rows.render(y, &mut row)?;
            let steps = row.iter().map(|s| s.steps(rows.task.max_iterations)).sum::<u64>();
            stats.steps_done += steps;
            stats.steps += steps;
            sink.put(row_tile(y, &row), &row);
            sink.end(row_tile(y, &row));
            if let Some(image) = mirror.image(y).map(|image| row_tile(image, &row)) {
                stats.steps += steps;
                sink.begin(image);
                sink.put(image, &row);
                sink.end(image);
            }
        }
        stats.compute = start.elapsed();
        Ok(stats)
    }
}
