//! Jets: many steps beside the reference as one polynomial of third degree in δ and δc.
//!
//! A step is δ ← (2Z + δ)·δ + δc. Steps done one after another are a polynomial in δ and δc, and while both are small its
//! first terms are enough. What two jets leave out when they are joined is bounded: for every |δ| below the radius of the
//! whole, and |δc| up to the largest, it is at most ε of what is kept.
//!
//! Linear terms alone ([bilinear approximation](https://mathr.co.uk/blog/2022-02-21_deep_zoom_theory_and_practice_again.html))
//! hold for |δ| up to about ε·|Z|; with those of second and third degree it is ε^(1/3), so blocks are longer and fewer.

use crate::math::{Complex, ComplexExp, FloatExp};

/// |δ| over |Z| up to which a point may follow the reference within a block: what cancels between them stays small.
const NEAREST: f64 = 0.25;
/// Largest exponent of a term in plain numbers; beyond it they are left to [`ComplexExp`].
pub const MOST_EXPONENT: i64 = 900;
/// Tries to find a radius before it is given up.
const TRIES: usize = 8;

/// The coefficients of δ, δ², δ³, of δc, δc², δc³, and of δ·δc, δ²·δc, δ·δc².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet<T> {
    pub d: T,
    pub dd: T,
    pub ddd: T,
    pub c: T,
    pub cc: T,
    pub ccc: T,
    pub dc: T,
    pub ddc: T,
    pub dcc: T,
}

/// Numbers that jets are made of.
pub trait Term: Copy {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! terms {
    ($($number:ty),*) => {$(
        impl Term for $number {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.add(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.mul(other)
            }
        }
    )*};
}
terms!(Complex, ComplexExp);

impl<T: Term> Jet<T> {
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Jet<U> {
        let Self { d, dd, ddd, c, cc, ccc, dc, ddc, dcc } = self;
        Jet { d: f(d), dd: f(dd), ddd: f(ddd), c: f(c), cc: f(cc), ccc: f(ccc), dc: f(dc), ddc: f(ddc), dcc: f(dcc) }
    }

    /// δ after the steps, from δ = `d` before them and δc = `c`.
    #[inline(always)]
    pub fn at(&self, d: T, c: T) -> T {
        let zeroth = self.ccc.times(c).plus(self.cc).times(c).plus(self.c).times(c);
        let first = self.dcc.times(c).plus(self.dc).times(c).plus(self.d);
        let second = self.ddc.times(c).plus(self.dd);
        self.ddd.times(d).plus(second).times(d).plus(first).times(d).plus(zeroth)
    }

    /// The same where δc counts in first degree alone.
    #[inline(always)]
    pub fn at_linear(&self, d: T, c: T) -> T {
        self.ddd.times(d).plus(self.dd).times(d).plus(self.d).times(d).plus(self.c.times(c))
    }

    /// How δ after the steps changes with δ before them, and with δc.
    #[inline(always)]
    pub fn slopes(&self, d: T, c: T) -> [T; 2] {
        let twice = |t: T| t.plus(t);
        let thrice = |t: T| t.plus(t).plus(t);
        let along_d = thrice(self.ddd).times(d).plus(twice(self.ddc.times(c).plus(self.dd))).times(d);
        let along_d = along_d.plus(self.dcc.times(c).plus(self.dc).times(c).plus(self.d));
        let along_c = thrice(self.ccc).times(c).plus(twice(self.cc)).times(c).plus(self.c);
        let along_c = along_c.plus(self.ddc.times(d).plus(twice(self.dcc).times(c)).plus(self.dc).times(d));
        [along_d, along_c]
    }
}

impl Jet<ComplexExp> {
    const NONE: Self = {
        let o = ComplexExp::ZERO;
        Self { d: o, dd: o, ddd: o, c: o, cc: o, ccc: o, dc: o, ddc: o, dcc: o }
    };

    /// The step from `z` on.
    pub fn step(z: ComplexExp) -> Self {
        Self { d: z.doubled(), dd: ComplexExp::ONE, c: ComplexExp::ONE, ..Self::NONE }
    }

