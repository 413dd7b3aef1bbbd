//! Opening the device, waiting for it, and knowing when it is gone.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::GpuError;
use super::clock::Stamps;
use super::error::one_line;

/// Longest time that the device may be silent: far past any slice of work that we submit.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// An open device with its queue; clones share it.
#[derive(Clone)]
pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub adapter: wgpu::AdapterInfo,
    handle: wgpu::Adapter,
    health: Arc<Health>,
    /// In place of the device's time stamps.
    pub(super) stamps: Option<Stamps>,
}

/// What the driver told us outside of any call.
#[derive(Default)]
struct Health {
    lost: Mutex<Option<String>>,
    error: Mutex<Option<String>>,
}

impl Gpu {
    /// Opens a device without a window, from the variables WGPU_BACKEND and WGPU_ADAPTER_NAME where they are set.
    ///
    /// # Errors
    /// [`GpuError`] where no driver answers.
    pub fn headless() -> Result<Self, GpuError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        Self::open(&instance, None)
    }

    /// Opens the device that can draw to a window's surface.
    ///
    /// # Errors
    /// [`GpuError`] where no driver can.
    pub fn for_surface(instance: &wgpu::Instance, surface: &wgpu::Surface<'_>) -> Result<Self, GpuError> {
        Self::open(instance, Some(surface))
    }

    fn open(instance: &wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self, GpuError> {
        let handle = pollster::block_on(choose_adapter(instance, surface))?;
        let adapter = handle.get_info();
        // All that the adapter has: default limits refuse large windows and large fields.
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("cardioid"),
            required_features: handle.features() & wgpu::Features::TIMESTAMP_QUERY,
            required_limits: handle.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(handle.request_device(&descriptor))
            .map_err(|e| GpuError::NoDevice { adapter: adapter.name.clone(), reason: one_line(&e.to_string()) })?;
        let health = Health::watching(&device);
        Ok(Self { device, queue, adapter, handle, health, stamps: None })
    }

    /// The adapter itself, which a window asks about its surface.
    pub fn handle(&self) -> &wgpu::Adapter {
        &self.handle
    }

    /// The same device, whose time stamps are what `stamps` says: for tests of drivers that are not here.
    #[must_use]
    pub fn with_stamps(self, stamps: Stamps) -> Self {
        Self { stamps: Some(stamps), ..self }
    }

    /// True where the adapter is software: its timings say nothing about GPUs.
    pub fn is_software(&self) -> bool {
        is_software(&self.adapter)
    }

    /// Adapter and driver for people, the one name that is shown anywhere: `Apple M2 (metal)`,
    /// `software GPU: llvmpipe (vulkan)`.
    pub fn label(&self) -> String {
        label(&self.adapter)
    }

    /// Why the device is gone, if it is. Nothing more can be had from it then.
    pub fn is_lost(&self) -> Option<String> {
        lock(&self.health.lost).clone()
    }

    /// Takes the last error that the driver reported outside of any of our checks.
    pub fn take_error(&self) -> Option<String> {
        lock(&self.health.error).take()
    }

    /// Runs `make`, and returns the error that the driver reports meanwhile in place of its result.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Refused`] or [`GpuError::Lost`].
    pub fn checked<T>(&self, what: &'static str, make: impl FnOnce(&wgpu::Device) -> T) -> Result<T, GpuError> {
        if let Some(reason) = self.is_lost() {
            return Err(GpuError::Lost(reason));
        }
        let filters = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let made = make(&self.device);
        let errors: Vec<_> = scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop())).collect();
        match errors.first() {
            None => Ok(made),
            Some(error) => {
                // A lost device refuses whatever it is asked next; the loss itself, told by a poll, says more.
                self.device.poll(wgpu::PollType::Poll).ok();
                Err(self.is_lost().map_or_else(|| GpuError::reported(what, error), GpuError::Lost))
            }
        }
    }

    /// Waits until a submission is done.
    ///
    /// # Errors
    /// [`GpuError::Lost`], or [`GpuError::Silent`] where the device takes absurdly long.
    pub fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), GpuError> {
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(PATIENCE) };
        let polled = self.device.poll(wait);
        match (self.is_lost(), polled) {
            (Some(reason), _) => Err(GpuError::Lost(reason)),
            (None, Ok(_)) => Ok(()),
            (None, Err(_)) => Err(GpuError::Silent(PATIENCE)),
        }
    }
}

