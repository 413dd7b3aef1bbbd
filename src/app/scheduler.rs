//! The thread that draws: takes the newest job, lets an engine fill its passes, and times the
//! other engines while nothing else is wanted.
//!
//! The window sends requests and takes what has come; neither waits for the other.

mod antialias;
mod exposures;
mod rounds;
mod samples;
mod timing;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use samples::{Complete, Weaver};

use super::agreement::Differing;
use super::command::EngineChoice;
use super::compare::{Comparison, compare};
use super::drawing::Wish;
use super::pass::{Pass, Wake};
use super::tile_map::Board;
use crate::engine::{Choice, Engine, choose};
use crate::gpu::DiagramSum;
use crate::render::{Jitter, Job, Latest, Newest, RenderError, Sink, Stats, Task, Unsupported};

/// A thread that does not end within this time is left to itself.
const LONGEST_FAREWELL: Duration = Duration::from_secs(2);
/// The engine that takes over where another fails: it needs nothing but the processor.
const FALLBACK: &str = "tiles";

/// What the drawing thread tells.
pub enum Event {
    /// An engine starts on a pass; what it has so far can be shown at any time.
    Started {
        request: u64,
        pass: Arc<Pass>,
        why: &'static str,
    },
    /// A pass is complete, or a round of one.
    Finished {
        request: u64,
        pass: Arc<Pass>,
        /// None where most of it was there already.
        stats: Option<Stats>,
        /// Nothing will be better.
        settled: bool,
    },
    /// The view asks for a cap, and is drawn with it from now on.
    Measured {
        request: u64,
        max_iterations: u32,
    },
    /// No engine can do the job, or the one at work failed.
    Failed {
        request: u64,
        engine: &'static str,
        reason: String,
    },
    /// Another engine was timed on a settled view.
    Timed {
        request: u64,
        engine: &'static str,
        size: [u32; 2],
        stats: Stats,
    },
    /// An engine's samples were held against another's.
    Held {
        request: u64,
        engine: &'static str,
        differing: Differing,
    },
    /// An engine cannot do the settled view.
    Absent {
        request: u64,
        engine: &'static str,
        reason: String,
    },
    /// A subframe of a settled picture, and how long it took; none where the engine fails.
    Subframe {
        of: u64,
        subframe: Option<(Arc<Pass>, Duration)>,
    },
    /// A comparison goes on.
    Comparing {
        engine: &'static str,
        share: f32,
    },
    Compared(Comparison),
    /// The same of a race.
    Racing {
        id: u64,
        engine: &'static str,
        share: f32,
    },
    /// A race has ended; without a comparison where it gave way.
    Raced {
        id: u64,
        comparison: Option<Comparison>,
    },
}

enum Request {
    Draw { id: u64, job: Box<Job>, wish: Wish, mark: Latest },
    Compare { job: Box<Job>, mark: Latest },
    Race { id: u64, job: Box<Job>, mark: Latest },
    TimeOthers { of: u64, job: Box<Job>, drawn_by: &'static str, mark: Latest },
    Subframe { of: u64, settled: Arc<Pass>, jitter: Jitter, mark: Latest },
}

impl Request {
    fn is_subframe(&self) -> bool {
        matches!(self, Self::Subframe { .. })
    }
}

/// The window's end of the drawing thread, which stops when this is dropped.
pub struct Scheduler {
    requests: Sender<Request>,
    events: Receiver<Event>,
    newest: Newest,
    timing: Newest,
    antialiasing: Newest,
    last_id: u64,
    board: Arc<Board>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread needs of the machine.
pub struct Engines {
    pub engines: Vec<Box<dyn Engine>>,
    /// The adapter is a real GPU: `auto` may take it.
    pub hardware_gpu: bool,
    /// The window shows device fields, so GPU engines need not read back.
    pub takes_device_fields: bool,
}

impl Scheduler {
    /// Starts the thread. `wake` is called from it whenever there is something new.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(engines: Engines, wake: Wake) -> std::io::Result<Self> {
        let (requests, inbox) = channel();
        let (outbox, events) = channel();
        let (timing, board) = (Newest::default(), Arc::new(Board::default()));
        let worker = Worker {
            engines,
            inbox,
            outbox,
            wake,
            timing: timing.clone(),
            board: board.clone(),
            drawn: None,
            adder: None,
            waiting: None,
            complete: None,
            weaver: Weaver::default(),
            paces: HashMap::new(),
        };
        let thread = std::thread::Builder::new().name("drawing".into()).spawn(move || worker.run())?;
        let newest = Newest::default();
        let antialiasing = Newest::default();
        Ok(Self { requests, events, newest, timing, antialiasing, last_id: 0, board, thread: Some(thread) })
    }

