//! A whole picture's samples, on the host or on a device.

use std::any::Any;
use std::sync::Arc;

use super::{Diagram, Job, RenderError, Sample, Slope, Span, Tile};

/// The samples of a job, row by row, top row first, and their slopes where it asks for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    size: [u32; 2],
    samples: Vec<Sample>,
    slopes: Option<Vec<Slope>>,
}

/// A field that lives on a device. The colour pass reads it there; the host asks only when it must.
pub trait DeviceField: Any + Send + Sync {
    /// Width and height in samples.
    fn size(&self) -> [u32; 2];
    /// Copies the samples to the host: for export and comparison, never for the live picture.
    ///
    /// # Errors
    /// [`RenderError::Device`] when the device is gone.
    fn read_back(&self) -> Result<Field, RenderError>;
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// A diagram that lives on a device.
pub trait DeviceDiagram: Any + Send + Sync {
    /// Width and height in pixels.
    fn size(&self) -> [u32; 2];
    /// Copies the layers to the host: for export and comparison, never for the live picture.
    ///
    /// # Errors
    /// [`RenderError::Device`] when the device is gone.
    fn read_back(&self) -> Result<Diagram, RenderError>;
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl Field {
    /// A field of samples alone, in which nothing is computed yet.
    pub fn missing(size: [u32; 2]) -> Self {
        Self::from_samples(size, vec![Sample::MISSING; size[0] as usize * size[1] as usize])
    }

    /// A field with room for all that a job asks for, in which nothing is computed yet.
    pub fn of_job(job: &Job) -> Self {
        let field = Self::missing(job.size());
        if job.channels.distance { field.with_slopes() } else { field }
    }

    /// The same with room for slopes.
    #[must_use]
    pub fn with_slopes(self) -> Self {
        Self { slopes: Some(vec![Slope::INTERIOR; self.samples.len()]), ..self }
    }

    /// Wraps finished samples; `samples.len()` must be width × height.
    pub fn from_samples(size: [u32; 2], samples: Vec<Sample>) -> Self {
        assert_eq!(samples.len(), size[0] as usize * size[1] as usize);
        Self { size, samples, slopes: None }
    }

    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The slopes of all samples, where there is room for them.
    pub fn slopes(&self) -> Option<&[Slope]> {
        self.slopes.as_deref()
    }

    /// All samples and slopes, to be written.
    pub(super) fn planes_mut(&mut self) -> (&mut [Sample], Option<&mut [Slope]>) {
        (&mut self.samples, self.slopes.as_deref_mut())
    }

    pub fn row(&self, y: u32) -> &[Sample] {
        let width = self.size[0] as usize;
        &self.samples[y as usize * width..][..width]
    }

    /// Copies a tile's samples (row by row) to their place.
    pub fn put(&mut self, tile: Tile, samples: &[Sample]) {
        debug_assert_eq!(samples.len(), tile.area());
        for (to, from) in self.rows_of(tile).zip(samples.chunks_exact(tile.width as usize)) {
            to.copy_from_slice(from);
        }
    }

    /// Gives all of a tile's samples one value.
    pub fn fill(&mut self, tile: Tile, sample: Sample) {
        self.rows_of(tile).for_each(|row| row.fill(sample));
    }

    /// Copies samples (row by row) to the places of some columns and rows.
    pub fn spread(&mut self, columns: Span, rows: Span, samples: &[Sample]) {
        debug_assert_eq!(samples.len(), columns.count as usize * rows.count as usize);
        let width = self.size[0] as usize;
        for (row, from) in rows.pixels().zip(samples.chunks_exact(columns.count.max(1) as usize)) {
            let to = self.samples[row as usize * width + columns.first as usize..].iter_mut();
            to.step_by(columns.stride as usize).zip(from).for_each(|(to, from)| *to = *from);
        }
    }

    /// The samples of some columns and rows, row by row.
    pub fn gathered(&self, columns: Span, rows: Span) -> Vec<Sample> {
        let row = |row: u32| &self.samples[row as usize * self.size[0] as usize..][..self.size[0] as usize];
        rows.pixels().flat_map(|y| columns.pixels().map(move |x| row(y)[x as usize])).collect()
    }

    /// The places of a tile's rows, from the top down.
    fn rows_of(&mut self, tile: Tile) -> impl Iterator<Item = &mut [Sample]> {
        let (width, x) = (self.size[0] as usize, tile.x as usize);
        let rows = self.samples.chunks_exact_mut(width).skip(tile.y as usize).take(tile.height as usize);
        rows.map(move |row| &mut row[x..x + tile.width as usize])
    }

    /// Steps of the definition over the whole field.
    pub fn steps(&self, max_iterations: u32) -> u64 {
        self.samples.iter().map(|s| s.steps(max_iterations)).sum()
    }

    /// Number of samples whose counts differ, and the largest difference (caps count as the cap).
    pub fn differing_counts(&self, other: &Self, max_iterations: u32) -> (usize, u64) {
        let pairs = self.samples.iter().zip(&other.samples);
        let differences = pairs.filter(|(a, b)| a.iterations != b.iterations);
        differences.fold((0, 0), |(count, largest), (a, b)| {
            (count + 1, largest.max(a.steps(max_iterations).abs_diff(b.steps(max_iterations))))
        })
    }
}