    /// These steps and the one from `z` on.
    fn then_step(&self, z: ComplexExp) -> Self {
        let Self { d, dd, ddd, c, cc, ccc, dc, ddc, dcc } = *self;
        let factor = z.doubled();
        // 2Z · t, and the terms of the square.
        let next = |t: ComplexExp, square: ComplexExp| factor.mul(t).add(square);
        Self {
            d: factor.mul(d),
            dd: next(dd, d.mul(d)),
            ddd: next(ddd, d.mul(dd).doubled()),
            c: next(c, ComplexExp::ONE),
            cc: next(cc, c.mul(c)),
            ccc: next(ccc, c.mul(cc).doubled()),
            dc: next(dc, d.mul(c).doubled()),
            ddc: next(ddc, d.mul(dc).add(dd.mul(c)).doubled()),
            dcc: next(dcc, c.mul(dc).add(d.mul(cc)).doubled()),
        }
    }

    /// These steps and those of `next`.
    fn then(&self, next: &Self) -> Self {
        let (x, y) = (self, next);
        let sum =
            |terms: &[(ComplexExp, ComplexExp)]| terms.iter().fold(ComplexExp::ZERO, |sum, (a, b)| sum.add(a.mul(*b)));
        // The terms of δ₁², δ₁ after the first steps.
        let (dd, dc, cc) = (x.d.mul(x.d), x.d.mul(x.c).doubled(), x.c.mul(x.c));
        let ddd = x.d.mul(x.dd).doubled();
        let ddc = x.d.mul(x.dc).add(x.dd.mul(x.c)).doubled();
        let dcc = x.c.mul(x.dc).add(x.d.mul(x.cc)).doubled();
        let ccc = x.c.mul(x.cc).doubled();
        let thrice = |t: ComplexExp| t.doubled().add(t);
        Self {
            d: y.d.mul(x.d),
            c: y.d.mul(x.c).add(y.c),
            dd: sum(&[(y.d, x.dd), (y.dd, dd)]),
            dc: sum(&[(y.d, x.dc), (y.dd, dc), (y.dc, x.d)]),
            cc: sum(&[(y.d, x.cc), (y.dd, cc), (y.dc, x.c)]).add(y.cc),
            ddd: sum(&[(y.d, x.ddd), (y.dd, ddd), (y.ddd, dd.mul(x.d))]),
            ddc: sum(&[(y.d, x.ddc), (y.dd, ddc), (y.ddd, thrice(dd.mul(x.c))), (y.dc, x.dd), (y.ddc, dd)]),
            dcc: sum(&[
                (y.d, x.dcc),
                (y.dd, dcc),
                (y.ddd, thrice(cc.mul(x.d))),
                (y.dc, x.dc),
                (y.ddc, dc),
                (y.dcc, x.d),
            ]),
            ccc: sum(&[(y.d, x.ccc), (y.dd, ccc), (y.ddd, cc.mul(x.c)), (y.dc, x.cc), (y.ddc, cc), (y.dcc, x.c)])
                .add(y.ccc),
        }
    }

    fn norms(self) -> Jet<FloatExp> {
        self.map(ComplexExp::norm)
    }

    /// The same with δc counted in `unit`, as plain numbers; none where one is beyond their range.
    pub fn plain(self, unit: FloatExp) -> Option<Jet<Complex>> {
        let (twice, thrice) = (unit.mul(unit), unit.mul(unit).mul(unit));
        let scaled = Self {
            c: self.c.scaled(unit),
            cc: self.cc.scaled(twice),
            ccc: self.ccc.scaled(thrice),
            dc: self.dc.scaled(unit),
            ddc: self.ddc.scaled(unit),
            dcc: self.dcc.scaled(twice),
            ..self
        };
        let Self { d, dd, ddd, c, cc, ccc, dc, ddc, dcc } = scaled;
        let is_large = |t: ComplexExp| t.exponent() > MOST_EXPONENT;
        let is_beyond = [d, dd, ddd, c, cc, ccc, dc, ddc, dcc].into_iter().any(is_large);
        (!is_beyond).then(|| scaled.map(ComplexExp::to_complex))
    }
}

/// How large the terms of degree 1, 2 and 3 may be together.
#[derive(Clone, Copy)]
struct Sizes([FloatExp; 3]);

impl Sizes {
    fn sum(self) -> FloatExp {
        let [first, second, third] = self.0;
        first.add(second).add(third)
    }
}

impl Jet<FloatExp> {
    /// For |δ| ≤ `d` and |δc| ≤ `c`.
    fn sizes(&self, d: FloatExp, c: FloatExp) -> Sizes {
        let first = self.d.mul(d).add(self.c.mul(c));
        let second = self.dd.mul(d).add(self.dc.mul(c)).mul(d).add(self.cc.mul(c).mul(c));
        let third = self.ddd.mul(d).add(self.ddc.mul(c)).mul(d).add(self.dcc.mul(c).mul(c)).mul(d);
        Sizes([first, second, third.add(self.ccc.mul(c).mul(c).mul(c))])
    }

