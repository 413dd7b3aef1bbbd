//! Tiles in the making: where samples gather until a tile is whole.

use fearless_simd::prelude::*;

use super::work::{Steps, Work};
use crate::render::{Sample, Tile};

/// The tiles that one thread has begun. An id is the index of a sample in all of them.
#[derive(Default)]
pub struct Slots {
    samples: Vec<Sample>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Samples from row to row of a slot.
    pub stride: usize,
    /// log₂ of the samples from slot to slot.
    area_log2: u32,
    /// What tiles narrower than the stride, and mirrored ones, are packed in.
    packed: Vec<Sample>,
    mirrored: Vec<Sample>,
    steps: Steps,
}

#[derive(Clone, Copy)]
struct Slot {
    tile: Tile,
    /// Samples that are not known yet.
    pending: u32,
}

impl Slots {
    /// Begins a render with `count` slots for tiles of `columns` × `rows` samples.
    pub fn reset(&mut self, count: usize, columns: usize, rows: usize) {
        self.stride = columns;
        self.area_log2 = (columns * rows).next_power_of_two().ilog2();
        self.slots.clear();
        self.free = (0..count as u32).rev().collect();
        self.steps = Steps::default();
    }

    /// A slot for a tile, as the id of its first sample; `None` while all are in use.
    pub fn begin(&mut self, tile: Tile) -> Option<u32> {
        let slot = self.free.pop()?;
        if slot as usize >= self.slots.len() {
            self.slots.resize(slot as usize + 1, Slot { tile, pending: 0 });
            let samples = (slot as usize + 1) << self.area_log2;
            if self.samples.len() < samples {
                self.samples.resize(samples, Sample::INTERIOR);
            }
        }
        self.slots[slot as usize] = Slot { tile, pending: 0 };
        Some(slot << self.area_log2)
    }

    pub fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// Samples from an id on.
    pub fn samples_from(&mut self, id: u32) -> &mut [Sample] {
        &mut self.samples[id as usize..]
    }

    /// Says that `pending` samples of the tile at `first` are still to come.
    pub fn leave<S: Simd>(&mut self, simd: S, first: u32, pending: u32, work: &Work) {
        let slot = first >> self.area_log2;
        self.slots[slot as usize].pending = pending;
        if pending == 0 {
            self.flush(simd, slot, work);
        }
    }

    /// Takes a pending sample.
    #[inline(always)]
    pub fn finish<S: Simd>(&mut self, simd: S, id: u32, sample: Sample, work: &Work) {
        self.samples[id as usize] = sample;
        let slot = id >> self.area_log2;
        let pending = &mut self.slots[slot as usize].pending;
        *pending -= 1;
        if *pending == 0 {
            self.flush(simd, slot, work);
        }
    }

    /// Hands a whole tile to the sink, and its mirror image too.
    #[cold]
    fn flush<S: Simd>(&mut self, simd: S, slot: u32, work: &Work) {
        self.free.push(slot);
        let tile = self.slots[slot as usize].tile;
        let (width, height) = (tile.width as usize, tile.height as usize);
        let rows = &self.samples[(slot as usize) << self.area_log2..][..self.stride * height];
        let samples = if width == self.stride {
            rows
        } else {
            self.packed.clear();
            rows.chunks_exact(self.stride).for_each(|row| self.packed.extend_from_slice(&row[..width]));
            &self.packed
        };
        let cap = work.task.max_iterations;
        let (escaped, inside) = steps_to_escape(simd, samples);
        self.steps.defined += escaped + inside * u64::from(cap);
        // What was iterated without escaping is added where it ends.
        self.steps.done += escaped;
        work.sink.put(tile, samples);
        work.sink.end(tile);
        if let Some(image) = work.mirror.image_of_tile(tile) {
            work.sink.begin(image);
            work.mirror.copy_image(tile, samples, image, &mut self.mirrored);
            let (escaped, inside) = steps_to_escape(simd, &self.mirrored);
            self.steps.defined += escaped + inside * u64::from(cap);
            work.sink.put(image, &self.mirrored);
            work.sink.end(image);
        }
    }

    /// Steps of all tiles handed over.
    pub fn steps(&self) -> Steps {
        self.steps
    }
}

/// Steps of all points that escaped, and the number of those that did not.
fn steps_to_escape<S: Simd>(simd: S, samples: &[Sample]) -> (u64, u64) {
    simd.vectorize(
        #[inline(always)]
        || {
            let inside = samples.iter().map(|s| u64::from(s.iterations == 0)).sum();
            (samples.iter().map(|s| u64::from(s.iterations)).sum(), inside)
        },
    )
}
