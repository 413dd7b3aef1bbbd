//! Subframes added up on the device: a layer above the settled picture.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Canvas, Look, Shown};
use crate::app::{Drawing, Pass, Subframes};
use crate::color::{Average, AveragePass};
use crate::gpu::{Filter, Gpu, GpuError, Quad};
use crate::render::Viewport;

/// The averages of the settled pictures on the canvas.
pub(super) struct Averages {
    pass: AveragePass,
    by_settled: HashMap<*const Pass, OfSubframes>,
}

/// The average of some subframes of one settled picture.
struct OfSubframes {
    id: u64,
    /// Keeps the address that it is found by from being used again.
    settled: Arc<Pass>,
    average: Average,
}

impl Averages {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { pass: AveragePass::new(gpu)?, by_settled: HashMap::new() })
    }
}

impl Canvas {
    /// Adds the subframes that are new, after the film is up to date; without any that device has room for, gives them up.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost.
    pub fn antialias(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        drawings: &[(&Drawing, Look)],
    ) -> Result<(), GpuError> {
        let subframes = drawings.iter().map(|&(drawing, look)| Some((drawing.subframes()?, look)));
        let wanted: Vec<_> = subframes.flatten().collect();
        self.averages.by_settled.retain(|key, _| wanted.iter().any(|(s, _)| Arc::as_ptr(s.settled()) == *key));
        for (subframes, look) in wanted {
            match self.add(encoder, subframes, look) {
                Err(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }) => subframes.give_up(),
                result => result?,
            }
        }
        Ok(())
    }

    fn add(&mut self, encoder: &mut wgpu::CommandEncoder, subframes: &Subframes, look: Look) -> Result<(), GpuError> {
        let fresh = subframes.take();
        let settled = subframes.settled();
        let key = Arc::as_ptr(settled);
        let Some(first) = self.shown.get(&key).filter(|_| !fresh.is_empty()) else { return Ok(()) };
        let Averages { pass, by_settled } = &mut self.averages;
        let of = match by_settled.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let average = pass.begin(settled.job.size())?;
                entry.insert(OfSubframes { id: subframes.id(), settled: settled.clone(), average })
            }
        };
        if of.id != subframes.id() {
            of.id = subframes.id();
            of.average.clear();
        }
        if of.average.count() == 0 {
            pass.add(encoder, &mut of.average, &first.picture)?;
        }
        for subframe in fresh {
            let mut shown = Shown::new(&self.gpu, &subframe)?;
            shown.paint(&self.gpu, &self.colors, encoder, look)?;
            pass.add(encoder, &mut of.average, &shown.picture)?;
        }
        Ok(())
    }

    /// The average of a drawing's subframes, laid over the viewport that they are of.
    pub fn layer(&self, drawing: &Drawing, viewport: &Viewport, origin: [u32; 2]) -> Option<Quad<'_>> {
        let subframes = drawing.subframes()?;
        let of = self.averages.by_settled.get(&Arc::as_ptr(subframes.settled()))?;
        if of.id != subframes.id() || of.settled.job.viewport != *viewport {
            return None;
        }
        let [width, height] = viewport.size();
        let clip = Some([origin[0], origin[1], width, height]);
        Some(Quad { clip, filter: Filter::Nearest, ..Quad::at(of.average.picture(), origin.map(|v| v as i32)) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::app::{Command, EngineChoice, Explorer, State};
    use crate::engine::Machine;
    use crate::gpu::Picture;

    /// Frames, as the window draws them, until the picture has so many samples a pixel.
    fn drawn(explorer: &mut Explorer, gpu: &Gpu, canvas: &mut Canvas, count: u32) -> Vec<[u8; 4]> {
        let deadline = Instant::now() + Duration::from_secs(60);
        while explorer.upper.subframes().is_none_or(|subframes| subframes.progress().0 < count) {
            explorer.state.tick(0.016);
            explorer.frame();
            let look = Look {
                palette: explorer.state.palette,
                coloring: explorer.state.coloring,
                scheme: explorer.state.view().diagram_scheme(),
            };
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            canvas.update(&mut encoder, explorer.upper.film(), look).unwrap();
            canvas.antialias(&mut encoder, &[(&explorer.upper, look)]).unwrap();
            gpu.queue.submit([encoder.finish()]);
            assert!(Instant::now() < deadline, "{:?}", explorer.upper.subframes().map(Subframes::progress));
        }
        let layer = canvas.layer(&explorer.upper, explorer.state.viewport(), [5, 7]).expect("it lies on the picture");
        let picture: &Picture = layer.picture;
        picture.read_back(gpu).unwrap()
    }

    #[test]
    fn subframes_of_every_engine_add_up_above_the_settled_picture() {
        let Ok(gpu) = Gpu::headless() else { return eprintln!("SKIP: there is no device") };
        let machine = Machine { gpu: Ok(gpu.clone()), ..Machine::without_gpu(2).unwrap() };
        let mut canvas = Canvas::new(&gpu).unwrap();
        for (engine, height) in [("gpu", "0.05"), ("gpu-perturbation", "1e-6")] {
            let [exact, picture] = ["tiles", engine].map(|engine| {
                let mut explorer = Explorer::start(State::new([60, 40]), &machine, true, Arc::new(|| {})).unwrap();
                let place = format!("center = [\"-0.743643887037151\", \"0.13182590420533\"]\nheight = \"{height}\"");
                explorer.state.apply(Command::GoTo(place));
                explorer.state.apply(Command::SetEngine(EngineChoice::Named(engine)));
                let picture = drawn(&mut explorer, &gpu, &mut canvas, 4);
                assert_eq!(explorer.upper.subframes().unwrap().settled().engine, engine);
                explorer.state.apply(Command::Pan { by_px: [1.0, 0.0] });
                let viewport = explorer.state.viewport();
                assert!(canvas.layer(&explorer.upper, viewport, [0, 0]).is_none(), "it is of another view");
                picture
            });
            let is_off = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
            let differing = picture.iter().zip(&exact).filter(is_off).count();
            // Counts of f32 differ in some pixels.
            assert!(differing < picture.len() / 10, "{engine}: {differing} pixels");
        }
    }
}
