//! Mouse and touchpad on the canvas, as commands.
//!
//! [`Gestures`] sees egui's events one by one and keeps only what a drag needs. Any sign that the
//! buttons are no longer ours (pointer gone, focus lost) ends a drag: none can stick.

use std::collections::VecDeque;

use egui::{Event, Modifiers, MouseWheelUnit, PointerButton, Pos2, Rect, TouchPhase};

use super::panels::Handles;
use crate::app::{Command, Course, Hands};

/// Magnification of one notch of the wheel, and of a fine one.
const NOTCH: f64 = 1.25;
const FINE_NOTCH: f64 = 1.05;
/// A touchpad scrolls about this many points where a wheel has one notch.
const POINTS_PER_NOTCH: f64 = 40.0;
const NOTCHES_PER_PAGE: f64 = 10.0;
/// Within this distance a press and a release are a click, in points.
const CLICK_DISTANCE: f32 = 4.0;
/// Lines are taken hold of within this distance, in points.
const HANDLE: f32 = 5.0;
/// A button that zooms while it is held has clicked if it comes up within this time, in seconds.
pub const CLICK: f64 = 0.2;
/// Two clicks within this time are a double-click, in seconds.
const DOUBLE_CLICK: f64 = 0.35;
/// The speed of a throw is that of the last moments before letting go, in seconds.
const THROW_MEMORY: f64 = 0.1;
/// A hand that rests this long before letting go throws nothing, in seconds.
const REST: f64 = 0.06;

/// What a canvas is at the time of an event.
#[derive(Clone, Copy, Debug)]
pub struct Canvas {
    /// In points.
    pub rect: Rect,
    pub pixels_per_point: f32,
    /// Nothing lies between the pointer and the canvas.
    pub pointer_on_top: bool,
    /// Seconds.
    pub time: f64,
    /// Two fingers on a touchpad pan instead of zoom.
    pub scroll_pans: bool,
    pub hands: Hands,
    pub handles: Handles,
}

impl Canvas {
    /// Place in pixels of the canvas, from its top left corner.
    pub fn pixel(&self, pos: Pos2) -> [f64; 2] {
        let offset = (pos - self.rect.min) * self.pixels_per_point;
        [f64::from(offset.x), f64::from(offset.y)]
    }

    /// What a press at a place takes hold of beside the picture.
    fn handle(&self, pos: Pos2) -> Option<DragKind> {
        let near = |y: Option<f32>| y.is_some_and(|y| (pos.y - y).abs() <= HANDLE);
        match () {
            () if near(self.handles.divider) => Some(DragKind::Divider),
            () if near(self.handles.section) => Some(DragKind::Section),
            () => None,
        }
    }

    /// Distance in pixels.
    fn pixels(&self, points: egui::Vec2) -> [f64; 2] {
        [points.x, points.y].map(|d| f64::from(d * self.pixels_per_point))
    }
}

#[derive(Default)]
pub struct Gestures {
    pos: Option<Pos2>,
    drag: Option<Drag>,
    last_click: Option<(f64, Pos2)>,
    space_held: bool,
    pinch: Trail<f64>,
}

struct Drag {
    kind: DragKind,
    button: PointerButton,
    from: Pos2,
    /// When it began, in seconds.
    since: f64,
    /// Farther from where it began than a click may be.
    moved: bool,
    trail: Trail<Pos2>,
}

