//! One point's orbit, as its difference from a reference.
//!
//! z_n = Z_m + δ with δ ← f(Z_m + δ) − f(Z_m) + δc. Where |z| is no longer much larger than |δ|, the orbit is rebased onto
//! that of 0: δ ← z and m ← 0, which changes nothing. Over a plane of parameters that is the one reference there
//! is; over a dynamical plane points begin beside the orbit of the view's centre, with δc = 0.

use super::blocks::{Block, Blocks};
use crate::engine::perturbation::delta::floor;
use crate::engine::perturbation::fates::Fate;
use crate::engine::perturbation::repeats::Repeats;
use crate::fractal::formula::Followed;
use crate::fractal::reference::{End, Reference};
use crate::math::{Complex, FloatExp, Scalar};
use crate::render::{Latest, RenderError, Slope};

/// Steps and blocks between looks at whether the job is stale: some ten microseconds.
const TURNS_PER_LOOK: u64 = 1024;
/// |δ| over |z| from which on an orbit is rebased. Sixth roots of a number are as far from each other as from 0: beside
/// one of them, an orbit whose next point is the reference's must not be followed as its difference.
const NEAR: f64 = 0.5;
/// Size over that of z below which the δ of orbits with the same c stands for none at all.
const VANISHED: f64 = 1.0 / (1_u64 << 60) as f64;

/// A reference, and the blocks along it.
pub struct Track {
    pub reference: Reference,
    pub blocks: Blocks,
}

/// Where the points of a picture begin.
#[derive(Clone, Copy, Debug)]
pub enum Beginning {
    /// At 0, each with a c of its own.
    Critical,
    /// Beside the first track, all with its c.
    BesideCentre,
    /// The same about this centre, which has no track: beside the orbit of 0.
    Alone(Complex<FloatExp>),
}

/// What all points of a picture share.
pub struct Surroundings<'a> {
    /// The last one is the orbit of 0.
    pub tracks: &'a [Track],
    pub beginning: Beginning,
    /// The unit of offsets: the finest pixel step.
    pub unit: FloatExp,
    /// How the point of a pixel moves to the right and upwards, in that unit.
    pub axes: [Complex; 2],
    pub bailout_sq: f64,
    pub max_iterations: u32,
    /// Whether orbits that repeat themselves are known to stay.
    pub cycles: bool,
    pub latest: &'a Latest,
}

/// Numbers that deltas are held in: f64 alone, or with an exponent of their own where f64 would underflow.
trait Range: Scalar {
    const IS_WIDE: bool;
    /// Z_m.
    fn point(reference: &Reference, m: u32) -> Complex<Self>;
    /// The longest block from `m` on that holds for a delta of `size`.
    fn block(blocks: &Blocks, m: u32, size: Self) -> Option<(&Block<Self>, u32)>;
    fn widened(z: Complex<Self>) -> Complex<FloatExp>;
    fn rounded(z: Complex<Self>) -> Complex;
}

impl Range for f64 {
    const IS_WIDE: bool = false;

    #[inline(always)]
    fn point(reference: &Reference, m: u32) -> Complex {
        reference.points()[m as usize]
    }

    #[inline(always)]
    fn block(blocks: &Blocks, m: u32, size: f64) -> Option<(&Block<f64>, u32)> {
        blocks.plain(m, size)
    }

    fn widened(z: Complex) -> Complex<FloatExp> {
        z.into()
    }

    #[inline(always)]
    fn rounded(z: Complex) -> Complex {
        z
    }
}

impl Range for FloatExp {
    const IS_WIDE: bool = true;

    fn point(reference: &Reference, m: u32) -> Complex<Self> {
        reference.parts(m)
    }

    fn block(blocks: &Blocks, m: u32, size: Self) -> Option<(&Block<Self>, u32)> {
        blocks.wide(m, size)
    }

    fn widened(z: Complex<Self>) -> Complex<Self> {
        z
    }

    fn rounded(z: Complex<Self>) -> Complex {
        z.to_f64()
    }
}

