//! x² + c: doublings, superstable points, band merges and the window of period 3.

use cardioid::fractal::attractor::{Attractor, Effort, attractor};
use cardioid::fractal::cycle::{Cycle, Stability};
use cardioid::fractal::map::{Logistic, Map as _, Quadratic};

use super::{critical, doubling, quadratic, zero};

fn settled(c: f64) -> Option<Cycle<[f64; 1]>> {
    match attractor(&quadratic(c), [0.0], Effort::STILL) {
        Attractor::Cycle(cycle) => Some(cycle),
        _ => None,
    }
}

/// The c nearest `guess` whose critical orbit has that period.
fn superstable(period: u32, guess: f64) -> f64 {
    zero(|c| critical(c, period), [guess, guess + 1e-7])
}

/// Superstable c of the periods 1, 2, 4, … 128 of the main cascade: 40 digits by mpmath.
const SUPERSTABLE: [f64; 8] = [
    0.0,
    -1.0,
    -1.310702641336833,
    -1.381547484432061,
    -1.396945359704561,
    -1.400253081214783,
    -1.400961962944841,
    -1.401113804939776,
];

/// Periods of windows, and their superstable c: the largest of each period, and some more; 40 digits by mpmath.
const WINDOWS: [(u32, f64); 9] = [
    (3, -1.754877666246693),
    (5, -1.625413725123303),
    (6, -1.47601464272843),
    (7, -1.574889139752301),
    (4, -1.940799806529485),
    (5, -1.860782522204855),
    (5, -1.985424253054205),
    (6, -1.772892903381624),
    (6, -1.907280091065302),
];

/// Where the cycles of period 1, 2, 4, … 64 double: the first two exact, the others as above.
const DOUBLINGS: [f64; 7] =
    [-0.75, -1.25, -1.368098939391258, -1.394046156600763, -1.399631238873784, -1.400828742370923, -1.401085271257016];

#[test]
fn superstable_cycles_lie_where_they_are_known() {
    for (k, expected) in (0..).zip(SUPERSTABLE) {
        // Each lies beyond the last by about 1 / 4.669 of the way before.
        let guess = match k {
            0 => 0.1,
            1 => -0.9,
            k => SUPERSTABLE[k - 1] + (SUPERSTABLE[k - 1] - SUPERSTABLE[k - 2]) / 4.669,
        };
        let got = superstable(1 << k, guess);
        assert!((got - expected).abs() < 1e-12, "period {}: {got}", 1 << k);
    }
    for (period, expected) in WINDOWS {
        let got = superstable(period, expected + 1e-5);
        assert!((got - expected).abs() < 1e-12, "period {period}: {got}");
        let cycle = settled(got).expect("a superstable cycle attracts");
        assert_eq!((cycle.period, cycle.stability()), (period, Stability::Attracting), "c = {got}");
        assert!(cycle.multiplier.norm() < 1e-8, "c = {got}: {cycle:?}");
    }
}

#[test]
fn cycles_double_where_they_are_known_to() {
    let mut found = Vec::new();
    for (k, expected) in DOUBLINGS.into_iter().enumerate() {
        let [from, next] = [SUPERSTABLE[k], SUPERSTABLE[k + 1]];
        let got = doubling::<1, Quadratic>(1 << k, [0.0], [from, from + 0.1 * (next - from)]);
        assert!((got - expected).abs() < 1e-12, "{} → {}: {got}", 1 << k, 2 << k);
        found.push(got);
    }
    // Ratios of the above; their limit is Feigenbaum's 4.669201609.
    for (k, expected) in [4.233738, 4.551507, 4.645808, 4.663938, 4.668104].into_iter().enumerate() {
        let ratio = (found[k + 1] - found[k]) / (found[k + 2] - found[k + 1]);
        assert!((ratio - expected).abs() < 2e-6, "ratio {k}: {ratio}");
    }
}

#[test]
fn attractors_have_the_period_between_doublings() {
    for (k, pair) in DOUBLINGS.windows(2).enumerate() {
        for part in [0.001, 0.1, 0.5, 0.9, 0.999] {
            let c = pair[0] + part * (pair[1] - pair[0]);
            let cycle = settled(c).unwrap_or_else(|| panic!("c = {c}: nothing found"));
            assert_eq!((cycle.period, cycle.stability()), (2 << k, Stability::Attracting), "c = {c}: {cycle:?}");
        }
    }
    for (k, c) in DOUBLINGS.into_iter().enumerate().take(4) {
        let cycle = settled(c).unwrap_or_else(|| panic!("c = {c}: nothing found"));
        assert_eq!((cycle.period, cycle.stability()), (1 << k, Stability::Neutral), "c = {c}: {cycle:?}");
    }
}

