//! Points onto pixels on all cores: first every thread sorts some points by the strip of rows that they fall on, then every
//! thread adds up some strips. No pixel is anyone else's, and a strip stays in a processor's cache.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;

use super::orbits::CloudPoint;
use super::splat::{Lens, Splat};
use crate::render::{Exposure, Latest, RenderError};

/// Rows of a strip.
const STRIP: usize = 16;
/// Points that a thread sorts at once.
const CHUNK: usize = 4096;
/// Points sorted before they are added up: these take 10 MB.
const BATCH: usize = 1 << 19;

/// Adds the light of the points.
///
/// # Errors
/// [`RenderError::Cancelled`] soon after the job is stale.
pub fn parallel(
    level: Level,
    lens: &Lens,
    points: &[CloudPoint],
    exposure: &mut Exposure,
    latest: &Latest,
) -> Result<(), RenderError> {
    let width = exposure.size[0] as usize;
    let strips = (exposure.size[1] as usize).div_ceil(STRIP);
    for (batch, points) in points.chunks(BATCH).enumerate() {
        if latest.is_stale() {
            return Err(RenderError::Cancelled);
        }
        let chunks = points.par_chunks(CHUNK).enumerate();
        let sorted: Vec<Sorted> = chunks
            .map(|(chunk, points)| {
                let first = (batch * BATCH + chunk * CHUNK) as u32;
                dispatch!(level, simd => simd.vectorize(#[inline(always)] || Sorted::new(lens, first, points, strips)))
            })
            .collect();
        exposure.light.par_chunks_mut(STRIP * width).enumerate().for_each(|(strip, rows)| {
            dispatch!(level, simd => simd.vectorize(
                #[inline(always)]
                || for splat in sorted.iter().flat_map(|chunk| chunk.of(strip)) {
                    splat.add(lens, rows, width, (strip * STRIP) as i64);
                }
            ));
        });
    }
    Ok(())
}

/// Splats in the order of their strips; one that falls on two is there twice.
struct Sorted {
    splats: Vec<Splat>,
    /// Where each strip begins, and the end of the last.
    begins: Vec<u32>,
}

impl Sorted {
    #[inline(always)]
    fn new(lens: &Lens, first: u32, points: &[CloudPoint], strips: usize) -> Self {
        let mut unsorted = [Splat::default(); CHUNK];
        for (i, (splat, point)) in unsorted.iter_mut().zip(points).enumerate() {
            *splat = lens.splat(first + i as u32, point);
        }
        let seen = || unsorted[..points.len()].iter().filter(|splat| splat.amount > 0);
        let mut begins = vec![0; strips + 1];
        for splat in seen() {
            strips_of(splat, strips).for_each(|strip| begins[strip + 1] += 1);
        }
        let mut total = 0;
        for begin in &mut begins {
            total += *begin;
            *begin = total;
        }
        let mut splats = vec![Splat::default(); total as usize];
        let mut next = begins.clone();
        for splat in seen() {
            for strip in strips_of(splat, strips) {
                splats[next[strip] as usize] = *splat;
                next[strip] += 1;
            }
        }
        Self { splats, begins }
    }

    fn of(&self, strip: usize) -> &[Splat] {
        &self.splats[self.begins[strip] as usize..self.begins[strip + 1] as usize]
    }
}

/// The strips of its two rows.
#[inline(always)]
fn strips_of(splat: &Splat, strips: usize) -> std::ops::Range<usize> {
    let row = splat.row();
    let first = row.max(0) as usize / STRIP;
    first..((row + 1) as usize / STRIP + 1).min(strips)
}
