//! Points waiting for a lane, or for the replay of their last steps.

use fearless_simd::prelude::*;

use super::lanes::{Lanes, Mask};
use crate::math::Complex;

/// A first-in, first-out list of points, one array a number, so that vectors go in and come out whole.
pub struct Points {
    /// z, c, steps done and id of each point; the arrays end in room for one vector more than the list holds.
    columns: [Vec<f64>; 6],
    head: usize,
    end: usize,
}

/// A vector of points.
#[derive(Clone, Copy)]
pub struct PointLanes<S: Simd> {
    pub z: Complex<Lanes<S>>,
    pub c: Complex<Lanes<S>>,
    /// Steps done so far; NaN in lanes that hold no point.
    pub steps: Lanes<S>,
    /// Index of the point's sample; an integer.
    pub id: Lanes<S>,
}

/// What fills lanes that hold no point: 0 stays where it is, and no comparison with NaN holds.
const NO_POINT: [f64; 6] = [0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0];

impl Points {
    /// An empty list; it grows with [`Points::reserve`].
    pub fn new() -> Self {
        Self { columns: [const { Vec::new() }; 6], head: 0, end: 0 }
    }

    /// Makes room for `more` points and one vector of `lanes`.
    pub fn reserve(&mut self, more: usize, lanes: usize) {
        self.compact();
        let needed = self.end + more + lanes;
        for column in &mut self.columns {
            if column.len() < needed {
                column.resize(needed, 0.0);
            }
        }
    }

    /// Moves what waits to the front.
    pub fn compact(&mut self) {
        let (head, end) = (self.head, self.end);
        for column in &mut self.columns {
            column.copy_within(head..end, 0);
        }
        (self.head, self.end) = (0, end - head);
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        (self.head, self.end) = (0, 0);
    }

    pub fn len(&self) -> usize {
        self.end - self.head
    }

    /// Appends the points that are set in `mask`.
    #[inline(always)]
    pub fn push<S: Simd>(&mut self, points: PointLanes<S>, mask: Mask<S>) {
        let end = self.end;
        for (column, numbers) in self.columns.iter_mut().zip(points.to_columns()) {
            numbers.compress(mask).store(&mut column[end..]);
        }
        self.end += mask.to_bitmask().count_ones() as usize;
    }

    /// Puts the next points into the lanes set in `mask`, lowest lanes first; `NO_POINT` when they run out.
    /// The number of lanes that were set in vain comes back with them.
    #[inline(always)]
    pub fn take<S: Simd>(&mut self, simd: S, mask: Mask<S>, into: &mut PointLanes<S>) {
        let wanted = mask.to_bitmask().count_ones() as usize;
        if self.len() < wanted {
            for (column, nothing) in self.columns.iter_mut().zip(NO_POINT) {
                column[self.end..][..Lanes::<S>::LEN].fill(nothing);
            }
        }
        let head = self.head;
        let mut fields = into.to_columns();
        for (column, numbers) in self.columns.iter().zip(&mut fields) {
            *numbers = Lanes::load(simd, &column[head..]).expand(mask, *numbers);
        }
        *into = PointLanes::from_columns(fields);
        self.head = self.end.min(head + wanted);
    }
}

impl<S: Simd> PointLanes<S> {
    /// Lanes that hold no points.
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        Self::from_columns(NO_POINT.map(
            #[inline(always)]
            |number| Lanes::splat(simd, number),
        ))
    }

    #[inline(always)]
    fn to_columns(self) -> [Lanes<S>; 6] {
        [self.z.re, self.z.im, self.c.re, self.c.im, self.steps, self.id]
    }

    #[inline(always)]
    fn from_columns([z_re, z_im, c_re, c_im, steps, id]: [Lanes<S>; 6]) -> Self {
        Self { z: Complex::new(z_re, z_im), c: Complex::new(c_re, c_im), steps, id }
    }
}
