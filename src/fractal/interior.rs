//! What is known of an orbit without iterating it, and with no risk to its count.
//!
//! A shortcut may never change what rounding makes of an orbit, so both tests keep a margin to the
//! curve where their mathematics ends.
//!
//! Source: Munafo, Mu-Ency, "Speed Improvements" (cardioid and disc) and "Escape Radius".

use super::cycle::{self, Cycle};
use super::system::ComplexQuadratic;
use crate::math::{Binary64, Complex};

/// Distance kept from the edges of the cardioid and the disc, in plane units or somewhat less.
///
/// At distance d inside the edge an orbit contracts by about 1 − d a step, so its roundings, 2⁻⁵² each,
/// add up to 2⁻⁵² / d at most; the orbits that escape stay √d away. From d ≈ 1e-10 on the first is
/// the smaller: twenty times that is kept.
const MARGIN: f64 = 2e-9;

const ONE: Complex = Complex::new(1.0, 0.0);

/// Two numbers of which the first is at most the second where `c` lies well inside the main cardioid, and two for
/// the period-2 disc, for z² + c.
#[inline(always)]
pub fn quadratic_bulbs<R: Binary64>(c: Complex<R>) -> [(R, R); 2] {
    let constant = |value| c.re.same(value);
    let im_sq = c.im.mul(c.im);
    let from_cusp = c.re.sub(constant(0.25));
    let q = from_cusp.mul_add(from_cusp, im_sq);
    let cardioid = (q.mul(q.add(from_cusp)), im_sq.mul_add(constant(0.25), constant(-MARGIN)));
    let from_center = c.re.add(constant(1.0));
    let disc = (from_center.mul_add(from_center, im_sq), constant(1.0 / 16.0 - MARGIN));
    [cardioid, disc]
}

/// Whether one bulb of [`quadratic_bulbs`] holds the rectangle of all c between the given least and greatest parts.
///
/// Four points decide. With x = re − ¼, y = im² and q = x² + y the cardioid is q(q + x) − y/4 ≤ −margin. The left side is
/// convex in y, so at equal re it holds between two values of im² where it holds at both. Its derivative by x,
/// x²(4x + 3) + y(4x + 1), changes its sign once, where y = −x²(4x + 3)/(4x + 1): that is positive between −¾ and −¼ only,
/// and grows there. So at equal im it holds between two values of re. Of the disc both are plain.
#[inline(always)]
pub fn bulb_holds_rectangle(re: [f64; 2], im: [f64; 2]) -> bool {
    let crosses_axis = im[0] <= 0.0 && im[1] >= 0.0;
    let im = if crosses_axis { [0.0, im[1].max(-im[0])] } else { im };
    let tests = [(re[0], im[0]), (re[0], im[1]), (re[1], im[0]), (re[1], im[1])]
        .map(|(re, im)| quadratic_bulbs(Complex::new(re, im)).map(|(a, b)| a <= b));
    (0..2).any(|bulb| tests.iter().all(|holds| holds[bulb]))
}

/// The attracting cycle of z² + c where `c` lies well inside the main cardioid or the period-2 disc: there its points
/// solve quadratic equations, and no orbit need creep towards it.
#[inline(always)]
pub fn bulb_cycle(c: Complex) -> Option<Cycle<Complex>> {
    let [cardioid, disc] = quadratic_bulbs(c).map(|(low, high)| low <= high);
    let (start, period) = match (cardioid, disc) {
        // (1 − √(1 − 4c)) / 2
        (true, _) => (ONE.sub(ONE.sub(c.scaled(4.0)).sqrt()).scaled(0.5), 1),
        // (−1 + √(−3 − 4c)) / 2
        (_, true) => (Complex::new(-3.0, 0.0).sub(c.scaled(4.0)).sqrt().sub(ONE).scaled(0.5), 2),
        _ => return None,
    };
    // A period that the compiler knows made the vectorizer of LLVM 22.1 (-C no-vectorize-slp is without it) get second
    // steps of Newton's method wrong, in some callers; the test below would tell.
    cycle::refine(&ComplexQuadratic { c }, start, std::hint::black_box(period))
}

