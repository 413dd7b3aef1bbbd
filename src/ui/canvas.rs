//! The pictures of a film on the device: samples, diagrams and light uploaded or found there, coloured, and placed.

mod antialias;

use std::collections::HashMap;
use std::sync::Arc;

use antialias::Averages;

use crate::app::{Film, Light, Pass};
use crate::color::{ColorPass, Coloring, DiagramPass, DiagramScheme, ExposurePass, Palette};
use crate::gpu::{DiagramBuffer, ExposureBuffer, Filter, Gpu, GpuError, Picture, Quad, SampleBuffer};
use crate::render::{Space, Task, Tile, Viewport};

/// A picture magnified more than this shows nothing any more.
const MOST_MAGNIFIED: f64 = 1e5;

/// What the canvas holds of the films.
pub struct Canvas {
    gpu: Gpu,
    colors: ColorPass,
    diagrams: DiagramPass,
    exposures: ExposurePass,
    shown: HashMap<*const Pass, Shown>,
    averages: Averages,
}

/// One pass on the device.
struct Shown {
    /// Keeps the address that it is found by from being used again.
    pass: Arc<Pass>,
    /// What was on the host, uploaded; or light that was on the device.
    samples: Option<SampleBuffer>,
    diagram: Option<DiagramBuffer>,
    exposure: Option<Arc<ExposureBuffer>>,
    picture: Picture,
    /// What the picture was painted from: while it is the same there is nothing to do.
    painted: Option<(usize, Look)>,
}

/// How pictures are coloured.
#[derive(Clone, Copy)]
pub struct Look {
    pub palette: &'static Palette,
    pub coloring: Coloring,
    /// Of diagrams.
    pub scheme: DiagramScheme,
}

impl PartialEq for Look {
    fn eq(&self, other: &Self) -> bool {
        let of = |look: &Self| (look.palette.key(), look.coloring, look.scheme);
        of(self) == of(other)
    }
}

impl Canvas {
    /// # Errors
    /// [`GpuError`] where the driver refuses the colour pass.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let (colors, diagrams, exposures) = (ColorPass::new(gpu)?, DiagramPass::new(gpu)?, ExposurePass::new(gpu)?);
        let averages = Averages::new(gpu)?;
        Ok(Self { gpu: gpu.clone(), colors, diagrams, exposures, shown: HashMap::new(), averages })
    }

    /// Forgets the pictures that no film holds any more.
    pub fn retain(&mut self, films: &[&Film]) {
        self.shown.retain(|key, _| films.iter().any(|film| film.holds(*key)));
    }

    /// The pixels of a film's newest picture, where it was painted.
    pub fn pixels(&self, film: &Film) -> Option<([u32; 2], Vec<[u8; 4]>)> {
        let shown = self.shown.get(&Arc::as_ptr(film.newest()?)).filter(|shown| shown.painted.is_some())?;
        Some((shown.picture.size(), shown.picture.read_back(&self.gpu).ok()?))
    }

    /// Brings the pictures of a film up to date, recording the work to do on the device.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost or has no room.
    pub fn update(&mut self, encoder: &mut wgpu::CommandEncoder, film: &Film, look: Look) -> Result<(), GpuError> {
        for pass in film.pictures() {
            let painted = (pass.version(), look);
            let shown = match self.shown.entry(Arc::as_ptr(pass)) {
                std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::hash_map::Entry::Vacant(entry) => entry.insert(Shown::new(&self.gpu, pass)?),
            };
            if shown.painted != Some(painted) {
                match &pass.job.task {
                    Task::EscapeTime(_) => shown.paint(&self.gpu, &self.colors, encoder, look)?,
                    Task::OrbitDensity(_) | Task::Section(_) => {
                        shown.paint_diagram(&self.gpu, &self.diagrams, encoder, look.scheme)?;
                    }
                    Task::Space(task) => shown.paint_exposure(&self.gpu, &self.exposures, encoder, task)?,
                }
                shown.painted = Some(painted);
            }
            if shown.painted == Some((pass.version(), look)) {
                // Whatever there is was uploaded.
                pass.release_rows();
            }
        }
        Ok(())
    }

    /// The pictures of the film placed for a viewport whose canvas starts at `origin`, in window pixels.
    pub fn quads(&self, film: &Film, viewport: &Viewport, origin: [u32; 2]) -> Vec<Quad<'_>> {
        let [width, height] = viewport.size();
        let clip = Some([origin[0], origin[1], width, height]);
        let mut quads = Vec::new();
        for pass in film.pictures().into_iter().rev() {
            let Some(shown) = self.shown.get(&Arc::as_ptr(pass)).filter(|s| s.painted.is_some()) else { continue };
            let Some((map, filter)) = place(pass, viewport) else { continue };
            let [x, y] = map;
            let window_from_picture = [
                [x[0] as f32, x[1] as f32, (x[2] + f64::from(origin[0])) as f32],
                [y[0] as f32, y[1] as f32, (y[2] + f64::from(origin[1])) as f32],
            ];
            // The outermost samples of a coarse pass stand for what lies around them.
            let margin = if pass.job.lattice.stride > 1 { 0.5 } else { 0.0 };
            quads.push(Quad { picture: &shown.picture, window_from_picture, opacity: 1.0, filter, margin, clip });
            if pass.progress() >= 1.0 && hides_all(map, pass.job.size(), viewport.size()) {
                // Nothing of what lies beneath would be seen.
                break;
            }
        }
        quads.reverse();
        quads
    }
}

