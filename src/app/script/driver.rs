//! Plays a script: says before each frame what is due, and looks after it at what has come of it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::record::{Record, StepRecord, Taken, resident_bytes};
use super::{Action, Script};
use crate::app::command::Command;
use crate::app::pacing::millis;
use crate::app::pass::Pass;
use crate::app::{Explorer, Notice};
use crate::render::Latest;

/// While a script waits for a picture it looks this often, if nothing else asks for a frame.
const LOOK: Duration = Duration::from_millis(20);
/// A window that does not take a size within this time is left as it is.
const LONGEST_RESIZE: Duration = Duration::from_secs(2);

/// What a script asks for in a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Due {
    Nothing,
    Command(Command),
    /// The window is to have a size, in pixels.
    Size([u32; 2]),
    /// There is nothing more to do.
    Ended,
}

/// How a script ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Complete,
    /// By Ctrl+C, or because the window was closed.
    Interrupted,
    /// A line could not be done.
    Failed {
        line: usize,
        why: String,
        asked_wrongly: bool,
    },
}

/// What a script is seen in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Of the window, in pixels.
    pub size: [u32; 2],
    /// Pixels a point.
    pub scale: f64,
}

/// A script at play.
pub struct Driver {
    script: Script,
    /// Line under way, since when, and how often its command was done.
    at: usize,
    since: Option<Instant>,
    done: u32,
    step: Option<Step>,
    steps: Vec<StepRecord>,
    notice: Option<Notice>,
    latest: Latest,
    ended: Option<Ended>,
    sight: Sight,
    most_resident: Option<u64>,
}

/// A command and what followed, up to the next.
struct Step {
    line: usize,
    text: String,
    begun: Instant,
    /// The pictures shown before.
    before: Vec<Weak<Pass>>,
    frames: Taken,
    first_picture: Option<Duration>,
    settled: Option<Duration>,
}

impl Driver {
    /// `latest` becomes stale when somebody interrupts the script.
    pub fn new(script: Script, latest: Latest) -> Self {
        let sight = Sight { size: [0; 2], scale: 1.0 };
        Self {
            script,
            at: 0,
            since: None,
            done: 0,
            step: None,
            steps: Vec::new(),
            notice: None,
            latest,
            ended: None,
            sight,
            most_resident: None,
        }
    }

    /// What this frame is to begin with; called once a frame.
    pub fn due(&mut self, explorer: &Explorer, sight: Sight) -> Due {
        self.sight = sight;
        if self.latest.is_stale() {
            self.end(explorer, Ended::Interrupted);
        }
        while self.ended.is_none() {
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            let Some(line) = self.script.lines.get(self.at) else {
                // What is still being saved belongs to the script.
                if explorer.saving().is_some() || explorer.state.exporting {
                    return Due::Nothing;
                }
                self.end(explorer, Ended::Complete);
                break;
            };
            let passed = now.duration_since(since);
            let (number, text, action) = (line.number, line.text.clone(), line.action.clone());
            match action {
                Action::Command { command: Command::Quit, .. } => {
                    self.end(explorer, Ended::Complete);
                    break;
                }
                Action::Command { command, times, every } if self.done < times => {
                    if passed < every * self.done {
                        return Due::Nothing;
                    }
                    if self.done == 0 {
                        self.begin(explorer, number, text);
                    }
                    self.done += 1;
                    return Due::Command(command);
                }
                Action::Size(size) if sight.size != size && passed < LONGEST_RESIZE => {
                    if self.done > 0 {
                        return Due::Nothing;
                    }
                    self.begin(explorer, number, text);
                    self.done = 1;
                    return Due::Size(size);
                }
                Action::Wait(time) if passed < time => return self.wait(explorer, number, text),
                Action::WaitSettled(longest) if !is_at_rest(explorer) => {
                    if passed > longest {
                        let why = format!("the picture did not settle within {} s", longest.as_secs_f64());
                        self.end(explorer, Ended::Failed { line: number, why, asked_wrongly: false });
                        break;
                    }
                    return self.wait(explorer, number, text);
                }
                _ => self.go_on(),
            }
        }
        Due::Ended
    }

