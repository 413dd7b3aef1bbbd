//! Which engine `auto` takes, and why.

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
    let engine = |key: &str| engines.iter().find(|e| e.key() == key).expect("the built-in engines are always there");
    let (gpu, tiles) = (engine("gpu"), engine("tiles"));
    if hardware_gpu && gpu.supports(job).is_ok() {
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
