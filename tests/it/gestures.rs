//! Trials of hands on a picture in the making: at any depth, size, scale and number of threads the picture at rest is the
//! one that a fresh render gives, and nothing loses its place on the way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cardioid::app::{Command, EngineChoice, Explorer, OverlayMode, State};
use cardioid::engine::{Engine as _, Machine, Naive};
use cardioid::math::philox::philox;
use cardioid::render::{Field, HostSink, Job, Latest, Viewport};
use cardioid::ui::desk::Desk;
use cardioid::ui::theme;
use cardioid::view::ParamValue;
use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton, Pos2, RawInput, Rect, ViewportId, pos2, vec2};

const FRAME: f64 = 1.0 / 60.0;
const SEAHORSE: [&str; 2] = ["-0.743643887037151", "0.131825904205330"];

/// How much of a trial is done: all of it with `SLOW=1`.
fn of(all: u32, few: u32) -> u32 {
    if std::env::var_os("SLOW").is_some_and(|slow| slow != "0") { all } else { few }
}

/// Numbers in [0, 1) that depend on seed and place alone.
fn dice(seed: u32, i: u32) -> [f64; 4] {
    philox([i, 0, 0, 0], [seed, 0]).map(|word| f64::from(word) / (f64::from(u32::MAX) + 1.0))
}

fn explorer(size: [u32; 2], threads: usize) -> Explorer {
    let mut state = State::new(size);
    state.live_timings = false;
    Explorer::start(state, &Machine::without_gpu(threads).unwrap(), false, Arc::new(|| {})).unwrap()
}

fn pass(explorer: &mut Explorer) {
    explorer.state.tick(FRAME);
    explorer.frame();
}

fn settle(explorer: &mut Explorer) {
    let deadline = Instant::now() + Duration::from_secs(60);
    pass(explorer);
    while explorer.is_busy() {
        assert!(Instant::now() < deadline, "the picture never settles");
        std::thread::sleep(Duration::from_millis(1));
        pass(explorer);
    }
}

fn shown(explorer: &Explorer) -> Field {
    explorer.upper.film().newest().expect("a picture is shown").samples().unwrap()
}

fn fresh(job: &Job) -> Field {
    let mut field = Field::missing(job.size());
    Naive.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field
}

fn seahorse(state: &mut State, height: &str) {
    state.apply(Command::SetCenter { re: SEAHORSE[0].into(), im: SEAHORSE[1].into() });
    state.apply(Command::SetHeight(height.into()));
}

// Depth.

#[test]
fn the_point_under_the_pointer_stays_over_four_hundred_notches_far_beyond_all_floats() {
    let mut state = State::new([1280, 800]);
    seahorse(&mut state, "1e-200");
    let about_px = [977.0, 131.0];
    let anchor = state.viewport().plane_from_pixel(about_px);
    let height = state.viewport().height().clone();
    let mut worst = 0.0f64;
    for notch in 0..400 {
        let factor = if notch < 200 { 1.25 } else { 0.8 };
        state.apply(Command::Zoom { factor, about_px });
        // Some notches come before the one before is done.
        for _ in 0..1 + notch % 5 {
            state.tick(FRAME);
            let [x, y] = state.viewport().pixel_from_plane(&anchor);
            worst = worst.max((x - about_px[0]).hypot(y - about_px[1]));
        }
    }
    while state.is_moving() {
        state.tick(FRAME);
    }
    let [x, y] = state.viewport().pixel_from_plane(&anchor);
    worst = worst.max((x - about_px[0]).hypot(y - about_px[1]));
    println!("farthest from the pointer: {worst:e} pixels");
    assert!(worst < 0.5, "{worst} pixels from the pointer");
    let ratio = state.viewport().height().to_float_exp().div(height.to_float_exp()).to_f64();
    assert!((ratio - 1.0).abs() < 1e-9, "200 in and 200 out are {ratio}");
}

// Pictures in the making.

