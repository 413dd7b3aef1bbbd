//! What engines rely on, for every formula there is.

use super::*;
use crate::fractal::interior::lasting_escape;
use crate::math::Complex;

/// A visitor that is a function of the formula's type alone.
macro_rules! for_every_formula {
    ($check:ident) => {{
        struct Check;
        impl FormulaVisitor for Check {
            type Output = ();
            fn visit<F: Formula>(self) {
                $check::<F>();
            }
        }
        FormulaId::ALL.iter().for_each(|id| id.visit(Check));
    }};
}

/// Splitmix64, as numbers in 0 ≤ x < 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point at distance `radius` from 0, as nearly as rounding allows.
    fn on_circle(&mut self, radius: f64) -> Complex {
        let (sin, cos) = (self.next() * std::f64::consts::TAU).sin_cos();
        Complex::new(radius * cos, radius * sin)
    }
}

/// |z|², as engines round it.
fn norm_sq(z: Complex) -> f64 {
    z.re.mul_add(z.re, z.im * z.im)
}

#[test]
fn escapes_last_where_they_are_said_to() {
    for_every_formula!(check);
    fn check<F: Formula>() {
        let mut random = Random(1);
        for i in 0..60_000 {
            let bailout = [2.0, 2.0 + 1e-15, 2.1, 1000.0, 1e60, 1e154, 1e200][i % 7];
            let lasting = lasting_escape(bailout).sqrt().min(f64::MAX);
            // Just outside, where least is to spare, and far out; c at the limit, and anywhere below it.
            let far = [1e-16, 1e-9, 1.0, 1e80][(random.next() * 4.0) as usize];
            let distance = bailout * (1.0 + far * random.next());
            let mut z = random.on_circle(distance.min(1e300));
            let part = if random.next() < 0.5 { 1.0 } else { random.next() };
            let c = random.on_circle(lasting * part);
            let has_escaped = |z: Complex| !(norm_sq(z) <= bailout * bailout);
            if !has_escaped(z) || !(norm_sq(c) <= lasting_escape(bailout)) {
                continue;
            }
            for n in 0..8 {
                z = F::step(z, c);
                assert!(has_escaped(z), "{}, R = {bailout}: back after {n} steps with c = {c:?}", F::KEY);
            }
        }
    }
}

#[test]
fn conjugate_orbits_are_conjugate_to_the_bit() {
    for_every_formula!(check);
    fn check<F: Formula>() {
        let mut random = Random(2);
        let mut conjugate = 0;
        for _ in 0..1000 {
            let radius = 2.0 * random.next();
            let c = random.on_circle(radius);
            let (mut z, mut w) = (Complex::new(0.0, 0.0), Complex::new(0.0, 0.0));
            for _ in 0..50 {
                z = F::step(z, c);
                w = F::step(w, Complex::new(c.re, -c.im));
            }
            let is_same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
            conjugate += u32::from(is_same(z.re, w.re) && is_same(z.im, -w.im));
        }
        assert_eq!(conjugate == 1000, F::CONJUGATE_SYMMETRIC, "{}: {conjugate} of 1000", F::KEY);
    }
}

#[test]
fn differentials_are_those_of_the_steps() {
    for_every_formula!(check);
    fn check<F: Formula>() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let (z, c, d) = (random.on_circle(1.5), random.on_circle(1.0), random.on_circle(1e-6));
            if z.re.abs().min(z.im.abs()) < 1e-5 {
                continue; // Where some formulas fold the plane.
            }
            // The even terms of the difference cancel.
            let difference = F::step(z.add(d), c).sub(F::step(z.sub(d), c)).scaled(0.5);
            let off = F::differential(z, d).sub(difference).norm();
            assert!(off < 1e-13, "{} at {z:?}: off by {off}", F::KEY);
        }
    }
}

#[test]
fn orbits_grow_by_the_degree() {
    for_every_formula!(check);
    fn check<F: Formula>() {
        let z = Complex::new(3e20, 4e20);
        let growth = norm_sq(F::step(z, Complex::new(0.1, 0.2))).ln() / norm_sq(z).ln();
        assert!((growth - F::DEGREE).abs() < 1e-12, "{}: {growth}", F::KEY);
    }
}

#[test]
fn keys_name_one_formula_each() {
    for &id in FormulaId::ALL {
        assert_eq!(FormulaId::from_key(id.key()), Some(id), "{}", id.key());
    }
    assert_eq!(FormulaId::from_key("septic"), None);
}
