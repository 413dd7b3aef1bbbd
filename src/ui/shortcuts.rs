//! Keys: the one table behind the handler, the key sheet, the menus' hints and the tests.

use egui::{Event, Key, Modifiers};

use crate::app::{Command, Course, EngineChoice, Explorer, Landmark};
use crate::render::SpaceAxis;

/// One row: the keys, what they do, and the heading it stands under.
pub struct Binding {
    /// Any of these, by the name on the key cap; letters and signs count as they are typed.
    pub chords: &'static [Chord],
    /// As shown on the key sheet.
    pub keys: &'static str,
    pub text: &'static str,
    pub group: Group,
    act: Act,
}

/// What keys do.
#[derive(Clone, Copy)]
enum Act {
    Once(fn(&Explorer) -> Command),
    /// Again and again while the key is held down, as fast as the system repeats it.
    Repeated(fn(&Explorer) -> Command),
    /// A press is a step, if there is one, and the view moves steadily while the key is held down.
    Held(Option<fn(&Explorer) -> Command>, fn(&Explorer) -> Course),
}

impl Binding {
    /// What a press sends, at once or again.
    fn command(&self, explorer: &Explorer, is_repeat: bool) -> Option<Command> {
        match self.act {
            Act::Repeated(command) => Some(command(explorer)),
            Act::Once(command) | Act::Held(Some(command), _) if !is_repeat => Some(command(explorer)),
            Act::Once(_) | Act::Held(..) => None,
        }
    }

    /// The motion while the keys are held down, where there is one.
    pub fn course(&self) -> Option<fn(&Explorer) -> Course> {
        if let Act::Held(_, course) = self.act { Some(course) } else { None }
    }
}

/// A key with the modifiers it needs. `command` stands for Ctrl, and for Cmd on a Mac.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chord {
    pub key: Key,
    pub command: bool,
    pub alt: bool,
    /// `None` where Shift makes no difference: signs are typed with it on some layouts.
    pub shift: Option<bool>,
}

/// Headings of the key sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Move,
    Zoom,
    Places,
    Engines,
    Picture,
    Window,
}

impl Group {
    pub const ALL: &[Self] = &[Self::Move, Self::Zoom, Self::Places, Self::Engines, Self::Picture, Self::Window];

    pub fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Zoom => "Zoom",
            Self::Places => "Places",
            Self::Engines => "Engines",
            Self::Picture => "Picture",
            Self::Window => "Window",
        }
    }
}

const fn plain(key: Key) -> Chord {
    Chord { key, command: false, alt: false, shift: Some(false) }
}
const fn shift(key: Key) -> Chord {
    Chord { key, command: false, alt: false, shift: Some(true) }
}
const fn ctrl(key: Key) -> Chord {
    Chord { key, command: true, alt: false, shift: Some(false) }
}
const fn ctrl_shift(key: Key) -> Chord {
    Chord { key, command: true, alt: false, shift: Some(true) }
}
const fn alt(key: Key) -> Chord {
    Chord { key, command: false, alt: true, shift: Some(false) }
}
/// A sign: Shift belongs to the layout, and Ctrl makes no difference either way.
const fn sign(key: Key) -> Chord {
    Chord { key, command: false, alt: false, shift: None }
}
const fn ctrl_sign(key: Key) -> Chord {
    Chord { key, command: true, alt: false, shift: None }
}

const NOTCH: f64 = 1.25;
/// Steps of the arrow keys, in views, and of Q and E, in degrees.
const STEP: f64 = 0.1;
const FINE_STEP: f64 = 0.01;
const TURN: f64 = 15.0;
/// Steps in a second while a key is held down.
const STEPS_PER_SECOND: f64 = 6.0;
/// Degrees a second while Q or E is held down.
const TURN_PER_SECOND: f64 = 60.0;

