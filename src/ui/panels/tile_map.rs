//! The tile map over the picture: tiles in the colours of their workers, or by how long they took, and a legend.

use std::time::Duration;

use egui::epaint::Mesh;
use egui::{Align2, Color32, Pos2, Rect, Stroke, TextStyle, Ui, pos2, vec2};

use super::digits::three;
use crate::app::{CanvasFromPixel, Drawing, Explorer, Half, TileMap, Trace, Worked, canvas_from_pixel};
use crate::render::Tile;
use crate::ui::theme;

/// Colours of workers; submissions to a device take them in turn.
const WORKERS: [Color32; 8] = [
    Color32::from_rgb(0xf2, 0xb8, 0x5c),
    Color32::from_rgb(0x6f, 0x9c, 0xf2),
    Color32::from_rgb(0x7f, 0xd1, 0x94),
    Color32::from_rgb(0xe8, 0x8c, 0xc0),
    Color32::from_rgb(0x4f, 0xc4, 0xc4),
    Color32::from_rgb(0xb0, 0x8c, 0xf0),
    Color32::from_rgb(0xff, 0x84, 0x7a),
    Color32::from_rgb(0xc8, 0xd6, 0x5e),
];
/// From the fastest tile to the slowest.
const HEAT: [[f32; 3]; 5] =
    [[16.0, 16.0, 70.0], [104.0, 30.0, 130.0], [214.0, 66.0, 90.0], [250.0, 150.0, 60.0], [252.0, 250.0, 180.0]];

/// Paints the map of each half that is shown; the mouse goes through it.
pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer) {
    if explorer.state.tile_map == TileMap::Off {
        return;
    }
    for (half, drawing) in explorer.drawings() {
        map(ui, canvas, explorer, half, drawing);
    }
    legend(ui, canvas, explorer);
}

fn map(ui: &Ui, canvas: Rect, explorer: &Explorer, half: Half, drawing: &Drawing) {
    let stage = explorer.state.stage();
    let points = ui.pixels_per_point();
    let [x, y] = stage.origin_of(half).map(|px| px as f32 / points);
    let [width, height] = stage.size_of(half).map(|px| px as f32 / points);
    let room = Rect::from_min_size(canvas.min + vec2(x, y), vec2(width, height)).intersect(canvas);
    let trace = drawing.board().trace().clone();
    let shown = stage.at(half).viewport();
    let Some(map) = trace.viewport.as_ref().and_then(|own| canvas_from_pixel(own, shown)) else { return };
    let place = Place { origin: canvas.min + vec2(x, y), map, points };
    let painter = ui.painter().with_clip_rect(room);
    let mut mesh = Mesh::default();
    if explorer.state.tile_map == TileMap::Heat {
        let done = trace.done();
        let scale = Heat::over(&done);
        for Worked { tile, took, .. } in &done {
            quad(&mut mesh, place.corners(tile), scale.color(*took).gamma_multiply(0.72));
        }
        painter.add(mesh);
        return;
    }
    for done in trace.done() {
        quad(&mut mesh, place.corners(&done.tile), color_of(done.worker).gamma_multiply(0.3));
    }
    painter.add(mesh);
    for (tile, worker) in &trace.busy {
        let corners = place.corners(tile).to_vec();
        let (fill, line) = (color_of(*worker).gamma_multiply(0.25), Stroke::new(2.0, color_of(*worker)));
        painter.add(egui::Shape::convex_polygon(corners, fill, line));
    }
}

/// Where tiles of one render lie on the screen.
struct Place {
    origin: Pos2,
    map: CanvasFromPixel,
    points: f32,
}

impl Place {
    /// In order round the tile, somewhat within it: neighbours of one colour are told apart.
    fn corners(&self, tile: &Tile) -> [Pos2; 4] {
        let [left, top] = [tile.x, tile.y].map(f64::from);
        let [right, bottom] = [tile.x + tile.width, tile.y + tile.height].map(f64::from);
        [[left, top], [right, top], [right, bottom], [left, bottom]].map(|[i, j]| {
            let [x, y] = self.map.map(|[across, along, start]| (across * i + along * j + start) as f32 / self.points);
            self.origin + vec2(x, y)
        })
    }
}

fn quad(mesh: &mut Mesh, corners: [Pos2; 4], color: Color32) {
    // A hairline of the picture between tiles that are large enough for one.
    let middle = corners[0] + (corners[2] - corners[0]) * 0.5;
    let shrink = |corner: Pos2| {
        let way = middle - corner;
        let by = vec2(way.x.signum(), way.y.signum()) * 0.5;
        if way.x.abs() > 2.0 && way.y.abs() > 2.0 { corner + by } else { corner }
    };
    let first = mesh.vertices.len() as u32;
    for corner in corners {
        mesh.colored_vertex(shrink(corner), color);
    }
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_triangle(first, first + 2, first + 3);
}

fn color_of(worker: usize) -> Color32 {
    WORKERS[worker % WORKERS.len()]
}

/// A logarithmic scale of times.
struct Heat {
    least: f64,
    most: f64,
}

impl Heat {
    fn over(done: &[Worked]) -> Self {
        let millis = || done.iter().map(|worked| worked.took.as_secs_f64() * 1e3).filter(|millis| *millis > 0.0);
        let most = millis().fold(0.0, f64::max);
        // Four decades are seen: what takes less is copied and not computed.
        let least = millis().fold(f64::INFINITY, f64::min).max(most * 1e-4);
        Self { least, most }
    }