    /// What is left out, over what is kept, where this jet follows one of such `sizes`: all terms of degree four and more.
    fn left_out(&self, sizes: Sizes, c: FloatExp) -> FloatExp {
        let [first, second, third] = sizes.0;
        let higher = second.add(third);
        let all = first.add(higher);
        let of_square = higher.mul(higher).add(first.mul(third).doubled());
        let of_cube = higher.mul(all.mul(all).add(all.mul(first)).add(first.mul(first)));
        let with_c = self.dc.mul(third).add(self.ddc.mul(higher).mul(all.add(first))).add(self.dcc.mul(c).mul(higher));
        let out = self.dd.mul(of_square).add(self.ddd.mul(of_cube)).add(with_c.mul(c));
        let kept = self.d.mul(first).max(self.dd.mul(first).mul(first)).max(self.c.mul(c));
        if out == FloatExp::ZERO || kept == FloatExp::ZERO { out } else { out.div(kept) }
    }
}

/// The same for a single step, of that slope 2|Z|.
fn left_out_by_step(slope: FloatExp, sizes: Sizes, c: FloatExp) -> FloatExp {
    let [first, second, third] = sizes.0;
    let higher = second.add(third);
    let out = higher.mul(higher).add(first.mul(third).doubled());
    let kept = slope.mul(first).max(first.mul(first)).max(c);
    if out == FloatExp::ZERO || kept == FloatExp::ZERO { out } else { out.div(kept) }
}

/// What jets must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// ε: what may be left out, over what is kept.
    pub epsilon: f64,
    /// The largest |δc|.
    pub largest_c: FloatExp,
    /// R: no orbit may escape unseen.
    pub bailout: f64,
}

impl Limits {
    /// The largest |δ| with which a point may pass by `z` without being looked at.
    fn unseen(&self, z: ComplexExp) -> FloatExp {
        let size = z.norm();
        if size == FloatExp::ZERO {
            // At the critical point z is δ itself.
            return FloatExp::from(1.0);
        }
        let below_escape = FloatExp::from(self.bailout).sub(size).max(FloatExp::ZERO);
        size.mul(NEAREST.into()).min(below_escape)
    }
}

/// Steps from one index on, for all |δ| < `radius`.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub jet: Jet<ComplexExp>,
    pub radius: FloatExp,
}

impl Block {
    /// One step from `z` on.
    pub fn step(z: ComplexExp, limits: &Limits) -> Self {
        Self { jet: Jet::step(z), radius: limits.unseen(z) }
    }

    /// The steps from each of `points` on, which lead to `end`.
    pub fn along(points: impl IntoIterator<Item = ComplexExp>, end: ComplexExp, limits: &Limits) -> Self {
        let mut points = points.into_iter();
        let mut block = Self::step(points.next().expect("a block has steps"), limits);
        for z in points {
            let radius = block.radius_before_step(z, limits);
            block = Self { jet: block.jet.then_step(z), radius };
        }
        // As if one more step were to follow: points do not arrive where they all but cancel against the reference.
        let radius = block.radius_before_step(end, limits);
        Self { radius, ..block }
    }

    /// Whether δc counts in first degree alone: all that its other terms come to is far below what may be left out.
    pub fn is_linear(&self, limits: &Limits) -> bool {
        let (jet, c) = (self.jet.norms(), limits.largest_c);
        let small = |term: FloatExp, beside: FloatExp| term <= beside.mul(FloatExp::from(limits.epsilon / 16.0));
        small(jet.cc.add(jet.ccc.mul(c)).mul(c), jet.c)
            && small(jet.dc.add(jet.dcc.mul(c)).mul(c), jet.d)
            && small(jet.ddc.mul(c), jet.dd)
    }

