//! Pans and zooms: from one viewport to the next, without drift.

use super::{HEIGHT_DIGITS, OFFSET_DIGITS, Viewport};
use crate::math::{BigComplex, Decimal};

/// Digits of a pixel step that goes on for ever: whole pixels are then exact, and no f64 tells such a step from the true one.
const STEP_DIGITS: usize = 25;

impl Viewport {
    /// Moves the picture by a distance in pixels: positive x takes the content to the right, positive y down.
    ///
    /// By whole pixels, where pixels are square and upright, samples come to lie on samples: points of both pictures are the
    /// same numbers.
    #[must_use]
    pub fn panned(&self, by_px: [f64; 2]) -> Self {
        if by_px == [0.0; 2] {
            return self.clone();
        }
        if let (Some(step), true) = (self.exact_step(), by_px.iter().all(|by| by.fract() == 0.0 && by.abs() < 1e9)) {
            let [x, y] = by_px.map(|by| &step * &(by as i64).into());
            let center = BigComplex::new(&self.center.re - &x, &self.center.im + &y);
            return Self { center, height: &step * &i64::from(self.size[1]).into(), ..self.clone() };
        }
        let [width, height] = self.size.map(f64::from);
        let center = self.plane_from_pixel([width / 2.0 - by_px[0], height / 2.0 - by_px[1]]);
        Self { center, ..self.clone() }
    }

    /// The side of a pixel as a decimal; none where pixels are not square and upright.
    fn exact_step(&self) -> Option<Decimal> {
        let is_plain = self.stretched_width.is_none() && self.rotation_degrees == 0.0;
        is_plain.then(|| self.height.divided(self.size[1], STEP_DIGITS))
    }

    /// Magnifies by `factor` (> 0) about a place that stays where it is, in pixels from the top left corner.
    ///
    /// By 2 or ½, where pixels are square and upright, the middle of the pixel at that place stays, and samples come to lie
    /// on samples.
    #[must_use]
    pub fn zoomed(&self, factor: f64, about_px: [f64; 2]) -> Self {
        match self.exact_step() {
            Some(step) if factor == 2.0 => self.about_sample(&step, &step.half(), about_px),
            Some(step) if factor == 0.5 => self.about_sample(&step, &(&step + &step), about_px),
            _ => self.zoomed_freely(factor, about_px),
        }
    }

    /// Of another pixel step, with the sample at a place where it is.
    fn about_sample(&self, step: &Decimal, new_step: &Decimal, about_px: [f64; 2]) -> Self {
        // From the centre to the middle of the pixel, in half pixels.
        let halves = |about: f64, pixels: u32| {
            let pixel = about.floor().clamp(0.0, f64::from(pixels - 1)) as i64;
            2 * pixel + 1 - i64::from(pixels)
        };
        let shift = (step - new_step).half();
        let [x, y] = [halves(about_px[0], self.size[0]), halves(about_px[1], self.size[1])];
        let center = BigComplex::new(&self.center.re + &(&shift * &x.into()), &self.center.im - &(&shift * &y.into()));
        Self { center, height: new_step * &i64::from(self.size[1]).into(), ..self.clone() }
    }

    fn zoomed_freely(&self, factor: f64, about_px: [f64; 2]) -> Self {
        self.zoomed_at(factor, about_px, &self.plane_from_pixel(about_px))
    }

    /// Magnifies by `factor` (> 0) with the point `anchor` at a place in pixels from the top left corner.
    ///
    /// However many steps a zoom takes, each is exact to its own pixels: nothing drifts.
    #[must_use]
    pub fn zoomed_at(&self, factor: f64, about_px: [f64; 2], anchor: &BigComplex) -> Self {
        debug_assert!(factor.is_finite() && factor > 0.0);
        let scaled = |extent: &Decimal| extent.scaled(1.0 / factor, HEIGHT_DIGITS);
        // A pixel step of few digits, so that whole pixels are exact.
        let on_grid = |height: Decimal| &height.divided(self.size[1], HEIGHT_DIGITS) * &i64::from(self.size[1]).into();
        let height = if factor == 1.0 { self.height.clone() } else { on_grid(scaled(&self.height)) };
        let mut zoomed = Self { height, stretched_width: self.stretched_width.as_ref().map(scaled), ..self.clone() };
        let [dx, dy] = zoomed.offset_from_pixel(about_px);
        let place = zoomed.last_place();
        zoomed.center.re = (&anchor.re - &dx).rounded_at(place);
        zoomed.center.im = (&anchor.im - &dy).rounded_at(place);
        zoomed
    }

