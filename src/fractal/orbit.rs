//! The orbit of 0 under z² + c, for people: its first points, and what becomes of it.
//!
//! [`points`] lists the table n, z_n, |z_n|. [`inspect`] looks as far as it must, however many points are listed:
//! for an exact repeat first, for c like −2 or i whose orbits land on a cycle that repels all others; then for
//! escape and for a cycle, among more than a million steps where the orbit is slow.

use std::fmt;

use super::attractor::{Attractor, Effort, attractor};
use super::cycle::{Cycle, Stability};
use super::lyapunov;
use super::system::{ComplexQuadratic, System as _};
use crate::math::Complex;

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitPoint {
    pub n: u32,
    pub z: Complex,
    /// |z|.
    pub norm: f64,
}

/// z_1 = c, z_2, …, as long as they are finite.
pub fn points(c: Complex) -> impl Iterator<Item = OrbitPoint> {
    let system = ComplexQuadratic { c };
    let orbit = std::iter::successors(Some(c), move |&z| Some(system.step(z)));
    let lines = (1..).zip(orbit).map(|(n, z)| OrbitPoint { n, z, norm: z.re.hypot(z.im) });
    lines.take_while(|line| line.norm.is_finite())
}

/// What becomes of an orbit.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// |z_n| > 2 for the first time at that n.
    Escapes { at: u32 },
    /// Drawn to a cycle, attracting or neutral; its points in order, that nearest 0 first.
    Settles { cycle: Cycle<Complex>, points: Vec<Complex> },
    /// On a repelling cycle, exactly, from that n on.
    Lands { at: u32, cycle: Cycle<Complex>, points: Vec<Complex> },
    /// For real c: no cycle in that many steps, and neighbours part exponentially.
    Chaotic { steps: u32 },
    /// None of these in that many steps.
    Undecided { steps: u32 },
}

/// A verdict, with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    pub c: Complex,
    pub verdict: Verdict,
    /// The Lyapunov exponent of almost all bounded orbits, for real c; −∞ where the cycle holds 0.
    pub lyapunov: Option<f64>,
}

/// How hard the verdict looks.
const EFFORT: Effort = Effort { transient: 5_000, most_period: 512, most_transient: 1 << 20 };
/// Steps in which an exact repeat is looked for: later ones are accidents of rounding.
const STEPS_TO_LAND: u32 = 256;
/// Steps that a Lyapunov exponent is the mean of.
const LYAPUNOV_STEPS: u32 = 1 << 18;
/// A seed with nothing special about it.
const TYPICAL: f64 = 0.123456789;

/// What becomes of the orbit of 0 under z² + c.
pub fn inspect(c: Complex) -> Inspection {
    let system = ComplexQuadratic { c };
    let critical = Complex::new(0.0, 0.0);
    let exponent = |z| (c.im == 0.0).then(|| lyapunov::exponent(&system, z, LYAPUNOV_STEPS).0);
    if let Some((at, cycle)) = landing(&system) {
        let points = in_order(&cycle, &system);
        let lyapunov = exponent(Complex::new(TYPICAL, 0.0));
        return Inspection { c, verdict: Verdict::Lands { at, cycle, points }, lyapunov };
    }
    let (verdict, lyapunov) = match attractor(&system, critical, EFFORT) {
        Attractor::Escaped { steps } => (Verdict::Escapes { at: steps }, None),
        Attractor::Cycle(cycle) => {
            let lyapunov = (c.im == 0.0).then(|| cycle.lyapunov());
            (Verdict::Settles { points: in_order(&cycle, &system), cycle }, lyapunov)
        }
        Attractor::Unsettled { point, steps, lyapunov } => {
            let is_chaotic = c.im == 0.0 && lyapunov > 0.0 && steps < EFFORT.most_transient;
            let verdict = if is_chaotic { Verdict::Chaotic { steps } } else { Verdict::Undecided { steps } };
            (verdict, exponent(point))
        }
    };
    Inspection { c, verdict, lyapunov }
}

/// The repelling cycle that the critical orbit lands on exactly, and the n at which it does.
fn landing(system: &ComplexQuadratic) -> Option<(u32, Cycle<Complex>)> {
    let mut orbit = Vec::with_capacity(STEPS_TO_LAND as usize);
    let mut z = Complex::new(0.0, 0.0);
    while !orbit.contains(&z) {
        if orbit.len() == STEPS_TO_LAND as usize || system.has_escaped(z) {
            return None;
        }
        orbit.push(z);
        z = system.step(z);
    }
    let at = orbit.iter().position(|&met| met == z)?;
    let multiplier = orbit[at..].iter().fold(Complex::new(1.0, 0.0), |product, &z| system.push(z, product));
    let cycle = Cycle { period: (orbit.len() - at) as u32, point: z, multiplier, uncertainty: 0.0 };
    (cycle.stability() == Stability::Repelling).then_some((at as u32, cycle))
}

/// The points of a cycle, from the one nearest 0 on.
fn in_order(cycle: &Cycle<Complex>, system: &ComplexQuadratic) -> Vec<Complex> {
    let mut points: Vec<Complex> = cycle.points(system).collect();
    let nearest = (0..points.len()).min_by(|&a, &b| points[a].norm().total_cmp(&points[b].norm()));
    points.rotate_left(nearest.unwrap_or(0));
    points
}

