//! What a picture has of an earlier one, and what it lacks: samples whose points are the same numbers are the same samples.

use super::{Grid, Job, Lattice, Span, Task, Tile};

/// The pixels of a picture that are pixels of an earlier one, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    columns: Shared,
    rows: Shared,
}

/// Along one axis: pixel `new.first + k·new.stride` is pixel `old.first + k·old.stride` of the earlier picture, for each k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shared {
    new: Span,
    old: Span,
}

impl Overlap {
    /// Where two whole pictures of escape times coincide, after a move by whole pixels or a zoom by 2 or ½ about a sample.
    /// None where nothing does, or where coordinates alone do not decide what a sample is.
    pub fn of(old: &Job, new: &Job) -> Option<Self> {
        let is_whole = |job: &Job| job.lattice == Lattice::FULL && matches!(job.task, Task::EscapeTime(_));
        if !(is_whole(old) && is_whole(new)) {
            return None;
        }
        Self::of_grids(&old.grid(), &new.grid())
    }

    fn of_grids(old: &Grid, new: &Grid) -> Option<Self> {
        let upright = old.is_upright() && new.is_upright();
        upright.then_some(())?;
        Some(Self { columns: Shared::of(&old.re_x, &new.re_x)?, rows: Shared::of(&old.im_y, &new.im_y)? })
    }

    /// The shared pixels in the new picture: all of a band, or every other one.
    pub fn lattice(&self) -> Lattice {
        let [columns, rows] = [self.columns.new, self.rows.new];
        Lattice {
            first_row: rows.first,
            rows: rows.extent(),
            first_column: columns.first,
            columns: columns.extent(),
            ..Lattice::every(columns.stride)
        }
    }

    /// The shared columns and rows of the earlier picture.
    pub fn old(&self) -> [Span; 2] {
        [self.columns.old, self.rows.old]
    }

    /// The same columns and rows in the new picture.
    pub fn now(&self) -> [Span; 2] {
        [self.columns.new, self.rows.new]
    }

    /// How many samples are shared.
    pub fn count(&self) -> usize {
        self.columns.new.count as usize * self.rows.new.count as usize
    }
}

impl Shared {
    fn of(old: &[f64], new: &[f64]) -> Option<Self> {
        let step = |all: &[f64]| (all[all.len() - 1] - all[0]) / (all.len() - 1) as f64;
        if old.len() < 2 || new.len() < 2 {
            return None;
        }
        let ratio = step(new) / step(old);
        let strides = [(1, 1, 1.0), (2, 1, 0.5), (1, 2, 2.0)];
        let &(new_stride, old_stride, _) = strides.iter().find(|(_, _, wanted)| (ratio / wanted - 1.0).abs() < 0.01)?;
        // Every other pixel may be the even ones or the odd ones.
        (0..new_stride.min(new.len())).find_map(|phase| {
            let at = ((new[phase] - old[0]) / step(old)).round();
            (at.abs() < 1e9).then_some(())?;
            Self::from(old, new, [phase, new_stride], [at as i64, old_stride])
        })
    }

    /// The pixels `phase + k·new_stride` that are in the earlier picture at `at + k·old_stride`, if all of them are the same
    /// numbers there.
    fn from(old: &[f64], new: &[f64], [phase, new_stride]: [usize; 2], [at, old_stride]: [i64; 2]) -> Option<Self> {
        let place = |k: usize| usize::try_from(at + k as i64 * old_stride).ok().filter(|&place| place < old.len());
        let steps = (new.len() - phase).div_ceil(new_stride);
        let first = (0..steps).find(|&k| place(k).is_some())?;
        let count = (first..steps).take_while(|&k| place(k).is_some()).count();
        let same =
            |k: usize| place(k).is_some_and(|place| old[place].to_bits() == new[phase + k * new_stride].to_bits());
        (first..first + count).all(same).then(|| Self {
            new: Span::new(phase + first * new_stride, new_stride, count),
            old: Span::new(place(first).unwrap_or(0), old_stride as usize, count),
        })
    }
}

