//! Points waiting for a lane, or for the replay of their last steps.

use fearless_simd::prelude::*;

use super::lanes::{Lanes, Mask};
use crate::math::Complex;

/// One point on its way.
#[derive(Clone, Copy)]
pub struct Point<T = f64> {
    pub z: Complex<T>,
    pub c: Complex<T>,
    /// Steps done so far.
    pub steps: T,
    /// Index of the point's sample; an integer.
    pub id: T,
}

/// A first-in, first-out list of points, one array a number: vectors go in and come out whole, and so do single points.
pub struct Points {
    /// The arrays end in room for one vector more than the list holds.
    columns: [Vec<f64>; 6],
    head: usize,
    end: usize,
}

impl Points {
    /// An empty list; it grows with [`Points::reserve`].
    pub fn new() -> Self {
        Self { columns: [const { Vec::new() }; 6], head: 0, end: 0 }
    }

    /// Makes room for `more` points and one vector of `lanes`.
    pub fn reserve(&mut self, more: usize, lanes: usize) {
        if self.columns[0].len() < self.end + more + lanes {
            self.compact();
        }
        let needed = self.end + more + lanes;
        for column in &mut self.columns {
            if column.len() < needed {
                column.resize(needed, 0.0);
            }
        }
    }

    /// Moves what waits to the front.
    fn compact(&mut self) {
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

    /// Appends one point.
    #[inline(always)]
    pub fn push(&mut self, point: Point) {
        for (column, number) in self.columns.iter_mut().zip(point.into_numbers()) {
            column[self.end] = number;
        }
        self.end += 1;
    }

    /// Appends the points that are set in `mask`.
    #[inline(always)]
    pub fn push_lanes<S: Simd>(&mut self, points: Point<Lanes<S>>, mask: Mask<S>) {
        for (column, numbers) in self.columns.iter_mut().zip(points.into_numbers()) {
            numbers.compress(mask).store(&mut column[self.end..]);
        }
        self.end += mask.to_bitmask().count_ones() as usize;
    }

    /// Takes the first point.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Point> {
        if self.head == self.end {
            return None;
        }
        let head = self.head;
        self.head += 1;
        let [z_re, z_im, c_re, c_im, steps, id] = &self.columns;
        Some(Point::from_numbers([z_re[head], z_im[head], c_re[head], c_im[head], steps[head], id[head]]))
    }

    /// Takes as many first points as fit a vector. When they run out, the other lanes hold anything.
    #[inline(always)]
    pub fn pop_lanes<S: Simd>(&mut self, simd: S) -> Point<Lanes<S>> {
        let head = self.head;
        self.head = self.end.min(head + Lanes::<S>::LEN);
        let [z_re, z_im, c_re, c_im, steps, id] = &self.columns;
        Point {
            z: Complex::new(Lanes::load(simd, &z_re[head..]), Lanes::load(simd, &z_im[head..])),
            c: Complex::new(Lanes::load(simd, &c_re[head..]), Lanes::load(simd, &c_im[head..])),
            steps: Lanes::load(simd, &steps[head..]),
            id: Lanes::load(simd, &id[head..]),
        }
    }
}

impl<T> Point<T> {
    #[inline(always)]
    fn into_numbers(self) -> [T; 6] {
        [self.z.re, self.z.im, self.c.re, self.c.im, self.steps, self.id]
    }

    #[inline(always)]
    fn from_numbers([z_re, z_im, c_re, c_im, steps, id]: [T; 6]) -> Self {
        Self { z: Complex::new(z_re, z_im), c: Complex::new(c_re, c_im), steps, id }
    }
}
