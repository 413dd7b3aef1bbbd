//! Scenes in space: with few points at once, then with many.

use std::sync::Arc;

use super::{Event, FALLBACK, Worker, guarded};
use crate::app::pass::Pass;
use crate::color::paint_exposure;
use crate::engine::Choice;
use crate::render::{ExposureSink, Job, Latest, RenderError, Space, Stats, Task};

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
            let task = Space { points, ..task.clone() };
            let job = Job { task: Task::Space(task.clone()), ..job.clone() };
            match self.expose(key, &job, &task, mark) {
                Ok((stats, pixels)) => {
                    let pass = Arc::new(Pass::new(job, key, false, self.wake.clone()));
                    pass.put_pixels(pixels);
                    self.tell(Event::Started { request, pass: pass.clone(), why });
                    self.tell(Event::Finished { request, pass, stats: Some(stats), settled });
                }
                Err(RenderError::Cancelled) => return None,
                Err(error) => {
                    self.tell(Event::Failed { request, engine: key, reason: error.to_string() });
                    let instead = Choice { key: FALLBACK, why: "the engine chosen failed" };
                    return if key == FALLBACK { None } else { self.draw_scene(request, &job, &task, instead, mark) };
                }
            }
        }
        Some(key)
    }

    /// The pixels of a scene.
    fn expose(
        &mut self,
        engine: &str,
        job: &Job,
        task: &Space,
        mark: &Latest,
    ) -> Result<(Stats, Vec<[u8; 4]>), RenderError> {
        let sink = ExposureSink::default();
        let stats = guarded(self.engine(engine), job, mark, &sink)?;
        Ok((stats, paint_exposure(&sink.into_exposure(), task)))
    }
}
