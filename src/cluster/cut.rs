//! A picture cut into tiles of one size.

use std::ops::Range;

use crate::render::Tile;

/// Tiles are numbered from 0 on: from the top down, and from the left in each strip. Strips are as high as a tile and as
/// wide as the picture; tiles at the right and below may be smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    size: [u32; 2],
    /// Width and height of a tile.
    tile: [u32; 2],
}

impl Cut {
    /// Of a picture of `size` pixels into tiles of a width and height.
    pub fn of(size: [u32; 2], tile: [u32; 2]) -> Self {
        Self { size, tile }
    }

    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Number of tiles.
    pub fn count(&self) -> usize {
        self.columns() * self.strips()
    }

    pub fn strips(&self) -> usize {
        self.size[1].div_ceil(self.tile[1]) as usize
    }

    /// The numbers of the tiles of a strip.
    pub fn strip(&self, strip: usize) -> Range<usize> {
        strip * self.columns()..(strip + 1) * self.columns()
    }

    pub fn tile(&self, number: usize) -> Tile {
        let ([width, height], [tile_width, tile_height]) = (self.size, self.tile);
        let x = (number % self.columns()) as u32 * tile_width;
        let y = (number / self.columns()) as u32 * tile_height;
        Tile { x, y, width: tile_width.min(width - x), height: tile_height.min(height - y) }
    }

    /// The number of a tile, if it is one of these.
    pub fn number(&self, tile: Tile) -> Option<usize> {
        let is_within = tile.x < self.size[0] && tile.y < self.size[1];
        let number = (tile.y / self.tile[1]) as usize * self.columns() + (tile.x / self.tile[0]) as usize;
        (is_within && self.tile(number) == tile).then_some(number)
    }

    fn columns(&self) -> usize {
        self.size[0].div_ceil(self.tile[0]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_each_pixel_once_and_know_their_number() {
        for (size, tile) in [
            ([23, 17], [5, 5]),
            ([23, 17], [1, 1]),
            ([8, 8], [8, 8]),
            ([8, 8], [64, 64]),
            ([1, 9], [4, 4]),
            ([23, 17], [3, 17]),
        ] {
            let cut = Cut::of(size, tile);
            let mut covered = vec![0; (size[0] * size[1]) as usize];
            for number in 0..cut.count() {
                let tile = cut.tile(number);
                assert_eq!(cut.number(tile), Some(number));
                for y in tile.y..tile.y + tile.height {
                    for x in tile.x..tile.x + tile.width {
                        covered[(y * size[0] + x) as usize] += 1;
                    }
                }
            }
            assert!(covered.iter().all(|count| *count == 1), "{size:?} {tile:?}");
            let strips: Vec<_> = (0..cut.strips()).flat_map(|strip| cut.strip(strip)).collect();
            assert_eq!(strips, (0..cut.count()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn tiles_of_other_pictures_have_no_number() {
        let cut = Cut::of([20, 20], [8, 8]);
        for [x, y, width, height] in
            [[8, 0, 7, 8], [9, 0, 8, 8], [16, 16, 8, 8], [24, 0, 8, 8], [0, 24, 8, 8], [u32::MAX, u32::MAX, 8, 8]]
        {
            let tile = Tile { x, y, width, height };
            assert_eq!(cut.number(tile), None, "{tile:?}");
        }
    }
}