#[test]
fn fixed_points_and_pairs_have_closed_forms() {
    for i in 1..400 {
        let c = 0.25 - f64::from(i) / 400.0;
        let cycle = settled(c).unwrap_or_else(|| panic!("c = {c}: nothing found"));
        let root = (1.0 - 4.0 * c).sqrt();
        assert_eq!(cycle.period, 1, "c = {c}");
        assert!((cycle.point[0] - (1.0 - root) / 2.0).abs() < 1e-12, "c = {c}: {cycle:?}");
        assert!((cycle.multiplier.re - (1.0 - root)).abs() < 1e-12, "c = {c}: {cycle:?}");
    }
    for i in 1..200 {
        let c = -0.75 - f64::from(i) / 400.0;
        let cycle = settled(c).unwrap_or_else(|| panic!("c = {c}: nothing found"));
        assert_eq!(cycle.period, 2, "c = {c}");
        let half = (-3.0 - 4.0 * c).sqrt() / 2.0;
        for [x] in cycle.points(&quadratic(c)) {
            assert!(((x + 0.5).abs() - half).abs() < 1e-12, "c = {c}: {x}");
        }
        assert!((cycle.multiplier.re - 4.0 * (1.0 + c)).abs() < 1e-12, "c = {c}: {cycle:?}");
    }
}

#[test]
fn bands_merge_where_the_critical_orbit_lands_on_a_cycle() {
    // Bands that become one in each of q places. The first is a root of c³ + 2c² + 2c + 2; 40 digits by mpmath.
    for (q, expected) in [(1, -1.543689012692076), (2, -1.430357632451307), (4, -1.407405118164702)] {
        let got = zero(|c| critical(c, 4 * q) - critical(c, 3 * q), [expected - 1e-6, expected + 1e-6]);
        assert!((got - expected).abs() < 1e-12, "q = {q}: {got}");
    }
}

#[test]
fn windows_are_small_copies_of_the_whole() {
    // All but the doubled cycle of period 3, which is no window of its own.
    for (period, center) in WINDOWS.into_iter().filter(|(_, c)| (c + 1.7729).abs() > 1e-4) {
        // About 0, f^p is x² + s in units of 1/lam, and c = center + s / (beta lam²); the less exactly the wider
        // the window.
        let (mut lam, mut beta) = (1.0, 1.0);
        for k in 1..period {
            lam *= 2.0 * critical(center, k);
            beta += 1.0 / lam;
        }
        let at = |s: f64| center + s / (beta * lam * lam);
        for (s, doublings) in [(0.2, 0), (-0.3, 0), (-0.6, 0), (-0.9, 1), (-1.1, 1), (-1.28, 2)] {
            let cycle = settled(at(s)).unwrap_or_else(|| panic!("c = {}: nothing found", at(s)));
            assert_eq!(
                (cycle.period, cycle.stability()),
                (period << doublings, Stability::Attracting),
                "{period}, {s}"
            );
        }
        for s in [0.5, -1.9] {
            assert_eq!(settled(at(s)), None, "{period}, {s}: chaos");
        }
    }
}

#[test]
fn the_window_of_period_3_opens_doubles_and_ends() {
    let cycle = settled(-1.75).expect("it opens with a neutral cycle");
    assert_eq!((cycle.period, cycle.stability()), (3, Stability::Neutral), "{cycle:?}");
    // Roots of x³ + x²/2 − 9x/4 − 1/8. Two cycles meet here, so f64 knows them to half its digits.
    let mut points: Vec<f64> = cycle.points(&quadratic(-1.75)).map(|[x]| x).collect();
    points.sort_by(f64::total_cmp);
    for (got, expected) in points.iter().zip([-1.746979603717467, -0.054958132087371, 1.301937735804838]) {
        assert!((got - expected).abs() < 2e-8, "{points:?}");
    }
    assert_eq!(settled(-1.7499), None, "still chaotic");
    let attracting = settled(-1.7501).expect("open");
    assert_eq!((attracting.period, attracting.stability()), (3, Stability::Attracting));

    let doubles = doubling::<1, Quadratic>(3, [0.0], [-1.754877666246693, -1.7549]);
    assert!((doubles - -1.768529152467685).abs() < 1e-12, "{doubles}");
    let ends = zero(|c| critical(c, 9) - critical(c, 6), [-1.790327, -1.790328]);
    assert!((ends - -1.790327491999345).abs() < 1e-12, "{ends}");
}

#[test]
fn named_parameters_are_those_of_the_logistic_map_too() {
    let from_c = |c: f64| 1.0 + (1.0 - 4.0 * c).sqrt();
    for named in Quadratic::NAMED {
        let twin = Logistic::NAMED.iter().find(|twin| (twin.parameter - from_c(named.parameter)).abs() < 1e-14);
        let has_twin = !["3 → 6", "four bands become two"].contains(&named.label);
        assert_eq!(twin.is_some(), has_twin, "{named:?}");
    }
    for expected in [-2.0, -1.75, -1.25, -0.75, 0.25].iter().chain(&DOUBLINGS[2..4]) {
        assert!(Quadratic::NAMED.iter().any(|named| named.parameter == *expected), "{expected}");
    }
}
