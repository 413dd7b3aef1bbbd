//! What the program says on the picture: notices that fade, and why there is no picture.

use egui::{Align2, Area, Frame, Id, Order, Rect, RichText, Sense, Stroke, TextStyle, Ui, pos2};

use crate::app::{Command, Explorer};
use crate::ui::theme;

/// A notice above the status line; a click sends it away.
pub fn notice(ui: &Ui, canvas: Rect, status: Rect, explorer: &Explorer, commands: &mut Vec<Command>) {
    let Some(notice) = explorer.state.notice() else { return };
    let color = if notice.is_error { theme::BAD } else { theme::TEXT };
    let place = pos2(canvas.center().x, status.top() - theme::GAP);
    let area = Area::new(Id::unique("notice")).order(Order::Foreground).movable(false).sense(Sense::hover());
    let shown = area.pivot(Align2::CENTER_BOTTOM).fixed_pos(place).constrain_to(canvas).show(ui.ctx(), |ui| {
        ui.set_max_width((canvas.width() - 48.0).min(560.0));
        let frame = theme::floating();
        let frame =
            if notice.is_error { frame.stroke(Stroke::new(1.0, theme::BAD.gamma_multiply(0.6))) } else { frame };
        frame.show(ui, |ui| {
            ui.add(egui::Label::new(RichText::new(&notice.text).color(color)).wrap().sense(Sense::CLICK))
        })
    });
    if shown.inner.inner.clicked() {
        commands.push(Command::DismissNotice);
    }
}

/// How far a search is, in a line at the top, where no panel says so.
pub fn search(ui: &Ui, canvas: Rect, explorer: &Explorer) {
    let Some(progress) = explorer.finding().filter(|_| !explorer.state.panels) else { return };
    let place = pos2(canvas.center().x, canvas.top() + theme::GAP);
    let area = Area::new(Id::unique("search")).order(Order::Foreground).movable(false).interactable(false);
    area.pivot(Align2::CENTER_TOP).fixed_pos(place).constrain_to(canvas).show(ui.ctx(), |ui| {
        theme::floating().show(ui, |ui| ui.label(format!("{progress}    Esc stops")));
    });
}

/// Why the view cannot be drawn, in the middle, with the old picture around it and the mouse going through.
pub fn failure(ui: &Ui, canvas: Rect, explorer: &Explorer) {
    let Some(reason) = &explorer.drawing().status.failure else { return };
    let area = Area::new(Id::unique("failure")).order(Order::Middle).interactable(false);
    area.pivot(Align2::CENTER_CENTER).fixed_pos(canvas.center()).constrain_to(canvas).show(ui.ctx(), |ui| {
        ui.set_width((canvas.width() - 48.0).min(400.0));
        card().show(ui, |ui| {
            ui.vertical_centered(|ui| {
                ui.label(RichText::new("No picture of this place").text_style(TextStyle::Heading).color(theme::STRONG));
                ui.add_space(4.0);
                ui.label(RichText::new(reason).color(theme::TEXT));
                ui.add_space(6.0);
                ui.label(RichText::new("The wheel and − zoom out; Backspace goes back.").color(theme::ACCENT));
            });
        });
    });
}

fn card() -> Frame {
    theme::floating().inner_margin(20).stroke(Stroke::new(1.0, theme::WARN.gamma_multiply(0.5)))
}
