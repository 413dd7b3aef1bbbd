//! The side panel: its sections from top to bottom, scrolling where the window is short.

use egui::{Margin, Panel, RichText, ScrollArea, TextStyle, Ui};

use super::controls::{button, heading, hint, icon_button, note, rule};
use super::{engines, params, save};
use crate::app::{Command, Explorer};
use crate::ui::screen::Memory;
use crate::ui::theme;

pub fn show(ui: &mut Ui, explorer: &Explorer, memory: &mut Memory, commands: &mut Vec<Command>) {
    let panel = Panel::left("side").exact_size(theme::PANEL_WIDTH).resizable(false).frame(theme::panel());
    panel.show(ui, |ui| {
        let area = ScrollArea::vertical().auto_shrink(false).content_margin(Margin {
            left: 16,
            right: 16,
            top: 12,
            bottom: 14,
        });
        area.show(ui, |ui| {
            title(ui, explorer, commands);
            heading(ui, "Place", |_| {});
            memory.place.show(ui, explorer, commands);
            heading(ui, explorer.state.view().title(), |ui| views(ui, explorer, commands));
            params::show(ui, explorer, &mut memory.points, commands);
            heading(ui, "Engine", |ui| engines::compare(ui, explorer, commands));
            engines::show(ui, explorer, commands);
            heading(ui, "Colour", |ui| drop(note(ui, explorer.state.palette.name(), theme::WEAK)));
            memory.strips.show(ui, explorer, commands);
            rule(ui);
            save::show(ui, explorer, commands);
        });
    });
}

/// The ways to the other views.
fn views(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let shown = explorer.state.view().key();
    for (key, title) in explorer.state.views().into_iter().rev().filter(|(key, _)| *key != shown) {
        button(ui, explorer, commands, title, "show this view, as it was left", Command::SetView(key));
    }
}

fn title(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Cardioid").text_style(TextStyle::Heading).color(theme::STRONG));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (icon, name, tip, command) in [
                ("«", "Hide panel", "hide the panels", Command::TogglePanels),
                ("?", "Keys", "every key and gesture", Command::ToggleKeys),
            ] {
                if hint(icon_button(ui, icon, name), explorer, &command, tip).clicked() {
                    commands.push(command);
                }
            }
        });
    });
}
