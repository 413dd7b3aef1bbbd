//! Bookmarks: adding the present place, going to one, and keeping their list.

use std::path::Path;

use super::State;
use crate::app::bookmarks::{Bookmarks, Thumbnail};
use crate::app::command::Effect;
use crate::view::ParamValue;

impl State {
    pub fn bookmarks(&self) -> &Bookmarks {
        &self.bookmarks
    }

    /// Takes on those of a folder, which are kept there from now on.
    pub fn load_bookmarks(&mut self, folder: &Path) {
        self.bookmarks = Bookmarks::load(folder);
    }

    /// A picture of a bookmark's place, as it is shown.
    pub fn illustrate(&mut self, id: u32, thumbnail: Thumbnail) {
        if let Some(bookmark) = self.bookmarks.get_mut(id) {
            bookmark.thumbnail = thumbnail;
            self.effects.push(Effect::SaveBookmark(id));
        }
    }

    pub(super) fn add_bookmark(&mut self) {
        let mut location = self.location();
        location.size = None;
        if self.view().has_automatic_iterations() {
            // The place is asked again.
            location.max_iterations = None;
        }
        let id = self.bookmarks.add(location);
        self.effects.extend([Effect::SaveBookmark(id), Effect::Illustrate(id)]);
        let place = self.bookmarks.all().len();
        let keys = if place <= 9 { format!("Ctrl {place}") } else { "Shift M".into() };
        self.say(format!("bookmark {place} added; {keys} leads back"));
    }

    pub(super) fn go_to_bookmark(&mut self, place: usize) {
        let Some(bookmark) = place.checked_sub(1).and_then(|at| self.bookmarks.all().get(at)) else {
            return self.complain(format!("there is no bookmark {place}; M adds one"));
        };
        let location = bookmark.location.clone();
        self.bookmarks_shown = false;
        match self.go_to_location(&location) {
            Ok(()) if location.max_iterations.is_none() && self.view().task().escape_time().is_some() => {
                self.set_if(Some(ParamValue::Switch(true)), "automatic_iterations");
            }
            Ok(()) => {}
            Err(error) => self.complain(error.to_string()),
        }
    }

    pub(super) fn rename_bookmark(&mut self, id: u32, name: &str) {
        if let Some(bookmark) = self.bookmarks.get_mut(id) {
            let name = name.trim();
            bookmark.location.name = (!name.is_empty()).then(|| name.into());
            self.effects.push(Effect::SaveBookmark(id));
        }
    }

    pub(super) fn remove_bookmark(&mut self, id: u32) {
        if self.bookmarks.remove(id) {
            self.effects.push(Effect::SaveBookmark(id));
        }
    }

    pub(super) fn restore_bookmark(&mut self) {
        match self.bookmarks.restore() {
            Some(id) => self.effects.push(Effect::SaveBookmark(id)),
            None => self.say("no bookmark was removed"),
        }
    }
}
