//! The periodic orbit of x² + c that a deep bifurcation diagram is drawn about.
//!
//! Where the view holds a window of periodicity, that is the orbit of 0 at its nucleus c0, where 0 is periodic: orbits of other
//! c are e ← (2X_n + e)·e + d with d = c − c0 and n modulo p, and as X_p = 0 = X_0 exactly, an orbit near 0 may go on beside the
//! reference's start wherever it is. Where all of the view lies within one window, so that it holds no nucleus, it is the
//! cycle that orbits of its centre come to.
//!
//! Source: Munafo, Mu-Ency, "Period", for periods from the derivative.

use crate::math::{BigComplex, Fixed, FloatExp};

/// A periodic orbit X_0, …, X_{p−1} at a parameter c0, as it is seen from a view.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// X_0, …, X_{p−1}.
    points: Vec<f64>,
    /// Their distances above the middle of the view.
    heights: Vec<f64>,
    /// How far the middle of the view lies to the right of c0.
    offset: f64,
    /// Whether X_0 is 0.
    is_critical: bool,
}

/// A part of a diagram: its middle, and the parameter and the ordinate of a pixel.
#[derive(Clone, Debug)]
pub struct DiagramView<'a> {
    pub center: &'a BigComplex,
    pub half_width: FloatExp,
    pub steps: [FloatExp; 2],
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWindow {
    /// Nobody waits for it any more.
    Cancelled,
    /// At the middle of the view every orbit escapes, and there is no window beside it.
    Empty,
    /// Neither a nucleus nor a cycle was found.
    Unknown,
}

/// Bits beyond what a pixel needs.
const GUARD_BITS: f64 = 64.0;
/// Longest period of a nucleus that is looked for: beside chaos they are some times the digits of the view.
const MOST_PERIOD: u32 = 1 << 17;
/// Longest cycle looked for where there is no nucleus.
const LONGEST_CYCLE: u32 = 1024;
/// Steps of an orbit before it is taken for near its cycle.
const TRANSIENT: u32 = 1 << 14;
/// Distance at which an orbit is said to have come back.
const CLOSE: f64 = 0.02;
/// What a multiplier must be away from 1 in size.
const LEAST_SLOPE: f64 = 1e-6;
/// Most steps of Newton's method: each adds some fifty bits.
const MOST_STEPS: usize = 4000;
/// How far outside a view its nucleus may lie, in half widths: each time a little farther is looked.
const FARTHEST_NUCLEUS: f64 = 1e6;
const FARTHER: f64 = 16.0;

impl Window {
    /// Finds it; `goes_on` is asked before each step.
    ///
    /// # Errors
    /// [`NoWindow`] says why there is none.
    pub fn find(view: &DiagramView<'_>, mut goes_on: impl FnMut() -> bool) -> Result<Self, NoWindow> {
        let limbs = Self::limbs(view.steps);
        if view.center.re.to_float_exp().abs() > FloatExp::from(4.0) {
            return Err(NoWindow::Empty);
        }
        let center = view.center.re.to_fixed(limbs);
        let (c0, start, period) = match nearby_nucleus(&center, view.half_width, &mut goes_on)? {
            Some((nucleus, period)) => (nucleus, Fixed::zero(limbs), period),
            None => {
                let (start, period) = cycle(&center, &mut goes_on)?;
                (center.clone(), start, period)
            }
        };
        let mut offset = center;
        offset.sub(&c0);
        let offset = offset.to_float_exp();
        let is_critical = start == Fixed::zero(limbs);
        let middle = view.center.im.to_fixed(limbs);
        let (mut points, mut heights) = (Vec::new(), Vec::new());
        let mut orbit = RealOrbit::new(start, c0);
        for _ in 0..period {
            points.push(orbit.x.to_float_exp().to_f64());
            let mut height = orbit.x.clone();
            height.sub(&middle);
            heights.push(height.to_float_exp().to_f64());
            orbit.step();
        }
        Ok(Self { points, heights, offset: offset.to_f64(), is_critical })
    }

    /// Limbs after the point of orbits for a view of those pixel steps.
    pub fn limbs(steps: [FloatExp; 2]) -> usize {
        let bits: f64 = steps.iter().map(|step| -step.log2().min(0.0)).sum();
        ((bits + GUARD_BITS) / 64.0).ceil() as usize + 1
    }

