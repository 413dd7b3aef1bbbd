//! Times of every engine as you move: the newest frames of each, and what may be said of them.

mod conditions;
mod parts;
mod sheet;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

pub use conditions::{Conditions, Difference};
pub use parts::{Part, Shown, parts};

use super::agreement::{Agreement, Differing};
use crate::render::{Job, Stats};

/// Frames remembered for each engine.
pub const REMEMBERED: usize = 240;
/// Frames after a change that only warm caches and clocks.
const WARM_UP: u32 = 3;
/// Fewer frames than this have no percentiles.
pub const FEW: usize = 5;
/// The engine that others are held against, where it is timed on the same view.
const BASELINE: &str = "naive";

/// One timed frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    pub stats: Stats,
    /// Samples computed: fewer than the picture's pixels where the engine was timed at reduced size.
    pub size: [u32; 2],
    /// Pixels of the whole picture.
    pub full_size: [u32; 2],
    pub conditions: Arc<Conditions>,
    /// Among the first frames after a change.
    pub is_warm_up: bool,
    /// The window could not be seen.
    pub is_hidden: bool,
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

    /// Steps really executed over compute time.
    pub fn giga_steps_done_per_second(&self) -> f64 {
        self.stats.steps_done as f64 / self.seconds() / 1e9
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
    differing: Option<(Arc<Conditions>, Differing)>,
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

/// How many times as fast as the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub times: f64,
    /// Fewest runs that either median stands on; [`FEW`] make it worth believing.
    pub runs: usize,
    pub verdict: Verdict,
}

/// What a ratio is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Clear,
    /// The noise is above the gap.
    Tie,
    /// The counts are too far apart for the times to be compared.
    Struck,
}

impl EngineTimings {
    fn new(key: &'static str) -> Self {
        Self { key, frames: VecDeque::new(), warming: WARM_UP, differing: None }
    }

    pub fn last(&self) -> Option<&Timing> {
        self.frames.back()
    }

    pub fn frames(&self) -> impl ExactSizeIterator<Item = &Timing> {
        self.frames.iter()
    }

    pub fn summary(&self) -> Option<Summary> {
        summary(self.frames.iter().map(Timing::millis))
    }

    /// Times under some conditions, sorted; those after a change only where there are no others.
    fn millis_under(&self, conditions: &Arc<Conditions>) -> Vec<f64> {
        let alike = || self.frames.iter().filter(|timing| Arc::ptr_eq(&timing.conditions, conditions));
        let warm = sorted_millis(alike().filter(|timing| !timing.is_warm_up));
        if warm.is_empty() { sorted_millis(alike()) } else { warm }
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

fn sorted_millis<'a>(frames: impl Iterator<Item = &'a Timing>) -> Vec<f64> {
    let mut millis: Vec<f64> = frames.map(Timing::millis).collect();
    millis.sort_by(f64::total_cmp);
    millis
}

/// The value below which `share` of the sorted values lie, between neighbours where it falls there.
pub(super) fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (sorted[high] - sorted[low]) * place.fract()
}

/// Distance between the quartiles of sorted values: half of them lie within it.
pub(super) fn spread(sorted: &[f64]) -> f64 {
    percentile(sorted, 0.75) - percentile(sorted, 0.25)
}

/// True where the gap between the medians of two sorted runs is within their noise.
pub(super) fn is_tie(a: &[f64], b: &[f64]) -> bool {
    (percentile(a, 0.5) - percentile(b, 0.5)).abs() < spread(a).max(spread(b))
}

/// The times of all engines for the present kind of view.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    engines: Vec<EngineTimings>,
    /// Those of the newest frame.
    conditions: Option<Arc<Conditions>>,
    /// The window cannot be seen: what is timed now is told apart.
    pub is_hidden: bool,
}

impl Timings {
    pub fn new(keys: impl IntoIterator<Item = &'static str>) -> Self {
        Self { engines: keys.into_iter().map(EngineTimings::new).collect(), ..Self::default() }
    }

    pub fn engines(&self) -> &[EngineTimings] {
        &self.engines
    }

    pub fn engine(&self, key: &str) -> Option<&EngineTimings> {
        self.engines.iter().find(|e| e.key == key)
    }

    fn engine_mut(&mut self, key: &str) -> Option<&mut EngineTimings> {
        self.engines.iter_mut().find(|e| e.key == key)
    }

    /// What the newest frame was timed under.
    pub fn conditions(&self) -> Option<&Arc<Conditions>> {
        self.conditions.as_ref()
    }

    /// The conditions of a picture, shared with earlier frames of the same one.
    fn take_up(&mut self, job: &Job) -> Arc<Conditions> {
        let known = self.engines.iter().flat_map(|engine| &engine.frames).map(|timing| &timing.conditions);
        let mut known = self.conditions.iter().chain(known);
        let found = known.find(|known| known.are_of(job)).cloned();
        let conditions = found.unwrap_or_else(|| Arc::new(Conditions::of(job)));
        self.conditions.insert(conditions).clone()
    }