#[test]
fn a_burst_of_zooms_outwards_ends_in_a_fresh_picture_whatever_the_threads() {
    for seed in 0..of(50, 8) {
        let threads = 1 + seed as usize % 8;
        let mut explorer = explorer([150, 100], threads);
        explorer.state.apply(Command::SetParam { key: "max_iterations", value: ParamValue::Count(400) });
        let [depth, x, y, _] = dice(seed, 1000);
        seahorse(&mut explorer.state, &format!("{:e}", 10f64.powf(-1.0 - 5.0 * depth)));
        settle(&mut explorer);
        let begun = Instant::now();
        for notch in 0..20 {
            explorer.state.apply(Command::Zoom { factor: 0.8, about_px: [150.0 * x, 100.0 * y] });
            pass(&mut explorer);
            let due = Duration::from_millis(10 * (notch + 1));
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        settle(&mut explorer);
        let job = explorer.state.job();
        assert!(shown(&explorer) == fresh(&job), "seed {seed}, {threads} threads: {:?}", job.viewport.height());
    }
}

#[test]
fn palette_iterations_and_zoom_may_change_at_once_and_the_picture_is_of_one_piece() {
    let mut explorer = explorer([150, 100], 3);
    seahorse(&mut explorer.state, "0.01");
    settle(&mut explorer);
    let rounds = of(200, 40);
    for round in 0..rounds {
        let [a, b, c, d] = dice(7, round);
        let cap = 100 + (2000.0 * c) as u32;
        let commands = [
            Command::NextPalette,
            Command::SetParam { key: "max_iterations", value: ParamValue::Count(cap) },
            Command::Zoom { factor: if round % 2 == 0 { 1.25 } else { 0.8 }, about_px: [150.0 * a, 100.0 * b] },
        ];
        for command in commands {
            explorer.state.apply(command);
            pass(&mut explorer);
            std::thread::sleep(Duration::from_millis((16.0 * d) as u64));
        }
        if round % 10 == 9 {
            settle(&mut explorer);
            let job = explorer.state.job();
            assert_eq!(job.max_iterations(), cap, "round {round}");
            assert!(shown(&explorer) == fresh(&job), "round {round}");
            assert_eq!(explorer.upper.film().newest().unwrap().job.viewport, job.viewport);
        }
    }
}

#[test]
fn a_storm_of_sizes_keeps_the_place_and_always_shows_something() {
    let mut explorer = explorer([160, 120], 2);
    seahorse(&mut explorer.state, "0.02");
    settle(&mut explorer);
    let place = explorer.state.viewport().clone();
    for step in 0..300 {
        let [a, b, c, _] = dice(3, step);
        let size = [a, b].map(|side| 1 + (240.0 * side) as u32);
        explorer.state.apply(Command::Resize { size });
        pass(&mut explorer);
        let now = explorer.state.viewport();
        assert_eq!((now.center(), now.height(), now.size()), (place.center(), place.height(), size), "step {step}");
        let pictures = explorer.upper.film().pictures();
        assert!(pictures.iter().any(|pass| pass.progress() > 0.0), "nothing is seen in step {step}");
        if c < 0.3 {
            std::thread::sleep(Duration::from_millis((10.0 * c) as u64));
        }
    }
    settle(&mut explorer);
    assert!(shown(&explorer) == fresh(&explorer.state.job()));
}

#[test]
fn only_the_last_of_many_wishes_is_drawn_and_one_at_a_time() {
    let mut explorer = explorer([150, 100], 2);
    explorer.state.apply(Command::SetEngine(EngineChoice::Named("threads")));
    settle(&mut explorer);
    for step in 0..200 {
        explorer.state.apply(Command::Pan { by_px: [1.5, f64::from(step % 3)] });
        pass(&mut explorer);
        // One pass of the view is being filled at most; all others stay as they are.
        let versions = |explorer: &Explorer| -> Vec<_> {
            explorer.upper.film().pictures().iter().map(|pass| (Arc::as_ptr(pass), pass.version())).collect()
        };
        let before = versions(&explorer);
        std::thread::sleep(Duration::from_millis(1));
        let grown = versions(&explorer).iter().zip(&before).filter(|(now, before)| now != before).count();
        assert!(grown <= 1, "{grown} pictures are being filled at once in step {step}");
    }
    settle(&mut explorer);
    assert!(shown(&explorer) == fresh(&explorer.state.job()));
}

// The screen.

/// The window without its painter, at a scale.
struct Seat {
    desk: Desk,
    explorer: Explorer,
    size: [u32; 2],
    scale: f32,
    time: f64,
    /// Time until the next frame, by the last.
    delay: Duration,
    /// First pixel of the canvas.
    origin: [u32; 2],
}

impl Seat {
    fn new(size: [u32; 2]) -> Self {
        let ctx = egui::Context::default();
        theme::apply(&ctx);
        let explorer = explorer(size, 2);
        let (delay, origin) = (Duration::ZERO, [0; 2]);
        let mut seat = Self { desk: Desk::new(ctx), explorer, size, scale: 1.0, time: 0.0, delay, origin };
        (0..4).for_each(|_| seat.frame(Vec::new()));
        seat
    }

    fn frame(&mut self, events: Vec<Event>) {
        self.time += FRAME;
        let [width, height] = self.size.map(|side| side as f32 / self.scale);
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(width, height))),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        input.viewports.entry(ViewportId::ROOT).or_default().native_pixels_per_point = Some(self.scale);
        let mut laid = self.desk.frame(&mut self.explorer, FRAME, input, Vec::new());
        laid.shapes.textures.clear();
        (self.delay, self.origin) = (laid.delay, laid.origin);
    }

    fn frames(&mut self, n: usize) {
        (0..n).for_each(|_| self.frame(Vec::new()));
    }

    /// A place of the canvas, in pixels from its corner, as egui has it.
    fn at(&self, [x, y]: [f64; 2]) -> Pos2 {
        let [left, top] = self.origin.map(f64::from);
        pos2(((left + x) as f32) / self.scale, ((top + y) as f32) / self.scale)
    }

    fn viewport(&self) -> &Viewport {
        self.explorer.state.viewport()
    }

    fn rest(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        self.frames(2);
        while self.explorer.is_busy() {
            assert!(Instant::now() < deadline, "it never rests");
            std::thread::sleep(Duration::from_millis(1));
            self.frame(Vec::new());
        }
    }
}

