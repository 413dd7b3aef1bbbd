//! A thread that looks closely at one point: what becomes of its orbit, and a small picture of its Julia set.
//!
//! Only the newest point matters. The window asks, goes on, and shows what has come.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::pass::Wake;
use crate::color::{Coloring, Palette, shade_row};
use crate::engine::{Engine as _, Machine, Tiles};
use crate::fractal::FormulaId;
use crate::fractal::orbit::{Inspection, inspect};
use crate::math::{BigComplex, Complex};
use crate::render::{
    Channels, EscapeTime, Field, HostSink, Job, Latest, Lattice, Newest, Plane, Quality, Shortcuts, Task, Viewport,
};

/// What is asked about a point.
#[derive(Clone, Debug)]
pub struct Question {
    pub c: Complex,
    pub formula: FormulaId,
    pub palette: &'static Palette,
    pub coloring: Coloring,
}

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        let of = |q: &Self| (q.c, q.formula, q.palette.key(), q.coloring);
        of(self) == of(other)
    }
}

/// A small picture of a Julia set.
#[derive(Clone, Debug)]
pub struct Portrait {
    /// RGBA, top row first.
    pub pixels: Vec<[u8; 4]>,
    /// Rises with every portrait.
    pub number: u64,
    /// What it took to draw and colour.
    pub took: Duration,
}

impl Portrait {
    /// Pixels along each side.
    pub const SIDE: u32 = 256;
    /// Height of the part of the plane that is shown: every bounded orbit lies within |z| ≤ 2.
    pub const HEIGHT: f64 = 3.4;
}

/// Asks a thread of its own.
pub struct Inspector {
    newest: Newest,
    questions: Sender<(Question, Latest)>,
    answers: Receiver<Answer>,
    asked: Option<Question>,
    inspection: Option<Inspection>,
    portrait: Option<Portrait>,
}

enum Answer {
    Orbit(Inspection),
    Julia(Portrait),
}

impl Inspector {
    /// # Errors
    /// When the system gives no thread.
    pub fn start(machine: &Machine, wake: Wake) -> std::io::Result<Self> {
        // Threads of its own: those of the engines are busy while the large picture is drawn.
        let own = Machine::without_gpu(machine.threads().min(4)).map_err(std::io::Error::other)?;
        let (questions, asked) = channel();
        let (sender, answers) = channel();
        std::thread::Builder::new().name("inspector".into()).spawn(move || work(&own, &asked, &sender, &wake))?;
        let newest = Newest::default();
        Ok(Self { newest, questions, answers, asked: None, inspection: None, portrait: None })
    }

    /// Takes what has come, and asks if the question is a new one.
    pub fn update(&mut self, question: Option<Question>) {
        for answer in self.answers.try_iter() {
            match answer {
                Answer::Orbit(inspection) => self.inspection = Some(inspection),
                Answer::Julia(portrait) => self.portrait = Some(portrait),
            }
        }
        if self.asked == question {
            return;
        }
        let latest = self.newest.next();
        if let Some(question) = &question {
            // A thread that is gone answers nothing; the card then shows no verdict.
            let _ = self.questions.send((question.clone(), latest));
        }
        self.asked = question;
    }

    /// The point last asked about.
    pub fn c(&self) -> Option<Complex> {
        self.asked.as_ref().map(|question| question.c)
    }

    /// The newest verdict there is: for a moment that of the point before. None for formulas but z² + c.
    pub fn inspection(&self) -> Option<&Inspection> {
        self.asked.as_ref().filter(|asked| asked.formula == FormulaId::Quadratic)?;
        self.inspection.as_ref()
    }

    /// The newest picture there is: for a moment that of the point before.
    pub fn portrait(&self) -> Option<&Portrait> {
        self.portrait.as_ref()
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        self.newest.cancel();
    }
}

/// Answers until nobody asks any more.
fn work(machine: &Machine, questions: &Receiver<(Question, Latest)>, answers: &Sender<Answer>, wake: &Wake) {
    let mut engine = Tiles::new(machine.pool.clone());
    let mut number = 0;
    while let Ok((question, latest)) = questions.recv() {
        if latest.is_stale() {
            continue;
        }
        if question.formula == FormulaId::Quadratic {
            let _ = answers.send(Answer::Orbit(inspect(question.c)));
            wake();
        }
        number += 1;
        if let Some(portrait) = portrait(&mut engine, &question, &latest, number) {
            let _ = answers.send(Answer::Julia(portrait));
            wake();
        }
    }
}

