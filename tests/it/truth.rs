//! Truth of z² + c at any depth: orbits in integers of as many bits as the place needs, and nothing of the program's.

use cardioid::fractal::FormulaId;
use cardioid::math::{BigComplex, Complex, ComplexExp, FloatExp};
use cardioid::render::{EscapeTime, Job, Plane, Task, Viewport};
use dashu_int::{IBig, ops::BitTest as _};

/// A picture of the Mandelbrot set: centre and height as text, size in pixels, cap, and R.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub center: [&'a str; 2],
    pub height: &'a str,
    pub size: [u32; 2],
    pub max_iterations: u32,
    pub bailout: f64,
}

/// What is true of a pixel's centre.
#[derive(Clone, Copy, Debug, Default)]
pub struct True {
    /// Least n with |z_n| > R; 0 where there is none up to the cap.
    pub iterations: u32,
    /// Smooth count ν.
    pub smooth: f64,
    /// |z| ln|z| / |dz/dpixel|.
    pub distance: f64,
    /// z / (dz/dpixel), as a unit vector.
    pub direction: Complex,
}

impl Place<'_> {
    /// The job of the whole picture, samples alone.
    pub fn job(&self) -> Job {
        let [re, im] = self.center.map(|part| part.parse().unwrap());
        let viewport = Viewport::new(BigComplex::new(re, im), self.height.parse().unwrap(), self.size).unwrap();
        let Self { max_iterations, bailout, .. } = *self;
        let (formula, plane) = (FormulaId::Quadratic, Plane::Parameter);
        Job::new(viewport, Task::EscapeTime(EscapeTime { formula, plane, max_iterations, bailout }))
    }

    /// Follows the orbit of the centre of pixel (x, y), from the top left.
    pub fn pixel(&self, [x, y]: [u32; 2]) -> True {
        let step = self.job().viewport.finest_step();
        let bits = (160.0 - step.log2()).ceil() as usize;
        let height = fixed(self.height, bits + 64);
        let [width_px, height_px] = self.size.map(i64::from);
        let along = |half_steps: i64| (&height * half_steps / (2 * height_px)) >> 64;
        let c = [
            fixed(self.center[0], bits) + along(2 * i64::from(x) + 1 - width_px),
            fixed(self.center[1], bits) - along(2 * i64::from(y) + 1 - height_px),
        ];
        self.orbit(&c, bits, step)
    }

    fn orbit(&self, [a, b]: &[IBig; 2], bits: usize, step: FloatExp) -> True {
        let (mut x, mut y) = (IBig::ZERO, IBig::ZERO);
        let mut wide = ComplexExp::ZERO;
        // dz/dc.
        let mut derivative = ComplexExp::ZERO;
        for n in 1..=self.max_iterations {
            derivative = wide.doubled().mul(derivative).add(ComplexExp::ONE);
            let (square, product) = (&x * &x - &y * &y, &x * &y);
            x = (square >> bits) + a;
            y = (product >> (bits - 1)) + b;
            wide = ComplexExp::from_parts(float(&x, bits), float(&y, bits));
            let z = wide.to_complex();
            if z.norm() > self.bailout {
                let spread = derivative.scaled(step).to_complex();
                let away = z.div(spread);
                return True {
                    iterations: n,
                    smooth: f64::from(n) + 1.0 - (z.norm().ln() / self.bailout.ln()).log2(),
                    distance: z.norm() * z.norm().ln() / spread.norm(),
                    direction: away.scaled(away.norm().recip()),
                };
            }
        }
        True::default()
    }
}

/// A point within about 10^−`digits` of where orbits of up to `cap` steps begin to escape, on the ray from −0.2 at `angle`.
pub fn boundary_point(angle: f64, digits: usize, cap: u32) -> [String; 2] {
    let bits = 4 * digits + 64;
    let one = IBig::ONE << bits;
    let way = [angle.cos(), angle.sin()].map(|part| IBig::from((part * 2_f64.powi(50)) as i64));
    let at = |r: &IBig| [((r * &way[0]) >> 50) - &one / 5, (r * &way[1]) >> 50];
    let (mut inside, mut outside) = (IBig::ZERO, &one * 5 / 2);
    while &outside - &inside > &one / IBig::from(10).pow(digits + 1) {
        let middle = (&inside + &outside) / 2;
        if escapes(&at(&middle), bits, cap) { outside = middle } else { inside = middle }
    }
    let places = digits + 10;
    at(&outside).map(|part| format!("{}e-{places}", (part * IBig::from(10).pow(places)) >> bits))
}

/// Whether |z_n| > 2 for some n up to `cap`.
fn escapes([a, b]: &[IBig; 2], bits: usize, cap: u32) -> bool {
    let (mut x, mut y) = (IBig::ZERO, IBig::ZERO);
    (0..cap).any(|_| {
        let (square, product) = (&x * &x - &y * &y, &x * &y);
        x = (square >> bits) + a;
        y = (product >> (bits - 1)) + b;
        &x * &x + &y * &y > (IBig::from(4) << (2 * bits))
    })
}

/// ⌊`text` · 2^`bits`⌋ of a decimal number such as -0.75 or 4e-30.
fn fixed(text: &str, bits: usize) -> IBig {
    let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let places = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let digits: IBig = number.replace('.', "").parse().unwrap();
    let exponent = exponent.parse::<i64>().unwrap() - places as i64;
    let power = IBig::from(10).pow(exponent.unsigned_abs() as usize);
    if exponent < 0 { (digits << bits) / power } else { (digits * power) << bits }
}

/// The number `integer` / 2^`bits`, to the digits of f64.
fn float(integer: &IBig, bits: usize) -> FloatExp {
    let above = integer.bit_len().saturating_sub(63);
    let top = i64::try_from(integer >> above).unwrap();
    FloatExp::new(top as f64, above as i64 - bits as i64)
}
