//! The engine ladder: all engines as bars on a logarithmic scale, with their rates and arithmetic.

use egui::{Color32, Rect, RichText, Sense, TextStyle, Ui, pos2, vec2};

use super::rows::NAME;
use super::{GAP, color_of, small};
use crate::app::{Command, EngineInfo, Explorer, Ladder, Timing};
use crate::ui::panels::digits::three;
use crate::ui::panels::table::{self, Column, figures, words};
use crate::ui::theme;

const ROW: f32 = 16.0;
/// Room of the figure at the end of the longest bar.
const END: f32 = 44.0;
const RATES: [Column; 6] = [
    figures("Mpx/s", 40.0, "million pixels a second in the newest frame"),
    figures("Giter/s", 44.0, "billion steps of the definition a second of compute in the newest frame"),
    figures("done", 40.0, "billion steps really executed a second: fewer with shortcuts, more with repeats"),
    words("", 2.0, ""),
    words(
        "clock",
        42.0,
        "what the time was read from: time stamps of the GPU, the host's clock around a fence, or the CPU's",
    ),
    words("with", 128.0, "arithmetic, vectors and threads, or the device"),
];

pub fn show(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let engines: Vec<(&EngineInfo, &Timing)> = timed(explorer);
    if engines.is_empty() {
        return;
    }
    let rates: f32 = RATES.iter().map(|column| column.width + GAP).sum();
    let columns: Vec<Column> = [words("", NAME, ""), words("", ui.available_width() - NAME - GAP - rates, "")]
        .into_iter()
        .chain(RATES)
        .collect();
    let scale = explorer.state.ladder;
    let values: Vec<f64> = engines.iter().map(|(_, timing)| value(scale, timing)).collect();
    let axis = Axis::over(&values);
    let fastest = explorer.drawing().timings.fastest().map(|(key, _)| key);
    ui.add_space(5.0);
    heading(ui, &columns, scale, commands);
    ui.spacing_mut().interact_size.y = ROW;
    for ((engine, timing), value) in engines.iter().zip(&values) {
        let color = color_of(explorer, engine);
        let is_fastest = fastest == Some(engine.key);
        table::row_of_height(ui, &columns, ROW, |cells| {
            cells.text(RichText::new(format!("   {}", engine.key)).text_style(TextStyle::Small).color(color));
            let (rect, response) = cells.place();
            bar(cells.ui, rect, axis.share(*value), &three(*value), (color, is_fastest));
            response.on_hover_text(format!(
                "{} {}{}",
                three(*value),
                scale.unit(),
                if is_fastest { ", the fastest" } else { "" }
            ));
            let dim = if color == theme::FAINT { theme::FAINT } else { theme::WEAK };
            cells.figure(three(timing.megapixels_per_second()), dim);
            cells.figure(three(timing.giga_iterations_per_second()), dim);
            cells.figure(three(timing.giga_steps_done_per_second()), dim);
            cells.place();
            cells.text(small(timing.stats.source.word(), dim)).on_hover_text(timing.stats.source.label());
            cells.text(small(&brief(&engine.describe), dim)).on_hover_text(&engine.describe);
        });
    }
}

/// Engines that can do the view and were timed, the best first; those timed on another view last.
fn timed(explorer: &Explorer) -> Vec<(&EngineInfo, &Timing)> {
    let timings = &explorer.drawing().timings;
    let able = explorer.drawing().engines().iter().filter(|engine| engine.absent.is_none());
    let mut engines: Vec<_> = able.filter_map(|engine| Some((engine, timings.engine(engine.key)?.last()?))).collect();
    engines.sort_by(|(a, of_a), (b, of_b)| {
        let is_old = |engine: &EngineInfo| !timings.is_comparable(engine.key);
        is_old(a).cmp(&is_old(b)).then(of_a.millis().total_cmp(&of_b.millis()))
    });
    engines
}

fn value(scale: Ladder, timing: &Timing) -> f64 {
    match scale {
        Ladder::Millis => timing.millis(),
        Ladder::Megapixels => timing.megapixels_per_second(),
    }
}