/// Draws the Julia set; `None` where someone has asked anew meanwhile.
fn portrait(engine: &mut Tiles, question: &Question, latest: &Latest, number: u64) -> Option<Portrait> {
    let start = Instant::now();
    let job = job(question);
    let mut field = Field::missing(job.size());
    engine.render(&job, latest, &HostSink::new(&mut field)).ok()?;
    let mut pixels = vec![[0; 4]; field.samples().len()];
    shade_row(&question.coloring.params(question.palette), question.palette.table(), field.samples(), &mut pixels);
    Some(Portrait { pixels, number, took: start.elapsed() })
}

fn job(question: &Question) -> Job {
    let origin = BigComplex::new(0.into(), 0.into());
    let height = crate::math::Decimal::from_f64(Portrait::HEIGHT);
    let viewport = Viewport::new(origin, height, [Portrait::SIDE; 2]).expect("a view that we chose");
    let plane = Plane::dynamical(question.c);
    // Finer bands than so small a picture can show take more iterations.
    let task = EscapeTime { formula: question.formula, plane, max_iterations: 400, bailout: 1000.0 };
    Job {
        viewport,
        lattice: Lattice::FULL,
        task: Task::EscapeTime(task),
        channels: Channels { smooth: true, ..Channels::default() },
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [Portrait::SIDE as f32 / 2.0; 2],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn question(re: f64, im: f64) -> Question {
        let palette = Palette::default_palette();
        Question { c: Complex::new(re, im), formula: FormulaId::Quadratic, palette, coloring: Coloring::default() }
    }

    /// Takes answers until the newest question has both.
    fn wait(inspector: &mut Inspector, question: &Question, number: u64) {
        let deadline = Instant::now() + Duration::from_secs(20);
        let done = |i: &Inspector| {
            i.inspection().is_some_and(|seen| seen.c == question.c) && i.portrait().is_some_and(|p| p.number > number)
        };
        while !done(inspector) {
            assert!(Instant::now() < deadline, "no answer to {question:?}");
            std::thread::sleep(Duration::from_millis(1));
            inspector.update(Some(question.clone()));
        }
    }

    #[test]
    fn the_newest_point_is_answered_with_its_own_set() {
        let machine = Machine::without_gpu(2).unwrap();
        let mut inspector = Inspector::start(&machine, Arc::new(|| {})).unwrap();
        for i in 0..50 {
            inspector.update(Some(question(-1.0 - f64::from(i) * 1e-4, 0.3)));
        }
        // The whole disc of c = 0 is inside, nothing of c = 2 is.
        let inside = Palette::default_palette().interior();
        for (c, least, most) in [(0.0, 0.25, 0.3), (2.0, 0.0, 0.0)] {
            let question = question(c, 0.0);
            let number = inspector.portrait().map_or(0, |p| p.number);
            inspector.update(Some(question.clone()));
            wait(&mut inspector, &question, number);
            // One that was under way when the question came may still arrive.
            std::thread::sleep(Duration::from_millis(100));
            inspector.update(Some(question.clone()));
            let pixels = &inspector.portrait().unwrap().pixels;
            let share = pixels.iter().filter(|p| p[..3] == inside).count() as f64 / pixels.len() as f64;
            assert!((least..=most).contains(&share), "c = {c}: {share} of the picture is inside");
            assert_eq!(inspector.inspection().unwrap().c, question.c);
        }
        inspector.update(None);
        assert!(inspector.inspection().is_none() && inspector.c().is_none());
    }

    #[test]
    #[ignore = "a measurement: run it alone, with --nocapture"]
    fn time_of_portraits() {
        let machine = Machine::without_gpu(2).unwrap();
        let mut engine = Tiles::new(machine.pool.clone());
        for (re, im) in [(0.0, 0.0), (-0.75, 0.1), (-0.8, 0.156), (-1.0, 0.0), (-0.123, 0.745), (-2.0, 0.0), (0.3, 0.5)]
        {
            let mut times: Vec<_> =
                (0..9).map(|i| portrait(&mut engine, &question(re, im), &Latest::forever(), i).unwrap().took).collect();
            times.sort();
            println!("c = {re}, {im}: {:?} to {:?}, median {:?}", times[0], times[8], times[4]);
        }
    }
}
