//! Which arithmetic resolves which views.
//!
//! Counts go wrong decades before blocks appear, so the limits are set by error: at a seahorse
//! centre plain f32 orbits miss 11 % of counts at height 1e-2, plain f64 ones 12 % at 1e-10.

use crate::math::FloatExp;
use crate::render::{Job, Unsupported};

/// log₂ of the finest pixel step that f32 draws.
pub const FINEST_F32: f64 = -20.0;
/// log₂ of the finest pixel step at which f64 counts are trusted.
pub const TRUSTED_F64: f64 = -30.0;
/// log₂ of the finest pixel step that f64 draws at all: four units in the last place of |c| ≈ 2.
pub const FINEST_F64: f64 = -50.0;

/// The arithmetic of an engine's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    F32,
    F64,
}

impl Precision {
    pub fn label(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// log₂ of the finest pixel step it draws.
    pub fn finest_log2(self) -> f64 {
        match self {
            Self::F32 => FINEST_F32,
            Self::F64 => FINEST_F64,
        }
    }

    /// Refuses jobs whose pixels it cannot tell apart.
    ///
    /// # Errors
    /// [`Unsupported::TooDeep`], in the name of `engine`.
    pub fn resolves(self, job: &Job, engine: &'static str) -> Result<(), Unsupported> {
        let asked = job.viewport.finest_step();
        if asked.log2() >= self.finest_log2() {
            return Ok(());
        }
        let finest = FloatExp::new(1.0, self.finest_log2() as i64);
        // An engine is named only where there is one that draws this.
        let remedy = match self {
            Self::F32 if asked.log2() >= FINEST_F64 => "choose a CPU engine, or zoom out",
            _ => "no engine here draws finer ones: zoom out",
        };
        Err(Unsupported::TooDeep { engine, finest: format!("{finest:.1}"), asked: format!("{asked:.1}"), remedy })
    }
}

/// What to tell people about the accuracy of f64 counts in this job, if anything.
pub fn caution(job: &Job) -> Option<String> {
    let step = job.viewport.finest_step().log2();
    (FINEST_F64..TRUSTED_F64)
        .contains(&step)
        .then(|| "f64 at its limit: some counts are rounding's, not the set's".into())
}