impl Verdict {
    /// The cycle, where there is one.
    pub fn cycle(&self) -> Option<(&Cycle<Complex>, &[Complex])> {
        match self {
            Self::Settles { cycle, points } | Self::Lands { cycle, points, .. } => Some((cycle, points)),
            _ => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_neutral = |cycle: &Cycle<Complex>| cycle.stability() == Stability::Neutral;
        match self {
            Self::Escapes { at } => write!(f, "escapes at n = {at}"),
            Self::Settles { cycle, points } => match (cycle.period, is_neutral(cycle)) {
                (1, false) => write!(f, "converges to {}", Text(points[0], 15)),
                (1, true) => write!(f, "creeps towards {}, a neutral fixed point", Text(points[0], 9)),
                (period, false) => write!(f, "settles on an attracting cycle of period {period}"),
                (period, true) => write!(f, "creeps towards a neutral cycle of period {period}"),
            },
            Self::Lands { at, cycle, points } => match cycle.period {
                1 => write!(f, "lands on {} at n = {at}, a fixed point that repels all others", Text(points[0], 15)),
                period => write!(f, "lands at n = {at} on a cycle of period {period} that repels all others"),
            },
            Self::Chaotic { steps } => write!(f, "chaotic, as far as {steps} steps show"),
            Self::Undecided { steps } => write!(f, "undecided after {steps} steps"),
        }
    }
}

/// A complex number as people write it, to so many decimals.
struct Text(Complex, usize);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [re, im] = [self.0.re, self.0.im].map(|x| {
            let digits = format!("{:.1$}", x.abs(), self.1);
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        });
        let sign = |x: f64, digits: &str| if x < 0.0 && digits != "0" { "−" } else { "" };
        match (re.as_str(), im.as_str()) {
            (_, "0") => write!(f, "{}{re}", sign(self.0.re, &re)),
            ("0", _) => write!(f, "{}{im}i", sign(self.0.im, &im)),
            _ => write!(f, "{}{re} {} {im}i", sign(self.0.re, &re), if self.0.im < 0.0 { '−' } else { '+' }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_of_the_talk() {
        // (c, z_1 to z_4)
        for (c, expected) in [
            (0.0, [0.0_f64; 4]),
            (1.0, [1.0, 2.0, 5.0, 26.0]),
            (0.5, [0.5, 0.75, 1.0625, 1.62890625]),
            (-1.0, [-1.0, 0.0, -1.0, 0.0]),
            (-2.0, [-2.0, 2.0, 2.0, 2.0]),
            (-2.5, [-2.5, 3.75, 11.5625, 131.19140625]),
        ] {
            let lines: Vec<OrbitPoint> = points(Complex::new(c, 0.0)).take(4).collect();
            for (line, expected) in lines.iter().zip(expected) {
                assert_eq!(
                    (line.z, line.norm),
                    (Complex::new(expected, 0.0), expected.abs()),
                    "c = {c}, n = {}",
                    line.n
                );
            }
        }
        assert!(points(Complex::new(1.0, 0.0)).count() < 12, "the table ends where numbers do");
    }

    #[test]
    fn verdicts_are_those_of_the_talk() {
        // (c, verdict in words, multiplier, Lyapunov exponent)
        let ln = f64::ln;
        for (re, im, words, multiplier, lyapunov) in [
            (0.0, 0.0, "converges to 0", Some(0.0), Some(f64::NEG_INFINITY)),
            (1.0, 0.0, "escapes at n = 3", None, None),
            (0.5, 0.0, "escapes at n = 5", None, None),
            (0.25, 0.0, "creeps towards 0.5, a neutral fixed point", Some(1.0), Some(0.0)),
            (0.125, 0.0, "converges to 0.146446609406726", Some(0.29289321881345254), Some(ln(0.29289321881345254))),
            (-0.5, 0.0, "converges to −0.366025403784439", Some(0.7320508075688772), Some(ln(0.7320508075688772))),
            (-1.0, 0.0, "settles on an attracting cycle of period 2", Some(0.0), Some(f64::NEG_INFINITY)),
            (-1.5, 0.0, "chaotic, as far as 5000 steps show", None, Some(0.2414)),
            (-2.0, 0.0, "lands on 2 at n = 2, a fixed point that repels all others", Some(4.0), Some(ln(2.0))),
            (-2.5, 0.0, "escapes at n = 1", None, None),
            (-0.75, 0.0, "creeps towards −0.5, a neutral fixed point", Some(1.0), Some(0.0)),
            (-1.0, 0.25, "creeps towards a neutral cycle of period 2", Some(1.0), None),
            (0.0, 1.0, "lands at n = 2 on a cycle of period 2 that repels all others", Some(32.0_f64.sqrt()), None),
            (0.2500001, 0.0, "escapes at n = 9933", None, None),
        ] {
            let seen = inspect(Complex::new(re, im));
            assert_eq!(seen.verdict.to_string(), words, "c = {re} + {im}i");
            let size = seen.verdict.cycle().map(|(cycle, _)| cycle.multiplier.norm());
            let close = |a: Option<f64>, b: Option<f64>, bound: f64| match (a, b) {
                (Some(a), Some(b)) => a == b || (a - b).abs() < bound,
                (a, b) => a == b,
            };
            assert!(close(size, multiplier, 1e-6), "c = {re} + {im}i: |multiplier| {size:?}");
            assert!(close(seen.lyapunov, lyapunov, 2e-3), "c = {re} + {im}i: exponent {:?}", seen.lyapunov);
        }
    }
}
