//! A cluster as an engine beside the others: a frame is cut into tiles, and workers count them.

use std::time::Instant;

use super::cut::Cut;
use super::session::{RemoteTask, Session};
use super::{Remote, RemoteError, Spec, tile};
use crate::app::Location;
use crate::app::export::{Channel, ExportError};
use crate::engine::{Engine, Machine, Precision, all, choose};
use crate::render::{Job, Latest, Lattice, RenderError, Sample, Sink, Stats, TimingSource, Unsupported};

/// Tiles for each thread: few, for each costs some milliseconds, and more than one, so that none waits long for the last.
const TILES_OF_A_THREAD: f64 = 2.0;
/// Least and most pixels along a side of a tile.
const SIDES: [u32; 2] = [64, 2048];

/// Counts of whole frames, by the engine that a CPU takes for the view. Times are those of the whole way there and back.
pub struct ClusterEngine {
    session: Session,
    address: String,
    /// Engines that workers have; they draw nothing here.
    engines: Vec<Box<dyn Engine>>,
    /// Times that it was told to forget.
    forgotten: usize,
}

impl ClusterEngine {
    pub const KEY: &'static str = "dask";

    /// Connects, and brings the renderer to the workers: no frame waits for that.
    ///
    /// # Errors
    /// As [`Session::connect`] and [`Session::draw`].
    pub fn connect(remote: &Remote, machine: &Machine, latest: &Latest) -> Result<Self, RemoteError> {
        let mut session = Session::connect(remote, latest)?;
        session.draw("", &[], latest, &mut |_, _| Ok(()), &mut |_| {})?;
        Ok(Self { session, address: remote.address.clone(), engines: all(machine), forgotten: 0 })
    }

    /// Worker processes and all of their threads.
    fn workers(&self) -> [u64; 2] {
        [self.session.seen().workers, self.session.seen().threads]
    }

    /// Tiles of one size that give each thread some work.
    fn cut(&self, size: [u32; 2]) -> Cut {
        let [_, threads] = self.workers();
        let pixels = f64::from(size[0]) * f64::from(size[1]);
        let side = (pixels / (TILES_OF_A_THREAD * threads.max(1) as f64)).sqrt();
        Cut::of(size, [(side.ceil() as u32).clamp(SIDES[0], SIDES[1]); 2])
    }
}

impl Engine for ClusterEngine {
    fn key(&self) -> &'static str {
        Self::KEY
    }

    fn about(&self) -> &'static str {
        "the same tiles on all machines of a Dask cluster"
    }

    fn describe(&self) -> String {
        let counted = |n: u64, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let [workers, threads] = self.workers();
        format!("f64, {}, {} at {}", counted(workers, "worker"), counted(threads, "thread"), self.address)
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        let lacks = |what, able| Err(Unsupported::Task { engine: Self::KEY, what, able });
        if job.task.escape_time().is_none() {
            return lacks("bifurcation diagrams and orbits in space", "naive, tiles, gpu");
        }
        if job.lattice != Lattice::FULL || job.channels != Channel::Iterations.needs() {
            return lacks("anything but counts of whole frames", "any other");
        }
        choose(&self.engines, job, false).map(drop)
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn forget(&mut self) {
        self.forgotten += 1;
    }

    fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        let start = Instant::now();
        let spec = spec_of(job, choose(&self.engines, job, false)?.key);
        // Workers keep what they prepared for the last frame, and a text with one more space is another.
        let text = format!("{}{}", spec.text(), " ".repeat(self.forgotten % 2));
        let cut = self.cut(spec.size());
        let tasks: Vec<_> = (0..cut.count()).map(|n| RemoteTask::Tile(cut.tile(n))).collect();
        let mut steps = 0;
        let mut on_reply = |n: usize, reply: Vec<u8>| {
            let tile = cut.tile(n);
            let numbers = tile::from_reply(&reply, tile)?;
            let samples: Vec<_> = numbers.chunks_exact(4).map(sample).collect();
            steps += samples.iter().map(|sample| sample.steps(job.max_iterations())).sum::<u64>();
            sink.put(tile, &samples);
            Ok(())
        };
        let failed =
            self.session.draw(&text, &tasks, latest, &mut on_reply, &mut |_| {}).map_err(|error| match error {
                RemoteError::Export(ExportError::Render(error)) => error,
                error => RenderError::Device(error.to_string()),
            })?;
        if let Some(failed) = failed.first() {
            return Err(RenderError::Device(failed.to_string()));
        }
        let [_, threads] = self.workers();
        Ok(Stats {
            compute: start.elapsed(),
            source: TimingSource::CpuClock,
            steps,
            threads: threads as usize,
            ..Stats::default()
        })
    }
}

/// The frame of a set's job, as counts by the engine of that key.
fn spec_of(job: &Job, engine: &str) -> Spec {
    let told = Location::of_job(job).complete(job, engine, 1);
    Spec::numbers(job, &told, Channel::Iterations).expect("sets have counts, and the job says all of its picture")
}

/// A count as `.npy` files have it: n, and 0 where none was found.
fn sample(number: &[u8]) -> Sample {
    let iterations = u32::from_le_bytes(number.try_into().expect("four bytes"));
    Sample { iterations, fraction: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::bench::{Scene, arguments};
    use crate::render::Shortcuts;

    #[test]
    fn workers_get_the_very_job() {
        let julia = "view = \"julia\", c = [\"-0.8\", \"0.156\"], rotation = 30.0";
        let shortcuts = Shortcuts { cycles: false, ..Shortcuts::ALL };
        for view in arguments(Scene::DEFAULT).into_iter().chain([julia]) {
            let job = Scene::open(view, Some([60, 40]), shortcuts).unwrap().job;
            assert_eq!(spec_of(&job, "tiles").job(), job, "{view}");
        }
    }
}