    /// This block, then `next`.
    pub fn then(&self, next: &Self, limits: &Limits) -> Self {
        let radius = self.radius_before(next, limits);
        let jet = if radius == FloatExp::ZERO { Jet::NONE } else { self.jet.then(&next.jet) };
        Self { jet, radius }
    }

    /// The largest |δ| for which this block may be joined with `next`; 0 where there is none.
    fn radius_before(&self, next: &Self, limits: &Limits) -> FloatExp {
        let y = next.jet.norms();
        self.radius_with(next.radius, limits, |sizes, c| y.left_out(sizes, c))
    }

    /// The same before the step from `z` on.
    fn radius_before_step(&self, z: ComplexExp, limits: &Limits) -> FloatExp {
        let slope = z.norm().doubled();
        self.radius_with(limits.unseen(z), limits, |sizes, c| left_out_by_step(slope, sizes, c))
    }

    /// The same where what follows has room for so large a |δ|, and leaves out that share.
    fn radius_with(&self, room: FloatExp, limits: &Limits, left_out: impl Fn(Sizes, FloatExp) -> FloatExp) -> FloatExp {
        let mut radius = self.radius;
        if radius == FloatExp::ZERO || room == FloatExp::ZERO {
            return FloatExp::ZERO;
        }
        let (x, c, epsilon) = (self.jet.norms(), limits.largest_c, limits.epsilon.into());
        let still = x.sizes(FloatExp::ZERO, c);
        if still.sum() > room || left_out(still, c) > epsilon {
            return FloatExp::ZERO;
        }
        for _ in 0..TRIES {
            let (alone, both) = (x.sizes(radius, FloatExp::ZERO), x.sizes(radius, c));
            let share = left_out(alone, FloatExp::ZERO).max(left_out(both, c));
            let reach = both.sum();
            if share <= epsilon && reach <= room {
                return radius;
            }
            // What is left out grows at least as the third power of δ does, and δ itself at least as the first.
            let excess = (share.div(epsilon).log2() / 3.0).max(reach.div(room).log2());
            let shrunk = -excess - 0.05;
            radius = radius.mul(FloatExp::new((shrunk - shrunk.floor()).exp2(), shrunk.floor() as i64));
        }
        FloatExp::ZERO
    }
}