/// Where a point is.
#[derive(Clone, Copy)]
struct State<R> {
    delta: Complex<R>,
    /// How z moves with the pixel, to the right and upwards.
    spread: [Complex<R>; 2],
}

/// What is added at each step.
struct Moves<R> {
    /// δc, itself and in the unit of blocks.
    c: Complex<R>,
    c_in_blocks: Complex<R>,
    /// The same for the ways that pixels move c.
    axes: [Complex<R>; 2],
    axes_in_blocks: [Complex<R>; 2],
}

impl State<FloatExp> {
    fn to_f64(self) -> State<f64> {
        State { delta: self.delta.to_f64(), spread: self.spread.map(Complex::<FloatExp>::to_f64) }
    }
}

impl From<State<f64>> for State<FloatExp> {
    fn from(state: State<f64>) -> Self {
        Self { delta: state.delta.into(), spread: state.spread.map(Into::into) }
    }
}

/// How far a point has come.
#[derive(Default)]
struct Progress {
    /// Steps done.
    n: u32,
    /// Track, and index of its point beside it.
    track: usize,
    m: u32,
    /// Steps and blocks executed.
    turns: u64,
    /// Where the orbit is rebased: index, track, and δ.
    rebases: Repeats<(u32, usize, Complex<FloatExp>)>,
}

/// What ends a run in one kind of numbers.
enum Exit<R> {
    /// The other kind goes on from here.
    Leave(State<R>),
    /// The orbit has escaped, to z and with this spread.
    Escaped(Complex, [Complex; 2]),
    Inside,
}

