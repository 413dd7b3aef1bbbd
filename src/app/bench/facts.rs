//! The machine under the figures: without its name they mean nothing.

use fearless_simd::Level;

use super::peak;
use crate::engine::{Machine, kernel};

/// What the times were taken on.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    pub processor: String,
    /// Operating system and architecture: `linux x86_64`.
    pub system: String,
    /// Threads that engines may use.
    pub threads: usize,
    /// Vectors and instruction set: `f64 × 8 (AVX-512)`.
    pub simd: String,
    pub adapter: Adapter,
    pub bound: Bound,
}

/// The graphics adapter.
#[derive(Clone, Debug, PartialEq)]
pub enum Adapter {
    /// In use, with the driver's name for it.
    Used { label: String, software: bool },
    /// Why there is none.
    None(String),
}

/// What one thread could do at most, if it did nothing but the definition's steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Measured: operations on single numbers a second, three of four fused, as in a step.
    pub operations_per_second: f64,
    /// k: the kernel tests for escape once in so many steps.
    pub steps_between_tests: usize,
}

impl Facts {
    pub fn of(machine: &Machine) -> Self {
        let level = Level::new();
        let adapter = match &machine.gpu {
            Ok(gpu) => Adapter::Used { label: gpu.label(), software: gpu.is_software() },
            Err(reason) => Adapter::None(reason.clone()),
        };
        Self {
            processor: processor(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            threads: machine.threads(),
            simd: kernel::describe(level),
            adapter,
            bound: Bound { operations_per_second: 0.0, steps_between_tests: kernel::steps_between_tests(level) },
        }
    }
}

impl Adapter {
    pub fn label(&self) -> String {
        match self {
            Self::Used { label, .. } => label.clone(),
            Self::None(reason) => format!("none ({reason})"),
        }
    }

    pub fn is_software(&self) -> bool {
        matches!(self, Self::Used { software: true, .. })
    }
}

impl Bound {
    /// Measures the core once more, and keeps the best: the clock rises and others come and go.
    pub fn measure(&mut self) {
        self.operations_per_second = self.operations_per_second.max(peak::operations_per_second(Level::new()));
    }

    /// A step is four operations, a test three more.
    pub fn steps_per_second(&self) -> f64 {
        self.operations_per_second / (4.0 + 3.0 / self.steps_between_tests as f64)
    }
}

/// The processor's name as its maker writes it, or the architecture where the system does not tell.
fn processor() -> String {
    let told = match std::env::consts::OS {
        "linux" => std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_name(&text)),
        "macos" => {
            let asked = std::process::Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output();
            asked.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        "windows" => std::env::var("PROCESSOR_IDENTIFIER").ok(),
        _ => None,
    };
    told.filter(|name| !name.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// The first model name in a Linux `cpuinfo`.
fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
