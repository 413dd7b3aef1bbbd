//! How large tiles are where nobody says it.

use std::time::{Duration, Instant};

use super::session::{RemoteProgress, RemoteTask, Session};
use super::{RemoteError, Spec};
use crate::render::{Latest, Tile};

/// Sides that are chosen.
const SIDES: [u32; 2] = [256, 2048];
/// Tiles take at most this long, and a quarter of it where sides are rounded down most.
const SECONDS_OF_A_TILE: f64 = 1.5;
/// Tiles that each worker is to have, so that none of them waits long for the last.
const TILES_OF_A_WORKER: u64 = 4;
/// Trials grow until one takes so long. The first of them starts the renderers, and counts for nothing.
const TRIALS: [u32; 4] = [32, 32, 128, 512];
const LONG_ENOUGH: Duration = Duration::from_millis(200);

/// Pixels along a side so that a tile takes about a second, found by some small ones; the renderer is on the workers then.
///
/// # Errors
/// [`RemoteError`] of the session.
pub fn side(
    session: &mut Session,
    spec: &Spec,
    latest: &Latest,
    progress: &mut dyn FnMut(&RemoteProgress),
) -> Result<u32, RemoteError> {
    // Whoever listens hears of workers and warnings, but not of these tiles.
    let mut told = |now: &RemoteProgress| progress(&RemoteProgress { done: 0, total: 0, ..now.clone() });
    session.draw("", &[], latest, &mut |_, _| Ok(()), &mut told)?;
    let workers = session.seen().workers.max(1);
    let tiles_of = |side: u32| spec.cut(side).count();
    let mut seconds_of_a_pixel = 0.0;
    if enough_tiles(SIDES[1], &tiles_of, workers) == SIDES[0] {
        return Ok(SIDES[0]); // There is no choice.
    }
    for (n, trial) in TRIALS.into_iter().enumerate() {
        let Tile { width, height, .. } = spec.cut(trial).tile(0);
        let tiles = samples(spec.size(), [width, height]);
        let start = Instant::now();
        session.draw(spec.text(), &tiles.map(RemoteTask::Tile), latest, &mut |_, _| Ok(()), &mut told)?;
        let pixels: usize = tiles.iter().map(Tile::area).sum();
        let at_once = workers.min(tiles.len() as u64) as f64;
        seconds_of_a_pixel = start.elapsed().as_secs_f64() * at_once / pixels as f64;
        if n > 0 && start.elapsed() >= LONG_ENOUGH {
            break;
        }
    }
    Ok(enough_tiles(of_time(seconds_of_a_pixel), &tiles_of, workers))
}

/// Four tiles, in the middle of each quarter of the picture.
fn samples([width, height]: [u32; 2], [columns, rows]: [u32; 2]) -> [Tile; 4] {
    let place = |all: u32, own: u32, quarter: u32| (u64::from(all - own) * u64::from(quarter) / 4) as u32;
    [[1, 1], [3, 1], [1, 3], [3, 3]].map(|[x, y]| Tile {
        x: place(width, columns, x),
        y: place(height, rows, y),
        width: columns,
        height: rows,
    })
}

/// The largest side, a power of two, whose tiles take no longer than they should.
fn of_time(seconds_of_a_pixel: f64) -> u32 {
    let is_longer = |side: u32| f64::from(side).powi(2) * seconds_of_a_pixel > SECONDS_OF_A_TILE;
    let mut side = SIDES[1];
    while side > SIDES[0] && is_longer(side) {
        side /= 2;
    }
    side
}

/// That side, or one so small that there are tiles for all; `tiles` counts those of a side.
fn enough_tiles(mut side: u32, tiles: &dyn Fn(u32) -> usize, workers: u64) -> u32 {
    while side > SIDES[0] && (tiles(side) as u64) < TILES_OF_A_WORKER * workers {
        side /= 2;
    }
    side
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::cut::Cut;

    #[test]
    fn tiles_take_about_a_second_and_are_enough_for_all() {
        // (seconds of 1024 × 1024 pixels, size of the picture, workers, expected side, why)
        for (seconds, size, workers, expected, why) in [
            (0.0, [16384, 16384], 2, 2048, "the largest, where they take no time"),
            (0.4, [16384, 16384], 2, 1024, "2048 would take 1.6 s"),
            (1.0, [16384, 16384], 2, 1024, "the usual"),
            (4.0, [16384, 16384], 2, 512, "as heavy as that"),
            (1e6, [16384, 16384], 2, 256, "the smallest"),
            (0.0, [16384, 16384], 100, 512, "64 of 2048 are too few"),
            (0.0, [1000, 800], 4, 256, "a small picture"),
        ] {
            let side =
                enough_tiles(of_time(seconds / f64::from(1 << 20)), &|side| Cut::of(size, [side; 2]).count(), workers);
            assert_eq!(side, expected, "{why}");
        }
    }

    #[test]
    fn trials_lie_within_the_picture() {
        for size in [[1, 1], [31, 700], [4096, 40], [1 << 20, 1 << 20]] {
            for side in TRIALS {
                for Tile { x, y, width, height } in samples(size, size.map(|pixels| side.min(pixels))) {
                    assert!(x + width <= size[0] && y + height <= size[1] && width * height > 0, "{size:?} {side}");
                }
            }
        }
    }
}