    /// Magnifies the ordinate alone by `factor` (> 0) about a place, in pixels from the top left corner.
    #[must_use]
    pub fn zoomed_ordinate(&self, factor: f64, about_px: [f64; 2]) -> Self {
        debug_assert!(factor.is_finite() && factor > 0.0);
        let anchor = self.plane_from_pixel(about_px);
        let width = self.width();
        let height = self.height.scaled(1.0 / factor, HEIGHT_DIGITS);
        let mut zoomed = Self { height, stretched_width: Some(width), ..self.clone() };
        let [_, dy] = zoomed.offset_from_pixel(about_px);
        zoomed.center.im = (&anchor.im - &dy).rounded_at(zoomed.last_place());
        zoomed
    }

    /// Fills the picture with the box between two places, in pixels: exactly where the axes have scales of their own, else
    /// grown to the picture's shape.
    #[must_use]
    pub fn zoomed_to_box(&self, from_px: [f64; 2], to_px: [f64; 2]) -> Self {
        let [width, height] = self.size.map(f64::from);
        let shares = [(from_px[0] - to_px[0]).abs() / width, (from_px[1] - to_px[1]).abs() / height];
        let middle = [width / 2.0, height / 2.0];
        let centred = self.panned([0, 1].map(|i| middle[i] - (from_px[i] + to_px[i]) / 2.0));
        if self.stretched_width.is_none() {
            return centred.zoomed_freely(1.0 / shares[0].max(shares[1]), middle);
        }
        let [width, height] = [(self.width(), shares[0]), (self.height.clone(), shares[1])]
            .map(|(e, share)| e.scaled(share, HEIGHT_DIGITS));
        let mut boxed = Self { height, stretched_width: Some(width), ..self.clone() };
        let place = boxed.last_place();
        let [dx, dy] = self.offset_from_pixel([0, 1].map(|i| (from_px[i] + to_px[i]) / 2.0));
        boxed.center.re = (&self.center.re + &dx).rounded_at(place);
        boxed.center.im = (&self.center.im + &dy).rounded_at(place);
        boxed
    }

