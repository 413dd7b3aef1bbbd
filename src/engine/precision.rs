//! Which arithmetic resolves which views.
//!
//! Counts go wrong decades before blocks appear, so the limits are set by error: at a seahorse
//! centre plain f32 orbits miss 11 % of counts at height 1e-2, plain f64 ones 12 % at 1e-10.

use crate::fractal::formula_orbit::FARTHEST as FARTHEST_C;
use crate::fractal::{FormulaId, MapId};
use crate::math::FloatExp;
use crate::render::{Job, Plane, Task, Unsupported};

/// log₂ of the finest pixel step that f32 draws.
pub const FINEST_F32: f64 = -20.0;
/// log₂ of the finest pixel step at which f64 counts are trusted.
pub const TRUSTED_F64: f64 = -30.0;
/// The same of Julia sets: about 0 a pixel's square is soon below the last place of c.
pub const TRUSTED_JULIA_F64: f64 = -24.0;
/// log₂ of the finest pixel step that f64 draws at all.
pub const FINEST_F64: f64 = Job::FINEST_IN_F64;

/// log₂ of the finest pixel step for deltas: one step of a reference takes 10 ms there, as long as a stale job may go on.
pub const FINEST_DELTAS: f64 = -262_144.0;
/// log₂ of the finest column or row of a diagram: what lies that near to a nucleus is within the range of f64.
pub const FINEST_DIAGRAM: f64 = -900.0;
/// log₂ of the coarsest pixel step for which orbits are followed as deltas: above it f64 is better in every way.
pub const COARSEST_DELTAS: f64 = -16.0;
/// The same of a diagram's columns and rows: before the roundings of f64 show.
pub const COARSEST_DIAGRAM: f64 = -44.0;

/// The arithmetic of an engine's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    F32,
    F64,
    /// Differences in f64 from one orbit in big numbers.
    Deltas,
    /// The same in f32, with exponents of their own.
    F32Deltas,
}

impl Precision {
    pub fn label(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Deltas => "f64 deltas",
            Self::F32Deltas => "f32 deltas",
        }
    }

    /// Whether samples have the digits of f32: enough for looking, not for files.
    pub fn is_single(self) -> bool {
        matches!(self, Self::F32 | Self::F32Deltas)
    }

    /// log₂ of the finest pixel step it draws.
    pub fn finest_log2(self) -> f64 {
        match self {
            Self::F32 => FINEST_F32,
            Self::F64 => FINEST_F64,
            Self::Deltas | Self::F32Deltas => FINEST_DELTAS,
        }
    }

    /// Refuses jobs whose pixels it cannot tell apart.
    ///
    /// # Errors
    /// [`Unsupported::TooDeep`], in the name of `engine`.
    pub fn resolves(self, job: &Job, engine: &'static str) -> Result<(), Unsupported> {
        let asked = job.viewport.finest_step();
        let depth = asked.log2();
        let deeper = Deeper::of(job);
        let finest =
            if (self, deeper) == (Self::Deltas, Deeper::Diagram) { FINEST_DIAGRAM } else { self.finest_log2() };
        if depth >= finest {
            return Ok(());
        }
        let finest = FloatExp::new(1.0, finest as i64);
        let remedy = self.remedy(depth, deeper);
        Err(Unsupported::TooDeep { engine, finest: format!("{finest:.1}"), asked: format!("{asked:.1}"), remedy })
    }

    /// What to do about pixels of 2^`depth`, which it does not tell apart. An engine is named only where there is one that
    /// draws them.
    fn remedy(self, depth: f64, deeper: Deeper) -> &'static str {
        match (self, deeper) {
            (Self::F32, _) if depth >= FINEST_F64 => "choose a CPU engine, or zoom out",
            (Self::F32 | Self::F64, Deeper::Deltas) if depth >= FINEST_DELTAS => "choose perturbation, or zoom out",
            (Self::F32 | Self::F64, Deeper::Diagram) if depth >= FINEST_DIAGRAM => "choose perturbation, or zoom out",
            (Self::F32 | Self::F64, Deeper::NoDeltaStep) => {
                "the formula's file has no delta step, so perturbation cannot go deeper either: zoom out"
            }
            (Self::F32 | Self::F64, Deeper::FarC) => {
                "perturbation goes deeper only for |c| up to 16: choose such a c, or zoom out"
            }
            (Self::F32 | Self::F64, Deeper::OtherDiagram) => {
                "deeper ones are drawn only of x² + c along the real axis: choose that, or zoom out"
            }
            _ => "no engine here draws finer ones: zoom out",
        }
    }
}

