//! The live timings, floating on the picture's top right corner.
//!
//! Compact: a line an engine with its median and ratio. Full: every figure. Times of another view
//! than the newest are dimmed; what was timed on part of the pixels carries `≈`.

use egui::{Area, Color32, Id, Order, Rect, RichText, Sense, Shape, Stroke, TextStyle, Ui, pos2};

use super::panels::digits::{grouped, three, times};
use super::panels::table::{self, Cells, Column, figures, words};
use super::panels::{hint, icon_button};
use super::theme;
use crate::app::{Command, EngineInfo, EngineTimings, Explorer, FEW, OverlayMode, Status, Summary, Timing};
use crate::render::TimingSource;

/// Frames in a spark-line.
const SPARK: usize = 48;

const COMPACT: &[Column] = &[
    words("engine", 116.0, ""),
    figures("ms", 52.0, "median compute time of the newest frames, in milliseconds"),
    figures("× slowest", 54.0, "how many times as fast as the slowest engine on the same view"),
    figures("", 26.0, ""),
];

const FULL: &[Column] = &[
    words("engine", 116.0, ""),
    figures("last", 48.0, "compute time of the newest frame, in milliseconds"),
    figures("median", 48.0, "of the newest frames, in milliseconds"),
    figures("p95", 42.0, "19 of 20 frames took less, in milliseconds; from five frames on"),
    figures("n", 24.0, "frames timed: the newest 240"),
    figures("Mpx/s", 42.0, "million pixels a second in the newest frame"),
    figures("Giter/s", 44.0, "billion iterations of the definition a second in the newest frame"),
    words("", SPARK as f32, "the newest frames, from zero to the slowest"),
    figures("× slowest", 54.0, "how many times as fast as the slowest engine on the same view"),
];
const NOTES: f32 = 190.0;

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
            ui.spacing_mut().item_spacing = egui::vec2(8.0, 1.0);
            let columns = if mode == OverlayMode::Full { FULL } else { COMPACT };
            let has_notes = mode == OverlayMode::Full && canvas.width() > width(FULL) + NOTES + 80.0;
            ui.set_width(width(columns) + if has_notes { NOTES + 8.0 } else { 0.0 });
            top_line(ui, explorer, commands);
            progress(ui, explorer);
            table::header(ui, columns);
            for engine in explorer.drawing().engines() {
                Row::new(explorer, engine).show(ui, columns, mode, has_notes);
            }
            footnotes(ui, explorer);
        });
    });
}

fn width(columns: &[Column]) -> f32 {
    columns.iter().map(|c| c.width).sum::<f32>() + 8.0 * (columns.len() - 1) as f32
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
    let text = RichText::new(words).text_style(TextStyle::Small).color(theme::WEAK);
    ui.add(egui::Label::new(text).truncate()).on_hover_text(format!("{key}: {describe}; {why}"));
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

fn footnotes(ui: &mut Ui, explorer: &Explorer) {
    let mut line = |text: &str, color: Color32| {
        ui.add_space(2.0);
        ui.add(egui::Label::new(RichText::new(text).text_style(TextStyle::Small).color(color)).wrap());
    };
    if let Some(caution) = &explorer.drawing().status.caution {
        line(caution, theme::WARN);
    }
    if let Some(reference) = explorer.drawing().status.stats.and_then(|stats| stats.reference) {
        let [steps, bits] = [reference.steps, reference.bits].map(|n| grouped(n.into()));
        let megabytes = three(reference.bytes as f64 / 1e6);
        line(&format!("reference of {steps} steps, {bits} bits; kept: {megabytes} MB"), theme::WEAK);
    }
    if cfg!(debug_assertions) {
        line("debug build: these times say nothing", theme::BAD);
    }
    if !explorer.state.live_timings {
        line("only the engine at work is timed", theme::WEAK);
    }
}

/// One engine's line.
struct Row<'a> {
    engine: &'a EngineInfo,
    timings: Option<&'a EngineTimings>,
    summary: Option<Summary>,
    last: Option<Timing>,
    ratio: Option<f64>,
    at_work: bool,
    /// Timed on the newest view that any engine was timed on.
    is_fresh: bool,
}

impl<'a> Row<'a> {
    fn new(explorer: &'a Explorer, engine: &'a EngineInfo) -> Self {
        let timings = explorer.drawing().timings.engine(engine.key);
        let last = timings.and_then(EngineTimings::last).copied();
        let views = || explorer.drawing().timings.engines().iter().filter_map(EngineTimings::last).map(|t| t.view);
        let has_rivals = last.is_some_and(|last| views().filter(|&view| view == last.view).count() > 1);
        Self {
            engine,
            timings,
            summary: timings.and_then(EngineTimings::summary),
            last,
            ratio: explorer.drawing().timings.ratio_to_slowest(engine.key).filter(|_| has_rivals),
            at_work: is_at_work(explorer, engine.key),
            is_fresh: last.is_some_and(|last| Some(last.view) == views().max()),
        }
    }

    fn show(&self, ui: &mut Ui, columns: &[Column], mode: OverlayMode, has_notes: bool) {
        table::row(ui, columns, |cells| {
            self.name(cells);
            match (&self.summary, &self.last, &self.engine.absent) {
                (_, _, Some(reason)) => self.absent(cells, reason),
                (Some(summary), Some(last), None) => {
                    if mode == OverlayMode::Full {
                        self.figures(cells, summary, last);
                    } else {
                        self.few_figures(cells, summary, last);
                    }
                    if has_notes {
                        self.note(cells, last);
                    }
                }
                _ => {
                    cells.rest(small("not timed yet", theme::FAINT));
                }
            }
        });
    }