/// The lattices of what a pass over a picture of `size` pixels lacks: the pixels of every `stride`-th column and row, but for
/// those of every `coarser`-th, and for the `known` ones. Each pixel comes once.
pub fn lacking(size: [u32; 2], stride: u32, coarser: Option<u32>, known: Option<Lattice>) -> Vec<Lattice> {
    let mut lacking = Vec::new();
    for tile in outside(size, known) {
        add_phases(&mut lacking, tile, stride, coarser);
    }
    // Every other pixel of a band is known: passes that are no finer have all they need of it.
    if let Some(known) = known.filter(|known| known.stride > stride) {
        let tile = band(size, known);
        let next = [known.first_column, known.first_row].map(|first| first % known.stride);
        for [right, down] in [[1, 0], [0, 1], [1, 1]] {
            let phase = [(next[0] + right) % known.stride, (next[1] + down) % known.stride];
            lacking.extend(within(tile, known.stride, phase));
        }
    }
    lacking
}

/// The rows and columns of a picture that a lattice spans.
fn band(size: [u32; 2], lattice: Lattice) -> Tile {
    let (x, y) = (lattice.first_column.min(size[0]), lattice.first_row.min(size[1]));
    Tile { x, y, width: lattice.columns.min(size[0] - x), height: lattice.rows.min(size[1] - y) }
}

/// The rectangles around what is known.
fn outside(size: [u32; 2], known: Option<Lattice>) -> Vec<Tile> {
    let Some(known) = known else { return vec![Tile::whole(size)] };
    let band = band(size, known);
    let (right, bottom) = (band.x + band.width, band.y + band.height);
    let all = [
        Tile { x: 0, y: 0, width: size[0], height: band.y },
        Tile { x: 0, y: bottom, width: size[0], height: size[1] - bottom },
        Tile { x: 0, y: band.y, width: band.x, height: band.height },
        Tile { x: right, y: band.y, width: size[0] - right, height: band.height },
    ];
    all.into_iter().filter(|tile| tile.area() > 0).collect()
}

/// The pixels of a rectangle on every `stride`-th column and row, but for those on every `coarser`-th: halving by halving.
fn add_phases(lattices: &mut Vec<Lattice>, tile: Tile, stride: u32, coarser: Option<u32>) {
    let Some(coarser) = coarser else { return lattices.extend(within(tile, stride, [0, 0])) };
    let mut spacing = coarser;
    while spacing > stride {
        let half = spacing / 2;
        for phase in [[half, 0], [0, half], [half, half]] {
            lattices.extend(within(tile, spacing, phase));
        }
        spacing = half;
    }
}

/// The pixels of a rectangle whose column and row leave `phase` when divided by `stride`, if there are any.
fn within(tile: Tile, stride: u32, phase: [u32; 2]) -> Option<Lattice> {
    let first = |start: u32, phase: u32| start + (phase + stride - start % stride) % stride;
    let (first_column, first_row) = (first(tile.x, phase[0]), first(tile.y, phase[1]));
    let columns = (tile.x + tile.width).checked_sub(first_column).filter(|&columns| columns > 0)?;
    let rows = (tile.y + tile.height).checked_sub(first_row).filter(|&rows| rows > 0)?;
    Some(Lattice { first_row, rows, first_column, columns, ..Lattice::every(stride) })
}

