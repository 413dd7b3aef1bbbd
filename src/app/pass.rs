//! One pass over a view while it is being drawn: filled by an engine, shown by the window.
//!
//! Samples come tile by tile, from engines that fill the pass themselves. Diagrams come in rounds: what a few orbits of
//! every column leave is added as a whole, for a part of a round would be a part of a picture.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::gpu::{DiagramBuffer, SampleBuffer};
use crate::render::{
    DeviceExposure, DeviceField, Diagram, Exposure, Field, Job, Preparation, Sample, Sink, Span, Tile,
};

/// Rows are handed to the window in bands of this many.
const BAND: u32 = 32;

/// A job and the samples it has so far, shared between an engine and the window.
pub struct Pass {
    pub job: Job,
    /// Engine at work.
    pub engine: &'static str,
    host: Mutex<Host>,
    /// What is there of a diagram.
    diagram: Mutex<Diagram>,
    /// The same on the device, where the engine works there.
    device_diagram: Mutex<Option<Arc<DiagramBuffer>>>,
    /// That of a scene in space, until the window takes it.
    light: Mutex<Option<Light>>,
    device: Mutex<Option<Arc<dyn DeviceField>>>,
    takes_device_fields: bool,
    /// What the engine does before its first sample.
    preparation: Mutex<Option<Preparation>>,
    done: AtomicUsize,
    version: AtomicUsize,
    /// The drawing thread will take samples from here.
    is_held: AtomicBool,
    wake: Wake,
}

/// Keeps the samples of a pass where the drawing thread can take them, as long as this lives.
pub struct Held(Arc<Pass>);

/// Called from any thread when there is something new to show.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The light of a scene in space.
pub enum Light {
    Host(Exposure),
    Device(Arc<dyn DeviceExposure>),
}

struct Host {
    field: Field,
    /// Bands of rows with samples that the window has not taken yet.
    fresh: Vec<bool>,
}

impl Pass {
    pub fn new(job: Job, engine: &'static str, takes_device_fields: bool, wake: Wake) -> Self {
        let size = job.size();
        let samples = if job.task.escape_time().is_some() { size } else { [0, 0] };
        let host = Host { field: Field::missing(samples), fresh: vec![false; samples[1].div_ceil(BAND) as usize] };
        let diagram = if job.orbits().is_some() { Diagram::blank(&job) } else { Diagram::empty([0, 0]) };
        Self {
            job,
            engine,
            host: Mutex::new(host),
            diagram: Mutex::new(diagram),
            device_diagram: Mutex::new(None),
            light: Mutex::new(None),
            device: Mutex::new(None),
            takes_device_fields,
            preparation: Mutex::new(None),
            done: AtomicUsize::new(0),
            version: AtomicUsize::new(0),
            is_held: AtomicBool::new(false),
            wake,
        }
    }

    /// Share of the samples, or of the orbits, that have arrived, 0 to 1.
    pub fn progress(&self) -> f32 {
        let [width, height] = self.job.size();
        if let Some(orbits) = self.job.orbits() {
            return self.done.load(Ordering::Relaxed) as f32 / orbits.len() as f32;
        }
        (self.done.load(Ordering::Relaxed) as f32 / (width as f32 * height as f32)).min(1.0)
    }

    /// What the engine does instead of samples, while it does.
    pub fn preparation(&self) -> Option<Preparation> {
        *self.preparation.lock().expect("no engine panics while it holds the pass")
    }

    /// Rises whenever samples arrive.
    pub fn version(&self) -> usize {
        self.version.load(Ordering::Acquire)
    }

    /// Writes so many samples of the host's field, all of them in some rows, and says so. An engine that began on the device
    /// goes on here, with what is there.
    fn write(&self, rows: std::ops::Range<u32>, samples: usize, write: impl FnOnce(&mut Field)) {
        let device = self.device.lock().expect("no engine panics while it holds the pass").take();
        let begun = device.and_then(|field| field.read_back().ok());
        {
            let mut host = self.host.lock().expect("no engine panics while it holds the pass");
            if let Some(begun) = begun {
                host.field = begun;
                host.fresh.fill(true);
            }
            write(&mut host.field);
            for band in rows.start / BAND..rows.end.div_ceil(BAND) {
                host.fresh[band as usize] = true;
            }
        }
        self.done.fetch_add(samples, Ordering::Relaxed);
        self.arrived();
    }

