//! Points on the device: uploaded once, for all cameras.

use crate::engine::space::{CloudPoint, Orbits, Part};
use crate::gpu::{Gpu, storage_buffer};
use crate::render::{Latest, RenderError};

/// Points of a buffer: 16 MiB, which any device binds.
const CHUNK: usize = 1 << 20;

/// The points of a scene, layer by layer.
#[derive(Default)]
pub struct Points(Vec<Layer>);

/// Points of one kind of orbits. Any number of the first ones of a cloud never change.
struct Layer {
    kind: Orbits,
    /// Of [`CHUNK`] points each.
    chunks: Vec<wgpu::Buffer>,
    /// Points that are there.
    count: usize,
}

/// Some points of a layer, in one buffer from its beginning.
pub struct Stretch<'a> {
    pub buffer: &'a wgpu::Buffer,
    pub count: u32,
    /// Number of the first one in its layer.
    pub number: u32,
}

impl Points {
    /// Uploads what is lacking of the parts, and drops layers that are not among them.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale; what is there stays valid. [`RenderError::Device`] where
    /// the device is gone or has no room.
    pub fn update(&mut self, gpu: &Gpu, parts: &[Part<'_>], latest: &Latest) -> Result<(), RenderError> {
        self.0.retain(|layer| parts.iter().any(|part| part.kind == layer.kind));
        for part in parts {
            if self.layer(part.kind).is_none() {
                self.0.push(Layer { kind: part.kind, chunks: Vec::new(), count: 0 });
            }
            let layer = self.0.iter_mut().find(|layer| layer.kind == part.kind).expect("it was made just now");
            layer.upload(gpu, part.points, latest)?;
        }
        Ok(())
    }

    /// The stretches of a part that has been uploaded, in order.
    pub fn of(&self, part: &Part<'_>) -> impl Iterator<Item = Stretch<'_>> {
        let count = part.points.len();
        let chunks = self.layer(part.kind).map_or(&[][..], |layer| &layer.chunks);
        let firsts = (0..count).step_by(CHUNK);
        chunks.iter().zip(firsts).map(move |(buffer, first)| Stretch {
            buffer,
            count: CHUNK.min(count - first) as u32,
            number: first as u32,
        })
    }

    fn layer(&self, kind: Orbits) -> Option<&Layer> {
        self.0.iter().find(|layer| layer.kind == kind)
    }
}

impl Layer {
    /// Uploads those of the points that are not there yet.
    fn upload(&mut self, gpu: &Gpu, points: &[CloudPoint], latest: &Latest) -> Result<(), RenderError> {
        while self.count < points.len() {
            if latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
            let (chunk, first) = (self.count / CHUNK, self.count % CHUNK);
            if chunk == self.chunks.len() {
                let len = (CHUNK * size_of::<CloudPoint>()) as u64;
                self.chunks.push(storage_buffer(gpu, "the points", len, wgpu::BufferUsages::COPY_DST)?);
            }
            let end = ((chunk + 1) * CHUNK).min(points.len());
            let bytes: &[u8] = bytemuck::cast_slice(&points[self.count..end]);
            let place = (first * size_of::<CloudPoint>()) as u64;
            gpu.checked("an upload", |_| gpu.queue.write_buffer(&self.chunks[chunk], place, bytes))?;
            self.count = end;
        }
        Ok(())
    }
}