    /// X_n, n < p.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// X_n less the ordinate in the middle of the view.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    pub fn period(&self) -> u32 {
        self.points.len() as u32
    }

    /// The parameter in the middle of the view, less c0.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Whether X_0 is 0, the critical point.
    pub fn is_critical(&self) -> bool {
        self.is_critical
    }
}

/// x ↦ x² + c in fixed point, on the real axis.
struct RealOrbit {
    x: Fixed,
    c: Fixed,
    square: Fixed,
}

impl RealOrbit {
    fn new(x: Fixed, c: Fixed) -> Self {
        Self { square: x.clone(), x, c }
    }

    fn step(&mut self) {
        self.square.set_square(&mut self.x);
        self.x.copy_from(&self.square);
        self.x.add(&self.c);
    }
}

/// The nucleus of least period within about `radius` of c, or some times as far away, and its period; none where the orbit of c
/// shows none.
fn nearby_nucleus(
    c: &Fixed,
    radius: FloatExp,
    goes_on: &mut impl FnMut() -> bool,
) -> Result<Option<(Fixed, u32)>, NoWindow> {
    let mut orbit = RealOrbit::new(Fixed::zero(c.fraction()), c.clone());
    let mut derivative = FloatExp::ZERO;
    // The steps that lead nearest to 0, as distances of nuclei.
    let (mut nearest, mut period) = (radius.mul(FARTHEST_NUCLEUS.into()), None);
    for n in 1..=MOST_PERIOD {
        if !goes_on() {
            return Err(NoWindow::Cancelled);
        }
        derivative = orbit.x.to_float_exp().mul(derivative).mul(2.0.into()).add(FloatExp::ONE);
        orbit.step();
        let x = orbit.x.to_float_exp().abs();
        if derivative != FloatExp::ZERO {
            let distance = x.div(derivative.abs());
            // One a little nearer than one before is no reason to take a longer period.
            if distance.mul(FARTHER.into()) < nearest {
                (nearest, period) = (distance, Some(n));
            }
            if distance < radius {
                break;
            }
        }
        if x > FloatExp::from(2.0) {
            if period.is_none() {
                return Err(NoWindow::Empty);
            }
            break;
        }
    }
    let Some(period) = period else { return Ok(None) };
    let nucleus = nucleus(c.clone(), period, goes_on)?;
    let mut offset = c.clone();
    offset.sub(&nucleus);
    let is_near = offset.to_float_exp().abs() < radius.mul(FARTHEST_NUCLEUS.into());
    Ok(is_near.then_some((nucleus, period)))
}

/// The nucleus of `period` near c, by Newton's method to all digits of c.
fn nucleus(mut c: Fixed, period: u32, goes_on: &mut impl FnMut() -> bool) -> Result<Fixed, NoWindow> {
    for _ in 0..MOST_STEPS {
        let mut orbit = RealOrbit::new(Fixed::zero(c.fraction()), c.clone());
        let mut derivative = FloatExp::ZERO;
        for _ in 0..period {
            if !goes_on() {
                return Err(NoWindow::Cancelled);
            }
            derivative = orbit.x.to_float_exp().mul(derivative).mul(2.0.into()).add(FloatExp::ONE);
            orbit.step();
            if orbit.x.to_float_exp().abs() > FloatExp::from(8.0) {
                return Err(NoWindow::Unknown);
            }
        }
        if derivative == FloatExp::ZERO {
            return Err(NoWindow::Unknown);
        }
        let step = orbit.x.to_float_exp().div(derivative);
        let before = c.clone();
        c.add_float(FloatExp::ZERO.sub(step));
        if c == before {
            return Ok(c);
        }
    }
    // The last places need not settle.
    Ok(c)
}

/// A point of the cycle that the orbit of 0 comes to, and its period, by Newton's method to all digits of c.
fn cycle(c: &Fixed, goes_on: &mut impl FnMut() -> bool) -> Result<(Fixed, u32), NoWindow> {
    let mut orbit = RealOrbit::new(Fixed::zero(c.fraction()), c.clone());
    for _ in 0..TRANSIENT {
        if !goes_on() {
            return Err(NoWindow::Cancelled);
        }
        orbit.step();
    }
    let start = orbit.x.clone();
    let mut nearest = FloatExp::from(CLOSE);
    for period in 1..=LONGEST_CYCLE {
        orbit.step();
        let mut way = orbit.x.clone();
        way.sub(&start);
        let distance = way.to_float_exp().abs();
        // Each return that is closer than all before may be the cycle's.
        if distance < nearest {
            nearest = distance;
            if let Some(point) = attracting_point(&start, c, period, goes_on)? {
                return Ok((point, period));
            }
        }
    }
    Err(NoWindow::Unknown)
}