    /// Writes samples (row by row) to the places of some columns and rows.
    pub fn spread(&self, columns: Span, rows: Span, samples: &[Sample]) {
        if let Some(last) = rows.pixels().last().filter(|_| !samples.is_empty()) {
            self.write(rows.first..last + 1, samples.len(), |field| field.spread(columns, rows, samples));
        }
    }

    /// Says that all of it is there.
    pub fn complete(&self) {
        let [width, height] = self.job.size().map(|count| count as usize);
        self.done.store(self.job.orbits().map_or(width * height, |orbits| orbits.len()), Ordering::Relaxed);
        self.arrived();
    }

    /// The columns and rows of the picture that the samples lie on.
    pub fn spans(&self) -> [Span; 2] {
        let [width, height] = self.job.viewport.size();
        [self.job.lattice.columns(width), self.job.lattice.rows(height)]
    }

    /// Keeps the samples where the drawing thread can take them, until what this gives is dropped.
    pub fn held(self: &Arc<Self>) -> Held {
        self.is_held.store(true, Ordering::Release);
        Held(self.clone())
    }

    /// The samples of some columns and rows of the host's field, row by row.
    pub fn gathered(&self, columns: Span, rows: Span) -> Vec<Sample> {
        let host = self.host.lock().expect("no engine panics while it holds the pass");
        host.field.gathered(columns, rows)
    }

    fn arrived(&self) {
        self.no_preparation();
        self.version.fetch_add(1, Ordering::Release);
        (self.wake)();
    }

    /// There is something to see, or something else is done.
    pub fn no_preparation(&self) {
        *self.preparation.lock().expect("no engine panics while it holds the pass") = None;
    }

    /// Adds what a round of orbits left.
    pub fn add_round(&self, round: &Diagram) {
        self.diagram().add(round);
        self.done.fetch_add(round.orbits() as usize, Ordering::Relaxed);
        self.arrived();
    }

    /// Says that a round of so many orbits was added to `sum`, which holds all rounds of this pass.
    pub fn added_on_device(&self, sum: &Arc<DiagramBuffer>, orbits: usize) {
        *self.device_diagram.lock().expect("no engine panics while it holds the pass") = Some(sum.clone());
        self.done.fetch_add(orbits, Ordering::Relaxed);
        self.arrived();
    }

    /// The diagram on the device, where the engine works there.
    pub fn device_diagram(&self) -> Option<Arc<DiagramBuffer>> {
        self.device_diagram.lock().expect("no engine panics while it holds the pass").clone()
    }

