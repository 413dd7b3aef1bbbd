//! Submissions that answer: work on the device, what it counted, and how long it took.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::gpu::{Gpu, GpuError, PassClock, STAMPS_LEN, map_and_read, storage_buffer};

/// How long a submission took.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// By the device's clock, where it can be believed.
    pub stamped: Option<Duration>,
    /// By the host's, from submission to answer.
    pub fenced: Duration,
}

impl Took {
    /// How long the device was held, as far as that is known.
    pub fn held(&self) -> Duration {
        self.stamped.unwrap_or(self.fenced)
    }
}

/// Counters of a shader: zero when a submission begins, with the host when it ends.
pub struct Tally {
    counters: wgpu::Buffer,
    /// The counters and the time stamps, where the host can read them.
    answer: wgpu::Buffer,
}

impl Tally {
    /// Of that many bytes.
    pub fn new(gpu: &Gpu, len: u64) -> Result<Self, GpuError> {
        let copied = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let counters = storage_buffer(gpu, "the tally", len, copied)?;
        let answer = gpu.checked("the tally", |device| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("answer"),
                size: stamps_at(len).end,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        })?;
        Ok(Self { counters, answer })
    }

    /// For the bind group of the shader.
    pub fn counters(&self) -> &wgpu::Buffer {
        &self.counters
    }

    /// Submits a compute pass, and waits for it: what `read` makes of the counters, and the time.
    pub fn run<T>(
        &self,
        gpu: &Gpu,
        clock: Option<&PassClock>,
        record: impl FnOnce(&mut wgpu::ComputePass<'_>),
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<(T, Took), GpuError> {
        let len = self.counters.size();
        let start = Instant::now();
        let submission = gpu.checked("a slice", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.counters, 0, None);
            let timestamp_writes = clock.map(PassClock::writes);
            let descriptor = wgpu::ComputePassDescriptor { label: Some("a slice"), timestamp_writes };
            record(&mut encoder.begin_compute_pass(&descriptor));
            encoder.copy_buffer_to_buffer(&self.counters, 0, &self.answer, 0, len);
            if let Some(clock) = clock {
                clock.resolve_into(&mut encoder, &self.answer, stamps_at(len).start);
            }
            gpu.queue.submit([encoder.finish()])
        })?;
        map_and_read(gpu, &self.answer, submission, |answer| {
            let fenced = start.elapsed();
            let stamps = stamps_at(len).start as usize;
            let stamps = [long(answer, stamps), long(answer, stamps + 8)];
            let stamped = clock.and_then(|clock| clock.elapsed(stamps, fenced));
            (read(&answer[..len as usize]), Took { stamped, fenced })
        })
    }
}

/// The 32 bits at a place of an answer.
pub fn word(answer: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| answer[at + k]))
}

/// The 64 bits at a place of an answer, the low word first.
pub fn long(answer: &[u8], at: usize) -> u64 {
    u64::from(word(answer, at)) | u64::from(word(answer, at + 4)) << 32
}

/// Where the time stamps lie behind counters of that many bytes.
fn stamps_at(len: u64) -> Range<u64> {
    let start = len.next_multiple_of(8);
    start..start + STAMPS_LEN
}