/// What there is below the pixels of f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deeper {
    /// Orbits can be followed as differences from one of them.
    Deltas,
    /// They could, if the formula said how.
    NoDeltaStep,
    /// A Julia set whose c is out of reach of fixed-point numbers.
    FarC,
    /// Columns of orbits about the nucleus of a window.
    Diagram,
    /// A diagram of another map, or of another line than the real axis.
    OtherDiagram,
    /// No samples of a plane.
    Nothing,
}

impl Deeper {
    pub fn of(job: &Job) -> Self {
        let task = match &job.task {
            Task::EscapeTime(task) => task,
            Task::OrbitDensity(task) if task.map == MapId::Quadratic => return Self::Diagram,
            Task::OrbitDensity(_) | Task::Section(_) => return Self::OtherDiagram,
            Task::Space(_) => return Self::Nothing,
        };
        match &task.plane {
            _ if !task.formula.is_followed() => Self::NoDeltaStep,
            Plane::Dynamical { c } if !(c.to_f64().norm() <= FARTHEST_C) => Self::FarC,
            Plane::Parameter | Plane::Dynamical { .. } => Self::Deltas,
        }
    }
}

/// Whether the job shows the Mandelbrot set of z² + c: orbits from 0, over the plane of c.
pub fn is_mandelbrot(job: &Job) -> bool {
    let task = job.task.escape_time();
    task.is_some_and(|task| task.formula == FormulaId::Quadratic && task.plane == Plane::Parameter)
}

/// Refuses jobs whose pixels are so coarse that orbits are better followed by themselves than as deltas.
///
/// # Errors
/// [`Unsupported::TooCoarse`], in the name of `engine`.
pub fn is_fine_enough(job: &Job, engine: &'static str) -> Result<(), Unsupported> {
    let coarsest = if job.task.orbit_density().is_some() { COARSEST_DIAGRAM } else { COARSEST_DELTAS };
    let step = job.viewport.finest_step();
    if step.log2() <= coarsest {
        return Ok(());
    }
    let coarsest = FloatExp::new(1.0, coarsest as i64);
    let [coarsest, asked] = [coarsest, step].map(|step| format!("{step:.1}"));
    Err(Unsupported::TooCoarse { engine, coarsest, asked })
}

/// Whether f64 can be wrong about this job's counts, though it tells its pixels apart.
pub fn is_beyond_trust(job: &Job) -> bool {
    let is_julia = job.task.escape_time().is_some_and(|task| task.plane != Plane::Parameter);
    job.viewport.finest_step().log2() < if is_julia { TRUSTED_JULIA_F64 } else { TRUSTED_F64 }
}

/// What to tell people about the accuracy of this job's counts in that arithmetic, if anything.
pub fn caution(job: &Job, precision: Precision) -> Option<String> {
    (precision == Precision::F64 && job.task.escape_time().is_some() && is_beyond_trust(job))
        .then(|| "f64 at its limit: some counts are rounding's, not the set's".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_are_engines_that_there_are() {
        // (arithmetic, log₂ of the step, what there is below f64, what to do)
        for (precision, depth, deeper, words) in [
            (Precision::F32, -30.0, Deeper::NoDeltaStep, "choose a CPU engine"),
            (Precision::F32, -60.0, Deeper::Deltas, "choose perturbation"),
            (Precision::F64, -60.0, Deeper::Deltas, "choose perturbation"),
            (Precision::F64, -60.0, Deeper::NoDeltaStep, "the formula's file has no delta step"),
            (Precision::F64, -60.0, Deeper::FarC, "only for |c| up to 16"),
            (Precision::F64, -60.0, Deeper::Diagram, "choose perturbation"),
            (Precision::F64, -1000.0, Deeper::Diagram, "no engine here draws finer ones"),
            (Precision::F64, -60.0, Deeper::OtherDiagram, "only of x² + c along the real axis"),
            (Precision::F64, -60.0, Deeper::Nothing, "no engine here draws finer ones"),
            (Precision::F64, -1e6, Deeper::Deltas, "no engine here draws finer ones"),
            (Precision::Deltas, -1e6, Deeper::Deltas, "no engine here draws finer ones"),
        ] {
            let remedy = precision.remedy(depth, deeper);
            assert!(remedy.contains(words), "{precision:?} at 2^{depth}, {deeper:?}: {remedy}");
        }
    }
}
