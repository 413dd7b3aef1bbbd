//! Nuclei: the c at which the orbit of 0 comes back to 0, each in the middle of a minibrot or a bulb.
//!
//! Source: Munafo, Mu-Ency, "Nucleus"; Heiland-Allen, "Atom domain size estimation" and "Deriving the size estimate"
//! (mathr.co.uk, 2013 and 2016).

use super::newton::{Equation, Root, Value, distance, limbs, solve, walk};
use super::period::{Candidate, PeriodSearch};
use super::{NotFound, Region, SEARCH_BITS, Watch, rounded};
use crate::math::{BigComplex, ComplexExp, Fixed, FloatExp};

/// Periods that are tried in a region before it is given up.
const MOST_CANDIDATES: usize = 64;
/// How often a region is halved where its edge tells nothing.
const MOST_HALVINGS: u32 = 4;
/// How many times as far orbits are followed in a quarter as in the whole, beside whose edge nothing was seen.
const LONGER: u32 = 16;

/// The middle of a minibrot, or of a bulb.
#[derive(Clone, Debug, PartialEq)]
pub struct Nucleus {
    /// To twelve decimal digits of its size.
    pub center: BigComplex,
    pub period: u32,
    /// How the whole set, whose size is 1, is scaled and turned to lie here.
    pub size: ComplexExp,
    /// Radius of the domain about it where orbits come nearest to 0 at its period; none for period 1.
    pub atom_domain: Option<FloatExp>,
}

impl Nucleus {
    /// Heights of a minibrot's size that show all of it: its needle ends at 2, whichever way it points.
    const FRAME: f64 = 5.0;

    /// Height of a view about the centre that frames it, in plane units.
    pub fn height(&self) -> FloatExp {
        self.size.norm().mul(Self::FRAME.into())
    }

    /// By how much it is turned from upright, in degrees anticlockwise, above −180 and up to 180.
    pub fn orientation_degrees(&self) -> f64 {
        super::angle_degrees(self.size)
    }
}

/// The nucleus of lowest period in a region, of those with an orbit up to `most_steps` long.
///
/// # Errors
/// [`NotFound`] says why there is none.
pub fn nucleus(region: &Region, most_steps: u32, watch: Watch) -> Result<Nucleus, NotFound> {
    in_parts(region, MOST_HALVINGS, most_steps, watch)
}

/// Looks in the region as a whole, and where its edge tells nothing, in its quarters.
fn in_parts(region: &Region, halvings: u32, most_steps: u32, watch: Watch) -> Result<Nucleus, NotFound> {
    let mut search = PeriodSearch::new(region, limbs(SEARCH_BITS - region.radius().log2()));
    match as_a_whole(region, &mut search, most_steps, watch) {
        Err(NotFound::Unclear) if halvings > 0 => {}
        found_or_not => return found_or_not,
    }
    let mut lowest = Err(NotFound::Unclear);
    let mut most_steps = most_steps.min(search.steps().saturating_mul(LONGER));
    for quarter in region.quarters() {
        match in_parts(&quarter, halvings - 1, most_steps, watch) {
            Ok(found) => {
                // Of the other quarters only lower periods matter.
                most_steps = found.period - 1;
                lowest = Ok(found);
            }
            Err(NotFound::Cancelled) => return Err(NotFound::Cancelled),
            Err(_) => {}
        }
    }
    lowest
}

fn as_a_whole(region: &Region, search: &mut PeriodSearch, most_steps: u32, watch: Watch) -> Result<Nucleus, NotFound> {
    for _ in 0..MOST_CANDIDATES {
        let candidate = search.next(most_steps, watch)?;
        if let Some(found) = at_candidate(region, candidate, watch)? {
            return Ok(found);
        }
    }
    Err(NotFound::Unclear)
}

/// The nucleus in the region to which a candidate leads.
fn at_candidate(region: &Region, candidate: Candidate, watch: Watch) -> Result<Option<Nucleus>, NotFound> {
    let middles = [[0.0, 0.0], [-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]].map(|at| region.offset(at));
    for start in candidate.offset.into_iter().chain(middles) {
        let Some(root) = solve(&Return { period: candidate.period }, region, start, watch)? else { continue };
        if region.contains(distance(&root.c, region)) {
            return told(region, candidate.period, root, watch);
        }
    }
    Ok(None)
}