    /// Draws a job, and abandons whatever was drawn before. Returns the request's number.
    pub(super) fn draw(&mut self, job: Job, wish: Wish) -> u64 {
        self.last_id += 1;
        self.give_way();
        self.stop_antialiasing();
        let mark = self.newest.next();
        let job = Box::new(job);
        self.send(Request::Draw { id: self.last_id, job, wish, mark });
        self.last_id
    }

    /// Runs every engine on a job, and abandons whatever was drawn before.
    pub fn compare(&mut self, job: Job) {
        self.give_way();
        self.stop_antialiasing();
        let mark = self.newest.next();
        self.send(Request::Compare { job: Box::new(job), mark });
    }

    /// Times every able engine on a settled job, and gives way as those do that are only being timed.
    pub fn race(&mut self, id: u64, job: Job) {
        let mark = self.timing.next();
        self.send(Request::Race { id, job: Box::new(job), mark });
    }

    /// Times the engines that did not draw a settled job: somebody looks at their times only now.
    pub(super) fn time_others(&mut self, of: u64, job: Job, drawn_by: &'static str) {
        let mark = self.newest.next();
        self.send(Request::TimeOthers { of, job: Box::new(job), drawn_by, mark });
    }

    /// Where tiles are noted for those who look.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Abandons the work of the moment.
    pub fn cancel(&self) {
        self.give_way();
        self.stop_antialiasing();
        self.newest.cancel();
    }

    /// Draws a settled picture again with its samples elsewhere within their pixels, once nothing else is to be done. One at a
    /// time: what was asked for before is abandoned.
    pub(super) fn subframe(&self, of: u64, settled: Arc<Pass>, jitter: Jitter) {
        self.send(Request::Subframe { of, settled, jitter, mark: self.antialiasing.next() });
    }

    /// Abandons the subframe at work.
    pub(super) fn stop_antialiasing(&self) {
        self.antialiasing.cancel();
    }

    /// Ends the timing of engines that are not at work: someone wants the machine.
    pub fn give_way(&self) {
        self.timing.cancel();
    }

    /// What has happened since the last call.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.try_iter()
    }

    fn send(&self, request: Request) {
        // The thread ends only when this sender is gone, or by a panic that has been reported.
        let _ = self.requests.send(request);
    }
}

