//! What a reference costs, before it costs anything.

use crate::fractal::reference::{Reference, fraction_limbs};
use crate::math::FloatExp;

/// Seconds of a step for each pair of limbs: measured at 4096 limbs, three squares of them in 10 ms.
const SECONDS_OF_A_PAIR: f64 = 0.6e-9;

/// An upper bound: most references end long before the cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub bits: u64,
    pub steps: u32,
    pub seconds_of_a_step: f64,
    pub seconds: f64,
    pub bytes: u64,
}

impl Cost {
    /// Of a view whose finest pixel step is `step`.
    pub fn of(step: FloatExp, max_iterations: u32) -> Self {
        let limbs = fraction_limbs(step);
        let steps = max_iterations.min(Reference::MOST_STEPS);
        let seconds_of_a_step = SECONDS_OF_A_PAIR * (limbs as f64).powi(2);
        Self {
            bits: 64 * limbs as u64,
            steps,
            seconds_of_a_step,
            seconds: seconds_of_a_step * f64::from(steps),
            bytes: u64::from(steps) * Reference::BYTES_PER_STEP,
        }
    }
}

impl std::fmt::Display for Cost {
    /// As the end of a sentence about a view.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [step, all] = [self.seconds_of_a_step, self.seconds].map(time_text);
        let (bits, steps, megabytes) = (self.bits, self.steps, self.bytes as f64 / 1e6);
        write!(
            f,
            "its reference would be of {bits} bits, which takes {step} a step, up to {all} for {steps} steps, and \
             {megabytes:.0} MB of memory"
        )
    }
}

/// A time for people: `16 ms`, `3 hours`.
fn time_text(seconds: f64) -> String {
    let units = [(86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "s")];
    match units.into_iter().find(|(unit, _)| seconds >= 1.5 * unit) {
        Some((unit, name)) => format!("{:.0} {name}", seconds / unit),
        None => format!("{:.2} ms", seconds * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_grow_with_the_square_of_the_bits() {
        let [deep, deeper] = [-100_000, -200_000].map(|log2| Cost::of(FloatExp::new(1.0, log2), 1000));
        let ratio = deeper.seconds / deep.seconds;
        assert!((3.9..4.1).contains(&ratio), "{ratio}");
        assert_eq!(deep.bytes, 16_000);
        let most = u64::from(Reference::MOST_STEPS) * 16;
        assert_eq!(Cost::of(FloatExp::new(1.0, -100), u32::MAX).bytes, most, "memory is bounded");
    }

    #[test]
    fn times_are_told_in_a_unit_of_their_size() {
        for (seconds, expected) in [(0.016, "16.00 ms"), (2.0, "2 s"), (200.0, "3 minutes"), (1e6, "12 days")] {
            assert_eq!(time_text(seconds), expected);
        }
    }
}
