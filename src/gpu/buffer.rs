//! Storage buffers: made with checks, read back in pieces.

use std::ops::Range;
use std::sync::mpsc;

use super::device::PATIENCE;
use super::{Gpu, GpuError};

/// Bytes that one read-back copies at a time, so that the copy takes no more memory than that.
const READ_CHUNK: u64 = 32 << 20;

/// A buffer that shaders read and write, of `size` bytes, for `usage` beside that.
///
/// # Errors
/// [`GpuError::TooLarge`] past the device's limits, [`GpuError::OutOfMemory`] past its memory.
pub fn storage_buffer(
    gpu: &Gpu,
    what: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    let limits = gpu.device.limits();
    let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    if size > limit {
        return Err(GpuError::TooLarge { what, needed: size, limit });
    }
    gpu.checked(what, |device| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: size.max(4).next_multiple_of(4),
            usage: wgpu::BufferUsages::STORAGE | usage,
            mapped_at_creation: false,
        })
    })
}

/// Copies bytes of a buffer to the host, and hands them over piece by piece, in order.
///
/// # Errors
/// [`GpuError`] when the device is gone or out of memory.
pub fn read_buffer(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    range: Range<u64>,
    mut take: impl FnMut(&[u8]),
) -> Result<(), GpuError> {
    let mut start = range.start;
    while start < range.end {
        let len = READ_CHUNK.min(range.end - start);
        let staging = gpu.checked("a read-back", |device| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read-back"),
                size: len,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        })?;
        let submission = gpu.checked("a read-back", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, start, &staging, 0, len);
            gpu.queue.submit([encoder.finish()])
        })?;
        map_and_read(gpu, &staging, submission, |bytes| take(bytes))?;
        start += len;
    }
    Ok(())
}

/// Waits for a submission, then shows the host what it wrote into `staging`, a buffer that can be mapped.
///
/// # Errors
/// [`GpuError`] when the device is gone.
pub fn map_and_read<T>(
    gpu: &Gpu,
    staging: &wgpu::Buffer,
    submission: wgpu::SubmissionIndex,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, GpuError> {
    let (sender, mapped) = mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
    gpu.wait(submission)?;
    let lost = || GpuError::Lost(gpu.is_lost().unwrap_or_else(|| "its memory cannot be read".into()));
    // Another thread that polls the device may have taken our callback, and be about to run it.
    let result = mapped.recv_timeout(PATIENCE).map_err(|_| lost())?;
    result.map_err(|_| lost())?;
    let view = staging.get_mapped_range(..).map_err(|_| lost())?;
    let result = read(&view);
    drop(view);
    staging.unmap();
    Ok(result)
}

/// A uniform buffer with that content, from the next submission on.
pub fn uniform_buffer(gpu: &Gpu, content: &[u8]) -> wgpu::Buffer {
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: content.len() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    // Not mapped at creation, for that has no answer but a panic where the device is lost.
    gpu.queue.write_buffer(&buffer, 0, content);
    buffer
}
