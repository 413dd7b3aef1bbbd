//! The part of the plane that a picture shows, with every digit, at any depth.

use super::axis::{axis, sums};
use super::{Grid, Jitter, Lattice, Span};
use crate::math::{BigComplex, Complex, Decimal, FloatExp};

/// Digits kept beyond a pixel when a centre moves: a hundred million moves stay within a pixel.
const GUARD_DIGITS: i64 = 8;
/// Digits kept of a height when it changes: a thousand notches come back to within 1e-11.
const HEIGHT_DIGITS: usize = 15;
/// Digits of a pixel step that goes on for ever: whole pixels are then exact, and no f64 tells such a step from the true one.
const STEP_DIGITS: usize = 25;
/// Digits of an offset from the centre: more than the guard digits of any picture need.
const OFFSET_DIGITS: usize = 20;

/// A big centre, the plane height of the picture, its pixels, and its rotation.
///
/// Pixel (i, j), from the top left, samples `centre + ((i + ½ − W/2)·sx, (H/2 − j − ½)·sy)`, turned
/// by the rotation about the centre. `sy` = height / H; `sx` = `sy` unless the view is stretched. A lattice's [`Jitter`]
/// is added to the halves.
#[derive(Clone, Debug, PartialEq)]
pub struct Viewport {
    center: BigComplex,
    height: Decimal,
    /// Plane width where the axes have scales of their own.
    stretched_width: Option<Decimal>,
    rotation_degrees: f64,
    size: [u32; 2],
}

/// Why a viewport cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ViewportError {
    #[error(
        "a picture of {width}x{height} pixels is outside 1x1 to {MOST_PIXELS}x{MOST_PIXELS}; choose a size such as 1920x1080"
    )]
    Size { width: u64, height: u64 },
    #[error("a view of {what} {value} is empty; give a {what} above 0, such as 2.5")]
    Extent { what: &'static str, value: String },
    #[error("a rotation of {0} degrees is not a finite number; choose one from -360 to 360")]
    Rotation(f64),
}

/// Longest side of a picture, in pixels.
pub const MOST_PIXELS: u32 = 1 << 20;

impl Viewport {
    /// Square pixels: `height` in plane units over `size[1]` pixels.
    ///
    /// # Errors
    /// [`ViewportError`] where the size or the height is not above zero, or the size is absurd.
    pub fn new(center: BigComplex, height: Decimal, size: [u32; 2]) -> Result<Self, ViewportError> {
        let [width_px, height_px] = size;
        if width_px == 0 || height_px == 0 || width_px > MOST_PIXELS || height_px > MOST_PIXELS {
            return Err(ViewportError::Size { width: width_px.into(), height: height_px.into() });
        }
        if !height.is_positive() {
            return Err(ViewportError::Extent { what: "height", value: height.to_string() });
        }
        Ok(Self { center, height, stretched_width: None, rotation_degrees: 0.0, size })
    }

    /// Maps the box from `low` to `high` exactly onto the picture, each axis at its own scale.
    ///
    /// # Errors
    /// As [`Viewport::new`], for either extent.
    pub fn from_box(low: &BigComplex, high: &BigComplex, size: [u32; 2]) -> Result<Self, ViewportError> {
        let (width, height) = (&high.re - &low.re, &high.im - &low.im);
        if !width.is_positive() {
            return Err(ViewportError::Extent { what: "width", value: width.to_string() });
        }
        let center = BigComplex::new((&low.re + &high.re).half(), (&low.im + &high.im).half());
        let upright = Self::new(center, height, size)?;
        Ok(Self { stretched_width: Some(width), ..upright })
    }

    /// Grows the shorter extent about the centre until pixels are square.
    #[must_use]
    pub fn with_square_pixels(self) -> Self {
        let Some(width) = &self.stretched_width else { return self };
        let needed = width.scaled(f64::from(self.size[1]) / f64::from(self.size[0]), HEIGHT_DIGITS);
        let height = if needed > self.height { needed } else { self.height };
        Self { height, stretched_width: None, ..self }
    }