/// Bands of every pixel over the parts of a whole picture that `is_missing` names, in blocks of 16 known pixels a side.
pub fn missing_blocks(size: [u32; 2], known: Lattice, is_missing: impl Fn(u32, u32) -> bool) -> Vec<Lattice> {
    const SIDE: u32 = 16;
    let reach = SIDE * known.stride;
    let tile = band(size, known);
    let starts = |first: u32, extent: u32| (first..first + extent).step_by(reach as usize);
    let mut blocks: Vec<Lattice> = Vec::new();
    for y in starts(tile.y, tile.height) {
        let rows = reach.min(tile.y + tile.height - y);
        let of_row = blocks.len();
        for x in starts(tile.x, tile.width) {
            let columns = reach.min(tile.x + tile.width - x);
            let stride = known.stride as usize;
            let any = (y..y + rows).step_by(stride).any(|j| (x..x + columns).step_by(stride).any(|i| is_missing(i, j)));
            match blocks[of_row..].last_mut() {
                Some(last) if any && last.first_column + last.columns == x => last.columns += columns,
                _ if any => blocks.push(Lattice { first_row: y, rows, first_column: x, columns, ..known }),
                _ => {}
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::BigComplex;
    use crate::render::Viewport;

    fn viewport(size: [u32; 2]) -> Viewport {
        let center = BigComplex::new("-0.743643887037151".parse().unwrap(), "0.131825904205330".parse().unwrap());
        Viewport::new(center, "2.5".parse().unwrap(), size).unwrap()
    }

    fn overlap(old: &Viewport, new: &Viewport) -> Option<Overlap> {
        Overlap::of_grids(&old.grid(Lattice::FULL), &new.grid(Lattice::FULL))
    }

    #[test]
    fn what_coincides_after_a_move_is_found() {
        let size = [100, 61];
        let old = viewport(size);
        // (move, shared pixels of the new picture)
        for (new, shared) in [
            (old.clone(), 100 * 61),
            (old.panned([7.0, 0.0]), 93 * 61),
            (old.panned([-7.0, 60.0]), 93),
            (old.panned([100.0, 0.0]), 0),
            (old.panned([0.5, 0.0]), 0),
            (old.zoomed(2.0, [33.3, 40.0]), 50 * 31),
            (old.zoomed(0.5, [33.3, 40.0]), 50 * 30),
            (old.zoomed(0.5, [0.0, 0.0]), 50 * 31),
            (old.zoomed(1.25, [33.3, 40.0]), 0),
            (old.clone().with_rotation(10.0).unwrap(), 0),
        ] {
            let (was, is) = (old.grid(Lattice::FULL), new.grid(Lattice::FULL));
            let found = overlap(&old, &new);
            let count = found.map_or(0, |found| found.count());
            assert!(count >= shared && (shared > 0 || count == 0), "{count} shared, {shared} expected: {new:?}");
            let Some(found) = found else { continue };
            let ([old_columns, old_rows], [columns, rows]) = (found.old(), found.now());
            for (before, now) in old_rows.pixels().zip(rows.pixels()) {
                assert_eq!(was.im_y[before as usize], is.im_y[now as usize]);
            }
            for (before, now) in old_columns.pixels().zip(columns.pixels()) {
                assert_eq!(was.re_x[before as usize], is.re_x[now as usize]);
            }
        }
    }

    #[test]
    fn passes_and_known_pixels_cover_each_pixel_once() {
        let size = [53, 37];
        let old = viewport(size);
        let moves = [
            old.panned([7.0, -3.0]),
            old.panned([-20.0, 30.0]),
            old.zoomed(2.0, [10.0, 11.0]),
            old.zoomed(0.5, [10.0, 11.0]),
            old.zoomed(1.1, [0.0, 0.0]),
        ];
        for new in moves {
            let known = overlap(&old, &new).map(|overlap| overlap.lattice());
            let mut seen = vec![0u32; (size[0] * size[1]) as usize];
            let mut see = |lattice: Lattice| {
                let (columns, rows) = (lattice.columns(size[0]), lattice.rows(size[1]));
                for row in rows.pixels() {
                    for column in columns.pixels() {
                        seen[(row * size[0] + column) as usize] += 1;
                    }
                }
            };
            known.into_iter().for_each(&mut see);
            for (stride, coarser) in [(16, None), (4, Some(16)), (1, Some(4))] {
                lacking(size, stride, coarser, known).into_iter().for_each(&mut see);
            }
            assert!(seen.iter().all(|&times| times == 1), "{known:?}: {seen:?}");
        }
    }

    #[test]
    fn blocks_hold_what_is_missing_and_little_more() {
        let known = Lattice { first_row: 1, rows: 99, first_column: 0, columns: 200, ..Lattice::every(2) };
        let blocks = missing_blocks([200, 100], known, |i, j| (i, j) == (70, 21) || (i, j) == (100, 21));
        assert_eq!(blocks, [Lattice { rows: 32, first_column: 64, columns: 64, ..known }]);
    }
}
