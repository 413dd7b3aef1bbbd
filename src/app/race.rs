//! The race: on each view that settles every able engine is timed in turn, and the newest views are kept with the speed-ups
//! that were seen there.

use std::collections::VecDeque;

use super::agreement::Agreement;
use super::compare::Comparison;
use super::sheet::{Cell, Sheet};
use super::timings::{Conditions, Verdict, is_tie};
use crate::render::Job;

/// Views that are remembered.
pub const REMEMBERED: usize = 50;
/// The engine that speed-ups are of, where it is able.
const BASELINE: &str = "naive";

/// All that was raced while the program runs.
#[derive(Default)]
pub struct Race {
    legs: VecDeque<Leg>,
    running: Option<Running>,
    /// Raised by each start.
    last_id: u64,
}

/// A view being raced on.
struct Running {
    id: u64,
    conditions: Conditions,
    /// Engine at work, and the share that is done.
    progress: (&'static str, f32),
}

/// What came of one view.
#[derive(Clone, Debug)]
pub struct Leg {
    conditions: Conditions,
    pub view: String,
    /// Samples that each engine computed.
    pub size: [u32; 2],
    /// Engine that speed-ups are of: the plain one, or the slowest where that is not able.
    pub baseline: &'static str,
    pub results: Vec<RaceResult>,
}

/// One engine on one view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceResult {
    pub key: &'static str,
    pub median_millis: f64,
    /// Median of the baseline over this one's.
    pub times: f64,
    pub verdict: Verdict,
}

/// One engine over all views.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    pub best: f64,
    /// Geometric: a mean of ratios is the same whichever way round they are taken.
    pub mean: f64,
    /// Views that count: all but those on which its counts were too far off.
    pub views: usize,
}

impl Leg {
    fn new(conditions: Conditions, comparison: &Comparison) -> Option<Self> {
        let timed = || comparison.rows.iter().filter(|row| row.median().is_some());
        let slowest = timed().max_by(|a, b| a.median().unwrap_or(0.0).total_cmp(&b.median().unwrap_or(0.0)))?;
        let baseline = timed().find(|row| row.key == BASELINE).unwrap_or(slowest);
        let result = |row: &super::ComparisonRow| {
            let (median_millis, of_baseline) = (row.median()?, baseline.median()?);
            let verdict = match comparison.agreement(row) {
                Some(Agreement::Broken) => Verdict::Struck,
                _ if row.key != baseline.key && is_tie(&row.millis, &baseline.millis) => Verdict::Tie,
                _ => Verdict::Clear,
            };
            Some(RaceResult { key: row.key, median_millis, times: of_baseline / median_millis, verdict })
        };
        let results = timed().filter_map(result).collect();
        let view = comparison.view.clone();
        Some(Self { conditions, view, size: comparison.size, baseline: baseline.key, results })
    }

    pub fn result(&self, key: &str) -> Option<&RaceResult> {
        self.results.iter().find(|result| result.key == key)
    }
}

impl Race {
    /// The newest views, oldest first.
    pub fn legs(&self) -> impl ExactSizeIterator<Item = &Leg> {
        self.legs.iter()
    }

    /// What was found on a view, where it was raced on.
    pub fn leg_of(&self, job: &Job) -> Option<&Leg> {
        self.legs.iter().rev().find(|leg| leg.conditions.are_of(job))
    }

    /// Engine at work and share done, while a race runs.
    pub fn progress(&self) -> Option<(&'static str, f32)> {
        self.running.as_ref().map(|running| running.progress)
    }

    /// A number for a race on a view, where that is wanted: not while one runs on it, nor once it was raced on.
    pub(super) fn start(&mut self, job: &Job) -> Option<u64> {
        let is_running = self.running.as_ref().is_some_and(|running| running.conditions.are_of(job));
        if is_running || self.leg_of(job).is_some() {
            return None;
        }
        self.last_id += 1;
        self.running = Some(Running { id: self.last_id, conditions: Conditions::of(job), progress: ("", 0.0) });
        Some(self.last_id)
    }

    /// Nobody waits for the race that runs any more.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }

    pub(super) fn goes_on(&mut self, id: u64, engine: &'static str, share: f32) {
        if let Some(running) = self.running.as_mut().filter(|running| running.id == id) {
            running.progress = (engine, share);
        }
    }

    /// A race has ended, with its comparison or because it gave way.
    pub(super) fn ended(&mut self, id: u64, comparison: Option<&Comparison>) {
        if let Some(running) = self.running.take_if(|running| running.id == id)
            && let Some(leg) = comparison.and_then(|comparison| Leg::new(running.conditions, comparison))
        {
            if self.legs.len() == REMEMBERED {
                self.legs.pop_front();
            }
            self.legs.push_back(leg);
        }
    }

    /// Speed-ups of an engine, oldest first, of the views that count.
    pub fn speed_ups(&self, key: &str) -> Vec<f64> {
        let results = self.legs.iter().filter_map(|leg| leg.result(key));
        results.filter(|result| result.verdict != Verdict::Struck).map(|result| result.times).collect()
    }

    /// The best and the mean of them.
    pub fn standing(&self, key: &str) -> Option<Standing> {
        let all = self.speed_ups(key);
        let views = all.len();
        let best = all.iter().copied().reduce(f64::max)?;
        let mean = (all.iter().map(|times| times.ln()).sum::<f64>() / views as f64).exp();
        Some(Standing { best, mean, views })
    }

