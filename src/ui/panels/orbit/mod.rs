//! The orbit of one point: drawn on the picture, and a card with its verdict, its first points and its Julia set.
//!
//! What takes time comes from the [`Inspector`](crate::app::Inspector)'s thread; here are a few hundred steps.

mod path;
mod plots;

use egui::{Align2, Area, Color32, Id, Order, Rect, RichText, TextStyle, Ui, pos2, vec2};

use super::controls::{hint, icon_button, note};
use super::digits::three;
use super::guides::panes;
use super::number_field::NumberField;
use super::table::{self, Column, figures};
use crate::app::{Command, Explorer};
use crate::fractal::FormulaId;
use crate::fractal::orbit::{Inspection, points};
use crate::math::{BigComplex, Complex, Decimal};
use crate::ui::theme;

const WIDTH: f32 = 292.0;
/// Side of the small pictures: two stand side by side.
const PLOT: f32 = (WIDTH - 8.0) / 2.0;
const ROWS: usize = 7;
/// The canvas must be this high for the whole card, in points.
const ROOM: f32 = 620.0;

const REAL: &[Column] = &[
    figures("n", 28.0, "number of the step"),
    figures("z_n", 124.0, "z_n = z² + c of the point before; z_1 = c"),
    figures("|z_n|", 124.0, "distance from 0: an orbit that comes farther than 2 never returns"),
];
const COMPLEX: &[Column] = &[
    figures("n", 28.0, "number of the step"),
    figures("Re z_n", 88.0, "z_n = z² + c of the point before; z_1 = c"),
    figures("Im z_n", 88.0, "z_n = z² + c of the point before; z_1 = c"),
    figures("|z_n|", 64.0, "distance from 0: an orbit that comes farther than 2 never returns"),
];

/// Fields of the point looked at: what is typed in them outlives the frame.
#[derive(Default)]
pub struct PointFields {
    re: NumberField,
    im: NumberField,
}

impl PointFields {
    /// Shows the point; gives the one that was entered instead.
    fn show(&mut self, ui: &mut Ui, point: &BigComplex) -> Option<BigComplex> {
        let re = self.re.show(ui, "Re c", &point.re, |_| Ok(()));
        let im = self.im.show(ui, "Im c", &point.im, |_| Ok(()));
        if re.is_none() && im.is_none() {
            return None;
        }
        // A number typed into the other field and not entered yet goes along.
        let part = |field: &NumberField, old: &Decimal| {
            field.text().and_then(|text| text.parse().ok()).unwrap_or_else(|| old.clone())
        };
        let entered = |text: Option<String>| text.and_then(|text| text.parse().ok());
        let re = entered(re).unwrap_or_else(|| part(&self.re, &point.re));
        Some(BigComplex::new(re, entered(im).unwrap_or_else(|| part(&self.im, &point.im))))
    }
}

/// Draws the orbit over the canvas, and the card in its corner.
pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer, fields: &mut PointFields, commands: &mut Vec<Command>) {
    if !explorer.state.orbit_shown() {
        return;
    }
    let point = explorer.state.inspected();
    let seen = explorer.inspector().inspection();
    if let Some(point) = point.as_ref().filter(|_| is_quadratic(explorer)) {
        let cycle = seen.filter(|seen| seen.c == point.to_f64()).and_then(|seen| seen.verdict.cycle());
        // Only the plane of complex numbers has room for an orbit.
        for pane in panes(ui, canvas, explorer).iter().filter(|pane| pane.view.axes().is_none()) {
            path::show(ui, pane.rect, pane.view.viewport(), point, cycle.map_or(&[], |(_, points)| points));
        }
    }
    let corner = pos2(canvas.right() - theme::GAP, canvas.bottom() - theme::GAP);
    let area = Area::new(Id::unique("orbit")).order(Order::Middle).movable(false);
    area.pivot(Align2::RIGHT_BOTTOM).fixed_pos(corner).constrain_to(canvas).show(ui.ctx(), |ui| {
        theme::floating().show(ui, |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing = vec2(8.0, 2.0);
            top_line(ui, explorer, commands);
            match &point {
                Some(point) => {
                    commands.extend(fields.show(ui, point).map(Command::Inspect));
                    card(ui, explorer, point, seen, canvas.height() >= ROOM);
                }
                None => drop(note(ui, "point at the picture", theme::WEAK)),
            }
        });
    });
}

fn is_quadratic(explorer: &Explorer) -> bool {
    let task = explorer.state.stage().upper().task();
    task.escape_time().is_none_or(|task| task.formula == FormulaId::Quadratic)
}

fn top_line(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 20.0;
        let pinned = explorer.state.is_pinned();
        let (title, tip) = if pinned { ("Pinned point", "Esc lets it go") } else { ("Orbit", "click to pin") };
        ui.label(RichText::new(title).color(theme::ACCENT).strong());
        note(ui, tip, theme::WEAK);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let close = icon_button(ui, "×", "Close orbit");
            if hint(close, explorer, &Command::ToggleOrbit, "hide the orbit").clicked() {
                commands.push(Command::ToggleOrbit);
            }
        });
    });
}

