//! Rounds: every contestant once a round, forwards and backwards in turn, so that a drifting clock
//! speed favours no one.
//!
//! Warm-up comes first and apart. An engine that would need longer than the cap for a frame runs on
//! one pixel of every few, and its times are scaled by the steps that these pixels need.

use std::rc::Rc;

use super::contestant::{Contestant, Frame, Stopped};
use super::report::{Differing, Row, ViewReport, Work};
use super::{Bench, Progress};
use crate::engine::{Engine as _, Machine, Threads};
use crate::render::{Field, HostSink, Job, Latest, Lattice, RenderError, Sample, TimingSource};

/// Most pixels between samples: what is coarser says little of the view.
const COARSEST: u32 = 27;

/// The bench was given up.
pub struct Cancelled;

/// The definition's counts of a whole view.
pub struct Truth {
    field: Rc<Field>,
    max_iterations: u32,
}

impl Truth {
    /// Computes them with the plain loop, on all threads so that nobody waits; nothing where the view
    /// is too deep for f64.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn of(job: &Job, machine: &Machine, latest: &Latest) -> Result<Option<Self>, Cancelled> {
        let mut field = Field::missing(job.size());
        match Threads::new(machine.pool.clone()).render(job, latest, &HostSink::new(&mut field)) {
            Ok(_) => Ok(Some(Self { field: Rc::new(field), max_iterations: job.max_iterations() })),
            Err(RenderError::Cancelled) => Err(Cancelled),
            Err(_) => Ok(None),
        }
    }

    pub fn work(&self) -> Work {
        let samples = self.field.samples();
        let interior = samples.iter().filter(|sample| sample.iterations == 0).count();
        let interior_share = interior as f64 / samples.len() as f64;
        Work { steps: self.field.steps(self.max_iterations), interior_share }
    }

    /// The counts at the samples of a coarser lattice.
    fn at(&self, lattice: Lattice) -> Rc<Field> {
        if lattice == Lattice::FULL {
            return self.field.clone();
        }
        let [columns, rows] = [lattice.columns(self.field.size()[0]), lattice.rows(self.field.size()[1])];
        let pixel = |first: u32, k: u32| first + k * lattice.stride;
        let row = |j| self.field.row(pixel(rows.first, j));
        let sample = |row: &[Sample], i| row[pixel(columns.first, i) as usize];
        let samples = (0..rows.count).flat_map(|j| (0..columns.count).map(move |i| (i, j)));
        Rc::new(Field::from_samples([columns.count, rows.count], samples.map(|(i, j)| sample(row(j), i)).collect()))
    }
}

/// Strides to choose from, finest first.
///
/// Odd divisors of the height keep rows that mirror each other: engines that copy them lose nothing.
fn strides([width, height]: [u32; 2]) -> Vec<u32> {
    let most = COARSEST.min(width).min(height);
    let keep_mirrors = (1..=most).filter(|stride| stride % 2 == 1 && height % stride == 0);
    let mut strides: Vec<_> = keep_mirrors.collect();
    if strides.last() < Some(&(COARSEST / 3)) {
        let finer = strides[strides.len() - 1];
        strides.extend([4, 8, 16].into_iter().filter(|&stride| finer < stride && stride <= most));
    }
    strides
}

/// Counts in the convention of other programs, for which the cap is the inside.
fn capped(field: &Field, max_iterations: u32) -> Field {
    let capped = |s: &Sample| if s.iterations == max_iterations { Sample::INTERIOR } else { *s };
    Field::from_samples(field.size(), field.samples().iter().map(capped).collect())
}

/// One contestant on one view.
struct Lane<'a> {
    contestant: &'a mut Contestant,
    row: Row,
    job: Job,
    /// Steps of the whole view over steps of the samples that are computed; pixels over samples where steps are not known.
    scale: f64,
    /// The definition's counts of these samples, where it has some.
    truth: Option<Rc<Field>>,
}

/// Measures one view into `report`, whose figures stay good when the bench is given up.
///
/// # Errors
/// [`Cancelled`].
pub fn measure(
    bench: &mut Bench,
    scene: usize,
    report: &mut ViewReport,
    latest: &Latest,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), Cancelled> {
    let job = bench.scenes[scene].job.clone();
    let key = report.key.clone();
    let mut tell = |contestant: &str, what| progress(Progress { view: &key, contestant, what });
    tell("naive", "counts to compare with");
    let truth = Truth::of(&job, &bench.machine, latest)?;
    report.work = truth.as_ref().map(Truth::work);
    let mut lanes: Vec<_> = bench.contestants.iter_mut().map(|c| Lane::new(c, &job)).collect();
    let measured = warm_up(&mut lanes, truth.as_ref(), bench.cap_seconds, latest, &mut tell)
        .and_then(|()| timed_rounds(&mut lanes, bench.repetitions as usize, latest, &mut tell));
    report.rows = lanes.into_iter().map(Lane::into_row).collect();
    measured
}

