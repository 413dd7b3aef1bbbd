//! Points that fill a line or a square evenly, however many of them are taken.
//!
//! Of the first 2^k numbers one lies in each of 2^k equal parts, somewhere within it, for every k: what is
//! computed already is an even sample, and more only makes it denser. In the square the same holds for all
//! rectangles of area 2^−k whose sides are powers of two.
//!
//! Source: Owen, "Randomly permuted (t,m,s)-nets" (1995), by the hash of Laine and Karras, "Stratified sampling for
//! stochastic transparency" (2011), with the constants of Vegdahl, "Building a better LK hash" (2021).

/// Point `i` of a line: its place in units of 2^−32.
#[inline(always)]
pub fn strata(i: u32) -> u32 {
    shuffled(i, SEEDS[0]).reverse_bits()
}

/// Point `i` of a square: its coordinates in units of 2^−32.
#[inline(always)]
pub fn strata_2d(i: u32) -> [u32; 2] {
    // Sobol's second sequence: the rows of Pascal's triangle modulo 2, here for reversed bits.
    let (mut rest, mut row, mut second) = (i, 1_u32 << 31, 0_u32);
    while rest > 0 {
        second ^= if rest & 1 == 1 { row } else { 0 };
        rest >>= 1;
        row ^= row >> 1;
    }
    [shuffled(i, SEEDS[0]).reverse_bits(), shuffled(second.reverse_bits(), SEEDS[1]).reverse_bits()]
}

const SEEDS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// A permutation in which each bit depends on itself and the lower ones alone.
#[inline(always)]
fn shuffled(mut bits: u32, seed: u32) -> u32 {
    bits ^= bits.wrapping_mul(0x3d20_adea);
    bits = bits.wrapping_add(seed);
    bits = bits.wrapping_mul((seed >> 16) | 1);
    bits ^= bits.wrapping_mul(0x0552_6c56);
    bits ^ bits.wrapping_mul(0x53a2_2864)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_line_gets_its_point() {
        for k in [0, 1, 5, 10] {
            let mut parts: Vec<u32> = (0..1 << k).map(|i| (u64::from(strata(i)) >> (32 - k)) as u32).collect();
            parts.sort_unstable();
            assert!(parts.into_iter().eq(0..1 << k), "2^{k} points");
        }
    }

    #[test]
    fn every_rectangle_of_a_square_gets_its_point() {
        for k in 0..=10 {
            for across in 0..=k {
                let cell = |[x, y]: [u32; 2]| {
                    let (column, row) = (u64::from(x) >> (32 - across), u64::from(y) >> (32 - (k - across)));
                    (column << (k - across)) | row
                };
                let mut cells: Vec<u64> = (0..1 << k).map(|i| cell(strata_2d(i))).collect();
                cells.sort_unstable();
                assert!(cells.into_iter().eq(0..1 << k), "2^{k} points in 2^{across} columns");
            }
        }
    }

    #[test]
    fn places_within_parts_are_irregular() {
        let within: Vec<f64> = (0..1024).map(|i| f64::from(strata(i) << 10) / 2_f64.powi(32)).collect();
        let mean = within.iter().sum::<f64>() / 1024.0;
        let variance = within.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1024.0;
        assert!((mean - 0.5).abs() < 0.03 && (variance - 1.0 / 12.0).abs() < 0.01, "{mean} ± {variance}");
    }
}
