//! Diagrams: a rough one at once, then one round of orbits after the other.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Event, FALLBACK, Worker};
use crate::app::pass::Pass;
use crate::engine::Choice;
use crate::fractal::attractor::Effort;
use crate::gpu::{DiagramBuffer, DiagramSum};
use crate::render::{
    Columns, DeviceDiagram, Diagram, DiagramSink, Job, Latest, Lattice, RenderError, Sample, Section, Sink, Stats,
    Strip, Task, Tile,
};

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
                if self.may_fall_back(choice.key, job) { self.draw_rounds(request, job, instead, mark) } else { None }
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
        let mut sum = None;
        let mut done = pass.diagram().orbits();
        if done == orbits.end {
            self.drawn = Some(pass.clone());
            self.tell(Event::Finished { request, pass: pass.clone(), stats: None, settled: true });
        }
        while done < orbits.end {
            let next = done..(done + Columns::ROUND).min(orbits.end);
            done = next.end;
            let (stats, round) =
                self.round(key, &job.clone().with_orbits(next), self.engines.takes_device_fields, mark)?;
            self.add(&pass, &mut sum, round)?;
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
        let (stats, round) = self.round(choice.key, &job, self.engines.takes_device_fields, mark)?;
        let pass = Arc::new(Pass::new(job, choice.key, false, self.wake.clone()));
        self.add(&pass, &mut None, round)?;
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
        // A diagram on the device is drawn anew.
        if done == 0 {
            return Ok(None);
        }
        if by.unsigned_abs() * u64::from(done) > MOST_ROUNDS_TO_KEEP * u64::from(Columns::ROUND) * width as u64 {
            return Ok(None);
        }
        let mut kept = last.diagram().moved(by);
        let lacking: Range<i64> = if by > 0 { width - by..width } else { 0..-by };
        if !lacking.is_empty() {
            let lattice = Lattice::strip(lacking.start as u32, (lacking.end - lacking.start) as u32);
            let (_, columns) = self.round(engine, &Job { lattice, ..job.clone().with_orbits(0..done) }, false, mark)?;
            if let Round::Host(columns) = columns {
                kept.add_columns(&columns, lacking.start);
            }
        }
        Ok(Some(kept))
    }

    /// What a job's orbits leave, on the device where the engine works there and it `may_stay`.
    fn round(
        &mut self,
        engine: &'static str,
        job: &Job,
        may_stay: bool,
        mark: &Latest,
    ) -> Result<(Stats, Round), RenderError> {
        let sink = RoundSink { host: DiagramSink::new(job), device: Mutex::new(None), may_stay };
        let stats = self.render(engine, job, mark, &sink)?;
        let device = sink.device.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((stats, device.map_or_else(|| Round::Host(sink.host.into_diagram()), Round::Device)))
    }

    /// Adds a round to a pass; `sum` holds those on the device.
    fn add(&mut self, pass: &Pass, sum: &mut Option<Arc<DiagramBuffer>>, round: Round) -> Result<(), RenderError> {
        let round = match round {
            Round::Host(round) => {
                pass.add_round(&round);
                return Ok(());
            }
            Round::Device(round) => round,
        };
        let gpu = round.gpu();
        let adder = match &self.adder {
            Some(adder) => adder,
            None => self.adder.insert(DiagramSum::new(gpu)?),
        };
        let sum = match sum {
            Some(sum) => sum,
            None => sum.insert(Arc::new(DiagramBuffer::empty(gpu, round.shape())?)),
        };
        adder.add(sum, &round)?;
        pass.added_on_device(sum, round.orbits() as usize);
        Ok(())
    }
}

/// What a round left, and where.
enum Round {
    Host(Diagram),
    Device(Arc<DiagramBuffer>),
}

/// Takes a round on the host or on the device.
struct RoundSink {
    host: DiagramSink,
    device: Mutex<Option<Arc<DiagramBuffer>>>,
    may_stay: bool,
}

impl Sink for RoundSink {
    fn put(&self, _: Tile, _: &[Sample]) {}

    fn put_strip(&self, strip: &Strip) {
        self.host.put_strip(strip);
    }

    fn takes_device_fields(&self) -> bool {
        self.may_stay
    }

    fn put_device_diagram(&self, diagram: Arc<dyn DeviceDiagram>) {
        if let Ok(buffer) = diagram.as_any().downcast() {
            *self.device.lock().unwrap_or_else(PoisonError::into_inner) = Some(buffer);
        }
    }
}
