//! The whole state of the explorer, and the one way to change it: [`State::apply`].

use super::command::{Command, Effect, EngineChoice, OverlayMode};
use super::history::Timeline;
use super::motion::Motion;
use super::saver::SaveRequest;
use crate::color::{Coloring, Palette};
use crate::render::{Channels, EscapeTime, Job, Lattice, Quality, Shortcuts, Viewport};
use crate::view::{self, Julia, Mandelbrot, ParamValue, View};

/// Moves closer together than this are one step of the history, in seconds.
const BURST: f64 = 0.6;
/// How long a notice stays, in seconds.
const NOTICE_SECONDS: f64 = 6.0;
/// Farthest out: beyond this there is nothing but empty plane.
const MOST_HEIGHT: f64 = 1e4;

/// What the explorer shows and how.
pub struct State {
    pub(super) view: Box<dyn View>,
    /// The views that are not shown, each as it was left.
    others: Vec<Box<dyn View>>,
    pub engine: EngineChoice,
    pub palette: &'static Palette,
    pub coloring: Coloring,

    pub overlay: OverlayMode,
    /// Other engines are timed whenever a view settles.
    pub live_timings: bool,
    pub panels: bool,
    pub keys_shown: bool,
    pub fullscreen: bool,
    pub export_shown: bool,
    /// A comparison is running or shown: the view is frozen.
    pub comparing: bool,
    pub exporting: bool,
    /// Place of the pointer in pixels of the canvas.
    pub pointer_px: Option<[f64; 2]>,
    notice: Option<Notice>,

    /// Of the canvas, in pixels.
    size: [u32; 2],
    motion: Motion,
    places: Timeline<Place>,
    changes: Timeline<Snapshot>,
    clock: f64,
    last_move: f64,
    /// When a knob was last turned.
    last_turn: f64,
    /// Raised by whatever asks for the picture to be drawn again though nothing in the job changed.
    pub redraws: u64,
    pub(super) effects: Vec<Effect>,
    /// Keys of the engines there are.
    pub engine_keys: Vec<&'static str>,
}

/// A line for people, shown for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub text: String,
    pub is_error: bool,
    until: f64,
}

