//! Shader modules without wgpu's run-time checks: the one unsafe call of the GPU code.
#![allow(unsafe_code)] // wgpu marks unchecked shaders unsafe; the reason why ours are sound is below.

/// Compiles a shader of ours without injected loop counters and index clamps.
///
/// At 640×360, all inside, a software device takes 0.55 ns a step instead of 0.65 ns with them; others
/// have seen a hundredfold (gfx-rs/wgpu#7698). `cargo test --release --test it measure -- --ignored
/// --nocapture` times both.
///
/// Only [`shader::module`](super::shader::module) calls this, and only with text from `shaders/`.
pub(super) fn shader_module(device: &wgpu::Device, descriptor: wgpu::ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    // SAFETY: the shaders of this program end every loop at a bound from their uniforms (tests/it/shaders.rs
    // finds no `loop` or `while` in them), compare each index with the sizes that their buffers were made
    // for before they use it, divide whole numbers by constants and periods from 1 on, and have no ray queries or mesh
    // stages.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
