//! Times of every engine as you move: the newest frames of each, and what may be said of them.

use std::collections::VecDeque;
use std::time::Duration;

use crate::render::Stats;

/// Frames remembered for each engine.
const REMEMBERED: usize = 240;
/// Frames after a change that only warm caches and clocks.
const WARM_UP: u32 = 3;
/// Fewer frames than this have no percentiles.
pub const FEW: usize = 5;

/// One timed frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    pub stats: Stats,
    /// Samples computed: fewer than the picture's pixels where the engine was timed at reduced size.
    pub size: [u32; 2],
    /// Pixels of the whole picture.
    pub full_size: [u32; 2],
    /// Number of the settled view it belongs to; frames of one view may be compared.
    pub view: u64,
}

impl Timing {
    /// True where the engine was timed on part of the picture's pixels.
    pub fn is_reduced(&self) -> bool {
        self.size != self.full_size
    }

    /// Compute time in milliseconds, scaled to the whole picture where fewer samples were timed.
    pub fn millis(&self) -> f64 {
        let [samples, pixels] = [self.size, self.full_size].map(|[w, h]| f64::from(w) * f64::from(h));
        self.stats.compute.as_secs_f64() * 1e3 * pixels / samples
    }

    pub fn megapixels_per_second(&self) -> f64 {
        f64::from(self.size[0]) * f64::from(self.size[1]) / self.seconds() / 1e6
    }

    /// Steps of the definition over compute time.
    pub fn giga_iterations_per_second(&self) -> f64 {
        self.stats.steps as f64 / self.seconds() / 1e9
    }

    fn seconds(&self) -> f64 {
        self.stats.compute.max(Duration::from_nanos(1)).as_secs_f64()
    }
}

/// The frames of one engine, oldest first.
#[derive(Clone, Debug)]
pub struct EngineTimings {
    pub key: &'static str,
    frames: VecDeque<Timing>,
    warming: u32,
}

/// Figures over the remembered frames, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub last: f64,
    pub median: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub n: usize,
}

impl EngineTimings {
    fn new(key: &'static str) -> Self {
        Self { key, frames: VecDeque::new(), warming: WARM_UP }
    }

    pub fn last(&self) -> Option<&Timing> {
        self.frames.back()
    }

    pub fn frames(&self) -> impl Iterator<Item = &Timing> {
        self.frames.iter()
    }

    /// True until enough frames have run since the last change.
    pub fn is_warming_up(&self) -> bool {
        self.warming > 0
    }

    pub fn summary(&self) -> Option<Summary> {
        summary(self.frames.iter().map(Timing::millis))
    }
}

/// Figures over some times in milliseconds, oldest first; `None` where there are none.
pub(super) fn summary(millis: impl Iterator<Item = f64>) -> Option<Summary> {
    let mut sorted: Vec<f64> = millis.collect();
    let last = *sorted.last()?;
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| percentile(&sorted, share);
    Some(Summary { last, median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1.0), n: sorted.len() })
}

/// The value below which `share` of the sorted values lie, between neighbours where it falls there.
pub(super) fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * place.fract()
}

/// The times of all engines for the present kind of view.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    engines: Vec<EngineTimings>,
}

impl Timings {
    pub fn new(keys: impl IntoIterator<Item = &'static str>) -> Self {
        Self { engines: keys.into_iter().map(EngineTimings::new).collect() }
    }

    pub fn engines(&self) -> &[EngineTimings] {
        &self.engines
    }

    pub fn engine(&self, key: &str) -> Option<&EngineTimings> {
        self.engines.iter().find(|e| e.key == key)
    }

    /// Adds a settled frame.
    pub fn record(&mut self, key: &str, timing: Timing) {
        if let Some(engine) = self.engines.iter_mut().find(|e| e.key == key) {
            if engine.frames.len() == REMEMBERED {
                engine.frames.pop_front();
            }
            engine.frames.push_back(timing);
            engine.warming = 0;
        }
    }

    /// Notes a frame that is not counted: a coarse pass or a probe, which warms the engine.
    pub fn warm(&mut self, key: &str) {
        if let Some(engine) = self.engines.iter_mut().find(|e| e.key == key) {
            engine.warming = engine.warming.saturating_sub(1);
        }
    }

    /// Forgets all frames: the kind of view has changed, so old times say nothing about it.
    pub fn forget(&mut self) {
        for engine in &mut self.engines {
            *engine = EngineTimings::new(engine.key);
        }
    }

    /// How many times as fast as the slowest engine that was timed on the same view, by the medians of both.
    pub fn ratio_to_slowest(&self, key: &str) -> Option<f64> {
        let engine = self.engine(key)?;
        let view = engine.last()?.view;
        let rivals = self.engines.iter().filter(|rival| rival.last().is_some_and(|timing| timing.view == view));
        let slowest = rivals.filter_map(EngineTimings::summary).map(|summary| summary.median).fold(0.0, f64::max);
        Some(slowest / engine.summary()?.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(millis: u64, view: u64) -> Timing {
        let stats = Stats { compute: Duration::from_millis(millis), steps: 1_000_000, ..Stats::default() };
        Timing { stats, size: [100, 100], full_size: [100, 100], view }
    }

    #[test]
    fn one_slow_frame_in_a_hundred_shows_in_the_tail_and_not_in_the_median() {
        let mut timings = Timings::new(["tiles"]);
        for i in 0..200 {
            timings.record("tiles", frame(if i % 100 == 50 { 200 } else { 10 }, i));
        }
        let summary = timings.engine("tiles").unwrap().summary().unwrap();
        assert_eq!((summary.median, summary.max, summary.n), (10.0, 200.0, 200));
        assert!(summary.p99 > 10.0 && summary.p95 == 10.0, "{summary:?}");
    }

    #[test]
    fn only_times_of_the_same_view_are_compared() {
        let mut timings = Timings::new(["naive", "tiles"]);
        timings.record("naive", frame(400, 1));
        timings.record("tiles", frame(10, 1));
        assert_eq!(timings.ratio_to_slowest("tiles"), Some(40.0));
        timings.record("tiles", frame(10, 2));
        assert_eq!(timings.ratio_to_slowest("tiles"), Some(1.0));
    }

    #[test]
    fn reduced_frames_are_scaled_and_say_so() {
        let timing = Timing { size: [50, 50], ..frame(10, 1) };
        assert!(timing.is_reduced());
        assert!((timing.millis() - 40.0).abs() < 1e-9);
        assert!((timing.megapixels_per_second() - 0.25).abs() < 1e-9);
    }
}
