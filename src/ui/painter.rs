//! The window's surface: pictures below, panels above, one submission a frame.

use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::window::Window;

use super::canvas::{Canvas, Look};
use crate::app::{Explorer, Shown, Thumbnail};
use crate::gpu::{Gpu, GpuError, Presenter};

/// Behind everything: what shows where nothing was ever computed.
const BACKGROUND: wgpu::Color = wgpu::Color { r: 0.035, g: 0.037, b: 0.045, a: 1.0 };

/// Draws frames into one window.
pub struct Painter {
    gpu: Gpu,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// The surface must be configured before the next frame.
    stale: bool,
    canvas: Canvas,
    presenter: Presenter,
    egui: egui_wgpu::Renderer,
    shown: Shown,
}

/// A frame that waited longer than this for a free picture is as fast as the screen and no faster.
const CAPPED: Duration = Duration::from_millis(1);

/// Why a frame was not shown.
#[derive(Debug, PartialEq)]
pub enum Skipped {
    /// There is no area to draw to, or nobody sees it.
    Hidden,
    /// The surface changed under our hands: draw again at once.
    Again,
}

/// What egui wants drawn.
pub struct Shapes {
    pub textures: egui::TexturesDelta,
    pub primitives: Vec<egui::ClippedPrimitive>,
    pub pixels_per_point: f32,
}

impl Painter {
    /// Opens the device that can draw to the window.
    ///
    /// # Errors
    /// A line that says what is missing.
    pub fn new(instance: &wgpu::Instance, window: &Arc<Window>) -> Result<Self, GpuError> {
        let surface = instance
            .create_surface(window.clone())
            .map_err(|e| GpuError::NoAdapter(e.to_string().lines().next().unwrap_or_default().into()))?;
        let gpu = Gpu::for_surface(instance, &surface)?;
        let config = configuration(&gpu, &surface, window)?;
        let egui = egui_wgpu::Renderer::new(&gpu.device, config.format, egui_wgpu::RendererOptions::default());
        let (canvas, presenter) = (Canvas::new(&gpu)?, Presenter::new(&gpu, config.format)?);
        Ok(Self { gpu, surface, config, stale: true, canvas, presenter, egui, shown: Shown::default() })
    }

    /// How long the parts of the newest frame took.
    pub fn shown(&self) -> Shown {
        self.shown
    }

    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// What is shown of the upper half, or of the whole canvas, small.
    pub fn thumbnail(&self, explorer: &Explorer) -> Option<Thumbnail> {
        let (size, pixels) = self.canvas.pixels(explorer.upper.film())?;
        Some(Thumbnail::of(size, &pixels))
    }

    /// Longest side of a texture.
    pub fn most_pixels(&self) -> u32 {
        self.gpu.device.limits().max_texture_dimension_2d
    }

    /// The window has a new size, in pixels. Zero area and sizes past the device's limits are never configured.
    pub fn resize(&mut self, size: [u32; 2]) {
        let [width, height] = size.map(|s| s.min(self.most_pixels()));
        if [width, height] != [self.config.width, self.config.height] {
            (self.config.width, self.config.height) = (width, height);
            self.stale = true;
        }
    }

    /// Draws one frame: the film placed at `origin`, then egui's shapes.
    ///
    /// # Errors
    /// [`GpuError`] where the device is lost or has no room; the inner error says why nothing was shown.
    pub fn frame(
        &mut self,
        window: &Window,
        explorer: &Explorer,
        origin: [u32; 2],
        shapes: Shapes,
    ) -> Result<Result<(), Skipped>, GpuError> {
        // Textures are taken over even when no frame comes of it: egui sends them only once.
        for (id, deltas) in &shapes.textures.set {
            for delta in deltas {
                self.egui.update_texture(&self.gpu.device, &self.gpu.queue, *id, delta);
            }
        }
        let shown = self.draw(window, explorer, origin, &shapes);
        for id in &shapes.textures.free {
            self.egui.free_texture(id);
        }
        shown
    }

