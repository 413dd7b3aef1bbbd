//! The key sheet: every row of the tables that the keyboard and the mouse go by.

use egui::{Rect, RichText, Ui, vec2};

use super::controls::key_caps;
use super::dialog;
use crate::app::{Command, Explorer};
use crate::ui::shortcuts::{BINDINGS, GESTURES, Group};
use crate::ui::theme;

/// Room for the caps, and for what they do.
const CAPS: f32 = 164.0;
const TEXT: f32 = 236.0;
const ROW: f32 = 19.0;
const GAP: f32 = 20.0;

/// The groups of each column, of about the same length.
const COLUMNS: [&[Group]; 2] =
    [&[Group::Move, Group::Zoom, Group::Window], &[Group::Places, Group::Engines, Group::Picture]];

pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer, commands: &mut Vec<Command>) {
    if !explorer.state.keys_shown {
        return;
    }
    let width = 2.0 * (CAPS + TEXT) + GAP;
    let open = dialog::show(ui, canvas, "Keys and gestures", width, |ui| {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for groups in COLUMNS {
                ui.vertical(|ui| column(ui, groups));
            }
        });
    });
    if !open {
        commands.push(Command::ToggleKeys);
    }
}

fn column(ui: &mut Ui, groups: &[Group]) {
    ui.set_width(CAPS + TEXT);
    ui.spacing_mut().item_spacing = vec2(6.0, 3.0);
    ui.spacing_mut().interact_size.y = ROW;
    for group in groups {
        ui.label(RichText::new(group.title()).color(theme::ACCENT));
        for (_, keys, text) in GESTURES.iter().filter(|(g, ..)| g == group) {
            row(ui, keys, text);
        }
        for binding in BINDINGS.iter().filter(|b| b.group == *group && !b.keys.is_empty()) {
            row(ui, binding.keys, binding.text);
        }
        ui.add_space(7.0);
    }
}

fn row(ui: &mut Ui, keys: &str, text: &str) {
    ui.horizontal(|ui| {
        let left = ui.cursor().left();
        key_caps(ui, keys);
        ui.add_space(left + CAPS - ui.cursor().left());
        ui.label(text);
    });
}
