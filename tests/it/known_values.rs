//! Values from outside the program: closed forms, published constants, and 40 digits of other software.

mod complex;
mod cycles;
mod density;
mod lyapunov;
mod maps;
mod philox;

use cardioid::fractal::cycle::{self, Cycle};
use cardioid::fractal::map::{Map, Quadratic};
use cardioid::fractal::system::{At, System as _};

/// Whether tests may take longer than about a second.
fn is_slow_allowed() -> bool {
    std::env::var_os("SLOW").is_some_and(|value| value != "0")
}

fn quadratic(c: f64) -> At<Quadratic, 1> {
    At::new(c)
}

/// f^n(0) for x² + c.
fn critical(c: f64, n: u32) -> f64 {
    let system = quadratic(c);
    (0..n).fold([0.0], |x, _| system.step(x))[0]
}

/// Where `f` is zero, near two guesses, by the secant method.
fn zero(mut f: impl FnMut(f64) -> f64, [mut a, mut b]: [f64; 2]) -> f64 {
    let (mut f_a, mut f_b) = (f(a), f(b));
    for _ in 0..60 {
        let next = b - f_b * (b - a) / (f_b - f_a);
        if !next.is_finite() || next == b {
            break;
        }
        (a, f_a) = (b, f_b);
        (b, f_b) = (next, f(next));
    }
    b
}

/// Where the multiplier of a cycle falls to −1, from a parameter, a point on the cycle there, and a parameter nearby.
fn doubling<const D: usize, M: Map<D>>(period: u32, mut x: [f64; D], guesses: [f64; 2]) -> f64 {
    let mut at = guesses[0];
    let multiplier_above = |parameter: f64| {
        // Small steps, so that the cycle is not lost on the way.
        let way = parameter - at;
        let mut multiplier = f64::NAN;
        for part in 1..=64 {
            let system = At::<M, D>::new(parameter - way * (1.0 - f64::from(part) / 64.0));
            let cycle: Cycle<[f64; D]> = cycle::refine(&system, x, period)
                .unwrap_or_else(|| panic!("{} at {parameter}: no cycle of period {period} near {x:?}", M::KEY));
            (x, multiplier) = (cycle.point, cycle.multiplier.re);
        }
        at = parameter;
        multiplier + 1.0
    };
    zero(multiplier_above, guesses)
}
