//! Threads: the plain loop on all cores, a row at a time.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::naive::{Rows, row_tile};
use super::{Engine, Precision, threads_of};
use crate::render::{Job, Latest, RenderError, Sample, Sink, Stats};

/// rayon over rows, nearest to the focus first.
pub struct Threads {
    pool: Arc<rayon::ThreadPool>,
}

impl Threads {
    pub fn new(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool }
    }
}

impl Engine for Threads {
    fn key(&self) -> &'static str {
        "threads"
    }

    fn about(&self) -> &'static str {
        "the plain loop on all cores, row by row"
    }

    fn describe(&self) -> String {
        format!("f64, {}", threads_of(&self.pool))
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let start = Instant::now();
        let rows = Rows::new(job, latest);
        let [width, height] = job.size();
        let mut order: Vec<u32> = (0..height).collect();
        order.sort_by_key(|&y| (y as f32 + 0.5 - job.focus[1]).abs() as u32);
        let render_row = |row: &mut Vec<Sample>, y: u32| {
            let tile = row_tile(y, row);
            sink.begin(tile);
            rows.render(y, row)?;
            sink.put(tile, row);
            sink.end(tile);
            Ok(row.iter().map(|s| s.steps(rows.task.max_iterations)).sum::<u64>())
        };
        let new_row = || vec![Sample::MISSING; width as usize];
        let steps = self.pool.install(|| {
            // One row a task: rows differ a hundredfold in work.
            let rows = order.into_par_iter().with_max_len(1);
            rows.map_init(new_row, render_row).sum::<Result<u64, RenderError>>()
        })?;
        let threads = self.pool.current_num_threads();
        Ok(Stats { compute: start.elapsed(), steps, steps_done: steps, threads, ..Stats::default() })
    }
}
