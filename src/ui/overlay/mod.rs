//! The live timings, floating on the picture's top right corner: those of the half with the focus.
//!
//! Compact: a line an engine with its newest time and ratio. Full: every figure ([`rows`]), the engines as bars ([`ladder`]),
//! and where the time went ([`phases`]). Engines that were timed on another view than the newest are dimmed and have no
//! ratio; what was timed on part of the pixels carries `≈`. Frames per second are no measure of an engine, so none are shown.

mod ladder;
mod phases;
mod rows;
mod spark;

pub use rows::agreement_color;
pub use spark::show as spark_line;

use egui::{Area, Color32, Id, Order, Rect, RichText, Sense, TextStyle, Ui, pos2};

use super::panels::digits::{grouped, three};
use super::panels::{hint, icon_button};
use super::theme;
use crate::app::{Command, EngineInfo, Explorer, OverlayMode, Status, Summary, Table, Timing};

/// Between columns.
const GAP: f32 = 6.0;
/// The full form grows with the canvas up to this.
const WIDEST: f32 = 640.0;

/// Shows the overlay in a corner of the canvas.
pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer, commands: &mut Vec<Command>) {
    let mode = explorer.state.overlay;
    if mode == OverlayMode::Off {
        return;
    }
    let corner = pos2(canvas.right() - theme::GAP, canvas.top() + theme::GAP);
    let area = Area::new(Id::unique("timings")).order(Order::Middle).movable(false);
    area.pivot(egui::Align2::RIGHT_TOP).fixed_pos(corner).constrain_to(canvas).show(ui.ctx(), |ui| {
        theme::floating().show(ui, |ui| {
            ui.spacing_mut().item_spacing = egui::vec2(GAP, 1.0);
            let room = canvas.width() - 2.0 * theme::GAP - 2.0 * theme::FLOATING_MARGIN;
            let is_full = mode == OverlayMode::Full;
            let width = if is_full { room.clamp(rows::full_width(), WIDEST) } else { rows::compact_width() };
            ui.set_width(width);
            top_line(ui, explorer, commands);
            progress(ui, explorer);
            rows::show(ui, explorer, is_full);
            pictures(ui, explorer);
            if is_full {
                ladder::show(ui, explorer, commands);
                phases::show(ui, explorer);
            }
            footnotes(ui, explorer, is_full);
            if is_full {
                bottom_line(ui, explorer, commands);
            }
        });
    });
}

/// The engine at work and why, and the overlay's own buttons.
fn top_line(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.allocate_ui_with_layout(
        egui::vec2(ui.available_width(), 20.0),
        egui::Layout::right_to_left(egui::Align::Center),
        |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let close =
                hint(icon_button(ui, "×", "Close timings"), explorer, &Command::NextOverlay, "hide the timings");
            if close.clicked() {
                commands.push(Command::SetOverlay(OverlayMode::Off));
            }
            let (icon, name, other) = match explorer.state.overlay {
                OverlayMode::Full => ("⊟", "Compact timings", OverlayMode::Compact),
                _ => ("⊞", "Full timings", OverlayMode::Full),
            };
            let size = hint(icon_button(ui, icon, name), explorer, &Command::NextOverlay, "show more or fewer figures");
            if size.clicked() {
                commands.push(Command::SetOverlay(other));
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| at_work(ui, explorer));
        },
    );
}

fn at_work(ui: &mut Ui, explorer: &Explorer) {
    if explorer.drawing().status.failure.is_some() {
        ui.label(RichText::new("no engine can draw this").color(theme::WARN));
        return;
    }
    let Some((key, why)) = explorer.drawing().status.engine else {
        ui.label(RichText::new("starting").color(theme::WEAK));
        return;
    };
    ui.spacing_mut().item_spacing.x = 6.0;
    ui.label(RichText::new(key).color(theme::ACCENT).strong());
    let describe = explorer.drawing().engines().iter().find(|e| e.key == key).map_or("", |e| e.describe.as_str());
    let words = match explorer.state.overlay {
        OverlayMode::Full => format!("{describe}  ·  {why}"),
        _ => why.to_owned(),
    };
    ui.add(egui::Label::new(small(&words, theme::WEAK)).truncate()).on_hover_text(format!("{key}: {describe}; {why}"));
}

/// A hairline that fills while the picture is drawn; its room is always there.
fn progress(ui: &mut Ui, explorer: &Explorer) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 4.0), Sense::hover());
    let rail = rect.with_min_y(rect.top() + 1.0).with_max_y(rect.bottom() - 1.0);
    ui.painter().rect_filled(rail, 1, Color32::from_white_alpha(22));
    if let Some(share) = explorer.drawing().progress() {
        let done = rail.with_max_x(rail.left() + rail.width() * share.clamp(0.0, 1.0));
        ui.painter().rect_filled(done, 1, theme::ACCENT);
    }
}

