//! Where engines put what they computed.

use std::sync::{Arc, Mutex};

use super::{DeviceField, Field, Sample, Tile};

/// Takes finished samples, from any thread, in any order.
pub trait Sink: Sync {
    /// Takes the samples of one tile, row by row.
    fn put(&self, tile: Tile, samples: &[Sample]);

    /// True where device fields are welcome. Elsewhere engines on a device read back and call [`Sink::put`].
    fn takes_device_fields(&self) -> bool {
        false
    }

    /// Takes a field that an engine fills on the device. May be called again as more of it is done.
    fn put_device(&self, _field: Arc<dyn DeviceField>) {}
}

/// Collects a whole field on the host.
pub struct HostSink(Mutex<Field>);

impl HostSink {
    pub fn new(size: [u32; 2]) -> Self {
        Self(Mutex::new(Field::missing(size)))
    }

    pub fn into_field(self) -> Field {
        self.0.into_inner().expect("no engine panics while it holds the field")
    }
}

impl Sink for HostSink {
    fn put(&self, tile: Tile, samples: &[Sample]) {
        self.0.lock().expect("no engine panics while it holds the field").put(tile, samples);
    }
}
