//! Which keys are down, by their presses and releases: what a held key asks for ends with it, whatever happens meanwhile.

use egui::{Event, Key};

use super::shortcuts::bound_to;
use crate::app::{Command, Course, Explorer};

/// The keys that are down.
#[derive(Default)]
pub struct Keyboard {
    down: Vec<Down>,
    /// The view moves as hands asked for.
    moves: bool,
}

struct Down {
    key: Key,
    /// Its place on the keyboard: with Shift let go first, `+` comes up as `=`.
    physical: Option<Key>,
    /// What it asks for since its press, with the modifiers that it was pressed with.
    course: Option<fn(&Explorer) -> Course>,
}

impl Down {
    fn is(&self, key: Key, physical: Option<Key>) -> bool {
        self.key == key || (physical.is_some() && self.physical == physical)
    }
}

impl Keyboard {
    /// Follows presses and releases, and marks the presses of keys that are down already as repeats.
    pub fn follow(&mut self, events: &mut [Event], typing: bool) {
        for event in events {
            match event {
                Event::Key { key, physical_key, pressed: true, repeat, modifiers } => {
                    if self.down.iter().any(|down| down.is(*key, *physical_key)) {
                        *repeat = true;
                    } else {
                        let bound = bound_to(*key, *modifiers).filter(|_| !typing);
                        let course = bound.and_then(|binding| binding.course());
                        self.down.push(Down { key: *key, physical: *physical_key, course });
                    }
                }
                Event::Key { key, physical_key, pressed: false, .. } => {
                    self.down.retain(|down| !down.is(*key, *physical_key));
                }
                // Releases go to another window from now on.
                Event::WindowFocused(_) => self.down.clear(),
                _ => {}
            }
        }
    }

    /// What the keys that are down ask for, together with a button that is held; nothing where nothing is or was held.
    pub fn steer(&mut self, held: Course, explorer: &Explorer, typing: bool) -> Option<Command> {
        let asked = self.down.iter().filter(|_| !typing).filter_map(|down| down.course);
        let course = asked.map(|course| course(explorer)).fold(held, Course::and);
        let moved = std::mem::replace(&mut self.moves, !course.is_still());
        (moved || self.moves).then_some(Command::Cruise(course))
    }
}

#[cfg(test)]
mod tests {
    use egui::Modifiers;

    use super::*;

    fn key(key: Key, physical: Key, pressed: bool) -> Event {
        let modifiers = Modifiers::NONE;
        Event::Key { key, physical_key: Some(physical), pressed, repeat: false, modifiers }
    }

    #[test]
    fn a_key_is_down_until_it_comes_up_under_whatever_name() {
        let asks = |events: &[Event]| {
            let mut keyboard = Keyboard::default();
            keyboard.follow(&mut events.to_vec(), false);
            keyboard.down.iter().filter(|down| down.course.is_some()).count()
        };
        let plus = key(Key::Plus, Key::Equals, true);
        for (events, down, why) in [
            (vec![plus.clone()], 1, "pressed"),
            (vec![plus.clone(), plus.clone()], 1, "repeated"),
            (vec![plus.clone(), plus.clone(), key(Key::Equals, Key::Equals, false)], 0, "Shift came up first"),
            (vec![plus.clone(), Event::WindowFocused(false)], 0, "focus lost"),
            (vec![plus, key(Key::Z, Key::Z, true)], 2, "two keys"),
            (vec![key(Key::P, Key::P, true)], 0, "no key that moves"),
        ] {
            assert_eq!(asks(&events), down, "{why}");
        }
        let mut events = [key(Key::P, Key::P, true), key(Key::P, Key::P, true)];
        Keyboard::default().follow(&mut events, false);
        assert!(matches!(events, [Event::Key { repeat: false, .. }, Event::Key { repeat: true, .. }]));
    }
}