    /// What is there of a diagram. The engine waits while it is held.
    pub fn diagram(&self) -> MutexGuard<'_, Diagram> {
        self.diagram.lock().expect("no engine panics while it holds the pass")
    }

    fn put_light(&self, light: Light) {
        *self.light.lock().expect("no engine panics while it holds the pass") = Some(light);
        let [width, height] = self.job.size();
        self.done.store(width as usize * height as usize, Ordering::Relaxed);
        self.arrived();
    }

    /// Hands over the light of a scene in space, once it is there, for good: the window keeps it on the device.
    pub fn take_light(&self) -> Option<Light> {
        self.light.lock().expect("no engine panics while it holds the pass").take()
    }

    /// Hands over the rows that changed since the last call: first row, and whole rows of samples.
    pub fn take_fresh_rows(&self, mut take: impl FnMut(u32, &[Sample])) {
        let mut host = self.host.lock().expect("no engine panics while it holds the pass");
        let [width, height] = host.field.size();
        let bands = host.fresh.len() as u32;
        let mut band = 0;
        while band < bands {
            let start = band;
            while band < bands && std::mem::take(&mut host.fresh[band as usize]) {
                band += 1;
            }
            if band > start {
                let rows = start * BAND..(band * BAND).min(height);
                let range = rows.start as usize * width as usize..rows.end as usize * width as usize;
                take(rows.start, &host.field.samples()[range]);
            }
            band = band.max(start + 1);
        }
    }

    /// Lets go of the host's samples, where the window has its own copy of a finished pass and nobody else needs them.
    pub fn release_rows(&self) {
        if self.progress() < 1.0 || self.is_held.load(Ordering::Acquire) {
            return;
        }
        let mut host = self.host.lock().expect("no engine panics while it holds the pass");
        *host = Host { field: Field::missing([0, 0]), fresh: Vec::new() };
    }

    /// The field on the device, where the engine works there.
    pub fn device_field(&self) -> Option<Arc<dyn DeviceField>> {
        self.device.lock().expect("no engine panics while it holds the pass").clone()
    }

    /// The field on the device that the window draws with.
    pub fn device_samples(&self) -> Option<Arc<SampleBuffer>> {
        self.device_field()?.as_any().downcast().ok()
    }

    /// The samples on the host: copied from the device if that is where they are.
    ///
    /// # Errors
    /// As [`DeviceField::read_back`].
    pub fn samples(&self) -> Result<Field, crate::render::RenderError> {
        match self.device_field() {
            Some(field) => field.read_back(),
            None => Ok(self.host.lock().expect("no engine panics while it holds the pass").field.clone()),
        }
    }
}

impl std::ops::Deref for Held {
    type Target = Arc<Pass>;

    fn deref(&self) -> &Arc<Pass> {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.is_held.store(false, Ordering::Release);
    }
}

impl Sink for Pass {
    fn preparing(&self, preparation: Preparation) {
        *self.preparation.lock().expect("no engine panics while it holds the pass") = Some(preparation);
        (self.wake)();
    }

    fn put(&self, tile: Tile, samples: &[Sample]) {
        self.write(tile.y..tile.y + tile.height, tile.area(), |field| field.put(tile, samples));
    }

    fn fill(&self, tile: Tile, sample: Sample) {
        self.write(tile.y..tile.y + tile.height, tile.area(), |field| field.fill(tile, sample));
    }

    fn takes_device_fields(&self) -> bool {
        self.takes_device_fields
    }

    fn put_device(&self, field: Arc<dyn DeviceField>) {
        *self.device.lock().expect("no engine panics while it holds the pass") = Some(field);
        self.arrived();
    }

    fn put_exposure(&self, exposure: Exposure) {
        self.put_light(Light::Host(exposure));
    }

    fn put_device_exposure(&self, exposure: Arc<dyn DeviceExposure>) {
        self.put_light(Light::Device(exposure));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Channels, Lattice, Quality, Shortcuts};
    use crate::view::{Mandelbrot, View as _};

    #[test]
    fn each_changed_band_is_handed_over_once() {
        let view = Mandelbrot::at_home([40, 100]);
        let job = Job {
            viewport: view.viewport().clone(),
            lattice: Lattice::FULL,
            task: view.task(),
            channels: Channels::default(),
            quality: Quality::Exact,
            shortcuts: Shortcuts::ALL,
            focus: [0.0; 2],
        };
        let pass = Pass::new(job, "naive", false, Arc::new(|| {}));
        let taken = |pass: &Pass| {
            let mut rows = Vec::new();
            pass.take_fresh_rows(|y, samples| rows.push((y, samples.len() / 40)));
            rows
        };
        assert!(taken(&pass).is_empty());
        pass.put(Tile { x: 8, y: 30, width: 4, height: 4 }, &[Sample::INTERIOR; 16]);
        pass.put(Tile { x: 0, y: 96, width: 1, height: 4 }, &[Sample::INTERIOR; 4]);
        assert_eq!(taken(&pass), [(0, 64), (96, 4)]);
        assert!(taken(&pass).is_empty());
    }
}
