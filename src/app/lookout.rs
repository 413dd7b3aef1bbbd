//! A thread that looks at a view with few samples, for the autopilot: one look at a time, of the view as it was asked for.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::autopilot::Glance;
use super::pass::Wake;
use crate::engine::{Engine, Machine, all, choose, iterations};
use crate::render::{Channels, Field, HostSink, Job, Latest, Lattice, Newest, Quality, Unheard};

/// About so many samples along the height of a view.
const ROWS: u32 = 30;
/// A view with more than this share of its samples inside may only have too few iterations.
const MOSTLY_INSIDE: f64 = 0.35;
/// A look is due after so many octaves.
const OFTEN: f64 = 0.15;

/// What became of a look.
pub enum Look {
    Seen {
        glance: Box<Glance>,
        /// The cap that the view asks for, where that was measured.
        cap: Option<u32>,
    },
    /// No engine can draw the view.
    TooDeep,
}

/// Asks a thread of its own, which ends when this is dropped.
pub struct Lookout {
    newest: Newest,
    jobs: Sender<(Job, Latest)>,
    looks: Receiver<Look>,
    is_looking: bool,
    /// log₂ of the height of the view last asked about.
    asked: Option<f64>,
}

impl Lookout {
    /// # Errors
    /// When the system gives no thread.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        // A thread of its own: those of the engines are busy with the picture.
        let own = Machine::without_gpu(1).map_err(std::io::Error::other)?;
        let (jobs, asked) = channel();
        let (sender, looks) = channel();
        std::thread::Builder::new().name("lookout".into()).spawn(move || work(&own, &asked, &sender, &wake))?;
        Ok(Self { newest: Newest::default(), jobs, looks, is_looking: false, asked: None })
    }

    /// What was seen since the last call.
    pub fn take(&mut self) -> Option<Look> {
        let look = self.looks.try_recv().ok()?;
        self.is_looking = false;
        Some(look)
    }

    /// Looks at a job's view, unless a look is under way or the view is still about the last one.
    pub fn look(&mut self, job: &Job) {
        let height = job.viewport.height().to_float_exp().log2();
        if self.is_looking || self.asked.is_some_and(|asked| (asked - height).abs() < OFTEN) {
            return;
        }
        self.asked = Some(height);
        self.is_looking = self.jobs.send((job.clone(), self.newest.next())).is_ok();
    }

    /// True until the look under way has come.
    pub fn is_looking(&self) -> bool {
        self.is_looking
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        self.newest.cancel();
    }
}

fn work(machine: &Machine, jobs: &Receiver<(Job, Latest)>, looks: &Sender<Look>, wake: &Wake) {
    let mut engines = all(machine);
    while let Ok((job, latest)) = jobs.recv() {
        // Cancelled only when nobody listens any more.
        let Some(look) = look(&mut engines, job, &latest) else { return };
        if looks.send(look).is_err() {
            return;
        }
        wake();
    }
}

/// Looks at a view; `None` where that was cancelled.
fn look(engines: &mut [Box<dyn Engine>], job: Job, latest: &Latest) -> Option<Look> {
    let stride = (job.viewport.size()[1] / ROWS).max(1);
    let lattice = Lattice::coarse(stride);
    let job = Job { lattice, channels: Channels::default(), quality: Quality::Moving, focus: [0.0; 2], ..job };
    let Ok(choice) = choose(engines, &job, false) else { return Some(Look::TooDeep) };
    let engine = engines.iter_mut().find(|engine| engine.key() == choice.key)?;
    let mut field = Field::missing(job.size());
    if engine.render(&job, latest, &HostSink::new(&mut field)).is_err() {
        return (!latest.is_stale()).then_some(Look::TooDeep);
    }
    let counts: Vec<u32> = field.samples().iter().map(|sample| sample.iterations).collect();
    let inside = counts.iter().filter(|&&count| count == 0).count();
    let is_doubtful = inside as f64 > MOSTLY_INSIDE * counts.len() as f64;
    let cap = is_doubtful.then(|| iterations::measured(engines, &job, latest, &Unheard).ok()).flatten();
    let glance = Box::new(Glance::new(job.viewport.clone(), lattice, job.size()[0] as usize, &counts));
    Some(Look::Seen { glance, cap })
}
