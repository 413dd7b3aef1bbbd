//! What an engine says when it is done, or why it is not.

use std::time::Duration;

use crate::fractal::reference::Reference;

/// Figures of one finished render.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Time spent on the samples themselves: no start-up, upload, colour or read-back.
    pub compute: Duration,
    pub source: TimingSource,
    /// Steps of the definition: n, or the cap where a point never escaped.
    pub steps: u64,
    /// Steps really executed; fewer with shortcuts, more with roll-back.
    pub steps_done: u64,
    /// Threads that worked; 0 on a device.
    pub threads: usize,
    /// The orbit in big numbers that the samples were followed beside, where there was one.
    pub reference: Option<ReferenceFigures>,
    /// Where the compute time went, for engines that prepare before they draw.
    pub phases: Phases,
    /// What the engine did beside computing.
    pub beside: Beside,
    /// Why the engine let another one do the work, where it did.
    pub handed_over: Option<&'static str>,
    /// Most samples at once that the device had room for, where it had none for as many as were asked for.
    pub room: Option<u64>,
}

/// Parts of a compute time: what is done once for a view, and the samples. All zero where an engine prepares nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// The orbit in big numbers; zero where it was there from a job before.
    pub reference: Duration,
    /// The table of steps to skip, likewise.
    pub table: Duration,
    pub pixels: Duration,
}

impl Phases {
    /// Names and milliseconds, one after the other; none where an engine prepares nothing.
    pub fn millis(self) -> Option<[(&'static str, f64); 3]> {
        let Self { reference, table, pixels } = self;
        let named = [("reference", reference), ("table", table), ("pixels", pixels)];
        (self != Self::default()).then(|| named.map(|(name, took)| (name, took.as_secs_f64() * 1e3)))
    }

    /// What does not grow with the number of samples.
    pub fn preparation(self) -> Duration {
        self.reference + self.table
    }

    fn and(self, later: Self) -> Self {
        Self {
            reference: self.reference + later.reference,
            table: self.table + later.table,
            pixels: self.pixels + later.pixels,
        }
    }
}

/// What an engine does for a picture that is no part of its compute time. All zero where nothing of it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Compiling shaders, which happens once a program.
    pub compile: Duration,
    /// Bringing the job to the device.
    pub upload: Duration,
    /// Bringing samples back from it.
    pub read_back: Duration,
}

impl Beside {
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            compile: self.compile + later.compile,
            upload: self.upload + later.upload,
            read_back: self.read_back + later.read_back,
        }
    }
}

impl Stats {
    /// Figures of two renders, one after the other: their sum, as the later one was measured.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            compute: self.compute + later.compute,
            steps: self.steps + later.steps,
            steps_done: self.steps_done + later.steps_done,
            phases: self.phases.and(later.phases),
            beside: self.beside.and(later.beside),
            room: self.room.into_iter().chain(later.room).min(),
            ..later
        }
    }
}

/// What is to be told of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceFigures {
    pub steps: u32,
    /// Bits after the point.
    pub bits: u32,
    /// Memory that all references and tables kept for views take, in bytes.
    pub bytes: u64,
    /// True where it ends before the cap only because memory is bounded: points that stay beside it count as inside.
    pub is_cut: bool,
}

impl ReferenceFigures {
    /// What to tell people where it ends before the cap.
    pub fn caution(&self, max_iterations: u32) -> Option<String> {
        let all = f64::from(max_iterations) * Reference::BYTES_PER_STEP as f64 / 1e9;
        self.is_cut.then(|| {
            format!(
                "the reference ends after {} of {max_iterations} iterations, for all would take {all:.1} GB; points that stay \
                 beside it to its end count as inside",
                self.steps
            )
        })
    }
}

/// What clock a time was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimingSource {
    #[default]
    CpuClock,
    /// Time stamps written by the device itself.
    GpuTimestamps,
    /// The host's clock around a fence, where time stamps are missing or absurd.
    FencedClock,
}

impl TimingSource {
    pub fn label(self) -> &'static str {
        match self {
            Self::CpuClock => "CPU clock",
            Self::GpuTimestamps => "GPU time stamps",
            Self::FencedClock => "fenced clock",
        }
    }

    /// The same in a word, for a column.
    pub fn word(self) -> &'static str {
        match self {
            Self::CpuClock => "CPU",
            Self::GpuTimestamps => "stamps",
            Self::FencedClock => "fence",
        }
    }
}

/// What an engine lacks for a job: a value to show, and a reason to choose another engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unsupported {
    #[error("{engine} draws pixels no finer than {finest}, this view asks for {asked}; {remedy}")]
    TooDeep { engine: &'static str, finest: String, asked: String, remedy: &'static str },
    #[error("{engine} draws pixels no finer than {finest}, this view asks for {asked}: {cost}; zoom out")]
    TooCostly { engine: &'static str, finest: String, asked: String, cost: String },
    #[error("{engine} draws pixels no coarser than {coarsest}, this view asks for {asked}; choose tiles, or zoom in")]
    TooCoarse { engine: &'static str, coarsest: String, asked: String },
    #[error(
        "{engine} finds neither a nucleus nor an attracting cycle to draw this diagram about; move a little, or zoom out"
    )]
    NothingToFollow { engine: &'static str },
    #[error("{engine} has no device to run on: {reason}; choose a CPU engine")]
    NoDevice { engine: &'static str, reason: String },
    #[error(
        "{engine} needs {needed} bytes in one buffer where the device allows {limit}; choose a smaller size or a CPU engine"
    )]
    TooLarge { engine: &'static str, needed: u64, limit: u64 },
    #[error("{engine} draws no {what}; choose one of: {able}")]
    Task { engine: &'static str, what: &'static str, able: &'static str },
}

/// Why a render did not finish.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    #[error("a newer job took over")]
    Cancelled,
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    #[error("the engine failed; this is a bug in it, please report it with the location (key C copies it)")]
    Bug,
    #[error("the device failed: {0}")]
    Device(String),
    /// Of fewer samples at once there may be.
    #[error("{0}")]
    NoRoom(String),
}

impl RenderError {
    /// What failed, where it was the device: an engine of the processor may do.
    pub fn of_device(&self) -> Option<&str> {
        match self {
            Self::Device(reason) | Self::NoRoom(reason) => Some(reason),
            Self::Cancelled | Self::Unsupported(_) | Self::Bug => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_that_memory_ends_says_so() {
        let figures = ReferenceFigures { steps: 1 << 24, bits: 192, bytes: 600_000_000, is_cut: true };
        let told = figures.caution(2_000_000_000).unwrap();
        assert!(told.contains("after 16777216 of 2000000000 iterations") && told.contains("32.0 GB"), "{told}");
        assert_eq!(ReferenceFigures { is_cut: false, ..figures }.caution(5), None);
    }
}