/// How long the picture took from the request on; its room is always there.
fn pictures(ui: &mut Ui, explorer: &Explorer) {
    let status = &explorer.drawing().status;
    let millis = |took: Option<std::time::Duration>| took.map_or("…".into(), |took| three(took.as_secs_f64() * 1e3));
    let text =
        format!("first picture {} ms  ·  final {} ms", millis(status.first_picture), millis(status.final_picture));
    ui.add_space(2.0);
    ui.label(small(&text, theme::WEAK)).on_hover_text(
        "from the request until the window has the first samples of this view, and all of them; earlier pictures that are \
         moved and scaled meanwhile do not count",
    );
}

fn footnotes(ui: &mut Ui, explorer: &Explorer, is_full: bool) {
    let drawing = explorer.drawing();
    let mut line = |text: &str, color: Color32| {
        ui.add_space(2.0);
        ui.add(egui::Label::new(small(text, color)).wrap());
    };
    if let Some(caution) = &drawing.status.caution {
        line(caution, theme::WARN);
    }
    if let Some(reference) = drawing.status.stats.and_then(|stats| stats.reference) {
        let [steps, bits] = [reference.steps, reference.bits].map(|n| grouped(n.into()));
        let megabytes = three(reference.bytes as f64 / 1e6);
        line(&format!("reference of {steps} steps, {bits} bits; kept: {megabytes} MB"), theme::WEAK);
    }
    if is_full {
        for (tag, keys) in tagged(explorer) {
            line(&format!("{tag}: {}", keys.join(", ")), theme::WEAK);
        }
        if let Some(pacing) = pacing(explorer) {
            line(&pacing, theme::WEAK);
        }
    }
    if let Some(software) = software(explorer) {
        let warning = if is_full { " says nothing about real ones" } else { "" };
        line(&format!("{software}{warning}"), theme::WARN);
    }
    if cfg!(debug_assertions) {
        line("debug build: these times say nothing", theme::BAD);
    }
    if !explorer.state.live_timings && !explorer.state.racing {
        line("only the engine at work is timed", theme::WEAK);
    }
}

/// How the newest frames came, and what they cost the main thread without painting.
fn pacing(explorer: &Explorer) -> Option<String> {
    let told = |what: &str, summary: Option<Summary>| {
        summary.map(|of| format!("{what} {} ms, p99 {}", three(of.median), three(of.p99)))
    };
    let pacing = &explorer.pacing;
    let told = [told("frames in motion", pacing.gaps()), told("main thread a frame", pacing.cpu())];
    let told: Vec<_> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("  ·  "))
}

/// What is to be known of newest frames, each with the engines that it holds for.
fn tagged(explorer: &Explorer) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut tagged: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for engine in explorer.drawing().timings.engines() {
        for tag in engine.last().map(Timing::tags).unwrap_or_default() {
            match tagged.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, keys)) => keys.push(engine.key),
                None => tagged.push((tag, vec![engine.key])),
            }
        }
    }
    tagged
}

/// A software device, by its one name, where a row is of one.
fn software(explorer: &Explorer) -> Option<&str> {
    let mut able = explorer.drawing().engines().iter().filter(|engine| engine.absent.is_none());
    able.find_map(|engine| engine.describe.split(", ").find(|part| part.starts_with("software GPU")))
}

/// The table as text, and the race.
fn bottom_line(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 18.0;
        super::panels::copy_buttons(ui, Table::Timings, "the timings", commands);
        let right = egui::Layout::right_to_left(egui::Align::Center);
        ui.with_layout(right, |ui| {
            super::panels::race_button(ui, explorer, commands);
        });
    });
}

fn is_at_work(explorer: &Explorer, key: &str) -> bool {
    let Status { engine, failure, .. } = &explorer.drawing().status;
    failure.is_none() && engine.is_some_and(|(at_work, _)| at_work == key)
}

/// The colour of an engine's figures: bright at work, grey where they are of another view.
fn color_of(explorer: &Explorer, engine: &EngineInfo) -> Color32 {
    let is_fresh = explorer.drawing().timings.is_comparable(engine.key);
    match (engine.absent.is_some(), is_at_work(explorer, engine.key), is_fresh) {
        (true, _, _) => theme::FAINT,
        (_, true, _) => theme::STRONG,
        (_, _, true) => theme::TEXT,
        _ => theme::FAINT,
    }
}

fn small(text: &str, color: Color32) -> RichText {
    RichText::new(text).text_style(TextStyle::Small).color(color)
}
