//! Only the newest job matters: how engines learn that theirs no longer is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the newest job; whoever raises it abandons all older ones.
#[derive(Clone, Debug, Default)]
pub struct Newest(Arc<AtomicU64>);

impl Newest {
    /// Makes all running jobs stale and returns the mark for the next one.
    pub fn next(&self) -> Latest {
        let id = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        Latest { newest: self.0.clone(), id }
    }

    /// Makes all running jobs stale.
    pub fn cancel(&self) {
        self.next();
    }
}

/// One job's mark: engines ask [`Latest::is_stale`] between tiles and slices, and stop.
#[derive(Clone, Debug)]
pub struct Latest {
    newest: Arc<AtomicU64>,
    id: u64,
}

impl Latest {
    /// A mark that nothing makes stale, for work that always runs to its end.
    pub fn forever() -> Self {
        Newest::default().next()
    }

    pub fn is_stale(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.id
    }
}