    /// Engines that speed-ups are of, each with the number of its views.
    pub fn baselines(&self) -> Vec<(&'static str, usize)> {
        let mut baselines: Vec<(&'static str, usize)> = Vec::new();
        for leg in &self.legs {
            match baselines.iter_mut().find(|(key, _)| *key == leg.baseline) {
                Some((_, views)) => *views += 1,
                None => baselines.push((leg.baseline, 1)),
            }
        }
        baselines
    }

    /// The history as text for others: the standings of all engines, then every view, the newest first.
    pub fn sheet(&self, keys: &[&'static str]) -> Sheet {
        let standings = keys.iter().filter_map(|key| Some((*key, self.standing(key)?)));
        let summary = standings.flat_map(|(key, Standing { best, mean, views })| {
            let row = |what: &str, times: f64| -> Vec<Cell> {
                let all = format!("{what} of {views} views");
                vec![all.into(), key.into(), Cell::Nothing, times.into(), Cell::Nothing, Cell::Nothing, Cell::Nothing]
            };
            [row("best", best), row("geometric mean", mean)]
        });
        let views = self.legs.iter().rev().flat_map(|leg| {
            leg.results.iter().map(|result| -> Vec<Cell> {
                vec![
                    leg.view.as_str().into(),
                    result.key.into(),
                    result.median_millis.into(),
                    result.times.into(),
                    leg.baseline.into(),
                    verdict_word(result.verdict).into(),
                    format!("{}x{}", leg.size[0], leg.size[1]).into(),
                ]
            })
        });
        Sheet {
            facts: vec![("views", (self.legs.len() as f64).into())],
            columns: vec!["view", "engine", "median_ms", "speed_up", "over", "verdict", "samples"],
            rows: summary.chain(views).collect(),
        }
    }
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clear => "clear",
        Verdict::Tie => "tie",
        Verdict::Struck => "struck out",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{ComparisonRow, Format, State};
    use crate::engine::Precision;
    use crate::render::Stats;

    fn comparison(rows: &[(&'static str, f64)]) -> Comparison {
        let row = |&(key, millis): &(&'static str, f64)| ComparisonRow {
            key,
            describe: "f64".into(),
            precision: if key == "gpu" { Precision::F32 } else { Precision::F64 },
            absent: None,
            millis: vec![millis; 6],
            stats: Stats::default(),
            differing: Some((if key == "gpu" { 60 } else { 0 }, 1)),
        };
        let reference = rows[0].0;
        let rows = rows.iter().map(row).collect();
        Comparison { rows, size: [64, 48], parts: 1000, full_size: [64, 48], reference, view: "home".into() }
    }

    fn job(cap: u32) -> Job {
        State::new([64, 48]).job().with_max_iterations(cap)
    }

    fn raced(rows: &[&[(&'static str, f64)]]) -> Race {
        let mut race = Race::default();
        for (cap, rows) in (10..).zip(rows) {
            let id = race.start(&job(cap)).unwrap();
            race.ended(id, Some(&comparison(rows)));
        }
        race
    }

    #[test]
    fn best_and_geometric_mean_over_the_views_that_count() {
        let race = raced(&[
            &[("naive", 100.0), ("tiles", 25.0), ("gpu", 1.0)],
            &[("naive", 160.0), ("tiles", 10.0)],
            &[("perturbation", 10.0), ("tiles", 80.0)],
        ]);
        let tiles = race.standing("tiles").unwrap();
        assert!((tiles.best, tiles.views) == (16.0, 3) && (tiles.mean - 4.0).abs() < 1e-12, "{tiles:?}");
        assert_eq!(race.standing("gpu"), None, "6 % of its counts are off");
        assert_eq!(race.baselines(), [("naive", 2), ("tiles", 1)], "the slowest where the plain one is not able");
        let table = race.sheet(&["naive", "tiles", "gpu"]).write(Format::Markdown);
        for line in ["best of 3 views | tiles | – | 16", "geometric mean of 3 views | tiles | – | 4", "struck out"]
        {
            assert!(table.contains(line), "{line:?} is missing in\n{table}");
        }
    }

    #[test]
    fn fifty_views_are_kept_and_none_is_raced_on_twice() {
        let legs: Vec<[(&'static str, f64); 2]> =
            (0..60).map(|i| [("naive", 100.0), ("tiles", 1.0 + f64::from(i))]).collect();
        let mut race = raced(&legs.iter().map(|leg| &leg[..]).collect::<Vec<_>>());
        assert_eq!(race.legs().len(), REMEMBERED);
        assert_eq!(race.standing("tiles").unwrap().best, 100.0 / 11.0, "the oldest ten are gone");
        assert_eq!(race.start(&job(69)), None);
        let id = race.start(&job(5)).unwrap();
        assert_eq!(race.start(&job(5)), None, "it runs");
        race.goes_on(id, "tiles", 0.5);
        assert_eq!(race.progress(), Some(("tiles", 0.5)));
        race.ended(id, None);
        assert!(race.progress().is_none() && race.start(&job(5)).is_some(), "it gave way and may be run again");
    }

    #[test]
    fn news_of_a_race_that_nobody_waits_for_is_not_taken_for_the_present_one() {
        let mut race = Race::default();
        let first = race.start(&job(1)).unwrap();
        race.stop();
        let second = race.start(&job(2)).unwrap();
        race.ended(first, Some(&comparison(&[("naive", 1.0)])));
        assert_eq!((race.legs().len(), race.progress()), (0, Some(("", 0.0))));
        race.ended(second, Some(&comparison(&[("naive", 1.0)])));
        assert!(race.leg_of(&job(2)).is_some() && race.leg_of(&job(1)).is_none());
    }
}
