//! The comparison: how far it has come, then its table.

use egui::{Rect, RichText, TextStyle, Ui};

use super::controls::{bar, button, copy_buttons, note};
use super::dialog;
use super::digits::{three, times};
use super::table::{self, Cells, Column, figures, words};
use crate::app::{Agreement, Command, Comparison, ComparisonRow, Explorer, Table};
use crate::ui::overlay::agreement_color;
use crate::ui::theme;

const COLUMNS: &[Column] = &[
    words("engine", 112.0, ""),
    words("arithmetic", 112.0, "what the engine computes with, and on"),
    figures("median", 46.0, "compute time in milliseconds, over interleaved runs"),
    figures("min–max", 92.0, "fastest and slowest run, in milliseconds"),
    figures("Mpx/s", 46.0, "million pixels a second"),
    figures("Giter/s", 48.0, "billion iterations of the definition a second"),
    figures("× slowest", 56.0, "how many times as fast as the slowest; a tie where noise is above the gap"),
    figures("counts differ", 96.0, "share of pixels whose count is not the reference's"),
];

pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer, commands: &mut Vec<Command>) {
    if explorer.comparing.is_none() && explorer.comparison.is_none() {
        return;
    }
    let width = if explorer.comparing.is_some() { 380.0 } else { width() };
    let open = dialog::show(ui, canvas, "Compare engines", width, |ui| {
        if let Some((engine, share)) = explorer.comparing {
            running(ui, explorer, commands, engine, share);
        } else if let Some(comparison) = &explorer.comparison {
            result(ui, explorer, commands, comparison);
        }
    });
    if !open {
        commands.push(Command::CloseCompare);
    }
}

fn width() -> f32 {
    table::width(COLUMNS, 10.0)
}

fn running(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>, engine: &str, share: f32) {
    let text = if engine.is_empty() { "warming up".into() } else { format!("running {engine}") };
    ui.label(text);
    bar(ui, share, 5.0);
    note(ui, "The view is frozen meanwhile; moving it gives the comparison up.", theme::WEAK);
    ui.add_space(4.0);
    button(ui, explorer, commands, "Stop", "give the comparison up", Command::CloseCompare);
}

fn result(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>, comparison: &Comparison) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(10.0, 3.0);
        table::header(ui, COLUMNS);
        for row in &comparison.rows {
            table::row(ui, COLUMNS, |cells| fill(cells, comparison, row));
        }
    });
    ui.add_space(6.0);
    note(ui, scope(comparison), theme::WEAK);
    note(ui, comparison.view.as_str(), theme::WEAK);
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        button(ui, explorer, commands, "Again", "run the comparison once more", Command::Compare);
        button(ui, explorer, commands, "Close", "back to the picture", Command::CloseCompare);
        copy_buttons(ui, Table::Comparison, "the comparison", commands);
    });
}

fn scope(comparison: &Comparison) -> String {
    let [width, height] = comparison.size;
    let part = if comparison.size == comparison.full_size {
        "every pixel"
    } else {
        "≈ part of the pixels, for the slowest's sake"
    };
    format!("{width}×{height} samples ({part}); counts held against {}", comparison.reference)
}

fn fill(cells: &mut Cells, comparison: &Comparison, row: &ComparisonRow) {
    let Some(median) = row.median() else {
        let reason = row.absent.as_deref().unwrap_or("not run");
        cells.text(RichText::new(row.key).color(theme::FAINT));
        let text = RichText::new(reason).text_style(TextStyle::Small).color(theme::FAINT);
        cells.rest(text).on_hover_text(reason);
        return;
    };
    let samples = f64::from(comparison.size[0]) * f64::from(comparison.size[1]);
    let agreement = comparison.agreement(row);
    cells.text(RichText::new(row.key).color(theme::STRONG));
    cells
        .text(RichText::new(&row.describe).text_style(TextStyle::Small).color(theme::WEAK))
        .on_hover_text(&row.describe);
    cells.figure(three(median), theme::STRONG);
    let ends = [row.millis.first(), row.millis.last()].map(|ms| three(ms.copied().unwrap_or(f64::NAN)));
    cells.figure(ends.join("–"), theme::WEAK);
    cells.figure(three(samples / median / 1e3), theme::TEXT);
    cells.figure(three(row.stats.steps as f64 / median / 1e6), theme::TEXT);
    cells.text(ratio(comparison, row, agreement));
    let share = comparison.differing_share(row);
    let text = share
        .map_or("–".into(), |share| if share == 0.0 { "none".into() } else { format!("{} %", three(100.0 * share)) });
    cells.figure(text, agreement.map_or(theme::WEAK, agreement_color)).on_hover_text(comparison.differing_text(row));
}

/// The ratio, struck out where the counts are too far apart for it to mean anything.
fn ratio(comparison: &Comparison, row: &ComparisonRow, agreement: Option<Agreement>) -> RichText {
    let text = comparison.ratio(row).map_or("tie".into(), times);
    let text = RichText::new(text).text_style(TextStyle::Monospace);
    match agreement {
        Some(Agreement::Broken) => text.color(theme::BAD).strikethrough(),
        _ => text.color(theme::ACCENT),
    }
}
