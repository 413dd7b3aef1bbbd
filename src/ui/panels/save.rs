//! Saving, and how far a save has come.

use egui::Ui;

use super::controls::{bar, button, button_if, dashboard, note};
use super::digits::{grouped, three, time};
use crate::app::{ClusterWork, Command, Explorer};
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
    if let Some(work) = explorer.cluster_work() {
        for line in told(&work) {
            note(ui, line, theme::WEAK);
        }
        if let Some(warning) = &work.progress.warning {
            note(ui, warning, theme::WARN);
        }
        if let Some(address) = &work.progress.dashboard {
            dashboard(ui, address, explorer, commands);
        }
    }
}

/// How far a cluster is, and how fast.
pub fn told(work: &ClusterWork) -> Vec<String> {
    let progress = &work.progress;
    if progress.total == 0 {
        return vec![format!("reaching {}", work.address)];
    }
    let workers = match progress.workers {
        0 => "waiting for workers".into(),
        1 => "1 worker".into(),
        workers => format!("{} workers", grouped(workers)),
    };
    let how_far = format!("{} of {} {}  ·  {workers}", grouped(progress.done), grouped(progress.total), work.units);
    let rate = work.tiles_a_second().zip(work.seconds_left());
    let how_fast = rate.map(|(rate, left)| format!("{} {}/s  ·  {} left", three(rate), work.units, time(left)));
    std::iter::once(how_far).chain(how_fast).collect()
}
