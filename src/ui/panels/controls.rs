//! The few controls that all panels are made of.
//!
//! None of them takes the keyboard: Space, Enter, arrows and Tab keep acting on the picture.

use egui::{Button, Color32, Response, RichText, Sense, TextStyle, Ui, WidgetText};

use crate::app::{Command, Explorer, Format, Table};
use crate::ui::{shortcuts, theme};

/// A heading with a line before it, and something small at its right.
pub fn heading(ui: &mut Ui, title: &str, right: impl FnOnce(&mut Ui)) {
    rule(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 18.0;
        ui.label(RichText::new(title).color(theme::STRONG));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), right);
    });
}

/// A line across the panel.
pub fn rule(ui: &mut Ui) {
    ui.add_space(4.0);
    ui.painter().hline(ui.max_rect().x_range(), ui.cursor().top(), theme::hairline());
    ui.add_space(7.0);
}

/// A button that sends one command, its keys in the tooltip.
pub fn button(
    ui: &mut Ui,
    explorer: &Explorer,
    commands: &mut Vec<Command>,
    text: &str,
    tip: &str,
    command: Command,
) -> Response {
    let response = ui.add(Button::new(text).sense(Sense::CLICK));
    let response = hint(response, explorer, &command, tip);
    if response.clicked() {
        commands.push(command);
    }
    response
}

/// As [`button`], greyed and dead where `enabled` is false.
pub fn button_if(
    ui: &mut Ui,
    enabled: bool,
    explorer: &Explorer,
    commands: &mut Vec<Command>,
    text: &str,
    tip: &str,
    command: Command,
) {
    ui.add_enabled_ui(enabled, |ui| button(ui, explorer, commands, text, tip, command));
}

/// Buttons that copy a table as text.
pub fn copy_buttons(ui: &mut Ui, table: Table, what: &str, commands: &mut Vec<Command>) {
    ui.label(RichText::new("copy as").text_style(TextStyle::Small).color(theme::WEAK));
    for format in Format::ALL {
        let text = RichText::new(format.label()).text_style(TextStyle::Small);
        let response = ui.add(Button::new(text).sense(Sense::CLICK));
        if response.on_hover_text(format!("{what} as {}, to the clipboard", format.label())).clicked() {
            commands.push(Command::CopyTable { table, format });
        }
    }
}

/// The address of a cluster's dashboard: a click shows it in a browser, a button copies it.
pub fn dashboard(ui: &mut Ui, address: &str, explorer: &Explorer, commands: &mut Vec<Command>) {
    const COPY: f32 = 52.0;
    ui.horizontal(|ui| {
        let text = RichText::new(address).text_style(TextStyle::Small).color(theme::ACCENT).underline();
        let link = egui::Label::new(text).truncate().sense(Sense::CLICK);
        let room = ui.available_width() - COPY;
        let link = ui.scope(|ui| {
            ui.set_max_width(room);
            ui.add(link)
        });
        let link = link.inner.on_hover_cursor(egui::CursorIcon::PointingHand);
        let tip = "the cluster's dashboard, in a browser";
        if hint(link, explorer, &Command::OpenDashboard, tip).clicked() {
            commands.push(Command::OpenDashboard);
        }
        let copy = Button::new(RichText::new("Copy").text_style(TextStyle::Small)).sense(Sense::CLICK);
        let copy = ui.add(copy);
        copy.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Copy dashboard"));
        if hint(copy, explorer, &Command::CopyDashboard, "copy the dashboard's address").clicked() {
            commands.push(Command::CopyDashboard);
        }
    });
}

/// A small button without a frame, for the corners of floating parts.
pub fn icon_button(ui: &mut Ui, icon: &str, name: &str) -> Response {
    let button = Button::new(RichText::new(icon).size(15.0).color(theme::WEAK)).frame_when_inactive(false);
    let response = ui.add(button.sense(Sense::CLICK).min_size(egui::vec2(22.0, 20.0)));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
    response
}

/// A tooltip of one sentence, and the keys that do the same.
pub fn hint(response: Response, explorer: &Explorer, command: &Command, tip: &str) -> Response {
    response.on_hover_ui(|ui| {
        ui.label(tip);
        if let Some(keys) = shortcuts::keys_of(command, explorer) {
            key_caps(ui, keys);
        }
    })
}

/// Keys as caps: alternatives in `keys` stand two spaces apart.
pub fn key_caps(ui: &mut Ui, keys: &str) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        for keys in keys.split("  ") {
            theme::key_cap().show(ui, |ui| ui.label(RichText::new(keys).text_style(TextStyle::Small)));
        }
    });
}

/// The name before a field, `width` wide whatever it says; a field is labelled by its response.
pub fn name(ui: &mut Ui, text: &str, width: f32) -> Response {
    let size = egui::vec2(width, ui.spacing().interact_size.y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let galley = line(ui, RichText::new(text).color(theme::WEAK), width);
    ui.painter().galley(egui::pos2(rect.left(), rect.center().y - galley.size().y / 2.0), galley, theme::WEAK);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
    response
}

/// Small text that keeps to the panel's width.
pub fn note(ui: &mut Ui, text: impl Into<String>, color: Color32) -> Response {
    ui.label(RichText::new(text).text_style(TextStyle::Small).color(color))
}

/// A line of `text` cut to `width`, ready to paint.
pub fn line(ui: &Ui, text: RichText, width: f32) -> std::sync::Arc<egui::Galley> {
    WidgetText::from(text).into_galley(ui, Some(egui::TextWrapMode::Truncate), width, TextStyle::Body)
}

/// A thin bar, `share` of it filled. It does not move by itself.
pub fn bar(ui: &mut Ui, share: f32, height: f32) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), height), Sense::hover());
    let filled = rect.with_max_x(rect.left() + rect.width() * share.clamp(0.0, 1.0));
    ui.painter().rect_filled(rect, height / 2.0, Color32::from_white_alpha(20));
    ui.painter().rect_filled(filled, height / 2.0, theme::ACCENT);
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, format!("{:.0} %", share * 100.0))
    });
}
