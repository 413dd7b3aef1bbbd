//! The device's own clock: time stamps around a pass, believed only where they can be true.

use std::time::Duration;

use super::Gpu;

/// What a test says that the driver stamped, from what it did: zeros, a clock that runs backwards.
pub type Stamps = fn([u64; 2]) -> [u64; 2];

/// Bytes of one pair of time stamps.
pub const STAMPS_LEN: u64 = 16;

/// Time stamps at the beginning and end of a pass.
pub struct PassClock {
    queries: wgpu::QuerySet,
    /// Where stamps are resolved to; copy them on to where the host can read.
    resolved: wgpu::Buffer,
    period_ns: f32,
    stand_in: Option<Stamps>,
}

impl PassClock {
    /// A clock for one pass at a time; none where the device has no time stamps that mean anything.
    ///
    /// A software device stamps when a pass is handed to its threads, not when they are done: seen
    /// here as 0.04 ms for a million pixels.
    pub fn new(gpu: &Gpu) -> Option<Self> {
        let means_nothing = gpu.is_software() && gpu.stamps.is_none();
        if means_nothing || !gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            return None;
        }
        let made = gpu.checked("a clock", |device| Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("pass clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("time stamps"),
                size: STAMPS_LEN,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            period_ns: gpu.queue.get_timestamp_period(),
            stand_in: gpu.stamps,
        });
        made.ok()
    }

    /// For the descriptor of the pass to be timed.
    pub fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Copies the stamps of the pass before into 16 bytes of `target`, at `offset`.
    pub fn resolve_into(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, target, offset, STAMPS_LEN);
    }

    /// The time between two stamps, if they can be true of a pass that took `fenced` on the host's clock.
    pub fn elapsed(&self, stamps: [u64; 2], fenced: Duration) -> Option<Duration> {
        elapsed(self.stand_in.map_or(stamps, |stand_in| stand_in(stamps)), self.period_ns, fenced)
    }
}

/// The time between two stamps of `period_ns` nanoseconds a tick, or `None` where they cannot be true.
///
/// Some drivers write zeros, or a clock that runs backwards. A pass also cannot take longer than
/// `fenced`, the host's time from before its submission until after its end.
pub fn elapsed([begin, end]: [u64; 2], period_ns: f32, fenced: Duration) -> Option<Duration> {
    let written = begin != 0 && end != 0;
    let ticks = end.checked_sub(begin).filter(|&ticks| written && ticks > 0)?;
    let nanos = ticks as f64 * f64::from(period_ns);
    (nanos > 0.0 && nanos <= fenced.as_nanos() as f64).then(|| Duration::from_nanos(nanos as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stamps_that_can_be_true_are_believed() {
        let fenced = Duration::from_millis(10);
        // (stamps, nanoseconds a tick, expected nanoseconds, why)
        for (stamps, period, expected, why) in [
            ([1_000, 5_001_000], 1.0, Some(5_000_000), "5 ms inside of 10"),
            ([1_000, 121_000], 41.666, Some(4_999_920), "ticks of 24 MHz"),
            ([0, 0], 1.0, None, "zeros: never written"),
            ([0, 5_000_000], 1.0, None, "begin never written"),
            ([5_000_000, 0], 1.0, None, "end never written"),
            ([7, 7], 1.0, None, "no time at all"),
            ([5_000_000, 4_000_000], 1.0, None, "backwards"),
            ([1, 10_000_002], 1.0, None, "longer than the host waited"),
            ([1, u64::MAX], 1.0, None, "absurd"),
            ([1, 5_000_000], 0.0, None, "ticks of no length"),
            ([1, 5_000_000], f32::NAN, None, "ticks of unknown length"),
        ] {
            assert_eq!(elapsed(stamps, period, fenced), expected.map(Duration::from_nanos), "{why}");
        }
    }
}
