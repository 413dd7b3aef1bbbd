//! The other maps: the logistic one against x² + c, and what is known of the rest.

use std::f64::consts::PI;

use cardioid::fractal::attractor::{Attractor, Effort, attractor};
use cardioid::fractal::cycle::Cycle;
use cardioid::fractal::lyapunov;
use cardioid::fractal::map::{Fate, Gauss, Henon, Logistic, Map, Quadratic, Sine, Tent};
use cardioid::fractal::system::{At, System as _};

use super::doubling;

fn settled<const D: usize, M: Map<D>>(parameter: f64) -> Option<Cycle<[f64; D]>> {
    match attractor(&At::<M, D>::new(parameter), M::start(M::SEED), Effort::STILL) {
        Attractor::Cycle(cycle) => Some(cycle),
        _ => None,
    }
}

#[test]
fn the_logistic_map_is_the_quadratic_one_in_other_coordinates() {
    let mut cycles = 0;
    for i in 0..400 {
        let c = 0.2487 - 2.2 * f64::from(i) / 400.0;
        let r = 1.0 + (1.0 - 4.0 * c).sqrt();
        if Quadratic::fate(c) == Fate::Empty {
            assert_eq!(Logistic::fate(r), Fate::Empty, "c = {c}");
            continue;
        }
        let (Some(cycle), Some(twin)) = (settled::<1, Quadratic>(c), settled::<1, Logistic>(r)) else { continue };
        cycles += 1;
        assert_eq!(cycle.period, twin.period, "c = {c}");
        // Near a doubling multipliers lose digits, as the distance to 1 is the square of another.
        assert!((cycle.multiplier.re - twin.multiplier.re).abs() < 1e-9, "c = {c}: {cycle:?}, {twin:?}");
        let points: Vec<f64> = cycle.points(&At::<Quadratic, 1>::new(c)).map(|[x]| x).collect();
        for [x] in twin.points(&At::<Logistic, 1>::new(r)) {
            let z = r * (0.5 - x);
            let nearest = points.iter().map(|p| (p - z).abs()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-9, "c = {c}: {z} is no point of the cycle");
        }
    }
    assert!(cycles > 250, "{cycles} cycles");
}

#[test]
fn logistic_values_are_the_published_ones() {
    let one = doubling::<1, Logistic>(1, [0.5], [2.0, 2.1]);
    let two = doubling::<1, Logistic>(2, [0.5], [1.0 + 5.0_f64.sqrt(), 3.25]);
    assert!((one - 3.0).abs() < 1e-12, "{one}");
    assert!((two - (1.0 + 6.0_f64.sqrt())).abs() < 1e-12, "{two}");
    let window = settled::<1, Logistic>(1.0 + 8.0_f64.sqrt() + 1e-6).expect("period 3 is open");
    assert_eq!(window.period, 3);
}

#[test]
fn the_sine_map_doubles_first_where_tan_t_is_minus_t() {
    let r = doubling::<1, Sine>(1, [0.5], [0.5, 0.52]);
    assert!((r - 0.7199617).abs() < 1e-7, "{r}");
    // There t = πx has tan t = −t; the root by other software.
    let x = settled::<1, Sine>(r - 1e-9).expect("just before it").point[0];
    assert!((PI * x - 2.0287578).abs() < 1e-6, "{x}");
    assert!(((PI * x).tan() + PI * x).abs() < 1e-6, "{x}");
    assert!((Sine::NAMED[1].parameter - r).abs() < 1e-9, "{r}");
}

#[test]
fn the_tent_stretches_by_its_slope() {
    for mu in [1.1, 2.0_f64.sqrt(), 1.7, 1.99] {
        let (mean, _) = lyapunov::exponent(&At::<Tent, 1>::new(mu), [Tent::SEED], 10_000);
        assert!((mean - f64::ln(mu)).abs() < 1e-12, "μ = {mu}: {mean}");
        assert_eq!(settled::<1, Tent>(mu), None, "μ = {mu}: no cycle attracts");
    }
    let cycle = settled::<1, Tent>(0.7).expect("0 attracts");
    assert!((cycle.multiplier.re - 0.7).abs() < 1e-15 && cycle.point[0].abs() < 1e-12, "{cycle:?}");
}

#[test]
fn henon_doubles_where_closed_forms_say() {
    let b = Henon::B;
    // The fixed point (1 − b) / 2a · (−1 + √(1 + 4a / (1 − b)²)), and 3(1 − b)² / 4; then (1 − b)² + (1 + b)² / 4.
    let fixed = |a: f64| (1.0 - b) / (2.0 * a) * ((1.0 + 4.0 * a / (1.0 - b).powi(2)).sqrt() - 1.0);
    let cycle = settled::<2, Henon>(0.2).expect("a fixed point");
    assert!((cycle.point[0] - fixed(0.2)).abs() < 1e-12 && (cycle.point[1] - b * fixed(0.2)).abs() < 1e-12);
    let one = doubling::<2, Henon>(1, cycle.point, [0.2, 0.25]);
    let two = doubling::<2, Henon>(2, settled::<2, Henon>(0.8).expect("a pair").point, [0.8, 0.85]);
    assert!((one - 0.3675).abs() < 1e-12, "{one}");
    assert!((two - 0.9125).abs() < 1e-12, "{two}");
    // The classic attractor: its exponent is published as 0.419.
    let system = At::<Henon, 2>::new(1.4);
    let x = (0..1000).fold(Henon::start(0.0), |x, _| system.step(x));
    let (mean, _) = lyapunov::exponent(&system, x, 500_000);
    assert!((mean - 0.419).abs() < 2e-3, "{mean}");
    assert_eq!((Henon::fate(1.4), Henon::fate(-0.2)), (Fate::Unknown, Fate::Empty));
    assert!(matches!(attractor(&At::<Henon, 2>::new(1.6), [0.0, 0.0], Effort::MOVING), Attractor::Escaped { .. }));
}

#[test]
fn the_mouse_has_attractors_that_depend_on_the_seed() {
    // Two fixed points x = exp(−4.9 x²) + b, one on the top of the bell and one on its flank.
    let b = -0.9;
    let system = At::<Gauss<49>, 1>::new(b);
    let [top, flank] = [0.0, -1.0].map(|seed| match attractor(&system, [seed], Effort::STILL) {
        Attractor::Cycle(Cycle { period: 1, point: [x], .. }) => x,
        other => panic!("from {seed}: {other:?}"),
    });
    for x in [top, flank] {
        assert!((x - (-4.9 * x * x).exp() - b).abs() < 1e-13, "{x}");
    }
    assert!(top > 0.0 && flank < -0.8, "{top}, {flank}");
}
