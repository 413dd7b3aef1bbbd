//! z² + c for c = Re c + i·s.

use cardioid::fractal::attractor::{Attractor, Effort, attractor};
use cardioid::fractal::cycle::{Cycle, Stability};
use cardioid::fractal::system::{ComplexQuadratic, System as _};
use cardioid::math::Complex;
use cardioid::math::philox::{philox, unit_f64};

const ORIGIN: Complex = Complex::new(0.0, 0.0);

fn settled(c: Complex, effort: Effort) -> Option<Cycle<Complex>> {
    match attractor(&ComplexQuadratic { c }, ORIGIN, effort) {
        Attractor::Cycle(cycle) => Some(cycle),
        _ => None,
    }
}

/// Where, between two values of Re c, an attracting cycle of that period ends; it is there at `inside`.
fn edge(period: u32, s: f64, mut inside: f64, mut outside: f64) -> f64 {
    for _ in 0..40 {
        let middle = (inside + outside) / 2.0;
        let cycle = settled(Complex::new(middle, s), Effort::STILL);
        let is_inside = cycle.is_some_and(|c| c.period == period && c.stability() == Stability::Attracting);
        *(if is_inside { &mut inside } else { &mut outside }) = middle;
    }
    inside
}

#[test]
fn parabolic_cycles_are_neutral_or_not_found() {
    // (c, period, multiplier): −1 + i/4 has 4(1 + c) = i exactly; the others lie on the cardioid as well as f64 can.
    for (re, im, period, [m_re, m_im]) in [
        (-1.0, 0.25, 2, [0.0, 1.0]),
        (-1.0, -0.25, 2, [0.0, -1.0]),
        (0.25, 0.5, 1, [0.0, 1.0]),
        (-0.125, 0.649519052838329, 1, [-0.5, 0.866025403784439]),
        (0.25, 0.0, 1, [1.0, 0.0]),
        (-0.75, 0.0, 1, [-1.0, 0.0]),
        (-1.25, 0.0, 2, [-1.0, 0.0]),
        (-1.75, 0.0, 3, [1.0, 0.0]),
    ] {
        let c = Complex::new(re, im);
        for transient in [100, 400, 1000, 4000, 30_000] {
            let effort = Effort { transient, ..Effort::STILL };
            let cycle = settled(c, Effort { most_transient: transient, ..effort });
            assert!(cycle.is_none_or(|cycle| cycle.stability() == Stability::Neutral), "{c:?}: {cycle:?}");
        }
        let cycle = settled(c, Effort::STILL).unwrap_or_else(|| panic!("{c:?}: none found"));
        assert_eq!(cycle.period, period, "{c:?}: {cycle:?}");
        let off = cycle.multiplier.sub(Complex::new(m_re, m_im)).norm();
        assert!(off < 1e-6, "{c:?}: {cycle:?}");
    }
}

#[test]
fn cycles_of_period_2_fill_a_disc() {
    // Re c of the disc's edge at Im c = s: −1 ± √(1/16 − s²).
    for s in [0.05, 0.1, 0.2] {
        let half = (1.0_f64 / 16.0 - s * s).sqrt();
        for (expected, outside) in [(-1.0 - half, -1.4), (-1.0 + half, -0.6)] {
            let got = edge(2, s, -1.0, outside);
            assert!((got - expected).abs() < 1e-7, "s = {s}: {got}, not {expected}");
        }
    }
    assert!((edge(2, 0.05, -1.0, -1.4) - -1.244948974).abs() < 1e-7);
    assert!((edge(2, 0.1, -1.0, -0.6) - -0.770871215).abs() < 1e-7);
}

#[test]
fn fixed_points_fill_the_cardioid() {
    // Re c where Im c = s crosses the cardioid, to the digits given; by bisection in other software.
    for (s, left, right) in
        [(0.05, -0.74812, 0.32262), (0.1, -0.74246, 0.35205), (0.25, -0.70128, 0.37334), (0.5, -0.52184, 0.25)]
    {
        for (expected, outside) in [(left, left - 0.05), (right, right + 0.05)] {
            let got = edge(1, s, (left + right) / 2.0, outside);
            assert!((got - expected).abs() < 1e-5, "s = {s}: {got}, not {expected}");
        }
    }
}

#[test]
fn nothing_is_called_attracting_that_is_not() {
    let effort = Effort { most_transient: 16_000, ..Effort::STILL };
    let mut found = [0, 0];
    for i in 0..1000 {
        // Close to the cardioid, on either side, nearer and nearer: c = m/2 − m²/4 has a fixed point of multiplier m.
        let random = philox([i, 1, 0, 0], [2, 0]).map(unit_f64);
        let (angle, distance) = (std::f64::consts::TAU * random[0], 10_f64.powf(-12.0 * random[1]));
        let is_inside = i % 2 == 0;
        let modulus = if is_inside { 1.0 - distance } else { 1.0 + distance };
        let m = Complex::new(modulus * angle.cos(), modulus * angle.sin());
        let c = m.scaled(0.5).sub(m.mul(m).scaled(0.25));
        let Some(cycle) = settled(c, effort) else { continue };
        found[i as usize % 2] += 1;
        match (is_inside, cycle.stability()) {
            (true, stability) => {
                assert_eq!(cycle.period, 1, "{c:?}: {cycle:?}");
                assert!(cycle.multiplier.sub(m).norm() < 1e-6, "{c:?}: {cycle:?}, not {m:?}");
                assert!(stability == Stability::Attracting || distance < 1e-6, "{c:?}: {cycle:?}");
            }
            // The other fixed point has 2 − m, which attracts in its turn near the cusp.
            (false, Stability::Attracting) if Complex::new(2.0, 0.0).sub(m).norm() > 1.0 => {
                assert!(cycle.period > 1, "{c:?}: {cycle:?}");
            }
            (false, _) => {}
        }
    }
    assert!(found[0] > 300, "{found:?}");
}

#[test]
fn the_mirror_is_exact() {
    let mut cycles = 0;
    for i in 0..2000 {
        let random = philox([i, 0, 0, 0], [2, 0]).map(unit_f64);
        let c = Complex::new(2.5 * random[0] - 2.0, 1.2 * random[1]);
        let conjugate = |z: Complex| Complex::new(z.re, -z.im);
        let (mut z, mut w) = (ORIGIN, ORIGIN);
        for n in 0..100 {
            z = ComplexQuadratic { c }.step(z);
            w = ComplexQuadratic { c: conjugate(c) }.step(w);
            assert!(z == conjugate(w) || z.norm().is_nan(), "{c:?}: after {n} steps");
        }
        let (above, below) = (settled(c, Effort::MOVING), settled(conjugate(c), Effort::MOVING));
        let mirrored = |cycle: Cycle<Complex>| Cycle {
            point: conjugate(cycle.point),
            multiplier: conjugate(cycle.multiplier),
            ..cycle
        };
        assert_eq!(above, below.map(mirrored), "{c:?}");
        cycles += u32::from(above.is_some());
    }
    assert!(cycles > 200, "{cycles} of 2000 have a cycle");
}
