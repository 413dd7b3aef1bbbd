//! The real window: winit's events in, frames out, asleep in between.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::dpi::{LogicalSize, PhysicalSize, Size};
use winit::event::{ElementState, KeyEvent, StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::{Fullscreen, Window, WindowId};

use super::desk::{Desk, WINDOW_SIZE};
use super::painter::{Painter, Skipped};
use super::theme;
use crate::app::script::{Driver, Due, Sight};
use crate::app::{Command, Effect, Explorer, Location, Settings, State};
use crate::cluster::Dask;
use crate::engine::Machine;

const SIZE: LogicalSize<u32> = LogicalSize::new(WINDOW_SIZE[0], WINDOW_SIZE[1]);
const LEAST_SIZE: LogicalSize<u32> = LogicalSize::new(480, 320);
/// Pictures that only become finer are shown this often at most.
const PROGRESS: Duration = Duration::from_millis(33);

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    #[error("there is no display to open a window on ({0})")]
    NoDisplay(String),
    #[error("nothing here can paint a window: {0}; install a Vulkan or OpenGL driver, such as mesa-vulkan-drivers")]
    NoPainter(String),
    #[error("the window closed by itself: {0}")]
    Broken(String),
}

/// Opens the explorer and returns when its window is closed.
///
/// # Errors
/// [`WindowError`] says what is missing, in a line.
pub fn run(location: Option<Location>, threads: usize) -> Result<(), WindowError> {
    let event_loop = event_loop()?;
    let mut app = App::new(location, threads, event_loop.create_proxy());
    app.settings_path = Settings::path();
    app.run(event_loop)
}

/// Opens the explorer, plays a script in it, and gives the driver back with what it measured. What was remembered of the
/// layout is left alone. Where there is an error, the driver is as far as it came.
pub fn drive(driver: Driver, size: Option<[u32; 2]>, threads: usize) -> (Driver, Result<(), WindowError>) {
    let event_loop = match event_loop() {
        Ok(event_loop) => event_loop,
        Err(error) => return (driver, Err(error)),
    };
    let mut app = App::new(None, threads, event_loop.create_proxy());
    (app.driver, app.size) = (Some(driver), size);
    let ended = app.run(event_loop);
    (app.driver.expect("it was put there just now"), ended)
}

fn event_loop() -> Result<EventLoop<News>, WindowError> {
    let no_display = |e: winit::error::EventLoopError| WindowError::NoDisplay(first_line(&e.to_string()));
    EventLoop::with_user_event().build().map_err(no_display)
}

/// The first line, without the place in winit's sources where it begins.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let after = line.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    after.map_or(line, |(_, reason)| reason).trim_end_matches('.').to_owned()
}

/// What other threads tell the event loop.
#[derive(Debug)]
enum News {
    /// There is something new to show.
    Samples,
    /// egui wants a frame after a while.
    Frame(Duration),
}

struct App {
    location: Option<Location>,
    threads: usize,
    /// In pixels, where it is said.
    size: Option<[u32; 2]>,
    /// What plays instead of hands, or beside them.
    driver: Option<Driver>,
    /// Where the layout is remembered; nowhere while a script is played.
    settings_path: Option<PathBuf>,
    proxy: EventLoopProxy<News>,
    /// Set while a [`News::Samples`] is on its way: one is enough.
    told: Arc<AtomicBool>,
    open: Option<Open>,
    failure: Option<WindowError>,
}

/// All that lives as long as the window.
struct Open {
    // Dropped in this order: the threads that draw, the painter's surface, the window.
    explorer: Explorer,
    painter: Painter,
    egui: egui_winit::State,
    desk: Desk,
    window: Arc<Window>,
    occluded: bool,
    last_frame: Instant,
    frame_cost: Duration,
    /// When to draw next, if nothing else happens.
    due: Option<Instant>,
}

impl App {
    fn new(location: Option<Location>, threads: usize, proxy: EventLoopProxy<News>) -> Self {
        Self {
            location,
            threads,
            size: None,
            driver: None,
            settings_path: None,
            proxy,
            told: Arc::default(),
            open: None,
            failure: None,
        }
    }

