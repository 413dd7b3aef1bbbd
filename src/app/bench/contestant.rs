//! Who takes part: our engines, and other people's programs.

use super::external::{External, ExternalError};
use crate::engine::{Engine, GpuEngine, Machine, Precision, all};
use crate::gpu::shader::Checks;
use crate::render::{Field, HostSink, Job, Latest, Phases, RenderError, TimingSource};

/// Name of the GPU engine with the checks that drivers get by default: what they cost shows beside `gpu`.
pub const CHECKED_GPU: &str = "gpu-checked";

/// One row of every table.
pub struct Contestant {
    pub name: String,
    runner: Runner,
}

enum Runner {
    Engine(Box<dyn Engine>),
    External(External),
}

/// One frame.
pub struct Frame {
    pub seconds: f64,
    pub source: TimingSource,
    /// Steps really executed, where that is known.
    pub steps_done: Option<u64>,
    /// Threads that worked, where that is known; 0 on a device.
    pub threads: Option<usize>,
    pub phases: Phases,
    pub counts: Option<Field>,
}

/// Why there is no frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    Cancelled,
    Failed(String),
}

impl Contestant {
    pub fn engine(engine: Box<dyn Engine>) -> Self {
        Self { name: engine.key().into(), runner: Runner::Engine(engine) }
    }

    pub fn external(external: External) -> Self {
        Self { name: external.name().into(), runner: Runner::External(external) }
    }

    /// Every engine of a machine, plainest first.
    pub fn all(machine: &Machine) -> Vec<Self> {
        let mut all: Vec<_> = all(machine).into_iter().map(Self::engine).collect();
        let checked = Box::new(GpuEngine::with_checks(machine.gpu.clone(), Checks::Full));
        all.push(Self { name: CHECKED_GPU.into(), runner: Runner::Engine(checked) });
        all
    }

    pub fn is_external(&self) -> bool {
        matches!(self.runner, Runner::External(_))
    }

    /// True where it draws whole frames alone, however long that takes.
    pub fn is_whole(&self) -> bool {
        match &self.runner {
            Runner::Engine(engine) => engine.is_remote(),
            Runner::External(_) => true,
        }
    }

    /// Arithmetic, vectors, threads or device; nothing is known of other people's programs.
    pub fn describe(&self) -> String {
        match &self.runner {
            Runner::Engine(engine) if self.name == CHECKED_GPU => format!("{}, checks on", engine.describe()),
            Runner::Engine(engine) => engine.describe(),
            Runner::External(_) => "external".into(),
        }
    }

    pub fn precision(&self) -> Option<Precision> {
        match &self.runner {
            Runner::Engine(engine) => Some(engine.precision()),
            Runner::External(_) => None,
        }
    }

    /// Why it cannot do a job, if it cannot.
    pub fn lacks(&self, job: &Job) -> Option<String> {
        match &self.runner {
            Runner::Engine(engine) => engine.supports(job).err().map(|lacks| lacks.to_string()),
            Runner::External(external) => external.lacks(job),
        }
    }

    /// Draws one frame, from nothing that was kept of the one before.
    ///
    /// # Errors
    /// `Stopped` says whether it was given up or failed.
    pub fn run(&mut self, job: &Job, latest: &Latest) -> Result<Frame, Stopped> {
        match &mut self.runner {
            Runner::Engine(engine) => run_engine(engine.as_mut(), job, latest),
            Runner::External(external) => run_external(external, job, latest),
        }
    }
}

fn run_engine(engine: &mut dyn Engine, job: &Job, latest: &Latest) -> Result<Frame, Stopped> {
    engine.forget();
    let mut field = Field::missing(job.size());
    let stats = engine.render(job, latest, &HostSink::new(&mut field)).map_err(|error| match error {
        RenderError::Cancelled => Stopped::Cancelled,
        error => Stopped::Failed(error.to_string()),
    })?;
    Ok(Frame {
        // A clock's tick is the least that can be told apart.
        seconds: stats.compute.as_secs_f64().max(1e-9),
        source: stats.source,
        steps_done: (!engine.is_remote()).then_some(stats.steps_done),
        threads: Some(stats.threads),
        phases: stats.phases,
        counts: Some(field),
    })
}

fn run_external(external: &External, job: &Job, latest: &Latest) -> Result<Frame, Stopped> {
    let frame = external.run(job, latest).map_err(|error| match error {
        ExternalError::Cancelled => Stopped::Cancelled,
        error => Stopped::Failed(error.to_string()),
    })?;
    Ok(Frame {
        seconds: frame.seconds,
        source: TimingSource::CpuClock,
        steps_done: None,
        threads: None,
        phases: Phases::default(),
        counts: frame.counts,
    })
}
