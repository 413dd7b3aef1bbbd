//! What a time was measured under. Times are compared only where all of it is the same.

use crate::render::{Job, Task};

/// View, size, cap, bailout, sampling and quality of a picture that engines were timed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions(Job);

/// Why two times cannot be compared: the first of these that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    Size,
    View,
    MaxIterations,
    Bailout,
    Sampling,
    Quality,
}

impl Difference {
    /// In words, for a tooltip or a cell.
    pub fn label(self) -> &'static str {
        match self {
            Self::Size => "another size",
            Self::View => "another view",
            Self::MaxIterations => "another cap on iterations",
            Self::Bailout => "another bailout",
            Self::Sampling => "other samples a pixel",
            Self::Quality => "another precision",
        }
    }
}

impl Conditions {
    pub fn of(job: &Job) -> Self {
        Self(Job { focus: [0.0; 2], ..job.clone() })
    }

    /// True where this is what a job is drawn under.
    pub fn are_of(&self, job: &Job) -> bool {
        Job { focus: [0.0; 2], ..job.clone() } == self.0
    }

    /// The picture itself.
    pub fn job(&self) -> &Job {
        &self.0
    }

    /// What speaks against comparing times of both.
    pub fn difference(&self, other: &Self) -> Option<Difference> {
        let (a, b) = (&self.0, &other.0);
        let found = match (&a.task, &b.task) {
            _ if a.viewport.size() != b.viewport.size() => Difference::Size,
            _ if a.viewport != b.viewport => Difference::View,
            (Task::EscapeTime(a), Task::EscapeTime(b)) if a.formula != b.formula || a.plane != b.plane => {
                Difference::View
            }
            (Task::EscapeTime(a), Task::EscapeTime(b)) if a.max_iterations != b.max_iterations => {
                Difference::MaxIterations
            }
            (Task::EscapeTime(a), Task::EscapeTime(b)) if a.bailout != b.bailout => Difference::Bailout,
            (a, b) if a != b => Difference::View,
            _ if a.lattice != b.lattice => Difference::Sampling,
            _ if a.quality != b.quality => Difference::Quality,
            _ if a != b => Difference::View,
            _ => return None,
        };
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, State};
    use crate::render::{Lattice, Quality};
    use crate::view::ParamValue;

    #[test]
    fn every_condition_of_the_rule_is_told_from_the_others() {
        let set = |key, value| Command::SetParam { key, value };
        let job_after = |command: Command| {
            let mut state = State::new([64, 48]);
            state.apply(command);
            state.job()
        };
        let here = State::new([64, 48]).job();
        for (job, expected) in [
            (Job { focus: [3.0, 4.0], ..here.clone() }, None),
            (job_after(Command::Resize { size: [63, 48] }), Some(Difference::Size)),
            (job_after(Command::GoTo("-1.25, 0.02".into())), Some(Difference::View)),
            (job_after(Command::SetView("julia")), Some(Difference::View)),
            (job_after(set("max_iterations", ParamValue::Count(77))), Some(Difference::MaxIterations)),
            (Job { lattice: Lattice::coarse(2), ..here.clone() }, Some(Difference::Sampling)),
            (Job { quality: Quality::Moving, ..here.clone() }, Some(Difference::Quality)),
        ] {
            assert_eq!(Conditions::of(&here).difference(&Conditions::of(&job)), expected, "{job:?}");
        }
        let mut other = here.clone();
        let Task::EscapeTime(task) = &mut other.task else { unreachable!() };
        task.bailout *= 2.0;
        assert_eq!(Conditions::of(&here).difference(&Conditions::of(&other)), Some(Difference::Bailout));
        assert!(Conditions::of(&here).are_of(&here) && !Conditions::of(&here).are_of(&other));
    }
}