    fn run(&mut self, event_loop: EventLoop<News>) -> Result<(), WindowError> {
        let ended = event_loop.run_app(self);
        match (self.failure.take(), ended) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(WindowError::Broken(first_line(&error.to_string()))),
            (None, Ok(())) => Ok(()),
        }
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<Open, WindowError> {
        let size = self.size.map_or(Size::Logical(SIZE.cast()), |[w, h]| Size::Physical(PhysicalSize::new(w, h)));
        let attributes =
            Window::default_attributes().with_title("Cardioid").with_inner_size(size).with_min_inner_size(LEAST_SIZE);
        let window =
            event_loop.create_window(attributes).map_err(|e| WindowError::NoDisplay(first_line(&e.to_string())))?;
        let window = Arc::new(window);
        let painter = open_painter(event_loop, &window)?;
        let machine = self.machine(&painter)?;
        let size = window.inner_size();
        let mut state = State::new([size.width.max(1), size.height.max(1)]);
        let settings = self.settings_path.as_deref().map(Settings::load).unwrap_or_default();
        state.apply_settings(&settings);
        if let Some(folder) = self.settings_path.as_deref().and_then(Path::parent) {
            state.load_bookmarks(&folder.join("bookmarks"));
        }
        if let Some(location) = &self.location
            && let Err(error) = state.go_to_location(location)
        {
            state.complain(error.to_string());
        }
        let mut explorer = Explorer::start(state, &machine, true, self.wake())
            .map_err(|e| WindowError::Broken(format!("no thread to draw on: {e}")))?;
        explorer.reach_clusters_by(Arc::new(Dask::default()));
        let ctx = self.egui_context();
        let scale = window.scale_factor() as f32;
        let side = painter.most_pixels() as usize;
        let egui = egui_winit::State::new(
            ctx.clone(),
            egui::ViewportId::ROOT,
            &*window,
            Some(scale),
            window.theme(),
            Some(side),
        );
        Ok(Open {
            painter,
            explorer,
            egui,
            desk: Desk::new(ctx),
            window,
            occluded: false,
            last_frame: Instant::now(),
            frame_cost: Duration::ZERO,
            due: None,
        })
    }

    fn machine(&self, painter: &Painter) -> Result<Machine, WindowError> {
        let machine = Machine::without_gpu(self.threads).map_err(|e| WindowError::Broken(e.to_string()))?;
        Ok(Machine { gpu: Ok(painter.gpu().clone()), ..machine })
    }

    /// Tells the event loop about new samples, once until it has looked.
    fn wake(&self) -> Arc<dyn Fn() + Send + Sync> {
        let (proxy, told) = (self.proxy.clone(), self.told.clone());
        Arc::new(move || {
            if !told.swap(true, Ordering::AcqRel) {
                let _ = proxy.send_event(News::Samples);
            }
        })
    }

    fn egui_context(&self) -> egui::Context {
        let ctx = egui::Context::default();
        theme::apply(&ctx);
        let proxy = self.proxy.clone();
        ctx.set_request_repaint_callback(move |info| {
            let _ = proxy.send_event(News::Frame(info.delay));
        });
        ctx
    }

    /// Draws a frame, and opens the device anew if it was lost.
    fn frame(&mut self, event_loop: &ActiveEventLoop) {
        let Some(open) = &mut self.open else { return };
        match open.frame(self.driver.as_mut()) {
            Ok(true) => {}
            Ok(false) => event_loop.exit(),
            Err(reason) => {
                if let Err(failure) = self.recover(event_loop, &reason) {
                    self.failure = Some(failure);
                    event_loop.exit();
                }
            }
        }
    }

    /// Puts a new device under the same view, palette and history.
    fn recover(&mut self, event_loop: &ActiveEventLoop, reason: &str) -> Result<(), WindowError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.painter = open_painter(event_loop, &open.window)?;
        let machine = self.machine(&open.painter)?;
        let started = open.explorer.restart(&machine, true, self.wake());
        started.map_err(|e| WindowError::Broken(format!("no thread to draw on: {e}")))?;
        open.explorer.state.complain(format!("the GPU was lost and is back: {reason}"));
        // egui sends its textures once: a new context sends them again.
        open.desk.ctx = self.egui_context();
        open.egui = egui_winit::State::new(
            open.desk.ctx.clone(),
            egui::ViewportId::ROOT,
            &*open.window,
            Some(open.window.scale_factor() as f32),
            open.window.theme(),
            Some(open.painter.most_pixels() as usize),
        );
        open.window.request_redraw();
        self.open = Some(open);
        Ok(())
    }
}

