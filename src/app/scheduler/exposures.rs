//! Scenes in space: with few points at once, then with many.

use std::sync::Arc;

use super::{Event, FALLBACK, Worker, guarded};
use crate::app::pass::Pass;
use crate::engine::Choice;
use crate::render::{Job, Latest, RenderError, Space, Task};

impl Worker {
    /// Draws a scene with one engine, and with the CPU's where that one fails. Gives the engine's key once the scene has
    /// all its points.
    pub(super) fn draw_scene(
        &mut self,
        request: u64,
        job: &Job,
        task: &Space,
        choice: Choice,
        mark: &Latest,
    ) -> Option<&'static str> {
        let Choice { key, why } = choice;
        for points in [Space::MOVING.min(task.points), task.points] {
            let settled = points == task.points;
            let some = Job { task: Task::Space(Space { points, ..task.clone() }), ..job.clone() };
            let pass = Arc::new(Pass::new(some, key, self.engines.takes_device_fields, self.wake.clone()));
            match guarded(self.engine(key), &pass.job, mark, pass.as_ref()) {
                Ok(stats) => {
                    self.tell(Event::Started { request, pass: pass.clone(), why });
                    self.tell(Event::Finished { request, pass, stats: Some(stats), settled });
                }
                Err(RenderError::Cancelled) => return None,
                Err(error) => {
                    self.tell(Event::Failed { request, engine: key, reason: error.to_string() });
                    let instead = Choice { key: FALLBACK, why: "the engine chosen failed" };
                    return if key == FALLBACK { None } else { self.draw_scene(request, job, task, instead, mark) };
                }
            }
        }
        Some(key)
    }
}
