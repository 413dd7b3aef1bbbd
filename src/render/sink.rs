//! Where engines put what they computed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{DeviceField, Exposure, Field, Sample, Strip, Tile};

/// Takes finished samples, from any thread, in any order.
pub trait Sink: Sync {
    /// Takes the samples of one tile, row by row.
    fn put(&self, tile: Tile, samples: &[Sample]);

    /// Adds what a job's orbits leave in some columns of a diagram. Each column comes once a job.
    fn put_strip(&self, _strip: &Strip) {}

    /// Takes the whole light of a scene in space, once a job.
    fn put_exposure(&self, _exposure: Exposure) {}

    /// True where device fields are welcome. Elsewhere engines on a device read back and call [`Sink::put`].
    fn takes_device_fields(&self) -> bool {
        false
    }

    /// Takes a field that an engine fills on the device. May be called again as more of it is done.
    fn put_device(&self, _field: Arc<dyn DeviceField>) {}
}

/// Collects a whole field on the host. Threads write their tiles side by side, without a lock.
pub struct HostSink {
    size: [u32; 2],
    /// One sample each: a tile is nobody else's, so relaxed stores are enough.
    cells: Vec<AtomicU64>,
}

impl HostSink {
    pub fn new(size: [u32; 2]) -> Self {
        let missing: u64 = bytemuck::cast(Sample::MISSING);
        let cells = size[0] as usize * size[1] as usize;
        Self { size, cells: (0..cells).map(|_| AtomicU64::new(missing)).collect() }
    }

    pub fn into_field(self) -> Field {
        let samples = self.cells.into_iter().map(|cell| bytemuck::cast(cell.into_inner()));
        Field::from_samples(self.size, samples.collect())
    }
}

impl Sink for HostSink {
    fn put(&self, tile: Tile, samples: &[Sample]) {
        debug_assert_eq!(samples.len(), tile.area());
        for (row, samples) in samples.chunks_exact(tile.width as usize).enumerate() {
            let start = (tile.y as usize + row) * self.size[0] as usize + tile.x as usize;
            for (cell, sample) in self.cells[start..start + samples.len()].iter().zip(samples) {
                cell.store(bytemuck::cast(*sample), Ordering::Relaxed);
            }
        }
    }
}
