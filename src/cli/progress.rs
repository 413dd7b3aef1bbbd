//! Progress on stderr, where that is a terminal: a bar, or a line where nobody knows how far it is.

use std::cell::RefCell;

use cardioid::app::export::Progress;
use cardioid::cluster::RemoteProgress;
use cardioid::render::{Preparation, Sample, Sink, Tile};
use indicatif::{ProgressBar, ProgressStyle};

use super::say;

/// A bar that shows how far an export has come, and goes away when dropped.
pub struct Bar {
    bar: ProgressBar,
    message: String,
}

impl Bar {
    /// A bar of so many steps, with something to say beside it. indicatif draws nothing where stderr is no terminal.
    pub fn new(steps: u64, message: String) -> Self {
        let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {eta} left  {msg}");
        let bar = ProgressBar::new(steps).with_message(message.clone());
        Self { bar: bar.with_style(style.expect("the template is well formed")), message }
    }

    pub fn show(&self, progress: Progress) {
        self.bar.set_position(progress.samples_done);
        match progress.preparing {
            Some(preparation) => self.preparing(preparation),
            None if self.bar.message() != self.message => self.bar.set_message(self.message.clone()),
            None => {}
        }
    }
}

/// Where nothing is drawn yet, it says what is prepared.
impl Sink for Bar {
    fn put(&self, _: Tile, _: &[Sample]) {}

    fn preparing(&self, preparation: Preparation) {
        self.bar.set_message(preparation.to_string());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of the tiles that a cluster draws: how fast they come, how long it will take, and who draws them.
///
/// The dashboard's address is said once, wherever stderr leads.
pub struct TileBar {
    bar: ProgressBar,
    dashboard: RefCell<Option<String>>,
}

impl TileBar {
    pub fn new() -> Self {
        Self::of("tiles")
    }

    /// A bar of other tasks than tiles.
    pub fn of(tasks: &str) -> Self {
        let template = format!("{{bar:40}} {{pos}}/{{len}} {tasks}  {{per_sec}}  {{eta}} left  {{msg}}");
        let style = ProgressStyle::with_template(&template).expect("the template is well formed");
        Self { bar: ProgressBar::new(0).with_style(style), dashboard: RefCell::default() }
    }

    pub fn show(&self, progress: &RemoteProgress) {
        let mut dashboard = self.dashboard.borrow_mut();
        if *dashboard != progress.dashboard
            && let Some(address) = &progress.dashboard
        {
            self.bar.suspend(|| say(format_args!("cardioid: the cluster's dashboard is at {address}")));
            dashboard.clone_from(&progress.dashboard);
        }
        if let Some(warning) = &progress.warning {
            self.bar.suspend(|| say(format_args!("cardioid: {warning}")));
        }
        self.bar.set_length(progress.total);
        self.bar.set_position(progress.done);
        self.bar.set_message(match progress.workers {
            0 => "waiting for workers".into(),
            1 => "1 worker".into(),
            workers => format!("{workers} workers"),
        });
    }
}

impl Drop for TileBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line that says what is being done, and goes away when dropped.
pub struct Spinner(ProgressBar);

impl Spinner {
    /// indicatif draws nothing where stderr is no terminal.
    pub fn new() -> Self {
        Self(ProgressBar::new_spinner())
    }

    pub fn say(&self, progress: impl std::fmt::Display) {
        self.0.set_message(progress.to_string());
        self.0.tick();
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