    fn draw(
        &mut self,
        window: &Window,
        explorer: &Explorer,
        origin: [u32; 2],
        shapes: &Shapes,
    ) -> Result<Result<(), Skipped>, GpuError> {
        let size = [self.config.width, self.config.height];
        if size.contains(&0) {
            return Ok(Err(Skipped::Hidden));
        }
        if let Some(reason) = self.gpu.is_lost() {
            return Err(GpuError::Lost(reason));
        }
        if std::mem::take(&mut self.stale) {
            self.surface.configure(&self.gpu.device, &self.config);
        }
        use wgpu::CurrentSurfaceTexture as Current;
        let start = Instant::now();
        let frame = match self.surface.get_current_texture() {
            Current::Success(frame) => frame,
            Current::Suboptimal(frame) => {
                self.stale = true;
                frame
            }
            Current::Outdated | Current::Lost | Current::Validation => {
                self.stale = true;
                return Ok(Err(Skipped::Again));
            }
            Current::Timeout | Current::Occluded => return Ok(Err(Skipped::Hidden)),
        };
        let waited = start.elapsed();
        let start = Instant::now();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let state = &explorer.state;
        let films: Vec<_> = explorer.drawings().map(|(_, drawing)| drawing.film()).collect();
        self.canvas.retain(&films);
        let look = |half| {
            let scheme = state.stage().at(half).diagram_scheme();
            Look { palette: state.palette, coloring: state.coloring, scheme }
        };
        let drawings: Vec<_> = explorer.drawings().map(|(half, drawing)| (drawing, look(half))).collect();
        for (drawing, look) in &drawings {
            self.canvas.update(&mut encoder, drawing.film(), *look)?;
        }
        self.canvas.antialias(&mut encoder, &drawings)?;
        let colour = start.elapsed();
        let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: size, pixels_per_point: shapes.pixels_per_point };
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        let mut commands = self.egui.update_buffers(device, queue, &mut encoder, &shapes.primitives, &screen);
        {
            let view = frame.texture.create_view(&Default::default());
            let quads: Vec<_> = explorer
                .drawings()
                .flat_map(|(half, drawing)| {
                    let [x, y] = state.stage().origin_of(half);
                    let viewport = state.stage().at(half).viewport();
                    let origin = [origin[0] + x, origin[1] + y];
                    let quads = self.canvas.quads(drawing.film(), viewport, origin);
                    quads.into_iter().chain(self.canvas.layer(drawing, viewport, origin))
                })
                .collect();
            let attachment = wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(BACKGROUND), store: wgpu::StoreOp::Store },
            };
            let descriptor = wgpu::RenderPassDescriptor {
                label: Some("frame"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            };
            let mut pass = encoder.begin_render_pass(&descriptor).forget_lifetime();
            self.presenter.draw(&mut pass, size, &quads);
            self.egui.render(&mut pass, &shapes.primitives, &screen);
        }
        let start = Instant::now();
        commands.push(encoder.finish());
        queue.submit(commands);
        window.pre_present_notify();
        queue.present(frame);
        let present = waited + start.elapsed();
        self.shown = Shown { colour, present, is_capped: waited > CAPPED, is_settled: false };
        Ok(Ok(()))
    }
}

/// The surface as egui wants it: colours blended as they are encoded, frames in step with the screen.
fn configuration(
    gpu: &Gpu,
    surface: &wgpu::Surface<'_>,
    window: &Window,
) -> Result<wgpu::SurfaceConfiguration, GpuError> {
    let size = window.inner_size();
    let none = || GpuError::NoAdapter(format!("{} cannot draw to this window", gpu.adapter.name));
    let mut config =
        surface.get_default_config(gpu.handle(), size.width.max(1), size.height.max(1)).ok_or_else(none)?;
    let formats = surface.get_capabilities(gpu.handle()).formats;
    config.format = egui_wgpu::preferred_framebuffer_format(&formats).map_err(|_| none())?;
    config.present_mode = wgpu::PresentMode::AutoVsync;
    config.desired_maximum_frame_latency = 1;
    Ok(config)
}
