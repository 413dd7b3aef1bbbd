//! The key sheet: every row of the tables that the keyboard and the mouse go by.

use egui::{Align2, RichText, ScrollArea, Ui, Window, vec2};

use super::controls::key_caps;
use crate::app::{Command, Explorer};
use crate::ui::shortcuts::{BINDINGS, GESTURES, Group};
use crate::ui::theme;

/// Room for the caps, and for what they do.
const CAPS: f32 = 172.0;
const TEXT: f32 = 214.0;

/// The groups of each column, of about the same length.
const COLUMNS: [&[Group]; 2] =
    [&[Group::Move, Group::Zoom, Group::Window], &[Group::Places, Group::Engines, Group::Picture]];

pub fn show(ui: &Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    if !explorer.state.keys_shown {
        return;
    }
    let screen = ui.ctx().content_rect();
    let mut open = true;
    let window = Window::new("Keys and gestures").open(&mut open).collapsible(false).resizable(false);
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(ui.ctx(), |ui| {
        ScrollArea::vertical().max_height(screen.height() - 120.0).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 24.0;
                for groups in COLUMNS {
                    ui.vertical(|ui| column(ui, groups));
                }
            });
        });
    });
    if !open {
        commands.push(Command::ToggleKeys);
    }
}

fn column(ui: &mut Ui, groups: &[Group]) {
    ui.set_width(CAPS + TEXT);
    ui.spacing_mut().item_spacing = vec2(6.0, 5.0);
    for group in groups {
        ui.label(RichText::new(group.title()).color(theme::ACCENT));
        for (_, keys, text) in GESTURES.iter().filter(|(g, ..)| g == group) {
            row(ui, keys, text);
        }
        for binding in BINDINGS.iter().filter(|b| b.group == *group && !b.keys.is_empty()) {
            row(ui, binding.keys, binding.text);
        }
        ui.add_space(8.0);
    }
}

fn row(ui: &mut Ui, keys: &str, text: &str) {
    ui.horizontal_top(|ui| {
        ui.allocate_ui(vec2(CAPS, 18.0), |ui| {
            ui.set_min_width(CAPS);
            key_caps(ui, keys);
        });
        ui.allocate_ui(vec2(TEXT - 8.0, 18.0), |ui| ui.label(text));
    });
}