/// The headings, and the switch between the two scales over the bars.
fn heading(ui: &mut Ui, columns: &[Column], scale: Ladder, commands: &mut Vec<Command>) {
    table::row_of_height(ui, columns, ROW, |cells| {
        cells.text(small("ladder, log scale", theme::WEAK));
        let (rect, _) = cells.place();
        let mut left = rect.left();
        for choice in [Ladder::Millis, Ladder::Megapixels] {
            let color = if choice == scale { theme::ACCENT } else { theme::WEAK };
            let galley = cells.ui.painter().layout_no_wrap(
                choice.unit().into(),
                TextStyle::Small.resolve(cells.ui.style()),
                color,
            );
            let place = Rect::from_min_size(pos2(left, rect.top()), vec2(galley.size().x + 6.0, rect.height()));
            let name = format!("Ladder in {}", choice.unit());
            let response = cells.ui.interact(place, cells.ui.scope_id().with(choice.unit()), Sense::CLICK);
            response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, choice == scale, &name));
            cells.ui.painter().galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, color);
            left = place.right() + 6.0;
            if response.clicked() && choice != scale {
                commands.push(Command::SetLadder(choice));
            }
        }
        for column in &columns[2..] {
            let response = cells.text(small(column.title, theme::WEAK));
            response.on_hover_text(column.tip);
        }
    });
}

/// A logarithmic scale from somewhat below the least value to the largest.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Room below the least value, so that its bar is seen.
    const BELOW: f64 = 2.0;

    fn over(values: &[f64]) -> Self {
        let positive = || values.iter().copied().filter(|value| *value > 0.0);
        let low = positive().fold(f64::INFINITY, f64::min) / Self::BELOW;
        let high = positive().fold(0.0, f64::max);
        Self { low, high: high.max(low * Self::BELOW) }
    }

    /// Where a value lies, 0 to 1.
    fn share(&self, value: f64) -> f32 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        if share.is_finite() { share.clamp(0.0, 1.0) as f32 } else { 0.0 }
    }
}

fn bar(ui: &Ui, rect: Rect, share: f32, text: &str, (color, is_fastest): (Color32, bool)) {
    let fill = if is_fastest { theme::ACCENT } else { color.gamma_multiply(0.45) };
    let rail = rect.shrink2(vec2(0.0, 3.5));
    let filled = rail.with_max_x(rail.left() + (rail.width() - END).max(8.0) * share);
    ui.painter().rect_filled(filled, 2, fill);
    let text_color = if is_fastest { theme::ACCENT } else { color };
    let galley = ui.painter().layout_no_wrap(text.into(), TextStyle::Monospace.resolve(ui.style()), text_color);
    ui.painter().galley(pos2(filled.right() + 4.0, rect.center().y - galley.size().y / 2.0), galley, text_color);
}

/// What an engine computes with, without the names in brackets and of devices: `f64 × 8, 2 threads`, `f32, software GPU`.
fn brief(describe: &str) -> String {
    let mut brief = String::new();
    let mut depth = 0;
    for c in describe.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 => brief.push(c),
            _ => {}
        }
    }
    let parts = brief.split(',').map(|part| part.split(':').next().unwrap_or(part).trim());
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_told_briefly_and_software_always() {
        for (describe, expected) in [
            ("f64 × 8 (AVX-512), 2 threads", "f64 × 8, 2 threads"),
            ("f32 deltas, software GPU: llvmpipe (vulkan)", "f32 deltas, software GPU"),
            ("f32, Apple M2 (metal)", "f32, Apple M2"),
        ] {
            assert_eq!(brief(describe), expected);
        }
    }

    #[test]
    fn a_factor_is_a_length_wherever_it_stands() {
        let axis = Axis::over(&[1.0, 10.0, 100.0, 0.0]);
        let steps = [axis.share(10.0) - axis.share(1.0), axis.share(100.0) - axis.share(10.0)];
        assert!((steps[0] - steps[1]).abs() < 1e-6 && axis.share(1.0) > 0.05, "{steps:?}");
        assert_eq!((axis.share(100.0), axis.share(0.0)), (1.0, 0.0));
        assert_eq!(Axis::over(&[7.0]).share(7.0), 1.0, "one engine alone");
    }
}
