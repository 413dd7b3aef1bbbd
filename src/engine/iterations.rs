//! How many iterations a view wants, where nobody says.
//!
//! A cap grows with depth ([`cap::by_depth`]), and is raised to what the view itself asks for ([`measured`]): some two
//! hundred points of it are iterated much farther, and all that escape by then, but for one in a hundred, are to escape
//! within the cap. What is found depends on the view alone, so a window at rest, a file and a tile have the same cap.

use std::sync::{Mutex, PoisonError};

use super::{Engine, choose};
use crate::render::cap;
use crate::render::{
    Channels, EscapeTime, Job, Latest, Lattice, Preparation, Quality, RenderError, Sample, Shortcuts, Sink, Stats,
    Task, Tile,
};

/// About so many points are tried.
const POINTS: f64 = 256.0;
/// How many times the cap they are followed.
const FARTHER: u64 = 16;
/// The share of those that escape which the cap may miss is one in so many; one may always be missed.
const MISSED: usize = 100;
/// Farthest that points are followed: each step by itself, and beside a reference.
const FARTHEST_PLAIN: u64 = 1 << 24;
const FARTHEST_DELTAS: u64 = 1 << 26;
/// Products of limbs, and steps, that a reference which has not ended may cost: a second or so, with its table.
const MOST_PRODUCTS: u64 = 1 << 30;
const MOST_STEPS: u64 = 1 << 20;

/// The cap that the view of a job asks for, whatever cap the job has. `news` hears of references in the making.
///
/// # Errors
/// As [`Engine::render`].
pub fn measured(
    engines: &mut [Box<dyn Engine>],
    job: &Job,
    latest: &Latest,
    news: &dyn Sink,
) -> Result<u32, RenderError> {
    let least = cap::by_depth(&job.viewport);
    // Whatever else a sample is to hold, or how it is come by: the cap is the view's.
    let job = &Job { channels: Channels::default(), quality: Quality::Exact, shortcuts: Shortcuts::ALL, ..job.clone() };
    // Files and windows must agree, whether there is a GPU or not.
    let Ok(choice) = choose(engines, job, false) else { return Ok(least) };
    let Some(engine) = engines.iter_mut().find(|engine| engine.key() == choice.key) else { return Ok(least) };
    let mut look = |cap: u64| Seen::up_to(engine.as_mut(), job, cap as u32, latest, news);
    let mut looked = u64::from(least);
    let mut seen = look(looked)?;
    let farthest = seen.farthest();
    let (mut cap, mut aim) = (least, FARTHER * looked);
    while !seen.is_complete() && looked < aim.min(farthest) {
        looked = aim.min(farthest);
        let farther = look(looked)?;
        // What escapes no more is known to stay, where nobody took a step more than before.
        let all_known = farther.stats.steps_done == seen.stats.steps_done;
        seen = farther;
        let wanted = seen.wanted();
        cap = wanted.map_or(least, |wanted| step_up(wanted).max(least));
        if all_known {
            break;
        }
        // Where hardly any point escapes, all may be waiting for the same, or may be inside: one look more.
        aim = if wanted.is_some() { FARTHER * u64::from(cap) } else { FARTHER * FARTHER * u64::from(least) };
    }
    Ok(cap)
}

/// The next of ten caps to a power of ten, evenly spaced: it stays the same for most views nearby.
fn step_up(wanted: u32) -> u32 {
    const STEPS: [f64; 10] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
    let unit = 10f64.powf(f64::from(wanted).log10().floor());
    let step = STEPS.into_iter().map(|step| (step * unit).round()).find(|&cap| cap >= f64::from(wanted));
    step.unwrap_or(10.0 * unit).min(f64::from(EscapeTime::MOST_ITERATIONS)) as u32
}

/// What became of the points tried.
struct Seen {
    /// Counts of those that escaped, in order.
    escaped: Vec<u32>,
    points: usize,
    cap: u32,
    stats: Stats,
}

impl Seen {
    /// Follows points of the view, evenly spread over it, up to a cap.
    fn up_to(
        engine: &mut dyn Engine,
        job: &Job,
        cap: u32,
        latest: &Latest,
        news: &dyn Sink,
    ) -> Result<Self, RenderError> {
        let [width, height] = job.viewport.size().map(f64::from);
        let stride = (width * height / POINTS).sqrt().floor().max(1.0) as u32;
        let lattice = Lattice::coarse(stride);
        let task =
            job.task.escape_time().map(|task| Task::EscapeTime(EscapeTime { max_iterations: cap, ..task.clone() }));
        let task = task.unwrap_or_else(|| job.task.clone());
        let probe = Job { lattice, task, focus: [0.0; 2], ..job.clone() };
        let counts = Counts { escaped: Mutex::default(), news };
        let stats = engine.render(&probe, latest, &counts)?;
        let mut escaped = counts.escaped.into_inner().unwrap_or_else(PoisonError::into_inner);
        escaped.sort_unstable();
        let [columns, rows] = probe.size();
        Ok(Self { escaped, points: columns as usize * rows as usize, cap, stats })
    }

    /// Whether all of them escaped.
    fn is_complete(&self) -> bool {
        self.escaped.len() == self.points
    }

    /// Least cap that misses no more of those that escaped than may be missed; none where hardly any did.
    fn wanted(&self) -> Option<u32> {
        let missed = (self.escaped.len() / MISSED).max(1);
        self.escaped.len().checked_sub(missed + 1).map(|at| self.escaped[at])
    }

    /// How far points may be followed: as far as that costs no more than moments.
    fn farthest(&self) -> u64 {
        let Some(reference) = self.stats.reference else { return FARTHEST_PLAIN };
        if reference.steps < self.cap {
            // It has ended, whatever the cap.
            return FARTHEST_DELTAS;
        }
        let limbs = u64::from(reference.bits / 64).max(1);
        (MOST_PRODUCTS / (limbs * limbs)).min(MOST_STEPS)
    }
}

/// Keeps the counts of points that escaped.
struct Counts<'a> {
    escaped: Mutex<Vec<u32>>,
    news: &'a dyn Sink,
}

impl Sink for Counts<'_> {
    fn put(&self, _: Tile, samples: &[Sample]) {
        let counts = samples.iter().map(|sample| sample.iterations).filter(|&count| count != 0);
        self.escaped.lock().unwrap_or_else(PoisonError::into_inner).extend(counts);
    }

    fn preparing(&self, preparation: Preparation) {
        self.news.preparing(preparation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_step_evenly() {
        for (wanted, expected) in [(1, 1), (7, 8), (1000, 1000), (1001, 1200), (8001, 10_000), (99_999, 100_000)] {
            assert_eq!(step_up(wanted), expected);
        }
        assert_eq!(step_up(EscapeTime::MOST_ITERATIONS), EscapeTime::MOST_ITERATIONS);
    }
}
