//! References and their tables, kept from job to job.
//!
//! A job has the reference that it would have on a machine just started: the orbit of its centre, at the bits of its depth,
//! ended for its half diagonal and its cap. An orbit that is there already is only followed further, or cut short.
//! A picture in motion takes any orbit within whose reach it lies, for the sooner it comes, the better; and the next one,
//! with more bits and about the point that the view narrows to, is computed ahead on a thread of its own.

use std::time::Instant;

use super::ahead::Ahead;
use super::blocks::Blocks;
use super::delta::floor;
use super::jet::Limits;
use super::telling;
use crate::fractal::reference::{End, Orbit, Reference, fraction_limbs};
use crate::math::{BigComplex, Complex, ComplexExp, FloatExp};
use crate::render::{
    EscapeTime, Grid, Job, Latest, Phases, Preparation, Quality, ReferenceFigures, RenderError, Sink, Viewport,
};

/// What blocks may leave out, over what they keep: for pictures in motion, and for exact ones.
const DRAFT_EPSILON: f64 = 1.0 / (1 << 24) as f64;
const EXACT_EPSILON: f64 = 1.0 / (1_u64 << 42) as f64;
/// How far from an orbit's centre a picture in motion may lie, in its half diagonals.
pub const REACH: f64 = 4.0;
/// Memory for orbits that are not the one in use, in bytes, and their number.
const MOST_BYTES: u64 = 512 << 20;
const MOST_ORBITS: usize = 6;
/// Most that the largest |δc| of a table may be too large by in motion: its blocks are shorter than they could be.
const LOOSEST: f64 = 64.0;
/// Bytes of the blocks of one step: plain ones alone, and wide ones beside them.
const BYTES_OF_BLOCKS: [u64; 2] = [35, 65];
/// Steps of a reference from which on its table takes long enough to be spoken of.
const LONG: u32 = 1 << 15;

/// What was needed for earlier jobs, which the next may need again.
#[derive(Default)]
pub struct Store {
    /// The one used last comes last.
    orbits: Vec<Orbit>,
    /// An orbit's reference with a lower cap than it was followed to.
    cut: Option<(Made, Reference)>,
    /// The newest comes last.
    tables: Vec<Table>,
    ahead: Ahead,
}

/// A reference and its blocks, ready for a job.
pub struct Prepared<'a> {
    pub reference: &'a Reference,
    pub blocks: &'a Blocks,
    /// What δc is counted in.
    pub unit: FloatExp,
    /// Size below which deltas need an exponent of their own, where some may come there; else 0.
    pub floor: f64,
    /// The way from the reference to the view's centre, in units; and the view's pixel step. 0 and 1 but in motion.
    pub shift: Complex,
    pub scale: f64,
    pub figures: ReferenceFigures,
    /// What was spent on the reference and on the table now.
    pub phases: Phases,
}

impl Prepared<'_> {
    /// Where places lie from the reference, in units; `offsets` are theirs from the view's centre, in pixel steps.
    pub fn beside_reference(&self, offsets: Grid) -> Grid {
        if (self.shift, self.scale) == (Complex::default(), 1.0) {
            return offsets;
        }
        offsets.told_from(self.shift, self.scale)
    }
}

/// What a view asks of a reference.
#[derive(Clone, Debug)]
pub struct Needs {
    pub center: BigComplex,
    /// The finest pixel step.
    pub step: FloatExp,
    /// Half diagonal.
    pub radius: FloatExp,
    pub max_iterations: u32,
}

impl Needs {
    pub fn of(viewport: &Viewport, max_iterations: u32) -> Self {
        let (step, radius) = (viewport.finest_step(), viewport.radius());
        Self { center: viewport.center().clone(), step, radius, max_iterations }
    }

    /// Limbs after the point.
    pub fn limbs(&self) -> usize {
        fraction_limbs(self.step)
    }

    /// The way here from the centre of an orbit.
    pub fn way_from(&self, center: &BigComplex) -> ComplexExp {
        let part = |to: &crate::math::Decimal, from| (to - from).to_float_exp();
        ComplexExp::from_parts(part(&self.center.re, &center.re), part(&self.center.im, &center.im))
    }

    /// Whether a picture in motion may follow an orbit of that centre and so many limbs, `reach` half diagonals away.
    pub fn is_within(&self, center: &BigComplex, limbs: usize, reach: f64) -> bool {
        limbs >= self.limbs() && self.way_from(center).norm() <= self.radius.mul(reach.into())
    }
}

/// Which orbit something was made of.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    center: BigComplex,
    limbs: usize,
    last: u32,
    end: End,
}

