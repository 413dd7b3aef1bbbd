//! Finished pictures kept for motion: what was seen on the way shows until new samples replace it.

use std::sync::Arc;

use super::pass::Pass;

/// Memory for pictures that are not the present one, on the device, in bytes.
const BUDGET: u64 = 192 << 20;
/// A sample and its colour, on the device.
const BYTES_PER_SAMPLE: u64 = 12;
/// A picture stands in for another that is finer by no more than this, in octaves.
const STANDS_IN: f64 = 1.0;
/// A picture is not needed where each of so many by so many parts of it lies wholly in another.
const PARTS: u32 = 16;

/// Pictures of earlier views, and the passes of the present one.
#[derive(Default)]
pub struct Film {
    /// Finished pictures of earlier views, oldest first.
    kept: Vec<Kept>,
    /// Passes of the present view, coarsest first.
    present: Vec<Arc<Pass>>,
    /// The present view is complete: nothing may lie on it.
    settled: bool,
    /// Views so far.
    moves: u64,
}

struct Kept {
    pass: Arc<Pass>,
    /// The last view that it was a part of.
    seen: u64,
}

impl Film {
    /// All pictures in drawing order: the finer lies on the coarser, the newer on the older.
    ///
    /// A coarse pass therefore fills only what no earlier picture shows more sharply; a settled view
    /// lies on top of all, so that it is seen pixel for pixel.
    pub fn pictures(&self) -> Vec<&Arc<Pass>> {
        let mut pictures: Vec<&Arc<Pass>> = self.kept.iter().map(|kept| &kept.pass).chain(&self.present).collect();
        pictures.sort_by(|a, b| octave_of(b).total_cmp(&octave_of(a)));
        if let (true, Some(newest)) = (self.settled, self.newest()) {
            pictures.retain(|pass| !Arc::ptr_eq(pass, newest));
            pictures.push(newest);
        }
        pictures
    }

    /// Whether a pass is one of the pictures.
    pub fn holds(&self, pass: *const Pass) -> bool {
        self.kept.iter().map(|kept| &kept.pass).chain(&self.present).any(|held| Arc::as_ptr(held) == pass)
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

    /// The view moves on: its finest finished pass is kept.
    ///
    /// The picture kept before it goes where others show all of it nearly as well: so a pan leaves pictures side by side,
    /// and a zoom one an octave.
    pub fn move_on(&mut self, finished: Option<Arc<Pass>>) {
        self.present.clear();
        self.settled = false;
        let Some(finished) = finished else { return };
        self.moves += 1;
        for kept in &mut self.kept {
            if Placed::of(&kept.pass, &finished).is_some_and(|placed| placed.is_in_view()) {
                kept.seen = self.moves;
            }
        }
        if let Some(last) = self.kept.pop() {
            let others = self.kept.iter().map(|kept| &kept.pass).chain([&finished]);
            if !is_shown_by(&last.pass, others) {
                self.kept.push(last);
            }
        }
        self.kept.push(Kept { pass: finished, seen: self.moves });
        self.shrink();
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

    /// Lets go of pictures beyond the budget, those that were not seen for longest first.
    fn shrink(&mut self) {
        let bytes = |kept: &Kept| {
            let [width, height] = kept.pass.job.size().map(u64::from);
            width * height * BYTES_PER_SAMPLE
        };
        while self.kept.len() > 1 && self.kept.iter().map(bytes).sum::<u64>() > BUDGET {
            let oldest = (0..self.kept.len()).min_by_key(|&at| self.kept[at].seen).expect("there are at least two");
            self.kept.remove(oldest);
        }
    }
}

/// A picture as another lies in it.
struct Placed {
    /// Pixels of the picture from pixels of the other.
    map: [[f64; 3]; 2],
    size: [f64; 2],
    other_size: [f64; 2],
}

impl Placed {
    /// None where they are too far apart to be seen together.
    fn of(picture: &Pass, other: &Pass) -> Option<Self> {
        let [own, its] = [&picture.job.viewport, &other.job.viewport];
        let map = own.pixels_from_pixels_of(its);
        let [size, other_size] = [own, its].map(|viewport| viewport.size().map(f64::from));
        map.iter().flatten().all(|number| number.is_finite()).then_some(Self { map, size, other_size })
    }

    /// A place of the other, given in shares of its sides, in pixels of the picture.
    fn place(&self, share: [f64; 2]) -> [f64; 2] {
        let at = [share[0] * self.other_size[0], share[1] * self.other_size[1]];
        self.map.map(|[u, v, origin]| u * at[0] + v * at[1] + origin)
    }

    fn holds(&self, share: [f64; 2]) -> bool {
        // A place on the very edge is in the picture, whatever rounding says.
        let within = |place: f64, side: f64| (-1e-6..=side + 1e-6).contains(&place);
        let [x, y] = self.place(share);
        within(x, self.size[0]) && within(y, self.size[1])
    }

    /// Whether the other shows some of the picture.
    fn is_in_view(&self) -> bool {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|share| self.place(share));
        [0, 1].into_iter().all(|axis| {
            let along = corners.map(|corner| corner[axis]);
            let (low, high) = along.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
            low < self.size[axis] && high > 0.0
        })
    }
}

/// Whether pictures that are nearly as fine show all of a picture.
fn is_shown_by<'a>(pass: &Pass, others: impl Iterator<Item = &'a Arc<Pass>>) -> bool {
    let least = octave_of(pass) + STANDS_IN;
    let placed: Vec<Placed> =
        others.filter(|other| octave_of(other) <= least).filter_map(|other| Placed::of(other, pass)).collect();
    let corner = |i: u32, j: u32| [i, j].map(|k| f64::from(k) / f64::from(PARTS));
    let holds = |other: &Placed, [i, j]: [u32; 2]| {
        [[0, 0], [1, 0], [0, 1], [1, 1]].into_iter().all(|[right, down]| other.holds(corner(i + right, j + down)))
    };
    let mut parts = (0..PARTS).flat_map(|j| (0..PARTS).map(move |i| [i, j]));
    parts.all(|part| placed.iter().any(|other| holds(other, part)))
}

