//! One frame of the screen, wherever it is painted: events and commands in, shapes and wishes out.

use std::time::Duration;

use egui::{Context, RawInput, ViewportId};

use super::gestures::{self, Gestures};
use super::keyboard::Keyboard;
use super::painter::Shapes;
use super::panels::Handles;
use super::screen::{self, Memory};
use super::shortcuts;
use crate::app::{Command, Course, Effect, Explorer, Hands};

/// Size of a new window, in points.
pub const WINDOW_SIZE: [u32; 2] = [1280, 800];

/// The screen and the hands on it.
pub struct Desk {
    pub ctx: Context,
    /// Pinches since the last frame, in e-folds: egui drops their phases.
    pub pinches: Vec<(f64, egui::TouchPhase)>,
    memory: Memory,
    gestures: Gestures,
    keyboard: Keyboard,
}

/// What a frame came to.
pub struct Laid {
    pub shapes: Shapes,
    pub platform: egui::PlatformOutput,
    /// First pixel of the canvas in the window.
    pub origin: [u32; 2],
    /// What only a window can do.
    pub effects: Vec<Effect>,
    /// Time until the next frame, if nothing else happens.
    pub delay: Duration,
}

impl Desk {
    pub fn new(ctx: Context) -> Self {
        Self {
            ctx,
            pinches: Vec::new(),
            memory: Memory::default(),
            gestures: Gestures::default(),
            keyboard: Keyboard::default(),
        }
    }

    /// Lets `seconds` pass, lays out the screen, and carries out the commands that are given or come of the events.
    pub fn frame(
        &mut self,
        explorer: &mut Explorer,
        seconds: f64,
        mut input: RawInput,
        mut commands: Vec<Command>,
    ) -> Laid {
        explorer.state.tick(seconds);
        let mut events = input.events.clone();
        let typing = self.ctx.text_edit_focused();
        self.keyboard.follow(&mut events, typing);
        commands.extend(shortcuts::commands(&events, explorer, typing));
        if !typing {
            // Keys act on the view: egui must not move its own focus with them.
            input.events.retain(|event| !moves_focus(event));
        }
        // The last news of some work is all that wakes the window: panels must tell of it in this very frame.
        explorer.hear();
        let (mut canvas, mut held) = (egui::Rect::NOTHING, Course::default());
        let ctx = self.ctx.clone();
        let output = ctx.run_ui(input, |ui| {
            let response = screen::show(ui, explorer, &mut self.memory, &mut commands);
            canvas = response.rect;
            let surroundings = surroundings(ui, &response, explorer.state.hands, self.memory.handles);
            self.gestures.point_out_handles(ui.ctx(), &surroundings);
            for event in &events {
                self.gestures.event(event, &surroundings, &mut commands);
            }
            for (delta, phase) in self.pinches.drain(..) {
                self.gestures.pinch(delta, phase, &surroundings, &mut commands);
            }
            held = self.gestures.course(&surroundings);
            draw_box(ui, self.gestures.drawn_box());
        });
        let scale = output.pixels_per_point;
        let [origin, size] =
            [canvas.min.to_vec2(), canvas.size()].map(|v| [v.x, v.y].map(|d| (d * scale).round().max(0.0) as u32));
        explorer.state.apply(Command::Resize { size });
        // Panels were laid out before these took effect: they must be laid out again.
        let changed = commands.iter().any(|c| !matches!(c, Command::Point { .. }));
        for command in commands {
            explorer.state.apply(command);
        }
        // A course that a script asked for goes on while hands ask for none.
        if let Some(command) = self.keyboard.steer(held, explorer, typing) {
            explorer.state.apply(command);
        }
        let effects = explorer.act();

        let primitives = ctx.tessellate(output.shapes, scale);
        let shapes = Shapes { textures: output.textures_delta, primitives, pixels_per_point: scale };
        let delay = output.viewport_output.get(&ViewportId::ROOT).map_or(Duration::MAX, |v| v.repaint_delay);
        let delay = if changed { Duration::ZERO } else { delay };
        Laid { shapes, platform: output.platform_output, origin, effects, delay }
    }
}

/// Keys with which egui would walk through its buttons and press them.
fn moves_focus(event: &egui::Event) -> bool {
    use egui::Key;
    let egui::Event::Key { key, .. } = event else { return false };
    let arrows = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
    arrows.contains(key) || [Key::Tab, Key::Space, Key::Enter].contains(key)
}

/// The box that will be zoomed to.
fn draw_box(ui: &egui::Ui, drawn: Option<egui::Rect>) {
    if let Some(rect) = drawn {
        let (fill, line) = (egui::Color32::from_white_alpha(20), egui::Color32::from_white_alpha(220));
        ui.painter().rect(rect, 2.0, fill, egui::Stroke::new(1.0, line), egui::StrokeKind::Middle);
    }
}

/// What the canvas is in this frame.
fn surroundings(ui: &egui::Ui, response: &egui::Response, hands: Hands, handles: Handles) -> gestures::Canvas {
    ui.input(|input| gestures::Canvas {
        rect: response.rect,
        pixels_per_point: input.pixels_per_point,
        pointer_on_top: response.contains_pointer(),
        time: input.time,
        scroll_pans: cfg!(target_os = "macos"),
        hands,
        handles,
    })
}
