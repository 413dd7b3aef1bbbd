//! Subframes of a settled picture: what the thread draws when nothing else is wanted.

use std::sync::Arc;
use std::time::Instant;

use super::{Event, Worker, guarded};
use crate::app::pass::Pass;
use crate::render::{Jitter, Job, Latest, RenderError};

impl Worker {
    /// Draws a settled picture again with the engine that drew it, its samples elsewhere within their pixels.
    pub(super) fn subframe(&mut self, of: u64, settled: &Pass, jitter: Jitter, mark: &Latest) {
        let job = Job { lattice: settled.job.lattice.jittered(jitter), ..settled.job.clone() };
        // Nobody looks before it is complete.
        let pass = Arc::new(Pass::new(job, settled.engine, self.engines.takes_device_fields, Arc::new(|| {})));
        let start = Instant::now();
        let subframe = match guarded(self.engine(settled.engine), &pass.job, mark, pass.as_ref()) {
            Ok(_) => Some((pass, start.elapsed())),
            Err(RenderError::Cancelled) => return,
            Err(_) => None,
        };
        self.tell(Event::Subframe { of, subframe });
    }
}
