//! Where within its pixel a sample lies: antialiasing averages pictures whose samples lie at different places of theirs.
//!
//! There is one list of places for all that is antialiased, in the window and in files. Its first is the middle, so that
//! the first picture is the plain one, and every beginning is spread evenly: of the first 4^k places one lies in each of
//! 2^k × 2^k equal squares, and up to N = 8 the mean of the first N² is the middle to within a fiftieth of a pixel and no two
//! of them are nearer than 0.38/N.

use crate::math::strata::strata_2d;

/// A place within a pixel: its way from the middle to the right and down, in units of 2^−12 of a pixel.
///
/// Whole numbers, so that what a grid samples stays an exact value, rounded once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jitter {
    pub x: i16,
    pub y: i16,
}

impl Jitter {
    /// log₂ of the units in a pixel.
    pub const BITS: u32 = 12;
    /// Where the list begins in the sequence of [`strata_2d`]: of the beginnings below 2^16 that with the evenest means and
    /// the widest gaps.
    const BEGINNING: u32 = 4508;

    pub const MIDDLE: Self = Self { x: 0, y: 0 };

    /// Place `i` of the list.
    pub fn nth(i: u32) -> Self {
        // Digital shifts, of the index and of the places, leave as many places in each square as there were.
        let [first, place] = [0, i].map(|i| strata_2d(i ^ Self::BEGINNING));
        let from_middle =
            |axis: usize| ((place[axis] ^ first[axis] ^ 1 << 31) >> (32 - Self::BITS)) as i16 - (1 << (Self::BITS - 1));
        Self { x: from_middle(0), y: from_middle(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first places, in pixels from the upper left corner.
    fn places(count: u32) -> Vec<[f64; 2]> {
        let share = |v: i16| f64::from(v) / f64::from(1 << Jitter::BITS) + 0.5;
        (0..count).map(Jitter::nth).map(|Jitter { x, y }| [share(x), share(y)]).collect()
    }

    #[test]
    fn the_first_place_is_the_middle() {
        assert_eq!(Jitter::nth(0), Jitter::MIDDLE);
    }

    #[test]
    fn every_square_is_hit_once() {
        for side in [2, 4, 8, 16] {
            let square = |[x, y]: [f64; 2]| (x * f64::from(side)) as u32 + side * (y * f64::from(side)) as u32;
            let mut hit: Vec<u32> = places(side * side).into_iter().map(square).collect();
            hit.sort_unstable();
            assert!(hit.into_iter().eq(0..side * side), "{side} × {side} squares");
        }
    }

    #[test]
    fn means_are_the_middle_and_places_keep_apart() {
        for side in 1..=8 {
            let places = places(side * side);
            let count = f64::from(side * side);
            for axis in [0, 1] {
                let mean = places.iter().map(|place| place[axis]).sum::<f64>() / count;
                assert!((mean - 0.5).abs() < 1.0 / 50.0, "{side} × {side}: {mean}");
            }
            // Pixels lie side by side, so that places near opposite edges are near each other.
            let gap = |a: f64, b: f64| (a - b).abs().min(1.0 - (a - b).abs());
            let pairs = places.iter().enumerate().flat_map(|(i, a)| places[..i].iter().map(move |b| (a, b)));
            let nearest = pairs.map(|(a, b)| gap(a[0], b[0]).hypot(gap(a[1], b[1]))).fold(1.0, f64::min);
            assert!(nearest > 0.38 / f64::from(side), "{side} × {side}: {nearest}");
        }
    }
}