    fn color(&self, took: Duration) -> Color32 {
        let millis = (took.as_secs_f64() * 1e3).max(self.least);
        let share = (millis / self.least).ln() / (self.most / self.least).ln();
        ramp(if share.is_finite() { share.clamp(0.0, 1.0) as f32 } else { 1.0 })
    }
}

fn ramp(share: f32) -> Color32 {
    let place = share * (HEAT.len() - 1) as f32;
    let (low, part) = ((place as usize).min(HEAT.len() - 2), place - place.floor().min((HEAT.len() - 2) as f32));
    let [r, g, b] = [0, 1, 2].map(|i| (HEAT[low][i] + (HEAT[low + 1][i] - HEAT[low][i]) * part) as u8);
    Color32::from_rgb(r, g, b)
}

/// In the lower right corner: workers and their colours, or the scale of times.
fn legend(ui: &Ui, canvas: Rect, explorer: &Explorer) {
    let trace = explorer.drawing().board().trace().clone();
    let corner = canvas.max - vec2(theme::GAP, theme::GAP);
    let area = egui::Area::new(egui::Id::unique("tile map")).order(egui::Order::Middle).interactable(false);
    area.pivot(Align2::RIGHT_BOTTOM).fixed_pos(corner).constrain_to(canvas).show(ui.ctx(), |ui| {
        theme::floating().show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
            ui.set_max_width(WIDTH);
            if trace.viewport.is_none() {
                super::controls::note(ui, "no tiles yet: they come with the next picture", theme::WEAK);
            } else if explorer.state.tile_map == TileMap::Heat {
                scale(ui, &trace);
            } else {
                workers(ui, &trace);
            }
        });
    });
}

const WIDTH: f32 = 250.0;

fn scale(ui: &mut Ui, trace: &Trace) {
    let done = trace.done();
    let scale = Heat::over(&done);
    super::controls::note(ui, format!("{}: ms a tile, log scale, {} tiles", trace.engine, done.len()), theme::WEAK);
    let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, 10.0), egui::Sense::hover());
    let mut mesh = Mesh::default();
    for part in 0..HEAT.len() - 1 {
        let share = |part: usize| part as f32 / (HEAT.len() - 1) as f32;
        let [left, right] = [share(part), share(part + 1)].map(|share| rect.left() + rect.width() * share);
        let first = mesh.vertices.len() as u32;
        for (x, colour) in [(left, ramp(share(part))), (right, ramp(share(part + 1)))] {
            mesh.colored_vertex(pos2(x, rect.top()), colour);
            mesh.colored_vertex(pos2(x, rect.bottom()), colour);
        }
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first + 1, first + 2, first + 3);
    }
    ui.painter().add(mesh);
    let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, 14.0), egui::Sense::hover());
    let font = TextStyle::Small.resolve(ui.style());
    let middle = (scale.least * scale.most).sqrt();
    for (value, x, align) in [
        (scale.least, rect.left(), Align2::LEFT_CENTER),
        (middle, rect.center().x, Align2::CENTER_CENTER),
        (scale.most, rect.right(), Align2::RIGHT_CENTER),
    ] {
        ui.painter().text(pos2(x, rect.center().y), align, three(value), font.clone(), theme::TEXT);
    }
}

fn workers(ui: &mut Ui, trace: &Trace) {
    let is_device = trace.engine.starts_with("gpu");
    let done = trace.done();
    let text = format!("{}: {} tiles done, {} at work", trace.engine, done.len(), trace.busy.len());
    super::controls::note(ui, text, theme::WEAK);
    if is_device {
        super::controls::note(ui, "each colour is a submission to the device", theme::WEAK);
        return;
    }
    let busy = trace.busy.iter().map(|(_, worker)| *worker);
    let threads = done.iter().map(|done| done.worker).chain(busy).max().map_or(0, |most| most + 1);
    ui.horizontal_wrapped(|ui| {
        for thread in 0..threads {
            let tiles = done.iter().filter(|done| done.worker == thread).count();
            let mut job = egui::text::LayoutJob::default();
            let small = |text: String, color| egui::RichText::new(text).text_style(TextStyle::Small).color(color);
            let (style, selection, align) = (ui.style().clone(), egui::FontSelection::Default, egui::Align::Center);
            small("■ ".into(), color_of(thread)).append_to(&mut job, &style, selection.clone(), align);
            small(format!("thread {thread}: {tiles} "), theme::TEXT).append_to(&mut job, &style, selection, align);
            ui.label(job);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenfold_time_is_as_far_on_the_ramp_wherever_it_stands() {
        let tile = Tile::whole([4, 4]);
        let ms = |millis: u64| Worked { tile, worker: 0, took: Duration::from_millis(millis) };
        let scale = Heat::over(&[ms(1), ms(10), ms(100)]);
        assert_eq!(scale.color(ms(1).took), ramp(0.0));
        assert_eq!(scale.color(ms(10).took), ramp(0.5));
        assert_eq!(scale.color(ms(100).took), ramp(1.0));
        assert_eq!(Heat::over(&[ms(7)]).color(ms(7).took), ramp(1.0), "one tile alone");
    }
}
