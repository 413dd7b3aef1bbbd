//! Landmarks: the minibrot and the spiral that a view is about, and how to look at them.

use crate::fractal::locate::{self, Misiurewicz, NotFound, Nucleus, Region, Watch};
use crate::math::{BigComplex, ComplexExp, Decimal};
use crate::render::{Viewport, ViewportError};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landmark {
    /// The nucleus of lowest period, with its minibrot or its bulb.
    Minibrot,
    /// A Misiurewicz point: the centre of a spiral, a tip or a junction.
    Spiral,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    Minibrot(Nucleus),
    Spiral(Misiurewicz),
}

/// Share of the view's width and height that is searched about a place in it.
const NEARBY: f64 = 0.25;
/// Digits of a suggested height.
const HEIGHT_DIGITS: usize = 4;

impl Landmark {
    /// What to call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minibrot => "minibrot",
            Self::Spiral => "spiral",
        }
    }

    /// Looks for it in the view, or about a place of it, in pixels, following orbits up to `most_steps` long.
    ///
    /// # Errors
    /// [`NotFound`] says why there is none.
    pub fn find(
        self,
        viewport: &Viewport,
        at_px: Option<[f64; 2]>,
        most_steps: u32,
        watch: Watch,
    ) -> Result<Found, NotFound> {
        let region = region(viewport, at_px);
        match self {
            Self::Minibrot => locate::nucleus(&region, most_steps, watch).map(Found::Minibrot),
            Self::Spiral => locate::misiurewicz(&region, most_steps, watch).map(Found::Spiral),
        }
    }
}

/// What a view shows, or a part of it about a place in pixels.
fn region(viewport: &Viewport, at_px: Option<[f64; 2]>) -> Region {
    let unit = viewport.finest_step();
    let (center, share) = match at_px {
        None => (viewport.center().clone(), 0.5),
        Some(at_px) => (viewport.plane_from_pixel(at_px), NEARBY / 2.0),
    };
    let [width, height] = viewport.size().map(f64::from);
    let [right, up] = viewport.pixel_axes(unit);
    let axes = [right.scaled(width * share), up.scaled(height * share)];
    Region::new(center, axes.map(|axis| ComplexExp::from(axis).scaled(unit)))
}

impl Found {
    pub fn center(&self) -> &BigComplex {
        match self {
            Self::Minibrot(nucleus) => &nucleus.center,
            Self::Spiral(point) => &point.center,
        }
    }

    /// Height of a view about the centre that frames it; none for a spiral, which looks alike at any height.
    pub fn height(&self) -> Option<Decimal> {
        match self {
            Self::Minibrot(nucleus) => Some(Decimal::from_float_exp(nucleus.height()).rounded_to(HEIGHT_DIGITS)),
            Self::Spiral(_) => None,
        }
    }

    /// The view of it from one that it was found in: a minibrot is framed, and stands upright.
    ///
    /// # Errors
    /// None that come of what was found; [`ViewportError`] all the same.
    pub fn framed(&self, viewport: &Viewport) -> Result<Viewport, ViewportError> {
        let there = viewport.centred_at(self.center().clone());
        match self {
            Self::Minibrot(nucleus) => {
                let height = self.height().unwrap_or_else(|| viewport.height().clone());
                let turn = (nucleus.orientation_degrees() * 1e6).round() / 1e6;
                there.with_height(height)?.with_rotation(turn)
            }
            Self::Spiral(_) => Ok(there),
        }
    }
}

impl std::fmt::Display for Found {
    /// What it is, in a line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Minibrot(n) => {
                write!(f, "period {}, size {}, turned {:.1}°", n.period, n.size.norm(), tenths(n.orientation_degrees()))
            }
            Self::Spiral(point) => {
                let (m, p) = (point.preperiod, point.period);
                let (scale, turn) = (point.scale(), tenths(point.turn_degrees()));
                write!(f, "preperiod {m}, period {p}: ×{:.3} and {turn:.1}° a turn", scale.to_f64())
            }
        }
    }
}

/// Rounded to a tenth, and no negative zero.
fn tenths(x: f64) -> f64 {
    (x * 10.0).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(center: [&str; 2], height: &str) -> Viewport {
        let center = BigComplex::new(center[0].parse().unwrap(), center[1].parse().unwrap());
        Viewport::new(center, height.parse().unwrap(), [300, 200]).unwrap()
    }

    fn find(landmark: Landmark, viewport: &Viewport, at_px: Option<[f64; 2]>) -> Found {
        landmark.find(viewport, at_px, 100_000, Watch::none()).unwrap()
    }

    #[test]
    fn minibrots_are_framed_upright() {
        let found = find(Landmark::Minibrot, &view(["-1.76", "0.01"], "0.1"), None);
        let framed = found.framed(&view(["-1.76", "0.01"], "0.1")).unwrap();
        assert_eq!(framed.height().to_string(), "0.09518");
        assert!((framed.rotation_degrees() + 180.0) % 360.0 - 180.0 < 1e-9, "the needle's minibrot is upright");
        let tip = framed.plane_from_pixel([0.0, 100.0]);
        assert!(tip.re < found.center().re, "the needle points to the left");
        assert_eq!(found.to_string(), "period 3, size 1.90e-2, turned 0.0°");

        // Turned: the cusp lies to the right of the nucleus, at ¼ of the size.
        let there = view(["-0.7436438870371587", "0.1318259042053119"], "1e-5").with_rotation(70.0).unwrap();
        let Found::Minibrot(nucleus) = find(Landmark::Minibrot, &there, None) else { unreachable!() };
        let framed = Found::Minibrot(nucleus.clone()).framed(&there).unwrap();
        let [dx, dy] = nucleus.size.scaled(0.25.into()).parts().map(Decimal::from_float_exp);
        let cusp = BigComplex::new(&nucleus.center.re + &dx, &nucleus.center.im + &dy);
        let [x, y] = framed.pixel_from_plane(&cusp);
        assert!((x - 160.0).abs() < 0.1 && (y - 100.0).abs() < 0.1, "{x}, {y}");
    }

    #[test]
    fn a_place_of_the_view_can_be_meant() {
        let home = view(["-0.75", "0"], "2.5");
        let at = |re: &str, im: &str| home.pixel_from_plane(&BigComplex::new(re.parse().unwrap(), im.parse().unwrap()));
        for (re, im, period) in [("0", "0", 1), ("-1", "0", 2), ("-0.12", "0.74", 3), ("-1.75", "0", 3)] {
            let Found::Minibrot(nucleus) = find(Landmark::Minibrot, &home, Some(at(re, im))) else { unreachable!() };
            assert_eq!(nucleus.period, period, "at {re}, {im}");
        }
        let Found::Spiral(point) = find(Landmark::Spiral, &home, Some(at("0", "1"))) else { unreachable!() };
        assert_eq!((point.preperiod, point.period), (2, 2), "the tip above");
    }

    #[test]
    fn spirals_keep_the_height_and_the_turn() {
        let there = view(["0.01", "1"], "0.1").with_rotation(30.0).unwrap();
        let found = find(Landmark::Spiral, &there, None);
        let framed = found.framed(&there).unwrap();
        assert_eq!((framed.height(), framed.rotation_degrees()), (there.height(), there.rotation_degrees()));
        assert_eq!((framed.center().re.to_string(), framed.center().im.to_string()), ("0".into(), "1".into()));
        assert_eq!(found.to_string(), "preperiod 2, period 2: ×5.657 and 45.0° a turn");
    }
}
