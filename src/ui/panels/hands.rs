//! How hands move the view: what the buttons do, how fast a held zoom goes, and whether motion is eased.

use egui::{ComboBox, Ui};

use super::controls::name;
use crate::app::{Command, Explorer, ZoomSpeed};

pub fn show(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let before = explorer.state.hands;
    let mut hands = before;
    let tip = "what the left button does; zooming, the right one zooms out, and Shift with it opens the menu";
    choice(ui, "Left", tip, &mut hands.buttons_zoom, &[(false, "drag pans"), (true, "hold zooms (XaoS)")]);
    let speeds = ZoomSpeed::ALL.map(|speed| (speed, speed.title()));
    choice(ui, "Zoom", "how fast a held key or button zooms", &mut hands.zoom_speed, &speeds);
    ui.checkbox(&mut hands.reduced_motion, "Reduced motion").on_hover_text("nothing is eased, and nothing glides on");
    ui.checkbox(&mut hands.full_resolution, "Every pixel in motion")
        .on_hover_text("else pictures in motion are as fine as the engine draws them within a frame or two");
    if hands != before {
        commands.push(Command::SetHands(hands));
    }
}

/// A name and a list to choose from.
fn choice<T: Copy + PartialEq>(ui: &mut Ui, label: &str, tip: &str, chosen: &mut T, choices: &[(T, &str)]) {
    ui.horizontal(|ui| {
        let label_id = name(ui, label, 54.0).id;
        let title = choices.iter().find(|(value, _)| value == chosen).map_or("", |(_, title)| title);
        let list = ComboBox::from_id_salt(label).selected_text(title).width(ui.available_width());
        let list = list.show_ui(ui, |ui| {
            for (value, title) in choices {
                ui.selectable_value(chosen, *value, *title);
            }
        });
        list.response.labelled_by(label_id).on_hover_text(tip);
    });
}
