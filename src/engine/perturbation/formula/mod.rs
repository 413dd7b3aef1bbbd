//! Any formula that tells its delta step, over either of its planes: what [`super`] does for the Mandelbrot set, with nothing
//! of z² + c in it.
//!
//! Over a plane of parameters there is one reference, the orbit of 0 at the view's centre. Over a dynamical plane there are
//! two, both under the one c of all points: the orbit of the view's centre, which points begin beside, and that of 0, which they
//! go on beside once they have come near it.

mod blocks;
mod pixel;

use std::time::Instant;

use blocks::{Blocks, Limits};
use pixel::{Beginning, Surroundings, Track};
use rayon::ThreadPool;

use super::delta::floor;
use super::fates::{self, Fate};
use super::telling;
use crate::fractal::formula::{Followed, FollowedVisitor};
use crate::fractal::formula_orbit::{FARTHEST, FormulaOrbit, Neighbours};
use crate::fractal::reference::{End, Orbit, Reference, fraction_limbs};
use crate::math::{BigComplex, Complex, FloatExp};
use crate::render::{
    EscapeTime, Grid, Job, Latest, Plane, Preparation, Quality, ReferenceFigures, RenderError, Sink, Stats, Tile,
    Viewport,
};

/// Share of a step that blocks may leave out: for pictures in motion, and for exact ones.
const DRAFT_EPSILON: f64 = 1.0 / (1 << 24) as f64;
const EXACT_EPSILON: f64 = 1.0 / (1_u64 << 36) as f64;
/// Deltas beside orbits of any formula.
#[derive(Default)]
pub struct Follower {
    /// What was needed for the last view, which the next pass of it needs again.
    kept: Option<Kept>,
}

/// References and blocks: pure functions of the key.
struct Kept {
    key: Key,
    tracks: Vec<Track>,
    beginning: Beginning,
    figures: ReferenceFigures,
}

/// All that they depend on.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    viewport: Viewport,
    task: EscapeTime,
    quality: Quality,
}

impl Follower {
    /// Computes the job's samples into the sink, in tiles of at most `side` × `side`.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn render(
        &mut self,
        pool: &ThreadPool,
        side: u32,
        job: &Job,
        task: &EscapeTime,
        latest: &Latest,
        sink: &dyn Sink,
    ) -> Result<Stats, RenderError> {
        let start = Instant::now();
        let key = Key { viewport: job.viewport.clone(), task: task.clone(), quality: job.quality };
        let kept = match self.kept.take().filter(|kept| kept.key == key) {
            Some(kept) => kept,
            None => pool.install(|| Kept::new(key, latest, sink))?,
        };
        let kept = self.kept.insert(kept);
        let unit = job.viewport.finest_step();
        let around = Surroundings {
            tracks: &kept.tracks,
            beginning: kept.beginning,
            unit,
            axes: job.viewport.pixel_axes(unit),
            bailout_sq: task.bailout * task.bailout,
            max_iterations: task.max_iterations,
            cycles: job.shortcuts.cycles,
            latest,
        };
        let (offsets, slopes) = (&job.viewport.offsets(job.lattice), job.channels.distance);
        let follow = |tile, fates: &mut Vec<Fate>| {
            let followed = task.formula.visit_followed(OneTile { around: &around, offsets, slopes, tile, fates });
            followed.expect("only formulas that are supported come here")
        };
        let tiles = Tile::outwards(job.size(), side, job.focus);
        let drawn = fates::draw(pool, &tiles, job, task, sink, follow)?;
        let mut stats = Stats { reference: Some(kept.figures), ..drawn };
        stats.compute = start.elapsed();
        Ok(stats)
    }
}

impl Kept {
    fn new(key: Key, latest: &Latest, sink: &dyn Sink) -> Result<Self, RenderError> {
        let made = key.task.formula.visit_followed(Making { key: &key, latest, sink });
        let (tracks, beginning) = made.expect("only formulas that are supported come here")?;
        let references = || tracks.iter().map(|track| &track.reference);
        let figures = ReferenceFigures {
            steps: references().map(Reference::last).max().unwrap_or(0),
            bits: 64 * limbs(&key) as u32,
            bytes: tracks.iter().map(|track| track.reference.bytes() + track.blocks.bytes()).sum(),
            is_cut: references()
                .any(|reference| reference.end() == End::Cap && reference.last() < key.task.max_iterations),
        };
        Ok(Self { key, tracks, beginning, figures })
    }
}

/// Limbs after the point of a view's orbits.
fn limbs(key: &Key) -> usize {
    let step = key.viewport.finest_step();
    let power = match key.task.plane {
        Plane::Parameter => 1,
        // A point at a pixel's distance from 0 has an image that much nearer to c.
        Plane::Dynamical { .. } => key.task.formula.degree() as u32,
    };
    fraction_limbs((1..power).fold(step, |power, _| power.mul(step)))
}