impl Drop for Scheduler {
    /// Waits for the thread: a driver that it still called while the window system goes would crash.
    fn drop(&mut self) {
        self.cancel();
        // With the last sender gone the thread's inbox ends.
        self.requests = channel().0;
        let Some(thread) = self.thread.take() else { return };
        let deadline = Instant::now() + LONGEST_FAREWELL;
        while !thread.is_finished() {
            if Instant::now() > deadline {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // A panic of the thread has been reported where it happened.
        let _ = thread.join();
    }
}

struct Worker {
    engines: Engines,
    inbox: Receiver<Request>,
    outbox: Sender<Event>,
    wake: Wake,
    timing: Newest,
    board: Arc<Board>,
    /// The diagram drawn last.
    drawn: Option<Arc<Pass>>,
    /// Adds rounds on the device, since there was one.
    adder: Option<DiagramSum>,
    /// The picture of samples that was completed last.
    complete: Option<Complete>,
    weaver: Weaver,
    /// Seconds that each engine took for a sample the last time.
    paces: HashMap<&'static str, f64>,
    /// A subframe that something else came before.
    waiting: Option<Request>,
}

impl Worker {
    fn run(mut self) {
        while let Some(request) = self.next_request() {
            match request {
                Request::Draw { id, mut job, wish, mark } => {
                    let settled = self.draw(id, &mut job, wish, &mark);
                    if let (Some(engine), true) = (settled, wish.time_others) {
                        self.time_others(id, &job, engine, &mark);
                    }
                }
                Request::Compare { job, mark } => self.compare(&job, &mark),
                Request::Race { id, job, mark } => self.race(id, &job, &mark),
                Request::TimeOthers { of, job, drawn_by, mark } => self.time_others(of, &job, drawn_by, &mark),
                Request::Subframe { of, settled, jitter, mark } => self.subframe(of, &settled, jitter, &mark),
            }
        }
    }

    /// Waits for a request. Only the last of those that wait is wanted; a subframe comes after it.
    fn next_request(&mut self) -> Option<Request> {
        let mut request = match self.waiting.take() {
            Some(subframe) => subframe,
            None => self.inbox.recv().ok()?,
        };
        loop {
            match self.inbox.try_recv() {
                Ok(subframe @ Request::Subframe { .. }) if !request.is_subframe() => self.waiting = Some(subframe),
                Ok(newer) => {
                    let older = std::mem::replace(&mut request, newer);
                    if older.is_subframe() && !request.is_subframe() {
                        self.waiting = Some(older);
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Some(request),
            }
        }
    }

    fn tell(&self, event: Event) {
        let _ = self.outbox.send(event);
        (self.wake)();
    }

    /// Draws coarse to fine; gives the engine's key once the picture is settled.
    fn draw(&mut self, request: u64, job: &mut Job, wish: Wish, mark: &Latest) -> Option<&'static str> {
        for engine in &self.engines.engines {
            if let Err(error) = engine.supports(job) {
                self.tell(Event::Absent { request, engine: engine.key(), reason: error.to_string() });
            }
        }
        self.board.clear();
        match self.pick(job, wish.choice) {
            Ok(_) if mark.is_stale() => None,
            Ok(choice) if let Task::Space(task) = &job.task => self.draw_scene(request, job, task, choice, mark),
            Ok(choice) if job.orbits().is_some() => self.draw_rounds(request, job, choice, mark),
            Ok(choice) => self.draw_samples(request, job, choice, wish, mark),
            Err(error) => {
                self.tell(Event::Failed { request, engine: "auto", reason: error.to_string() });
                None
            }
        }
    }

    /// Renders with an engine, and notes its tiles where somebody looks.
    fn render(&mut self, key: &'static str, job: &Job, mark: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
        let board = self.board.clone();
        board.watch(job, key, sink, |sink| guarded(self.engine(key), job, mark, sink))
    }

    /// Whether another engine is there for a job that the one of that key failed at.
    fn may_fall_back(&self, key: &str, job: &Job) -> bool {
        let fallback = self.engines.engines.iter().find(|engine| engine.key() == FALLBACK);
        key != FALLBACK && fallback.is_some_and(|engine| engine.supports(job).is_ok())
    }

    /// The engine asked for where it is able, else the one that `auto` takes.
    fn pick(&self, job: &Job, choice: EngineChoice) -> Result<Choice, Unsupported> {
        if let EngineChoice::Named(key) = choice {
            let named = self.engines.engines.iter().find(|e| e.key() == key);
            if named.is_some_and(|e| e.supports(job).is_ok()) {
                return Ok(Choice { key, why: "chosen by you" });
            }
            let auto = choose(&self.engines.engines, job, self.engines.hardware_gpu)?;
            return Ok(Choice { why: "the engine chosen cannot do this view", ..auto });
        }
        choose(&self.engines.engines, job, self.engines.hardware_gpu)
    }

    fn engine(&mut self, key: &str) -> &mut dyn Engine {
        let found = self.engines.engines.iter_mut().find(|e| e.key() == key);
        found.expect("keys come from the engines themselves").as_mut()
    }

    fn compare(&mut self, job: &Job, mark: &Latest) {
        let (outbox, wake) = (Mutex::new(self.outbox.clone()), self.wake.clone());
        let progress = |engine, share| {
            let _ = outbox.lock().expect("nothing panics here").send(Event::Comparing { engine, share });
            wake();
        };
        if let Ok(comparison) = compare(&mut self.engines.engines, job, mark, progress) {
            self.tell(Event::Compared(comparison));
        }
    }
}

/// Renders, and turns an engine's bug into an error: the other engines go on.
fn guarded(engine: &mut dyn Engine, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
    let render = AssertUnwindSafe(|| crate::engine::render(engine, job, latest, sink));
    catch_unwind(render).unwrap_or(Err(RenderError::Bug))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Machine, all};
    use crate::render::{Channels, Field, HostSink, Lattice, Quality, Shortcuts};
    use crate::view::{Mandelbrot, ParamValue, View as _};

    fn scheduler() -> Scheduler {
        let engines = all(&Machine::without_gpu(2).unwrap());
        Scheduler::start(Engines { engines, hardware_gpu: false, takes_device_fields: false }, Arc::new(|| {})).unwrap()
    }

    fn job(height: &str, cap: u32) -> Job {
        let mut view = Mandelbrot::at_home([96, 64]);
        view.set_param("max_iterations", ParamValue::Count(cap)).unwrap();
        let center = view.viewport().center().clone();
        view.set_viewport(crate::render::Viewport::new(center, height.parse().unwrap(), [96, 64]).unwrap());
        Job {
            viewport: view.viewport().clone(),
            lattice: Lattice::FULL,
            task: view.task(),
            channels: Channels { smooth: true, ..Channels::default() },
            quality: Quality::Exact,
            shortcuts: Shortcuts::NONE,
            focus: [48.0, 32.0],
        }
    }

    fn wish(choice: EngineChoice, time_others: bool) -> Wish {
        Wish { choice, redraws: 0, time_others, automatic_iterations: false, full_resolution: false }
    }

    fn wait_for(scheduler: &Scheduler, wanted: impl Fn(&Event) -> bool) -> Event {
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            if let Some(event) = scheduler.events().find(&wanted) {
                return event;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("nothing came within 20 s");
    }

    #[test]
    fn the_settled_picture_equals_a_fresh_render() {
        let mut scheduler = scheduler();
        for cap in [50, 60, 70] {
            scheduler.draw(job("2.5", cap), wish(EngineChoice::Auto, false));
        }
        let last = scheduler.draw(job("2.5", 200), wish(EngineChoice::Auto, false));
        let event = wait_for(
            &scheduler,
            |e| matches!(e, Event::Finished { request, pass, .. } if *request == last && pass.job.lattice == Lattice::FULL),
        );
        let Event::Finished { pass, .. } = event else { unreachable!() };
        let mut field = Field::missing([96, 64]);
        crate::engine::Naive.render(&job("2.5", 200), &Latest::forever(), &HostSink::new(&mut field)).unwrap();
        assert_eq!(pass.samples().unwrap(), field);
    }

    #[test]
    fn a_newer_job_takes_over_within_50_ms() {
        let mut scheduler = scheduler();
        // Interior all over, without shortcuts: hours of work.
        scheduler.draw(job("1e-3", 2_000_000_000), wish(EngineChoice::Named("naive"), false));
        wait_for(&scheduler, |e| matches!(e, Event::Started { .. }));
        std::thread::sleep(Duration::from_millis(30));
        let asked = Instant::now();
        let id = scheduler.draw(job("2.5", 1), wish(EngineChoice::Named("naive"), false));
        wait_for(&scheduler, |e| matches!(e, Event::Started { request, .. } if *request == id));
        assert!(asked.elapsed() < Duration::from_millis(50), "took {:?}", asked.elapsed());
    }

    #[test]
    fn nothing_is_drawn_any_more_once_it_is_dropped() {
        let awake = Arc::new(|| {});
        let mut engines = all(&Machine::without_gpu(2).unwrap());
        engines.truncate(1);
        let engines = Engines { engines, hardware_gpu: false, takes_device_fields: false };
        let mut scheduler = Scheduler::start(engines, awake.clone()).unwrap();
        scheduler.draw(job("1e-3", 2_000_000_000), wish(EngineChoice::Named("naive"), false));
        wait_for(&scheduler, |e| matches!(e, Event::Started { .. }));
        let asked = Instant::now();
        drop(scheduler);
        assert!(asked.elapsed() < Duration::from_millis(200), "took {:?}", asked.elapsed());
        assert_eq!(Arc::strong_count(&awake), 1, "the thread is gone with all that it held");
    }

    #[test]
    fn views_too_deep_say_so_and_engines_that_cannot_are_replaced() {
        let mut scheduler = scheduler();
        scheduler.draw(job("1e-90000", 100), wish(EngineChoice::Auto, false));
        let Event::Failed { reason, .. } = wait_for(&scheduler, |e| matches!(e, Event::Failed { .. })) else {
            unreachable!()
        };
        assert!(reason.contains("zoom out"), "{reason}");
        scheduler.draw(job("2.5", 100), wish(EngineChoice::Named("gpu"), false));
        let Event::Started { pass, why, .. } = wait_for(&scheduler, |e| matches!(e, Event::Started { .. })) else {
            unreachable!()
        };
        assert_eq!((pass.engine, why), ("tiles", "the engine chosen cannot do this view"));
    }

    #[test]
    fn other_engines_are_timed_once_the_view_settles() {
        let mut scheduler = scheduler();
        scheduler.draw(job("2.5", 100), wish(EngineChoice::Auto, true));
        // Those that cannot do the view say so at once.
        wait_for(&scheduler, |e| matches!(e, Event::Absent { engine: "gpu", .. }));
        let event = wait_for(&scheduler, |e| matches!(e, Event::Timed { engine: "naive", .. }));
        let Event::Timed { size, stats, .. } = event else { unreachable!() };
        assert!(size[0] > 0 && stats.steps > 0);
    }
}