fn card(ui: &mut Ui, explorer: &Explorer, point: &BigComplex, seen: Option<&Inspection>, has_room: bool) {
    let c = point.to_f64();
    if is_quadratic(explorer) {
        verdict(ui, seen, c);
        if let Some(r) = logistic(c) {
            note(ui, format!("as the logistic map: r = 1 + √(1 − 4c) = {}", signed(r, 6)), theme::WEAK);
        }
        ui.add_space(4.0);
        rows(ui, c);
    } else {
        note(ui, "verdicts are known for z² + c only", theme::WEAK);
    }
    if has_room {
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            plots::julia(ui, explorer, PLOT);
            if !is_quadratic(explorer) {
                return;
            }
            if c.im == 0.0 { plots::cobweb(ui, c.re, PLOT) } else { plots::close_up(ui, c, PLOT) }
        });
    }
}

/// What becomes of the orbit, and the figures of its cycle; dimmed while they are those of the point before.
fn verdict(ui: &mut Ui, seen: Option<&Inspection>, c: Complex) {
    let is_fresh = seen.is_some_and(|seen| seen.c == c);
    let (strong, weak) = if is_fresh { (theme::STRONG, theme::WEAK) } else { (theme::WEAK, theme::FAINT) };
    let text = seen.map_or_else(|| String::from("…"), |seen| seen.verdict.to_string());
    // Fixed points off the real axis need two numbers.
    let style = if text.chars().count() > 42 { TextStyle::Small } else { TextStyle::Body };
    let words = RichText::new(&text).text_style(style).color(strong);
    ui.add(egui::Label::new(words).truncate()).on_hover_text(&text);
    note(ui, seen.map(facts).filter(|facts| !facts.is_empty()).unwrap_or_else(|| " ".into()), weak);
}

fn facts(seen: &Inspection) -> String {
    let mut facts = Vec::new();
    if let Some((cycle, _)) = seen.verdict.cycle() {
        facts.push(format!("period {}", cycle.period));
        facts.push(format!("|multiplier| {}", three(cycle.multiplier.norm())));
    }
    if let Some(lyapunov) = seen.lyapunov {
        let value = if lyapunov.is_finite() { signed(lyapunov, 3) } else { "−∞".into() };
        facts.push(format!("Lyapunov exponent {value}"));
    }
    facts.join("  ·  ")
}

/// The first lines of the table; the others stay empty, so that the card keeps its size.
fn rows(ui: &mut Ui, c: Complex) {
    let columns = if c.im == 0.0 { REAL } else { COMPLEX };
    table::header(ui, columns);
    let mut orbit = points(c);
    for _ in 0..ROWS {
        let line = orbit.next();
        table::row(ui, columns, |cells| {
            let Some(line) = line else {
                cells.figure("", theme::FAINT);
                return;
            };
            let color = if line.norm > 2.0 { theme::WARN } else { theme::TEXT };
            let digits = if c.im == 0.0 { 10 } else { 6 };
            cells.figure(line.n.to_string(), theme::WEAK);
            cells.figure(signed(line.z.re, digits), color);
            if c.im != 0.0 {
                cells.figure(signed(line.z.im, digits), color);
            }
            cells.figure(signed(line.norm, digits.min(8) - 2), color);
        });
    }
}

/// A number with so many decimals, or in powers of ten where it is large.
fn signed(x: f64, decimals: usize) -> String {
    let size = x.abs();
    let digits = if size < 1e4 { format!("{size:.decimals$}") } else { format!("{size:.2e}") };
    let is_zero = digits.chars().all(|d| d == '0' || d == '.');
    format!("{}{digits}", if x < 0.0 && !is_zero { "−" } else { "" })
}

/// The parameter at which r·x(1 − x) does what z² + c does: c = r(2 − r)/4, for real c where there is one.
fn logistic(c: Complex) -> Option<f64> {
    (c.im == 0.0 && c.re <= 0.25).then(|| 1.0 + (1.0 - 4.0 * c.re).sqrt())
}

/// Bright enough on a dark picture, with a dark rim for a bright one.
const LINE: Color32 = Color32::from_rgb(0xff, 0xff, 0xff);
const RIM: Color32 = Color32::from_black_alpha(150);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_width_until_they_are_large() {
        for (x, decimals, expected) in [
            (-0.5, 4, "−0.5000"),
            (-1e-9, 4, "0.0000"),
            (131.19140625, 4, "131.1914"),
            (-2.5e7, 4, "−2.50e7"),
            (1e200, 6, "1.00e200"),
        ] {
            assert_eq!(signed(x, decimals), expected);
        }
        assert_eq!(logistic(Complex::new(-0.75, 0.0)), Some(3.0));
        assert_eq!(logistic(Complex::new(0.3, 0.0)), None);
    }
}
