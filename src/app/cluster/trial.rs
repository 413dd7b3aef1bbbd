//! Asking a cluster who is there, beside the exploring: one thread, one cluster at a time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::{Cluster, Seen, Site};
use crate::app::pass::Wake;
use crate::render::Newest;

/// A cluster that is being asked, or was. Dropping it ends the question.
pub struct Trial {
    site: Site,
    newest: Newest,
    answer: Receiver<Result<Seen, String>>,
    result: Option<Result<Seen, String>>,
}

impl Trial {
    /// Asks who is there.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(cluster: Arc<dyn Cluster>, site: Site, wake: Wake) -> std::io::Result<Self> {
        let newest = Newest::default();
        let latest = newest.next();
        let (sender, answer) = channel();
        let asked = site.clone();
        std::thread::Builder::new().name("cluster".into()).spawn(move || {
            // Nobody may want to know any more.
            let _ = sender.send(cluster.look(&asked, &latest));
            wake();
        })?;
        Ok(Self { site, newest, answer, result: None })
    }

    /// Who is asked.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The answer, once it has come.
    pub fn result(&self) -> Option<&Result<Seen, String>> {
        self.result.as_ref()
    }

    /// Takes the answer; true where it came just now.
    pub fn hear(&mut self) -> bool {
        if self.result.is_some() {
            return false;
        }
        self.result = match self.answer.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("the thread that asked ended early".into())),
        };
        self.result.is_some()
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        self.newest.cancel();
    }
}
