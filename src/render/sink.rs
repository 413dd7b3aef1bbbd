//! Where engines put what they computed.

use std::sync::{Arc, Mutex};

use super::{DeviceDiagram, DeviceExposure, DeviceField, Exposure, Field, Sample, Slope, Strip, Tile};

/// Work that no sample comes of yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    /// What is being made: `reference`, `table`.
    pub what: &'static str,
    /// How much of it is there, 0 to 1, where that can be told.
    pub share: Option<f32>,
}

impl std::fmt::Display for Preparation {
    /// `reference 41 %`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.share {
            Some(share) => write!(f, "{} {:.0} %", self.what, share * 100.0),
            None => f.write_str(self.what),
        }
    }
}

/// Takes finished samples, from any thread, in any order.
pub trait Sink: Sync {
    /// Takes the samples of one tile, row by row.
    fn put(&self, tile: Tile, samples: &[Sample]);

    /// Hears that an engine begins a tile, on the thread that computes it, or before a submission to a device. For those who
    /// watch: nobody has to be told.
    fn begin(&self, _tile: Tile) {}

    /// Hears that all of a tile was handed over, or that the submission is done.
    fn end(&self, _tile: Tile) {}

    /// Takes a tile whose samples are all the same.
    fn fill(&self, tile: Tile, sample: Sample) {
        self.put(tile, &vec![sample; tile.area()]);
    }

    /// Takes the slopes of one tile, row by row, ahead of its samples. They come where the job asks for them; without them a
    /// tile's are those of the inside.
    fn put_slopes(&self, _tile: Tile, _slopes: &[Slope]) {}

    /// Hears what an engine does before its first sample, and how far it has come.
    fn preparing(&self, _: Preparation) {}

    /// Adds what a job's orbits leave in some columns of a diagram. Each column comes once a job.
    fn put_strip(&self, _strip: &Strip) {}

    /// Takes the whole light of a scene in space, once a job.
    fn put_exposure(&self, _exposure: Exposure) {}

    /// True where fields, diagrams and exposures on a device are welcome. Elsewhere engines there read back, and call
    /// [`Sink::put`], [`Sink::put_strip`] or [`Sink::put_exposure`].
    fn takes_device_fields(&self) -> bool {
        false
    }

    /// Takes a field that an engine fills on the device. May be called again as more of it is done.
    fn put_device(&self, _field: Arc<dyn DeviceField>) {}

    /// Adds what a job's orbits leave in all columns of a diagram, on the device. Comes once a job, at its end.
    fn put_device_diagram(&self, _diagram: Arc<dyn DeviceDiagram>) {}

    /// Takes the whole light of a scene in space, on the device, once a job.
    fn put_device_exposure(&self, _exposure: Arc<dyn DeviceExposure>) {}
}

/// Lets samples go, and hears of nothing.
pub struct Unheard;

impl Sink for Unheard {
    fn put(&self, _: Tile, _: &[Sample]) {}
}

/// Fills a field on the host. Threads write side by side: they wait for each other only within a band of rows.
pub struct HostSink<'a> {
    samples: Plane<'a, Sample>,
    slopes: Option<Plane<'a, Slope>>,
}

impl<'a> HostSink<'a> {
    pub fn new(field: &'a mut Field) -> Self {
        let width = field.size()[0] as usize;
        let (samples, slopes) = field.planes_mut();
        Self { samples: Plane::new(samples, width), slopes: slopes.map(|slopes| Plane::new(slopes, width)) }
    }
}

impl Sink for HostSink<'_> {
    fn put(&self, tile: Tile, samples: &[Sample]) {
        self.samples.put(tile, samples);
    }

    fn fill(&self, tile: Tile, sample: Sample) {
        self.samples.for_each_row(tile, |_, to| to.fill(sample));
    }

    fn put_slopes(&self, tile: Tile, slopes: &[Slope]) {
        if let Some(plane) = &self.slopes {
            plane.put(tile, slopes);
        }
    }
}

/// One value a pixel.
struct Plane<'a, T> {
    width: usize,
    /// [`Plane::ROWS`] whole rows each, from the top down.
    bands: Vec<Mutex<&'a mut [T]>>,
}

impl<'a, T: Copy> Plane<'a, T> {
    /// Rows of a band: a tile takes few locks, and seldom one that another tile holds.
    const ROWS: usize = 16;

    fn new(values: &'a mut [T], width: usize) -> Self {
        Self { width, bands: values.chunks_mut((Self::ROWS * width).max(1)).map(Mutex::new).collect() }
    }

    fn put(&self, tile: Tile, values: &[T]) {
        debug_assert_eq!(values.len(), tile.area());
        let width = tile.width as usize;
        self.for_each_row(tile, |row, to| to.copy_from_slice(&values[row * width..][..width]));
    }

    /// Calls `write` with the place of each row of a tile, and its number in the tile.
    fn for_each_row(&self, tile: Tile, mut write: impl FnMut(usize, &mut [T])) {
        let (top, end) = (tile.y as usize, (tile.y + tile.height) as usize);
        for band in top / Self::ROWS..end.div_ceil(Self::ROWS) {
            let first = band * Self::ROWS;
            let mut values = self.bands[band].lock().expect("nothing panics while it holds a band");
            for y in top.max(first)..end.min(first + Self::ROWS) {
                let start = (y - first) * self.width + tile.x as usize;
                write(y - top, &mut values[start..][..tile.width as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_of_any_rows_come_to_their_place() {
        let sample = |iterations| Sample { iterations, fraction: 0.5 };
        // A tile within a band, across two, across all, and of the last row.
        for (y, height) in [(3, 4), (14, 4), (0, 40), (39, 1)] {
            let tile = Tile { x: 1, y, width: 2, height };
            let samples: Vec<_> = (0..2 * height).map(sample).collect();
            let [mut by_field, mut by_sink] = [(); 2].map(|()| Field::missing([4, 40]));
            by_field.put(tile, &samples);
            HostSink::new(&mut by_sink).put(tile, &samples);
            assert_eq!(by_sink, by_field, "{tile:?}");
            assert_eq!([by_sink.row(y)[1], by_sink.row(y)[3]], [sample(0), Sample::MISSING]);

            by_field.fill(tile, sample(7));
            HostSink::new(&mut by_sink).fill(tile, sample(7));
            assert_eq!(by_sink, by_field, "{tile:?}");
        }
    }
}
