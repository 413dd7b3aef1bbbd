//! z² + c at one place of a line Im c = s.

use crate::engine::diagram::Drawn;
use crate::fractal::cycle::Cycle;
use crate::fractal::interior::bulb_cycle;
use crate::fractal::system::{ComplexQuadratic, System};
use crate::math::Complex;
use crate::render::{Ordinate, Section};

/// z² + c, a coordinate of which is shown.
#[derive(Clone, Copy)]
pub struct OnLine {
    quadratic: ComplexQuadratic,
    ordinate: Ordinate,
}

impl OnLine {
    pub fn new(section: &Section, re: f64) -> Self {
        Self { quadratic: ComplexQuadratic { c: section.parameter(re) }, ordinate: section.ordinate }
    }

    pub fn c(&self) -> Complex {
        self.quadratic.c
    }

    /// The cycle that the critical orbit is drawn to, where that is known without iterating.
    #[inline(always)]
    pub fn known_cycle(&self) -> Option<Cycle<Complex>> {
        bulb_cycle(self.quadratic.c)
    }
}

impl System for OnLine {
    type Point = Complex;

    #[inline(always)]
    fn step(&self, z: Complex) -> Complex {
        self.quadratic.step(z)
    }

    #[inline(always)]
    fn push(&self, z: Complex, linear: Complex) -> Complex {
        self.quadratic.push(z, linear)
    }

    #[inline(always)]
    fn has_escaped(&self, z: Complex) -> bool {
        self.quadratic.has_escaped(z)
    }
}

impl Drawn for OnLine {
    #[inline(always)]
    fn ordinate(&self, z: Complex) -> f64 {
        self.ordinate.of(z)
    }

    #[inline(always)]
    fn next_slope(&self, z: Complex, slope: Complex) -> Complex {
        let Complex { re, im } = self.push(z, slope);
        Complex::new(re + 1.0, im)
    }
}