/// Everything the keyboard does. What is not here is not bound, and what is here works.
pub static BINDINGS: &[Binding] = &[
    held(
        Group::Move,
        &[plain(Key::ArrowLeft)],
        "←  →  ↑  ↓",
        "by a tenth of the view; held, on and on",
        |_| glide(-STEP, 0.0),
        |_| pan(-STEP, 0.0),
    ),
    held_alike(Group::Move, &[plain(Key::ArrowRight)], |_| glide(STEP, 0.0), |_| pan(STEP, 0.0)),
    held_alike(Group::Move, &[plain(Key::ArrowUp)], |_| glide(0.0, STEP), |_| pan(0.0, STEP)),
    held_alike(Group::Move, &[plain(Key::ArrowDown)], |_| glide(0.0, -STEP), |_| pan(0.0, -STEP)),
    held(
        Group::Move,
        &[shift(Key::ArrowLeft)],
        "Shift ←  →  ↑  ↓",
        "by a hundredth of the view",
        |_| glide(-FINE_STEP, 0.0),
        |_| pan(-FINE_STEP, 0.0),
    ),
    held_alike(Group::Move, &[shift(Key::ArrowRight)], |_| glide(FINE_STEP, 0.0), |_| pan(FINE_STEP, 0.0)),
    held_alike(Group::Move, &[shift(Key::ArrowUp)], |_| glide(0.0, FINE_STEP), |_| pan(0.0, FINE_STEP)),
    held_alike(Group::Move, &[shift(Key::ArrowDown)], |_| glide(0.0, -FINE_STEP), |_| pan(0.0, -FINE_STEP)),
    held(
        Group::Move,
        &[plain(Key::Q)],
        "Q  E",
        "turn the picture, either way; held, on and on",
        |_| Command::Turn { degrees: TURN },
        |_| turn(1.0),
    ),
    held_alike(Group::Move, &[plain(Key::E)], |_| Command::Turn { degrees: -TURN }, |_| turn(-1.0)),
    once(Group::Move, &[shift(Key::Q)], "Shift Q", "upright again", |_| Command::Upright),
    once(Group::Zoom, &[plain(Key::U)], "U", "autopilot: flies towards detail by itself", |_| Command::ToggleAutopilot),
    flown(Group::Zoom, &[plain(Key::Z)], "Z held", "zoom in on the pointer, on and on", |e| {
        zoom(e, 1.0, e.state.pointer_px)
    }),
    flown(Group::Zoom, &[shift(Key::Z)], "Shift Z held", "zoom out, on and on", |e| zoom(e, -1.0, e.state.pointer_px)),
    held(
        Group::Zoom,
        &[sign(Key::Plus), sign(Key::Equals), plain(Key::PageUp), ctrl_sign(Key::Plus), ctrl_sign(Key::Equals)],
        "+ =  Page Up",
        "zoom in about the centre",
        |_| Command::ZoomCentre { factor: NOTCH },
        |e| zoom(e, 1.0, None),
    ),
    held(
        Group::Zoom,
        &[sign(Key::Minus), plain(Key::PageDown), ctrl_sign(Key::Minus)],
        "− _  Page Down",
        "zoom out about the centre",
        |_| Command::ZoomCentre { factor: 1.0 / NOTCH },
        |e| zoom(e, -1.0, None),
    ),
    once(Group::Zoom, &[plain(Key::Home), plain(Key::Num0), ctrl(Key::Num0)], "Home  0", "the whole set", |_| {
        Command::Home
    }),
    once(Group::Places, &[plain(Key::Backspace), alt(Key::ArrowLeft)], "Backspace  Alt ←", "view before", |_| {
        Command::Back
    }),
    once(
        Group::Places,
        &[shift(Key::Backspace), alt(Key::ArrowRight)],
        "Shift Backspace  Alt →",
        "view after",
        |_| Command::Forward,
    ),
    once(Group::Zoom, &[plain(Key::F)], "F", "fit the ordinates of a diagram", |_| Command::FitOrdinate),
    once(Group::Places, &[plain(Key::L)], "L", "the set and its diagram above each other, and back", |_| {
        Command::TogglePair
    }),
    once(Group::Places, &[plain(Key::K)], "K", "play: the section wanders, the camera flies", |_| Command::TogglePlay),
    once(Group::Places, &[shift(Key::K)], "Shift K", "turn the scene in space", |_| Command::ToggleSpin),
    once(Group::Places, &[plain(Key::X)], "X", "look along Re c", |_| Command::Look(SpaceAxis::X)),
    once(Group::Places, &[plain(Key::Y)], "Y", "look along Im: the diagram from the side", |_| {
        Command::Look(SpaceAxis::Y)
    }),
    once(Group::Places, &[shift(Key::X)], "Shift X", "look from above: the set", |_| Command::Look(SpaceAxis::Z)),
    once(Group::Places, &[plain(Key::V)], "V", "next view", |_| Command::NextView),
    once(Group::Places, &[shift(Key::V)], "Shift V", "view before in the list", |_| Command::PreviousView),
    once(Group::Places, &[plain(Key::J)], "J", "Julia set of the point under the pointer, and back", |_| {
        Command::JuliaHere
    }),
    once(Group::Places, &[plain(Key::G)], "G", "orbit of the point under the pointer, and its Julia set", |_| {
        Command::ToggleOrbit
    }),
    once(Group::Places, &[plain(Key::D)], "D", "dive to the minibrot in view, framed and upright", |_| {
        find(Landmark::Minibrot)
    }),
    once(Group::Places, &[plain(Key::W)], "W", "centre of the whirl in view: a spiral, a tip", |_| {
        find(Landmark::Spiral)
    }),
    once(Group::Places, &[plain(Key::M)], "M", "bookmark this place", |_| Command::AddBookmark),
    once(Group::Places, &[ctrl(Key::Num1)], "Ctrl 1 … 9", "go to a bookmark", |_| Command::GoToBookmark(1)),
    alike(Group::Places, &[ctrl(Key::Num2)], |_| Command::GoToBookmark(2)),
    alike(Group::Places, &[ctrl(Key::Num3)], |_| Command::GoToBookmark(3)),
    alike(Group::Places, &[ctrl(Key::Num4)], |_| Command::GoToBookmark(4)),
    alike(Group::Places, &[ctrl(Key::Num5)], |_| Command::GoToBookmark(5)),
    alike(Group::Places, &[ctrl(Key::Num6)], |_| Command::GoToBookmark(6)),
    alike(Group::Places, &[ctrl(Key::Num7)], |_| Command::GoToBookmark(7)),
    alike(Group::Places, &[ctrl(Key::Num8)], |_| Command::GoToBookmark(8)),
    alike(Group::Places, &[ctrl(Key::Num9)], |_| Command::GoToBookmark(9)),
    once(Group::Places, &[shift(Key::M)], "Shift M", "the list of bookmarks", |_| Command::ToggleBookmarks),
    once(Group::Places, &[plain(Key::C), ctrl(Key::C)], "C  Ctrl C", "copy the location, every digit", |_| {
        Command::CopyLocation
    }),
    once(Group::Places, &[ctrl(Key::V)], "Ctrl V", "go to the pasted location", |_| Command::PasteLocation),
    once(Group::Places, &[ctrl(Key::Z)], "Ctrl Z", "undo any change", |_| Command::Undo),
    once(Group::Places, &[ctrl_shift(Key::Z), ctrl(Key::Y)], "Ctrl Shift Z", "redo", |_| Command::Redo),
    once(Group::Engines, &[plain(Key::Num1)], "1 … 9", "engine by its place in the list", |e| engine(e, 0)),
    alike(Group::Engines, &[plain(Key::Num2)], |e| engine(e, 1)),
    alike(Group::Engines, &[plain(Key::Num3)], |e| engine(e, 2)),
    alike(Group::Engines, &[plain(Key::Num4)], |e| engine(e, 3)),
    alike(Group::Engines, &[plain(Key::Num5)], |e| engine(e, 4)),
    alike(Group::Engines, &[plain(Key::Num6)], |e| engine(e, 5)),
    alike(Group::Engines, &[plain(Key::Num7)], |e| engine(e, 6)),
    alike(Group::Engines, &[plain(Key::Num8)], |e| engine(e, 7)),
    alike(Group::Engines, &[plain(Key::Num9)], |e| engine(e, 8)),
    once(Group::Engines, &[plain(Key::A)], "A", "let the view choose the engine", |_| {
        Command::SetEngine(EngineChoice::Auto)
    }),
    once(Group::Engines, &[plain(Key::R)], "R", "compare all engines on this view", |_| Command::Compare),
    once(Group::Engines, &[shift(Key::R)], "Shift R", "race: all engines on every view that settles", |_| {
        Command::ToggleRace
    }),
    once(Group::Engines, &[plain(Key::T)], "T", "map of tiles: who computes what, how long each took, off", |_| {
        Command::NextTileMap
    }),
    once(Group::Engines, &[plain(Key::O), plain(Key::F3)], "O  F3", "timings: off, compact, full", |_| {
        Command::NextOverlay
    }),
    repeated(Group::Picture, &[sign(Key::CloseBracket)], "]", "twice the iterations", |_| Command::MoreIterations),
    repeated(Group::Picture, &[sign(Key::OpenBracket)], "[", "half the iterations", |_| Command::FewerIterations),
    once(Group::Picture, &[plain(Key::I)], "I", "iterations follow the depth", |_| Command::AutomaticIterations),
    once(Group::Picture, &[plain(Key::P)], "P", "next palette", |_| Command::NextPalette),
    once(Group::Picture, &[shift(Key::P)], "Shift P", "palette before", |_| Command::PreviousPalette),
    once(Group::Picture, &[plain(Key::S), ctrl(Key::S)], "S  Ctrl S", "save the picture as a PNG", |_| {
        Command::QuickSave
    }),
    once(Group::Picture, &[ctrl_shift(Key::S)], "Ctrl Shift S", "save at any size", |e| {
        Command::ShowExport(!e.state.export_shown)
    }),
    once(Group::Picture, &[shift(Key::A)], "Shift A", "antialias pictures at rest, or not", |_| {
        Command::ToggleAntialiasing
    }),
    once(Group::Picture, &[plain(Key::N)], "N", "names of parameters in diagrams", |_| Command::ToggleNames),
    once(Group::Picture, &[plain(Key::F5)], "F5", "draw again", |_| Command::Recompute),
    once(Group::Window, &[plain(Key::Tab)], "Tab", "hide or show the panels", |_| Command::TogglePanels),
    once(Group::Window, &[plain(Key::F11)], "F11", "full screen", |_| Command::ToggleFullscreen),
    once(Group::Window, &[plain(Key::H), plain(Key::F1), sign(Key::Questionmark)], "H  F1  ?", "these keys", |_| {
        Command::ToggleKeys
    }),
    once(Group::Window, &[plain(Key::Escape)], "Esc", "cancel, close, unpin, leave full screen", |_| Command::Escape),
    once(Group::Window, &[ctrl(Key::Q)], "Ctrl Q", "quit", |_| Command::Quit),
];

