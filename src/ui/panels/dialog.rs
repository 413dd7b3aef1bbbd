//! A window within the window: a title, a way to close it, and what it holds.

use egui::{Align, Area, Id, Layout, Order, Rect, RichText, ScrollArea, Ui, vec2};

use super::controls::icon_button;
use crate::ui::theme;

/// Room for the scroll bar beside the contents.
const BAR: f32 = 10.0;

/// Shows a dialog of `width` in the middle of the canvas; false when it was closed.
///
/// Where the screen is too low for it, its contents scroll.
pub fn show(ui: &Ui, canvas: Rect, title: &str, width: f32, contents: impl FnOnce(&mut Ui)) -> bool {
    let screen = ui.ctx().content_rect();
    let area = Area::new(Id::unique("dialog").with(title)).order(Order::Foreground).movable(false);
    let area = area.pivot(egui::Align2::CENTER_CENTER).fixed_pos(canvas.center()).constrain_to(screen.shrink(4.0));
    let shown = area.show(ui.ctx(), |ui| {
        theme::dialog(ui.style()).show(ui, |ui| {
            ui.set_width((width + BAR).min(screen.width() - 48.0));
            let closed = title_line(ui, title);
            ui.add_space(8.0);
            ui.spacing_mut().scroll.floating_allocated_width = BAR;
            let most = screen.height() - 92.0;
            let scroll = ScrollArea::vertical().max_height(most).min_scrolled_height(most);
            scroll.auto_shrink([false, true]).show(ui, contents);
            closed
        })
    });
    !shown.inner.inner
}

fn title_line(ui: &mut Ui, title: &str) -> bool {
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 22.0), Layout::right_to_left(Align::Center), |ui| {
        let closed = icon_button(ui, "×", "Close").clicked();
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.label(RichText::new(title).size(16.0).color(theme::STRONG));
        });
        closed
    })
    .inner
}
