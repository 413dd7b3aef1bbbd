//! The line at the bottom of the picture: the point under the pointer, and how deep the view is.

use std::borrow::Cow;

use egui::{Color32, FontId, Rect, TextStyle, Ui, vec2};

use super::digits::grouped;
use crate::app::{Explorer, Found, Subframes};
use crate::math::Decimal;
use crate::render::{Camera, Task, Viewport};
use crate::ui::theme;
use crate::view::View;

/// Paints the line over the canvas and gives its place. The mouse goes through it.
pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer) -> Rect {
    let font = TextStyle::Monospace.resolve(ui.style());
    let depth = depth(explorer);
    let room = canvas.width() - 2.0 * theme::GAP - 20.0;
    let pointed = explorer.state.pointed().filter(|(view, _)| view.camera().is_none());
    let lines = match pointed.map(|(view, at)| point(view, at)) {
        None => vec![depth],
        Some([x, y]) => {
            let one = format!("{x}  {y}    {depth}");
            let most = (room / digit_width(ui, &font)) as usize;
            if one.chars().count() <= most { vec![one] } else { vec![shortened(&x, most), shortened(&y, most), depth] }
        }
    };
    paint(ui, canvas, &lines.join("\n"), font)
}

fn digit_width(ui: &Ui, font: &FontId) -> f32 {
    ui.fonts_mut(|fonts| fonts.glyph_width(font, '0'))
}

fn paint(ui: &Ui, canvas: Rect, text: &str, font: FontId) -> Rect {
    let painter = ui.painter();
    let galley = painter.layout_no_wrap(text.into(), font, theme::TEXT);
    let size = galley.size() + vec2(20.0, 10.0);
    let rect = Rect::from_min_size(canvas.left_bottom() + vec2(theme::GAP, -theme::GAP - size.y), size);
    painter.rect_filled(rect, 6, Color32::from_rgba_unmultiplied(0x0f, 0x11, 0x16, 0xc4));
    painter.galley(rect.min + vec2(10.0, 5.0), galley, theme::TEXT);
    rect
}

/// Magnification from the home view, and the cap.
fn depth(explorer: &Explorer) -> String {
    let viewport = explorer.state.viewport();
    if let Task::Space(task) = explorer.state.view().task() {
        let Camera { yaw, pitch, distance, .. } = task.camera;
        let [turn, height] = [yaw, pitch].map(f64::to_degrees);
        let shown = explorer.drawing().film().pictures().last().map(|pass| &pass.job.task);
        let points = if let Some(Task::Space(shown)) = shown { shown.points } else { 0 };
        return format!("{turn:.0}° round  {height:.0}° up  {distance:.3} away    {} points", grouped(points.into()));
    }
    let home = explorer.state.view().home(viewport.size());
    // Of a diagram it is the abscissa that leads deeper.
    let extent = |viewport: &Viewport| match viewport.stretched_width() {
        Some(width) => width.to_float_exp(),
        None => viewport.height().to_float_exp(),
    };
    let zoom = extent(&home).div(extent(viewport));
    let plain = zoom.to_f64();
    let zoom = if (0.01..9.995e4).contains(&plain) { super::digits::three(plain) } else { zoom.to_string() };
    if let Some(orbits) = explorer.state.job().orbits() {
        let drawing = explorer.drawing();
        let share = drawing.progress().unwrap_or(f32::from(u8::from(drawing.status.settled)));
        return format!("zoom {zoom}×    {:.0} of {} orbits a column", share * orbits.len() as f32, orbits.len());
    }
    let (cap, automatic) = explorer.state.iterations();
    let cap = grouped(cap.into());
    let cap = if automatic { format!("auto {cap} iterations") } else { format!("{cap} iterations") };
    let period = match explorer.state.found() {
        Some(Found::Minibrot(nucleus)) => format!("    period {}", grouped(nucleus.period.into())),
        Some(Found::Spiral(point)) => format!("    spiral of period {}", grouped(point.period.into())),
        None => String::new(),
    };
    let making = explorer.drawing().preparation().map_or_else(String::new, |making| format!("    {making}"));
    let turned = match viewport.rotation_degrees() {
        0.0 => String::new(),
        degrees => format!("    turned {degrees:.1}°"),
    };
    let samples = explorer.drawing().subframes().map(Subframes::progress);
    let samples = samples.map_or_else(String::new, |(count, planned)| format!("    AA {count}/{planned}"));
    format!("zoom {zoom}×{turned}    {cap}{period}{making}{samples}")
}

/// Both coordinates of a place, signed, to the digits that a pixel tells apart.
fn point(view: &dyn View, at_px: [f64; 2]) -> [String; 2] {
    let viewport = view.viewport();
    let places = viewport.pixel_step().map(|step| (step.log2() * std::f64::consts::LOG10_2).floor() as i64);
    let point = viewport.plane_from_pixel(at_px);
    let [x, y] = [fixed(&point.re, places[0]), fixed(&point.im, places[1])];
    match view.axes() {
        None => [x, format!("{y} i")],
        Some([abscissa, ordinate]) => [format!("{abscissa} {x}"), format!("{ordinate} {y}")],
    }
}

/// A signed decimal with all places down to `10^place`, zeros too, so that it keeps its width.
fn fixed(value: &Decimal, place: i64) -> String {
    let rounded = value.rounded_at(place);
    let sign = if !rounded.is_zero() && !rounded.is_positive() { '−' } else { '+' };
    let text = rounded.to_string();
    let digits = plain(text.trim_start_matches('-'));
    if place >= 0 {
        return format!("{sign}{digits}");
    }
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    // A width in a format ends at 65 535.
    let zeros = "0".repeat((-place as usize).saturating_sub(part.len()));
    format!("{sign}{whole}.{part}{zeros}")
}

/// `1.6e-5` as `0.000016`.
fn plain(digits: &str) -> Cow<'_, str> {
    let Some((lead, zeros)) = digits.split_once("e-") else { return digits.into() };
    let zeros = zeros.parse::<usize>().unwrap_or(1);
    format!("0.{}{}", "0".repeat(zeros.saturating_sub(1)), lead.replace('.', "")).into()
}

/// Both ends of a long text.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let tail = most * 2 / 3;
    let head: String = text.chars().take(most - tail - 1).collect();
    let tail: String = text.chars().skip(count - tail).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_keep_their_width() {
        for (text, place, expected) in [
            ("-0.75", -4, "−0.7500"),
            ("0", -3, "+0.000"),
            ("-0.00001", -3, "+0.000"),
            ("1.23456", -3, "+1.235"),
            ("12", 0, "+12"),
            ("-1.6e-5", -7, "−0.0000160"),
        ] {
            assert_eq!(fixed(&text.parse().unwrap(), place), expected);
        }
    }

    #[test]
    fn any_number_of_places_is_shown() {
        let text = fixed(&"0.5".parse().unwrap(), -90_000);
        assert!(text.len() == 90_003 && text.starts_with("+0.500") && text.ends_with("000"));
    }

    #[test]
    fn long_numbers_keep_both_ends() {
        assert_eq!(shortened("0123456789abcdef", 10), "012…abcdef");
        assert_eq!(shortened("0123", 10), "0123");
    }
}