/// Blocks, and all that they depend on.
struct Table {
    of: Made,
    terms: Terms,
    blocks: Blocks,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Terms {
    epsilon: f64,
    bailout: f64,
    is_deep: bool,
    unit: FloatExp,
    largest_c: FloatExp,
}

impl Terms {
    /// Whether a table made on these terms will do for a picture in motion that asks for others.
    fn will_do_for(&self, other: &Self) -> bool {
        let same = Self { unit: self.unit, largest_c: self.largest_c, ..*other } == *self;
        let loosest = other.largest_c.mul(LOOSEST.into());
        same && self.largest_c >= other.largest_c && self.largest_c <= loosest
    }
}

impl Table {
    /// Memory that it takes, about.
    fn bytes(&self) -> u64 {
        u64::from(self.of.last) * if self.terms.is_deep { BYTES_OF_BLOCKS[1] } else { BYTES_OF_BLOCKS[0] }
    }
}

impl Store {
    /// The reference and blocks for a job, from earlier jobs where they will do. Says to `sink` how far they have come.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] within a step of the reference after the job is stale; what there is of it is kept.
    pub fn prepare(
        &mut self,
        job: &Job,
        task: &EscapeTime,
        latest: &Latest,
        sink: &dyn Sink,
    ) -> Result<Prepared<'_>, RenderError> {
        let begun = Instant::now();
        let needs = Needs::of(&job.viewport, task.max_iterations);
        self.orbits.extend(self.ahead.take());
        let in_motion = job.quality == Quality::Moving;
        let reaching = if in_motion { self.reaching(&needs) } else { None };
        let at = reaching.unwrap_or_else(|| self.own(&needs));
        // The one in use comes last.
        let mut orbit = self.orbits.remove(at);
        let way = needs.way_from(orbit.center());
        let largest_c = way.norm().add(needs.radius);
        let is_enough = orbit.is_complete(largest_c, needs.max_iterations) || *orbit.center() == needs.center;
        // Another view's orbit that has to go on goes on for the next views too, and their table stays.
        let aim = if is_enough { largest_c } else { largest_c.div(LOOSEST.into()) };
        let followed = telling::follow(&mut orbit, aim, aim, needs.max_iterations, latest, sink);
        self.orbits.push(orbit);
        if in_motion {
            self.ahead.look(&job.viewport, &needs, &self.orbits);
        }
        followed?;
        let in_reference = begun.elapsed();
        self.forget();
        self.cut(if in_motion { u32::MAX } else { task.max_iterations });
        let exact = Terms {
            epsilon: if job.quality == Quality::Exact { EXACT_EPSILON } else { DRAFT_EPSILON },
            bailout: task.bailout,
            is_deep: floor(needs.step) > 0.0,
            unit: needs.step,
            largest_c,
        };
        let table = self.table(exact, in_motion, latest, sink)?;
        let phases = Phases { reference: in_reference, table: begun.elapsed() - in_reference, ..Phases::default() };
        let terms = self.tables[table].terms;
        let reference = self.reference();
        let figures = ReferenceFigures {
            steps: reference.last(),
            bits: 64 * self.orbits[self.orbits.len() - 1].limbs() as u32,
            bytes: self.bytes(),
            is_cut: reference.end() == End::Cap && reference.last() < task.max_iterations,
        };
        Ok(Prepared {
            reference,
            blocks: &self.tables[table].blocks,
            unit: terms.unit,
            floor: floor(needs.step),
            shift: in_units(way, terms.unit),
            scale: needs.step.div(terms.unit).to_f64(),
            figures,
            phases,
        })
    }

    /// The orbit that a picture in motion may follow, where there is one: one that is complete, or has come farthest.
    fn reaching(&self, needs: &Needs) -> Option<usize> {
        let reaches = |orbit: &Orbit| needs.is_within(orbit.center(), orbit.limbs(), REACH);
        let how_far = |orbit: &Orbit| {
            let largest_c = needs.way_from(orbit.center()).norm().add(needs.radius);
            (orbit.is_complete(largest_c, needs.max_iterations), orbit.reference().last())
        };
        let able = self.orbits.iter().enumerate().filter(|(_, orbit)| reaches(orbit));
        able.max_by_key(|(_, orbit)| how_far(orbit)).map(|(at, _)| at)
    }

    /// The orbit of a job at rest: nothing but what the job says has a part in it.
    fn own(&mut self, needs: &Needs) -> usize {
        let limbs = needs.limbs();
        let is_own = |orbit: &Orbit| {
            orbit.limbs() == limbs && orbit.begins_as_for(needs.radius) && *orbit.center() == needs.center
        };
        self.orbits.iter().position(is_own).unwrap_or_else(|| {
            self.orbits.push(Orbit::new(needs.center.clone(), limbs));
            self.orbits.len() - 1
        })
    }

    /// Has the reference end at a lower cap than it was followed to, as it would had it never been followed farther.
    fn cut(&mut self, max_iterations: u32) {
        let Some(orbit) = self.orbits.last().filter(|orbit| orbit.reference().last() > max_iterations) else {
            self.cut = None;
            return;
        };
        let made = Made { last: max_iterations, end: End::Cap, ..made(orbit) };
        if self.cut.as_ref().is_none_or(|(of, _)| *of != made) {
            self.cut = Some((made, orbit.reference().up_to(max_iterations)));
        }
    }

    /// The reference of the job that is being prepared.
    fn reference(&self) -> &Reference {
        match &self.cut {
            Some((_, cut)) => cut,
            None => self.orbits[self.orbits.len() - 1].reference(),
        }
    }