    fn color(&self) -> Color32 {
        match (self.at_work, self.is_fresh) {
            (true, _) => theme::STRONG,
            (_, true) => theme::TEXT,
            _ => theme::FAINT,
        }
    }

    fn name(&self, cells: &mut Cells) {
        let color = if self.engine.absent.is_some() { theme::FAINT } else { self.color() };
        let response = cells.text(RichText::new(format!("   {}", self.engine.key)).color(color));
        if self.at_work {
            let dot = pos2(response.rect.left() + 4.0, response.rect.center().y);
            cells.ui.painter().circle_filled(dot, 3.0, theme::ACCENT);
        }
        response.on_hover_ui(|ui| {
            ui.label(format!("{}: {}", self.engine.key, self.engine.about));
            ui.label(small(&self.tags(), theme::WEAK));
        });
    }

    fn absent(&self, cells: &mut Cells, reason: &str) {
        // The row says already which engine it is.
        let short = reason.strip_prefix(self.engine.key).unwrap_or(reason).trim_start();
        cells.rest(small(short, theme::FAINT)).on_hover_text(reason);
    }

    fn few_figures(&self, cells: &mut Cells, summary: &Summary, last: &Timing) {
        let color = self.color();
        cells.figure(about(last, summary.median), color);
        self.ratio(cells);
        let few = if summary.n < FEW { format!("n {}", summary.n) } else { String::new() };
        cells.text(small(&few, theme::WEAK)).on_hover_text("frames timed so far; five make a median worth reading");
    }

    fn figures(&self, cells: &mut Cells, summary: &Summary, last: &Timing) {
        let color = self.color();
        let dim = if self.is_fresh { theme::WEAK } else { theme::FAINT };
        let enough = summary.n >= FEW;
        cells.figure(about(last, summary.last), color);
        cells.figure(about(last, summary.median), color);
        cells.figure(if enough { three(summary.p95) } else { "–".into() }, dim);
        cells.figure(summary.n.to_string(), if enough { dim } else { theme::ACCENT });
        cells.figure(three(last.megapixels_per_second()), dim);
        cells.figure(three(last.giga_iterations_per_second()), dim);
        let (rect, response) = cells.place();
        self.spark(cells.ui, rect);
        response.on_hover_text(format!("slowest {} ms, p99 {} ms", three(summary.max), three(summary.p99)));
        self.ratio(cells);
    }

    fn ratio(&self, cells: &mut Cells) {
        match self.ratio {
            Some(ratio) => cells.figure(times(ratio), if self.is_fresh { theme::ACCENT } else { theme::FAINT }),
            None => cells.figure("–", theme::FAINT),
        };
    }

    fn note(&self, cells: &mut Cells, last: &Timing) {
        let mut text = self.tags();
        if last.is_reduced() {
            text = format!("≈ timed at {}×{}  ·  {text}", last.size[0], last.size[1]);
        }
        cells.extra(small(&text, theme::WEAK), NOTES).on_hover_text(text);
    }

    /// Arithmetic, clock and state, as a few words.
    fn tags(&self) -> String {
        let mut tags = self.engine.describe.clone();
        if self.last.is_some() && self.timings.is_some_and(EngineTimings::is_warming_up) {
            tags.push_str("  ·  warm-up");
        }
        if let Some(last) = self.last.filter(|last| last.stats.source != TimingSource::CpuClock) {
            tags.push_str("  ·  ");
            tags.push_str(last.stats.source.label());
        }
        for (name, millis) in self.last.and_then(|last| last.stats.phases.millis()).into_iter().flatten() {
            tags.push_str(&format!("  ·  {name} {} ms", three(millis)));
        }
        tags
    }

    fn spark(&self, ui: &Ui, rect: Rect) {
        let Some(timings) = self.timings else { return };
        let newest = timings.frames().count().saturating_sub(SPARK);
        let millis: Vec<f64> = timings.frames().skip(newest).map(Timing::millis).collect();
        let most = millis.iter().copied().fold(0.0, f64::max);
        if millis.len() < 2 || most <= 0.0 {
            return;
        }
        let rect = rect.shrink2(egui::vec2(0.0, 3.0));
        let step = rect.width() / (millis.len().max(SPARK / 3) - 1) as f32;
        let left = rect.right() - step * (millis.len() - 1) as f32;
        let place =
            |(i, ms): (usize, &f64)| pos2(left + step * i as f32, rect.bottom() - rect.height() * (ms / most) as f32);
        let line: Vec<_> = millis.iter().enumerate().map(place).collect();
        ui.painter().add(Shape::line(line, Stroke::new(1.2, self.color().gamma_multiply(0.8))));
    }
}

fn is_at_work(explorer: &Explorer, key: &str) -> bool {
    let Status { engine, failure, .. } = &explorer.drawing().status;
    failure.is_none() && engine.is_some_and(|(at_work, _)| at_work == key)
}

/// Milliseconds, with a sign where they were scaled up from part of the pixels.
fn about(last: &Timing, millis: f64) -> String {
    if last.is_reduced() { format!("≈{}", three(millis)) } else { three(millis) }
}

fn small(text: &str, color: Color32) -> RichText {
    RichText::new(text).text_style(TextStyle::Small).color(color)
}
