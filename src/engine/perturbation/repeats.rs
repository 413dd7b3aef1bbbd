//! States of an orbit. One that is met again, bit for bit, proves that the orbit never escapes.

/// A state that is held, to be met again.
#[derive(Clone, Copy, Debug)]
pub struct Repeats<T> {
    held: Option<T>,
    /// States seen since one was held, and how many before the next is held.
    seen: u32,
    patience: u32,
}

impl<T> Default for Repeats<T> {
    fn default() -> Self {
        Self { held: None, seen: 0, patience: 0 }
    }
}

impl<T: Copy + PartialEq> Repeats<T> {
    /// Whether a state was held before.
    pub fn repeat(&mut self, state: T) -> bool {
        if self.held == Some(state) {
            return true;
        }
        self.seen += 1;
        if self.seen > self.patience {
            *self = Self { held: Some(state), seen: 0, patience: 2 * self.patience + 1 };
        }
        false
    }
}