/// The latest places of a hand, or of a pinch in e-folds, and their times.
#[derive(Default)]
struct Trail<T>(VecDeque<(f64, T)>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum DragKind {
    Pan,
    /// As [`Self::Pan`], but for cameras.
    Shift,
    Box,
    /// Zooms as long as it is held: in (1) or out (−1).
    Zoom(f64),
    /// Turns the picture about its middle.
    Turn,
    /// The line of a section.
    Section,
    /// The line between two halves.
    Divider,
}

impl Gestures {
    /// The box being drawn, corner to corner, in points.
    pub fn drawn_box(&self) -> Option<Rect> {
        let drag = self.drag.as_ref().filter(|d| d.kind == DragKind::Box && d.moved)?;
        Some(Rect::from_two_pos(drag.from, self.pos?))
    }

    /// Shows by the pointer's shape what a press would take hold of.
    pub fn point_out_handles(&self, ctx: &egui::Context, canvas: &Canvas) {
        let held = self.drag.as_ref().map(|drag| drag.kind);
        let over = self.pos.filter(|_| canvas.pointer_on_top && held.is_none()).and_then(|pos| canvas.handle(pos));
        if matches!(held.or(over), Some(DragKind::Section | DragKind::Divider)) {
            ctx.set_cursor_icon(egui::CursorIcon::ResizeVertical);
        }
    }

    /// True while the picture is held.
    pub fn is_panning(&self) -> bool {
        self.drag.as_ref().is_some_and(|d| matches!(d.kind, DragKind::Pan | DragKind::Shift) && d.moved)
    }

    /// The steady motion that a held button asks for: a zoom steered by the pointer, clamped to the canvas.
    pub fn course(&self, canvas: &Canvas) -> Course {
        let (Some(Drag { kind: DragKind::Zoom(way), .. }), Some(pos)) = (&self.drag, self.pos) else {
            return Course::default();
        };
        let about_px = Some(canvas.pixel(pos.clamp(canvas.rect.min, canvas.rect.max)));
        Course { zoom: way * canvas.hands.zoom_speed.factor().ln(), about_px, ..Course::default() }
    }

    /// Takes a pinch of two fingers on a touchpad by `delta` e-folds. Lifted fingers let it glide on.
    pub fn pinch(&mut self, delta: f64, phase: TouchPhase, canvas: &Canvas, commands: &mut Vec<Command>) {
        if phase == TouchPhase::Start {
            self.pinch = Trail::default();
            commands.push(Command::Hold);
        }
        let Some(pos) = self.pos.filter(|pos| canvas.pointer_on_top && canvas.rect.contains(*pos)) else { return };
        let about_px = canvas.pixel(pos);
        // Some systems report nonsense now and then.
        if delta.is_finite() && delta != 0.0 {
            let so_far = self.pinch.last().unwrap_or(0.0);
            self.pinch.push(canvas.time, so_far + delta);
            commands.push(Command::ZoomNow { factor: delta.exp(), about_px });
        }
        if phase == TouchPhase::End
            && let Some((seconds, from, to)) = self.pinch.ending(canvas.time)
        {
            commands.push(Command::ThrowZoom { speed: (to - from) / seconds, about_px });
        }
    }

    /// Takes one event, and adds the commands that it means.
    pub fn event(&mut self, event: &Event, canvas: &Canvas, commands: &mut Vec<Command>) {
        match event {
            Event::PointerMoved(pos) => self.moved(*pos, canvas, commands),
            Event::PointerButton { pos, button, pressed: true, modifiers } => {
                self.press(*pos, *button, *modifiers, canvas, commands);
            }
            Event::PointerButton { pos, button, pressed: false, modifiers } => {
                self.release(*pos, *button, *modifiers, canvas, commands);
            }
            Event::Key { key: egui::Key::Space, pressed, .. } => self.space_held = *pressed,
            Event::PointerGone => {
                self.drag = None;
                self.pos = None;
                commands.push(Command::Point { at_px: None });
            }
            Event::WindowFocused(false) => {
                self.drag = None;
                commands.push(Command::Hold);
            }
            Event::MouseWheel { unit, delta, modifiers, .. } if canvas.pointer_on_top => {
                self.wheel(*unit, *delta, *modifiers, canvas, commands);
            }
            Event::Zoom(factor) => self.pinch(f64::from(*factor).ln(), TouchPhase::Move, canvas, commands),
            _ => {}
        }
    }

    fn moved(&mut self, pos: Pos2, canvas: &Canvas, commands: &mut Vec<Command>) {
        let before = self.pos.replace(pos);
        let inside = canvas.pointer_on_top && canvas.rect.contains(pos);
        commands.push(Command::Point { at_px: inside.then(|| canvas.pixel(pos)) });
        let Some(drag) = &mut self.drag else { return };
        let was_moving = drag.moved;
        drag.moved |= drag.from.distance(pos) > CLICK_DISTANCE;
        drag.trail.push(canvas.time, pos);
        match drag.kind {
            DragKind::Pan | DragKind::Shift if drag.moved => {
                // The first move past the click distance makes up for those before it.
                let since = if was_moving { before.unwrap_or(drag.from) } else { drag.from };
                let by_px = canvas.pixels(pos - since);
                let is_pan = drag.kind == DragKind::Pan;
                commands.push(if is_pan { Command::Pan { by_px } } else { Command::Shift { by_px } });
            }
            DragKind::Turn => {
                let [from_px, to_px] = [before.unwrap_or(drag.from), pos].map(|pos| canvas.pixel(pos));
                commands.push(Command::DragTurn { from_px, to_px });
            }
            DragKind::Section => commands.push(Command::DragSection { at_px: canvas.pixel(pos) }),
            DragKind::Divider => {
                commands.push(Command::SetSplit(f64::from((pos.y - canvas.rect.top()) / canvas.rect.height())));
            }
            DragKind::Pan | DragKind::Shift | DragKind::Box | DragKind::Zoom(_) => {}
        }
    }

    fn press(
        &mut self,
        pos: Pos2,
        button: PointerButton,
        modifiers: Modifiers,
        canvas: &Canvas,
        commands: &mut Vec<Command>,
    ) {
        self.pos = Some(pos);
        if !canvas.pointer_on_top || !canvas.rect.contains(pos) || self.drag.is_some() {
            return;
        }
        let kind = match button {
            PointerButton::Primary if modifiers.shift && !self.space_held => DragKind::Box,
            PointerButton::Primary if modifiers.command || modifiers.ctrl => DragKind::Turn,
            PointerButton::Primary if let Some(handle) = canvas.handle(pos) => handle,
            PointerButton::Primary if canvas.hands.buttons_zoom && !self.space_held => DragKind::Zoom(1.0),
            PointerButton::Secondary if canvas.hands.buttons_zoom && !modifiers.shift => DragKind::Zoom(-1.0),
            PointerButton::Primary if !self.space_held => DragKind::Pan,
            PointerButton::Primary | PointerButton::Middle => DragKind::Shift,
            PointerButton::Secondary => DragKind::Box,
            _ => return,
        };
        commands.push(Command::Grasp { at_px: canvas.pixel(pos) });
        let mut trail = Trail::default();
        trail.push(canvas.time, pos);
        self.drag = Some(Drag { kind, button, from: pos, since: canvas.time, moved: false, trail });
    }

    fn release(
        &mut self,
        pos: Pos2,
        button: PointerButton,
        modifiers: Modifiers,
        canvas: &Canvas,
        commands: &mut Vec<Command>,
    ) {
        let Some(drag) = self.drag.take_if(|d| d.button == button) else { return };
        match (drag.kind, drag.moved) {
            (DragKind::Pan | DragKind::Shift, true) => {
                if let Some((seconds, from, to)) = drag.trail.ending(canvas.time) {
                    commands.push(Command::Throw { velocity_px: canvas.pixels((to - from) / seconds as f32) });
                }
            }
            (DragKind::Box, true) => {
                let [from_px, to_px] =
                    [drag.from, pos].map(|p| canvas.pixel(p.clamp(canvas.rect.min, canvas.rect.max)));
                commands.push(Command::ZoomToBox { from_px, to_px });
            }
            (DragKind::Zoom(_), _) if canvas.time - drag.since > CLICK => {}
            (_, false) if button == PointerButton::Primary => self.click(pos, modifiers, canvas, commands),
            _ => {}
        }
    }

    fn click(&mut self, pos: Pos2, modifiers: Modifiers, canvas: &Canvas, commands: &mut Vec<Command>) {
        let double = self
            .last_click
            .take_if(|(time, at)| canvas.time - *time < DOUBLE_CLICK && at.distance(pos) < 2.0 * CLICK_DISTANCE);
        if double.is_none() {
            self.last_click = Some((canvas.time, pos));
            commands.push(Command::PinPoint { at_px: Some(canvas.pixel(pos)) });
            return;
        }
        let factor = if modifiers.shift { 0.5 } else { 2.0 };
        commands.push(Command::Zoom { factor, about_px: canvas.pixel(pos) });
    }

    fn wheel(
        &mut self,
        unit: MouseWheelUnit,
        delta: egui::Vec2,
        modifiers: Modifiers,
        canvas: &Canvas,
        commands: &mut Vec<Command>,
    ) {
        let Some(pos) = self.pos.filter(|p| canvas.rect.contains(*p)) else { return };
        let fingers = unit == MouseWheelUnit::Point;
        if fingers && canvas.scroll_pans && !modifiers.ctrl && !modifiers.command {
            commands.push(Command::Pan { by_px: canvas.pixels(delta) });
            return;
        }
        // Horizontal motion alone never zooms: Shift turns the wheel sideways on some systems.
        let notches = match unit {
            MouseWheelUnit::Line => f64::from(delta.y),
            MouseWheelUnit::Point => f64::from(delta.y) / POINTS_PER_NOTCH,
            MouseWheelUnit::Page => f64::from(delta.y) * NOTCHES_PER_PAGE,
        };
        if !notches.is_finite() || notches == 0.0 {
            return;
        }
        let about_px = canvas.pixel(pos);
        let factor = |base: f64| base.powf(notches.clamp(-50.0, 50.0));
        commands.push(match (modifiers.alt, modifiers.shift) {
            (true, true) => Command::ZoomOrdinate { factor: factor(NOTCH), about_px },
            (true, false) => Command::Zoom { factor: factor(FINE_NOTCH), about_px },
            (false, _) => Command::Zoom { factor: factor(NOTCH), about_px },
        });
    }
}

impl<T: Copy> Trail<T> {
    fn push(&mut self, time: f64, place: T) {
        self.0.push_back((time, place));
        while self.0.front().is_some_and(|(begun, _)| time - begun > THROW_MEMORY) {
            self.0.pop_front();
        }
    }

    fn last(&self) -> Option<T> {
        self.0.back().map(|(_, place)| *place)
    }

    /// The last moments before `time`: how many seconds, from where, and to where; none where the hand had come to rest.
    fn ending(&self, time: f64) -> Option<(f64, T, T)> {
        let (&(t0, from), &(t1, to)) = (self.0.front()?, self.0.back()?);
        let rested = time - t1 > REST;
        (!rested && t1 > t0).then_some((t1 - t0, from, to))
    }
}

#[cfg(test)]
mod tests {
    use egui::{pos2, vec2};

    use super::*;

    fn canvas(time: f64) -> Canvas {
        Canvas {
            rect: Rect::from_min_size(pos2(280.0, 0.0), vec2(1000.0, 800.0)),
            pixels_per_point: 2.0,
            pointer_on_top: true,
            time,
            scroll_pans: false,
            hands: Hands::default(),
            handles: Handles::default(),
        }
    }

    fn button(x: f32, y: f32, button: PointerButton, pressed: bool, modifiers: Modifiers) -> Event {
        Event::PointerButton { pos: pos2(x, y), button, pressed, modifiers }
    }

    fn wheel(unit: MouseWheelUnit, x: f32, y: f32, modifiers: Modifiers) -> Event {
        Event::MouseWheel {
            unit,
            delta: vec2(x, y),
            modifiers,
            phase: TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
        }
    }

    /// Plays events 10 ms apart and collects the commands, pointer reports apart.
    fn play(gestures: &mut Gestures, events: &[Event]) -> Vec<Command> {
        let mut commands = Vec::new();
        for (i, event) in events.iter().enumerate() {
            gestures.event(event, &canvas(i as f64 * 0.01), &mut commands);
        }
        commands.retain(|c| !matches!(c, Command::Point { .. } | Command::Grasp { .. } | Command::Hold));
        commands
    }

    fn total_zoom(commands: &[Command]) -> f64 {
        commands.iter().map(|c| if let Command::Zoom { factor, .. } = c { *factor } else { 1.0 }).product()
    }

    const PLAIN: Modifiers = Modifiers::NONE;

    #[test]
    fn a_scroll_zooms_by_its_distance_not_by_its_events() {
        for (events, points) in [(1, 50.0), (10, 5.0), (50, 1.0)] {
            let mut all = vec![Event::PointerMoved(pos2(500.0, 300.0))];
            all.extend((0..events).map(|_| wheel(MouseWheelUnit::Point, 0.0, points, PLAIN)));
            let factor = total_zoom(&play(&mut Gestures::default(), &all));
            assert!((factor / NOTCH.powf(1.25) - 1.0).abs() < 1e-6, "{events} events: {factor}");
        }
    }

    #[test]
    fn lines_points_and_modifiers_mean_what_they_should() {
        // (unit, x, y, modifiers, factor, why)
        for (unit, x, y, modifiers, factor, why) in [
            (MouseWheelUnit::Line, 0.0, 1.0, PLAIN, 1.25, "a notch"),
            (MouseWheelUnit::Point, 0.0, 40.0, PLAIN, 1.25, "as far with fingers"),
            (MouseWheelUnit::Line, 0.0, -1.0, PLAIN, 0.8, "back"),
            (MouseWheelUnit::Line, 0.0, 1.0, Modifiers::CTRL, 1.25, "a pinch on Windows"),
            (MouseWheelUnit::Line, 0.0, 1.0, Modifiers::ALT, 1.05, "fine"),
            (MouseWheelUnit::Line, 3.0, 0.0, Modifiers::SHIFT, 1.0, "sideways alone never zooms"),
            (MouseWheelUnit::Line, 0.0, f32::NAN, PLAIN, 1.0, "nonsense is ignored"),
        ] {
            let events = [Event::PointerMoved(pos2(500.0, 300.0)), wheel(unit, x, y, modifiers)];
            let got = total_zoom(&play(&mut Gestures::default(), &events));
            assert!((got - factor).abs() < 1e-9, "{why}: {got}");
        }
    }

    #[test]
    fn places_are_physical_pixels_of_the_canvas() {
        let events = [Event::PointerMoved(pos2(280.5, 399.5)), wheel(MouseWheelUnit::Line, 0.0, 1.0, PLAIN)];
        let commands = play(&mut Gestures::default(), &events);
        assert_eq!(commands, [Command::Zoom { factor: 1.25, about_px: [1.0, 799.0] }]);
    }

    #[test]
    fn drags_pan_and_throw_and_a_rested_hand_does_not() {
        let press = button(400.0, 300.0, PointerButton::Primary, true, PLAIN);
        let mut gestures = Gestures::default();
        let moves = (1..=5).map(|i| Event::PointerMoved(pos2(400.0 + 10.0 * i as f32, 300.0)));
        let mut events: Vec<Event> = std::iter::once(press).chain(moves).collect();
        events.push(button(450.0, 300.0, PointerButton::Primary, false, PLAIN));
        let commands = play(&mut gestures, &events);
        let panned: f64 = commands.iter().map(|c| if let Command::Pan { by_px } = c { by_px[0] } else { 0.0 }).sum();
        assert!((panned - 100.0).abs() < 1e-3, "the picture stays under the pointer: {panned}");
        let Some(Command::Throw { velocity_px }) = commands.last() else { panic!("{commands:?}") };
        assert!((velocity_px[0] - 2000.0).abs() < 1.0, "{velocity_px:?}");

        let mut commands = Vec::new();
        for event in &events[..events.len() - 1] {
            gestures.event(event, &canvas(0.0), &mut commands);
        }
        gestures.event(&events[6], &canvas(1.0), &mut commands);
        assert!(!commands.iter().any(|c| matches!(c, Command::Throw { .. })));
    }

    #[test]
    fn lines_are_taken_hold_of() {
        for (handles, moved, why) in [
            (
                Handles { section: Some(302.0), divider: None },
                Command::DragSection { at_px: [240.0, 700.0] },
                "section",
            ),
            (
                Handles { section: Some(302.0), divider: Some(298.0) },
                Command::SetSplit(0.4375),
                "the divider is on top",
            ),
        ] {
            let canvas = Canvas { handles, ..canvas(0.0) };
            let (mut gestures, mut commands) = (Gestures::default(), Vec::new());
            gestures.event(&button(400.0, 300.0, PointerButton::Primary, true, PLAIN), &canvas, &mut commands);
            gestures.event(&Event::PointerMoved(pos2(400.0, 350.0)), &canvas, &mut commands);
            assert_eq!(commands.last(), Some(&moved), "{why}");
        }
    }

    #[test]
    fn no_drag_sticks() {
        let press = || button(400.0, 300.0, PointerButton::Primary, true, PLAIN);
        let out = Event::PointerMoved(pos2(-500.0, -500.0));
        for lost in [Event::PointerGone, Event::WindowFocused(false)] {
            let mut gestures = Gestures::default();
            play(&mut gestures, &[press(), out.clone(), lost]);
            let after = play(&mut gestures, &[Event::PointerMoved(pos2(600.0, 300.0))]);
            assert!(after.is_empty(), "{after:?}");
        }
        // A double-click may arrive as two presses and one release.
        let mut gestures = Gestures::default();
        let release = button(400.0, 300.0, PointerButton::Primary, false, PLAIN);
        play(&mut gestures, &[press(), press(), release]);
        assert!(play(&mut gestures, &[Event::PointerMoved(pos2(600.0, 300.0))]).is_empty());
    }

    #[test]
    fn boxes_zoom_and_are_clamped_to_the_canvas() {
        for (which, modifiers) in [(PointerButton::Primary, Modifiers::SHIFT), (PointerButton::Secondary, PLAIN)] {
            let events = [
                button(380.0, 100.0, which, true, modifiers),
                Event::PointerMoved(pos2(480.0, 200.0)),
                Event::PointerMoved(pos2(100.0, -50.0)),
                button(100.0, -50.0, which, false, modifiers),
            ];
            let commands = play(&mut Gestures::default(), &events);
            assert_eq!(commands, [Command::ZoomToBox { from_px: [200.0, 200.0], to_px: [0.0, 0.0] }]);
        }
    }

    #[test]
    fn double_clicks_zoom_and_single_clicks_keep_the_place() {
        for (modifiers, factor) in [(PLAIN, 2.0), (Modifiers::SHIFT, 0.5)] {
            let click = |pressed| button(500.0, 300.0, PointerButton::Primary, pressed, modifiers);
            let mut gestures = Gestures::default();
            let pinned = play(&mut gestures, &[click(true), click(false)]);
            assert_eq!(pinned, [Command::PinPoint { at_px: Some([440.0, 600.0]) }]);
            let commands = play(&mut gestures, &[click(true), click(false)]);
            assert_eq!(commands, [Command::Zoom { factor, about_px: [440.0, 600.0] }]);
        }
    }

    #[test]
    fn a_pinch_zooms_at_the_pointer() {
        let events = [Event::PointerMoved(pos2(500.0, 300.0)), Event::Zoom(1.1), Event::Zoom(f32::NAN)];
        let commands = play(&mut Gestures::default(), &events);
        assert!(matches!(commands[0], Command::ZoomNow { about_px: [440.0, 600.0], .. }));
    }

    #[test]
    fn a_drag_ends_with_its_button_however_that_is_told() {
        let press = button(400.0, 300.0, PointerButton::Primary, true, PLAIN);
        let moved = |x| Event::PointerMoved(pos2(x, 300.0));
        // (what happens after the press and a move, why)
        for (events, why) in [
            (vec![Event::PointerGone, moved(900.0)], "released outside, and back without a button"),
            (vec![moved(-500.0), Event::PointerGone, moved(500.0)], "dragged far out first"),
            (vec![Event::WindowFocused(false), moved(500.0)], "focus lost in the middle"),
            (
                vec![press.clone(), button(420.0, 300.0, PointerButton::Primary, false, PLAIN), moved(500.0)],
                "two presses",
            ),
        ] {
            for buttons_zoom in [false, true] {
                let mut gestures = Gestures::default();
                let mut commands = Vec::new();
                let canvas = |i: usize| {
                    let hands = Hands { buttons_zoom, ..Hands::default() };
                    Canvas { hands, ..canvas(i as f64 * 0.1) }
                };
                for (i, event) in [press.clone(), moved(420.0)].iter().chain(&events).enumerate() {
                    if i == 2 {
                        assert_eq!(gestures.course(&canvas(i)).is_still(), !buttons_zoom);
                        commands.clear();
                    }
                    gestures.event(event, &canvas(i), &mut commands);
                }
                assert!(!gestures.is_panning() && gestures.course(&canvas(9)).is_still(), "{why}");
                let pans = commands.iter().filter(|c| matches!(c, Command::Pan { .. })).count();
                assert!(pans <= usize::from(!buttons_zoom && why == "dragged far out first"), "{why}: {commands:?}");
            }
        }
    }

    #[test]
    fn a_pinch_glides_on_at_its_last_speed_unless_the_fingers_rested() {
        for (rest, expected) in [(0.0, Some(2.0)), (0.2, None)] {
            let (mut gestures, mut commands) = (Gestures::default(), Vec::new());
            gestures.event(&Event::PointerMoved(pos2(500.0, 300.0)), &canvas(0.0), &mut commands);
            commands.clear();
            gestures.pinch(0.0, TouchPhase::Start, &canvas(0.0), &mut commands);
            assert_eq!(commands, [Command::Hold]);
            for i in 1..=10 {
                let delta = if i % 4 == 0 { f64::NAN } else { 0.02 };
                gestures.pinch(delta, TouchPhase::Move, &canvas(f64::from(i) * 0.01), &mut commands);
            }
            let zoomed: f64 =
                commands.iter().map(|c| if let Command::ZoomNow { factor, .. } = c { factor.ln() } else { 0.0 }).sum();
            assert!((zoomed - 8.0 * 0.02).abs() < 1e-12, "{zoomed}");
            commands.clear();
            gestures.pinch(0.0, TouchPhase::End, &canvas(0.1 + rest), &mut commands);
            let speed = commands
                .iter()
                .find_map(|c| if let Command::ThrowZoom { speed, .. } = c { Some(*speed) } else { None });
            match (speed, expected) {
                (Some(speed), Some(expected)) => assert!((speed - expected).abs() < 0.6, "{speed}"),
                (speed, expected) => assert_eq!(speed, expected),
            }
        }
    }
}
