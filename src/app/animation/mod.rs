//! Animations: a view that moves by itself, frame by frame, as numbered pictures or as a film.
//!
//! An [`Animation`] is a value: what is shown, how it moves, how many frames. A [`Recording`] draws those of its frames
//! that a folder lacks, and so goes on where it was stopped; [`FilmKind`] says what ffmpeg makes of them at the end.

mod error;
mod film;
mod manifest;
mod recording;

pub use error::AnimationError;
pub use film::{FilmKind, has_ffmpeg};
pub use recording::{PNG_END, Recorded, Recording};

use std::path::Path;

use super::export::{ExportError, MOST_SPACE_PIXELS, MOST_STACK_PIXELS, Stack, Whole};
use super::location::Location;
use super::play::{Play, flight_at, section_at, turn_at};
use crate::engine::Engine;
use crate::render::{Job, Latest, OrbitDensity, Section, Space, Task};
use crate::view::{ParamValue, Spatial, Steer, View};

/// Something that moves, as frames.
pub struct Animation {
    /// From the top down, each at its size.
    panels: Vec<Box<dyn View>>,
    /// Rows between them.
    gap: u32,
    size: [u32; 2],
    course: Course,
    frames: u32,
    fps: u32,
    detail: Detail,
}

/// What moves, and from where to where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// One round, after which the last frame leads on to the first.
    Round(Play),
    /// The section from one Im c to another, at rest at both ends.
    Sweep { from: f64, to: f64 },
}

impl Course {
    pub fn play(self) -> Play {
        match self {
            Self::Round(play) => play,
            Self::Sweep { .. } => Play::Section,
        }
    }
}

/// How much of it there is, and how fast it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    pub seconds: f64,
    /// Frames a second.
    pub fps: u32,
}

/// How finely frames are computed; where nothing is said, as the view has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Orbits of each column of a diagram.
    pub orbits: Option<u32>,
    /// Points that each of them adds; of a scene in space, all points.
    pub samples: Option<u32>,
}

impl Pace {
    pub const MOST_FPS: u32 = 240;

    /// Number of frames.
    ///
    /// # Errors
    /// [`AnimationError::Frames`] where there is none, or too many.
    pub fn frames(self) -> Result<u32, AnimationError> {
        let frames = (self.seconds * f64::from(self.fps)).round();
        let fits = (1.0..=f64::from(Animation::MOST_FRAMES)).contains(&frames);
        fits.then_some(frames as u32).ok_or(AnimationError::Frames { seconds: self.seconds, fps: self.fps })
    }
}

impl Animation {
    /// Most frames: their numbers have five digits.
    pub const MOST_FRAMES: u32 = 99_999;

    /// An animation of `size` pixels of views above each other, which all move in the same way.
    ///
    /// # Errors
    /// [`AnimationError`] of the course, the pace or the size.
    pub fn new(
        mut panels: Vec<Box<dyn View>>,
        course: Course,
        pace: Pace,
        size: [u32; 2],
        detail: Detail,
    ) -> Result<Self, AnimationError> {
        let play = course.play();
        if let Some(view) = panels.iter().find(|view| !play.suits(view.as_ref())) {
            return Err(AnimationError::Still { play: play.key(), view: view.title() });
        }
        if let Course::Sweep { from, to } = course
            && let Some(s) = [from, to].into_iter().find(|s| !(-Section::MOST..=Section::MOST).contains(s))
        {
            return Err(AnimationError::End(s));
        }
        let frames = pace.frames()?;
        let Stack { rows, gap } = Stack::of(size[1], panels.len() as u32)?;
        for view in &mut panels {
            let viewport = view.viewport().with_size([size[0], rows]).map_err(ExportError::from)?;
            view.set_viewport(viewport);
        }
        let is_space = panels.iter().any(|view| view.camera().is_some());
        detail.check(is_space)?;
        let [width, height] = size;
        let most = if is_space { MOST_SPACE_PIXELS } else { MOST_STACK_PIXELS };
        if u64::from(width) * u64::from(height) > most {
            return Err(ExportError::TooLargeAsAWhole { width, height, most }.into());
        }
        Ok(Self { panels, gap, size, course, frames, fps: pace.fps, detail })
    }

    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// What is shown in a frame, counted from 0, from the top down.
    pub fn views(&self, frame: u32) -> Vec<Box<dyn View>> {
        let mut panels: Vec<_> = self.panels.iter().map(|view| view.boxed_clone()).collect();
        for view in &mut panels {
            self.pose(view.as_mut(), frame);
        }
        panels
    }