/// How far all points go together from δ = 0 beside `points`, which begin at the critical point: the steps, of which the last
/// is a multiple of `stride`, and their jet.
pub fn start(points: impl IntoIterator<Item = ComplexExp>, stride: u32, limits: &Limits) -> (u32, Jet<ComplexExp>) {
    let mut reached = (0, Jet::NONE);
    // δ is 0 at the start, so all terms are of δc alone.
    let Jet { mut c, mut cc, mut ccc, .. } = Jet::NONE;
    let largest = limits.largest_c;
    let powers = [largest, largest.mul(largest), largest.mul(largest).mul(largest)];
    for (m, z) in (0..).zip(points) {
        let [first, second, third] = powers;
        let sizes = Sizes([c.norm().mul(first), cc.norm().mul(second), ccc.norm().mul(third)]);
        let out = left_out_by_step(z.norm().doubled(), sizes, largest);
        if out > limits.epsilon.into() || sizes.sum() > limits.unseen(z) {
            break;
        }
        if m % stride == 0 {
            reached = (m, Jet { c, cc, ccc, ..Jet::NONE });
        }
        let factor = z.doubled();
        ccc = factor.mul(ccc).add(c.mul(cc).doubled());
        cc = factor.mul(cc).add(c.mul(c));
        c = factor.mul(c).add(ComplexExp::ONE);
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_leaves_out_what_its_jet_does() {
        let sizes = Sizes([1e-3, 1e-7, 1e-12].map(FloatExp::from));
        for z in [Complex::new(0.0, 0.0), Complex::new(1e-6, 0.0), Complex::new(-1.2, 0.4)] {
            for c in [0.0, 1e-9, 0.1] {
                let (z, c) = (ComplexExp::from(z), FloatExp::from(c));
                assert_eq!(left_out_by_step(z.norm().doubled(), sizes, c), Jet::step(z).norms().left_out(sizes, c));
            }
        }
    }

    fn orbit(c: Complex, steps: usize) -> Vec<ComplexExp> {
        let mut z = Complex::default();
        (0..=steps)
            .map(|_| {
                let point = z;
                z = z.mul(z).add(c);
                point.into()
            })
            .collect()
    }

    fn limits(epsilon: f64, largest_c: f64) -> Limits {
        Limits { epsilon, largest_c: largest_c.into(), bailout: 1000.0 }
    }

    /// δ after as many steps beside `points`, one by one.
    fn step_by_step(points: &[ComplexExp], mut d: Complex, c: Complex) -> Complex {
        for z in points {
            let z = z.to_complex();
            d = z.add(z).add(d).mul(d).add(c);
        }
        d
    }

    #[test]
    fn jets_are_steps_one_by_one_up_to_their_bound() {
        let center = Complex::new(-0.743_643_887_037, 0.131_825_904_205);
        let points = orbit(center, 96);
        for epsilon in [1e-6, 1e-9, 1e-11] {
            let limits = limits(epsilon, 1e-9);
            for first in [0, 16, 33] {
                let part =
                    |from: usize| Block::along(points[from..from + 16].iter().copied(), points[from + 16], &limits);
                let block = part(first).then(&part(first + 16), &limits);
                assert!(block.radius > FloatExp::ZERO, "from {first}");
                let jet = block.jet.map(ComplexExp::to_complex);
                for (share, turn) in [(0.99, 0.3), (0.5, 2.0), (1e-3, 4.0), (0.0, 0.0)] {
                    let d = Complex::new(f64::cos(turn), f64::sin(turn)).scaled(share * block.radius.to_f64());
                    let c = Complex::new(-0.6e-9, 0.7e-9);
                    let expected = step_by_step(&points[first..first + 32], d, c);
                    let off = jet.at(d, c).sub(expected).norm() / expected.norm();
                    // Each joining leaves out ε, and rounding adds its own.
                    assert!(off < 8.0 * epsilon + 1e-13, "from {first}, {share} of the radius, ε {epsilon}: {off}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_small_differences() {
        let points = orbit(Complex::new(-0.1, 0.7), 40);
        let limits = limits(1e-9, 1e-6);
        let block = Block::along(points[5..21].iter().copied(), points[21], &limits);
        let jet = block.jet.map(ComplexExp::to_complex);
        let d = Complex::new(0.3, -0.4).scaled(block.radius.to_f64());
        let (c, h) = (Complex::new(4e-7, 5e-7), 1e-9);
        let [along_d, along_c] = jet.slopes(d, c);
        let by_d = jet.at(d.add(Complex::new(h, 0.0)), c).sub(jet.at(d.sub(Complex::new(h, 0.0)), c)).scaled(0.5 / h);
        let by_c = jet.at(d, c.add(Complex::new(h, 0.0))).sub(jet.at(d, c.sub(Complex::new(h, 0.0)))).scaled(0.5 / h);
        assert!(along_d.sub(by_d).norm() < 1e-4 * by_d.norm(), "{along_d:?}, not {by_d:?}");
        assert!(along_c.sub(by_c).norm() < 1e-4 * by_c.norm(), "{along_c:?}, not {by_c:?}");
    }

    #[test]
    fn all_points_start_together() {
        let center = Complex::new(-0.743_643_887_037, 0.131_825_904_205);
        let points = orbit(center, 200);
        let limits = limits(1e-11, 1e-12);
        let (steps, jet) = start(points.iter().copied(), 16, &limits);
        assert!(steps >= 96 && steps.is_multiple_of(16), "{steps}");
        let c = Complex::new(0.7e-12, -0.7e-12);
        let expected = step_by_step(&points[..steps as usize], Complex::default(), c);
        let off = jet.map(ComplexExp::to_complex).at(Complex::default(), c).sub(expected).norm() / expected.norm();
        assert!(off < 1e-9, "{off}");
    }
}