/// A point near `start` of a cycle that attracts, with that period. Of a neutral one nothing is said: where it parts, as at a fork,
/// orbits beside it take for ever.
fn attracting_point(
    start: &Fixed,
    c: &Fixed,
    period: u32,
    goes_on: &mut impl FnMut() -> bool,
) -> Result<Option<Fixed>, NoWindow> {
    let mut x = start.clone();
    for _ in 0..MOST_STEPS {
        let mut turn = RealOrbit::new(x.clone(), c.clone());
        let mut multiplier = FloatExp::ONE;
        for _ in 0..period {
            if !goes_on() {
                return Err(NoWindow::Cancelled);
            }
            multiplier = turn.x.to_float_exp().mul(multiplier).mul(2.0.into());
            turn.step();
        }
        let mut residual = turn.x;
        residual.sub(&x);
        let slope = FloatExp::ONE.sub(multiplier);
        if slope.abs() < FloatExp::from(LEAST_SLOPE) {
            return Ok(None);
        }
        let before = x.clone();
        x.add_float(residual.to_float_exp().div(slope));
        let mut way = x.clone();
        way.sub(start);
        if way.to_float_exp().abs() > FloatExp::from(2.0 * CLOSE) {
            return Ok(None);
        }
        if x == before {
            let attracts = multiplier.abs() < FloatExp::from(1.0 - LEAST_SLOPE);
            return Ok(attracts.then_some(x));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Decimal;

    fn find(re: &str, im: &str, width: &str, height: &str) -> Result<Window, NoWindow> {
        let number = |text: &str| text.parse::<Decimal>().unwrap();
        let center = BigComplex::new(number(re), number(im));
        let step = |extent: &str| number(extent).to_float_exp().div(1000.0.into());
        let half_width = number(width).half().to_float_exp();
        Window::find(&DiagramView { center: &center, half_width, steps: [step(width), step(height)] }, || true)
    }

    #[test]
    fn windows_are_found_by_their_nuclei() {
        // (centre, width, period, how far the centre is from the nucleus: that of period 3 is −1.7548776662466927600495088963…)
        for (re, width, period, offset) in [
            ("-1.75487766624669276", "1e-17", 3, 4.9508896358528692e-20),
            ("-1.9999", "1e-30", 0, f64::NAN),
            ("-1.89999999999943690291219", "3e-24", 53, f64::NAN),
        ] {
            let window = find(re, "0", width, "1").unwrap();
            assert!(window.is_critical() && window.points()[0] == 0.0);
            assert!(period == 0 || window.period() == period, "{re}: period {}", window.period());
            let last = window.points()[window.period() as usize - 1];
            let c0: f64 = re.parse().unwrap();
            assert!((last * last + c0).abs() < 1e-12, "{re}: X_p is {}", last * last + c0);
            let width: f64 = width.parse().unwrap();
            assert!(window.offset().abs() <= width, "{re}: {:e} off", window.offset());
            assert!(offset.is_nan() || (window.offset() / offset - 1.0).abs() < 1e-12, "{re}: {:e}", window.offset());
        }
    }

    #[test]
    fn views_within_a_window_have_their_cycle() {
        let window = find("-0.9", "-0.5", "1e-30", "1e-30").unwrap();
        assert!(!window.is_critical() && window.period() == 2);
        // (−1 ± √(−3 − 4c))/2
        let root = (0.6_f64).sqrt() / 2.0;
        let mut points = window.points().to_vec();
        points.sort_by(f64::total_cmp);
        assert!((points[0] + 0.5 + root).abs() < 1e-15 && (points[1] + 0.5 - root).abs() < 1e-15, "{points:?}");
        assert!((window.heights()[0] - window.points()[0] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn where_there_is_none_is_told() {
        assert_eq!(find("0.3", "0", "1e-30", "1"), Err(NoWindow::Empty));
        assert_eq!(find("-7", "0", "1e-30", "1"), Err(NoWindow::Empty));
        assert_eq!(find("0.25", "0", "1e-30", "1"), Err(NoWindow::Unknown));
    }
}
