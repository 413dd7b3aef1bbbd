//! Clouds: the points of a scene, computed once for all cameras.
//!
//! Orbits come in numbered blocks, and any number of the first blocks is an even sample of the scene. So a cloud only
//! grows: one that was made for a picture at rest holds that of a picture in motion as its first part.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;

use super::orbits::{CloudPoint, Orbits};
use crate::render::{Latest, RenderError, Scene, Space};

/// Orbits that are computed at once.
const BLOCK: u32 = 16;
/// Blocks for each thread before a look at how many points there are.
const BLOCKS_PER_THREAD: u32 = 16;

/// The points of one kind of orbits.
struct Layer {
    orbits: Orbits,
    points: Vec<CloudPoint>,
    /// Number of points after each block.
    ends: Vec<u32>,
    steps: u64,
}

/// Some points of a layer: those of its first orbits.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub points: &'a [CloudPoint],
    pub kind: Orbits,
    /// How many orbits.
    pub orbits: u32,
}

/// What a block adds.
struct Block {
    points: Vec<CloudPoint>,
    steps: u64,
}

impl Block {
    #[inline(always)]
    fn new(orbits: Orbits, numbers: Range<u32>) -> Self {
        let mut block = Self { points: Vec::new(), steps: 0 };
        for i in numbers {
            block.steps += u64::from(orbits.add(i, &mut block.points));
        }
        block
    }
}

impl Layer {
    fn new(orbits: Orbits) -> Self {
        Self { orbits, points: Vec::new(), ends: Vec::new(), steps: 0 }
    }

    /// The whole blocks within a budget of points. Orbits are no more than that, either, for they take time even
    /// where they leave no points.
    fn within(&self, budget: u32) -> Part<'_> {
        let blocks = self.ends.partition_point(|&end| end <= budget).min(most_blocks(budget) as usize);
        let points = blocks.checked_sub(1).map_or(0, |last| self.ends[last]) as usize;
        Part { points: &self.points[..points], kind: self.orbits, orbits: blocks as u32 * BLOCK }
    }

    fn is_enough(&self, budget: u32) -> bool {
        self.blocks() >= most_blocks(budget) || self.ends.last().is_some_and(|&end| end > budget)
    }

    fn blocks(&self) -> u32 {
        self.ends.len() as u32
    }

    fn push(&mut self, block: Block) {
        self.points.extend(block.points);
        self.ends.push(self.points.len() as u32);
        self.steps += block.steps;
    }

    /// Grows until there is more than the budget, block by block.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale; what is there stays valid.
    fn grow(&mut self, budget: u32, latest: &Latest) -> Result<(), RenderError> {
        while !self.is_enough(budget) {
            let block = self.block(self.blocks(), latest)?;
            self.push(block);
        }
        Ok(())
    }

    /// The same on the threads of the pool that this is called in.
    fn grow_parallel(&mut self, budget: u32, latest: &Latest) -> Result<(), RenderError> {
        while !self.is_enough(budget) {
            let first = self.blocks();
            let batch = BLOCKS_PER_THREAD * rayon::current_num_threads() as u32;
            let numbers = first..(first + batch).min(most_blocks(budget));
            let blocks = numbers.into_par_iter().map(|number| self.block(number, latest));
            for block in blocks.collect::<Result<Vec<_>, _>>()? {
                self.push(block);
            }
        }
        Ok(())
    }

    fn block(&self, number: u32, latest: &Latest) -> Result<Block, RenderError> {
        if latest.is_stale() {
            return Err(RenderError::Cancelled);
        }
        let numbers = number * BLOCK..(number + 1) * BLOCK;
        // With this processor's fused multiply-add, which would else be a call.
        Ok(dispatch!(Level::new(), simd => simd.vectorize(#[inline(always)] || Block::new(self.orbits, numbers))))
    }
}

fn most_blocks(budget: u32) -> u32 {
    budget / BLOCK
}

/// The points of a scene: kept from job to job, so that another camera costs no orbits.
#[derive(Default)]
pub struct Cloud {
    layers: Vec<Layer>,
}

impl Cloud {
    /// Grows to what the task asks for, and drops what it has no use for; gives the steps of orbits that this took.
    ///
    /// # Errors
    /// [`RenderError::Cancelled`] soon after the job is stale; what is there stays valid.
    pub fn grow(&mut self, task: &Space, by: Workers, latest: &Latest) -> Result<u64, RenderError> {
        let kinds = kinds(task);
        self.layers.retain(|layer| kinds.contains(&layer.orbits));
        let mut steps = 0;
        for kind in kinds {
            let layer = self.layer(kind);
            let before = layer.steps;
            match by {
                Workers::One => layer.grow(budget(task), latest)?,
                Workers::Pool => layer.grow_parallel(budget(task), latest)?,
            }
            steps += layer.steps - before;
        }
        Ok(steps)
    }

    /// What the task asks for, layer by layer.
    pub fn parts(&self, task: &Space) -> Vec<Part<'_>> {
        self.layers.iter().map(|layer| layer.within(budget(task))).collect()
    }

    fn layer(&mut self, kind: Orbits) -> &mut Layer {
        let place = self.layers.iter().position(|layer| layer.orbits == kind);
        let place = place.unwrap_or_else(|| {
            self.layers.push(Layer::new(kind));
            self.layers.len() - 1
        });
        &mut self.layers[place]
    }
}

/// Who computes.
#[derive(Clone, Copy, Debug)]
pub enum Workers {
    /// This thread.
    One,
    /// The pool that this is called in.
    Pool,
}

/// The layers of a scene.
fn kinds(task: &Space) -> Vec<Orbits> {
    match task.scene {
        Scene::Section { s } if task.ghost => vec![Orbits::Section { s }, Orbits::Slice],
        Scene::Section { s } => vec![Orbits::Section { s }],
        Scene::Set => vec![Orbits::Set, Orbits::Slice],
    }
}

/// Most points of each layer.
fn budget(task: &Space) -> u32 {
    task.points / kinds(task).len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_for_more_points_holds_what_fewer_ask_for() {
        let latest = Latest::forever();
        for kind in [Orbits::Section { s: 0.0 }, Orbits::Section { s: 0.6 }, Orbits::Set, Orbits::Slice] {
            let (mut grown, mut small) = (Layer::new(kind), Layer::new(kind));
            grown.grow(40_000, &latest).unwrap();
            small.grow(9_000, &latest).unwrap();
            let (part, expected) = (grown.within(9_000), small.within(9_000));
            assert!(part.points == expected.points && part.orbits == expected.orbits, "{kind:?}");
            assert!(part.points.len() <= 9_000 && part.orbits <= 9_000 && part.orbits > 0, "{kind:?}");
            small.grow(40_000, &latest).unwrap();
            assert!(small.within(40_000).points == grown.within(40_000).points, "{kind:?}: grown in two steps");
        }
    }

    #[test]
    fn scenes_without_points_come_to_an_end() {
        let mut empty = Layer::new(Orbits::Section { s: 2.0 });
        empty.grow(5_000, &Latest::forever()).unwrap();
        assert!(empty.within(5_000).points.len() < 10 && empty.within(5_000).orbits == 4_992);
    }
}