impl Shown {
    fn new(gpu: &Gpu, pass: &Arc<Pass>) -> Result<Self, GpuError> {
        let picture = Picture::new(gpu, pass.job.size())?;
        Ok(Self { pass: pass.clone(), samples: None, diagram: None, exposure: None, picture, painted: None })
    }

    fn paint(
        &mut self,
        gpu: &Gpu,
        colors: &ColorPass,
        encoder: &mut wgpu::CommandEncoder,
        Look { palette, coloring, .. }: Look,
    ) -> Result<(), GpuError> {
        let (params, table) = (coloring.params(palette), palette.table());
        if let Some(field) = self.pass.device_field() {
            // Engines on another device than the window's have read back long before this.
            let Ok(samples) = field.as_any().downcast::<SampleBuffer>() else { return Ok(()) };
            return colors.paint(encoder, &params, table, &samples, &self.picture);
        }
        self.upload(gpu)?;
        let samples = self.samples.as_ref().expect("uploaded just now");
        colors.paint(encoder, &params, table, samples, &self.picture)
    }

    fn paint_diagram(
        &mut self,
        gpu: &Gpu,
        diagrams: &DiagramPass,
        encoder: &mut wgpu::CommandEncoder,
        scheme: DiagramScheme,
    ) -> Result<(), GpuError> {
        let diagram = self.pass.diagram();
        if let Some(buffer) = self.pass.device_diagram() {
            return diagrams.paint(encoder, scheme, &buffer, &self.picture);
        }
        let buffer = match &self.diagram {
            Some(buffer) => buffer,
            None => self.diagram.insert(DiagramBuffer::empty(gpu, diagram.shape())?),
        };
        buffer.upload(&diagram, 0..diagram.size()[0])?;
        drop(diagram);
        diagrams.paint(encoder, scheme, buffer, &self.picture)
    }

    fn paint_exposure(
        &mut self,
        gpu: &Gpu,
        exposures: &ExposurePass,
        encoder: &mut wgpu::CommandEncoder,
        task: &Space,
    ) -> Result<(), GpuError> {
        match self.pass.take_light() {
            Some(Light::Host(exposure)) => {
                self.exposure = Some(Arc::new(ExposureBuffer::from_exposure(gpu, &exposure)?));
            }
            Some(Light::Device(exposure)) => self.exposure = exposure.as_any().downcast().ok(),
            None => {}
        }
        match &self.exposure {
            Some(exposure) => exposures.paint(encoder, task, exposure, &self.picture),
            None => Ok(()),
        }
    }

