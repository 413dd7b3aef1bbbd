//! Antialiasing of a settled picture while nothing else is wanted: subframes, one after the other.
//!
//! A subframe is the whole picture once more, its samples at the next place of the [`Jitter`] list within their pixels. The
//! settled picture is the first of them. The window colours what comes and adds it in linear light; nothing else reads it.
//! Each half of the canvas that shows escape times has subframes of its own. Diagrams and scenes in space have none: their
//! curves and their light are measured by how much of a pixel they cover.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::pass::Pass;
use crate::color::Coloring;
use crate::render::Jitter;

/// Numbers of samples a pixel that a picture ends with: all are spread evenly.
const ENDS: [u32; 3] = [64, 16, 4];
/// Longest that all subframes together may take: slow views end with fewer.
const LONGEST: Duration = Duration::from_secs(20);
/// Subframes that wait for the window at most: the next is drawn only where there are fewer.
const MOST_WAITING: usize = 2;

/// What a picture is coloured by. Samples are not kept: in other colours all subframes are drawn anew.
pub(super) type Colours = (&'static str, Coloring);

/// The subframes of one settled picture in one look.
pub struct Subframes {
    id: u64,
    settled: Arc<Pass>,
    colours: Colours,
    /// Samples that each pixel is to have, and has.
    planned: u32,
    count: u32,
    is_asked: bool,
    /// Drawn, and not taken by the window.
    waiting: Mutex<Vec<Arc<Pass>>>,
    is_given_up: AtomicBool,
}

impl Subframes {
    /// None beside the settled picture, which took so long.
    pub(super) fn new(id: u64, settled: Arc<Pass>, colours: Colours, took: Option<Duration>) -> Self {
        Self {
            id,
            settled,
            colours,
            planned: took.map_or(ENDS[0], affordable),
            count: 1,
            is_asked: false,
            waiting: Mutex::default(),
            is_given_up: AtomicBool::new(false),
        }
    }

    /// Differs from that of all other pictures and looks of this half of the canvas.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The picture that the subframes are of, the first of them.
    pub fn settled(&self) -> &Arc<Pass> {
        &self.settled
    }

    /// Samples that each pixel has, and will have: `7/64`.
    pub fn progress(&self) -> (u32, u32) {
        (self.count, self.planned)
    }

    /// True where more are to come.
    pub fn is_busy(&self) -> bool {
        self.count < self.planned && !self.is_given_up.load(Ordering::Relaxed)
    }

    /// Hands over what was drawn since the last call, in order.
    pub fn take(&self) -> Vec<Arc<Pass>> {
        std::mem::take(&mut *self.waiting.lock().expect("nothing panics while it holds this"))
    }

    /// The window cannot add them.
    pub fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Relaxed);
    }

    pub(super) fn are_of(&self, settled: &Arc<Pass>, colours: Colours) -> bool {
        Arc::ptr_eq(&self.settled, settled) && self.colours == colours
    }

    /// The place of the next subframe, where it is to be drawn now.
    pub(super) fn next(&mut self) -> Option<Jitter> {
        let has_room = self.waiting.lock().expect("nothing panics while it holds this").len() < MOST_WAITING;
        let is_due = has_room && self.is_busy() && !self.is_asked;
        self.is_asked |= is_due;
        is_due.then(|| Jitter::nth(self.count))
    }

    /// The one asked for is there, and took so long; or will never be.
    pub(super) fn arrived(&mut self, subframe: Option<(Arc<Pass>, Duration)>) {
        self.is_asked = false;
        let Some((pass, took)) = subframe else { return self.give_up() };
        if self.count == 1 {
            // The settled picture may have been mostly there before.
            self.planned = affordable(took).max(2);
        }
        self.count += 1;
        self.waiting.lock().expect("nothing panics while it holds this").push(pass);
    }
}

/// Samples a pixel that are drawn in time where each takes so long; 1 where there is no time for any more.
fn affordable(took: Duration) -> u32 {
    ENDS.into_iter().find(|&count| took * count <= LONGEST).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_views_end_with_fewer_samples() {
        for (millis, expected) in [(0, 64), (312, 64), (313, 16), (1250, 16), (1251, 4), (5000, 4), (5001, 1)] {
            assert_eq!(affordable(Duration::from_millis(millis)), expected, "{millis} ms");
        }
    }
}
