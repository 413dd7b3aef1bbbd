//! Spark-lines: the newest frames of an engine, from zero to the slowest.

use egui::{Color32, Rect, Shape, Stroke, Ui, pos2};

use crate::app::{FEW, REMEMBERED};

/// Frames that a line is at least as long as: few frames do not fill its width. Fewer than [`FEW`] are no line.
const LEAST: usize = 16;

/// Draws `values`, oldest first; the newest [`REMEMBERED`] of them, however many pixels there are: a single slow frame is a
/// peak that is seen.
pub fn show(ui: &Ui, rect: Rect, values: &[f64], color: Color32) {
    let values = &values[values.len().saturating_sub(REMEMBERED)..];
    let most = values.iter().copied().fold(0.0, f64::max);
    if values.len() < FEW || most <= 0.0 {
        return;
    }
    let rect = rect.shrink2(egui::vec2(0.0, 3.0));
    let step = rect.width() / (values.len().max(LEAST) - 1) as f32;
    let left = rect.right() - step * (values.len() - 1) as f32;
    let place =
        |(i, value): (usize, &f64)| pos2(left + step * i as f32, rect.bottom() - rect.height() * (value / most) as f32);
    let line: Vec<_> = values.iter().enumerate().map(place).collect();
    ui.painter().add(Shape::line(line, Stroke::new(1.2, color)));
}