    /// Turned by `degrees` anticlockwise about the centre.
    ///
    /// # Errors
    /// [`ViewportError::Rotation`] where `degrees` is not finite.
    pub fn with_rotation(self, degrees: f64) -> Result<Self, ViewportError> {
        if !degrees.is_finite() {
            return Err(ViewportError::Rotation(degrees));
        }
        // The remainder of a hair below 0 rounds to a whole turn.
        Ok(Self { rotation_degrees: degrees.rem_euclid(360.0) % 360.0, ..self })
    }

    /// About another centre.
    #[must_use]
    pub fn centred_at(&self, center: BigComplex) -> Self {
        Self { center, ..self.clone() }
    }

    /// Of another height; where the axes have scales of their own, the width stays.
    ///
    /// # Errors
    /// [`ViewportError::Extent`] where it is not above zero.
    pub fn with_height(&self, height: Decimal) -> Result<Self, ViewportError> {
        if !height.is_positive() {
            return Err(ViewportError::Extent { what: "height", value: height.to_string() });
        }
        Ok(Self { height, ..self.clone() })
    }

    /// Of another width; the height stays, so that the axes have scales of their own.
    ///
    /// # Errors
    /// [`ViewportError::Extent`] where it is not above zero.
    pub fn with_width(&self, width: Decimal) -> Result<Self, ViewportError> {
        if !width.is_positive() {
            return Err(ViewportError::Extent { what: "width", value: width.to_string() });
        }
        Ok(Self { stretched_width: Some(width), ..self.clone() })
    }

    /// The same place at another size: the height stays, the width follows the pixels.
    ///
    /// # Errors
    /// [`ViewportError::Size`].
    pub fn with_size(&self, size: [u32; 2]) -> Result<Self, ViewportError> {
        let resized = Self::new(self.center.clone(), self.height.clone(), size)?;
        Ok(Self { stretched_width: self.stretched_width.clone(), rotation_degrees: self.rotation_degrees, ..resized })
    }

    pub fn center(&self) -> &BigComplex {
        &self.center
    }

    /// Height in plane units.
    pub fn height(&self) -> &Decimal {
        &self.height
    }

    /// Width in plane units where it is not the height times the aspect of the picture.
    pub fn stretched_width(&self) -> Option<&Decimal> {
        self.stretched_width.as_ref()
    }

