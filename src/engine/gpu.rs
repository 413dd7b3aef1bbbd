//! The GPU: a compute pass in f32, into storage that the colour pass reads.

use super::{Engine, Precision};
use crate::gpu::Gpu;
use crate::render::{Job, Latest, RenderError, Sink, Stats, Unsupported};

/// A WGSL compute pass on the device.
pub struct GpuEngine {
    gpu: Result<Gpu, String>,
}

impl GpuEngine {
    pub fn new(gpu: Result<Gpu, String>) -> Self {
        Self { gpu }
    }
}

impl Engine for GpuEngine {
    fn key(&self) -> &'static str {
        "gpu"
    }

    fn about(&self) -> &'static str {
        "the GPU: every pixel a thread, in f32"
    }

    fn describe(&self) -> String {
        "f32".into()
    }

    fn precision(&self) -> Precision {
        Precision::F32
    }

    fn supports(&self, job: &Job) -> Result<(), Unsupported> {
        if let Err(reason) = &self.gpu {
            return Err(Unsupported::NoDevice { engine: self.key(), reason: reason.clone() });
        }
        self.precision().resolves(job, self.key())
    }

    fn render(&mut self, job: &Job, _latest: &Latest, _sink: &dyn Sink) -> Result<Stats, RenderError> {
        self.supports(job)?;
        Err(RenderError::Device("not built yet".into()))
    }
}
