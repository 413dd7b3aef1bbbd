//! A picture that a cluster draws: how far it is, and how fast.

use std::time::Instant;

use super::{Address, ClusterProgress};

/// The newest news of a picture, and since when tiles come.
#[derive(Clone, Debug)]
pub struct ClusterWork {
    pub address: Address,
    /// What its tiles are called, where they are frames.
    pub units: &'static str,
    /// With the newest warning.
    pub progress: ClusterProgress,
    /// When the first tiles had come and how many those were: what was before is no measure of the cluster.
    first: Option<(Instant, u64)>,
    /// When the newest came.
    newest: Instant,
}

impl ClusterWork {
    pub fn new(address: Address, units: &'static str, now: Instant) -> Self {
        Self { address, units, progress: ClusterProgress::default(), first: None, newest: now }
    }

    /// Takes news that came at `now`.
    pub fn hear(&mut self, progress: ClusterProgress, now: Instant) {
        if progress.done > self.progress.done {
            self.newest = now;
            self.first.get_or_insert((now, progress.done));
        }
        // What was told once stays true.
        let warning = progress.warning.or_else(|| self.progress.warning.take());
        self.progress = ClusterProgress { warning, ..progress };
    }

    /// Tiles in a second, all workers together; from the second news on.
    pub fn tiles_a_second(&self) -> Option<f64> {
        let (since, before) = self.first?;
        let seconds = self.newest.duration_since(since).as_secs_f64();
        let tiles = self.progress.done - before;
        (tiles > 0 && seconds > 0.0).then(|| tiles as f64 / seconds)
    }

    /// How long a worker takes for a tile, its way here included.
    pub fn seconds_a_tile(&self) -> Option<f64> {
        self.tiles_a_second().map(|rate| self.progress.workers.max(1) as f64 / rate)
    }

    /// Estimate of the seconds until the last tile comes.
    pub fn seconds_left(&self) -> Option<f64> {
        let left = self.progress.total.saturating_sub(self.progress.done);
        self.tiles_a_second().map(|rate| left as f64 / rate)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rates_are_of_the_tiles_that_came_after_the_first() {
        let start = Instant::now();
        let mut work = ClusterWork::new("local".parse().unwrap(), "tiles", start);
        let mut hear = |seconds: f64, done| {
            let progress = ClusterProgress { done, total: 50, workers: 4, ..ClusterProgress::default() };
            work.hear(progress, start + Duration::from_secs_f64(seconds));
            (work.tiles_a_second(), work.seconds_a_tile(), work.seconds_left())
        };
        // A long start, and ten tiles that were there from before.
        assert_eq!(hear(20.0, 0), (None, None, None));
        assert_eq!(hear(30.0, 10), (None, None, None));
        assert_eq!(hear(32.0, 30), (Some(10.0), Some(0.4), Some(2.0)));
        // News without a tile change no rate.
        assert_eq!(hear(60.0, 30), (Some(10.0), Some(0.4), Some(2.0)));
        assert_eq!(hear(34.0, 50), (Some(10.0), Some(0.4), Some(0.0)));
    }
}
