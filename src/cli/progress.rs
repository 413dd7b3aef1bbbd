//! The progress bar: on stderr, where that is a terminal.

use cardioid::app::export::{Estimate, Progress};
use indicatif::{ProgressBar, ProgressStyle};

/// A bar that shows how far an export has come, and goes away when dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// indicatif draws nothing where stderr is no terminal.
    pub fn new(estimate: &Estimate) -> Self {
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {eta} left  {msg}");
        let bar = ProgressBar::new(estimate.samples).with_message(estimate.label());
        Self(bar.with_style(style.expect("the template is well formed")))
    }

    pub fn show(&self, progress: Progress) {
        self.0.set_position(progress.samples_done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
