//! The density of orbits at c = −2, which is 1 / (π√(4 − x²)).

use std::f64::consts::{LN_2, PI};

use cardioid::fractal::lyapunov::Product;
use cardioid::fractal::map::{Map as _, Quadratic};
use cardioid::math::philox::{philox, unit_f64};

const BINS: usize = 400;
const ORBITS: u32 = 64;
/// Samples of an orbit: 4.1 million in all.
const SAMPLES: u32 = 64_000;

/// How a histogram over [−2, 2] differs from the law P(x) = ½ + asin(x/2) / π.
struct Fit {
    /// Kolmogorov and Smirnov: the largest difference between the two distributions.
    ks: f64,
    /// χ² per degree of freedom.
    chi_sq: f64,
}

impl Fit {
    fn of(histogram: &[u64]) -> Self {
        let total = histogram.iter().sum::<u64>() as f64;
        let below = |edge: usize| 0.5 + (2.0 * edge as f64 / BINS as f64 - 1.0).asin() / PI;
        let (mut ks, mut chi_sq, mut sum) = (0.0_f64, 0.0, 0.0);
        for (bin, &hits) in histogram.iter().enumerate() {
            sum += hits as f64;
            ks = ks.max((sum / total - below(bin + 1)).abs());
            let expected = total * (below(bin + 1) - below(bin));
            chi_sq += (hits as f64 - expected).powi(2) / expected;
        }
        Self { ks, chi_sq: chi_sq / (BINS - 1) as f64 }
    }
}

/// Seeds in (−1.9, 1.9): the critical orbit is not typical here.
fn seeds() -> impl Iterator<Item = f64> {
    (0..ORBITS).map(|k| 3.8 * (unit_f64(philox([k, 0, 0, 0], [1, 0])[0]) - 0.5))
}

fn bin(x: f64) -> usize {
    (((x + 2.0) / 4.0 * BINS as f64) as usize).min(BINS - 1)
}

#[test]
fn orbits_in_f64_have_the_invariant_density() {
    let mut histogram = [0; BINS];
    let mut stretch = Product::one(0.0);
    for seed in seeds() {
        let mut x = (0..1000).fold([seed], |x, _| Quadratic::step(x, -2.0));
        for n in 1..=SAMPLES {
            stretch.times(x[0] + x[0]);
            x = Quadratic::step(x, -2.0);
            histogram[bin(x[0])] += 1;
            if n.is_multiple_of(Product::<f64>::FACTORS) {
                stretch.fold();
            }
        }
    }
    let fit = Fit::of(&histogram);
    assert!(fit.ks < 1e-3, "KS {}", fit.ks);
    assert!((0.6..=1.4).contains(&fit.chi_sq), "χ² {}", fit.chi_sq);
    let lyapunov = stretch.ln() / f64::from(ORBITS * SAMPLES);
    assert!((lyapunov - LN_2).abs() < 1e-4, "{lyapunov}");
}

#[test]
fn orbits_in_f32_collapse_and_are_seen_to() {
    let mut histogram = [0; BINS];
    for seed in seeds() {
        let mut x = seed as f32;
        for _ in 0..1000 {
            x = x.mul_add(x, -2.0);
        }
        for _ in 0..SAMPLES {
            x = x.mul_add(x, -2.0);
            histogram[bin(f64::from(x))] += 1;
        }
    }
    let fit = Fit::of(&histogram);
    assert!(fit.ks > 2e-3 && fit.chi_sq > 20.0, "KS {}, χ² {}", fit.ks, fit.chi_sq);
}