    fn pose(&self, view: &mut dyn View, frame: u32) {
        let share = f64::from(frame) / f64::from(self.frames);
        match self.course {
            Course::Round(Play::Section) => {
                // The middle of the frame's time: of an even number none falls on the real axis, where all looks different
                // for one frame.
                let middle = share + 0.5 / f64::from(self.frames);
                set_section(view, section_at(middle * Play::Section.round()));
            }
            Course::Round(Play::Fly) => drop(view.steer(Steer::Fly { share: flight_at(share * Play::Fly.round()) })),
            Course::Round(Play::Spin) => {
                let turn = turn_at(share * Play::Spin.round());
                view.steer(Steer::Turn { by_px: [turn / Spatial::TURN, 0.0] });
            }
            Course::Sweep { from, to } => {
                let way = f64::from(frame) / f64::from(self.frames.max(2) - 1);
                let eased = (1.0 - (std::f64::consts::PI * way).cos()) / 2.0;
                set_section(view, from * (1.0 - eased) + to * eased);
            }
        }
    }

    /// What an engine has to compute for a frame, from the top down.
    pub fn jobs(&self, frame: u32) -> Vec<Job> {
        self.views(frame).iter().map(|view| self.job(view.as_ref())).collect()
    }

    fn job(&self, view: &dyn View) -> Job {
        Job::new(view.viewport().clone(), self.detail.applied_to(view.task()))
    }

    /// The bytes of a frame's PNG; `path` is for messages.
    ///
    /// # Errors
    /// [`ExportError`] of the engine or the encoder.
    pub fn draw(
        &self,
        frame: u32,
        engine: &mut dyn Engine,
        path: &Path,
        latest: &Latest,
    ) -> Result<Vec<u8>, ExportError> {
        let views = self.views(frame);
        let location = Location {
            size: Some(self.size),
            engine: Some(engine.key().into()),
            ..Location::of_view(views[0].as_ref())
        };
        let whole = Whole { scheme: views[0].diagram_scheme(), location: &location };
        let jobs: Vec<Job> = views.iter().map(|view| self.job(view.as_ref())).collect();
        whole.stack(&jobs, self.gap, engine, path, latest)
    }
}

fn set_section(view: &mut dyn View, s: f64) {
    view.set_param("section", ParamValue::Number(s)).expect("ends lie within what sections take");
}

impl Detail {
    fn check(self, is_space: bool) -> Result<(), AnimationError> {
        let (least, most) =
            if is_space { (Space::LEAST_POINTS, Space::MOST_POINTS) } else { (1, OrbitDensity::MOST_KEPT) };
        match self.samples.filter(|samples| !(least..=most).contains(samples)) {
            None => Ok(()),
            Some(asked) => Err(AnimationError::Samples { asked, least, most }),
        }
    }