/// What the mouse and touchpad do, for the key sheet.
pub static GESTURES: &[(Group, &str, &str)] = &[
    (Group::Move, "drag", "move the picture; let go to throw it"),
    (Group::Move, "middle drag  Space drag", "move the picture"),
    (Group::Move, "Ctrl drag", "turn the picture about its middle"),
    (Group::Zoom, "wheel", "zoom about the pointer; Alt for fine steps"),
    (Group::Zoom, "Alt Shift wheel", "zoom the ordinates of a diagram alone"),
    (Group::Zoom, "pinch  Ctrl wheel", "zoom about the pointer"),
    (Group::Zoom, "Shift drag  right drag", "zoom to the drawn box"),
    (Group::Zoom, "double-click", "zoom in; with Shift, out"),
    (Group::Places, "drag the line", "take the section elsewhere through the set"),
    (Group::Places, "click", "pin the point whose orbit is shown; Esc lets it go"),
    (Group::Places, "drop a file", "open a location or a PNG saved here"),
];

const fn once(
    group: Group,
    chords: &'static [Chord],
    keys: &'static str,
    text: &'static str,
    command: fn(&Explorer) -> Command,
) -> Binding {
    Binding { chords, keys, text, group, act: Act::Once(command) }
}
const fn repeated(
    group: Group,
    chords: &'static [Chord],
    keys: &'static str,
    text: &'static str,
    command: fn(&Explorer) -> Command,
) -> Binding {
    Binding { chords, keys, text, group, act: Act::Repeated(command) }
}
const fn held(
    group: Group,
    chords: &'static [Chord],
    keys: &'static str,
    text: &'static str,
    step: fn(&Explorer) -> Command,
    course: fn(&Explorer) -> Course,
) -> Binding {
    Binding { chords, keys, text, group, act: Act::Held(Some(step), course) }
}
/// Held without a step: a short press is a short way.
const fn flown(
    group: Group,
    chords: &'static [Chord],
    keys: &'static str,
    text: &'static str,
    course: fn(&Explorer) -> Course,
) -> Binding {
    Binding { chords, keys, text, group, act: Act::Held(None, course) }
}
/// A row that the sheet shows together with the one above it.
const fn alike(group: Group, chords: &'static [Chord], command: fn(&Explorer) -> Command) -> Binding {
    once(group, chords, "", "", command)
}

