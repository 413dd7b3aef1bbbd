//! Rectangles of a job, and the order in which they are worked.

/// A rectangle of samples: `x`, `y` is its top left sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Tile {
    /// The whole of a field of `size` samples.
    pub fn whole(size: [u32; 2]) -> Self {
        Self { x: 0, y: 0, width: size[0], height: size[1] }
    }

    /// All rows of some columns.
    pub fn columns(columns: std::ops::Range<u32>, height: u32) -> Self {
        Self { x: columns.start, y: 0, width: columns.end - columns.start, height }
    }

    /// Number of samples.
    pub fn area(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Cuts `size` samples into tiles of at most `side` × `side`, those nearest to `focus` first.
    pub fn outwards(size: [u32; 2], side: u32, focus: [f32; 2]) -> Vec<Self> {
        let mut tiles: Vec<Self> = (0..size[1])
            .step_by(side as usize)
            .flat_map(|y| (0..size[0]).step_by(side as usize).map(move |x| (x, y)))
            .map(|(x, y)| Self { x, y, width: side.min(size[0] - x), height: side.min(size[1] - y) })
            .collect();
        let distance = |t: &Self| {
            let dx = t.x as f32 + t.width as f32 / 2.0 - focus[0];
            let dy = t.y as f32 + t.height as f32 / 2.0 - focus[1];
            // Numbers that are not negative are in the order of their bits.
            (dx * dx + dy * dy).to_bits()
        };
        tiles.sort_by_cached_key(distance);
        tiles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_each_sample_once_from_the_focus_outwards() {
        for size in [[1, 1], [33, 65], [64, 64], [100, 7]] {
            let mut seen = vec![0; (size[0] * size[1]) as usize];
            for tile in Tile::outwards(size, 32, [0.0, 0.0]) {
                for y in tile.y..tile.y + tile.height {
                    for x in tile.x..tile.x + tile.width {
                        seen[(y * size[0] + x) as usize] += 1;
                    }
                }
            }
            assert!(seen.iter().all(|&n| n == 1), "{size:?}");
        }
        let first = Tile::outwards([96, 96], 32, [80.0, 10.0])[0];
        assert_eq!([first.x, first.y], [64, 0]);
    }
}