/// Makes tracks, as generic code over the formula.
struct Making<'a> {
    key: &'a Key,
    latest: &'a Latest,
    sink: &'a dyn Sink,
}

impl FollowedVisitor for Making<'_> {
    type Output = Result<(Vec<Track>, Beginning), RenderError>;

    fn visit<F: Followed>(self) -> Self::Output {
        match &self.key.task.plane {
            Plane::Parameter => self.over_parameters::<F>(),
            Plane::Dynamical { c } => self.over_points::<F>(c),
        }
    }
}

impl Making<'_> {
    fn over_parameters<F: Followed>(&self) -> Result<(Vec<Track>, Beginning), RenderError> {
        let (center, radius) = (self.key.viewport.center(), self.key.viewport.radius());
        let is_far = is_beyond(center, 2.0);
        let reference = if is_far {
            Reference::escaped_at_once(center.to_f64())
        } else {
            self.reference::<F>(&origin(), center, Neighbours::Parameter, radius)?
        };
        Ok((vec![self.track::<F>(reference, radius)?], Beginning::Critical))
    }

    fn over_points<F: Followed>(&self, c: &BigComplex) -> Result<(Vec<Track>, Beginning), RenderError> {
        let (center, radius) = (self.key.viewport.center(), self.key.viewport.radius());
        let mut tracks = Vec::new();
        let parts = Complex::new(center.re.to_float_exp(), center.im.to_float_exp());
        let has_track = !is_beyond(center, FARTHEST) && parts.extent() > radius;
        if has_track {
            let reference = self.reference::<F>(center, c, Neighbours::Dynamical, radius)?;
            tracks.push(self.track::<F>(reference, FloatExp::ZERO)?);
        }
        let critical = self.reference::<F>(&origin(), c, Neighbours::Dynamical, FloatExp::ZERO)?;
        tracks.push(self.track::<F>(critical, FloatExp::ZERO)?);
        Ok((tracks, if has_track { Beginning::BesideCentre } else { Beginning::Alone(parts) }))
    }

    fn reference<F: Followed>(
        &self,
        start: &BigComplex,
        c: &BigComplex,
        neighbours: Neighbours,
        radius: FloatExp,
    ) -> Result<Reference, RenderError> {
        let limbs = limbs(self.key);
        let big = FormulaOrbit::<F>::new(start, c, limbs, neighbours);
        let value = big.value();
        // Not only as far as escape is certain: about |z| = 2, where orbits may linger, rounding would leave too little of z.
        let mut orbit = Orbit::along(Box::new(big), start.clone(), limbs, value, FARTHEST);
        let (view, cap) = (self.key.viewport.radius(), self.key.task.max_iterations);
        telling::follow(&mut orbit, radius, view, cap, self.latest, self.sink)?;
        Ok(orbit.into_reference())
    }

    fn track<F: Followed>(&self, reference: Reference, largest_c: FloatExp) -> Result<Track, RenderError> {
        let limits = Limits {
            epsilon: if self.key.quality == Quality::Exact { EXACT_EPSILON } else { DRAFT_EPSILON },
            largest_c,
            // Orbits a little beside a reference may be farther out within a block.
            watched: self.key.task.bailout * (1.0 - EXACT_EPSILON.sqrt()),
        };
        self.sink.preparing(Preparation { what: "table", share: None });
        let unit = self.key.viewport.finest_step();
        let blocks = Blocks::new::<F>(&reference, limits, unit, floor(unit) > 0.0, self.latest)?;
        Ok(Track { reference, blocks })
    }
}

fn origin() -> BigComplex {
    BigComplex::new(0.into(), 0.into())
}

/// Whether a part of the point is larger than `bound`.
fn is_beyond(point: &BigComplex, bound: f64) -> bool {
    [&point.re, &point.im].iter().any(|part| part.to_float_exp().abs() > bound.into())
}

/// Follows the points of one tile, as generic code over the formula.
struct OneTile<'a> {
    around: &'a Surroundings<'a>,
    /// Where samples lie, in units of the finest pixel step from the centre.
    offsets: &'a Grid,
    /// Whether slopes are asked for.
    slopes: bool,
    tile: Tile,
    fates: &'a mut Vec<Fate>,
}

impl FollowedVisitor for OneTile<'_> {
    type Output = Result<(), RenderError>;

    fn visit<F: Followed>(self) -> Self::Output {
        let Self { around, offsets, slopes, tile, fates } = self;
        for y in tile.y..tile.y + tile.height {
            for x in tile.x..tile.x + tile.width {
                if around.latest.is_stale() {
                    return Err(RenderError::Cancelled);
                }
                let offset = offsets.point(x as usize, y as usize);
                let fate = match slopes {
                    false => around.fate::<F, false>(offset),
                    true => around.fate::<F, true>(offset),
                };
                fates.push(fate?);
            }
        }
        Ok(())
    }
}