/// The same for keys that are held.
const fn held_alike(
    group: Group,
    chords: &'static [Chord],
    step: fn(&Explorer) -> Command,
    course: fn(&Explorer) -> Course,
) -> Binding {
    held(group, chords, "", "", step, course)
}

fn glide(x: f64, y: f64) -> Command {
    Command::GlideBy { share: [x, y] }
}

fn pan(x: f64, y: f64) -> Course {
    Course { pan: [x * STEPS_PER_SECOND, y * STEPS_PER_SECOND], ..Course::default() }
}

fn turn(way: f64) -> Course {
    Course { turn: way * TURN_PER_SECOND, ..Course::default() }
}

fn zoom(explorer: &Explorer, way: f64, about_px: Option<[f64; 2]>) -> Course {
    Course { zoom: way * explorer.state.hands.zoom_speed.factor().ln(), about_px, ..Course::default() }
}

fn find(landmark: Landmark) -> Command {
    Command::Find { landmark, at_px: None }
}

fn engine(explorer: &Explorer, index: usize) -> Command {
    match explorer.drawing().engines().get(index) {
        Some(engine) => Command::SetEngine(EngineChoice::Named(engine.key)),
        None => Command::DismissNotice,
    }
}

impl Chord {
    /// Whether a pressed key is this chord.
    pub fn matches(&self, key: Key, modifiers: Modifiers) -> bool {
        self.key == key
            && self.command == (modifiers.command || modifiers.ctrl)
            && self.alt == modifiers.alt
            && self.shift.is_none_or(|shift| shift == modifiers.shift)
    }
}