    /// The table for it: one that is there, or a new one.
    fn table(&mut self, exact: Terms, in_motion: bool, latest: &Latest, sink: &dyn Sink) -> Result<usize, RenderError> {
        let of = self.cut.as_ref().map_or_else(|| made(&self.orbits[self.orbits.len() - 1]), |(of, _)| of.clone());
        let will_do = |table: &Table| if in_motion { table.terms.will_do_for(&exact) } else { table.terms == exact };
        if let Some(at) = self.tables.iter().position(|table| table.of == of && will_do(table)) {
            return Ok(at);
        }
        if of.last > LONG {
            sink.preparing(Preparation { what: "table", share: None });
        }
        // In motion with some room, so that it will do for the next views too.
        let largest_c = if in_motion { exact.largest_c.add(exact.largest_c) } else { exact.largest_c };
        let terms = Terms { largest_c, ..exact };
        let limits = Limits { epsilon: terms.epsilon, largest_c, bailout: terms.bailout };
        let blocks = Blocks::new(self.reference(), limits, terms.unit, terms.is_deep, latest)?;
        if self.tables.len() > 1 {
            self.tables.remove(0);
        }
        self.tables.push(Table { of, terms, blocks });
        Ok(self.tables.len() - 1)
    }

    /// Lets go of the orbits that were not used for longest, beyond what is kept.
    fn forget(&mut self) {
        let others = |orbits: &[Orbit]| orbits.iter().rev().skip(1).map(|o| o.reference().bytes()).sum::<u64>();
        while self.orbits.len() > MOST_ORBITS || others(&self.orbits) > MOST_BYTES {
            self.orbits.remove(0);
        }
    }

    /// Memory of all that is kept, in bytes.
    fn bytes(&self) -> u64 {
        let orbits: u64 = self.orbits.iter().map(|orbit| orbit.reference().bytes()).sum();
        let cut = self.cut.as_ref().map_or(0, |(_, reference)| reference.bytes());
        let tables: u64 = self.tables.iter().map(Table::bytes).sum();
        orbits + cut + tables
    }
}

fn made(orbit: &Orbit) -> Made {
    let reference = orbit.reference();
    Made { center: orbit.center().clone(), limbs: orbit.limbs(), last: reference.last(), end: reference.end() }
}

/// A way of the plane in units, rounded to f64.
fn in_units(way: ComplexExp, unit: FloatExp) -> Complex {
    way.scaled(FloatExp::from(1.0).div(unit)).to_complex()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fractal::FormulaId;
    use crate::render::{Plane, Task, Unheard};

    fn job(viewport: Viewport, quality: Quality) -> Job {
        let task = EscapeTime {
            formula: FormulaId::Quadratic,
            plane: Plane::Parameter,
            max_iterations: 5000,
            bailout: 1000.0,
        };
        Job { quality, ..Job::new(viewport, Task::EscapeTime(task)) }
    }

    fn seahorse(height: &str) -> Viewport {
        let [re, im] = ["-0.743643887037158704752191506114774", "0.131825904205311970493132056385139"];
        let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
        Viewport::new(center, height.parse().unwrap(), [96, 64]).unwrap()
    }

    fn prepare(store: &mut Store, job: &Job) {
        let task = job.task.escape_time().unwrap();
        assert!(store.prepare(job, task, &Latest::forever(), &Unheard).is_ok());
    }

    #[test]
    fn while_a_view_narrows_the_next_reference_is_there_before_it_is_needed() {
        let mut store = Store::default();
        let mut view = seahorse("1e-20");
        for step in 0..70 {
            prepare(&mut store, &job(view.clone(), Quality::Moving));
            let used = store.orbits.last().unwrap();
            assert_eq!(*used.center() == *view.center(), step == 0, "step {step}: a reference was computed on the way");
            while store.ahead.is_running() {
                store.orbits.extend(store.ahead.take());
                std::thread::sleep(Duration::from_millis(1));
            }
            view = view.zoomed(4.0, [80.0, 11.0]);
        }
        assert!(view.height().to_float_exp().log2() < -200.0 && store.orbits.len() <= MOST_ORBITS);
    }

    #[test]
    fn a_table_serves_views_in_motion_until_it_is_too_loose() {
        let mut store = Store::default();
        let mut view = seahorse("1e-20");
        let mut made = 0;
        for _ in 0..20 {
            let before = store.tables.last().map(|table| table.terms.largest_c);
            prepare(&mut store, &job(view.clone(), Quality::Moving));
            made += usize::from(store.tables.last().map(|table| table.terms.largest_c) != before);
            view = view.zoomed(1.25, [50.0, 30.0]);
        }
        assert!(made <= 6, "{made} tables for 20 views");
    }

    #[test]
    fn what_is_cancelled_goes_on_from_there() {
        let mut store = Store::default();
        let job = job(seahorse("1e-20"), Quality::Exact);
        let newest = crate::render::Newest::default();
        let latest = newest.next();
        newest.cancel();
        let task = job.task.escape_time().unwrap();
        assert!(store.prepare(&job, task, &latest, &Unheard).is_err());
        prepare(&mut store, &job);
        assert_eq!(store.orbits.len(), 1);
    }
}
