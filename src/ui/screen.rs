//! The screen: side panel, picture, and what floats on it.
//!
//! [`show`] reads the explorer and pushes commands; it never changes anything itself. The picture is
//! painted beneath by someone else: the canvas is only a place that feels the mouse.

use egui::emath::GuiRounding as _;
use egui::{Context, FocusDirection, Rect, Response, Sense, Ui};

use super::panels::{self, BookmarkForm, ExportForm, Handles, PlaceForm, PointFields, PointForms, Strips};
use super::{overlay, theme};
use crate::app::{Command, Explorer};

/// What the screen remembers between frames: half-typed fields, and colours worth keeping.
#[derive(Default)]
pub struct Memory {
    pub(super) place: PlaceForm,
    pub(super) points: PointForms,
    pub(super) strips: Strips,
    pub(super) orbit: PointFields,
    pub(super) export: Option<ExportForm>,
    pub(super) bookmarks: BookmarkForm,
    /// What can be dragged beside the picture itself.
    pub(super) handles: Handles,
    is_typing: bool,
}

impl Memory {
    /// True where a text field has the keyboard, as of the last frame: letters then type.
    pub fn is_typing(&self) -> bool {
        self.is_typing
    }
}

/// Lays out one frame on the root; the response is the canvas's.
pub fn show(ui: &mut Ui, explorer: &Explorer, memory: &mut Memory, commands: &mut Vec<Command>) -> Response {
    if !theme::is_applied(ui.ctx()) {
        // Fonts and style are there from the next frame on; until then nothing is written.
        theme::apply(ui.ctx());
        ui.ctx().request_repaint();
        return canvas(ui);
    }
    keep_keys_for_the_picture(ui.ctx());
    if explorer.state.panels {
        panels::side::show(ui, explorer, memory, commands);
    }
    let canvas = canvas(ui);
    let rect = canvas.rect;
    panels::context_menu::show(&canvas, explorer, commands);
    panels::tile_map::show(ui, rect, explorer);
    memory.handles = panels::guides::show(ui, rect, explorer);
    panels::orbit::show(ui, rect, explorer, &mut memory.orbit, commands);
    let status = panels::status::show(ui, rect, explorer);
    panels::messages::search(ui, rect, explorer);
    panels::messages::failure(ui, rect, explorer);
    overlay::show(ui, rect, explorer, commands);
    panels::race::show(ui, rect, status, explorer, commands);
    panels::keys::show(ui, rect, explorer, commands);
    panels::compare::show(ui, rect, explorer, commands);
    panels::export::show(ui, rect, explorer, memory, commands);
    memory.bookmarks.show(ui, rect, explorer, commands);
    panels::messages::notice(ui, rect, status, explorer, commands);
    give_back_the_keyboard(ui.ctx());
    memory.is_typing = ui.ctx().text_edit_focused();
    canvas
}

/// The room that is left, edges on whole pixels.
fn canvas(ui: &mut Ui) -> Response {
    let room = ui.available_rect_before_wrap();
    let rect: Rect = room.round_to_pixels(ui.pixels_per_point());
    // Not focusable: a click on the picture takes the keyboard from a field and gives it to no one.
    ui.allocate_rect(rect, Sense::CLICK | Sense::DRAG)
}

/// Tab hides the panels and arrows move the view: neither walks from button to button.
fn keep_keys_for_the_picture(ctx: &Context) {
    if !ctx.text_edit_focused() {
        ctx.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    }
}

/// Only text fields hold the keyboard.
fn give_back_the_keyboard(ctx: &Context) {
    if !ctx.text_edit_focused()
        && let Some(id) = ctx.memory(egui::Memory::focused)
    {
        ctx.memory_mut(|memory| memory.surrender_focus(id));
    }
}