/// What is to be said of a root; none where it is no nucleus that a view could show.
fn told(region: &Region, period: u32, root: Root<Seen>, watch: Watch) -> Result<Option<Nucleus>, NotFound> {
    let limit = root.unit.mul(FloatExp::power_of_two(-20));
    if let Some(&(lower, _)) = root.seen.steps_to_others.iter().find(|(_, step)| *step <= limit) {
        // The orbit came back earlier, and several times.
        let offset = distance(&root.c, region);
        let Some(root) = solve(&Return { period: lower }, region, offset, watch)? else { return Ok(None) };
        return told(region, lower, root, watch);
    }
    let size = root.seen.size;
    // Nothing is larger than the set itself, and what is not told from its surroundings has not really been met.
    let is_sane = size.norm() <= FloatExp::from(1.0 + 1e-9) && root.error < size.norm();
    let atom_domain = root.seen.atom_domain;
    let center = rounded(&root.c, size.norm());
    Ok(is_sane.then_some(Nucleus { center, period, size, atom_domain }))
}

/// z_p = 0.
struct Return {
    period: u32,
}

struct Seen {
    /// 1 / (λ² β) with λ = ∏ 2 z_n over 1 ≤ n < p, and β = Σ 1 / ∏ 2 z_k over k ≤ n, which is (dz_p/dc) / λ.
    size: ComplexExp,
    atom_domain: Option<FloatExp>,
    /// For each n that divides the period, how far the nucleus of period n would be.
    steps_to_others: Vec<(u32, FloatExp)>,
}

impl Equation for Return {
    type Seen = Seen;

    fn steps(&self) -> u32 {
        self.period
    }

