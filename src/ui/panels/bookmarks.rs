//! The list of bookmarks: pictures to click, names to change.

use std::collections::HashMap;

use egui::{
    Color32, ColorImage, Rect, Role, Sense, TextEdit, TextureHandle, TextureOptions, Ui, WidgetInfo, pos2, vec2,
};

use super::controls::{button, button_if, note};
use super::dialog;
use crate::app::{Bookmark, Command, Explorer, Thumbnail};
use crate::ui::theme;

const WIDTH: f32 = 400.0;
/// Room for a picture, in points.
const PICTURE: egui::Vec2 = vec2(108.0, 72.0);

/// What the list remembers between frames.
#[derive(Default)]
pub struct BookmarkForm {
    pictures: HashMap<u32, (Thumbnail, TextureHandle)>,
    /// Names being typed.
    names: HashMap<u32, String>,
}

impl BookmarkForm {
    pub fn show(&mut self, ui: &Ui, canvas: Rect, explorer: &Explorer, commands: &mut Vec<Command>) {
        if !explorer.state.bookmarks_shown {
            *self = Self::default();
            return;
        }
        let bookmarks = explorer.state.bookmarks();
        let open = dialog::show(ui, canvas, "Bookmarks", WIDTH, |ui| {
            ui.horizontal(|ui| {
                button(ui, explorer, commands, "Add this place", "keep the place in view", Command::AddBookmark);
                let tip = "put the bookmark back that was removed last";
                let command = Command::RestoreBookmark;
                button_if(ui, bookmarks.can_restore(), explorer, commands, "Undo removal", tip, command);
            });
            if bookmarks.all().is_empty() {
                note(ui, "None yet. M keeps the place in view, with its knobs and colours.", theme::WEAK);
            }
            for (place, bookmark) in (1..).zip(bookmarks.all()) {
                ui.add_space(6.0);
                ui.horizontal_top(|ui| self.row(ui, place, bookmark, commands));
            }
        });
        if !open {
            commands.push(Command::ToggleBookmarks);
        }
    }

    fn row(&mut self, ui: &mut Ui, place: usize, bookmark: &Bookmark, commands: &mut Vec<Command>) {
        if self.picture(ui, place, bookmark) {
            commands.push(Command::GoToBookmark(place));
        }
        ui.vertical(|ui| {
            self.name(ui, bookmark, commands);
            note(ui, bookmark.place(), theme::WEAK);
            ui.horizontal(|ui| {
                if ui.button("Go").on_hover_text("go there").clicked() {
                    commands.push(Command::GoToBookmark(place));
                }
                if ui.button("Remove").on_hover_text("take it from the list").clicked() {
                    commands.push(Command::RemoveBookmark(bookmark.id));
                }
                if place <= 9 {
                    note(ui, format!("Ctrl {place}"), theme::FAINT);
                }
            });
        });
    }

    /// The picture in its frame. True when it was clicked.
    fn picture(&mut self, ui: &mut Ui, place: usize, bookmark: &Bookmark) -> bool {
        let (frame, response) = ui.allocate_exact_size(PICTURE, Sense::CLICK);
        let name = format!("Bookmark {place}");
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        if ui.is_rect_visible(frame) {
            let Thumbnail { size, pixels } = &bookmark.thumbnail;
            let kept = self.pictures.get(&bookmark.id).filter(|(thumbnail, _)| *thumbnail == bookmark.thumbnail);
            let texture = kept.map(|(_, texture)| texture.clone()).unwrap_or_else(|| {
                let image = ColorImage::from_rgba_unmultiplied(size.map(|s| s as usize), bytemuck::cast_slice(pixels));
                let texture = ui.ctx().load_texture(&name, image, TextureOptions::LINEAR);
                self.pictures.insert(bookmark.id, (bookmark.thumbnail.clone(), texture.clone()));
                texture
            });
            let size = texture.size_vec2();
            let scale = (PICTURE.x / size.x).min(PICTURE.y / size.y);
            let rect = Rect::from_center_size(frame.center(), size * scale);
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(texture.id(), rect, whole, Color32::WHITE);
            let outline = if response.hovered() { egui::Stroke::new(1.0, theme::TEXT) } else { theme::hairline() };
            ui.painter().rect_stroke(rect, 2, outline, egui::StrokeKind::Outside);
        }
        response.on_hover_text("go there").clicked()
    }

    /// The field of the name: what is typed holds when it is left, by Enter or by going elsewhere.
    fn name(&mut self, ui: &mut Ui, bookmark: &Bookmark, commands: &mut Vec<Command>) {
        let shown = bookmark.location.name.clone().unwrap_or_default();
        let text = self.names.entry(bookmark.id).or_insert_with(|| shown.clone());
        let edit = TextEdit::singleline(text).hint_text("name").desired_width(ui.available_width());
        let response = ui.add(edit.margin(vec2(7.0, 4.0)));
        if response.lost_focus() && *text != shown {
            commands.push(Command::RenameBookmark { id: bookmark.id, name: text.clone() });
        }
        if !response.has_focus() {
            self.names.remove(&bookmark.id);
        }
    }
}
