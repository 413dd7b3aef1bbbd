//! How work is cut into slices, so that no submission holds the device for long.
//!
//! A field is a stack of strips, each as high as a workgroup. In a round every undecided pixel is
//! advanced by the same number of steps; a slice does a round's steps for some strips. What a slice
//! costs is foretold from its undecided pixels, and what it took corrects the next prediction.

use std::ops::Range;
use std::time::Duration;

/// Rows of a strip: the height of a workgroup.
pub const STRIP: u32 = 8;
/// Workgroups that any device takes along one axis of a dispatch.
pub const MOST_GROUPS: u32 = 65535;
/// Steps that cost as much as looking at a pixel and putting it back: 50 on a software device.
const LOOK: f64 = 32.0;
/// Most steps of a slice: Mesa's software device leaves a loop after 65 535 turns without a word, and the sum over a
/// workgroup must fit in 32 bits.
const MOST_STEPS: f64 = 65_000.0;
/// Fewest steps of a slice; fewer would be all looking.
const FEWEST_STEPS: f64 = 16.0;
/// A guess in steps a millisecond, on the low side, for the first slice of all.
const FIRST_RATE: f64 = 2e5;

/// What the device was seen to do.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Steps a millisecond.
    rate: f64,
    target: Duration,
}

impl Pace {
    /// For slices of about `target`.
    pub fn new(target: Duration) -> Self {
        Self { rate: FIRST_RATE, target }
    }

    /// How long a slice should take.
    pub fn target(&self) -> Duration {
        self.target
    }

    /// Steps that should take as long as a slice may.
    pub fn budget(&self) -> f64 {
        self.rate * self.target.as_secs_f64() * 1e3
    }

    /// Moves towards what a slice of that cost took, by at most a factor of two.
    pub fn learn(&mut self, cost: f64, took: Duration) {
        let seen = cost / (took.as_secs_f64() * 1e3).max(1e-3);
        // A slice that was small for other reasons says little about how fast a full one would be.
        if cost > self.budget() / 2.0 || seen > self.rate {
            self.rate *= (seen / self.rate).clamp(0.5, 2.0);
        }
    }
}

/// One submission's work: `steps` more for the undecided pixels of some strips that have `done` behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub strips: Range<u32>,
    pub done: u32,
    pub steps: u32,
    /// True for the first slice of these strips.
    pub fresh: bool,
}

/// How far a field has come.
#[derive(Debug)]
pub struct Progress {
    size: [u32; 2],
    max_iterations: u32,
    /// Undecided pixels of each strip.
    undecided: Vec<u32>,
    /// Steps that every undecided pixel had behind it when the round began.
    done: u32,
    round: Round,
    rounds: u32,
    /// Whether a first round that takes several slices begins by marking every sample as missing.
    marks_missing: bool,
}

/// One round over the field: the same number of steps for every undecided pixel.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    steps: u32,
    /// First strip that it has not come to.
    next: u32,
    longest_slice: Duration,
}

impl Progress {
    pub fn new(size: [u32; 2], max_iterations: u32, marks_missing: bool) -> Self {
        let [width, height] = size;
        let rows = (0..height.div_ceil(STRIP)).map(|strip| (height - strip * STRIP).min(STRIP));
        let undecided: Vec<u32> = rows.map(|rows| rows * width).collect();
        let round = Round { next: undecided.len() as u32, ..Round::default() };
        Self { size, max_iterations, undecided, done: 0, round, rounds: 0, marks_missing }
    }

    /// Pixels whose samples are not known yet.
    pub fn undecided(&self) -> u64 {
        self.undecided.iter().map(|&n| u64::from(n)).sum()
    }

    /// The next slice, or `None` when every pixel is decided.
    pub fn next_slice(&mut self, pace: &Pace) -> Option<Slice> {
        if self.waiting().next().is_none() {
            if self.undecided() == 0 {
                return None;
            }
            self.begin_round(pace);
        }
        let first = self.waiting().next()?;
        let (mut end, mut cost) = (first, 0.0);
        for strip in self.waiting() {
            // Decided strips in between are looked at as well.
            cost += (end..=strip).map(|strip| self.cost(strip, self.round.steps)).sum::<f64>();
            if end > first && (cost > pace.budget() || strip - first >= MOST_GROUPS) {
                break;
            }
            end = strip + 1;
        }
        let fresh = self.rounds == 1;
        Some(Slice { strips: first..end, done: self.done, steps: self.round.steps, fresh })
    }

    /// Takes note of a finished slice: the steps it did, its strips' undecided pixels, the time it took.
    pub fn finish(&mut self, slice: &Slice, steps: u64, undecided: &[u32], took: Duration, pace: &mut Pace) {
        let look: f64 = slice.strips.clone().map(|strip| self.look(strip)).sum();
        pace.learn(steps as f64 + look, took);
        self.undecided[slice.strips.start as usize..slice.strips.end as usize].copy_from_slice(undecided);
        self.round.next = slice.strips.end;
        self.round.longest_slice = self.round.longest_slice.max(took);
    }

    /// Undecided strips that this round has not come to.
    fn waiting(&self) -> impl Iterator<Item = u32> {
        let rest = self.undecided.iter().zip(0..).skip(self.round.next as usize);
        rest.filter_map(|(&undecided, strip)| (undecided > 0).then_some(strip))
    }