/// The |c|² up to which an orbit that has left the disc of radius R ≥ 2 stays outside, in floating point too.
///
/// All our formulas have |f(z)| ≥ |z|^d − |c| with d ≥ 2: the powers by the triangle inequality, the
/// Burning Ship and the tricorn because they only change signs of parts of z before they square it. As |z|^d ≥ R²,
/// |f(z)| > R as soon as |z| > R and |c| < R² − R. Only there may the bailout be tested once in several steps.
///
/// Where a step overflows, a part of the result is infinite or NaN, and products and sums lead back from neither.
pub fn lasting_escape(bailout: f64) -> f64 {
    let bailout_sq = bailout * bailout;
    if bailout_sq == f64::INFINITY {
        // Only NaN counts as escaped then, and no arithmetic leads back from it.
        return f64::INFINITY;
    }
    // A step and its test round at most some twenty times, each by 2⁻⁵³ of |z|^d or |c|: 2⁻⁴⁶ is more than that.
    let most = bailout_sq - bailout - bailout_sq * 2.0_f64.powi(-46);
    if most > 0.0 { most * most } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractal::attractor::{Attractor, Effort, attractor};

    #[test]
    fn bulbs_are_shrunk_and_nothing_else_is_in_them() {
        // (c, whether a bulb holds it, why)
        for (re, im, expected, why) in [
            (0.0, 0.0, true, "the cardioid's nucleus"),
            (-1.0, 0.0, true, "the disc's nucleus"),
            (0.25, 0.0, false, "the cusp"),
            (0.248, 0.0, true, "near the cusp"),
            (-0.75, 0.0, false, "where the two meet"),
            (-1.25, 0.0, false, "the disc's left end"),
            (-0.125, 0.649_519_052_838_329, false, "the root of the period-3 bulb"),
            (-0.125, 0.649_519_04, true, "just below that root"),
            (-0.122_561_166_876_654, 0.744_861_766_619_744, false, "the period-3 nucleus"),
            (-2.0, 0.0, false, "the tip"),
        ] {
            let got = quadratic_bulbs(Complex::new(re, im)).iter().any(|(a, b)| a <= b);
            assert_eq!(got, expected, "{why}");
        }
    }

    #[test]
    fn rectangles_in_bulbs_hold_no_other_points() {
        let holds = |re, im| quadratic_bulbs(Complex::new(re, im)).map(|(a, b)| a <= b);
        let steps = |[low, high]: [f64; 2]| (0..=16).map(move |k| low + (high - low) * f64::from(k) / 16.0);
        let sides = |[low, high]: [f64; 2], n: u32| {
            let at = move |k: u32| low + (high - low) * f64::from(k) / f64::from(n);
            (0..n).flat_map(move |a| (a + 1..=n).map(move |b| [at(a), at(b)]))
        };
        let mut held = [0; 2];
        // The whole set, the cusp, and where the two bulbs meet.
        for (re, im) in [([-1.3, 0.5], [-0.7, 0.8]), ([0.2, 0.27], [-0.01, 0.02]), ([-0.8, -0.7], [-0.05, 0.1])] {
            for re in sides(re, 14) {
                for im in sides(im, 14).filter(|&im| bulb_holds_rectangle(re, im)) {
                    let points = steps(re).flat_map(|re| steps(im).map(move |im| holds(re, im)));
                    let bulbs = points.fold([true; 2], |all, one| [all[0] && one[0], all[1] && one[1]]);
                    assert!(bulbs != [false; 2], "{re:?} {im:?}");
                    held = [held[0] + u32::from(bulbs[0]), held[1] + u32::from(bulbs[1])];
                }
            }
        }
        assert!(held[0] > 1000 && held[1] > 50, "{held:?}");
        assert!(!bulb_holds_rectangle([0.2, 0.26], [-0.1, 0.1]), "the cusp lies within, and no corner outside");
    }

    #[test]
    fn cycles_in_bulbs_are_those_that_orbits_come_to() {
        let edge = 0.75 - 1e-8;
        for (re, im, period) in [
            (0.0, 0.0, 1),
            (0.1, 0.3, 1),
            (-0.7, -0.1, 1),
            (-edge, 0.0, 1),
            (-1.0, 0.0, 2),
            (-1.1, 0.2, 2),
            (-1.0, -0.24, 2),
        ] {
            let cycle = bulb_cycle(Complex::new(re, im)).unwrap_or_else(|| panic!("{re} {im}: none known"));
            assert_eq!((cycle.period, cycle.stability()), (period, cycle::Stability::Attracting), "{re} {im}");
            let system = ComplexQuadratic { c: Complex::new(re, im) };
            let far = Effort { transient: 4000, most_period: 8, most_transient: 4000 };
            if let Attractor::Cycle(found) = attractor(&system, Complex::new(0.0, 0.0), far) {
                let nearest = cycle.points(&system).map(|z| z.sub(found.point).norm()).fold(1.0, f64::min);
                assert!(found.period == period && nearest < 1e-9, "{re} {im}: {found:?}");
            }
        }
        assert_eq!(bulb_cycle(Complex::new(-1.0, 0.25)), None, "on the edge");
        assert_eq!(bulb_cycle(Complex::new(f64::NAN, 0.0)), None);
    }

    #[test]
    fn escapes_last_up_to_the_bailout_but_for_the_smallest() {
        assert!((0.0..1e-12).contains(&(4.0 - lasting_escape(2.0))));
        assert!(lasting_escape(2.1) > 2.1 * 2.1);
        assert!(lasting_escape(1000.0) > 1e11);
        assert_eq!(lasting_escape(1e200), f64::INFINITY);
        assert!(lasting_escape(1e100) > 1e100);
    }
}