fn notch() -> Event {
    Event::MouseWheel {
        unit: MouseWheelUnit::Line,
        delta: vec2(0.0, 1.0),
        modifiers: Modifiers::NONE,
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
    }
}

fn button(pos: Pos2, pressed: bool) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
}

#[test]
fn between_screens_of_unlike_scale_a_pixel_is_a_pixel() {
    let mut seat = Seat::new([1280, 800]);
    seat.explorer.state.apply(Command::SetHeight("0.5".into()));
    // In the smallest of these windows it lies on all of the canvas.
    seat.explorer.state.apply(Command::SetOverlay(OverlayMode::Off));
    let center = seat.viewport().center().clone();
    // (scale, size in pixels): a window keeps its size in points, or in pixels, as the system likes.
    for (scale, size) in [
        (1.25, [1600, 1000]),
        (1.5, [1920, 1200]),
        (2.0, [2560, 1600]),
        (2.0, [1281, 801]),
        (1.0, [1281, 801]),
        (1.5, [1281, 801]),
        (1.0, [1280, 800]),
    ] {
        (seat.scale, seat.size) = (scale, size);
        seat.frames(3);
        let canvas = seat.viewport().size();
        assert_eq!([seat.origin[0] + canvas[0], canvas[1]], size, "the canvas ends at the window's edge at {scale}");
        assert_eq!(seat.viewport().center(), &center, "the place stays");
        seat.rest();
        assert_eq!(seat.explorer.upper.film().newest().unwrap().job.size(), canvas, "a sample a pixel");
        let (before, place) = (seat.viewport().clone(), [201.0, 99.0]);
        let at = seat.at(place);
        seat.frame(vec![Event::PointerMoved(at)]);
        seat.frame(vec![notch()]);
        while seat.explorer.state.is_moving() {
            seat.frame(Vec::new());
        }
        let read = seat.explorer.state.pointer_px.expect("the pointer is on the canvas");
        assert!((read[0] - place[0]).hypot(read[1] - place[1]) < 0.01, "{read:?} at {scale}");
        let [x, y] = seat.viewport().pixel_from_plane(&before.plane_from_pixel(place));
        assert!((x - place[0]).hypot(y - place[1]) < 0.5, "{x}, {y} at {scale}");
        seat.explorer.state.apply(Command::Back);
    }
}