impl Health {
    /// Listens to a device. An error that nobody asked for is kept, for by default it would end the program.
    fn watching(device: &wgpu::Device) -> Arc<Self> {
        let health = Arc::new(Self::default());
        let listener = health.clone();
        device.set_device_lost_callback(move |reason, message| {
            let message = one_line(&message);
            let text = if message.is_empty() { format!("{reason:?}") } else { message };
            lock(&listener.lost).get_or_insert(text);
        });
        let listener = health.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            *lock(&listener.error) = Some(one_line(&error.to_string()));
        }));
        health
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gpu").field(&self.label()).finish()
    }
}

/// Names of adapters that are programs, whatever kind their drivers give.
const SOFTWARE: [&str; 5] = ["llvmpipe", "lavapipe", "swiftshader", "softpipe", "basic render"];

fn is_software(adapter: &wgpu::AdapterInfo) -> bool {
    let name = adapter.name.to_lowercase();
    adapter.device_type == wgpu::DeviceType::Cpu || SOFTWARE.iter().any(|known| name.contains(known))
}

/// What is said first is never cut: that a device is software.
fn label(adapter: &wgpu::AdapterInfo) -> String {
    let software = if is_software(adapter) { "software GPU: " } else { "" };
    // "llvmpipe (LLVM 15.0.6, 256 bits)" says more than fits.
    let name = adapter.name.split(" (").next().unwrap_or_default();
    format!("{software}{name} ({})", adapter.backend)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The adapter that WGPU_ADAPTER_NAME names, else the most powerful one.
async fn choose_adapter(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<wgpu::Adapter, GpuError> {
    let Some(wanted) = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty()) else {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::from_env().unwrap_or(wgpu::PowerPreference::HighPerformance),
            compatible_surface: surface,
            ..Default::default()
        };
        let found = instance.request_adapter(&options).await;
        return found.map_err(|e| GpuError::NoAdapter(one_line(&e.to_string())));
    };
    // wgpu's own helper panics where no adapter has the name.
    let mut usable = instance.enumerate_adapters(wgpu::Backends::all()).await;
    usable.retain(|adapter| surface.is_none_or(|surface| adapter.is_surface_supported(surface)));
    let names: Vec<_> = usable.iter().map(|adapter| adapter.get_info().name).collect();
    match names.iter().position(|name| name.to_lowercase().contains(&wanted.to_lowercase())) {
        Some(index) => Ok(usable.swap_remove(index)),
        None => Err(GpuError::NoSuchAdapter { wanted, found: names.join(", ") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_is_known_by_its_kind_or_its_name_and_says_so_first() {
        use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other};
        for (name, kind, expected) in [
            ("llvmpipe (LLVM 15.0.6, 256 bits)", Cpu, "software GPU: llvmpipe (vulkan)"),
            ("llvmpipe (LLVM 15.0.6, 256 bits)", Other, "software GPU: llvmpipe (vulkan)"),
            ("Microsoft Basic Render Driver", Other, "software GPU: Microsoft Basic Render Driver (vulkan)"),
            ("SwiftShader Device (Subzero)", Cpu, "software GPU: SwiftShader Device (vulkan)"),
            ("Apple M2", IntegratedGpu, "Apple M2 (vulkan)"),
            ("NVIDIA H200", DiscreteGpu, "NVIDIA H200 (vulkan)"),
        ] {
            let mut adapter = wgpu::AdapterInfo::new(kind, wgpu::Backend::Vulkan);
            adapter.name = name.into();
            assert_eq!(label(&adapter), expected);
        }
    }
}
