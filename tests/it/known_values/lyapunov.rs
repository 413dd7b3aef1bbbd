//! Lyapunov exponents of x² + c: closed forms where a cycle attracts, long means where none does.

use std::f64::consts::LN_2;

use cardioid::fractal::cycle;
use cardioid::fractal::lyapunov;
use cardioid::fractal::system::System as _;

use super::{is_slow_allowed, quadratic};

/// The exponent over `steps` steps, after `transient` of them.
fn exponent(c: f64, seed: f64, transient: u32, steps: u32) -> f64 {
    let system = quadratic(c);
    let x = (0..transient).fold([seed], |x, _| system.step(x));
    lyapunov::exponent(&system, x, steps).0
}

#[test]
fn exponents_have_closed_forms_where_a_cycle_attracts() {
    // (c, digits by mpmath): ln|1 − √(1 − 4c)| and ln|4(1 + c)| / 2.
    for (c, expected) in [(0.1_f64, -1.489863900384858), (-0.9, -0.458145365937078)] {
        let closed = if c > -0.75 { (1.0 - (1.0 - 4.0 * c).sqrt()).abs().ln() } else { (4.0 * (1.0 + c)).ln() / 2.0 };
        assert!((closed - expected).abs() < 1e-14);
        let mean = exponent(c, 0.0, 20_000, 20_000);
        assert!((mean - expected).abs() < 1e-10, "c = {c}: {mean}");
        let system = quadratic(c);
        let x = (0..400).fold([0.0], |x, _| system.step(x));
        let exact = cycle::search(&system, x, 64).expect("a cycle attracts").lyapunov();
        assert!((exact - expected).abs() < 1e-14, "c = {c}: {exact}");
    }
}

#[test]
fn exponents_of_chaos_are_those_of_long_runs() {
    // A mean of n steps is off by about 0.4 / √n; the expected values come from 5e7 steps of other software.
    let (steps, bound) = if is_slow_allowed() { (50_000_000, 2e-4) } else { (500_000, 3e-3) };
    std::thread::scope(|scope| {
        for (c, expected) in [(-1.43036, 0.1717), (-1.54369, 0.3421), (-1.7, 0.4347), (-1.9, 0.5493), (-2.0, LN_2)] {
            scope.spawn(move || {
                // Not the critical orbit: at c = −2 that is 0, −2, 2, 2, 2 …
                let mean = exponent(c, 0.3, 1000, steps);
                assert!((mean - expected).abs() < bound, "c = {c}: {mean}");
            });
        }
        // At the end of the doublings nothing stretches and nothing shrinks.
        let mean = exponent(-1.401155189092051, 0.0, 100_000, steps);
        assert!(mean.abs() < if is_slow_allowed() { 1e-6 } else { 1e-4 }, "{mean}");
    });
}