    /// The same rows over the abscissa of another viewport. Square pixels stay square, and the row of `fixed` stays
    /// where it is.
    #[must_use]
    pub fn with_abscissa_of(&self, other: &Self, fixed: &Decimal) -> Self {
        let (re, width) = (other.center.re.clone(), other.width());
        if self.stretched_width.is_some() {
            let center = BigComplex::new(re, self.center.im.clone());
            return Self { center, stretched_width: Some(width), ..self.clone() };
        }
        let [columns, rows] = self.size.map(f64::from);
        let height = width.scaled(rows / columns, HEIGHT_DIGITS);
        let ratio = height.to_float_exp().div(self.height.to_float_exp()).to_f64();
        let offset = (&self.center.im - fixed).scaled(ratio, OFFSET_DIGITS);
        let mut moved = Self { center: BigComplex::new(re, fixed + &offset), height, ..self.clone() };
        moved.center.im = moved.center.im.rounded_at(moved.last_place());
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{point, viewport};
    use crate::render::{Lattice, Viewport};

    #[test]
    fn pictures_share_an_abscissa_to_the_pixel() {
        let set = viewport("-0.75", "0.01", "2.5", [800, 300]);
        let diagram = Viewport::from_box(&point("-2", "-2"), &point("0.3", "2"), [800, 500]).unwrap();
        let fixed = "0.02".parse().unwrap();
        let probe = point("-0.75", "0.02");
        let same = |a: &Viewport, b: &Viewport| {
            let apart = |x: f64| (b.pixel_from_plane(&a.plane_from_pixel([x, 10.0]))[0] - x).abs();
            apart(0.0).max(apart(799.0))
        };
        let mut below = diagram.with_abscissa_of(&set, &fixed);
        let mut above = set;
        for i in 0..50 {
            // Any wandering will do: from one side and from the other.
            let (factor, at) = (0.3 + f64::from(i * 7 % 11) / 3.0, [f64::from(i * 37 % 800), f64::from(i * 13 % 300)]);
            if i % 2 == 0 {
                above = above.zoomed(factor, at);
                below = below.with_abscissa_of(&above, &fixed);
            } else {
                below = below.panned([at[0] - 400.0, 3.0]).zoomed(factor, at);
                let row = above.pixel_from_plane(&probe)[1];
                above = above.with_abscissa_of(&below, &fixed);
                assert!(
                    (above.pixel_from_plane(&probe)[1] - row).abs() < 1e-6 * row.abs().max(1.0),
                    "the fixed row stays, step {i}"
                );
            }
            assert!(same(&above, &below) < 1e-3, "step {i}: {} pixels apart", same(&above, &below));
        }
    }

    #[test]
    fn boxes_of_stretched_pictures_map_exactly() {
        let diagram = Viewport::from_box(&point("-2", "-2"), &point("0", "2"), [800, 400]).unwrap();
        let boxed = diagram.zoomed_to_box([200.0, 100.0], [600.0, 150.0]);
        for (at, expected) in [([0.0, 0.0], [200.0, 100.0]), ([800.0, 400.0], [600.0, 150.0])] {
            let got = diagram.pixel_from_plane(&boxed.plane_from_pixel(at));
            assert!((got[0] - expected[0]).hypot(got[1] - expected[1]) < 1e-6, "{got:?}");
        }
        let tall = diagram.zoomed_ordinate(4.0, [10.0, 300.0]);
        assert_eq!(tall.width(), diagram.width());
        let same = tall.pixel_from_plane(&diagram.plane_from_pixel([10.0, 300.0]));
        assert!((same[0] - 10.0).hypot(same[1] - 300.0) < 1e-6, "{same:?}");
    }

    #[test]
    fn the_point_under_the_pointer_stays_there() {
        for (height, stretched) in [("2.5", false), ("1e-12", false), ("1e-1000", false), ("3e-4", true)] {
            let mut view = viewport("-0.743643887037151", "0.131825904205330", height, [1280, 800]);
            if stretched {
                view.stretched_width = Some("0.7".parse().unwrap());
            }
            let view = view.with_rotation(if height == "2.5" { 30.0 } else { 0.0 }).unwrap();
            let pointer = [17.25, 633.5];
            let point = view.plane_from_pixel(pointer);
            let zoomed = view.zoomed(1.25, pointer).zoomed(0.01, pointer).zoomed(3.0, pointer);
            let [x, y] = zoomed.pixel_from_plane(&point);
            assert!((x - pointer[0]).abs() < 1e-5 && (y - pointer[1]).abs() < 1e-5, "{height}: {x}, {y}");
            let deep = (0..4000).fold(zoomed, |v, _| v.zoomed_at(1.12, pointer, &point));
            let [x, y] = deep.pixel_from_plane(&point);
            assert!((x - pointer[0]).abs() < 1e-5 && (y - pointer[1]).abs() < 1e-5, "far below {height}: {x}, {y}");
        }
    }

    #[test]
    fn five_hundred_notches_in_and_out_come_back() {
        let home = viewport("-0.75", "0", "2.5", [1280, 800]);
        let pointer = [1000.0, 100.0];
        let mut view = home.clone();
        for factor in [1.25, 0.8] {
            for _ in 0..500 {
                view = view.zoomed(factor, pointer);
            }
        }
        let ratio = view.height().to_f64() / 2.5;
        assert!((ratio - 1.0).abs() < 1e-9, "height came back {ratio} times as large");
        let [x, y] = view.pixel_from_plane(home.center());
        assert!((x - 640.0).abs() < 1e-6 && (y - 400.0).abs() < 1e-6, "{x}, {y}");
    }

    #[test]
    fn pans_by_pixels_and_zooms_by_two_lay_samples_on_samples() {
        for (height, size) in [("2.5", [1280, 771]), ("3.7e-5", [64, 49]), ("1.1e-200", [33, 101])] {
            let mut view = viewport("-0.743643887037151", "0.131825904205330", height, size);
            for step in 0..40 {
                let panned = view.panned([3.0, -7.0]);
                let [before, after] = [&view, &panned].map(|view| view.grid(Lattice::FULL));
                assert_eq!(before.re_x[..10], after.re_x[3..13], "{height}, step {step}");
                assert_eq!(before.im_y[7..], after.im_y[..size[1] as usize - 7], "{height}, step {step}");
                assert_eq!(panned.panned([-3.0, 7.0]).center(), view.center());

                let zoomed = panned.zoomed(2.0, [20.25, 30.75]);
                let within = zoomed.grid(Lattice::FULL);
                assert_eq!(
                    [within.re_x[20], within.re_x[24]],
                    [after.re_x[20], after.re_x[22]],
                    "{height}, step {step}"
                );
                assert_eq!(
                    [within.im_y[30], within.im_y[20]],
                    [after.im_y[30], after.im_y[25]],
                    "{height}, step {step}"
                );
                let back = zoomed.zoomed(0.5, [20.25, 30.75]);
                assert_eq!(back.grid(Lattice::FULL), after, "{height}, step {step}");
                view = zoomed.zoomed(0.63, [1.5, 2.5]);
            }
        }
    }
}
