//! The race: what each engine did on this view, and its speed-ups over the views that were raced on.

use egui::{Align2, Area, Id, Order, Rect, RichText, TextStyle, Ui, pos2, vec2};

use super::controls::{bar, copy_buttons, hint, icon_button, note};
use super::digits::{three, times};
use super::table::{self, Cells, Column, figures, words};
use crate::app::{Command, EngineInfo, Explorer, Leg, Table, Verdict};
use crate::ui::overlay::spark_line;
use crate::ui::theme;

const GAP: f32 = 6.0;
const COLUMNS: &[Column] = &[
    words("engine", 112.0, ""),
    figures("ms", 44.0, "median of interleaved runs on this view, in milliseconds"),
    figures(
        "here",
        50.0,
        "how many times as fast as the plain engine on this view, or as the slowest where that is not able",
    ),
    figures("best", 50.0, "the largest speed-up over the views that were raced on"),
    figures("mean", 50.0, "their geometric mean"),
    figures("n", 22.0, "views that count: all on which its counts agree"),
    words("", 56.0, "the speed-ups, view by view"),
];

/// Starts the race, or ends it.
pub fn button(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let text = if explorer.state.racing { "End the race" } else { "Race" };
    let label = RichText::new(text).text_style(TextStyle::Small);
    let response = ui.add(egui::Button::new(label).sense(egui::Sense::CLICK));
    let tip = "on each view that settles, all able engines in turns";
    if hint(response, explorer, &Command::ToggleRace, tip).clicked() {
        commands.push(Command::ToggleRace);
    }
}

/// Shows the panel in the lower left corner of the canvas, above the line of status.
pub fn show(ui: &Ui, canvas: Rect, status: Rect, explorer: &Explorer, commands: &mut Vec<Command>) {
    if !explorer.state.racing {
        return;
    }
    let corner = pos2(canvas.left() + theme::GAP, status.top() - theme::GAP);
    let area = Area::new(Id::unique("race")).order(Order::Middle).movable(false);
    area.pivot(Align2::LEFT_BOTTOM).fixed_pos(corner).constrain_to(canvas).show(ui.ctx(), |ui| {
        theme::floating().show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(GAP, 1.0);
            ui.set_width(table::width(COLUMNS, GAP));
            top_line(ui, explorer, commands);
            bar(ui, explorer.race.progress().map_or(0.0, |(_, share)| share), 3.0);
            table::header(ui, COLUMNS);
            let leg = explorer.race.leg_of(&explorer.state.job());
            for engine in explorer.drawing().engines() {
                table::row(ui, COLUMNS, |cells| fill(cells, explorer, engine, leg));
            }
            ui.add_space(3.0);
            note(ui, over(explorer), theme::WEAK);
            ui.add_space(3.0);
            ui.horizontal(|ui| copy_buttons(ui, Table::Race, "all views and their speed-ups", commands));
        });
    });
}

fn top_line(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 20.0), layout, |ui| {
        let close = icon_button(ui, "×", "End the race");
        if hint(close, explorer, &Command::ToggleRace, "end the race; what was seen is kept").clicked() {
            commands.push(Command::ToggleRace);
        }
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.label(RichText::new("Race").color(theme::ACCENT).strong());
            note(ui, state(explorer), theme::WEAK);
        });
    });
}

/// What it does now.
fn state(explorer: &Explorer) -> String {
    let is_settled = explorer.drawing().status.settled;
    match explorer.race.progress() {
        Some(("", _)) => "warming up".into(),
        Some((engine, share)) => format!("{engine}  ·  {:.0} %", share * 100.0),
        None if explorer.race.leg_of(&explorer.state.job()).is_some() => "this view is done: move on".into(),
        None if is_settled => "gave way to you".into(),
        None => "waits for the view to settle".into(),
    }
}

/// What speed-ups are of.
fn over(explorer: &Explorer) -> String {
    let baselines = explorer.race.baselines();
    if baselines.is_empty() {
        return "× is over naive, or over the slowest engine where naive is not able".into();
    }
    let views = |n: usize| if n == 1 { "1 view".into() } else { format!("{n} views") };
    let over: Vec<String> = baselines.iter().map(|(key, n)| format!("{key} on {}", views(*n))).collect();
    format!("× over {}", over.join(", over "))
}

fn fill(cells: &mut Cells, explorer: &Explorer, engine: &EngineInfo, leg: Option<&Leg>) {
    let result = leg.and_then(|leg| leg.result(engine.key));
    let standing = explorer.race.standing(engine.key);
    let color = if result.is_some() { theme::STRONG } else { theme::WEAK };
    if result.is_none() && standing.is_none() {
        cells.text(RichText::new(engine.key).color(theme::FAINT));
        let text = if engine.absent.is_some() { "not for this view" } else { "not raced yet" };
        let response = cells.rest(RichText::new(text).text_style(TextStyle::Small).color(theme::FAINT));
        if let Some(reason) = &engine.absent {
            response.on_hover_text(reason);
        }
        return;
    }
    cells.text(RichText::new(engine.key).color(color));
    cells.figure(result.map_or("–".into(), |result| three(result.median_millis)), color);
    let text = match result.map(|result| (result.verdict, times(result.times))) {
        None => RichText::new("–").color(theme::FAINT),
        Some((Verdict::Tie, _)) => RichText::new("tie").color(theme::TEXT),
        Some((Verdict::Struck, times)) => RichText::new(times).color(theme::BAD).strikethrough(),
        Some((Verdict::Clear, times)) => RichText::new(times).color(theme::ACCENT),
    };
    cells.text(text.text_style(TextStyle::Monospace));
    cells.figure(standing.map_or("–".into(), |standing| times(standing.best)), theme::TEXT);
    cells.figure(standing.map_or("–".into(), |standing| times(standing.mean)), theme::TEXT);
    cells.figure(standing.map_or(0, |standing| standing.views).to_string(), theme::WEAK);
    let (rect, _) = cells.place();
    spark_line(cells.ui, rect, &explorer.race.speed_ups(engine.key), theme::WEAK);
}