    /// Looks at what came of the frame; called at its end.
    pub fn look(&mut self, explorer: &Explorer) {
        let notice = explorer.state.notice();
        if notice != self.notice.as_ref() {
            self.notice = notice.cloned();
            if let Some(complaint) = notice.filter(|notice| notice.is_error) {
                let line = self.step.as_ref().map_or(0, |step| step.line);
                // What was wrong with the request shows at once.
                let asked_wrongly = self.step.as_ref().is_some_and(|step| step.frames.n() == 0);
                let why = complaint.text.clone();
                return self.end(explorer, Ended::Failed { line, why, asked_wrongly });
            }
        }
        let is_done = match self.script.lines.get(self.at).map(|line| &line.action) {
            Some(Action::Command { times, .. }) => self.done == *times,
            _ => true,
        };
        let Some(step) = &mut self.step else { return };
        step.frames.add(explorer.pacing.newest().unwrap_or_default());
        let passed = step.begun.elapsed();
        if step.first_picture.is_none() {
            let is_old = |pass: &Arc<Pass>| step.before.iter().any(|old| Weak::as_ptr(old) == Arc::as_ptr(pass));
            let pictures = explorer.drawing().film().pictures();
            let is_new = pictures.iter().any(|pass| pass.progress() > 0.0 && !is_old(pass));
            step.first_picture = is_new.then_some(passed);
        }
        if step.settled.is_none() && is_done && !explorer.is_busy() && explorer.drawing().status.failure.is_none() {
            step.settled = Some(passed);
        }
    }

    /// Longest time until the next frame.
    pub fn next_frame(&self) -> Duration {
        match self.script.lines.get(self.at).map(|line| &line.action) {
            Some(Action::Command { times, every, .. }) if self.done < *times => {
                let passed = self.since.map_or(Duration::ZERO, |since| since.elapsed());
                (*every * self.done).saturating_sub(passed).min(LOOK)
            }
            Some(Action::Command { .. }) => Duration::ZERO,
            _ => LOOK,
        }
    }

    /// The window was closed, or what shows the explorer ended by itself.
    pub fn give_up(&mut self, explorer: &Explorer) {
        if self.ended.is_none() {
            self.end(explorer, Ended::Interrupted);
        }
    }

    /// How it ended, once it has.
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// What was measured so far.
    pub fn into_record(self, mode: &'static str) -> Record {
        Record {
            script: self.script.name,
            mode,
            size: self.sight.size,
            scale: self.sight.scale,
            ended: self.ended.unwrap_or(Ended::Interrupted),
            steps: self.steps,
            resident_bytes: self.most_resident,
        }
    }

    fn wait(&mut self, explorer: &Explorer, number: usize, text: String) -> Due {
        if self.step.is_none() {
            self.begin(explorer, number, text);
        }
        Due::Nothing
    }

    fn go_on(&mut self) {
        (self.at, self.since, self.done) = (self.at + 1, None, 0);
    }

    fn begin(&mut self, explorer: &Explorer, line: usize, text: String) {
        self.close(explorer);
        let before = explorer.drawing().film().pictures().into_iter().map(Arc::downgrade).collect();
        let (begun, frames) = (Instant::now(), Taken::default());
        self.step = Some(Step { line, text, begun, before, frames, first_picture: None, settled: None });
    }

    /// Writes down the step that was under way.
    fn close(&mut self, explorer: &Explorer) {
        let Some(step) = self.step.take() else { return };
        let resident = resident_bytes();
        self.most_resident = self.most_resident.max(resident);
        self.steps.push(StepRecord {
            line: step.line,
            text: step.text,
            seconds: step.begun.elapsed().as_secs_f64(),
            frames: step.frames,
            first_picture_ms: step.first_picture.map(millis),
            settled_ms: step.settled.map(millis),
            engine: explorer.drawing().status.engine.map(|(key, _)| key),
            view: explorer.state.location().one_line(),
            resident_bytes: resident,
        });
    }

    fn end(&mut self, explorer: &Explorer, how: Ended) {
        self.close(explorer);
        self.ended = Some(how);
    }
}

/// Nothing moves, nothing is drawn, saved, looked for or asked of clusters.
fn is_at_rest(explorer: &Explorer) -> bool {
    let state = &explorer.state;
    let is_asking = explorer.trial().is_some_and(|trial| trial.result().is_none());
    !explorer.is_busy() && !state.exporting && explorer.saving().is_none() && state.finding.is_none() && !is_asking
}
