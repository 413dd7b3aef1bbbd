//! How the pixels of a batch are cut into slices, so that no submission holds the device for long.
//!
//! In a round every undecided pixel goes on by the same number of turns; a slice does this for some of them. Those that are
//! undecided still are listed close together for the next round, so that no thread waits beside pixels that are done.

use std::ops::Range;
use std::time::Duration;

use super::kernel::GROUP;
use crate::engine::gpu::pace::Pace;

/// Turns that cost as much as looking at a pixel and putting it back.
const LOOK: f64 = 4.0;
/// Most turns of a slice. Mesa's software device leaves a thread's loops once they have turned 65 535 times in all; a turn
/// goes through up to 14 levels of blocks.
const MOST_TURNS: f64 = 2048.0;
/// Fewest turns of a slice; fewer would be all looking.
const FEWEST_TURNS: f64 = 16.0;

/// One submission's work.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Places of the round's list.
    pub places: Range<u32>,
    pub turns: u32,
    /// True in the first round: all pixels of the batch, and nothing is known of them.
    pub fresh: bool,
    /// Whether the round reads the second list, and so writes the first.
    pub second_list: bool,
    /// Pixels written to the next round's list before.
    pub written: u32,
}

/// How far a batch has come.
#[derive(Debug)]
pub struct Rounds {
    /// Pixels of this round's list, and the first that it has not come to.
    count: u32,
    next: u32,
    /// Pixels of the next round's list.
    written: u32,
    second_list: bool,
    fresh: bool,
    turns: u32,
    longest_slice: Duration,
}

impl Rounds {
    /// For a batch of so many pixels.
    pub fn new(pixels: u32) -> Self {
        Self {
            count: 0,
            next: 0,
            written: pixels,
            second_list: true,
            fresh: true,
            turns: 0,
            longest_slice: Duration::ZERO,
        }
    }

    /// A slice that marks every pixel of the batch as missing, and leaves all of them to do.
    pub fn marking(pixels: u32) -> Slice {
        Slice { places: 0..pixels, turns: 0, fresh: true, second_list: false, written: 0 }
    }

    /// The next slice, or `None` when every pixel is decided.
    pub fn next_slice(&mut self, pace: &Pace) -> Option<Slice> {
        if self.next == self.count {
            if self.written == 0 {
                return None;
            }
            self.begin_round(pace);
        }
        let affordable = (pace.budget() / (f64::from(self.turns) + LOOK)) as u32;
        let pixels = (affordable / GROUP * GROUP).max(GROUP).min(self.count - self.next);
        Some(Slice {
            places: self.next..self.next + pixels,
            turns: self.turns,
            fresh: self.fresh,
            second_list: self.second_list,
            written: self.written,
        })
    }

    /// Takes note of a finished slice: its turns, the pixels it left undecided, the time it took.
    pub fn finish(&mut self, slice: &Slice, turns: u64, undecided: u32, took: Duration, pace: &mut Pace) {
        pace.learn(turns as f64 + slice.places.len() as f64 * LOOK, took);
        self.next = slice.places.end;
        self.written += undecided;
        self.longest_slice = self.longest_slice.max(took);
    }

    fn begin_round(&mut self, pace: &Pace) {
        let is_first = self.turns == 0;
        (self.count, self.next, self.written) = (self.written, 0, 0);
        (self.second_list, self.fresh) = (!self.second_list, is_first);
        let mut turns = (pace.budget() / f64::from(self.count) - LOOK).max(FEWEST_TURNS);
        if !is_first {
            // Few pixels do not run faster for being few: a long orbit is as slow alone as among others.
            let room = pace.target().as_secs_f64() / self.longest_slice.as_secs_f64().max(1e-6);
            turns = turns.min(f64::from(self.turns) * room.clamp(0.5, 4.0));
        }
        self.turns = turns.clamp(FEWEST_TURNS, MOST_TURNS) as u32;
        self.longest_slice = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that does `rate` turns a millisecond, with at most `alone` a millisecond for one pixel, on pixels that take
    /// `turns` each; returns the longest slice after the first few, and the number of slices.
    fn simulate(pixels: u32, turns: u32, rate: f64, alone: f64) -> (Duration, u32) {
        let mut pace = Pace::new(Duration::from_millis(8));
        let mut rounds = Rounds::new(pixels);
        let (mut longest, mut slices, mut done) = (Duration::ZERO, 0, 0);
        let mut of_round = 0;
        while let Some(slice) = rounds.next_slice(&pace) {
            if slice.places.start == 0 {
                (done, of_round) = (done + of_round, slice.turns);
            }
            assert_eq!(slice.fresh, done == 0);
            let count = slice.places.len() as u32;
            let executed = u64::from(count) * u64::from(slice.turns.min(turns - done));
            let millis = ((executed as f64 + f64::from(count) * LOOK) / rate).max(f64::from(slice.turns) / alone);
            let took = Duration::from_secs_f64(millis / 1e3);
            if slices > 8 {
                longest = longest.max(took);
            }
            let undecided = if done + slice.turns < turns { count } else { 0 };
            rounds.finish(&slice, executed, undecided, took, &mut pace);
            slices += 1;
            assert!(slices < 1_000_000, "no end");
        }
        (longest, slices)
    }

    #[test]
    fn slices_stay_short_whatever_the_device_and_the_picture() {
        // (pixels, turns, turns a millisecond, the same for a pixel alone, why)
        for (pixels, turns, rate, alone, why) in [
            (1 << 20, 500, 5e4, 5e4, "software"),
            (1 << 20, 20_000, 1e7, 1e3, "a fast device"),
            (3, 50_000, 5e4, 5e4, "few pixels on software"),
            (64, 50_000, 1e7, 200.0, "few pixels on a device that is slow for few"),
        ] {
            let (longest, slices) = simulate(pixels, turns, rate, alone);
            assert!(longest < Duration::from_millis(100), "{why}: {longest:?} in {slices} slices");
        }
    }

    #[test]
    fn lists_take_turns_and_every_pixel_is_met() {
        let mut pace = Pace::new(Duration::from_millis(8));
        let mut rounds = Rounds::new(100);
        let took = Duration::from_millis(1);
        let first = rounds.next_slice(&pace).unwrap();
        assert_eq!((first.places.clone(), first.fresh, first.second_list), (0..100, true, false));
        rounds.finish(&first, 1000, 40, took, &mut pace);
        let second = rounds.next_slice(&pace).unwrap();
        assert_eq!((second.places.clone(), second.fresh, second.second_list), (0..40, false, true));
        rounds.finish(&second, 1000, 0, took, &mut pace);
        assert_eq!(rounds.next_slice(&pace), None);
    }
}