    /// Copies the rows that are new since the last time.
    fn upload(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let size = self.pass.job.size();
        let buffer = match &self.samples {
            Some(buffer) => buffer,
            None => self.samples.insert(SampleBuffer::missing(gpu, size)?),
        };
        let mut result = Ok(());
        self.pass.take_fresh_rows(|y, samples| {
            let rows = Tile { x: 0, y, width: size[0], height: samples.len() as u32 / size[0] };
            result = std::mem::replace(&mut result, Ok(())).and_then(|()| buffer.upload(rows, samples));
        });
        result
    }
}

/// Whether an upright picture placed by a map leaves no pixel of the canvas free.
fn hides_all([x, y]: [[f64; 3]; 2], size: [u32; 2], canvas: [u32; 2]) -> bool {
    let covers = |scale: f64, origin: f64, samples: u32, pixels: u32| {
        origin <= 0.0 && origin + scale * f64::from(samples) >= f64::from(pixels)
    };
    x[1] == 0.0 && y[0] == 0.0 && covers(x[0], x[2], size[0], canvas[0]) && covers(y[1], y[2], size[1], canvas[1])
}

/// Maps a pass's samples to pixels of a viewport's canvas; `None` where it would show nothing.
fn place(pass: &Pass, viewport: &Viewport) -> Option<([[f64; 3]; 2], Filter)> {
    let lattice = pass.job.lattice;
    let stride = f64::from(lattice.stride);
    // From a sample's own pixel to where its square of the picture begins.
    let shift = f64::from(lattice.offset) + 0.5 - stride / 2.0;
    let own = &pass.job.viewport;
    if own == viewport {
        // Pixel for pixel where the pass is full: no arithmetic may blur that.
        let filter = if stride == 1.0 { Filter::Nearest } else { Filter::Smooth };
        return Some(([[stride, 0.0, shift], [0.0, stride, shift]], filter));
    }
    let step = own.finest_step().div(viewport.finest_step()).to_f64() * stride;
    let [width, height] = pass.job.size().map(f64::from);
    if !(step * width.max(height) >= 1.0 && step <= MOST_MAGNIFIED) {
        return None;
    }
    let map = viewport.pixels_from_pixels_of(own).map(|[u, v, at]| [u * stride, v * stride, at + (u + v) * shift]);
    map.iter().flatten().all(|v| v.is_finite()).then_some((map, Filter::Smooth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::State;
    use crate::render::{Job, Lattice};

    fn pass(state: &State, lattice: Lattice) -> Pass {
        let job = Job { lattice, ..state.job() };
        Pass::new(job, "naive", false, Arc::new(|| {}))
    }

    #[test]
    fn pictures_lie_where_their_samples_do() {
        let mut state = State::new([640, 480]);
        let (full, coarse) = (pass(&state, Lattice::FULL), pass(&state, Lattice::coarse(16)));
        let home = state.viewport().clone();
        assert_eq!(place(&full, &home), Some(([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], Filter::Nearest)));
        assert_eq!(place(&coarse, &home), Some(([[16.0, 0.0, 0.5], [0.0, 16.0, 0.5]], Filter::Smooth)));

        state.apply(crate::app::Command::Pan { by_px: [30.0, -7.0] });
        let (panned, _) = place(&full, state.viewport()).unwrap();
        let zoomed = home.zoomed(4.0, [100.0, 50.0]);
        let (grown, _) = place(&coarse, &zoomed).unwrap();
        for (got, expected, why) in [
            (panned, [[1.0, 0.0, 30.0], [0.0, 1.0, -7.0]], "panned"),
            (grown, [[64.0, 0.0, -298.0], [0.0, 64.0, -148.0]], "zoomed about (100, 50)"),
        ] {
            for (g, e) in got.iter().flatten().zip(expected.iter().flatten()) {
                assert!((g - e).abs() < 1e-6, "{why}: {got:?}");
            }
        }
        assert_eq!(place(&full, &home.zoomed(1e9, [0.0, 0.0])), None);
        assert_eq!(place(&full, &home.zoomed(1e-9, [0.0, 0.0])), None);
    }
}
