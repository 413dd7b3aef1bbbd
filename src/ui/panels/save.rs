//! Saving, and how far a save has come.

use egui::Ui;

use super::controls::{bar, button, button_if, note};
use crate::app::{Command, Explorer};
use crate::ui::theme;

pub fn show(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let idle = !explorer.state.exporting;
    ui.horizontal(|ui| {
        let tip = "save what you see as a PNG in the pictures folder";
        button_if(ui, idle, explorer, commands, "Save PNG", tip, Command::QuickSave);
        let tip = "choose size, smoothness and file; or save what plays";
        button(ui, explorer, commands, "Save at any size…", tip, Command::ShowExport(true));
    });
    if !idle {
        running(ui, explorer, commands);
    }
}

/// A save in progress, with the way out of it.
pub fn running(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    bar(ui, explorer.saving().unwrap_or(0.0), 4.0);
    ui.horizontal(|ui| {
        let share = explorer.saving().unwrap_or(0.0);
        note(ui, format!("Saving  {:.0} %", 100.0 * share), theme::TEXT);
        button(ui, explorer, commands, "Stop", "give up this save; no half of a file is left", Command::CancelExport);
    });
}
