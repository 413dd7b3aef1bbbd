//! Colours: the palettes as strips to click, and how counts run through them.

use egui::epaint::{Mesh, Vertex, WHITE_UV};
use egui::{Color32, Rect, Role, Sense, Slider, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use super::controls::{button, name};
use crate::app::{Command, Explorer};
use crate::color::{Coloring, Palette};
use crate::ui::theme;

/// Colours sampled along a strip; between them the screen's own interpolation is close enough.
const STOPS: usize = 40;
const COLUMNS: usize = 4;
const STRIP: f32 = 17.0;

/// The strips' colours, sampled once.
#[derive(Default)]
pub struct Strips(Vec<[Color32; STOPS]>);

impl Strips {
    pub fn show(&mut self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
        if self.0.is_empty() {
            self.0 = Palette::all().iter().map(sample).collect();
        }
        ui.scope(|ui| self.grid(ui, explorer, commands));
        sliders(ui, explorer, commands);
    }

    fn grid(&self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
        let gap = vec2(5.0, 3.0);
        ui.spacing_mut().item_spacing = gap;
        ui.spacing_mut().interact_size.y = STRIP;
        let width = (ui.available_width() + gap.x) / COLUMNS as f32 - gap.x;
        let strips: Vec<_> = Palette::all().iter().zip(&self.0).collect();
        for row in strips.chunks(COLUMNS) {
            ui.horizontal(|ui| {
                for (palette, colors) in row {
                    if strip(ui, palette, *colors, width, explorer) {
                        commands.push(Command::SetPalette(palette.key().into()));
                    }
                }
            });
        }
    }
}

fn sample(palette: &Palette) -> [Color32; STOPS] {
    std::array::from_fn(|i| {
        let [r, g, b] = palette.gradient().srgb(i as f64 / (STOPS - 1) as f64);
        Color32::from_rgb(r, g, b)
    })
}

/// A palette's colours, its name in the tooltip. True when it was clicked.
fn strip(ui: &mut Ui, palette: &Palette, colors: &[Color32], width: f32, explorer: &Explorer) -> bool {
    let chosen = explorer.state.palette.key() == palette.key();
    let (rect, response) = ui.allocate_exact_size(vec2(width, STRIP), Sense::CLICK);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, palette.name()));
    if ui.is_rect_visible(rect) {
        let bar = rect.shrink(2.0);
        ui.painter().add(gradient(bar, colors));
        let outline = match (chosen, response.hovered()) {
            (true, _) => Stroke::new(2.0, theme::ACCENT),
            (_, true) => Stroke::new(1.0, theme::TEXT),
            _ => theme::hairline(),
        };
        ui.painter().rect_stroke(bar, 3, outline, StrokeKind::Outside);
    }
    response.on_hover_text(format!("{}: {}", palette.name(), palette.about())).clicked() && !chosen
}

/// A strip of colours from left to right.
fn gradient(rect: Rect, colors: &[Color32]) -> Mesh {
    let mut mesh = Mesh::default();
    for (i, &color) in colors.iter().enumerate() {
        let x = egui::lerp(rect.x_range(), i as f32 / (colors.len() - 1) as f32);
        for y in [rect.top(), rect.bottom()] {
            mesh.vertices.push(Vertex { pos: egui::pos2(x, y), uv: WHITE_UV, color });
        }
        if i > 0 {
            let n = 2 * i as u32;
            mesh.add_triangle(n - 2, n - 1, n);
            mesh.add_triangle(n - 1, n, n + 1);
        }
    }
    mesh
}

fn sliders(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let Coloring { mut density, mut offset, .. } = explorer.state.coloring;
    let tip = "how fast colours change from band to band";
    if row(ui, "Density", tip, Slider::new(&mut density, 0.05..=20.0).logarithmic(true).fixed_decimals(2)) {
        commands.push(Command::SetDensity(density));
    }
    let tip = "where in the palette the picture begins";
    if row(ui, "Offset", tip, Slider::new(&mut offset, 0.0..=0.999).fixed_decimals(3)) {
        commands.push(Command::SetOffset(offset));
    }
    let plain = Coloring::default();
    if (density, offset) != (plain.density, plain.offset) {
        let reset = button(ui, explorer, commands, "Reset", "density 1, offset 0", Command::SetDensity(plain.density));
        if reset.clicked() {
            commands.push(Command::SetOffset(plain.offset));
        }
    }
}

fn row(ui: &mut Ui, text: &str, tip: &str, slider: Slider<'_>) -> bool {
    ui.horizontal(|ui| {
        let label = name(ui, text, 46.0).on_hover_text(tip);
        ui.spacing_mut().slider_width = ui.available_width() - 60.0;
        ui.spacing_mut().interact_size.x = 52.0;
        ui.add(slider).on_hover_text(tip).labelled_by(label.id).changed()
    })
    .inner
}
