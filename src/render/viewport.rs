//! The part of the plane that a picture shows, with every digit, at any depth.

mod moves;

use super::axis::{axis, sums};
use super::{Grid, Jitter, Lattice, Span};
use crate::math::{BigComplex, Complex, Decimal, FloatExp};

/// Digits kept beyond a pixel when a centre moves: a hundred million moves stay within a pixel.
const GUARD_DIGITS: i64 = 8;
/// Digits kept of a height when it changes: a thousand notches come back to within 1e-11.
const HEIGHT_DIGITS: usize = 15;
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

    /// Width in plane units, to the digits of a height.
    pub fn width(&self) -> Decimal {
        let [columns, rows] = self.size.map(f64::from);
        self.stretched_width.clone().unwrap_or_else(|| self.height.scaled(columns / rows, HEIGHT_DIGITS))
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

    pub(super) fn viewport(re: &str, im: &str, height: &str, size: [u32; 2]) -> Viewport {
        let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
        Viewport::new(center, height.parse().unwrap(), size).unwrap()
    }

    pub(super) fn point(re: &str, im: &str) -> BigComplex {
        BigComplex::new(re.parse().unwrap(), im.parse().unwrap())
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
