//! The table of times: a row an engine.

use egui::{Color32, Response, RichText, TextStyle, Ui, pos2};

use super::{GAP, color_of, is_at_work, small, spark};
use crate::app::{
    Agreement, ClusterWork, Difference, Differing, EngineInfo, EngineTimings, Explorer, FEW, Ratio, Summary, Timing,
    Verdict,
};
use crate::ui::panels::cluster_told;
use crate::ui::panels::digits::{three, times};
use crate::ui::panels::table::{self, Cells, Column, figures, words};
use crate::ui::theme;

/// Room of an engine's name.
pub const NAME: f32 = 116.0;

const COMPACT: &[Column] = &[
    words("engine", NAME, ""),
    figures("ms", 52.0, "compute time of the newest frame, in milliseconds"),
    figures("×", 54.0, RATIO),
    figures("≠", 48.0, COUNTS),
];

const FULL: &[Column] = &[
    words("engine", NAME, ""),
    figures("last", 44.0, "compute time of the newest frame, in milliseconds"),
    figures("median", 44.0, "of the newest 240 frames, in milliseconds; from five frames on"),
    figures("p95", 38.0, "19 of 20 frames took less, in milliseconds; from five frames on"),
    figures("p99", 38.0, "99 of 100 frames took less, in milliseconds; from five frames on"),
    figures("max", 38.0, "the slowest of the newest 240 frames, in milliseconds; from five frames on"),
    figures("n", 24.0, "frames timed: the newest 240"),
    words("", 56.0, "the newest 240 frames, from zero to the slowest"),
    figures("×", 50.0, RATIO),
    figures("≠", 48.0, COUNTS),
];

/// What stands for a figure that there is none of.
const NONE: &str = "–";
const RATIO: &str =
    "how many times as fast as the plain engine, or as the slowest where that was not timed on this view";
const COUNTS: &str = "share of counts that differ from the plainest engine's, on every 16th pixel across and down";

pub fn full_width() -> f32 {
    table::width(FULL, GAP)
}

pub fn compact_width() -> f32 {
    table::width(COMPACT, GAP)
}

pub fn show(ui: &mut Ui, explorer: &Explorer, is_full: bool) {
    // What is wider than the table goes to the spark-lines.
    let room = ui.available_width() - if is_full { full_width() } else { compact_width() };
    let widened = |column: &Column| Column {
        width: column.width + if column.title.is_empty() { room.max(0.0) } else { 0.0 },
        ..*column
    };
    let columns: Vec<Column> = if is_full { FULL } else { COMPACT }.iter().map(widened).collect();
    let baseline = explorer.drawing().timings.baseline().unwrap_or("slowest");
    table::header_with(
        ui,
        &columns,
        |title| if title == "×" { format!("× {}", short(baseline)) } else { title.into() },
    );
    for engine in explorer.drawing().engines() {
        Row::new(explorer, engine).show(ui, &columns, is_full);
    }
    if let Some(work) = explorer.cluster_work() {
        cluster(ui, &columns, &work, is_full);
    }
}

/// The cluster's line while it draws a file: how long a worker takes for a tile, and how far it is.
fn cluster(ui: &mut Ui, columns: &[Column], work: &ClusterWork, is_full: bool) {
    table::row(ui, columns, |cells| {
        let name = cells.text(RichText::new("   dask").color(theme::STRONG));
        mark(cells, &name);
        name.on_hover_text(format!("dask: the cluster at {} draws what is being saved", work.address));
        let millis = work.seconds_a_tile().map_or(NONE.into(), |seconds| three(1e3 * seconds));
        cells
            .figure(millis, theme::STRONG)
            .on_hover_text("milliseconds that a worker takes for a tile or a frame, its way here included");
        let whole = cluster_told(work).join("  ·  ");
        let (done, total, workers) = (work.progress.done, work.progress.total, work.progress.workers);
        let told = if is_full { whole.clone() } else { format!("{done}/{total} · {workers} w") };
        cells.rest(small(&told, theme::TEXT)).on_hover_text(whole);
    });
}

/// A baseline's name in a narrow heading.
fn short(key: &str) -> &str {
    if key.len() > 7 { "slowest" } else { key }
}

/// One engine's line.
struct Row<'a> {
    engine: &'a EngineInfo,
    timings: Option<&'a EngineTimings>,
    summary: Option<Summary>,
    ratio: Option<Ratio>,
    differing: Option<Differing>,
    /// Why there is no ratio.
    why_not: Option<&'static str>,
    at_work: bool,
    color: Color32,
}

impl<'a> Row<'a> {
    fn new(explorer: &'a Explorer, engine: &'a EngineInfo) -> Self {
        let all = &explorer.drawing().timings;
        let timings = all.engine(engine.key);
        Self {
            engine,
            timings,
            summary: timings.and_then(EngineTimings::summary),
            ratio: all.ratio(engine.key),
            differing: all.differing(engine.key),
            why_not: all.difference(engine.key).map(Difference::label),
            at_work: is_at_work(explorer, engine.key),
            color: color_of(explorer, engine),
        }
    }

    fn last(&self) -> Option<&Timing> {
        self.timings.and_then(EngineTimings::last)
    }

