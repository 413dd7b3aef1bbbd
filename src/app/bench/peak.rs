//! The limit of this processor: how many operations of the definition's kind one thread can do in a second.
//!
//! A step is three fused multiply-adds and one addition. Some processors have ports for additions
//! alone, so the same mix is measured: fused operations by themselves would be too low a limit there.

use std::hint::black_box;
use std::time::Instant;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// Rounds of one try: about half a millisecond at full speed.
const ROUNDS: u32 = 100_000;
/// The best of several tries: others may use the core meanwhile, but nothing makes it too fast.
const TRIES: u32 = 24;

/// Operations on single numbers that one thread does in a second, three of four fused, as measured just now.
pub fn operations_per_second(level: Level) -> f64 {
    (0..TRIES).map(|_| dispatch!(level, simd => measure(simd))).fold(0.0, f64::max)
}

#[inline(always)]
fn measure<S: Simd>(simd: S) -> f64 {
    simd.vectorize(
        #[inline(always)]
        || match S::f64s::LEN {
            // AVX2 has 16 registers, of which two hold the constants; the others have 32.
            4 => chains::<S, 12>(simd),
            _ => chains::<S, 16>(simd),
        },
    )
}

/// `N` sums that do not wait for each other: enough to hide the latency of the operation.
#[inline(always)]
fn chains<S: Simd, const N: usize>(simd: S) -> f64 {
    let factor = S::f64s::splat(simd, black_box(0.999));
    let term = S::f64s::splat(simd, black_box(0.001));
    let mut sums = [term; N];
    let start = Instant::now();
    for _ in 0..ROUNDS {
        for (index, sum) in sums.iter_mut().enumerate() {
            *sum = if index % 4 == 3 { *sum + term } else { sum.mul_add_precise(factor, term) };
        }
    }
    black_box(sums);
    let operations = f64::from(ROUNDS) * (N * S::f64s::LEN) as f64;
    operations / start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_does_between_a_million_and_a_trillion() {
        let peak = operations_per_second(Level::new());
        assert!((1e6..1e12).contains(&peak), "{peak:e}");
    }
}
