//! Philox4x32-10: random numbers by counting, the same for any thread, tile or device.
//!
//! Number n of stream k is a function of (n, k) alone, so nothing needs to be passed on or stored.
//! `shaders/lib/philox.wgsl` is its twin, equal bit for bit.
//!
//! Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).

/// Four random words for a counter and a key; every counter has its own.
#[inline(always)]
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut k, mut l]) = (counter, key);
    for _ in 0..ROUNDS {
        let (p, q) = (u64::from(a) * MULTIPLIERS[0], u64::from(c) * MULTIPLIERS[1]);
        let (high, low) = (|product: u64| (product >> 32) as u32, |product: u64| product as u32);
        (a, b, c, d) = (high(q) ^ b ^ k, low(q), high(p) ^ d ^ l, low(p));
        (k, l) = (k.wrapping_add(WEYL[0]), l.wrapping_add(WEYL[1]));
    }
    [a, b, c, d]
}

/// The middle of one of 2³² equal parts of the unit interval: never 0, never 1.
#[inline(always)]
pub fn unit_f64(word: u32) -> f64 {
    (f64::from(word) + 0.5) * (-32_f64).exp2()
}

/// The same of 2²³ parts: as many as f32 has middles for.
#[inline(always)]
pub fn unit_f32(word: u32) -> f32 {
    ((word >> 9) as f32 + 0.5) * (-23_f32).exp2()
}

const ROUNDS: u32 = 10;
const MULTIPLIERS: [u64; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// Golden ratio and √3 − 1: what keys grow by from round to round.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // The authors' own, from the file `kat_vectors` of their library Random123.
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, key, expected) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (pi, [0xa409_3822, 0x299f_31d0], [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]),
        ] {
            assert_eq!(philox(counter, key), expected, "{counter:x?}, {key:x?}");
        }
    }

    #[test]
    fn units_lie_inside_the_interval() {
        for word in [0, 1, 0x1ff, 0x200, 1 << 31, u32::MAX] {
            assert!(unit_f64(word) > 0.0 && unit_f64(word) < 1.0, "{word}");
            assert!(unit_f32(word) > 0.0 && unit_f32(word) < 1.0, "{word}");
        }
        assert_eq!((unit_f64(1 << 31), unit_f32(1 << 31)), (0.5 + (-33_f64).exp2(), 0.5 + (-24_f32).exp2()));
    }
}
