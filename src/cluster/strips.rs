//! Tiles that come in any order, and the rows that they make.

use std::collections::BTreeMap;

use super::tile::{RGB8, TileError};
use crate::render::Tile;

/// A picture cut into square tiles, of which some are there. Strips are as high as a tile and as wide as the picture.
#[derive(Debug)]
pub struct Strips {
    size: [u32; 2],
    side: u32,
    /// The strips that are begun, by their first row.
    open: BTreeMap<u32, Strip>,
    /// First row that was not given away.
    next: u32,
}

#[derive(Debug)]
struct Strip {
    pixels: Vec<u8>,
    /// Whether the tiles are there, from the left.
    has: Vec<bool>,
}

impl Strips {
    /// Of a picture of `size` pixels and tiles of `side`.
    pub fn of(size: [u32; 2], side: u32) -> Self {
        Self { size, side, open: BTreeMap::new(), next: 0 }
    }

    /// All tiles, from the top down.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> {
        let (size, side) = (self.size, self.side as usize);
        let rows = (0..size[1]).step_by(side);
        rows.flat_map(move |y| (0..size[0]).step_by(side).map(move |x| (x, y))).map(|(x, y)| self.tile_at(x, y))
    }

    /// Takes a tile, and gives away the pixels of the strips that are whole, in the order of their rows.
    ///
    /// # Errors
    /// [`TileError::Another`] for tiles that are none of this picture or came before.
    pub fn put(&mut self, tile: Tile, pixels: &[u8]) -> Result<Vec<Vec<u8>>, TileError> {
        let ([width, height], side, bytes) = (self.size, self.side, RGB8 as usize);
        let corner = |place: u32, all: u32| (place - place % side).min(all - 1);
        let wanted = self.tile_at(corner(tile.x, width), corner(tile.y, height));
        let strip = self.open.entry(wanted.y).or_insert_with(|| Strip {
            pixels: vec![0; width as usize * wanted.height as usize * bytes],
            has: vec![false; width.div_ceil(side) as usize],
        });
        let column = (wanted.x / side) as usize;
        if tile != wanted || pixels.len() != tile.area() * bytes || wanted.y < self.next || strip.has[column] {
            return Err(TileError::Another { wanted, found: tile });
        }
        strip.has[column] = true;
        let rows = strip.pixels.chunks_exact_mut(width as usize * bytes);
        for (row, from) in rows.zip(pixels.chunks_exact(tile.width as usize * bytes)) {
            row[tile.x as usize * bytes..][..from.len()].copy_from_slice(from);
        }
        Ok(std::iter::from_fn(|| self.whole_strip()).collect())
    }

    /// The next strip, if all of it is there.
    fn whole_strip(&mut self) -> Option<Vec<u8>> {
        let strip = self.open.first_entry().filter(|strip| *strip.key() == self.next)?;
        if strip.get().has.contains(&false) {
            return None;
        }
        let pixels = strip.remove().pixels;
        self.next = (self.next + self.side).min(self.size[1]);
        Some(pixels)
    }

    fn tile_at(&self, x: u32, y: u32) -> Tile {
        let [width, height] = self.size;
        Tile { x, y, width: self.side.min(width - x), height: self.side.min(height - y) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels that say where they are.
    fn pixels(tile: Tile) -> Vec<u8> {
        let place = |k: usize| [tile.x as usize + k % tile.width as usize, tile.y as usize + k / tile.width as usize];
        (0..tile.area()).map(place).flat_map(|[x, y]| [x as u8, y as u8, 7]).collect()
    }

    #[test]
    fn tiles_in_any_order_make_the_same_rows() {
        let size = [23, 17];
        let whole = pixels(Tile::whole(size));
        for side in [1, 5, 8, 17, 64] {
            for turn in 0..3 {
                let mut strips = Strips::of(size, side);
                let mut tiles: Vec<_> = strips.tiles().collect();
                match turn {
                    0 => {}
                    1 => tiles.reverse(),
                    _ => tiles.sort_by_key(|tile| (tile.x * 7919 + tile.y * 104_729) % 1009),
                }
                let mut rows = Vec::new();
                for tile in tiles {
                    rows.extend(strips.put(tile, &pixels(tile)).unwrap().concat());
                }
                assert!(rows == whole, "side {side}, turn {turn}");
            }
        }
    }

    #[test]
    fn tiles_of_other_pictures_are_refused() {
        let first = Tile { x: 0, y: 0, width: 8, height: 8 };
        let mut strips = Strips::of([20, 20], 8);
        strips.put(first, &pixels(first)).unwrap();
        for [x, y, width, height] in
            [[0, 0, 8, 8], [8, 0, 7, 8], [9, 0, 8, 8], [16, 16, 8, 8], [24, 0, 8, 8], [u32::MAX, u32::MAX, 8, 8]]
        {
            let tile = Tile { x, y, width, height };
            assert!(strips.put(tile, &[0; 8 * 8 * 3]).is_err(), "{tile:?}");
        }
        let short = Tile { x: 8, ..first };
        assert!(strips.put(short, &[0; 5]).is_err());
        strips.put(short, &pixels(short)).unwrap();
    }
}
