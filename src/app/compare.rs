//! All able engines on one frozen job: interleaved times, ratios, and the counts they disagree on.

mod outcome;

use std::time::Duration;

pub(super) use outcome::Outcome;
pub(super) use outcome::collect;

use super::agreement::Agreement;
use super::sheet::{Cell, Sheet};
use super::timings::{is_tie, percentile};
use crate::engine::{Engine, Precision};
use crate::render::{Columns, Job, Latest, Lattice, RenderError, Scene, Space, Stats, Task};

/// Timed rounds, forwards and backwards in turn, so that a drifting clock speed favours no one.
const ROUNDS: usize = 6;
/// Longest single run; slower engines have all engines work on fewer samples.
const LONGEST_RUN: f64 = 1.5;
/// Stride of the first look at each engine's speed.
pub(super) const PROBE: u32 = 16;

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub rows: Vec<ComparisonRow>,
    /// Samples that each engine computed.
    pub size: [u32; 2],
    /// What is held against each other: samples, or columns of a diagram.
    pub parts: usize,
    pub full_size: [u32; 2],
    /// Engine whose counts the others are held against.
    pub reference: &'static str,
    /// Place and cap, as a line.
    pub view: String,
}

/// One engine's part.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonRow {
    pub key: &'static str,
    pub describe: String,
    pub precision: Precision,
    /// Why it took no part.
    pub absent: Option<String>,
    /// Compute times in milliseconds, sorted.
    pub millis: Vec<f64>,
    pub stats: Stats,
    /// Samples or columns that differ from the reference, and the largest difference.
    pub differing: Option<(usize, u64)>,
}

impl ComparisonRow {
    /// Median compute time in milliseconds.
    pub fn median(&self) -> Option<f64> {
        (!self.millis.is_empty()).then(|| percentile(&self.millis, 0.5))
    }
}

