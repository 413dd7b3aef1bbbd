//! The small pictures of the card: the Julia set, the cobweb of a real orbit, the orbit itself from close up.

use egui::{
    Color32, ColorImage, Id, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, TextureHandle, TextureOptions, Ui,
    WidgetInfo, pos2, vec2,
};

use crate::app::{Explorer, Portrait};
use crate::fractal::orbit::points;
use crate::math::Complex;
use crate::ui::theme;

/// Points of an orbit from close up; steps of a cobweb.
const MOST: usize = 300;
const COBWEB_STEPS: usize = 80;

/// The picture on the device, and which one it is. Kept with the context, which owns its textures.
#[derive(Clone)]
struct Uploaded(u64, TextureHandle);

/// The Julia set of the point.
pub fn julia(ui: &mut Ui, explorer: &Explorer, side: f32) {
    let tip = "the Julia set of this c; J opens it";
    let (rect, painter) = frame(ui, side, "Julia set", tip);
    if let Some(portrait) = explorer.inspector().portrait() {
        let texture = upload(ui, portrait);
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(texture.id(), rect, whole, Color32::WHITE);
    }
}

fn upload(ui: &Ui, portrait: &Portrait) -> TextureHandle {
    let id = Id::unique("julia portrait");
    let before: Option<Uploaded> = ui.data(|data| data.get_temp(id));
    if let Some(Uploaded(_, texture)) = before.as_ref().filter(|Uploaded(number, _)| *number == portrait.number) {
        return texture.clone();
    }
    let side = Portrait::SIDE as usize;
    let image = ColorImage::from_rgba_unmultiplied([side, side], portrait.pixels.as_flattened());
    let texture = match before {
        Some(Uploaded(_, mut texture)) => {
            texture.set(image, TextureOptions::LINEAR);
            texture
        }
        None => ui.ctx().load_texture("julia portrait", image, TextureOptions::LINEAR),
    };
    ui.data_mut(|data| data.insert_temp(id, Uploaded(portrait.number, texture.clone())));
    texture
}

/// How a real orbit goes: up or down to the parabola, across to the diagonal, and again.
pub fn cobweb(ui: &mut Ui, c: f64, side: f32) {
    let tip = "the parabola x² + c and the line y = x; the orbit goes from one to the other";
    let (rect, painter) = frame(ui, side, "Cobweb", tip);
    // The fixed point that repels bounds every bounded orbit.
    let most = if c < 0.25 { ((1.0 + (1.0 - 4.0 * c).sqrt()) / 2.0).max(1.0) * 1.1 } else { 2.2 };
    let place = |x: f64, y: f64| {
        let share = |v: f64| (v.clamp(-1e6, 1e6) / most) as f32 * rect.width() / 2.0;
        rect.center() + vec2(share(x), -share(y))
    };
    axes(&painter, rect);
    painter.line_segment([place(-most, -most), place(most, most)], Stroke::new(1.0, theme::FAINT));
    let curve = (0..=64).map(|i| most * (f64::from(i) / 32.0 - 1.0)).map(|x| place(x, x * x + c)).collect();
    painter.add(Shape::line(curve, Stroke::new(1.4, theme::WEAK)));
    let mut x = 0.0;
    let mut web = vec![place(0.0, 0.0)];
    for point in points(Complex::new(c, 0.0)).take(COBWEB_STEPS) {
        let y = point.z.re;
        web.extend([place(x, y), place(y, y)]);
        x = y;
        if y.abs() > 2.0 * most {
            break;
        }
    }
    painter.add(Shape::line(web, Stroke::new(1.0, theme::ACCENT)));
}

/// The orbit of c, as large as it fits.
pub fn close_up(ui: &mut Ui, c: Complex, side: f32) {
    let tip = "the orbit itself, as large as it fits, points joined in order";
    let (rect, painter) = frame(ui, side, "Orbit from close up", tip);
    let orbit: Vec<Complex> = points(c).take(MOST).take_while(|point| point.norm <= 4.0).map(|point| point.z).collect();
    let places = fitted(&orbit, rect.shrink(10.0));
    painter.add(Shape::line(places.clone(), Stroke::new(0.8, theme::WEAK.gamma_multiply(0.45))));
    for (i, at) in places.iter().enumerate() {
        painter.circle_filled(*at, if i == 0 { 3.0 } else { 1.6 }, if i == 0 { theme::ACCENT } else { theme::STRONG });
    }
}

/// Points scaled alike in both directions to fill a rectangle.
fn fitted(orbit: &[Complex], room: Rect) -> Vec<Pos2> {
    let bounds = |of: fn(&Complex) -> f64| {
        let [low, high] =
            orbit.iter().map(of).fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v), h.max(v)]);
        ((low + high) / 2.0, high - low)
    };
    let ((re, width), (im, height)) = (bounds(|z| z.re), bounds(|z| z.im));
    let scale = f64::from(room.width()) / width.max(height).max(1e-12);
    let place = |z: &Complex| room.center() + vec2(((z.re - re) * scale) as f32, (-(z.im - im) * scale) as f32);
    orbit.iter().map(place).collect()
}

/// Room for a small picture, dark, with its name for those who listen.
fn frame(ui: &mut Ui, side: f32, name: &str, tip: &str) -> (Rect, Painter) {
    let (rect, response) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    ui.painter().rect_filled(rect, 4, Color32::from_black_alpha(110));
    response.on_hover_text(tip);
    (rect, ui.painter().with_clip_rect(rect))
}

fn axes(painter: &Painter, rect: Rect) {
    let faint = Stroke::new(1.0, Color32::from_white_alpha(26));
    painter.hline(rect.x_range(), rect.center().y, faint);
    painter.vline(rect.center().x, rect.y_range(), faint);
}
