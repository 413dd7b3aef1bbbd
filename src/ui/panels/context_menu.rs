//! The menu of a right click on the picture.

use egui::{Button, Id, Pos2, Response, RichText, Sense, TextStyle};

use crate::app::{Command, Explorer, Landmark};
use crate::ui::{shortcuts, theme};

pub fn show(canvas: &Response, explorer: &Explorer, commands: &mut Vec<Command>) {
    let zooms = explorer.state.hands.buttons_zoom && !canvas.ctx.input(|input| input.modifiers.shift);
    if zooms && canvas.secondary_clicked() {
        return;
    }
    let at_px = remembered_place(canvas);
    let find = |landmark| Command::Find { landmark, at_px };
    canvas.context_menu(|ui| {
        ui.set_min_width(220.0);
        for entry in [
            Some(("Whole set", Command::Home)),
            Some(("View before", Command::Back)),
            None,
            Some(("Orbit of the pointer", Command::ToggleOrbit)),
            Some(("Zoom to the minibrot here", find(Landmark::Minibrot))),
            Some(("Centre the spiral here", find(Landmark::Spiral))),
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
            let enabled = match command {
                Command::Back => explorer.state.can_go_back(),
                Command::Find { .. } => explorer.state.can_find(),
                _ => true,
            };
            let button = Button::new(text).shortcut_text(keys).sense(Sense::CLICK);
            if ui.add_enabled(enabled, button).clicked() {
                commands.push(command);
                ui.close();
            }
        }
    });
}

/// Where the menu was opened, in pixels of the canvas: the pointer has gone to the menu since.
fn remembered_place(canvas: &Response) -> Option<[f64; 2]> {
    let id = Id::unique("context menu's place");
    if canvas.secondary_clicked()
        && let Some(place) = canvas.interact_pointer_pos()
    {
        canvas.ctx.data_mut(|data| data.insert_temp(id, place));
    }
    let place = canvas.ctx.data(|data| data.get_temp::<Pos2>(id))?;
    let from_corner = (place - canvas.rect.min) * canvas.ctx.pixels_per_point();
    Some([from_corner.x, from_corner.y].map(f64::from))
}