#[test]
fn a_drag_survives_nothing_that_takes_the_mouse_away() {
    let loss = |seat: &Seat| vec![Event::WindowFocused(false), button(seat.at([300.0, 200.0]), false)];
    let release_outside = |_: &Seat| vec![Event::PointerMoved(pos2(-50.0, 9000.0)), button(pos2(-50.0, 9000.0), false)];
    let gone = |_: &Seat| vec![Event::PointerGone];
    for (what, ending) in [
        ("focus lost", &loss as &dyn Fn(&Seat) -> Vec<Event>),
        ("a release outside the window", &release_outside),
        ("the pointer gone", &gone),
    ] {
        let mut seat = Seat::new([1000, 700]);
        let from = seat.at([200.0, 150.0]);
        seat.frame(vec![Event::PointerMoved(from)]);
        seat.frame(vec![button(from, true)]);
        for i in 0..10 {
            seat.frame(vec![Event::PointerMoved(from + vec2(3.0 * i as f32, 0.0))]);
        }
        let ending = ending(&seat);
        seat.frame(ending);
        while seat.explorer.state.is_moving() {
            seat.frame(Vec::new());
        }
        let before = seat.viewport().clone();
        for i in 0..10 {
            let to = seat.at([100.0 + 30.0 * f64::from(i), 300.0]);
            seat.frame(vec![Event::PointerMoved(to)]);
        }
        assert_eq!(seat.viewport(), &before, "the picture sticks to the hand after {what}");
    }
}

#[test]
fn a_screen_at_rest_asks_for_no_frame() {
    let mut seat = Seat::new([1000, 700]);
    for commands in [
        &["overlay full"][..],
        &["orbit", "point 300 200"],
        &["engine threads", "height 0.1", "panels"],
        &["keys"],
        &["keys", "view bifurcation"],
        &["pair"],
    ] {
        for line in commands {
            seat.explorer.state.apply(line.parse::<Command>().unwrap());
        }
        seat.rest();
        let deadline = Instant::now() + Duration::from_secs(20);
        // Lists unfold, notices fade.
        while seat.delay < Duration::from_secs(3600) || seat.explorer.state.next_change().is_some() {
            assert!(Instant::now() < deadline, "{commands:?}: a frame is wanted in {:?}", seat.delay);
            seat.frame(Vec::new());
        }
    }
}

#[test]
fn keys_and_wheels_in_the_middle_of_everything_leave_the_right_picture() {
    let mut seat = Seat::new([700, 500]);
    seahorse(&mut seat.explorer.state, "0.003");
    let keys = [Key::ArrowLeft, Key::ArrowUp, Key::P, Key::Plus, Key::Minus, Key::Num4, Key::Num5, Key::Tab, Key::O];
    for step in 0..of(1000, 200) {
        let [a, b, c, d] = dice(11, step);
        let at = seat.at([300.0 * a, 300.0 * b]);
        let key = |pressed| Event::Key {
            key: keys[(c * keys.len() as f64) as usize],
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        seat.frame(match (4.0 * d) as u32 {
            0 => vec![Event::PointerMoved(at), notch()],
            1 => vec![Event::PointerMoved(at), Event::Zoom(if step % 2 == 0 { f32::NAN } else { 0.9 })],
            _ => vec![key(true), key(false)],
        });
        assert!(seat.viewport().height().is_positive());
    }
    seat.rest();
    let job = seat.explorer.state.job();
    let newest = seat.explorer.upper.film().newest().unwrap();
    assert_eq!((&newest.job.viewport, newest.job.max_iterations()), (&job.viewport, job.max_iterations()));
}