impl Surroundings<'_> {
    /// Follows the point that lies `offset` units from the centre to its end; its slope where `SLOPES` says so.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale.
    pub fn fate<F: Followed, const SLOPES: bool>(&self, offset: Complex) -> Result<Fate, RenderError> {
        let [moved, right, up] =
            [offset, self.axes[0], self.axes[1]].map(|way| Complex::<FloatExp>::from(way).stretched(self.unit));
        let mut progress = Progress::default();
        let is_critical = matches!(self.beginning, Beginning::Critical);
        let still = [Complex::ZERO; 2];
        let mut state = match self.beginning {
            Beginning::Critical => State { delta: Complex::ZERO, spread: still },
            Beginning::BesideCentre => State { delta: self.begin(moved, &mut progress), spread: [right, up] },
            Beginning::Alone(centre) => State { delta: centre.plus(moved), spread: [right, up] },
        };
        let (c, axes) = if is_critical { (moved, [right, up]) } else { (Complex::ZERO, still) };
        let wide = Moves { c, c_in_blocks: c, axes, axes_in_blocks: axes };
        let in_units = |way: Complex| if is_critical { way } else { Complex::default() };
        let plain = Moves {
            c: c.to_f64(),
            c_in_blocks: in_units(offset),
            axes: axes.map(Complex::<FloatExp>::to_f64),
            axes_in_blocks: self.axes.map(in_units),
        };
        let mut is_wide = self.is_small(state.delta);
        loop {
            let exit = if is_wide {
                self.follow::<F, FloatExp, SLOPES>(state, &wide, &mut progress)?
            } else {
                match self.follow::<F, f64, SLOPES>(state.to_f64(), &plain, &mut progress)? {
                    Exit::Leave(state) => Exit::Leave(state.into()),
                    Exit::Escaped(z, spread) => Exit::Escaped(z, spread),
                    Exit::Inside => Exit::Inside,
                }
            };
            let Progress { n, turns, .. } = progress;
            match exit {
                Exit::Leave(next) => (state, is_wide) = (next, !is_wide),
                Exit::Escaped(z, spread) => {
                    let slope = if SLOPES { Slope::new(z, spread) } else { Slope::INTERIOR };
                    return Ok(Fate { iterations: n, norm_sq: z.norm_sq(), slope, turns });
                }
                Exit::Inside => return Ok(Fate { turns, ..Fate::default() }),
            }
        }
    }

    /// The first delta of a point beside the centre: from the centre, or from 0 where that is nearer.
    fn begin(&self, delta: Complex<FloatExp>, progress: &mut Progress) -> Complex<FloatExp> {
        let z = self.tracks[0].reference.parts(0).plus(delta);
        if z.extent().product(NEAR.into()) > delta.extent() {
            return delta;
        }
        progress.track = self.tracks.len() - 1;
        z
    }

    /// Whether f64 is left to numbers with an exponent of their own.
    #[inline(always)]
    fn is_small<R: Range>(&self, delta: Complex<R>) -> bool {
        let floor = floor(self.unit);
        floor > 0.0 && delta.extent() < R::of(floor)
    }

    /// Goes on with one kind of numbers.
    #[inline(always)]
    fn follow<F: Followed, R: Range, const SLOPES: bool>(
        &self,
        mut state: State<R>,
        moves: &Moves<R>,
        progress: &mut Progress,
    ) -> Result<Exit<R>, RenderError> {
        let critical = self.tracks.len() - 1;
        let near = R::of(NEAR);
        loop {
            let Track { reference, blocks } = &self.tracks[progress.track];
            let (next, steps) = match R::block(blocks, progress.m, state.delta.extent()) {
                Some((block, steps)) => (skipped::<R, SLOPES>(state, block, moves), steps),
                None => (stepped::<F, R, SLOPES>(state, R::point(reference, progress.m), moves), 1),
            };
            if !R::IS_WIDE && self.is_small(next.delta) {
                // Not for these numbers: the other kind does this step again.
                return Ok(Exit::Leave(state));
            }
            state = next;
            progress.n += steps;
            progress.m += steps;
            progress.turns += 1;
            if progress.n > self.max_iterations {
                return Ok(Exit::Inside);
            }
            let z = state.delta.plus(R::point(reference, progress.m));
            let rounded = R::rounded(z);
            // An orbit that overflows to infinity or NaN has escaped too.
            if !(rounded.norm_sq() <= self.bailout_sq) {
                return Ok(Exit::Escaped(rounded, state.spread.map(R::rounded)));
            }
            let is_rebased = z.extent().product(near) < state.delta.extent();
            if is_rebased || progress.m == reference.last() {
                match reference.end() {
                    End::Cycle { period } if !is_rebased => {
                        let vanished = state.delta.extent() < z.extent().product(R::of(VANISHED));
                        if self.cycles && vanished && !matches!(self.beginning, Beginning::Critical) {
                            return Ok(Exit::Inside);
                        }
                        progress.m -= period;
                    }
                    // Here the reference was given up, and so are those who still follow it.
                    End::Cap if !is_rebased => return Ok(Exit::Inside),
                    _ => (state.delta, progress.m, progress.track) = (z, 0, critical),
                }
                if self.cycles && progress.rebases.repeat((progress.m, progress.track, R::widened(state.delta))) {
                    return Ok(Exit::Inside);
                }
            }
            if self.is_small(state.delta) != R::IS_WIDE {
                return Ok(Exit::Leave(state));
            }
            if progress.turns.is_multiple_of(TURNS_PER_LOOK) && self.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
        }
    }
}

/// The steps of a block.
#[inline(always)]
fn skipped<R: Range, const SLOPES: bool>(state: State<R>, block: &Block<R>, moves: &Moves<R>) -> State<R> {
    let moved = |z: Complex<R>, way: Complex<R>| block.a.apply(z).plus(block.b.apply(way));
    let [right, up] = state.spread;
    let [to_right, upwards] = moves.axes_in_blocks;
    let spread = if SLOPES { [moved(right, to_right), moved(up, upwards)] } else { state.spread };
    State { delta: moved(state.delta, moves.c_in_blocks), spread }
}

/// One step beside `reference`.
#[inline(always)]
fn stepped<F: Followed, R: Range, const SLOPES: bool>(
    state: State<R>,
    reference: Complex<R>,
    moves: &Moves<R>,
) -> State<R> {
    let mut spread = state.spread;
    if SLOPES {
        let tangent = F::tangent(reference.plus(state.delta));
        for (spread, way) in spread.iter_mut().zip(moves.axes) {
            *spread = tangent.apply(*spread).plus(way);
        }
    }
    State { delta: F::delta_step(reference, state.delta).plus(moves.c), spread }
}
