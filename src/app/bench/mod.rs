//! The bench: engines, and other people's programs, on the same views in the same run.
//!
//! [`Bench`] says who and what; [`Bench::run`] measures and yields a [`Report`], which is plain data:
//! [`Report::to_text`], [`Report::to_markdown`] and [`Report::to_json`] write it, [`chart`] draws it.
//! Times are compute times, as everywhere in the program; counts are compared with the definition's.

pub mod chart;
mod contestant;
mod external;
mod facts;
mod json;
mod peak;
mod report;
mod rounds;
mod scene;
mod table;

pub use contestant::{CHECKED_GPU, Contestant};
pub use external::External;
pub use facts::{Adapter, Bound, Facts};
pub use report::{Differing, Ratio, Report, Row, ViewReport, Work};
pub use scene::{Scene, arguments};

use crate::engine::Machine;
use crate::render::Latest;

/// Who is to be measured, on what, and how often.
pub struct Bench {
    pub machine: Machine,
    pub scenes: Vec<Scene>,
    pub contestants: Vec<Contestant>,
    pub repetitions: u32,
    /// Longest frame: a slower engine runs on fewer pixels, and its time is scaled.
    pub cap_seconds: f64,
    /// What the scenes' jobs allow, as it was asked for.
    pub shortcuts: String,
}

/// What is going on.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub view: &'a str,
    pub contestant: &'a str,
    pub what: &'static str,
}

impl Bench {
    /// Calls of `progress` in a whole run.
    pub fn stages(&self) -> usize {
        self.scenes.len() * (1 + self.contestants.len() * (1 + self.repetitions as usize))
    }

    /// Measures everything. Once `latest` is stale it ends within moments, and the report says that it is not complete.
    pub fn run(mut self, latest: &Latest, mut progress: impl FnMut(Progress)) -> Report {
        let mut report = Report {
            facts: Facts::of(&self.machine),
            size: self.scenes.first().map_or([0, 0], |scene| scene.job.viewport.size()),
            repetitions: self.repetitions,
            shortcuts: self.shortcuts.clone(),
            views: Vec::new(),
            complete: true,
        };
        for index in 0..self.scenes.len() {
            report.facts.bound.measure();
            let mut view = self.empty_view(index);
            let measured = rounds::measure(&mut self, index, &mut view, latest, &mut progress);
            report.views.push(view);
            if measured.is_err() {
                report.complete = false;
                break;
            }
        }
        report
    }

    fn empty_view(&self, index: usize) -> ViewReport {
        let Scene { key, title, job } = &self.scenes[index];
        ViewReport {
            key: key.clone(),
            title: title.clone(),
            size: job.viewport.size(),
            max_iterations: job.max_iterations(),
            work: None,
            rows: Vec::new(),
        }
    }
}
