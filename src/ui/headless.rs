//! A script on a screen that nobody sees: everything that the window does but paint, sixty frames a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Context, RawInput, Rect, Vec2, pos2};

use super::desk::Desk;
use super::theme;
use crate::app::script::{Driver, Due, Sight};
use crate::app::{Command, Effect, Explorer, State};
use crate::cluster::Dask;
use crate::engine::Machine;

/// Time between two frames.
const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Plays a script on a screen of `size` pixels, panels and all, until it ends.
///
/// # Errors
/// When the system gives no thread to draw on.
pub fn drive_headless(driver: &mut Driver, machine: &Machine, size: [u32; 2]) -> std::io::Result<()> {
    let mut explorer = Explorer::start(State::new(size), machine, false, Arc::new(|| {}))?;
    explorer.reach_clusters_by(Arc::new(Dask::default()));
    let ctx = Context::default();
    theme::apply(&ctx);
    let mut screen = Screen { desk: Desk::new(ctx), size, begun: Instant::now(), copied: String::new() };
    let mut last = Instant::now();
    let mut next = last;
    loop {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        let now = Instant::now();
        let passed = now.duration_since(last).as_secs_f64();
        last = now;
        // A frame that comes late is not made up for.
        next = (next + FRAME).max(now);
        explorer.pacing.begin();
        let commands = match driver.due(&explorer, Sight { size: screen.size, scale: 1.0 }) {
            Due::Nothing => Vec::new(),
            Due::Command(command) => vec![command],
            Due::Size(size) => {
                screen.size = size;
                Vec::new()
            }
            Due::Ended => return Ok(()),
        };
        screen.frame(&mut explorer, passed, commands);
        explorer.pacing.end(true);
        driver.look(&explorer);
    }
}

struct Screen {
    desk: Desk,
    size: [u32; 2],
    begun: Instant,
    /// The clipboard.
    copied: String,
}

impl Screen {
    fn frame(&mut self, explorer: &mut Explorer, seconds: f64, commands: Vec<Command>) {
        let [width, height] = self.size.map(|side| side as f32);
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), Vec2::new(width, height))),
            time: Some(self.begun.elapsed().as_secs_f64()),
            ..RawInput::default()
        };
        let mut laid = self.desk.frame(explorer, seconds, input, commands);
        // Nobody paints them.
        laid.shapes.textures.clear();
        for effect in laid.effects {
            match effect {
                Effect::Copy(text) => self.copied = text,
                Effect::Paste => explorer.state.apply(Command::GoTo(self.copied.clone())),
                // The rest is a window's.
                _ => {}
            }
        }
    }
}