/// log₂ of the distance between a picture's samples.
fn octave_of(pass: &Pass) -> f64 {
    pass.job.viewport.finest_step().log2() + f64::from(pass.job.lattice.stride).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, State};

    fn pass(state: &State) -> Arc<Pass> {
        Arc::new(Pass::new(state.job(), "naive", false, Arc::new(|| {})))
    }

    /// How much of a view the pictures show at least half as finely as it is drawn, by places evenly spread over it.
    fn share_shown(film: &Film, state: &State) -> f64 {
        let view = pass(state);
        let placed: Vec<Placed> = film.pictures().into_iter().filter_map(|shown| Placed::of(shown, &view)).collect();
        let places = (0..400).map(|k| [f64::from(k % 20) / 20.0 + 0.025, f64::from(k / 20) / 20.0 + 0.025]);
        places.filter(|&place| placed.iter().any(|picture| picture.holds(place))).count() as f64 / 400.0
    }

    #[test]
    fn what_was_seen_on_a_way_of_pans_is_there_when_zooming_out() {
        let mut state = State::new([640, 400]);
        state.apply(Command::SetHeight("1e-3".into()));
        let mut film = Film::default();
        for step in 0..120 {
            film.move_on(Some(pass(&state)));
            state.apply(Command::Pan { by_px: if step < 60 { [-32.0, 0.0] } else { [0.0, -20.0] } });
        }
        assert!(film.kept.len() < 12, "{} pictures for a way of 3 by 3 screens", film.kept.len());
        // Back along the way, every place is shown.
        for step in 0..120 {
            state.apply(Command::Pan { by_px: if step < 60 { [0.0, 20.0] } else { [32.0, 0.0] } });
            assert_eq!(share_shown(&film, &state), 1.0, "step {step}");
        }
    }

    #[test]
    fn zooming_out_shows_what_was_seen_on_the_way_in_at_any_depth() {
        for height in ["2.5", "1e-300", "1e-1000"] {
            let mut state = State::new([640, 400]);
            state.apply(Command::SetCenter { re: "-0.743643887037151".into(), im: "0.131825904205330".into() });
            state.apply(Command::SetHeight(height.into()));
            let mut film = Film::default();
            let mut views = Vec::new();
            for _ in 0..30 {
                film.move_on(Some(pass(&state)));
                views.push(state.viewport().height().clone());
                state.apply(Command::ZoomNow { factor: 1.25, about_px: [500.0, 100.0] });
            }
            assert!(film.kept.len() <= 12, "{height}: {} pictures for ten octaves", film.kept.len());
            for _ in 0..30 {
                state.apply(Command::ZoomNow { factor: 0.8, about_px: [500.0, 100.0] });
                assert_eq!(share_shown(&film, &state), 1.0, "{height}");
            }
        }
    }

    #[test]
    fn memory_is_bounded_and_what_was_seen_last_stays() {
        let mut state = State::new([1024, 1024]);
        let mut film = Film::default();
        for _ in 0..60 {
            film.move_on(Some(pass(&state)));
            state.apply(Command::ZoomNow { factor: 4.0, about_px: [500.0, 100.0] });
        }
        assert_eq!(film.kept.len() as u64, BUDGET / (12 << 20));
        assert_eq!(film.kept.last().unwrap().seen, 60);
        state.apply(Command::ZoomNow { factor: 0.25, about_px: [500.0, 100.0] });
        assert_eq!(share_shown(&film, &state), 1.0);
    }

    #[test]
    fn a_settled_view_lies_on_finer_pictures_of_earlier_ones() {
        let mut state = State::new([64, 48]);
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