impl Comparison {
    fn samples(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    fn slowest(&self) -> Option<&ComparisonRow> {
        let timed = self.rows.iter().filter(|r| r.median().is_some());
        timed.max_by(|a, b| a.median().unwrap_or(0.0).total_cmp(&b.median().unwrap_or(0.0)))
    }

    /// Median of the slowest engine over this one's; `None` where noise is above the gap: a tie.
    pub fn ratio(&self, row: &ComparisonRow) -> Option<f64> {
        let slowest = self.slowest()?;
        let (slow, own) = (slowest.median()?, row.median()?);
        let tied = slowest.key != row.key && is_tie(&slowest.millis, &row.millis);
        (!tied).then_some(slow / own)
    }

    /// Share of samples whose counts differ from the reference, 0 to 1.
    pub fn differing_share(&self, row: &ComparisonRow) -> Option<f64> {
        row.differing.map(|(count, _)| count as f64 / self.parts as f64)
    }

    pub fn agreement(&self, row: &ComparisonRow) -> Option<Agreement> {
        let same_arithmetic = self.rows.iter().any(|r| r.key == self.reference && r.precision == row.precision);
        Some(Agreement::of(self.differing_share(row)?, same_arithmetic))
    }

    /// The table as text for others, a row an engine.
    pub fn sheet(&self) -> Sheet {
        let [width, height] = self.size;
        Sheet {
            facts: vec![
                ("view", self.view.as_str().into()),
                ("samples", format!("{width}x{height}").into()),
                ("interleaved_runs", (ROUNDS as f64).into()),
                ("counts_held_against", self.reference.into()),
            ],
            columns: SHEET_COLUMNS.to_vec(),
            rows: self.rows.iter().map(|row| self.sheet_row(row)).collect(),
        }
    }

    fn sheet_row(&self, row: &ComparisonRow) -> Vec<Cell> {
        let Some(median) = row.median() else {
            let reason = row.absent.as_deref().unwrap_or("not run");
            let nothing = SHEET_COLUMNS.map(|_| Cell::Nothing).into_iter().skip(2);
            return [row.key.into(), reason.into()].into_iter().chain(nothing).collect();
        };
        let ratio = self.ratio(row);
        let agreement = self.agreement(row);
        let verdict = match (ratio, agreement) {
            (_, Some(Agreement::Broken)) => "struck out",
            (None, _) => "tie",
            _ => "clear",
        };
        vec![
            row.key.into(),
            row.describe.as_str().into(),
            median.into(),
            row.millis[0].into(),
            row.millis[row.millis.len() - 1].into(),
            (self.samples() as f64 / median / 1e3).into(),
            (row.stats.steps as f64 / median / 1e6).into(),
            ratio.filter(|_| verdict == "clear").into(),
            verdict.into(),
            self.differing_share(row).into(),
            agreement.map_or("", Agreement::word).into(),
        ]
    }

    /// `0`, or count, share and largest difference.
    pub fn differing_text(&self, row: &ComparisonRow) -> String {
        match row.differing {
            None => "–".into(),
            Some((0, _)) => "0".into(),
            Some((count, most)) => {
                format!("{count} = {:.2} % (≤ {most})", 100.0 * count as f64 / self.parts as f64)
            }
        }
    }
}

const SHEET_COLUMNS: [&str; 11] = [
    "engine",
    "arithmetic",
    "median_ms",
    "min_ms",
    "max_ms",
    "mpx_per_s",
    "giter_per_s",
    "times_slowest",
    "verdict",
    "differing_share",
    "agreement",
];

/// Runs every engine that can do `job` on it. `progress` hears what runs, and how much is done (0 to 1).
///
/// # Errors
/// [`RenderError::Cancelled`] when `latest` goes stale. An engine that fails has its reason in its row.
pub fn compare(
    engines: &mut [Box<dyn Engine>],
    job: &Job,
    latest: &Latest,
    progress: impl FnMut(&'static str, f32),
) -> Result<Comparison, RenderError> {
    compare_within(engines, job, LONGEST_RUN, latest, progress)
}

/// The same on as many samples as keep each run under `longest` seconds.
///
/// # Errors
/// As [`compare`].
pub(super) fn compare_within(
    engines: &mut [Box<dyn Engine>],
    job: &Job,
    longest: f64,
    latest: &Latest,
    mut progress: impl FnMut(&'static str, f32),
) -> Result<Comparison, RenderError> {
    let mut rows: Vec<ComparisonRow> = engines.iter().map(|e| row_for(e.as_ref(), job)).collect();
    let full_size = extent(job);
    let job = affordable(engines, &mut rows, job, longest, latest)?;
    let mut outcomes: Vec<Option<Outcome>> = vec![None; rows.len()];
    for round in 0..ROUNDS {
        for place in 0..rows.len() {
            let index = if round % 2 == 0 { place } else { rows.len() - 1 - place };
            if rows[index].absent.is_some() {
                continue;
            }
            progress(rows[index].key, (round * rows.len() + place) as f32 / (ROUNDS * rows.len()) as f32);
            run(engines[index].as_mut(), &mut rows[index], &mut outcomes[index], &job, latest)?;
        }
    }
    let reference = outcomes.iter().position(Option::is_some).unwrap_or(0);
    let (precision, mut parts) = (rows[reference].precision, 0);
    if let Some(truth) = outcomes[reference].clone() {
        parts = truth.parts();
        for (row, outcome) in rows.iter_mut().zip(&outcomes) {
            row.millis.sort_by(f64::total_cmp);
            let same_arithmetic = row.precision == precision;
            row.differing = outcome.as_ref().map(|o| o.differing(&truth, job.max_iterations(), same_arithmetic));
        }
    }
    Ok(Comparison {
        reference: rows[reference].key,
        rows,
        size: extent(&job),
        parts,
        full_size,
        view: describe_view(&job),
    })
}

fn row_for(engine: &dyn Engine, job: &Job) -> ComparisonRow {
    ComparisonRow {
        key: engine.key(),
        describe: engine.describe(),
        precision: engine.precision(),
        absent: engine.supports(job).err().map(|e| e.to_string()),
        millis: Vec::new(),
        stats: Stats::default(),
        differing: None,
    }
}

/// The job on a lattice coarse enough that the slowest engine's run stays short. Warms every engine.
fn affordable(
    engines: &mut [Box<dyn Engine>],
    rows: &mut [ComparisonRow],
    job: &Job,
    seconds: f64,
    latest: &Latest,
) -> Result<Job, RenderError> {
    let probe = reduced(job, PROBE);
    let mut longest = Duration::ZERO;
    for (engine, row) in engines.iter_mut().zip(rows).filter(|(_, row)| row.absent.is_none()) {
        match collect(&probe, |sink| engine.render(&probe, latest, sink)) {
            Ok((stats, _)) => longest = longest.max(stats.compute),
            Err(RenderError::Cancelled) => return Err(RenderError::Cancelled),
            Err(error) => row.absent = Some(error.to_string()),
        }
    }
    Ok(reduced(job, affordable_stride(longest, seconds)))
}

/// How much an engine computes: samples across and down, or points of a scene in space.
pub(super) fn extent(job: &Job) -> [u32; 2] {
    match &job.task {
        Task::Space(task) => [task.points, 1],
        _ => job.size(),
    }
}

/// The job with a sample in every block of `stride` × `stride` pixels. A diagram is taken at its first round of orbits,
/// with so many fewer columns.
pub(super) fn reduced(job: &Job, stride: u32) -> Job {
    if let Task::Space(task) = &job.task {
        let points = (task.points / (stride * stride)).max(Space::LEAST_POINTS);
        return Job { task: Task::Space(Space { points, ..task.clone() }), ..job.clone() };
    }
    if job.orbits().is_none() {
        let lattice = Lattice::coarse(stride);
        return Job { lattice, ..job.clone() };
    }
    let [width, height] = job.viewport.size();
    let fewer = job.viewport.with_size([(width / (stride * stride)).max(1), height]);
    let viewport = fewer.unwrap_or_else(|_| job.viewport.clone());
    Job { viewport, ..job.clone().with_orbits(0..Columns::ROUND) }
}

/// The finest stride at which a run stays under `seconds`, given the time of a run at [`PROBE`].
pub(super) fn affordable_stride(probe: Duration, seconds: f64) -> u32 {
    let full = probe.as_secs_f64() * f64::from(PROBE * PROBE);
    [1, 2, 4, 8].into_iter().find(|&s| full / f64::from(s * s) <= seconds).unwrap_or(PROBE)
}

fn run(
    engine: &mut dyn Engine,
    row: &mut ComparisonRow,
    outcome: &mut Option<Outcome>,
    job: &Job,
    latest: &Latest,
) -> Result<(), RenderError> {
    match collect(job, |sink| engine.render(job, latest, sink)) {
        Ok((stats, computed)) => {
            row.millis.push(stats.compute.as_secs_f64() * 1e3);
            row.stats = stats;
            outcome.get_or_insert(computed);
            Ok(())
        }
        Err(RenderError::Cancelled) => Err(RenderError::Cancelled),
        Err(error) => {
            row.absent = Some(error.to_string());
            Ok(())
        }
    }
}

/// Place and cap, as a line.
pub(super) fn describe_view(job: &Job) -> String {
    let (center, width, height) = (job.viewport.center(), job.viewport.width(), job.viewport.height());
    let orbits = job.orbits().map_or(0, |orbits| orbits.len());
    let stretched =
        format!("centre {}, {}; {width} wide, {height} high; {orbits} orbits a column", center.re, center.im);
    match &job.task {
        Task::EscapeTime(task) => {
            let cap = task.max_iterations;
            format!("centre {}, {}; height {height}; {cap} iterations at most", center.re, center.im)
        }
        Task::OrbitDensity(task) => format!("{}; {stretched}", task.map.name()),
        Task::Section(task) => format!("z² + c along Im c = {}; {stretched}", task.s),
        Task::Space(task) => match task.scene {
            Scene::Section { s } => format!("orbits along Im c = {s} in space; {} points", task.points),
            Scene::Set => format!("attractors over the whole set in space; {} points", task.points),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Machine, all};
    use crate::render::{Channels, Quality, Shortcuts};
    use crate::view::{Mandelbrot, View as _};

    fn row(key: &'static str, millis: &[f64]) -> ComparisonRow {
        let engine = crate::engine::Naive;
        ComparisonRow { key, millis: millis.to_vec(), ..row_for(&engine, &home_job()) }
    }

    fn home_job() -> Job {
        let view = Mandelbrot::at_home([64, 48]);
        Job {
            viewport: view.viewport().clone(),
            lattice: Lattice::FULL,
            task: view.task(),
            channels: Channels { smooth: true, ..Channels::default() },
            quality: Quality::Exact,
            shortcuts: Shortcuts::ALL,
            focus: [32.0, 24.0],
        }
    }

    #[test]
    fn noise_above_the_gap_says_tie() {
        let rows = vec![row("naive", &[9.0, 10.0, 11.0]), row("tiles", &[9.0, 9.9, 12.0]), row("gpu", &[1.0; 3])];
        let comparison =
            Comparison { rows, size: [1, 1], parts: 1, full_size: [1, 1], reference: "naive", view: String::new() };
        assert_eq!(comparison.ratio(&comparison.rows[1]), None);
        assert_eq!(comparison.ratio(&comparison.rows[2]), Some(10.0));
        assert_eq!(comparison.ratio(&comparison.rows[0]), Some(1.0));
    }

    #[test]
    fn cpu_engines_agree_and_the_absent_say_why() {
        let mut engines = all(&Machine::without_gpu(2).unwrap());
        let comparison = compare(&mut engines, &home_job(), &Latest::forever(), |_, _| {}).unwrap();
        let no_device = "choose a CPU engine";
        let absent = [("gpu", no_device), ("gpu-perturbation", no_device), ("perturbation", "choose tiles")];
        for row in &comparison.rows {
            match &row.absent {
                Some(reason) => {
                    assert!(absent.iter().any(|(key, to_do)| row.key == *key && reason.contains(to_do)), "{row:?}");
                }
                None => assert_eq!(comparison.agreement(row), Some(Agreement::Equal), "{}", row.key),
            }
        }
        let table = comparison.sheet().write(crate::app::Format::Markdown);
        assert!(table.contains("| naive") && table.contains("counts_held_against: naive"), "{table}");
    }

    #[test]
    fn a_stale_comparison_stops() {
        let newest = crate::render::Newest::default();
        let mark = newest.next();
        newest.cancel();
        let mut engines = all(&Machine::without_gpu(1).unwrap());
        assert_eq!(compare(&mut engines, &home_job(), &mark, |_, _| {}), Err(RenderError::Cancelled));
    }
}
