//! How bright a count is beside the others in view.
//!
//! Counts are measured by their median, so that a picture is as bright at any zoom and after any number of orbits. The
//! median is taken of a histogram with geometric bins, in whole numbers: every engine finds the same. Some columns, evenly
//! spaced, stand for all of a picture: whoever draws a part of it can measure them as well.

use crate::render::{Diagram, Lattice, Span};

/// Most columns that are measured.
const MOST_COLUMNS: u32 = 512;

/// Bins of a histogram of counts.
pub const COUNT_BINS: usize = 1728;
/// Bins of an octave, as a power of two: a bin is less than 1/64 of its counts wide.
const OCTAVE_BITS: u32 = 6;

/// The bin of a count: each below 128 has its own, and then there are 64 to an octave.
#[inline(always)]
pub fn count_bin(count: u32) -> u32 {
    let dropped = (u32::BITS - 1 - OCTAVE_BITS).saturating_sub(count.leading_zeros());
    (dropped << OCTAVE_BITS) + (count >> dropped)
}

/// The count in the middle of a bin.
pub fn bin_count(bin: u32) -> u32 {
    let dropped = (bin >> OCTAVE_BITS).saturating_sub(1);
    ((bin - (dropped << OCTAVE_BITS)) << dropped) + ((1 << dropped) >> 1)
}

/// The median of the counts above zero, given how many fall into each bin; 1 where there are none.
pub fn median_count(histogram: &[u32; COUNT_BINS]) -> u32 {
    let some = || histogram.iter().skip(1);
    let mut before = some().map(|&n| u64::from(n)).sum::<u64>() / 2;
    for (bin, &n) in (1..).zip(some()) {
        match before.checked_sub(n.into()) {
            Some(rest) => before = rest,
            None => return bin_count(bin),
        }
    }
    1
}

/// The columns that tell the tone of a picture of `width` columns: all of them where there are few, else every so
/// many-th.
pub fn tone_lattice(width: u32) -> Lattice {
    Lattice::coarse(width.div_ceil(MOST_COLUMNS).max(1))
}

pub(super) fn tone_columns(width: u32) -> Span {
    tone_lattice(width).columns(width)
}

/// Brightness of a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    median: u32,
}

impl Tone {
    /// Of the counts in a diagram: either a whole picture's, or one of its [`tone_lattice`] alone.
    pub fn of(diagram: &Diagram) -> Self {
        let columns = tone_columns(diagram.size()[0]).pixels();
        Self::of_counts(columns.flat_map(|x| diagram.density(x)).copied())
    }

    fn of_counts(counts: impl Iterator<Item = u32>) -> Self {
        let mut histogram = [0; COUNT_BINS];
        for count in counts {
            histogram[count_bin(count) as usize] += 1;
        }
        Self { median: median_count(&histogram) }
    }

    /// The tone that was measured before; a median is at least 1.
    pub fn of_median(median: u32) -> Self {
        Self { median: median.max(1) }
    }

    pub fn median(self) -> u32 {
        self.median
    }

    /// 0 for none, and 1 for 24 times the median or more.
    pub fn value(self, count: u32) -> f64 {
        ((3.0 * f64::from(count) / f64::from(self.median)).ln_1p() / 72_f64.ln_1p()).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_in_order_and_narrow() {
        let powers = (0..32).flat_map(|bit| [-1, 0, 1].map(|off| (1_i64 << bit) + off));
        let mut counts: Vec<u32> = (0..20_000).chain(powers).filter_map(|count| count.try_into().ok()).collect();
        counts.push(u32::MAX);
        counts.sort_unstable();
        for pair in counts.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(count_bin);
            assert!(a == b || a + 1 == b || pair[0] >= 10_000, "{pair:?}: {a}, {b}");
            assert!(a <= b && (b as usize) < COUNT_BINS, "{pair:?}: {a}, {b}");
            let off = bin_count(b).abs_diff(pair[1]);
            assert!(off <= pair[1] / 128, "{} is {off} from the middle of its bin", pair[1]);
        }
        assert_eq!(count_bin(u32::MAX) as usize, COUNT_BINS - 1);
    }

    #[test]
    fn few_columns_stand_for_all() {
        for width in (1..2000).chain([30_000, 65_535, 1 << 20]) {
            let columns = tone_columns(width);
            let last = columns.pixels().last().unwrap();
            assert!(columns.is_within(width) && columns.count <= MOST_COLUMNS, "{width}: {columns:?}");
            assert!(columns.count == width || columns.count >= MOST_COLUMNS / 2, "{width}: {columns:?}");
            // As far from the left edge as from the right one, but for a column or so of theirs.
            assert!((width - 1 - last).abs_diff(columns.first) <= columns.stride, "{width}: {columns:?}");
        }
    }

    #[test]
    fn tones_do_not_depend_on_the_number_of_orbits() {
        let of = |counts: &[u32]| Tone::of_counts(counts.iter().copied());
        let (few, many) = (of(&[0, 1, 2, 9]), of(&[0, 100, 200, 900]));
        for count in [0, 1, 2, 9] {
            assert!((few.value(count) - many.value(100 * count)).abs() < 2e-3, "{count}");
        }
        assert_eq!((few.value(0), few.value(1000)), (0.0, 1.0));
        assert_eq!(of(&[0, 0]).value(0), 0.0, "a diagram of curves alone");
        assert!((few.value(2) - 4_f64.ln() / 73_f64.ln()).abs() < 1e-12, "the median");
    }
}