    /// Adds a settled frame of `job`, of which so many samples of all were computed.
    pub fn record(&mut self, key: &str, job: &Job, [size, full_size]: [[u32; 2]; 2], stats: Stats) {
        let (conditions, is_hidden) = (self.take_up(job), self.is_hidden);
        if let Some(engine) = self.engine_mut(key) {
            if engine.frames.len() == REMEMBERED {
                engine.frames.pop_front();
            }
            let is_warm_up = engine.warming > 0;
            engine.warming = engine.warming.saturating_sub(1);
            engine.frames.push_back(Timing { stats, size, full_size, conditions, is_warm_up, is_hidden });
        }
    }

    /// Notes what an engine's samples of `job` have not in common with another's.
    pub fn hold_against(&mut self, key: &str, job: &Job, differing: Differing) {
        let conditions = self.take_up(job);
        if let Some(engine) = self.engine_mut(key) {
            engine.differing = Some((conditions, differing));
        }
    }

    /// Notes a frame that is not counted: a coarse pass or a probe, which warms the engine.
    pub fn warm(&mut self, key: &str) {
        if let Some(engine) = self.engine_mut(key) {
            engine.warming = engine.warming.saturating_sub(1);
        }
    }

    /// The next frames only warm caches and clocks: size or surroundings changed.
    pub fn cool(&mut self) {
        for engine in &mut self.engines {
            engine.warming = WARM_UP;
        }
    }

    /// Forgets all frames: the kind of view has changed, so old times say nothing about it.
    pub fn forget(&mut self) {
        for engine in &mut self.engines {
            *engine = EngineTimings::new(engine.key);
        }
        self.conditions = None;
    }

    /// Why an engine's newest time cannot be held against those of the newest view.
    pub fn difference(&self, key: &str) -> Option<Difference> {
        self.engine(key)?.last()?.conditions.difference(self.conditions.as_ref()?)
    }

    /// True where an engine was timed under the conditions of the newest frame.
    pub fn is_comparable(&self, key: &str) -> bool {
        self.engine(key).and_then(EngineTimings::last).is_some() && self.difference(key).is_none()
    }

    /// What an engine's samples of the newest view have not in common with another's.
    pub fn differing(&self, key: &str) -> Option<Differing> {
        let (conditions, differing) = self.engine(key)?.differing.as_ref()?;
        Arc::ptr_eq(conditions, self.conditions.as_ref()?).then_some(*differing)
    }

