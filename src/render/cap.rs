//! The cap on iterations that depth alone asks for.

use super::{EscapeTime, Viewport};

/// A cap that grows with depth: 1000 at home, 250 more each time the view halves, and 2000 more from 1e-12 of it on.
///
/// Counts at deep places depend on the minibrots on the way more than on depth: of four at 1e-50 to 1e-1000 the most
/// demanding has 1200 a halving. Deltas take many steps at once, so a cap that is too high costs little there.
pub fn by_depth(viewport: &Viewport) -> u32 {
    let octaves = octaves(viewport);
    two_digits(1000.0 + 250.0 * octaves.min(DEEP_OCTAVES) + 2000.0 * (octaves - DEEP_OCTAVES).max(0.0))
}

/// Halvings of the home view after which a view is deep: the pixels of f64 end there.
const DEEP_OCTAVES: f64 = 40.0;

fn octaves(viewport: &Viewport) -> f64 {
    (2.5f64.log2() - viewport.height().to_float_exp().log2()).max(0.0)
}

/// Whether a view is so deep that the cap rises faster.
pub fn is_deep(viewport: &Viewport) -> bool {
    octaves(viewport) > DEEP_OCTAVES
}

/// The nearest cap of two digits: enough, and it stays put while the view drifts.
pub fn two_digits(cap: f64) -> u32 {
    let unit = 10f64.powf(cap.log10().floor() - 1.0).max(1.0);
    ((cap / unit).round() * unit).min(f64::from(EscapeTime::MOST_ITERATIONS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_kept() {
        let caps = [1234.0, 98_765.0, 5.0, 1e12].map(two_digits);
        assert_eq!(caps, [1200, 99_000, 5, EscapeTime::MOST_ITERATIONS]);
    }
}
