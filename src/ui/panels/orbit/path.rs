//! An orbit over the picture: its points in the plane that the picture shows, joined in order.

use egui::{Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

use super::{LINE, RIM};
use crate::fractal::orbit::points;
use crate::math::{BigComplex, Complex};
use crate::render::Viewport;
use crate::ui::theme;

/// Points that are drawn.
const MOST: usize = 300;
/// Points that get a line of full strength; later ones fade to a quarter.
const STRONG: usize = 24;
/// Points of a cycle that are marked.
const MOST_MARKED: usize = 64;

/// Draws the orbit of c, and rings round the points of the cycle it is drawn to.
pub fn show(ui: &Ui, canvas: Rect, viewport: &Viewport, c: &BigComplex, cycle: &[Complex]) {
    let painter = ui.painter().with_clip_rect(canvas);
    let map = Map::new(viewport, canvas, ui.pixels_per_point(), c);
    let orbit: Vec<Pos2> = points(c.to_f64()).take(MOST).map(|point| map.place(point.z)).collect();
    let room = canvas.expand(8.0);
    join(&painter, room, &orbit);
    for (i, &at) in orbit.iter().enumerate().rev().filter(|(_, at)| room.contains(**at)) {
        painter.circle(at, if i < STRONG { 2.2 } else { 1.4 }, LINE.gamma_multiply(fade(i)), Stroke::new(1.0, RIM));
    }
    for at in cycle.iter().take(MOST_MARKED).map(|&z| map.place(z)).filter(|at| room.contains(*at)) {
        painter.circle_stroke(at, 5.0, Stroke::new(3.5, RIM));
        painter.circle_stroke(at, 5.0, Stroke::new(1.6, theme::GOOD));
    }
    if let Some(&c) = orbit.first() {
        painter.circle_stroke(c, 6.0, Stroke::new(4.0, RIM));
        painter.circle_stroke(c, 6.0, Stroke::new(2.0, theme::ACCENT));
    }
}

/// Lines from point to point, as far as they cross the room.
fn join(painter: &Painter, room: Rect, orbit: &[Pos2]) {
    let lines: Vec<_> =
        orbit.windows(2).enumerate().filter_map(|(i, ends)| Some((i, clipped(room, ends[0], ends[1])?))).collect();
    let rims = lines.iter().map(|(i, ends)| Shape::line_segment(*ends, Stroke::new(2.6, RIM.gamma_multiply(fade(*i)))));
    painter.extend(rims);
    let line = |(i, ends): &(usize, [Pos2; 2])| {
        Shape::line_segment(*ends, Stroke::new(1.0, LINE.gamma_multiply(0.85 * fade(*i))))
    };
    painter.extend(lines.iter().map(line));
}

fn fade(i: usize) -> f32 {
    (STRONG as f32 / i.max(STRONG) as f32).max(0.25)
}

/// The part of a line that lies in a rectangle (Liang and Barsky's way).
fn clipped(room: Rect, a: Pos2, b: Pos2) -> Option<[Pos2; 2]> {
    let way = b - a;
    let (mut enters, mut leaves) = (0.0f32, 1.0f32);
    for (way, low, high) in
        [(way.x, room.left() - a.x, room.right() - a.x), (way.y, room.top() - a.y, room.bottom() - a.y)]
    {
        if way == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (first, last) = if way > 0.0 { (low / way, high / way) } else { (high / way, low / way) };
        (enters, leaves) = (enters.max(first), leaves.min(last));
    }
    (enters <= leaves).then(|| [a + way * enters, a + way * leaves])
}

/// Points of the plane to places on the screen: exact at c, however deep the view is.
struct Map {
    c: Complex,
    at: Pos2,
    /// Points of the screen per unit of the plane, along re and im.
    re: egui::Vec2,
    im: egui::Vec2,
}

impl Map {
    fn new(viewport: &Viewport, canvas: Rect, pixels_per_point: f32, c: &BigComplex) -> Self {
        let [x, y] = viewport.pixel_from_plane(c).map(|p| p as f32 / pixels_per_point);
        let [step_x, step_y] = viewport.pixel_step().map(|s| s.to_f64() * f64::from(pixels_per_point));
        let (sin, cos) = viewport.rotation_degrees().to_radians().sin_cos();
        let re = vec2((cos / step_x) as f32, (sin / step_y) as f32);
        let im = vec2((sin / step_x) as f32, (-cos / step_y) as f32);
        Self { c: c.to_f64(), at: canvas.min + vec2(x, y), re, im }
    }

    fn place(&self, z: Complex) -> Pos2 {
        let from = z.sub(self.c);
        // Far outside is far enough: lines are cut before they get there.
        let place = self.at + self.re * from.re as f32 + self.im * from.im as f32;
        let bounded = |x: f32| if x.is_nan() { 1e9 } else { x.clamp(-1e9, 1e9) };
        pos2(bounded(place.x), bounded(place.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::State;

    #[test]
    fn points_lie_where_the_viewport_has_them() {
        let canvas = Rect::from_min_size(pos2(288.0, 0.0), vec2(400.0, 300.0));
        let number = |x: f64| crate::math::Decimal::from_f64(x);
        for (degrees, scale) in [(0.0, 1.0), (30.0, 1.0), (0.0, 2.0)] {
            let viewport = State::new([800, 600]).viewport().clone().with_rotation(degrees).unwrap();
            let map = Map::new(&viewport, canvas, scale, &BigComplex::new(number(-0.5), number(0.25)));
            for z in [Complex::new(-0.5, 0.25), Complex::new(0.0, 0.0), Complex::new(-1.5, -0.75)] {
                let [x, y] = viewport.pixel_from_plane(&BigComplex::new(number(z.re), number(z.im)));
                let expected = canvas.min + vec2(x as f32, y as f32) / scale;
                assert!(map.place(z).distance(expected) < 1e-2, "{z:?} turned by {degrees}: {:?}", map.place(z));
            }
        }
    }

    #[test]
    fn lines_are_cut_at_the_edges() {
        let room = Rect::from_min_max(pos2(0.0, 0.0), pos2(10.0, 10.0));
        for (a, b, expected) in [
            ((2.0, 3.0), (4.0, 5.0), Some([(2.0, 3.0), (4.0, 5.0)])),
            ((-5.0, 5.0), (15.0, 5.0), Some([(0.0, 5.0), (10.0, 5.0)])),
            ((5.0, 5.0), (5.0, 1e9), Some([(5.0, 5.0), (5.0, 10.0)])),
            ((-5.0, 20.0), (20.0, 20.0), None),
            ((-5.0, 4.0), (4.0, -6.0), None),
        ] {
            let got = clipped(room, a.into(), b.into());
            match (got, expected) {
                (Some(got), Some(expected)) => {
                    let near = got.iter().zip(expected).all(|(g, e)| g.distance(e.into()) < 0.1);
                    assert!(near, "{a:?} to {b:?}: {got:?}");
                }
                (got, expected) => assert_eq!(got.is_some(), expected.is_some(), "{a:?} to {b:?}"),
            }
        }
    }
}