    /// Rotation in degrees, 0 ≤ angle < 360.
    pub fn rotation_degrees(&self) -> f64 {
        self.rotation_degrees
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Pixel steps in x and y, in plane units.
    pub fn pixel_step(&self) -> [FloatExp; 2] {
        let along = |extent: &Decimal, pixels: u32| extent.to_float_exp().div(FloatExp::from(f64::from(pixels)));
        let y = along(&self.height, self.size[1]);
        [self.stretched_width.as_ref().map_or(y, |width| along(width, self.size[0])), y]
    }

    /// The finer of the two pixel steps: what the arithmetic must resolve.
    pub fn finest_step(&self) -> FloatExp {
        let [x, y] = self.pixel_step();
        if x < y { x } else { y }
    }

    /// The point under a place of the picture, in pixels from the top left corner.
    pub fn plane_from_pixel(&self, pos_px: [f64; 2]) -> BigComplex {
        let [dx, dy] = self.offset_from_pixel(pos_px);
        let at = |center: &Decimal, offset: &Decimal| (center + offset).rounded_at(self.last_place());
        BigComplex::new(at(&self.center.re, &dx), at(&self.center.im, &dy))
    }

    /// The place of a point in the picture, in pixels from the top left corner.
    pub fn pixel_from_plane(&self, point: &BigComplex) -> [f64; 2] {
        let [step_x, step_y] = self.pixel_step();
        let dx = &point.re - &self.center.re;
        let dy = &point.im - &self.center.im;
        let (sin, cos) = self.rotation_degrees.to_radians().sin_cos();
        // Turned back in pixels of the y step, so that nothing leaves the range of f64.
        let [u, v] = [dx, dy].map(|d| d.to_float_exp().div(step_y).to_f64());
        let aspect = step_y.div(step_x).to_f64();
        let [width, height] = self.size.map(f64::from);
        [width / 2.0 + (u * cos + v * sin) * aspect, height / 2.0 - (v * cos - u * sin)]
    }

    /// The map from pixels of another picture to pixels of this one: `x = m[0][0]·u + m[0][1]·v + m[0][2]`, y likewise by
    /// `m[1]`. Where the scales are too far apart for f64, numbers in it are not finite.
    pub fn pixels_from_pixels_of(&self, other: &Self) -> [[f64; 3]; 2] {
        let [width, height] = other.size.map(f64::from);
        // Three corners say where all of it lies.
        let corner = |at: [f64; 2]| self.pixel_from_plane(&other.plane_from_pixel(at));
        let [origin, right, down] = [corner([0.0, 0.0]), corner([width, 0.0]), corner([0.0, height])];
        [0, 1].map(|axis| [(right[axis] - origin[axis]) / width, (down[axis] - origin[axis]) / height, origin[axis]])
    }

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

    /// Width in plane units, to the digits of a height.
    pub fn width(&self) -> Decimal {
        let [columns, rows] = self.size.map(f64::from);
        self.stretched_width.clone().unwrap_or_else(|| self.height.scaled(columns / rows, HEIGHT_DIGITS))
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

    /// The way from the centre to a place of the picture, in plane units.
    fn offset_from_pixel(&self, pos_px: [f64; 2]) -> [Decimal; 2] {
        let [width, height] = self.size.map(f64::from);
        let (sin, cos) = self.rotation_degrees.to_radians().sin_cos();
        let [step_x, step_y] = self.pixel_step();
        let u = (pos_px[0] - width / 2.0) * step_x.div(step_y).to_f64();
        let v = height / 2.0 - pos_px[1];
        let offset = |pixels: f64| self.height.scaled(pixels / height, OFFSET_DIGITS);
        [offset(u * cos - v * sin), offset(u * sin + v * cos)]
    }

    /// Power of ten to which coordinates are kept.
    fn last_place(&self) -> i64 {
        (self.finest_step().log2() * std::f64::consts::LOG10_2).floor() as i64 - GUARD_DIGITS
    }

    /// Coordinates of a lattice of pixels: exact values rounded once to f64 where the view is upright.
    pub fn grid(&self, lattice: Lattice) -> Grid {
        let [columns, rows] = self.size;
        let (x, y) = (lattice.columns(columns), lattice.rows(rows));
        let half_turns = self.rotation_degrees;
        if half_turns == 0.0 {
            let width = self.stretched_width.as_ref().map_or((&self.height, rows), |width| (width, columns));
            let re_x = axis(&self.center.re, width, columns, x, 1);
            let im_y = axis(&self.center.im, (&self.height, rows), rows, y, -1);
            return Grid { im_x: vec![0.0; re_x.len()], re_y: vec![0.0; im_y.len()], re_x, im_y };
        }
        let (sin, cos) = half_turns.to_radians().sin_cos();
        let [step_x, step_y] = self.pixel_step().map(FloatExp::to_f64);
        let (dx, dy) = (steps_from_center(x, columns, step_x), steps_from_center(y, rows, -step_y));
        Grid {
            re_x: sums(&self.center.re, dx.iter().map(|d| d * cos)),
            im_x: dx.iter().map(|d| d * sin).collect(),
            re_y: dy.iter().map(|d| -d * sin).collect(),
            im_y: sums(&self.center.im, dy.iter().map(|d| d * cos)),
        }
    }

    /// The way from the centre to each of a lattice's pixels, in units of [`finest_step`](Self::finest_step).
    pub fn offsets(&self, lattice: Lattice) -> Grid {
        let [columns, rows] = self.size;
        let (sin, cos) = self.rotation_degrees.to_radians().sin_cos();
        let unit = self.finest_step();
        let [step_x, step_y] = self.pixel_step().map(|step| step.div(unit).to_f64());
        let dx = steps_from_center(lattice.columns(columns), columns, step_x);
        let dy = steps_from_center(lattice.rows(rows), rows, -step_y);
        let times = |offsets: &[f64], factor: f64| offsets.iter().map(|d| d * factor).collect();
        Grid { re_x: times(&dx, cos), im_x: times(&dx, sin), re_y: times(&dy, -sin), im_y: times(&dy, cos) }
    }

    /// The ways from a pixel to the next on its right and to the one above, in units of `unit`.
    pub fn pixel_axes(&self, unit: FloatExp) -> [Complex; 2] {
        let (sin, cos) = self.rotation_degrees.to_radians().sin_cos();
        let [step_x, step_y] = self.pixel_step().map(|step| step.div(unit).to_f64());
        [Complex::new(cos, sin).scaled(step_x), Complex::new(-sin, cos).scaled(step_y)]
    }

    /// The distance from the centre to a corner.
    pub fn radius(&self) -> FloatExp {
        let unit = self.finest_step();
        let [step_x, step_y] = self.pixel_step().map(|step| step.div(unit).to_f64());
        let [dx, dy] = [f64::from(self.size[0]) * step_x / 2.0, f64::from(self.size[1]) * step_y / 2.0];
        unit.mul(FloatExp::from((dx * dx + dy * dy).sqrt()))
    }

    /// The nearest f64 to the centre.
    pub fn center_f64(&self) -> Complex {
        self.center.to_f64()
    }
}

/// The distance of each sample of a span from the middle of an axis of `pixels` pixels.
fn steps_from_center(span: Span, pixels: u32, step: f64) -> Vec<f64> {
    let half = f64::from(pixels) / 2.0;
    let within = 0.5 + f64::from(span.shift) / f64::from(1 << Jitter::BITS);
    (0..span.count).map(|i| (f64::from(span.first + i * span.stride) + within - half) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewport(re: &str, im: &str, height: &str, size: [u32; 2]) -> Viewport {
        let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
        Viewport::new(center, height.parse().unwrap(), size).unwrap()
    }

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

    fn point(re: &str, im: &str) -> BigComplex {
        BigComplex::new(re.parse().unwrap(), im.parse().unwrap())
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
    fn samples_are_exact_values_rounded_once() {
        let grid = viewport("-0.75", "0", "2.5", [4, 2]).grid(Lattice::FULL);
        assert_eq!(grid.re_x, [-2.625, -1.375, -0.125, 1.125]);
        assert_eq!(grid.im_y, [0.625, -0.625]);
        // 0.1 + (i + ½ − 3/2)·0.3/3 in decimals is 0, 0.1, 0.2: f64 arithmetic would miss two of them.
        assert_eq!(viewport("0.1", "0", "0.3", [3, 3]).grid(Lattice::FULL).re_x, [0.0, 0.1, 0.2]);
    }

    #[test]
    fn coarse_samples_are_pixels_of_the_full_picture() {
        let view = viewport("-0.743643887037151", "0.131825904205330", "1e-9", [101, 67]);
        let (full, coarse) = (view.grid(Lattice::FULL), view.grid(Lattice::coarse(16)));
        for (k, &re) in coarse.re_x.iter().enumerate() {
            assert_eq!(re, full.re_x[8 + 16 * k]);
        }
        assert_eq!(coarse.size(), [6, 4]);
    }

    #[test]
    fn bands_are_rows_of_the_full_picture() {
        let upright = viewport("-0.743643887037151", "0.131825904205330", "1e-9", [11, 67]);
        for view in [upright.clone(), upright.with_rotation(20.0).unwrap()] {
            let (full, band) = (view.grid(Lattice::FULL), view.grid(Lattice::band(60, 16)));
            assert_eq!(band.size(), [11, 7]);
            assert_eq!((&band.re_x, &band.im_x), (&full.re_x, &full.im_x));
            assert_eq!((&band.re_y[..], &band.im_y[..]), (&full.re_y[60..], &full.im_y[60..]));
        }
    }

    #[test]
    fn offsets_are_pixels_at_any_depth() {
        for height in ["4e-3", "4e-1000"] {
            let view = viewport("-0.75", "0.1", height, [6, 4]);
            let offsets = view.offsets(Lattice::FULL);
            assert_eq!(offsets.point(0, 0), Complex::new(-2.5, 1.5));
            assert_eq!(offsets.point(5, 3), Complex::new(2.5, -1.5));
            assert!((view.radius().div(view.finest_step()).to_f64() - 13f64.sqrt()).abs() < 1e-12);
            let band = view.offsets(Lattice::band(2, 2));
            assert_eq!(band.point(1, 1), offsets.point(1, 3));
            let turned = view.with_rotation(90.0).unwrap().offsets(Lattice::FULL).point(0, 0);
            assert!(turned.sub(Complex::new(-1.5, -2.5)).norm() < 1e-15, "{turned:?}");
        }
    }

    #[test]
    fn rows_mirror_exactly_about_the_real_axis() {
        let grid = viewport("-0.75", "0", "2.5", [7, 101]).grid(Lattice::FULL);
        assert!((0..101).all(|j| grid.mirror_row(j) == Some(100 - j)));
        let off = viewport("-0.75", "0.01", "2.5", [7, 101]).grid(Lattice::FULL);
        assert!((0..101).all(|j| off.mirror_row(j).is_none_or(|k| off.im_y[k] == -off.im_y[j])));
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

    #[test]
    fn boxes_map_exactly_or_grow_to_square_pixels() {
        let corner = |re: &str, im: &str| BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
        let talk = Viewport::from_box(&corner("-2.5", "-1.25"), &corner("1", "1.25"), [1000, 1000]).unwrap();
        let grid = talk.grid(Lattice::FULL);
        assert_eq!((grid.re_x[0], grid.im_y[0]), (-2.49825, 1.24875));
        let square = talk.with_square_pixels();
        assert_eq!(square.height(), &"3.5".parse().unwrap());
        assert_eq!(square.center(), &corner("-0.75", "0"));
    }

    #[test]
    fn a_quarter_turn_swaps_the_axes() {
        let view = viewport("0", "0", "4", [4, 4]).with_rotation(90.0).unwrap();
        let point = view.grid(Lattice::FULL).point(3, 0);
        assert!((point.re + 1.5).abs() < 1e-12 && (point.im - 1.5).abs() < 1e-12, "{point:?}");
    }

    #[test]
    fn jitter_is_a_way_in_pixels_at_any_depth() {
        let jitter = Jitter { x: 1024, y: -512 };
        let moved = [1024, -512].map(|units| f64::from(units) / 4096.0);
        for (height, degrees, stretched) in [
            ("2.5", 0.0, false),
            ("1e-9", 30.0, false),
            ("3e-4", 30.0, true),
            ("1e-200", 0.0, false),
            ("1e-200", 211.0, true),
        ] {
            let mut view = viewport("-0.743643887037151", "0.131825904205330", height, [120, 80]);
            if stretched {
                view.stretched_width = Some(view.height.scaled(0.7, 5));
            }
            let view = view.with_rotation(degrees).unwrap();
            let lattice = Lattice::coarse(4).jittered(jitter);
            let offsets = view.offsets(lattice);
            let unit = view.finest_step();
            let grid = view.grid(lattice);
            for (i, j) in [(0, 0), (29, 3), (7, 19)] {
                let pos_px = [i, j].map(|k| 4.0 * k as f64 + 2.5);
                let place = view.plane_from_pixel([pos_px[0] + moved[0], pos_px[1] + moved[1]]);
                let way = offsets.point(i, j);
                let [x, y] = [(&place.re, &view.center.re, way.re), (&place.im, &view.center.im, way.im)]
                    .map(|(at, from, way)| (at - from).to_float_exp().div(unit).to_f64() - way);
                assert!(x.abs() < 1e-6 && y.abs() < 1e-6, "{height} {degrees}: {x}, {y}");
                let [at, exact] = [grid.point(i, j), place.to_f64()];
                let most = 1e-15 + 1e-6 * unit.to_f64();
                let error = (at.re - exact.re).hypot(at.im - exact.im);
                assert!(error < most, "{height} {degrees}: {at:?}, not {exact:?}");
            }
        }
    }

    #[test]
    fn turned_views_of_a_million_digits_take_no_longer() {
        let long = viewport("-0.5", "1e-1000000", "1e-3", [640, 480]).with_rotation(30.0).unwrap();
        let short = viewport("-0.5", "0", "1e-3", [640, 480]).with_rotation(30.0).unwrap();
        let begun = std::time::Instant::now();
        assert_eq!(long.grid(Lattice::FULL), short.grid(Lattice::FULL));
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }

    #[test]
    fn absurd_views_are_refused() {
        let zero = || BigComplex::new(0.into(), 0.into());
        assert!(Viewport::new(zero(), 1.into(), [0, 5]).is_err());
        assert!(Viewport::new(zero(), 1.into(), [u32::MAX, 1]).is_err());
        assert!(Viewport::new(zero(), (-1).into(), [5, 5]).is_err());
        assert!(Viewport::from_box(&zero(), &zero(), [5, 5]).is_err());
    }
}
