//! Finished pictures kept for motion: what was seen on the way shows until new samples replace it.

use std::sync::Arc;

use super::pass::Pass;

/// Memory for pictures that are not the present one, in bytes.
const BUDGET: u64 = 72 << 20;
/// A sample and its colour, on the device.
const BYTES_PER_SAMPLE: u64 = 12;
/// Pictures whose scales are closer than this replace each other, in octaves.
const SPACING: f64 = 1.0;

/// Settled pictures of earlier views, and the passes of the present one.
#[derive(Default)]
pub struct Film {
    /// Finished pictures of earlier views, oldest first.
    kept: Vec<Arc<Pass>>,
    /// Passes of the present view, coarsest first.
    present: Vec<Arc<Pass>>,
    /// The present view is complete: nothing may lie on it.
    settled: bool,
}

impl Film {
    /// All pictures in drawing order: the finer lies on the coarser, the newer on the older.
    ///
    /// A coarse pass therefore fills only what no earlier picture shows more sharply; a settled view
    /// lies on top of all, so that it is seen pixel for pixel.
    pub fn pictures(&self) -> Vec<&Arc<Pass>> {
        let mut pictures: Vec<&Arc<Pass>> = self.kept.iter().chain(&self.present).collect();
        pictures.sort_by(|a, b| octave_of(b).total_cmp(&octave_of(a)));
        if let (true, Some(newest)) = (self.settled, self.newest()) {
            pictures.retain(|pass| !Arc::ptr_eq(pass, newest));
            pictures.push(newest);
        }
        pictures
    }

    /// Whether a pass is one of the pictures.
    pub fn holds(&self, pass: *const Pass) -> bool {
        self.kept.iter().chain(&self.present).any(|held| Arc::as_ptr(held) == pass)
    }

    /// The newest pass of the present view.
    pub fn newest(&self) -> Option<&Arc<Pass>> {
        self.present.last()
    }

    /// A new pass of the present view begins.
    pub fn begin(&mut self, pass: Arc<Pass>) {
        self.settled = false;
        self.present.push(pass);
    }

    /// The view moves on: its finest finished pass is kept if it is worth it.
    pub fn move_on(&mut self, finished: Option<Arc<Pass>>) {
        self.present.clear();
        self.settled = false;
        let Some(finished) = finished else { return };
        let own = octave_of(&finished);
        // A coarse pass never pushes out a full one of about the same scale that is still of use.
        self.kept
            .retain(|p| (octave_of(p) - own).abs() > SPACING || p.job.lattice.stride < finished.job.lattice.stride);
        self.kept.push(finished);
        self.shrink(own);
    }

    /// The finest pass is complete: coarser ones of the same view are not needed any more.
    pub fn settle(&mut self) {
        self.settled = true;
        if let Some(finest) = self.present.pop() {
            self.present = vec![finest];
        }
    }

    /// Forgets everything: the pictures are of something else.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Lets go of pictures beyond the budget, those of the scale farthest from `octave` first.
    fn shrink(&mut self, octave: f64) {
        let bytes = |p: &Arc<Pass>| {
            let [width, height] = p.job.size().map(u64::from);
            width * height * BYTES_PER_SAMPLE
        };
        while self.kept.len() > 1 && self.kept.iter().map(bytes).sum::<u64>() > BUDGET {
            let distance = |p: &Arc<Pass>| (octave_of(p) - octave).abs();
            let farthest = (0..self.kept.len())
                .max_by(|&a, &b| distance(&self.kept[a]).total_cmp(&distance(&self.kept[b])))
                .expect("there are at least two");
            self.kept.remove(farthest);
        }
    }
}

/// log₂ of the distance between a picture's samples.
fn octave_of(pass: &Arc<Pass>) -> f64 {
    pass.job.viewport.finest_step().log2() + f64::from(pass.job.lattice.stride).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, State};

    #[test]
    fn a_settled_view_lies_on_finer_pictures_of_earlier_ones() {
        let mut state = State::new([64, 48]);
        let pass = |state: &State| Arc::new(Pass::new(state.job(), "naive", false, Arc::new(|| {})));
        let mut film = Film::default();
        state.apply(Command::SetHeight("0.5".into()));
        let fine = pass(&state);
        film.begin(fine.clone());
        film.settle();
        state.apply(Command::Home);
        film.move_on(Some(fine.clone()));
        let home = pass(&state);
        film.begin(home.clone());
        let order = |film: &Film| film.pictures().iter().map(|p| Arc::as_ptr(p)).collect::<Vec<_>>();
        assert_eq!(order(&film), [Arc::as_ptr(&home), Arc::as_ptr(&fine)], "while it is drawn, the finer is on top");
        film.settle();
        assert_eq!(order(&film), [Arc::as_ptr(&fine), Arc::as_ptr(&home)]);
    }
}
