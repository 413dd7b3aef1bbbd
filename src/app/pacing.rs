//! How evenly frames come, and what each costs the thread that asks for them.
//!
//! A frame is judged by two figures: how long after the frame before it came, where motion asked for it at once, and how
//! much processor time its thread spent on it, painting left out. Engines and drivers have threads of their own.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::timings::{Summary, summary};

/// Frames remembered.
const REMEMBERED: usize = 240;

/// The newest frames.
#[derive(Clone, Debug, Default)]
pub struct Pacing {
    frames: VecDeque<Frame>,
    begun: Option<Begun>,
    /// The frame before asked for another at once.
    in_motion: bool,
}

/// What one frame took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time since the frame before, where that one asked for this at once.
    pub gap: Option<Duration>,
    /// Processor time of the thread, painting left out; `None` where the system does not tell.
    pub cpu: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Begun {
    at: Instant,
    cpu: Option<Duration>,
}

impl Pacing {
    /// A frame begins.
    pub fn begin(&mut self) {
        let now = Begun { at: Instant::now(), cpu: thread_time() };
        let before = self.begun.replace(now).filter(|_| self.in_motion);
        let gap = before.map(|before| now.at.duration_since(before.at));
        if self.frames.len() == REMEMBERED {
            self.frames.pop_front();
        }
        self.frames.push_back(Frame { gap, cpu: None });
    }

    /// All but the painting is done. `in_motion`: the next frame is wanted at once.
    pub fn end(&mut self, in_motion: bool) {
        self.in_motion = in_motion;
        let before = self.begun.and_then(|begun| begun.cpu);
        if let (Some(frame), Some(now), Some(before)) = (self.frames.back_mut(), thread_time(), before) {
            frame.cpu = Some(now.saturating_sub(before));
        }
    }

    /// The frame that ended last.
    pub fn newest(&self) -> Option<Frame> {
        self.frames.back().copied()
    }

    /// Times between frames in motion, in milliseconds.
    pub fn gaps(&self) -> Option<Summary> {
        summary(self.frames.iter().filter_map(|frame| frame.gap).map(millis))
    }

    /// Processor times of frames, in milliseconds.
    pub fn cpu(&self) -> Option<Summary> {
        summary(self.frames.iter().filter_map(|frame| frame.cpu).map(millis))
    }
}

pub(super) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Processor time that the calling thread has had.
#[cfg(unix)]
fn thread_time() -> Option<Duration> {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(not(unix))]
fn thread_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gaps_in_motion_count_and_sleep_is_no_work() {
        let mut pacing = Pacing::default();
        for in_motion in [true, true, false, true] {
            pacing.begin();
            pacing.end(in_motion);
            std::thread::sleep(Duration::from_millis(5));
        }
        let gaps = pacing.gaps().unwrap();
        assert_eq!(gaps.n, 2, "between the first three");
        assert!((5.0..500.0).contains(&gaps.median), "{gaps:?}");
        if let Some(cpu) = pacing.cpu() {
            assert!(cpu.n == 4 && cpu.median < 2.0, "{cpu:?}");
        }
    }
}
