//! How a diagram's columns and orbits are cut into parts, so that no submission holds the device for long.

use std::ops::Range;

use super::super::pace::{MOST_GROUPS, Pace};
use crate::fractal::attractor::Effort;
use crate::render::Columns;

/// Columns that a workgroup takes.
pub const GROUP_COLUMNS: u32 = 8;
/// Steps of the search for cycles, of drawing and of starting an orbit: a guess that a device's pace corrects.
const OVERHEAD: f64 = 500.0;

/// Columns and orbits of one submission.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub columns: Range<u32>,
    pub orbits: Range<u32>,
}

/// The parts of a diagram, one after the other: all columns of a round of orbits, or some of them.
///
/// A part has no more than one round, for software devices end loops that have gone round some ten thousand times.
#[derive(Debug)]
pub struct Parts {
    width: u32,
    orbits: Range<u32>,
    /// Steps that one round takes in one column.
    cost: f64,
    /// First column that the present round lacks.
    column: u32,
}

impl Parts {
    pub fn new(width: u32, orbits: Range<u32>, kept: u32, effort: Effort) -> Self {
        let steps = f64::from(effort.transient) + f64::from(kept) + OVERHEAD;
        Self { width, orbits, cost: f64::from(Columns::ROUND) * steps, column: 0 }
    }

    /// The next part, or `None` when all is done.
    pub fn next(&mut self, pace: &Pace) -> Option<Part> {
        if self.orbits.is_empty() || self.width == 0 {
            return None;
        }
        let first = self.orbits.start;
        let orbits = first..first.saturating_add(Columns::ROUND).min(self.orbits.end);
        let affordable = (pace.budget() / self.cost).clamp(1.0, f64::from(GROUP_COLUMNS * MOST_GROUPS)) as u32;
        let columns = self.column..(self.column + affordable.next_multiple_of(GROUP_COLUMNS)).min(self.width);
        self.column = columns.end;
        if columns.end == self.width {
            self.column = 0;
            self.orbits.start = orbits.end;
        }
        Some(Part { columns, orbits })
    }

    /// What a part costs, in steps.
    pub fn cost(&self, part: &Part) -> f64 {
        self.cost * part.columns.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// All parts on a device that does `rate` steps a millisecond, and the longest time that one took.
    fn simulate(mut parts: Parts, rate: f64) -> (Vec<Part>, Duration) {
        let mut pace = Pace::new(Duration::from_millis(8));
        let (mut all, mut longest) = (Vec::new(), Duration::ZERO);
        while let Some(part) = parts.next(&pace) {
            let cost = parts.cost(&part);
            let took = Duration::from_secs_f64(cost / rate / 1e3);
            pace.learn(cost, took);
            longest = longest.max(took);
            all.push(part);
        }
        (all, longest)
    }

    #[test]
    fn every_orbit_of_every_column_comes_once() {
        for (width, orbits, rate) in [
            (1920, 0..8, 1e5),
            (1920, 0..8, 1e9),
            (1920, 8..517, 1e8),
            (7, 0..3, 1e6),
            (100, 4..5, 1e2),
            (65, 0..64, 1e4),
        ] {
            let (parts, _) = simulate(Parts::new(width, orbits.clone(), 512, Effort::STILL), rate);
            let mut seen = vec![orbits.start; width as usize];
            for part in &parts {
                assert_eq!(part.columns.start % GROUP_COLUMNS, 0);
                for column in part.columns.clone() {
                    let next = &mut seen[column as usize];
                    assert_eq!(*next, part.orbits.start, "{part:?}");
                    *next = part.orbits.end;
                }
            }
            assert!(seen.iter().all(|&next| next == orbits.end), "{width} columns, {orbits:?}");
        }
    }

    #[test]
    fn parts_are_short_on_slow_devices_and_few_on_fast_ones() {
        let whole = || Parts::new(1920, 0..512, 512, Effort::STILL);
        let (_, longest) = simulate(whole(), 1e5);
        assert!(longest < Duration::from_millis(32), "{longest:?}");
        let (parts, _) = simulate(whole(), 1e9);
        assert!(parts.len() < 80, "{} parts for 64 rounds", parts.len());
    }
}
