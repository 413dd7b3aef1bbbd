//! Stepping back and forward through what was.

/// Past and future around a present that someone else holds.
#[derive(Clone, Debug)]
pub struct Timeline<T> {
    past: Vec<T>,
    future: Vec<T>,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self { past: Vec::new(), future: Vec::new() }
    }
}

impl<T> Timeline<T> {
    /// Steps remembered; old ones fall off.
    const MOST: usize = 500;

    /// Remembers `present` before it changes; what was undone is then gone.
    pub fn remember(&mut self, present: T) {
        self.future.clear();
        self.past.push(present);
        if self.past.len() > Self::MOST {
            self.past.remove(0);
        }
    }

    /// Gives the step before `present`, which can then be come back to.
    pub fn back(&mut self, present: T) -> Result<T, T> {
        Self::step(&mut self.past, &mut self.future, present)
    }

    /// Gives the step after `present`.
    pub fn forward(&mut self, present: T) -> Result<T, T> {
        Self::step(&mut self.future, &mut self.past, present)
    }

    fn step(from: &mut Vec<T>, to: &mut Vec<T>, present: T) -> Result<T, T> {
        match from.pop() {
            Some(other) => {
                to.push(present);
                Ok(other)
            }
            None => Err(present),
        }
    }

    pub fn has_past(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn has_future(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_steps_back_and_five_forward_return() {
        let mut timeline = Timeline::default();
        let mut present = 0;
        for next in 1..=5 {
            timeline.remember(present);
            present = next;
        }
        for expected in [4, 3, 2, 1, 0] {
            present = timeline.back(present).unwrap();
            assert_eq!(present, expected);
        }
        assert_eq!(timeline.back(present), Err(0));
        for expected in 1..=5 {
            present = timeline.forward(present).unwrap();
            assert_eq!(present, expected);
        }
        timeline.remember(present);
        assert!(!timeline.has_future());
    }
}
