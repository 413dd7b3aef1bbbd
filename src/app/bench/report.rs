//! What came of a bench: plain figures, and what may be said of them.

use super::facts::Facts;
use crate::app::timings::percentile;
use crate::engine::Precision;
use crate::render::TimingSource;

/// All figures of one bench.
#[derive(Clone, Debug)]
pub struct Report {
    pub facts: Facts,
    /// Of views that name none of their own.
    pub size: [u32; 2],
    pub repetitions: u32,
    /// Shortcuts in use, as the command line spells them.
    pub shortcuts: String,
    pub views: Vec<ViewReport>,
    /// False where it was given up before its end.
    pub complete: bool,
}

/// Figures of one view.
#[derive(Clone, Debug)]
pub struct ViewReport {
    pub key: String,
    pub title: Option<String>,
    pub size: [u32; 2],
    pub max_iterations: u32,
    /// Steps of the definition over the whole view, and the share of points that never escape;
    /// nothing where no f64 engine can draw it.
    pub work: Option<Work>,
    pub rows: Vec<Row>,
}

/// What the definition has to do for a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    pub steps: u64,
    pub interior_share: f64,
}

/// Figures of one contestant on one view.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub describe: String,
    pub external: bool,
    pub precision: Option<Precision>,
    /// Why it took no part.
    pub absent: Option<String>,
    /// One pixel of every `stride` × `stride` was computed, and the times are scaled to all of them.
    pub stride: u32,
    /// Times of the whole view in milliseconds, in the order of the rounds.
    pub millis: Vec<f64>,
    /// Their parts, where the engine prepares before it draws; pixels are scaled, too.
    pub phases: Vec<[f64; 3]>,
    pub source: TimingSource,
    /// Steps really executed for the whole view.
    pub steps_done: Option<u64>,
    /// Threads that worked; 0 on a device, nothing where it is not known.
    pub threads: Option<usize>,
    pub differing: Option<Differing>,
}

/// Counts that are not the definition's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differing {
    pub count: usize,
    /// Samples that were compared.
    pub samples: usize,
    pub largest: u64,
}

/// How many times as fast as the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ratio {
    Times(f64),
    /// Noise is above the gap.
    Tie,
}

impl Differing {
    /// From 0 to 1.
    pub fn share(&self) -> f64 {
        self.count as f64 / self.samples.max(1) as f64
    }
}

impl Row {
    /// True where fewer samples were timed than the view has pixels.
    pub fn is_scaled(&self) -> bool {
        self.stride > 1
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.millis.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The time below which `share` of the runs lie, in milliseconds.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        (!self.millis.is_empty()).then(|| percentile(&self.sorted(), share))
    }

    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// Medians of the phases: reference, table and pixels, in milliseconds.
    pub fn median_phases(&self) -> Option<[f64; 3]> {
        let median = |phase: usize| {
            let mut sorted: Vec<f64> = self.phases.iter().map(|phases| phases[phase]).collect();
            sorted.sort_by(f64::total_cmp);
            percentile(&sorted, 0.5)
        };
        (!self.phases.is_empty()).then(|| [0, 1, 2].map(median))
    }

    pub fn min(&self) -> Option<f64> {
        self.quantile(0.0)
    }

    pub fn max(&self) -> Option<f64> {
        self.quantile(1.0)
    }

    /// Distance between the quartiles: half of the runs lie within it.
    fn spread(&self) -> f64 {
        self.quantile(0.75).unwrap_or(0.0) - self.quantile(0.25).unwrap_or(0.0)
    }
}

impl ViewReport {
    fn pixels(&self) -> f64 {
        f64::from(self.size[0]) * f64::from(self.size[1])
    }

    pub fn megapixels_per_second(&self, row: &Row) -> Option<f64> {
        Some(self.pixels() / row.median()? / 1e3)
    }

    /// Steps of the definition over time: an effective rate where steps are skipped.
    pub fn giga_iterations_per_second(&self, row: &Row) -> Option<f64> {
        Some(self.work?.steps as f64 / row.median()? / 1e6)
    }

    /// Steps really executed over time.
    pub fn giga_steps_done_per_second(&self, row: &Row) -> Option<f64> {
        Some(row.steps_done? as f64 / row.median()? / 1e6)
    }

    /// The row that ratios refer to: the definition's own, or the slowest where that took no part.
    pub fn baseline(&self) -> Option<&Row> {
        let timed = || self.rows.iter().filter(|row| row.median().is_some());
        let slowest = || timed().max_by(|a, b| a.median().unwrap_or(0.0).total_cmp(&b.median().unwrap_or(0.0)));
        timed().find(|row| row.name == "naive").or_else(slowest)
    }

    /// Median of the baseline over this one's.
    pub fn ratio(&self, row: &Row) -> Option<Ratio> {
        let base = self.baseline()?;
        let (slow, own) = (base.median()?, row.median()?);
        let tied = base.name != row.name && (slow - own).abs() < base.spread().max(row.spread());
        Some(if tied { Ratio::Tie } else { Ratio::Times(slow / own) })
    }
}

impl Report {
    /// Steps that a row really needed and did, over what its threads could do at most: f64 engines of ours only.
    ///
    /// Steps repeated in a replay are no use, so no more than the definition's count.
    pub fn share_of_bound(&self, view: &ViewReport, row: &Row) -> Option<f64> {
        let threads = row.threads.filter(|&threads| threads > 0 && row.precision == Some(Precision::F64))?;
        let steps = row.steps_done?.min(view.work?.steps);
        let bound = self.facts.bound.steps_per_second() * threads as f64;
        Some(steps as f64 / (row.median()? / 1e3) / bound)
    }

    /// True where a time was taken on fewer samples.
    pub fn has_scaled_rows(&self) -> bool {
        self.views.iter().flat_map(|view| &view.rows).any(|row| row.is_scaled() && row.absent.is_none())
    }

    /// Name of the row that ratios refer to, where all views agree on it.
    pub fn baseline_name(&self) -> &str {
        let mut names = self.views.iter().filter_map(ViewReport::baseline).map(|row| row.name.as_str());
        match names.next() {
            Some(first) if names.all(|name| name == first) => first,
            _ => "slowest",
        }
    }
}
