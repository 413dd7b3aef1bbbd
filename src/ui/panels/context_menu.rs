//! The menu of a right click on the picture.

use egui::{Button, Response, RichText, Sense, TextStyle};

use crate::app::{Command, Explorer};
use crate::ui::{shortcuts, theme};

pub fn show(canvas: &Response, explorer: &Explorer, commands: &mut Vec<Command>) {
    canvas.context_menu(|ui| {
        ui.set_min_width(220.0);
        for entry in [
            Some(("Whole set", Command::Home)),
            Some(("View before", Command::Back)),
            None,
            Some(("Orbit of the pointer", Command::ToggleOrbit)),
            None,
            Some(("Copy location", Command::CopyLocation)),
            Some(("Go to copied location", Command::PasteLocation)),
            None,
            Some(("Save picture", Command::QuickSave)),
            Some(("Save at any size…", Command::ShowExport(true))),
            None,
            Some(("Compare engines", Command::Compare)),
            Some(("Keys and gestures", Command::ToggleKeys)),
        ] {
            let Some((text, command)) = entry else {
                ui.separator();
                continue;
            };
            // One of the keys is enough here; the key sheet has them all.
            let keys = shortcuts::keys_of(&command, explorer).unwrap_or("").split("  ").next().unwrap_or("");
            let keys = RichText::new(keys).text_style(TextStyle::Small).color(theme::WEAK);
            let enabled = command != Command::Back || explorer.state.can_go_back();
            let button = Button::new(text).shortcut_text(keys).sense(Sense::CLICK);
            if ui.add_enabled(enabled, button).clicked() {
                commands.push(command);
                ui.close();
            }
        }
    });
}
