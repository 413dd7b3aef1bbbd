//! The engines that are not at work, timed on a settled picture and held against the plainest of them.

use std::sync::Mutex;

use super::{Event, Worker, guarded};
use crate::app::agreement::Differing;
use crate::app::compare::{Outcome, PROBE, affordable_stride, collect, compare_within, extent, reduced};
use crate::engine::{Engine, Precision};
use crate::render::{Job, Latest, RenderError, Stats};

/// Longest single run of an engine that is only being timed, in seconds.
const LONGEST_TIMING: f64 = 0.25;

/// The same of an engine in a race: it runs six times and more.
const LONGEST_LAP: f64 = 0.25;

/// What the plainest able engine made of a probe.
struct Truth {
    key: &'static str,
    precision: Precision,
    outcome: Outcome,
}

impl Truth {
    fn differing(&self, job: &Job, precision: Precision, outcome: &Outcome) -> Differing {
        let same_arithmetic = precision == self.precision;
        let (count, most) = outcome.differing(&self.outcome, job.max_iterations(), same_arithmetic);
        Differing { against: self.key, count, of: self.outcome.parts(), most, same_arithmetic }
    }
}

impl Worker {
    /// Races all able engines on a settled job, until it is stale.
    pub(super) fn race(&mut self, id: u64, job: &Job, mark: &Latest) {
        let (outbox, wake) = (Mutex::new(self.outbox.clone()), self.wake.clone());
        let progress = |engine, share| {
            let _ = outbox.lock().expect("nothing panics here").send(Event::Racing { id, engine, share });
            wake();
        };
        let comparison = compare_within(&mut self.engines.engines, job, LONGEST_LAP, mark, progress).ok();
        self.tell(Event::Raced { id, comparison });
    }

    /// Times every able engine but `drawn_by` on a settled job, one at a time, at reduced size where slow; and holds the
    /// samples of all against those of the plainest, on the pixels of a first look that warms them.
    pub(super) fn time_others(&mut self, request: u64, job: &Job, drawn_by: &str, mark: &Latest) {
        let timing = self.timing.next();
        let probe = reduced(job, PROBE);
        let mut truth: Option<Truth> = None;
        for index in 0..self.engines.engines.len() {
            if mark.is_stale() || timing.is_stale() {
                return;
            }
            let engine = self.engines.engines[index].as_mut();
            let (engine_key, precision) = (engine.key(), engine.precision());
            if engine.supports(job).is_err() {
                continue;
            }
            let looked = collect(&probe, |sink| guarded(engine, &probe, &timing, sink));
            let Ok((first, outcome)) = looked else { continue };
            let timed = (engine_key != drawn_by).then(|| time_one(engine, job, first, &timing));
            let truth = truth.get_or_insert_with(|| Truth { key: engine_key, precision, outcome: outcome.clone() });
            let differing = truth.differing(job, precision, &outcome);
            self.tell(Event::Held { request, engine: engine_key, differing });
            if let Some(Ok((size, stats))) = timed {
                self.tell(Event::Timed { request, engine: engine_key, size, stats });
            }
        }
    }
}

/// Times an engine on a job at a size that keeps the run short, after a `first` look.
fn time_one(
    engine: &mut dyn Engine,
    job: &Job,
    first: Stats,
    latest: &Latest,
) -> Result<([u32; 2], Stats), RenderError> {
    let job = reduced(job, affordable_stride(first.compute, LONGEST_TIMING));
    let (stats, _) = collect(&job, |sink| guarded(engine, &job, latest, sink))?;
    Ok((extent(&job), stats))
}
