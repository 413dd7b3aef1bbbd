//! Which engine `auto` takes, and why.

use super::precision::{Deeper, is_beyond_trust};
use super::{Engine, Precision};
use crate::render::{Job, Unsupported};

/// The engine picked for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub key: &'static str,
    /// Shown to people beside the engine's name.
    pub why: &'static str,
}

/// Picks by hardware and by the precision that the view needs.
///
/// `hardware_gpu` says that the adapter is a real GPU and may be used.
///
/// # Errors
/// What the most capable engine lacks, where none can do the job.
pub fn choose(engines: &[Box<dyn Engine>], job: &Job, hardware_gpu: bool) -> Result<Choice, Unsupported> {
    let find = |key: &str| engines.iter().find(|e| e.key() == key);
    let engine = |key: &str| find(key).expect("the built-in CPU engines are always there");
    let [tiles, perturbation] = ["tiles", "perturbation"].map(engine);
    let is_able = |key| hardware_gpu && find(key).is_some_and(|engine| engine.supports(job).is_ok());
    if is_able("gpu-perturbation") && !is_able("gpu") {
        return Ok(Choice { key: "gpu-perturbation", why: "this view is too deep for f32 alone" });
    }
    let is_too_deep = match Deeper::of(job) {
        Deeper::Deltas => is_beyond_trust(job),
        Deeper::Diagram => job.is_deep_diagram(),
        _ => false,
    };
    if is_too_deep {
        perturbation.supports(job)?;
        return Ok(Choice { key: "perturbation", why: "this view is too deep for f64" });
    }
    if is_able("gpu") {
        return Ok(Choice { key: "gpu", why: "f32 is enough for this view" });
    }
    tiles.supports(job)?;
    let why = match hardware_gpu {
        _ if Precision::F32.resolves(job, "gpu").is_err() => "this view needs f64",
        true => "the GPU cannot do this view",
        false => "no hardware GPU is in use",
    };
    Ok(Choice { key: "tiles", why })
}