fn open_painter(event_loop: &ActiveEventLoop, window: &Arc<Window>) -> Result<Painter, WindowError> {
    let display = Box::new(event_loop.owned_display_handle());
    let descriptor = wgpu::InstanceDescriptor::new_with_display_handle_from_env(display);
    let instance = wgpu::Instance::new(descriptor);
    Painter::new(&instance, window).map_err(|e| WindowError::NoPainter(e.to_string()))
}

impl ApplicationHandler<News> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.open.is_some() {
            return;
        }
        match self.open(event_loop) {
            Ok(open) => {
                open.window.request_redraw();
                self.open = Some(open);
            }
            Err(failure) => {
                self.failure = Some(failure);
                event_loop.exit();
            }
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if let (StartCause::ResumeTimeReached { .. }, Some(open)) = (cause, &mut self.open) {
            open.due = None;
            open.window.request_redraw();
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, news: News) {
        let Some(open) = &mut self.open else { return };
        match news {
            News::Samples => {
                self.told.store(false, Ordering::Release);
                // Progress alone must not take the cores from the engines that make it.
                open.draw_by(open.last_frame + PROGRESS.max(open.frame_cost * 4));
            }
            News::Frame(delay) => open.draw_in(delay),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        match &event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested => self.frame(event_loop),
            WindowEvent::Resized(size) => {
                open.painter.resize([size.width, size.height]);
                open.input(&event);
            }
            WindowEvent::Occluded(hidden) => {
                open.occluded = *hidden;
                open.explorer.hide(*hidden);
                open.window.request_redraw();
            }
            WindowEvent::DroppedFile(path) => {
                open.explorer.state.apply(Command::Open(path.to_string_lossy().into_owned()));
                open.window.request_redraw();
            }
            WindowEvent::PinchGesture { delta, phase, .. } => {
                open.desk.pinches.push((*delta, touch_phase(*phase)));
                open.explorer.give_way();
                open.window.request_redraw();
            }
            _ => open.input(&event),
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let due = self.open.as_ref().and_then(|open| open.due);
        event_loop.set_control_flow(due.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // Everything that talks to the window system goes while its loop still lives.
        let open = self.open.take();
        if let (Some(open), Some(driver)) = (&open, &mut self.driver) {
            driver.give_up(&open.explorer);
        }
        if let (Some(open), Some(path)) = (open, &self.settings_path) {
            let settings = open.explorer.state.settings();
            // Nobody is there any more to be told that it could not be written.
            let _ = if settings == Settings::load(path) { Ok(()) } else { settings.save(path) };
        }
    }
}

impl Open {
    /// Hands an event to egui, which keeps it for the next frame.
    fn input(&mut self, event: &WindowEvent) {
        let response = self.egui.on_window_event(&self.window, event);
        if response.repaint {
            self.window.request_redraw();
        }
        let hands = matches!(
            event,
            WindowEvent::KeyboardInput { event: KeyEvent { state: ElementState::Pressed, .. }, .. }
                | WindowEvent::MouseInput { state: ElementState::Pressed, .. }
                | WindowEvent::MouseWheel { .. }
        );
        if hands {
            self.explorer.give_way();
        }
    }

    fn draw_in(&mut self, delay: Duration) {
        if delay.is_zero() {
            self.window.request_redraw();
        } else if let Some(at) = Instant::now().checked_add(delay) {
            self.draw_by(at);
        }
    }

    /// Draws at `at`, or earlier if something else asks for it.
    fn draw_by(&mut self, at: Instant) {
        if at <= Instant::now() {
            self.window.request_redraw();
        } else {
            self.due = Some(self.due.map_or(at, |due| due.min(at)));
        }
    }

    /// One frame: input, commands, layout, paint. False when it was asked to quit.
    ///
    /// # Errors
    /// The reason, where the device is lost.
    fn frame(&mut self, mut driver: Option<&mut Driver>) -> Result<bool, String> {
        if self.occluded && driver.is_none() {
            return Ok(self.go_on(Duration::ZERO));
        }
        let start = Instant::now();
        let passed = start.duration_since(self.last_frame).as_secs_f64();
        self.last_frame = start;
        self.explorer.pacing.begin();
        let mut commands = Vec::new();
        if let Some(driver) = &mut driver {
            let size = self.window.inner_size();
            let sight = Sight { size: [size.width, size.height], scale: self.window.scale_factor() };
            match driver.due(&self.explorer, sight) {
                Due::Nothing => {}
                Due::Command(command) => commands.push(command),
                Due::Size([width, height]) => {
                    let _ = self.window.request_inner_size(PhysicalSize::new(width, height));
                }
                Due::Ended => return Ok(false),
            }
        }
        let input = self.egui.take_egui_input(&self.window);
        let laid = self.desk.frame(&mut self.explorer, passed, input, commands);
        if laid.effects.into_iter().fold(false, |quit, effect| self.carry_out(effect) | quit) {
            return Ok(false);
        }
        self.egui.handle_platform_output(&self.window, laid.platform);
        let in_motion = self.explorer.state.next_change() == Some(0.0);
        self.explorer.pacing.end(in_motion);
        if let Some(driver) = &mut driver {
            driver.look(&self.explorer);
        }

        let shown = self.painter.frame(&self.window, &self.explorer, laid.origin, laid.shapes);
        let shown = shown.map_err(|e| e.to_string())?;
        if shown.is_ok() {
            self.explorer.was_shown(self.painter.shown());
        }
        if shown == Err(Skipped::Again) {
            self.window.request_redraw();
        }
        self.frame_cost = start.elapsed();
        let scripted = driver.map_or(Duration::MAX, |driver| driver.next_frame());
        Ok(self.go_on(laid.delay.min(scripted)))
    }

    /// Plans the next frame after one that needs none before `delay`.
    fn go_on(&mut self, delay: Duration) -> bool {
        let own = self.explorer.state.next_change().map_or(Duration::MAX, Duration::from_secs_f64);
        if !self.occluded {
            self.draw_in(delay.min(own));
        }
        true
    }

    /// Does what only a window can. True when it is to close.
    fn carry_out(&mut self, effect: Effect) -> bool {
        match effect {
            Effect::Copy(text) => self.egui.set_clipboard_text(text),
            Effect::Paste => {
                if let Some(text) = self.egui.clipboard_text() {
                    self.explorer.state.apply(Command::GoTo(text));
                    self.window.request_redraw();
                }
            }
            // Whoever opens it may take a while; what is missing shows at once.
            Effect::Browse(address) => {
                if let Err(error) = open::that_detached_with_timeout(&address, Duration::from_millis(20)) {
                    self.explorer
                        .state
                        .complain(format!("no browser can be started ({error}); copy the address: {address}"));
                }
            }
            Effect::Fullscreen(on) => self.window.set_fullscreen(on.then_some(Fullscreen::Borderless(None))),
            Effect::Illustrate(id) => {
                if let Some(thumbnail) = self.painter.thumbnail(&self.explorer) {
                    self.explorer.state.illustrate(id, thumbnail);
                }
            }
            Effect::Quit => return true,
            _ => {}
        }
        false
    }
}

fn touch_phase(phase: winit::event::TouchPhase) -> egui::TouchPhase {
    use winit::event::TouchPhase;
    match phase {
        TouchPhase::Started => egui::TouchPhase::Start,
        TouchPhase::Moved => egui::TouchPhase::Move,
        TouchPhase::Ended => egui::TouchPhase::End,
        TouchPhase::Cancelled => egui::TouchPhase::Cancel,
    }
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn reasons_do_not_name_places_in_sources() {
        for (told, reason) in [
            (
                "os error at /home/me/.cargo/registry/src/winit/src/linux/mod.rs:765: neither DISPLAY is set.\nmore",
                "neither DISPLAY is set",
            ),
            ("no display: is one there?", "no display: is one there?"),
            ("", ""),
        ] {
            assert_eq!(first_line(told), reason);
        }
    }
}
