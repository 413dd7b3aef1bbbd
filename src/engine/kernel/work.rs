//! What the kernel is asked to do, and how threads share it.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::engine::mirror::Mirror;
use crate::fractal::{Formula, Smooth};
use crate::math::Complex;
use crate::render::{EscapeTime, Grid, Job, Latest, Plane, RenderError, Shortcuts, Sink, Tile};

/// One job, cut into tiles that any number of threads take from.
pub struct Work<'a> {
    pub task: &'a EscapeTime,
    pub grid: Grid,
    /// The one c of a dynamical plane.
    pub c: Option<Complex>,
    /// Present where fractions are asked for.
    pub smooth: Option<Smooth>,
    pub shortcuts: Shortcuts,
    pub latest: &'a Latest,
    pub sink: &'a dyn Sink,
    pub mirror: Mirror,
    /// Most samples along a side of a tile.
    pub side: u32,
    tiles: Vec<Tile>,
    taken: AtomicUsize,
}

/// Steps of one render.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Steps of the definition.
    pub defined: u64,
    /// Steps really executed for the points, those repeated in replays included.
    pub done: u64,
}

impl std::ops::AddAssign for Steps {
    fn add_assign(&mut self, other: Self) {
        self.defined += other.defined;
        self.done += other.done;
    }
}

impl<'a> Work<'a> {
    /// Cuts a job into tiles of at most `side` × `side` samples, those at the focus first.
    pub fn new(job: &'a Job, side: u32, latest: &'a Latest, sink: &'a dyn Sink) -> Self {
        let task = job.task.escape_time().expect("only tasks that are supported come here");
        let grid = job.grid();
        let mirror = if job.shortcuts.symmetry { Mirror::of(task, &grid) } else { Mirror::none(&grid) };
        let rows = mirror.computed();
        let [x, y] = mirror.computed_place(job.focus);
        let mut tiles = Tile::outwards([job.size()[0], rows.end - rows.start], side, [x, y - rows.start as f32]);
        tiles.iter_mut().for_each(|tile| tile.y += rows.start);
        Self {
            task,
            grid,
            c: task.plane.c(),
            smooth: job.channels.smooth.then(|| Smooth::new(task.bailout, task.formula.degree())),
            shortcuts: job.shortcuts,
            latest,
            sink,
            mirror,
            side,
            tiles,
            taken: AtomicUsize::new(0),
        }
    }

    /// Whether points in the bulbs are to be known by the formula for them.
    pub fn knows_bulbs<F: Formula>(&self) -> bool {
        F::QUADRATIC_BULBS && self.shortcuts.bulbs && self.task.plane == Plane::Parameter
    }

    /// The next tile that nobody has begun.
    pub fn next_tile(&self) -> Option<Tile> {
        // Looked at first, so that the count cannot wrap however often idle lanes ask.
        if self.is_all_taken() {
            return None;
        }
        self.tiles.get(self.taken.fetch_add(1, Ordering::Relaxed)).copied()
    }

    pub fn is_all_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed) >= self.tiles.len()
    }

    /// # Errors
    /// [`RenderError::Cancelled`] once a newer job is wanted.
    pub fn check(&self) -> Result<(), RenderError> {
        if self.latest.is_stale() { Err(RenderError::Cancelled) } else { Ok(()) }
    }
}
