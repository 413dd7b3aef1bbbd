//! Animations drawn by a cluster: workers draw whole frames, this program writes their files.

use super::frame;
use super::remote::{Remote, RemoteError};
use super::session::{FailedTask, RemoteProgress, RemoteTask, Session};
use crate::app::animation::{Recorded, Recording};
use crate::render::Latest;

impl Remote {
    /// Draws the frames that a recording lacks, and makes its film: the files that one machine writes, byte for byte.
    ///
    /// Once `latest` is stale this ends within a second, and leaves no work behind.
    ///
    /// # Errors
    /// [`RemoteError`]; all frames that are there are whole then.
    pub fn record(
        &self,
        recording: Recording,
        latest: &Latest,
        progress: &mut dyn FnMut(&RemoteProgress),
    ) -> Result<Recorded, RemoteError> {
        let missing = recording.missing();
        let drawn = missing.len() as u32;
        if drawn > 0 {
            let failed = self.frames(&recording, &missing, latest, progress).map_err(|error| match error {
                RemoteError::Export(error) if error.is_cancelled() => recording.interrupted().into(),
                error => error,
            })?;
            if !failed.is_empty() {
                return Err(RemoteError::MissingFrames { failed, folder: recording.folder().into() });
            }
        }
        Ok(recording.finish(drawn, latest)?)
    }

    fn frames(
        &self,
        recording: &Recording,
        missing: &[u32],
        latest: &Latest,
        progress: &mut dyn FnMut(&RemoteProgress),
    ) -> Result<Vec<FailedTask>, RemoteError> {
        let tasks: Vec<_> = missing.iter().map(|frame| RemoteTask::Frame(*frame)).collect();
        let mut on_reply = |n: usize, reply: Vec<u8>| Ok(recording.put(missing[n], frame::from_reply(&reply)?)?);
        Session::connect(self, latest)?.draw(recording.text(), &tasks, latest, &mut on_reply, progress)
    }
}