    fn applied_to(self, mut task: Task) -> Task {
        match &mut task {
            Task::OrbitDensity(density) => {
                density.orbits = 0..self.orbits.unwrap_or(density.orbits.end);
                density.kept = self.samples.unwrap_or(density.kept);
            }
            Task::Section(section) => {
                section.orbits = 0..self.orbits.unwrap_or(section.orbits.end);
                section.kept = self.samples.unwrap_or(section.kept);
            }
            Task::Space(space) => space.points = self.samples.unwrap_or(space.points),
            Task::EscapeTime(_) => {}
        }
        task
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Ordinate;
    use crate::view::{ComplexBifurcation, Mandelbrot};

    fn pace(seconds: f64, fps: u32) -> Pace {
        Pace { seconds, fps }
    }

    fn section(course: Course, frames: f64) -> Animation {
        let view = Box::new(ComplexBifurcation::of(Ordinate::Re, 0.1, [8, 8]));
        Animation::new(vec![view], course, pace(frames, 1), [8, 6], Detail::default()).unwrap()
    }

    #[test]
    fn frames_are_counted_and_absurd_numbers_refused() {
        for (seconds, fps, frames) in [
            (12.0, 30, Some(360)),
            (0.51, 1, Some(1)),
            (99_999.0, 1, Some(99_999)),
            (0.49, 1, None),
            (0.0, 30, None),
            (-1.0, 30, None),
            (f64::NAN, 30, None),
            (f64::INFINITY, 30, None),
            (1.0, 0, None),
            (1e6, 1, None),
        ] {
            assert_eq!(pace(seconds, fps).frames().ok(), frames, "{seconds} s, {fps} a second");
        }
    }

    #[test]
    fn sections_go_round_without_a_seam_or_from_end_to_end() {
        let at = |animation: &Animation, frame| animation.views(frame)[0].section().unwrap();
        for frames in [7, 12] {
            let round = section(Course::Round(Play::Section), frames.into());
            let all: Vec<f64> = (0..frames).map(|frame| at(&round, frame)).collect();
            for (there, back) in all.iter().zip(all.iter().rev()) {
                assert!((there + back).abs() < 1e-12, "{all:?}");
            }
            assert!((at(&round, frames) - all[0]).abs() < 1e-12, "the last leads on to the first");
        }
        let sweep = section(Course::Sweep { from: -0.3, to: 0.7 }, 5.0);
        assert_eq!([0, 4].map(|frame| at(&sweep, frame)), [-0.3, 0.7], "exactly");
        assert!((at(&sweep, 2) - 0.2).abs() < 1e-12 && at(&sweep, 1) < -0.1, "slow at the ends");
        let still = section(Course::Sweep { from: -0.3, to: 0.7 }, 1.0);
        assert_eq!(at(&still, 0), -0.3);
    }

    #[test]
    fn cameras_fly_there_and_back_and_spin_once_round() {
        let of = |play| {
            let view: Box<dyn View> = Box::new(Spatial::at_home([8, 8]));
            Animation::new(vec![view], Course::Round(play), pace(16.0, 1), [8, 6], Detail::default()).unwrap()
        };
        let camera = |animation: &Animation, frame| *animation.views(frame)[0].camera().unwrap();
        let (fly, spin) = (of(Play::Fly), of(Play::Spin));
        assert_eq!(camera(&fly, 0), crate::render::Camera::flight(0.0));
        assert_eq!(camera(&fly, 7), crate::render::Camera::flight(1.0));
        assert_eq!(camera(&fly, 3), camera(&fly, 11), "back as it went");
        let yaw = |frame| camera(&spin, frame).yaw;
        let step = std::f64::consts::TAU / 16.0;
        assert!((yaw(0) - yaw(1) - step).abs() < 1e-12 && (yaw(16) - yaw(0)).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_move_or_does_not_fit_is_refused() {
        let make = |view: Box<dyn View>, course, size| {
            Animation::new(vec![view], course, pace(1.0, 2), size, Detail::default()).err().map(|e| e.to_string())
        };
        let section = || Box::new(ComplexBifurcation::at_home([8, 8]));
        for (error, part) in [
            (make(Box::new(Mandelbrot::at_home([8, 8])), Course::Round(Play::Section), [8, 8]), "section"),
            (make(section(), Course::Round(Play::Spin), [8, 8]), "spin"),
            (make(section(), Course::Sweep { from: 0.0, to: 2.5 }, [8, 8]), "from -2 to 2"),
            (make(section(), Course::Sweep { from: f64::NAN, to: 0.5 }, [8, 8]), "from -2 to 2"),
            (make(section(), Course::Round(Play::Section), [20_000, 20_000]), "too many"),
        ] {
            let error = error.unwrap();
            assert!(error.contains(part), "{error:?} lacks {part:?}");
        }
    }
}