    /// The engine whose time the others are ratios to: the plain one, or the slowest where that was not timed on this view.
    pub fn baseline(&self) -> Option<&'static str> {
        let conditions = self.conditions.as_ref()?;
        let timed = self.engines.iter().map(|engine| (engine.key, engine.millis_under(conditions)));
        let timed = timed.filter(|(_, millis)| !millis.is_empty()).map(|(key, millis)| (key, percentile(&millis, 0.5)));
        let before = |(key, _): &(&str, f64)| *key == BASELINE;
        timed.max_by(|a, b| before(a).cmp(&before(b)).then(a.1.total_cmp(&b.1))).map(|(key, _)| key)
    }

    /// How many times as fast as the baseline, by the medians of both on the newest view; `None` where one of them was not
    /// timed there, or where they are the same engine and nothing else was.
    pub fn ratio(&self, key: &str) -> Option<Ratio> {
        let conditions = self.conditions.as_ref()?;
        let baseline = self.engine(self.baseline()?)?;
        let [own, slow] = [self.engine(key)?, baseline].map(|engine| engine.millis_under(conditions));
        if own.is_empty() || self.engines.iter().filter(|engine| self.is_comparable(engine.key)).count() < 2 {
            return None;
        }
        let runs = own.len().min(slow.len());
        let is_broken = self.differing(key).is_some_and(|differing| differing.agreement() == Agreement::Broken);
        let verdict = match () {
            () if is_broken => Verdict::Struck,
            () if key != baseline.key && runs >= FEW && is_tie(&own, &slow) => Verdict::Tie,
            () => Verdict::Clear,
        };
        Some(Ratio { times: percentile(&slow, 0.5) / percentile(&own, 0.5), runs, verdict })
    }

    /// The fastest of the engines that were timed on the newest view, and the time of its median frame there.
    pub fn fastest(&self) -> Option<(&'static str, f64)> {
        let conditions = self.conditions.as_ref()?;
        let timed = self.engines.iter().map(|engine| (engine.key, engine.millis_under(conditions)));
        let timed = timed.filter(|(_, millis)| !millis.is_empty()).map(|(key, millis)| (key, percentile(&millis, 0.5)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, State};

    fn stats(millis: u64) -> Stats {
        Stats { compute: Duration::from_millis(millis), steps: 1_000_000, steps_done: 250_000, ..Stats::default() }
    }

    /// The home view with a cap of its own.
    fn job(cap: u32) -> Job {
        State::new([100, 100]).job().with_max_iterations(cap)
    }

    const ALL: [[u32; 2]; 2] = [[100, 100]; 2];

    #[test]
    fn one_slow_frame_in_a_hundred_shows_in_the_tail_and_not_in_the_median() {
        let mut timings = Timings::new(["tiles"]);
        for i in 0..200 {
            timings.record("tiles", &job(i), ALL, stats(if i % 100 == 50 { 200 } else { 10 }));
        }
        let engine = timings.engine("tiles").unwrap();
        let summary = engine.summary().unwrap();
        assert_eq!((summary.median, summary.max, summary.n), (10.0, 200.0, 200));
        assert!(summary.p99 > 10.0 && summary.p95 == 10.0, "{summary:?}");
        assert_eq!(engine.frames().filter(|timing| timing.millis() == 200.0).count(), 2, "a spark-line has them");
    }

    #[test]
    fn the_newest_240_frames_are_kept() {
        let mut timings = Timings::new(["tiles"]);
        for i in 0..300 {
            timings.record("tiles", &job(1), ALL, stats(i));
        }
        let engine = timings.engine("tiles").unwrap();
        assert_eq!((engine.frames().len(), engine.frames().next().unwrap().millis()), (240, 60.0));
    }

    #[test]
    fn only_times_of_the_same_view_are_compared() {
        let mut timings = Timings::new(["naive", "tiles"]);
        timings.record("naive", &job(1), ALL, stats(400));
        assert_eq!(timings.ratio("naive"), None, "nothing to compare with");
        timings.record("tiles", &job(1), ALL, stats(10));
        assert_eq!(timings.ratio("tiles").map(|ratio| (ratio.times, ratio.runs)), Some((40.0, 1)));
        timings.record("tiles", &job(2), ALL, stats(10));
        assert_eq!((timings.ratio("tiles"), timings.baseline()), (None, Some("tiles")));
        assert_eq!(timings.difference("naive"), Some(Difference::MaxIterations));
        timings.record("naive", &job(2), ALL, stats(20));
        timings.record("naive", &job(2), ALL, stats(22));
        assert_eq!(timings.ratio("tiles").map(|ratio| ratio.times), Some(2.1), "by medians on this view alone");
        assert_eq!(timings.fastest(), Some(("tiles", 10.0)));
    }

    #[test]
    fn noise_above_the_gap_is_a_tie_and_broken_counts_strike_the_ratio() {
        let mut timings = Timings::new(["naive", "symmetric", "tiles"]);
        for i in 0..8 {
            timings.record("naive", &job(1), ALL, stats(100 + 10 * (i % 3)));
            timings.record("symmetric", &job(1), ALL, stats(97 + 10 * (i % 3)));
            timings.record("tiles", &job(1), ALL, stats(10));
        }
        let verdict = |timings: &Timings, key| timings.ratio(key).map(|ratio| ratio.verdict);
        assert_eq!(verdict(&timings, "symmetric"), Some(Verdict::Tie));
        assert_eq!(verdict(&timings, "tiles"), Some(Verdict::Clear));
        let differing = Differing { against: "naive", count: 1, of: 10_000, most: 3, same_arithmetic: true };
        timings.hold_against("tiles", &job(1), differing);
        assert_eq!(verdict(&timings, "tiles"), Some(Verdict::Struck));
        timings.hold_against("tiles", &job(1), Differing { same_arithmetic: false, ..differing });
        assert_eq!(verdict(&timings, "tiles"), Some(Verdict::Clear));
        timings.record("tiles", &job(2), ALL, stats(10));
        assert_eq!(timings.differing("tiles"), None, "of another view");
    }

    #[test]
    fn three_frames_after_a_change_are_told_apart_and_left_out_of_ratios() {
        let mut timings = Timings::new(["naive", "tiles"]);
        timings.warm("tiles");
        for millis in [90, 80, 10, 10, 10] {
            timings.record("tiles", &job(1), ALL, stats(millis));
        }
        timings.record("naive", &job(1), ALL, stats(100));
        let warm_up =
            |timings: &Timings| timings.engine("tiles").unwrap().frames().filter(|timing| timing.is_warm_up).count();
        assert_eq!(warm_up(&timings), 2, "the coarse pass before them was the first");
        assert_eq!(timings.ratio("tiles").map(|ratio| ratio.times), Some(10.0));
        timings.cool();
        timings.record("tiles", &job(1), ALL, stats(10));
        assert_eq!(warm_up(&timings), 3);
    }

    #[test]
    fn reduced_frames_are_scaled_and_say_so() {
        let mut timings = Timings::new(["naive"]);
        timings.record("naive", &job(1), [[50, 50], [100, 100]], stats(10));
        let timing = timings.engine("naive").unwrap().last().unwrap();
        assert!(timing.is_reduced());
        assert!((timing.millis() - 40.0).abs() < 1e-9);
        assert!((timing.megapixels_per_second() - 0.25).abs() < 1e-9);
        assert!((timing.giga_steps_done_per_second() * 4.0 - timing.giga_iterations_per_second()).abs() < 1e-12);
    }

    #[test]
    fn what_is_timed_in_a_window_that_nobody_sees_says_so() {
        let mut state = State::new([64, 48]);
        state.apply(Command::Home);
        let mut timings = Timings::new(["tiles"]);
        timings.is_hidden = true;
        timings.record("tiles", &state.job(), ALL, stats(10));
        assert!(timings.engine("tiles").unwrap().last().unwrap().is_hidden);
    }
}
