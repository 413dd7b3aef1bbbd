//! Recently used buffers: one is used again when nobody else holds it any more.

use std::sync::Arc;

use super::GpuError;

/// Buffers kept: one on screen, one being filled, one to come.
const KEPT: usize = 3;

/// Some buffers of one kind, the last one taken at the end.
pub struct Pool<B>(Vec<Arc<B>>);

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<B> Pool<B> {
    /// A buffer of any content that nobody looks at: one that `fits`, or the one that `make` makes.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn take(
        &mut self,
        fits: impl Fn(&B) -> bool,
        make: impl FnOnce() -> Result<B, GpuError>,
    ) -> Result<Arc<B>, GpuError> {
        let free = self.0.iter().position(|buffer| Arc::strong_count(buffer) == 1 && fits(buffer));
        let buffer = match free {
            Some(index) => self.0.remove(index),
            None => Arc::new(make()?),
        };
        self.0.push(buffer.clone());
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fits_and_nobody_holds_is_used_again() {
        let mut pool = Pool::default();
        let mut made = 0;
        let mut take = |size: u32| {
            let make = || {
                made += 1;
                Ok((size, made))
            };
            pool.take(|&(own, _)| own == size, make).unwrap()
        };
        let held = take(7);
        assert_eq!(*take(7), (7, 2), "the first is held");
        assert_eq!(*take(8), (8, 3), "the second has another size");
        assert_eq!(*take(7), (7, 2));
        drop(held);
        assert_eq!(*take(7), (7, 1));
        (9..12).for_each(|size| drop(take(size)));
        assert_eq!(*take(7), (7, 7), "the others pushed it out");
    }
}