fn warm_up(
    lanes: &mut [Lane],
    truth: Option<&Truth>,
    cap_seconds: f64,
    latest: &Latest,
    tell: &mut dyn FnMut(&str, &'static str),
) -> Result<(), Cancelled> {
    lanes.iter_mut().try_for_each(|lane| {
        tell(&lane.row.name, "warm-up");
        lane.prepare(truth, cap_seconds, latest)
    })
}

fn timed_rounds(
    lanes: &mut [Lane],
    repetitions: usize,
    latest: &Latest,
    tell: &mut dyn FnMut(&str, &'static str),
) -> Result<(), Cancelled> {
    for round in 0..repetitions {
        for place in 0..lanes.len() {
            let index = if round % 2 == 0 { place } else { lanes.len() - 1 - place };
            let lane = &mut lanes[index];
            tell(&lane.row.name, "run");
            lane.run(latest)?;
        }
    }
    Ok(())
}

impl<'a> Lane<'a> {
    fn new(contestant: &'a mut Contestant, job: &Job) -> Self {
        let row = Row {
            name: contestant.name.clone(),
            describe: contestant.describe(),
            external: contestant.is_external(),
            precision: contestant.precision(),
            absent: contestant.lacks(job),
            stride: 1,
            millis: Vec::new(),
            phases: Vec::new(),
            source: TimingSource::default(),
            steps_done: None,
            threads: None,
            differing: None,
        };
        Self { contestant, row, job: job.clone(), scale: 1.0, truth: None }
    }

    /// Warms the contestant, and finds out how many of the pixels it can do within the cap.
    fn prepare(&mut self, truth: Option<&Truth>, cap_seconds: f64, latest: &Latest) -> Result<(), Cancelled> {
        if self.row.external {
            self.truth = truth.map(|truth| Rc::new(capped(&truth.field, truth.max_iterations)));
        } else if self.contestant.is_whole() {
            self.set_stride(truth, 1);
        } else {
            self.choose_stride(truth, cap_seconds, latest)?;
        }
        self.attempt(latest).map(drop)
    }

    /// The finest stride at which a frame stays within the cap.
    fn choose_stride(&mut self, truth: Option<&Truth>, cap_seconds: f64, latest: &Latest) -> Result<(), Cancelled> {
        let strides = strides(self.job.viewport.size());
        self.set_stride(truth, strides[strides.len() - 1]);
        self.attempt(latest)?;
        // Fixed costs mislead at few samples, so the second look is closer to the real size.
        for _ in 0..2 {
            if self.row.stride == 1 {
                break;
            }
            let Some(frame) = self.attempt(latest)? else { break };
            let enough = (self.whole(&frame) / cap_seconds).sqrt();
            let stride = strides.iter().copied().find(|&stride| f64::from(stride) >= enough);
            self.set_stride(truth, stride.unwrap_or(self.row.stride).min(self.row.stride));
        }
        Ok(())
    }

    fn set_stride(&mut self, truth: Option<&Truth>, stride: u32) {
        self.row.stride = stride;
        self.job.lattice = Lattice::coarse(stride);
        let Some(truth) = truth else {
            let area = |[width, height]: [u32; 2]| f64::from(width) * f64::from(height);
            self.scale = area(self.job.viewport.size()) / area(self.job.size());
            return;
        };
        let part = truth.at(self.job.lattice);
        let steps = |field: &Field| field.steps(truth.max_iterations).max(1) as f64;
        self.scale = steps(&truth.field) / steps(&part);
        self.truth = Some(part);
    }

    /// Seconds that the whole view takes, by a frame of some of its samples: what is done once is not scaled.
    fn whole(&self, frame: &Frame) -> f64 {
        let once = frame.phases.preparation().as_secs_f64();
        once + (frame.seconds - once) * self.scale
    }

    /// Runs once, if the contestant still takes part; one that fails has its reason in its row.
    fn attempt(&mut self, latest: &Latest) -> Result<Option<Frame>, Cancelled> {
        if self.row.absent.is_some() {
            return Ok(None);
        }
        match self.contestant.run(&self.job, latest) {
            Ok(frame) => Ok(Some(frame)),
            Err(Stopped::Cancelled) => Err(Cancelled),
            Err(Stopped::Failed(reason)) => {
                self.row.absent = Some(reason);
                self.row.millis.clear();
                self.row.phases.clear();
                Ok(None)
            }
        }
    }

    /// One run that counts.
    fn run(&mut self, latest: &Latest) -> Result<(), Cancelled> {
        let Some(frame) = self.attempt(latest)? else { return Ok(()) };
        self.row.millis.push(self.whole(&frame) * 1e3);
        let phases = frame.phases.millis().map(|phases| phases.map(|(_, millis)| millis));
        self.row.phases.extend(phases.map(|[reference, table, pixels]| [reference, table, pixels * self.scale]));
        self.row.source = frame.source;
        self.row.threads = frame.threads;
        self.row.steps_done = frame.steps_done.map(|steps| (steps as f64 * self.scale) as u64);
        if let (None, Some(counts), Some(truth)) = (self.row.differing, frame.counts, &self.truth) {
            let (count, largest) = counts.differing_counts(truth, self.job.max_iterations());
            self.row.differing = Some(Differing { count, samples: counts.samples().len(), largest });
        }
        Ok(())
    }

    fn into_row(self) -> Row {
        let interrupted = self.row.absent.is_none() && self.row.millis.is_empty();
        let absent = if interrupted { Some("given up before its first run".into()) } else { self.row.absent };
        Row { absent, ..self.row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_keep_mirrored_rows_where_they_can() {
        for (size, expected) in [
            ([1000, 1000], &[1, 5, 25][..]),
            ([1920, 1080], &[1, 3, 5, 9, 15, 27]),
            ([1024, 1024], &[1, 4, 8, 16]),
            ([64, 48], &[1, 3, 4, 8, 16]),
            ([1, 1], &[1]),
        ] {
            assert_eq!(strides(size), expected, "{size:?}");
        }
    }
}