    fn begin_round(&mut self, pace: &Pace) {
        let last = self.round;
        self.done += last.steps;
        self.round = Round::default();
        self.rounds += 1;
        let steps = self.round_steps(pace, last);
        let cost: f64 = self.waiting().map(|strip| self.cost(strip, steps)).sum();
        let marks = std::mem::take(&mut self.marks_missing) && cost > pace.budget();
        self.round.steps = if marks { 0 } else { steps };
    }

    /// Steps of a new round: as many as fit the whole field into a slice, and no fewer than pay for looking.
    fn round_steps(&self, pace: &Pace, last: Round) -> u32 {
        let look: f64 = self.waiting().map(|strip| self.look(strip)).sum();
        let fullest = f64::from(self.undecided.iter().copied().max().unwrap_or(1));
        let whole_field = (pace.budget() - look) / self.undecided() as f64;
        let paying = 4.0 * look / self.undecided() as f64;
        let mut steps = whole_field.max(paying).min(pace.budget() / fullest);
        if last.steps > 0 {
            // Few pixels do not run faster for being few: a long orbit is as slow alone as among others.
            let room = pace.target.as_secs_f64() / last.longest_slice.as_secs_f64().max(1e-6);
            steps = steps.min(f64::from(last.steps) * room.clamp(0.5, 4.0));
        }
        (steps.clamp(FEWEST_STEPS, MOST_STEPS) as u32).min(self.max_iterations - self.done)
    }

    /// Most that a strip can cost, in steps.
    fn cost(&self, strip: u32, steps: u32) -> f64 {
        self.look(strip) + f64::from(self.undecided[strip as usize]) * f64::from(steps)
    }

    /// What looking at every pixel of a strip costs, in steps.
    fn look(&self, strip: u32) -> f64 {
        let rows = (self.size[1] - strip * STRIP).min(STRIP);
        f64::from(rows) * f64::from(self.size[0]) * LOOK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Duration = Duration::from_millis(8);

    /// A device that does `rate` steps a millisecond, on a picture where `inside` of each strip never escapes
    /// and the rest escapes at once; returns the longest slice and the number of slices.
    fn simulate(size: [u32; 2], max_iterations: u32, rate: f64, inside: impl Fn(u32) -> f64) -> (Duration, u32) {
        let mut pace = Pace::new(TARGET);
        let mut progress = Progress::new(size, max_iterations, true);
        let (mut longest, mut slices) = (Duration::ZERO, 0);
        while let Some(slice) = progress.next_slice(&pace) {
            let (mut steps, mut look, mut undecided) = (0.0, 0.0, vec![]);
            for strip in slice.strips.clone() {
                let before = progress.undecided[strip as usize];
                let area = (size[1] - strip * STRIP).min(STRIP) * size[0];
                let stays = (f64::from(area) * inside(strip)) as u32;
                let now = if slice.steps == 0 { before } else { stays.min(before) };
                steps += f64::from(now) * f64::from(slice.steps) + f64::from(before - now);
                look += f64::from(area) * 30.0;
                undecided.push(if slice.done + slice.steps == max_iterations { 0 } else { now });
            }
            let took = Duration::from_secs_f64(((steps + look) / rate / 1e3).max(1e-4));
            // The first slices of all are allowed to be off: nothing is known of the device.
            if slices > 8 {
                longest = longest.max(took);
            }
            progress.finish(&slice, steps as u64, &undecided, took, &mut pace);
            slices += 1;
            assert!(slices < 5_000_000, "no end");
        }
        assert_eq!(progress.undecided(), 0);
        (longest, slices)
    }

    #[test]
    fn slices_stay_short_whatever_the_device_and_the_picture() {
        // (size, cap, steps a millisecond, share inside, why)
        for (size, cap, rate, inside, why) in [
            ([640, 360], 100_000, 5e5, 1.0, "software, all inside"),
            ([3840, 2160], 1_000, 5e5, 1.0, "software, a large field"),
            ([3840, 2160], 1_000_000, 1e9, 1.0, "a fast device, all inside"),
            ([640, 360], 100_000, 5e5, 0.02, "software, few pixels left"),
            ([1279, 719], 100_000, 1e8, 0.001, "almost nothing left"),
            ([65535, 9], 1_000, 5e5, 1.0, "very wide"),
            ([1, 1], 1_000_000, 1e8, 1.0, "one pixel"),
        ] {
            let (longest, slices) = simulate(size, cap, rate, |strip| if strip % 3 == 0 { inside } else { 0.0 });
            assert!(longest < Duration::from_millis(100), "{why}: {longest:?} in {slices} slices");
        }
    }

    #[test]
    fn slices_are_few_where_the_device_is_fast() {
        let (_, slices) = simulate([1920, 1080], 1_000, 1e9, |_| 0.2);
        assert!(slices < 20, "{slices} slices");
    }

    #[test]
    fn a_large_field_on_a_slow_device_is_marked_first() {
        let mut progress = Progress::new([3840, 2160], 1_000, true);
        let pace = Pace::new(TARGET);
        let slice = progress.next_slice(&pace).unwrap();
        assert_eq!((slice.done, slice.steps), (0, 0));
        let mut small = Progress::new([64, 64], 10, true);
        assert_eq!(small.next_slice(&pace), Some(Slice { strips: 0..8, done: 0, steps: 10, fresh: true }));
    }
}
