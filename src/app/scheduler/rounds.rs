//! Diagrams: a rough one at once, then one round of orbits after the other.

use std::ops::Range;
use std::sync::Arc;

use super::{Event, FALLBACK, Worker, guarded};
use crate::app::pass::Pass;
use crate::engine::Choice;
use crate::fractal::attractor::Effort;
use crate::render::{Columns, Diagram, DiagramSink, Job, Latest, Lattice, RenderError, Section, Stats, Task};

/// Orbits of the rough diagram, and the points that each adds.
const ROUGH_ORBITS: u32 = 4;
const ROUGH_KEPT: u32 = 256;
/// A moved diagram is kept where what it lacks takes no more than so many rounds.
const MOST_ROUNDS_TO_KEEP: u64 = 4;

impl Worker {
    /// Draws a diagram with one engine, and with the CPU's where that one fails. Gives the engine's key once the diagram
    /// has all its orbits.
    pub(super) fn draw_rounds(
        &mut self,
        request: u64,
        job: &Job,
        choice: Choice,
        mark: &Latest,
    ) -> Option<&'static str> {
        match self.rounds(request, job, &choice, mark) {
            Ok(()) => Some(choice.key),
            Err(RenderError::Cancelled) => None,
            Err(error) => {
                self.tell(Event::Failed { request, engine: choice.key, reason: error.to_string() });
                let instead = Choice { key: FALLBACK, why: "the engine chosen failed" };
                if choice.key == FALLBACK { None } else { self.draw_rounds(request, job, instead, mark) }
            }
        }
    }

    fn rounds(&mut self, request: u64, job: &Job, choice: &Choice, mark: &Latest) -> Result<(), RenderError> {
        let &Choice { key, why } = choice;
        let orbits = job.orbits().expect("diagrams have orbits");
        let pass = Arc::new(Pass::new(job.clone(), key, false, self.wake.clone()));
        let mut shown = false;
        match self.kept(job, key, mark)? {
            Some(kept) => {
                pass.add_round(&kept);
                self.tell(Event::Started { request, pass: pass.clone(), why });
                shown = true;
            }
            None => self.rough(request, job, choice, mark)?,
        }
        let mut done = pass.diagram().orbits();
        if done == orbits.end {
            self.drawn = Some(pass.clone());
            self.tell(Event::Finished { request, pass: pass.clone(), stats: None, settled: true });
        }
        while done < orbits.end {
            let next = done..(done + Columns::ROUND).min(orbits.end);
            done = next.end;
            let (stats, round) = self.round(key, &job.clone().with_orbits(next), mark)?;
            pass.add_round(&round);
            if !std::mem::replace(&mut shown, true) {
                self.tell(Event::Started { request, pass: pass.clone(), why });
            }
            self.drawn = Some(pass.clone());
            let settled = done == orbits.end;
            self.tell(Event::Finished { request, pass: pass.clone(), stats: Some(stats), settled });
        }
        Ok(())
    }

    /// A rough diagram, within a frame.
    fn rough(&mut self, request: u64, job: &Job, choice: &Choice, mark: &Latest) -> Result<(), RenderError> {
        let mut job = job.clone().with_orbits(0..ROUGH_ORBITS);
        match &mut job.task {
            Task::OrbitDensity(task) => (task.kept, task.effort) = (ROUGH_KEPT, Effort::MOVING),
            Task::Section(task) => (task.kept, task.effort) = (ROUGH_KEPT, Section::MOVING),
            Task::EscapeTime(_) | Task::Space(_) => unreachable!("diagrams come here"),
        }
        let (stats, round) = self.round(choice.key, &job, mark)?;
        let pass = Arc::new(Pass::new(job, choice.key, false, self.wake.clone()));
        pass.add_round(&round);
        self.tell(Event::Started { request, pass: pass.clone(), why: choice.why });
        self.tell(Event::Finished { request, pass, stats: Some(stats), settled: false });
        Ok(())
    }

    /// What the diagram drawn last has of this one, where the view moved by whole columns, with the columns that it
    /// lacks.
    fn kept(&mut self, job: &Job, engine: &'static str, mark: &Latest) -> Result<Option<Diagram>, RenderError> {
        let Some(last) = self.drawn.clone().filter(|last| last.engine == engine) else { return Ok(None) };
        let [width, height] = job.size();
        let Some(by) = last.job.columns_to(job).filter(|by| by.unsigned_abs() < width.into()) else { return Ok(None) };
        if last.job.size() != [width, height] {
            return Ok(None);
        }
        let width = i64::from(width);
        let done = last.diagram().orbits();
        if by.unsigned_abs() * u64::from(done) > MOST_ROUNDS_TO_KEEP * u64::from(Columns::ROUND) * width as u64 {
            return Ok(None);
        }
        let mut kept = last.diagram().moved(by);
        let lacking: Range<i64> = if by > 0 { width - by..width } else { 0..-by };
        if !lacking.is_empty() {
            let lattice = Lattice::strip(lacking.start as u32, (lacking.end - lacking.start) as u32);
            let (_, columns) = self.round(engine, &Job { lattice, ..job.clone().with_orbits(0..done) }, mark)?;
            kept.add_columns(&columns, lacking.start);
        }
        Ok(Some(kept))
    }

    fn round(&mut self, engine: &str, job: &Job, mark: &Latest) -> Result<(Stats, Diagram), RenderError> {
        let sink = DiagramSink::new(job);
        let stats = guarded(self.engine(engine), job, mark, &sink)?;
        Ok((stats, sink.into_diagram()))
    }
}