/// How the keys that send this command are written, where there are any.
pub fn keys_of(command: &Command, explorer: &Explorer) -> Option<&'static str> {
    let sends = |b: &&Binding| !b.keys.is_empty() && b.command(explorer, false).as_ref() == Some(command);
    let bound = BINDINGS.iter().find(sends);
    bound.map(|b| b.keys)
}

/// The row of a pressed key.
pub(super) fn bound_to(key: Key, modifiers: Modifiers) -> Option<&'static Binding> {
    BINDINGS.iter().find(|binding| binding.chords.iter().any(|chord| chord.matches(key, modifiers)))
}

/// Commands of the keys pressed in these events. Nothing while a text field has the keyboard.
pub fn commands(events: &[Event], explorer: &Explorer, typing: bool) -> Vec<Command> {
    let mut commands = Vec::new();
    for event in events {
        match event {
            // The system's own copy and paste keys arrive as these.
            Event::Copy if !typing => commands.push(Command::CopyLocation),
            Event::Paste(text) if !typing => commands.push(Command::GoTo(text.clone())),
            Event::Key { key, pressed: true, repeat, modifiers, .. } if !typing || works_while_typing(*key) => {
                commands.extend(bound_to(*key, *modifiers).and_then(|binding| binding.command(explorer, *repeat)));
            }
            _ => {}
        }
    }
    commands
}

/// Keys that type nothing act even while a text field has the keyboard.
fn works_while_typing(key: Key) -> bool {
    matches!(key, Key::F1 | Key::F3 | Key::F5 | Key::F11)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_chord_means_two_things() {
        let all: Vec<(&Chord, &str)> =
            BINDINGS.iter().flat_map(|b| b.chords.iter().map(move |c| (c, b.text))).collect();
        for (i, (a, text)) in all.iter().enumerate() {
            for (b, other) in &all[i + 1..] {
                let overlap = a.key == b.key
                    && a.command == b.command
                    && a.alt == b.alt
                    && (a.shift.is_none() || b.shift.is_none() || a.shift == b.shift);
                assert!(!overlap, "{a:?} means both {text:?} and {other:?}");
            }
        }
    }

    #[test]
    fn every_bound_key_is_on_the_sheet() {
        for (i, binding) in BINDINGS.iter().enumerate() {
            let shown = BINDINGS[..=i].iter().rev().find(|b| !b.keys.is_empty()).expect("the first row is shown");
            assert_eq!(shown.group, binding.group);
            assert!(!shown.text.is_empty());
            for chord in binding.chords.iter().filter(|_| !binding.keys.is_empty()) {
                // Both mean redo; the sheet names the one that works everywhere.
                let cap = if chord.command && chord.key == Key::Y { "Z" } else { key_cap(chord.key) };
                assert!(binding.keys.contains(cap), "{:?} is not named in {:?}", chord.key, binding.keys);
            }
        }
    }

    /// How the sheet writes a key.
    fn key_cap(key: Key) -> &'static str {
        match key {
            Key::ArrowLeft => "←",
            Key::ArrowRight => "→",
            Key::ArrowUp => "↑",
            Key::ArrowDown => "↓",
            Key::Plus => "+",
            Key::Equals => "=",
            Key::Minus => "−",
            Key::PageUp => "Page Up",
            Key::PageDown => "Page Down",
            Key::OpenBracket => "[",
            Key::CloseBracket => "]",
            Key::Questionmark => "?",
            Key::Escape => "Esc",
            other => other.name(),
        }
    }
}
