//! Lines over the pictures: the crosshair, the line that a section is taken along, and parameters that have names.

use egui::{Align2, Color32, FontId, Painter, Rect, Stroke, Ui, pos2, vec2};

use crate::app::{Explorer, Half};
use crate::fractal::map::Named;
use crate::math::{BigComplex, Decimal};
use crate::render::{Task, Viewport};
use crate::ui::theme;
use crate::view::View;

/// Labels closer together than this are left out, in points; they fade in over as much again.
const ROOM: f32 = 60.0;
/// Letters of labels.
const LETTERS: f32 = 11.0;

/// Places of the canvas that can be dragged, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handles {
    /// Height of the section line.
    pub section: Option<f32>,
    /// Height of the line between two halves.
    pub divider: Option<f32>,
}

/// A half of the canvas on the screen.
pub struct Pane<'a> {
    pub view: &'a dyn View,
    /// In points.
    pub rect: Rect,
    pixels_per_point: f32,
}

impl Pane<'_> {
    fn viewport(&self) -> &Viewport {
        self.view.viewport()
    }

    fn place(&self, point: &BigComplex) -> egui::Pos2 {
        let [x, y] = self.viewport().pixel_from_plane(point).map(|p| (p as f32).clamp(-1e6, 1e6));
        self.rect.min + vec2(x, y) / self.pixels_per_point
    }
}

/// Paints the lines; gives those that can be dragged.
pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer) -> Handles {
    let panes = panes(ui, canvas, explorer);
    for pane in panes.iter().filter(|_| explorer.state.names) {
        named(&ui.painter().with_clip_rect(pane.rect), pane);
    }
    crosshair(ui, explorer, &panes);
    let divider = (panes.len() == 2).then(|| {
        let y = f32::midpoint(panes[0].rect.bottom(), panes[1].rect.top());
        ui.painter().hline(canvas.x_range(), y, Stroke::new(2.0, theme::PANEL));
        y
    });
    Handles { section: section(ui, explorer, &panes), divider }
}

/// What is shown, and where.
pub fn panes<'a>(ui: &Ui, canvas: Rect, explorer: &'a Explorer) -> Vec<Pane<'a>> {
    explorer.state.stage().shown().map(|(half, view)| pane(ui, canvas, explorer, half, view)).collect()
}

fn pane<'a>(ui: &Ui, canvas: Rect, explorer: &Explorer, half: Half, view: &'a dyn View) -> Pane<'a> {
    let pixels_per_point = ui.pixels_per_point();
    let points = |pixels: [u32; 2]| vec2(pixels[0] as f32, pixels[1] as f32) / pixels_per_point;
    let stage = explorer.state.stage();
    let rect = Rect::from_min_size(canvas.min + points(stage.origin_of(half)), points(stage.size_of(half)));
    Pane { view, rect, pixels_per_point }
}

/// The abscissa under the pointer, in every half that has it.
fn crosshair(ui: &Ui, explorer: &Explorer, panes: &[Pane<'_>]) {
    let Some((pointed, at)) = explorer.state.pointed() else { return };
    if panes.len() == 1 && pointed.axes().is_none() {
        return;
    }
    let point = pointed.viewport().plane_from_pixel(at);
    for pane in panes {
        let x = pane.place(&point).x;
        let painter = ui.painter().with_clip_rect(pane.rect);
        painter.vline(x, pane.rect.y_range(), Stroke::new(3.0, Color32::from_black_alpha(60)));
        painter.vline(x, pane.rect.y_range(), Stroke::new(1.0, Color32::from_white_alpha(90)));
    }
}

/// The line Im c = s in the set above; gives its height.
fn section(ui: &Ui, explorer: &Explorer, panes: &[Pane<'_>]) -> Option<f32> {
    let s = explorer.state.stage().lower()?.section()?;
    let set = panes.first().filter(|pane| pane.view.axes().is_none())?;
    let y = set.place(&BigComplex::new(set.viewport().center().re.clone(), Decimal::from_f64(s))).y;
    let painter = ui.painter().with_clip_rect(set.rect);
    painter.hline(set.rect.x_range(), y, Stroke::new(3.0, Color32::from_black_alpha(90)));
    painter.hline(set.rect.x_range(), y, Stroke::new(1.0, theme::ACCENT));
    let text = format!("Im c = {s:.6}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let at = pos2(set.rect.left() + theme::GAP, y - 3.0);
    label(&painter, at, Align2::LEFT_BOTTOM, &text, theme::ACCENT);
    set.rect.y_range().contains(y).then_some(y)
}

/// Parameters that have names, as far as there is room for them.
fn named(painter: &Painter, pane: &Pane<'_>) {
    let Task::OrbitDensity(task) = pane.view.task() else { return };
    let middle = &pane.viewport().center().im;
    let at = |parameter: f64| pane.place(&BigComplex::new(Decimal::from_f64(parameter), middle.clone())).x;
    let places: Vec<f32> = task.map.named().iter().map(|named| at(named.parameter)).collect();
    for (i, (named, &x)) in task.map.named().iter().zip(&places).enumerate() {
        let others = places.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| (other - x).abs());
        let shown = ((others.fold(f32::INFINITY, f32::min) - ROOM) / ROOM).clamp(0.0, 1.0);
        if !pane.rect.x_range().contains(x) {
            continue;
        }
        painter.vline(x, pane.rect.y_range(), Stroke::new(1.0, Color32::from_white_alpha(16 + (24.0 * shown) as u8)));
        if shown > 0.0 {
            let is_right = x > pane.rect.center().x;
            let (align, nudge) = if is_right { (Align2::RIGHT_TOP, -5.0) } else { (Align2::LEFT_TOP, 5.0) };
            let at = pos2(x + nudge, pane.rect.top() + theme::GAP + 18.0 * (i % 2) as f32);
            label(painter, at, align, &text_of(named), theme::TEXT.gamma_multiply(0.8 * shown));
        }
    }
}

/// A parameter's name, and its place to five digits.
fn text_of(named: &Named) -> String {
    format!("{}  {:.5}", named.label, named.parameter).replace('-', "−")
}

/// Small letters that can be read on any ground.
fn label(painter: &Painter, at: egui::Pos2, align: Align2, text: &str, color: Color32) {
    let galley = painter.layout_no_wrap(text.into(), FontId::proportional(LETTERS), color);
    let rect = align.anchor_size(at, galley.size());
    let ground = Color32::from_rgba_unmultiplied(0x0f, 0x11, 0x16, 0xb0).gamma_multiply(f32::from(color.a()) / 255.0);
    painter.rect_filled(rect.expand2(vec2(4.0, 1.0)), 3, ground);
    painter.galley(rect.min, galley, color);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, State};
    use crate::fractal::MapId;

    #[test]
    fn parameters_are_named_with_five_digits_until_they_are_hidden() {
        let texts = |map: MapId| map.named().iter().map(text_of).collect::<Vec<_>>();
        for expected in ["1 → 2  3.00000", "2 → 4  3.44949", "end of the doublings  3.56995", "period 3 opens  3.82843"]
        {
            assert!(texts(MapId::Logistic).iter().any(|text| text == expected), "{expected}");
        }
        assert!(texts(MapId::Quadratic).contains(&"1 → 2  −0.75000".to_owned()));
        let mut state = State::new([64, 48]);
        state.apply(Command::ToggleNames);
        assert!(!state.names);
        state.apply(Command::ToggleNames);
        assert!(state.names);
    }
}