/// A view's key and where it was.
type Place = (&'static str, Viewport);

/// All that undo brings back.
struct Snapshot {
    view: Box<dyn View>,
    engine: EngineChoice,
    palette: &'static Palette,
    coloring: Coloring,
}

impl State {
    /// At home, in a canvas of `size` pixels.
    pub fn new(size: [u32; 2]) -> Self {
        let mut others = view::all(size);
        Self {
            view: others.remove(0),
            others,
            engine: EngineChoice::Auto,
            palette: Palette::default_palette(),
            coloring: Coloring::default(),
            overlay: OverlayMode::default(),
            live_timings: true,
            panels: true,
            keys_shown: false,
            fullscreen: false,
            export_shown: false,
            comparing: false,
            exporting: false,
            pointer_px: None,
            notice: None,
            size,
            motion: Motion::default(),
            places: Timeline::default(),
            changes: Timeline::default(),
            clock: 0.0,
            last_move: f64::NEG_INFINITY,
            last_turn: f64::NEG_INFINITY,
            redraws: 0,
            effects: Vec::new(),
            engine_keys: Vec::new(),
        }
    }

    pub fn view(&self) -> &dyn View {
        self.view.as_ref()
    }

    /// Keys and titles of all views, in the order of the menu.
    pub fn views(&self) -> Vec<(&'static str, &'static str)> {
        view::all(self.size).iter().map(|view| (view.key(), view.title())).collect()
    }

    pub fn viewport(&self) -> &Viewport {
        self.view.viewport()
    }

    pub fn is_moving(&self) -> bool {
        self.motion.is_moving()
    }

    pub fn can_go_back(&self) -> bool {
        self.places.has_past()
    }

    pub fn can_go_forward(&self) -> bool {
        self.places.has_future()
    }

    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// Seconds until something changes by itself, where something will.
    pub fn next_change(&self) -> Option<f64> {
        if self.is_moving() {
            return Some(0.0);
        }
        self.notice.as_ref().map(|n| (n.until - self.clock).max(0.0))
    }

    /// What to draw: the present view at every pixel.
    pub fn job(&self) -> Job {
        let size = self.viewport().size();
        let middle = size.map(|s| f64::from(s) / 2.0);
        Job {
            viewport: self.viewport().clone(),
            lattice: Lattice::FULL,
            task: self.view.task(),
            channels: Channels { smooth: true },
            quality: Quality::Exact,
            shortcuts: Shortcuts::ALL,
            focus: self.pointer_px.unwrap_or(middle).map(|p| p as f32),
        }
    }

    /// What the window has to do since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Lets time pass: motion goes on, notices fade.
    pub fn tick(&mut self, seconds: f64) {
        // A window that slept must not leap.
        self.clock += seconds;
        if let Some(moved) = self.motion.step(self.view.viewport(), seconds.min(0.1)) {
            self.place(moved);
            self.last_move = self.clock;
        }
        if self.notice.as_ref().is_some_and(|n| n.until <= self.clock) {
            self.notice = None;
        }
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: false, until: self.clock + NOTICE_SECONDS });
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: true, until: self.clock + 2.0 * NOTICE_SECONDS });
    }

    /// Carries out one command. A command that cannot be carried out changes nothing and says why.
    pub fn apply(&mut self, command: Command) {
        match command {
            Command::Pan { by_px } => self.navigate(|v| v.panned(by_px)),
            Command::Glide { by_px } => self.start_moving(|m| m.glide(by_px)),
            Command::GlideBy { share } => self.glide_by(share),
            Command::Throw { velocity_px } => self.start_moving(|m| m.throw(velocity_px)),
            Command::Hold => self.motion.stop(),
            Command::Zoom { factor, about_px } => self.zoom(factor, about_px),
            Command::ZoomNow { factor, about_px } => self.zoom_now(factor, about_px),
            Command::ZoomCentre { factor } => self.zoom(factor, self.middle()),
            Command::ZoomToBox { from_px, to_px } => self.zoom_to_box(from_px, to_px),
            Command::SetView(key) => self.go_to_view(key),
            Command::NextView => self.turn_view(1),
            Command::PreviousView => self.turn_view(-1),
            Command::JuliaHere => self.julia_here(),
            Command::Home => self.jump(|view| view.home(view.viewport().size())),
            Command::Back => self.step_place(Timeline::back, "there is no earlier view"),
            Command::Forward => self.step_place(Timeline::forward, "there is no later view"),
            Command::Undo => self.step_change(Timeline::back, "there is nothing to undo"),
            Command::Redo => self.step_change(Timeline::forward, "there is nothing to redo"),
            Command::Resize { size } => self.resize(size),
            Command::Point { at_px } => self.pointer_px = at_px,

            Command::SetEngine(choice) => self.change(|s| s.engine = choice),
            Command::SetParam { key, value } => self.set_param(key, value),
            Command::MoreIterations => self.scale_iterations(2.0),
            Command::FewerIterations => self.scale_iterations(0.5),
            Command::AutomaticIterations => self.set_param("automatic_iterations", ParamValue::Switch(true)),
            Command::SetPalette(key) => self.set_palette(&key),
            Command::NextPalette => self.turn_palette(1),
            Command::PreviousPalette => self.turn_palette(-1),
            Command::SetDensity(density) => self.change_coloring(|c| c.density = density),
            Command::SetOffset(offset) => self.change_coloring(|c| c.offset = offset),

            Command::GoTo(text) => self.go_to(&text),
            Command::Open(path) => self.open(&path),
            Command::SetCenter { re, im } => self.set_center(&re, &im),
            Command::SetHeight(text) => self.set_height(&text),
            Command::CopyLocation => self.copy_location(),
            Command::PasteLocation => self.effects.push(Effect::Paste),

            Command::QuickSave => self.quick_save(),
            Command::ShowExport(shown) => self.export_shown = shown,
            Command::Export(request) => self.start_export(request),
            Command::CancelExport => self.effects.push(Effect::CancelExport),

            Command::Recompute => self.redraws += 1,
            Command::Compare => self.compare(),
            Command::CloseCompare => self.close_compare(),
            Command::ToggleLiveTimings => self.live_timings = !self.live_timings,
            Command::NextOverlay => self.overlay = self.overlay.next(),
            Command::SetOverlay(mode) => self.overlay = mode,
            Command::TogglePanels => self.panels = !self.panels,
            Command::ToggleKeys => self.keys_shown = !self.keys_shown,
            Command::ToggleFullscreen => self.set_fullscreen(!self.fullscreen),
            Command::Escape => self.escape(),
            Command::DismissNotice => self.notice = None,
            Command::Quit => self.effects.push(Effect::Quit),
        }
    }

    // Navigation.

    fn middle(&self) -> [f64; 2] {
        self.viewport().size().map(|s| f64::from(s) / 2.0)
    }

    /// Puts the view at a viewport; views that would be endless emptiness stay where they are.
    fn place(&mut self, viewport: Viewport) {
        let outwards = viewport.height() > self.viewport().height();
        if outwards && viewport.height().to_f64() > MOST_HEIGHT {
            self.motion.stop();
            self.complain(format!("farther out than height {MOST_HEIGHT} there is only empty plane"));
            return;
        }
        self.view.set_viewport(viewport);
    }

    /// A move that belongs to the burst before it, or starts a new step of the history.
    fn navigate(&mut self, to: impl FnOnce(&Viewport) -> Viewport) {
        self.begin_move();
        let there = to(self.view.viewport());
        self.place(there);
    }

    /// A move that is a step of its own.
    pub(super) fn jump(&mut self, to: impl FnOnce(&dyn View) -> Viewport) {
        self.motion.stop();
        let there = to(self.view.as_ref());
        if &there != self.view.viewport() {
            self.remember();
            self.arrive(self.view.key(), there);
        }
    }

    /// Goes to a place of a view, as part of a change that undo knows of already.
    pub(super) fn arrive(&mut self, view: &str, there: Viewport) {
        self.motion.stop();
        let here = self.here();
        if (view, &there) != (here.0, &here.1) {
            self.places.remember(here);
            self.show_view(view);
            self.place(there);
            self.last_move = f64::NEG_INFINITY;
        }
    }

    fn begin_move(&mut self) {
        if self.clock - self.last_move > BURST {
            self.remember();
            self.places.remember(self.here());
        }
        self.last_move = self.clock;
    }

    fn start_moving(&mut self, how: impl FnOnce(&mut Motion)) {
        self.begin_move();
        how(&mut self.motion);
    }

    fn glide_by(&mut self, share: [f64; 2]) {
        let [width, height] = self.viewport().size().map(f64::from);
        // Going right takes the picture to the left.
        self.start_moving(|m| m.glide([-share[0] * width, share[1] * height]));
    }

    fn zoom(&mut self, factor: f64, about_px: [f64; 2]) {
        if factor.is_finite() && factor > 0.0 && factor != 1.0 {
            self.start_moving(|m| m.zoom(factor, about_px));
        }
    }

    fn zoom_now(&mut self, factor: f64, about_px: [f64; 2]) {
        // A pinch may report NaN; it then means nothing.
        if factor.is_finite() && factor > 0.0 && factor != 1.0 {
            self.navigate(|v| v.zoomed(factor, about_px));
        }
    }

    fn zoom_to_box(&mut self, from_px: [f64; 2], to_px: [f64; 2]) {
        let [width, height] = self.viewport().size().map(f64::from);
        let sides = [(from_px[0] - to_px[0]).abs() / width, (from_px[1] - to_px[1]).abs() / height];
        let share = sides[0].max(sides[1]);
        // A box of a few pixels is a slip of the hand.
        if !sides.iter().all(|side| side.is_finite()) || share * width.min(height) < 4.0 {
            return;
        }
        let centre = [(from_px[0] + to_px[0]) / 2.0, (from_px[1] + to_px[1]) / 2.0];
        self.jump(|view| {
            let viewport = view.viewport();
            let middle = [width / 2.0, height / 2.0];
            viewport.panned([middle[0] - centre[0], middle[1] - centre[1]]).zoomed(1.0 / share, middle)
        });
    }

    /// The view shown and its place.
    fn here(&self) -> Place {
        (self.view.key(), self.viewport().clone())
    }

    fn step_place(&mut self, step: fn(&mut Timeline<Place>, Place) -> Result<Place, Place>, none: &str) {
        self.motion.stop();
        let here = self.here();
        match step(&mut self.places, here) {
            Ok((view, viewport)) => {
                self.remember();
                self.show_view(view);
                self.come_back_to(viewport);
            }
            Err(_) => self.say(none),
        }
    }

    /// Shows an earlier place at the canvas's present size.
    fn come_back_to(&mut self, viewport: Viewport) {
        let there = viewport.with_size(self.size).unwrap_or(viewport);
        self.view.set_viewport(there);
        self.last_move = f64::NEG_INFINITY;
    }

    /// Brings another view to the front, as it was left.
    fn show_view(&mut self, key: &str) {
        let Some(index) = self.others.iter().position(|view| view.key() == key) else { return };
        std::mem::swap(&mut self.view, &mut self.others[index]);
        self.motion.stop();
        let viewport = self.viewport().clone();
        self.come_back_to(viewport);
    }

    pub(super) fn go_to_view(&mut self, key: &str) {
        let keys: Vec<&str> = self.views().into_iter().map(|(key, _)| key).collect();
        if !keys.contains(&key) {
            self.complain(format!("there is no view {key:?}; choose one of {}", keys.join(", ")));
        } else if key != self.view.key() {
            self.remember();
            self.places.remember(self.here());
            self.show_view(key);
        }
    }

    fn turn_view(&mut self, by: isize) {
        let views = self.views();
        let at = views.iter().position(|(key, _)| *key == self.view.key()).unwrap_or(0) as isize;
        self.go_to_view(views[(at + by).rem_euclid(views.len() as isize) as usize].0);
        self.say(self.view.title());
    }

    /// The Julia set of the point under the pointer, or of the centre; from a Julia set, back to its point's view.
    fn julia_here(&mut self) {
        if self.view.key() == Julia::KEY {
            return self.go_to_view(Mandelbrot::KEY);
        }
        let viewport = self.viewport();
        let c = self.pointer_px.map_or_else(|| viewport.center().clone(), |px| viewport.plane_from_pixel(px));
        let formula = self.view.params().into_iter().find(|p| p.key == "formula").map(|p| p.value);
        self.go_to_view(Julia::KEY);
        let _ = self.view.set_param("c", ParamValue::Point(c));
        if let Some(formula) = formula {
            let _ = self.view.set_param("formula", formula);
        }
        self.view.set_viewport(self.view.home(self.size));
    }

    fn resize(&mut self, size: [u32; 2]) {
        if size.contains(&0) {
            return;
        }
        self.size = size;
        if let Ok(resized) = self.viewport().with_size(size)
            && size != self.viewport().size()
        {
            self.view.set_viewport(resized);
        }
    }

    // Undo of any change.

    fn snapshot(&self) -> Snapshot {
        Snapshot { view: self.view.boxed_clone(), engine: self.engine, palette: self.palette, coloring: self.coloring }
    }

    pub(super) fn remember(&mut self) {
        self.changes.remember(self.snapshot());
    }

    /// Sliders send many small changes; one undo takes them all back.
    fn remember_once_a_burst(&mut self, before: Snapshot) {
        if self.clock - self.last_turn > BURST {
            self.changes.remember(before);
        }
        self.last_turn = self.clock;
    }

    fn step_change(&mut self, step: fn(&mut Timeline<Snapshot>, Snapshot) -> Result<Snapshot, Snapshot>, none: &str) {
        self.motion.stop();
        let here = self.snapshot();
        match step(&mut self.changes, here) {
            Ok(there) => self.restore(there),
            Err(_) => self.say(none),
        }
    }

    fn restore(&mut self, there: Snapshot) {
        let viewport = there.view.viewport().clone();
        self.show_view(there.view.key());
        self.view = there.view;
        self.come_back_to(viewport);
        (self.engine, self.palette, self.coloring) = (there.engine, there.palette, there.coloring);
        self.last_turn = f64::NEG_INFINITY;
    }

    pub(super) fn change(&mut self, how: impl FnOnce(&mut Self)) {
        self.remember();
        how(self);
    }

    // Knobs.

    pub(super) fn set_param(&mut self, key: &str, value: ParamValue) {
        let before = self.snapshot();
        match self.view.set_param(key, value) {
            Ok(()) => self.remember_once_a_burst(before),
            Err(error) => self.complain(error.to_string()),
        }
    }

    /// The cap on iterations, and whether it follows the depth.
    pub fn iterations(&self) -> (u32, bool) {
        let params = self.view.params();
        let value = |key: &str| params.iter().find(|p| p.key == key).map(|p| p.value.clone());
        let cap = match value("max_iterations") {
            Some(ParamValue::Count(cap)) => cap,
            _ => self.job().max_iterations(),
        };
        (cap, value("automatic_iterations") == Some(ParamValue::Switch(true)))
    }

    fn scale_iterations(&mut self, factor: f64) {
        let (cap, _) = self.iterations();
        let scaled = (f64::from(cap) * factor).round().clamp(1.0, f64::from(EscapeTime::MOST_ITERATIONS)) as u32;
        self.set_param("max_iterations", ParamValue::Count(scaled));
        self.say(format!("{} iterations at most", self.iterations().0));
    }

    fn set_palette(&mut self, key: &str) {
        match Palette::named(key) {
            Some(palette) => self.change(|s| s.palette = palette),
            None => {
                let known: Vec<&str> = Palette::all().iter().map(Palette::key).collect();
                self.complain(format!("there is no palette {key:?}; choose one of {}", known.join(", ")));
            }
        }
    }

    fn turn_palette(&mut self, by: isize) {
        let all = Palette::all();
        let at = all.iter().position(|p| p.key() == self.palette.key()).unwrap_or(0);
        let next = (at as isize + by).rem_euclid(all.len() as isize) as usize;
        self.change(|s| s.palette = &all[next]);
        self.say(format!("palette {}", self.palette.name()));
    }

    fn change_coloring(&mut self, how: impl FnOnce(&mut Coloring)) {
        let before = self.snapshot();
        self.remember_once_a_burst(before);
        how(&mut self.coloring);
        self.coloring.density = self.coloring.density.clamp(0.01, 100.0);
        self.coloring.offset = self.coloring.offset.rem_euclid(1.0);
    }

    // Windows within the window, and what runs beside.

    fn quick_save(&mut self) {
        let size = self.viewport().size();
        self.start_export(SaveRequest { path: None, size, supersample: 1, overwrite: false });
    }

    fn start_export(&mut self, request: SaveRequest) {
        if self.exporting {
            self.complain("a picture is being saved already; wait for it, or cancel it");
            return;
        }
        self.exporting = true;
        self.effects.push(Effect::Export(request));
    }

    fn compare(&mut self) {
        self.motion.stop();
        self.comparing = true;
        self.effects.push(Effect::Compare);
    }

    fn close_compare(&mut self) {
        self.comparing = false;
        self.effects.push(Effect::CancelCompare);
    }

    fn set_fullscreen(&mut self, on: bool) {
        self.fullscreen = on;
        self.effects.push(Effect::Fullscreen(on));
    }

    fn escape(&mut self) {
        if self.keys_shown {
            self.keys_shown = false;
        } else if self.export_shown {
            self.export_shown = false;
        } else if self.exporting {
            self.effects.push(Effect::CancelExport);
        } else if self.comparing {
            self.close_compare();
        } else if self.is_moving() {
            self.motion.stop();
        } else if self.fullscreen {
            self.set_fullscreen(false);
        } else {
            self.notice = None;
        }
    }
}
