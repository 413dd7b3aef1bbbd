//! The progress bar: on stderr, where that is a terminal.

use cardioid::app::export::Progress;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar that shows how far an export has come, and goes away when dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar of so many steps, with something to say beside it. indicatif draws nothing where stderr is no terminal.
    pub fn new(steps: u64, message: String) -> Self {
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {eta} left  {msg}");
        let bar = ProgressBar::new(steps).with_message(message);
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
