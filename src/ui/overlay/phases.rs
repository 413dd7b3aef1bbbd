//! Where the time went: a stacked bar for each engine that does more than compute, and a legend.

use egui::{Color32, Rect, RichText, Sense, TextStyle, Ui, pos2, vec2};

use super::rows::NAME;
use super::{GAP, color_of, is_at_work, small};
use crate::app::{EngineInfo, Explorer, Part, parts};
use crate::ui::panels::digits::three;
use crate::ui::theme;

const ROW: f32 = 14.0;
/// Room of the total at the right.
const TOTAL: f32 = 60.0;

pub fn show(ui: &mut Ui, explorer: &Explorer) {
    let rows: Vec<(&EngineInfo, Vec<(Part, f64)>)> = rows(explorer);
    if rows.is_empty() {
        return;
    }
    ui.add_space(5.0);
    for (engine, parts) in &rows {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
        let color = color_of(explorer, engine);
        let total: f64 = parts.iter().map(|(_, millis)| millis).sum();
        text(ui, rect.left(), rect, &format!("   {}", engine.key), color, TextStyle::Small);
        let bar = Rect::from_min_max(pos2(rect.left() + NAME + GAP, rect.top() + 2.5), rect.max - vec2(TOTAL, 2.5));
        stack(ui, bar, parts, total);
        text(ui, bar.right() + 6.0, rect, &format!("{} ms", three(total)), theme::WEAK, TextStyle::Small);
        let told = parts.iter().map(|(part, millis)| format!("{} {} ms", part.label(), three(*millis)));
        response.on_hover_text(told.collect::<Vec<_>>().join("\n"));
    }
    legend(ui, explorer, &rows);
}

/// The engine at work with what the window does for its picture, and others that prepare or wait for a device.
fn rows(explorer: &Explorer) -> Vec<(&EngineInfo, Vec<(Part, f64)>)> {
    let drawing = explorer.drawing();
    let able = drawing.engines().iter().filter(|engine| engine.absent.is_none());
    let parts_of = |engine: &EngineInfo| match (is_at_work(explorer, engine.key), &drawing.status.stats) {
        (true, Some(stats)) => Some(parts(stats, drawing.status.shown.as_ref())),
        _ => Some(parts(&drawing.timings.engine(engine.key)?.last()?.stats, None)),
    };
    let timed = able.filter_map(|engine| Some((engine, parts_of(engine)?)));
    timed.filter(|(engine, parts)| parts.len() > 1 || is_at_work(explorer, engine.key)).collect()
}

fn stack(ui: &Ui, bar: Rect, parts: &[(Part, f64)], total: f64) {
    let mut left = bar.left();
    for (part, millis) in parts {
        let right = left + bar.width() * (millis / total.max(1e-9)) as f32;
        ui.painter().rect_filled(bar.with_min_x(left).with_max_x(right), 0, color(*part));
        left = right;
    }
}

/// Names of the parts that occur, with the milliseconds of the engine at work; what is compared stands first.
fn legend(ui: &mut Ui, explorer: &Explorer, rows: &[(&EngineInfo, Vec<(Part, f64)>)]) {
    let occurs = |part: &Part| rows.iter().any(|(_, parts)| parts.iter().any(|(other, _)| other == part));
    let at_work = rows.iter().find(|(engine, _)| is_at_work(explorer, engine.key));
    let is_capped = explorer.drawing().status.shown.is_some_and(|shown| shown.is_capped);
    ui.add_space(1.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 0.0);
        ui.spacing_mut().interact_size.y = ROW;
        for part in Part::ALL.into_iter().filter(occurs) {
            let millis = at_work.and_then(|(_, parts)| parts.iter().find(|(other, _)| *other == part));
            let millis = millis.map_or_else(String::new, |(_, millis)| format!(" {}", three(*millis)));
            let capped = if part == Part::Present && is_capped { ", capped" } else { "" };
            let weight = if part.is_compared() { theme::TEXT } else { theme::WEAK };
            let words = format!("{}{millis}{capped}   ", part.label());
            let tip = match part {
                _ if part.is_compared() => "part of the time that engines are compared by",
                Part::Present => {
                    "the wait for the screen and the hand-over to it; capped: as often as the screen shows pictures"
                }
                _ => "not part of the time that engines are compared by",
            };
            // One label, so that a name never parts from its colour.
            let mut job = egui::text::LayoutJob::default();
            RichText::new("■ ").text_style(TextStyle::Small).color(color(part)).append_to(
                &mut job,
                ui.style(),
                egui::FontSelection::Default,
                egui::Align::Center,
            );
            small(&words, weight).append_to(&mut job, ui.style(), egui::FontSelection::Default, egui::Align::Center);
            ui.label(job).on_hover_text(tip);
        }
    });
}

fn text(ui: &Ui, left: f32, row: Rect, words: &str, color: Color32, style: TextStyle) {
    let galley = ui.painter().layout_no_wrap(words.into(), style.resolve(ui.style()), color);
    ui.painter().galley(pos2(left, row.center().y - galley.size().y / 2.0), galley, color);
}

fn color(part: Part) -> Color32 {
    match part {
        Part::Reference => Color32::from_rgb(0xb0, 0x8c, 0xf0),
        Part::Table => Color32::from_rgb(0x6f, 0x9c, 0xf2),
        Part::Compute => theme::ACCENT,
        Part::Compile => theme::BAD,
        Part::Upload => Color32::from_rgb(0x4f, 0xc4, 0xc4),
        Part::ReadBack => theme::GOOD,
        Part::Colour => Color32::from_rgb(0xe8, 0x8c, 0xc0),
        Part::Present => theme::FAINT,
    }
}
