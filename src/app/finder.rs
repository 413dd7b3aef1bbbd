//! Looking for landmarks beside the exploring: one thread, one search at a time.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use super::landmark::{Found, Landmark};
use super::pass::Wake;
use crate::fractal::locate::{MOST_STEPS, NotFound, Progress, Watch};
use crate::render::{Latest, Newest, Viewport};

/// What is looked for, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub landmark: Landmark,
    pub viewport: Viewport,
    /// A place of the view that is meant, in pixels; else the view is.
    pub at_px: Option<[f64; 2]>,
}

/// Runs searches on a thread of their own.
pub struct Finder {
    wake: Wake,
    running: Option<Running>,
}

struct Running {
    newest: Newest,
    news: Receiver<News>,
    progress: Progress,
}

enum News {
    Progress(Progress),
    Ended(Result<Found, NotFound>),
}

impl Finder {
    pub fn new(wake: Wake) -> Self {
        Self { wake, running: None }
    }

    /// Starts a search in place of the one that is running.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(&mut self, search: Search) -> std::io::Result<()> {
        self.cancel();
        let newest = Newest::default();
        let latest = newest.next();
        let (sender, news) = channel();
        let wake = self.wake.clone();
        std::thread::Builder::new().name("finder".into()).spawn(move || run(&search, &latest, &sender, &wake))?;
        self.running = Some(Running { newest, news, progress: Progress::Searching { steps: 0 } });
        Ok(())
    }

    /// Gives up the search; nothing comes of it any more.
    pub fn cancel(&mut self) {
        if let Some(running) = self.running.take() {
            running.newest.cancel();
        }
    }

    /// How far the search is, while one is running.
    pub fn progress(&self) -> Option<Progress> {
        self.running.as_ref().map(|running| running.progress)
    }

    /// What became of the search, once.
    pub fn outcome(&mut self) -> Option<Result<Found, NotFound>> {
        let running = self.running.as_mut()?;
        let outcome = loop {
            match running.news.try_recv() {
                Ok(News::Progress(progress)) => running.progress = progress,
                Ok(News::Ended(outcome)) => break outcome,
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => break Err(NotFound::Cancelled),
            }
        };
        self.running = None;
        Some(outcome)
    }
}

impl Drop for Finder {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn run(search: &Search, latest: &Latest, news: &Sender<News>, wake: &Wake) {
    let tell = |progress| {
        // Nobody listens any more: the next step will be told so.
        let _ = news.send(News::Progress(progress));
        wake();
    };
    let watch = Watch { goes_on: &|| !latest.is_stale(), tell: &tell };
    let found = search.landmark.find(&search.viewport, search.at_px, MOST_STEPS, watch);
    let _ = news.send(News::Ended(found));
    wake();
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::math::BigComplex;

    fn search(re: &str, im: &str, height: &str) -> Search {
        let center = BigComplex::new(re.parse().unwrap(), im.parse().unwrap());
        let viewport = Viewport::new(center, height.parse().unwrap(), [160, 90]).unwrap();
        Search { landmark: Landmark::Minibrot, viewport, at_px: None }
    }

    fn wait(finder: &mut Finder) -> Result<Found, NotFound> {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            assert!(Instant::now() < deadline, "no end");
            match finder.outcome() {
                Some(outcome) => return outcome,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    #[test]
    fn the_newest_search_is_the_one_that_ends() {
        let mut finder = Finder::new(Arc::new(|| {}));
        assert!(finder.progress().is_none() && finder.outcome().is_none());
        // One of hours, given up for one of moments.
        finder.start(search("-2", "0", "1e-60000")).unwrap();
        assert!(finder.progress().is_some());
        let start = Instant::now();
        finder.start(search("-1.76", "0", "0.1")).unwrap();
        let Ok(Found::Minibrot(nucleus)) = wait(&mut finder) else { panic!("nothing found") };
        assert_eq!(nucleus.period, 3);
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(finder.progress().is_none() && finder.outcome().is_none(), "it is told once");
    }

    #[test]
    fn progress_is_told_and_cancelled_searches_say_nothing() {
        let told = Arc::new(AtomicBool::new(false));
        let woken = told.clone();
        let mut finder = Finder::new(Arc::new(move || woken.store(true, Ordering::SeqCst)));
        finder.start(search("-2", "0", "1e-10000")).unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while finder.progress() == Some(Progress::Searching { steps: 0 }) {
            assert!(Instant::now() < deadline && finder.outcome().is_none());
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(told.load(Ordering::SeqCst));
        finder.cancel();
        assert!(finder.progress().is_none() && finder.outcome().is_none());
    }
}
