//! The device: adapter, queue, shaders, buffers. No fractals and no windows here.

/// An open device with its queue; clones share it.
#[derive(Clone)]
pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub adapter: wgpu::AdapterInfo,
}

impl Gpu {
    /// True where the adapter is software: its timings say nothing about GPUs.
    pub fn is_software(&self) -> bool {
        self.adapter.device_type == wgpu::DeviceType::Cpu
    }
}