    fn at(
        &self,
        c: &[Fixed; 2],
        before_step: &mut dyn FnMut(u32) -> Result<(), NotFound>,
    ) -> Result<Option<Value<Seen>>, NotFound> {
        let mut lambda = ComplexExp::ONE;
        let mut nearest: Option<FloatExp> = None;
        let mut steps_to_others = Vec::new();
        let orbit = walk(c, self.period, before_step, |n, z, orbit| {
            if n == self.period {
                return;
            }
            lambda = lambda.mul(z.doubled());
            nearest = Some(nearest.map_or(z.norm(), |least| least.min(z.norm())));
            if self.period.is_multiple_of(n) && orbit.derivative() != ComplexExp::ZERO {
                steps_to_others.push((n, z.div(orbit.derivative()).norm()));
            }
        })?;
        let Some(orbit) = orbit else { return Ok(None) };
        let derivative = orbit.derivative();
        let scale = lambda.mul(derivative);
        if scale == ComplexExp::ZERO {
            return Ok(None);
        }
        let size = ComplexExp::ONE.div(scale);
        let atom_domain = nearest.map(|least| least.div(derivative.norm()));
        let seen = Seen { size, atom_domain, steps_to_others };
        Ok(Some(Value { value: orbit.z().map(Fixed::clone), derivative, unit: size.norm(), seen }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{region, stays};
    use super::*;
    use crate::fractal::locate::Progress;
    use crate::math::Complex;

    fn find(re: &str, im: &str, height: &str) -> Nucleus {
        nucleus(&region(re, im, height), 1_000_000, Watch::none()).unwrap_or_else(|e| panic!("{re} {im}: {e}"))
    }

    #[test]
    fn nuclei_are_the_published_ones() {
        // (centre, height, period, nucleus, size, why). The cubic c³ + 2c² + c + 1 = 0 has the three of period 3.
        let real = "-1.7548776662466927600495088963585286918946";
        let rabbit = ["-0.1225611668766536199752455518207356540527", "0.7448617666197442365931704286043923672124"];
        for (re, im, height, period, [x, y], size, why) in [
            ("-0.75", "0.3", "2.5", 1, ["0", "0"], 1.0, "the whole set"),
            ("-1.02", "0.05", "0.3", 2, ["-1", "0"], 0.5, "1 / (λ² β) with λ = −2, β = ½"),
            ("-1.755", "0.0003", "0.02", 3, [real, "0"], 0.019_035_5, "the needle"),
            ("-0.12", "0.75", "0.2", 3, rabbit, 0.188_913_8, "the rabbit"),
        ] {
            let found = find(re, im, height);
            assert_eq!(found.period, period, "{why}");
            for (got, expected) in [(&found.center.re, x), (&found.center.im, y)] {
                let off = (got - &expected.parse().unwrap()).to_f64();
                assert!(off.abs() < 1e-12 * size, "{why}: {got}, not {expected}");
            }
            assert!((found.size.norm().to_f64() / size - 1.0).abs() < 1e-3, "{why}: {}", found.size.norm());
        }
    }

    /// Deep places, and the periods of the minibrots there. All are beside centres of a known period's size, or in `tests/truth`.
    const DEEP: [(&str, &str, &str, u32); 4] = [
        // 1e-100 above the tip i, whose orbit takes 2 to the cycle and then 5.66 of spread for two steps.
        ("0", "1", "1e-100", 268),
        ("-2", "0", "1e-300", 501),
        ("-0.743643887037158704752191506114774", "0.131825904205311970493132056385139", "1e-20", 8007),
        ("-1.755", "0.0003", "0.2", 3),
    ];

    #[test]
    fn orbits_of_deep_nuclei_come_back_to_0() {
        for (re, im, height, period) in DEEP {
            let found = find(re, im, height);
            assert_eq!(found.period, period, "{re}, {im}");
            // In numbers twice as long as those it was found with.
            let place = [&found.center.re, &found.center.im].map(|part| part.to_fixed(limbs(2000.0)));
            let at = Return { period }.at(&place, &mut |_| Ok(())).unwrap().unwrap();
            let off = ComplexExp::from_parts(at.value[0].to_float_exp(), at.value[1].to_float_exp()).div(at.derivative);
            assert!(off.norm() < found.size.norm().mul(1e-11.into()), "{re}, {im}: off by {}", off.norm());
            assert!(found.size.norm() < region(re, im, height).radius(), "{re}, {im}");
            assert!(found.atom_domain.is_some_and(|domain| domain > found.size.norm()), "{re}, {im}");
        }
    }

    #[test]
    fn minibrots_have_the_size_and_the_turn_that_are_told() {
        for (re, im, height, period) in DEEP {
            let found = find(re, im, height);
            // (c in units of the whole set, whether it is inside, why)
            for (x, y, inside, why) in [
                (0.2, 0.0, true, "before the cusp at ¼"),
                (0.35, 0.01, false, "beyond the cusp"),
                (-0.7, 0.0, true, "before the neck at −¾"),
                (-1.0, 0.1, true, "the disc of period 2"),
                (-0.6, 0.6, false, "above the valley"),
                (0.1, 0.5, true, "below the upper bulb's end"),
            ] {
                let offset = found.size.mul(Complex::new(x, y).into());
                let got = stays(&found.center, offset, 40 * period);
                assert_eq!(got, inside, "{re}, {im}: {why}");
            }
        }
    }

    #[test]
    fn searches_stop_when_asked_and_tell_how_far_they_are() {
        let [told, asked] = [0, 0].map(std::cell::Cell::new);
        let there = region("-2", "0", "1e-4000");
        let tell = |_: Progress| told.set(told.get() + 1);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 5000
        };
        let end = nucleus(&there, 1_000_000, Watch { goes_on: &goes_on, tell: &tell });
        assert_eq!((end, asked.get()), (Err(NotFound::Cancelled), 5000));
        assert!(told.get() > 1);
    }

    #[test]
    fn where_no_nucleus_is_it_is_said_why() {
        for (re, im, height, end) in [
            ("0.4", "0.4", "0.01", NotFound::Nothing),
            ("0.1", "0.1", "0.01", NotFound::Inside),
            ("0.25", "0", "1e-12", NotFound::TooLong { most: 5000 }),
            ("0.352", "0", "0.0001", NotFound::Nothing),
        ] {
            assert_eq!(nucleus(&region(re, im, height), 5000, Watch::none()), Err(end), "{re}, {im}");
        }
    }
}