    fn show(&self, ui: &mut Ui, columns: &[Column], is_full: bool) {
        table::row(ui, columns, |cells| {
            self.name(cells);
            match (&self.summary, self.last(), &self.engine.absent) {
                (_, _, Some(reason)) => self.absent(cells, reason, is_full),
                (Some(summary), Some(last), None) => {
                    cells.figure(about(last, summary.last), self.color);
                    if is_full {
                        self.figures(cells, summary, last);
                    }
                    self.ratio(cells);
                    self.counts(cells);
                }
                _ => {
                    cells.rest(small("not timed yet", theme::FAINT));
                }
            }
        });
    }

    fn name(&self, cells: &mut Cells) {
        let response = cells.text(RichText::new(format!("   {}", self.engine.key)).color(self.color));
        if self.at_work {
            mark(cells, &response);
        }
        response.on_hover_ui(|ui| {
            ui.label(format!("{}: {}", self.engine.key, self.engine.about));
            ui.label(small(&self.told(), theme::WEAK));
        });
    }

    /// Arithmetic, clock and state.
    fn told(&self) -> String {
        let mut told = vec![self.engine.describe.clone()];
        if let Some(last) = self.last() {
            told.push(last.stats.source.label().into());
            if last.is_reduced() {
                told.push(format!("≈ timed at {}×{}", last.size[0], last.size[1]));
            }
            told.extend(last.tags().into_iter().map(String::from));
        }
        told.join("  ·  ")
    }

    fn absent(&self, cells: &mut Cells, reason: &str, is_full: bool) {
        // The row says already which engine it is.
        let whole = reason.strip_prefix(self.engine.key).unwrap_or(reason).trim_start();
        let short = if is_full { whole } else { "not for this view" };
        cells.rest(small(short, theme::FAINT)).on_hover_text(reason);
    }

    fn figures(&self, cells: &mut Cells, summary: &Summary, last: &Timing) {
        let dim = if self.color == theme::FAINT { theme::FAINT } else { theme::WEAK };
        let is_enough = summary.n >= FEW;
        let figure = |text: String| if is_enough { text } else { NONE.into() };
        cells.figure(figure(about(last, summary.median)), self.color);
        for value in [summary.p95, summary.p99, summary.max] {
            cells.figure(figure(three(value)), dim);
        }
        cells.figure(summary.n.to_string(), if is_enough { dim } else { theme::ACCENT });
        let (rect, response) = cells.place();
        let millis: Vec<f64> = self.timings.iter().flat_map(|timings| timings.frames()).map(Timing::millis).collect();
        spark::show(cells.ui, rect, &millis, self.color.gamma_multiply(0.8));
        response.on_hover_text(format!("{} frames, the slowest {} ms", millis.len(), three(summary.max)));
    }

    fn ratio(&self, cells: &mut Cells) {
        let Some(ratio) = self.ratio else {
            let response = cells.figure(NONE, theme::FAINT);
            if let Some(why) = self.why_not {
                response.on_hover_text(format!("timed under other conditions: {why}"));
            }
            return;
        };
        let text = match ratio.verdict {
            Verdict::Tie => "tie".into(),
            Verdict::Clear | Verdict::Struck => times(ratio.times),
        };
        let text = RichText::new(text).text_style(TextStyle::Monospace);
        let (text, tip) = match ratio.verdict {
            Verdict::Struck => {
                (text.color(theme::BAD).strikethrough(), "the counts are too far apart for it to count".into())
            }
            Verdict::Tie => (text.color(theme::TEXT), "the noise of the runs is above the gap".into()),
            Verdict::Clear if ratio.runs >= FEW => {
                (text.color(theme::ACCENT), format!("medians of {} runs", ratio.runs))
            }
            Verdict::Clear => {
                (text.color(theme::WEAK), format!("{} of {FEW} runs that make it worth believing", ratio.runs))
            }
        };
        cells.text(text).on_hover_text(tip);
    }

    fn counts(&self, cells: &mut Cells) {
        let Some(differing) = self.differing else {
            cells.figure(NONE, theme::FAINT);
            return;
        };
        let agreement = differing.agreement();
        let text = if differing.count == 0 { "0".into() } else { format!("{} %", percent(100.0 * differing.share())) };
        let tip = format!(
            "{}: {} of {} counts differ from {}, by {} at most",
            agreement.word(),
            differing.count,
            differing.of,
            differing.against,
            differing.most
        );
        cells.figure(text, agreement_color(agreement)).on_hover_text(tip);
    }
}

/// The dot before the name of who is at work.
fn mark(cells: &Cells, name: &Response) {
    let dot = pos2(name.rect.left() + 4.0, name.rect.center().y);
    cells.ui.painter().circle_filled(dot, 3.0, theme::ACCENT);
}

/// A percentage in at most four characters.
fn percent(value: f64) -> String {
    match value {
        v if v < 9.95 => format!("{value:.2}"),
        v if v < 99.5 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Green for what may be compared, amber for what nearly may not, red for what may not.
pub fn agreement_color(agreement: Agreement) -> Color32 {
    match agreement {
        Agreement::Equal | Agreement::Close => theme::GOOD,
        Agreement::Loose => theme::WARN,
        Agreement::Broken => theme::BAD,
    }
}

/// Milliseconds, with a sign where they were scaled up from part of the pixels.
fn about(last: &Timing, millis: f64) -> String {
    if last.is_reduced() { format!("≈{}", three(millis)) } else { three(millis) }
}
