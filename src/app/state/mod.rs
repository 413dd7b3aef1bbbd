//! The whole state of the explorer, and the one way to change it: [`State::apply`].

mod bookmarks;
mod changes;
mod landmarks;
mod navigation;
mod orbit;
mod piloting;
mod places;
mod play;
mod stage;
mod turning;

use changes::Snapshot;
use navigation::{Pinch, Place};
use orbit::Orbit;
use play::Playing;
pub use stage::{Half, Stage};

use super::autopilot::Autopilot;
use super::bookmarks::Bookmarks;
use super::cluster::Site;
use super::command::{Command, Effect, EngineChoice, Ladder, OverlayMode};
use super::finder::Search;
use super::history::Timeline;
use super::landmark::Found;
use super::motion::Motion;
use super::saver::SaveRequest;
use super::settings::{Hands, Settings};
use super::tile_map::TileMap;
use crate::color::{Coloring, Palette};
use crate::math::Decimal;
use crate::render::{Channels, Job, Lattice, Quality, Shortcuts, Viewport};
use crate::view::{self, ComplexBifurcation, ParamValue, View};

/// How long a notice stays, in seconds.
const NOTICE_SECONDS: f64 = 6.0;

/// What the explorer shows and how.
pub struct State {
    stage: Stage,
    menu: Vec<(&'static str, &'static str)>,
    /// The views that are not shown, each as it was left.
    others: Vec<Box<dyn View>>,
    /// Keys of the views that are shown with their companions, and the companions that are not shown.
    paired: Vec<&'static str>,
    companions: Vec<(&'static str, Box<dyn View>)>,
    pub engine: EngineChoice,
    pub palette: &'static Palette,
    pub coloring: Coloring,

    pub overlay: OverlayMode,
    /// Other engines are timed whenever a view settles.
    pub live_timings: bool,
    /// All able engines are timed against each other whenever a view settles.
    pub racing: bool,
    pub ladder: Ladder,
    pub tile_map: TileMap,
    /// Pictures at rest are antialiased.
    pub antialiasing: bool,
    pub panels: bool,
    pub keys_shown: bool,
    /// Parameters that have names are labelled in diagrams.
    pub names: bool,
    pub fullscreen: bool,
    pub export_shown: bool,
    /// The list of bookmarks is open.
    pub bookmarks_shown: bool,
    bookmarks: Bookmarks,
    /// A comparison is running or shown: the view is frozen.
    pub comparing: bool,
    pub exporting: bool,
    /// The cluster that was asked last.
    pub cluster: Option<Site>,
    /// What is being looked for.
    pub finding: Option<Search>,
    /// What was found last, and the height at which it was looked at first.
    found: Option<(Found, Decimal)>,
    /// Place of the pointer in pixels of the canvas.
    pub pointer_px: Option<[f64; 2]>,
    orbit: Orbit,
    notice: Option<Notice>,

    motion: Motion,
    pinch: Option<Pinch>,
    pub hands: Hands,
    autopilot: Option<Autopilot>,
    /// How often it has flown: the seed of the next flight.
    flights: u32,
    /// What moves by itself.
    playing: Option<Playing>,
    places: Timeline<Place>,
    changes: Timeline<Snapshot>,
    clock: f64,
    last_move: f64,
    /// When a knob was last turned.
    last_turn: f64,
    /// Raised by whatever asks for the picture to be drawn again though nothing in the job changed.
    pub redraws: u64,
    effects: Vec<Effect>,
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

impl State {
    /// At home, in a canvas of `size` pixels.
    pub fn new(size: [u32; 2]) -> Self {
        let mut others = view::all(size);
        let menu = others.iter().map(|view| (view.key(), view.title())).collect();
        Self {
            stage: Stage::new(others.remove(0), size),
            menu,
            others,
            paired: vec![ComplexBifurcation::KEY],
            companions: Vec::new(),
            engine: EngineChoice::Auto,
            palette: Palette::default_palette(),
            coloring: Coloring::default(),
            overlay: OverlayMode::default(),
            live_timings: true,
            racing: false,
            ladder: Ladder::default(),
            tile_map: TileMap::default(),
            antialiasing: true,
            panels: true,
            keys_shown: false,
            names: true,
            fullscreen: false,
            export_shown: false,
            bookmarks_shown: false,
            bookmarks: Bookmarks::default(),
            comparing: false,
            exporting: false,
            cluster: None,
            finding: None,
            found: None,
            pointer_px: None,
            orbit: Orbit::default(),
            notice: None,
            motion: Motion::default(),
            pinch: None,
            hands: Hands::default(),
            autopilot: None,
            flights: 0,
            playing: None,
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

    /// The view with the focus.
    pub fn view(&self) -> &dyn View {
        self.stage.view()
    }

    /// All that is shown.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Keys and titles of all views, in the order of the menu.
    pub fn views(&self) -> &[(&'static str, &'static str)] {
        &self.menu
    }

    /// What is worth remembering from one run to the next.
    pub fn settings(&self) -> Settings {
        let views = self.views().iter().map(|(key, _)| *key);
        let paired = views.filter(|key| self.paired.contains(key)).map(String::from).collect();
        Settings {
            paired,
            split: self.stage.split(),
            antialiasing: self.antialiasing,
            hands: self.hands,
            cluster: self.cluster.clone(),
        }
    }

    /// Takes on what was remembered.
    pub fn apply_settings(&mut self, settings: &Settings) {
        let known = self.views().iter().map(|(key, _)| *key);
        self.paired = known.filter(|key| settings.paired.iter().any(|paired| paired == key)).collect();
        self.stage.set_split(settings.split);
        self.antialiasing = settings.antialiasing;
        let upper = self.stage.upper().boxed_clone();
        let lower = self.companion(upper.as_ref());
        self.stage.set_lower(lower);
        self.set_hands(settings.hands);
        self.cluster.clone_from(&settings.cluster);
    }

    pub fn viewport(&self) -> &Viewport {
        self.view().viewport()
    }

    pub fn is_moving(&self) -> bool {
        self.motion.is_moving() || self.is_piloted()
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
        if self.is_moving() || self.is_playing() {
            return Some(0.0);
        }
        self.notice.as_ref().map(|n| (n.until - self.clock).max(0.0))
    }

    /// What to draw: the view with the focus at every pixel.
    pub fn job(&self) -> Job {
        self.job_of(self.stage.focus())
    }

    /// What to draw in a half of the canvas.
    pub fn job_of(&self, half: Half) -> Job {
        let view = self.stage.at(half);
        let middle = view.viewport().size().map(|s| f64::from(s) / 2.0);
        let pointer = self.pointer_px.map(|px| self.stage.within(half, px));
        let channels = view.channels();
        Job {
            viewport: view.viewport().clone(),
            lattice: Lattice::FULL,
            task: view.task(),
            // Beside its diagram the set shows the same periods in the same colours.
            channels: Channels { periods: channels.periods || self.stage.lower().is_some(), ..channels },
            quality: Quality::Exact,
            shortcuts: Shortcuts::ALL,
            focus: pointer.unwrap_or(middle).map(|p| p as f32),
        }
    }

    /// The view under the pointer, and the place in it.
    pub fn pointed(&self) -> Option<(&dyn View, [f64; 2])> {
        let (half, at) = self.stage.locate(self.pointer_px?);
        Some((self.stage.at(half), at))
    }

    /// What the window has to do since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Lets time pass: motion goes on, notices fade.
    pub fn tick(&mut self, seconds: f64) {
        self.clock += seconds;
        self.fly_on(seconds);
        self.move_on(seconds);
        // A window that slept must not leap.
        self.play_on(seconds.min(0.1));
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
        if command.is_by_hand() {
            self.motion.rest();
            if command != Command::ToggleAutopilot {
                self.land();
            }
        }
        match command {
            Command::Pan { by_px } => self.pan(by_px),
            Command::Glide { by_px } => self.start_moving(|m| m.glide(by_px)),
            Command::GlideBy { share } => self.glide_by(share),
            Command::Throw { velocity_px } => self.start_moving(|m| m.throw(velocity_px)),
            Command::ThrowZoom { speed, about_px } => self.throw_zoom(speed, about_px),
            Command::Cruise(course) => self.cruise(course),
            Command::ToggleAutopilot => self.toggle_autopilot(),
            Command::Hold => self.motion.stop(),
            Command::Turn { degrees } => self.turn(degrees),
            Command::DragTurn { from_px, to_px } => self.drag_turn(from_px, to_px),
            Command::Upright => self.stand_upright(),
            Command::Zoom { factor, about_px } => self.zoom(factor, about_px),
            Command::ZoomNow { factor, about_px } => self.zoom_now(factor, about_px),
            Command::ZoomCentre { factor } => self.zoom_centre(factor),
            Command::ZoomToBox { from_px, to_px } => self.zoom_to_box(from_px, to_px),
            Command::SetView(key) => self.go_to_view(key),
            Command::NextView => self.turn_view(1),
            Command::PreviousView => self.turn_view(-1),
            Command::JuliaHere => self.julia_here(),
            Command::ToggleOrbit => self.toggle_orbit(),
            Command::PinPoint { at_px } => self.pin(at_px),
            Command::Inspect(point) => self.inspect(point),
            Command::ToggleNames => self.names = !self.names,
            Command::ZoomOrdinate { factor, about_px } => self.zoom_ordinate(factor, about_px),
            Command::FitOrdinate => self.fit_ordinate(),
            Command::Grasp { at_px } => self.grasp(at_px),
            Command::DragSection { at_px } => self.drag_section(at_px),
            Command::TogglePlay => self.toggle_play(),
            Command::ToggleSpin => self.toggle_spin(),
            Command::SetSplit(split) => self.stage.set_split(split),
            Command::TogglePair => self.toggle_pair(),
            Command::Home => self.home(),
            Command::Shift { by_px } => self.shift(by_px),
            Command::Look(axis) => self.look(axis),
            Command::Back => self.step_place(Timeline::back, "there is no earlier view"),
            Command::Forward => self.step_place(Timeline::forward, "there is no later view"),
            Command::Undo => self.step_change(Timeline::back, "there is nothing to undo"),
            Command::Redo => self.step_change(Timeline::forward, "there is nothing to redo"),
            Command::Resize { size } => self.resize(size),
            Command::Point { at_px } => self.point(at_px),

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

            Command::Find { landmark, at_px } => self.find(landmark, at_px),
            Command::CancelFind => self.give_up_search(),
            Command::GoTo(text) => self.go_to(&text),
            Command::Open(path) => self.open(&path),
            Command::SetCenter { re, im } => self.set_center(&re, &im),
            Command::SetHeight(text) => self.set_height(&text),
            Command::SetWidth(text) => self.set_width(&text),
            Command::SetRotation(text) => self.set_rotation(&text),
            Command::CopyLocation => self.copy_location(),
            Command::AddBookmark => self.add_bookmark(),
            Command::GoToBookmark(place) => self.go_to_bookmark(place),
            Command::RenameBookmark { id, name } => self.rename_bookmark(id, &name),
            Command::RemoveBookmark(id) => self.remove_bookmark(id),
            Command::RestoreBookmark => self.restore_bookmark(),
            Command::ToggleBookmarks => self.bookmarks_shown = !self.bookmarks_shown,
            Command::PasteLocation => self.effects.push(Effect::Paste),

            Command::QuickSave => self.quick_save(),
            Command::ShowExport(shown) => self.export_shown = shown,
            Command::Export(request) => self.export(request),
            Command::ExportAnimation(request) => self.start_export(Effect::ExportAnimation(request)),
            Command::CancelExport => self.effects.push(Effect::CancelExport),
            Command::TestCluster(site) => self.test_cluster(site),
            Command::CopyDashboard => self.effects.push(Effect::CopyDashboard),
            Command::OpenDashboard => self.effects.push(Effect::OpenDashboard),

            Command::Recompute => self.redraws += 1,
            Command::Compare => self.compare(),
            Command::CloseCompare => self.close_compare(),
            Command::ToggleLiveTimings => self.live_timings = !self.live_timings,
            Command::ToggleRace => self.toggle_race(),
            Command::SetTileMap(map) => self.set_tile_map(map),
            Command::NextTileMap => self.set_tile_map(self.tile_map.next()),
            Command::CopyTable { table, format } => self.effects.push(Effect::CopyTable { table, format }),
            Command::SetLadder(ladder) => self.ladder = ladder,
            Command::ToggleAntialiasing => self.toggle_antialiasing(),
            Command::NextOverlay => self.overlay = self.overlay.next(),
            Command::SetOverlay(mode) => self.overlay = mode,
            Command::TogglePanels => self.panels = !self.panels,
            Command::ToggleKeys => self.keys_shown = !self.keys_shown,
            Command::ToggleFullscreen => self.set_fullscreen(!self.fullscreen),
            Command::SetHands(hands) => self.set_hands(hands),
            Command::Escape => self.escape(),
            Command::DismissNotice => self.notice = None,
            Command::Quit => self.effects.push(Effect::Quit),
        }
    }

    fn toggle_antialiasing(&mut self) {
        self.antialiasing = !self.antialiasing;
        self.say(if self.antialiasing { "pictures at rest are antialiased" } else { "one sample a pixel" });
    }

    fn quick_save(&mut self) {
        self.export(SaveRequest::plain(None));
    }

    fn export(&mut self, request: SaveRequest) {
        if let Some(site) = &request.cluster {
            self.cluster = Some(site.clone());
        }
        self.start_export(Effect::Export(request));
    }

    fn test_cluster(&mut self, site: Site) {
        self.cluster = Some(site.clone());
        self.effects.push(Effect::TestCluster(site));
    }

    fn start_export(&mut self, export: Effect) {
        if self.exporting {
            self.complain("something is being saved already; wait for it, or cancel it");
            return;
        }
        self.exporting = true;
        self.effects.push(export);
    }

    /// A full table of timings makes room for the race's.
    fn toggle_race(&mut self) {
        self.racing = !self.racing;
        if self.racing && self.overlay == OverlayMode::Full {
            self.overlay = OverlayMode::Compact;
        }
    }

    /// The picture is drawn again for a map that was not kept.
    fn set_tile_map(&mut self, map: TileMap) {
        if self.tile_map == TileMap::Off && map != TileMap::Off {
            self.redraws += 1;
        }
        self.tile_map = map;
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

    fn set_hands(&mut self, hands: Hands) {
        self.hands = hands;
        self.motion.reduced = hands.reduced_motion;
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
        } else if self.bookmarks_shown {
            self.bookmarks_shown = false;
        } else if self.exporting {
            self.effects.push(Effect::CancelExport);
        } else if self.comparing {
            self.close_compare();
        } else if self.racing {
            self.racing = false;
        } else if self.tile_map != TileMap::Off {
            self.tile_map = TileMap::Off;
        } else if self.finding.is_some() {
            self.give_up_search();
        } else if self.is_moving() {
            self.motion.stop();
        } else if self.is_playing() {
            self.playing = None;
        } else if self.orbit_shown() && self.is_pinned() {
            self.pin(None);
        } else if self.fullscreen {
            self.set_fullscreen(false);
        } else {
            self.notice = None;
        }
    }
}
