//! The coordinates of one axis: exact values rounded once, and mostly without big numbers.

use super::{Jitter, Span};
use crate::math::{Decimal, DoubleDouble, ratio_to_double_double, ratio_to_float_exp};

/// Sizes for which pairs of f64 neither overflow nor lose their low parts.
const SAFE: std::ops::Range<f64> = 1e-250..1e250;

/// `center + direction · (i + ½ + shift − pixels/2) · extent / over`, for each pixel i of the span, rounded once.
pub(super) fn axis(
    center: &Decimal,
    (extent, over): (&Decimal, u32),
    pixels: u32,
    span: Span,
    direction: i64,
) -> Vec<f64> {
    let ([center, extent], denominator) = Decimal::over_common_denominator([center, extent]);
    // Everything over units·over·denominator, so that whole steps lead from sample to sample.
    let units = 1_i64 << Jitter::BITS;
    let denominator = denominator * units * over;
    let first = units / 2 * (2 * i64::from(span.first) + 1 - i64::from(pixels)) + i64::from(span.shift);
    let start = center * units * over + &extent * (direction * first);
    let step = extent * (direction * units * i64::from(span.stride));
    let exact = |k: u32| ratio_to_float_exp(&(&start + &step * k), &denominator).to_f64();

    let [start_pair, step_pair] = [&start, &step].map(|numerator| ratio_to_double_double(numerator, &denominator));
    if !(is_safe(start_pair.high) && is_safe(step_pair.high)) {
        return (0..span.count).map(exact).collect();
    }
    // Twice the digits decide nearly every rounding; the exact value decides the rest.
    let coordinate = |k: u32| {
        let (sum, error) = start_pair.plus_multiple(f64::from(k), step_pair);
        sum.rounded(error).unwrap_or_else(|| exact(k))
    };
    (0..span.count).map(coordinate).collect()
}

/// `center + offset`, for each of the offsets, rounded once.
pub(super) fn sums(center: &Decimal, offsets: impl Iterator<Item = f64>) -> Vec<f64> {
    // Of a million digits the first thousand decide: the rest would cost a big addition a sample.
    let center = center.for_sums_with_f64();
    let pair = center.to_double_double();
    let short = |offset: f64| {
        let (sum, error) = pair.plus_multiple(1.0, DoubleDouble { high: offset, low: 0.0 });
        sum.rounded(error).filter(|_| is_safe(pair.high) && is_safe(offset))
    };
    let exact = |offset: f64| (&center + &Decimal::from_f64(offset)).to_f64();
    offsets.map(|offset| short(offset).unwrap_or_else(|| exact(offset))).collect()
}

fn is_safe(value: f64) -> bool {
    value == 0.0 || SAFE.contains(&value.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_values_rounded_once() {
        let tail = format!("0.50000000000000005551115123125782702118158340454101562{}1", "0".repeat(2000));
        for center in ["0", "-0.75", "1e-300", "-1e-2000", "0.1", "-0.743643887037158704752191506114774", &tail] {
            let center: Decimal = center.parse().unwrap();
            let offsets = [0.0, -0.0, 0.1, -0.1, 0.25, -0.5, 1e-17, -3e-17, 1e-300, 5e-324, 1e90];
            for (offset, got) in offsets.into_iter().zip(sums(&center, offsets.into_iter())) {
                let exact = (&center + &Decimal::from_f64(offset)).to_f64();
                assert_eq!(got.to_bits(), exact.to_bits(), "{center} + {offset}");
            }
        }
    }

    #[test]
    fn the_short_way_gives_the_exact_values() {
        for (center, extent, over, pixels) in [
            ("-0.75", "2.5", 1080, 1920),
            ("0", "2.5", 1080, 1080),
            ("0.5", "1", 64, 64),
            ("-0.743643887037158704752191506114774", "1e-10", 1000, 1000),
            ("1e-300", "1e-305", 7, 100),
            ("-1.9", "3.3e-16", 501, 999),
        ] {
            let [center, extent] = [center, extent].map(|text| text.parse::<Decimal>().unwrap());
            for (direction, shift) in [(1, 0), (-1, 0), (1, -2048), (-1, 777)] {
                let span = Span { first: 0, stride: 1, count: pixels, shift };
                let got = axis(&center, (&extent, over), pixels, span, direction);
                let ([c, e], d) = Decimal::over_common_denominator([&center, &extent]);
                for (i, got) in got.into_iter().enumerate() {
                    let units = direction * (2048 * (2 * i as i64 + 1 - i64::from(pixels)) + i64::from(shift));
                    let exact = ratio_to_float_exp(&(&c * 4096 * over + &e * units), &(&d * 4096 * over)).to_f64();
                    assert_eq!(got.to_bits(), exact.to_bits(), "{center} {extent} pixel {i} {shift}");
                }
            }
        }
    }
}
