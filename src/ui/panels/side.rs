//! The side panel: its sections from top to bottom, scrolling where the window is short; saving is always in sight.

use egui::{ComboBox, Margin, Panel, RichText, ScrollArea, TextStyle, Ui};

use super::controls::{button, heading, hint, icon_button, name, note, rule};
use super::{engines, hands, params, save};
use crate::app::{Command, Explorer};
use crate::render::SpaceAxis;
use crate::ui::screen::Memory;
use crate::ui::theme;

pub fn show(ui: &mut Ui, explorer: &Explorer, memory: &mut Memory, commands: &mut Vec<Command>) {
    let panel = Panel::left("side").exact_size(theme::PANEL_WIDTH).resizable(false).frame(theme::panel());
    panel.show(ui, |ui| {
        let margin = Margin { left: 16, right: 16, top: 4, bottom: 14 };
        let foot = Panel::bottom("save").show_separator_line(false).frame(theme::panel().inner_margin(margin));
        foot.show(ui, |ui| {
            rule(ui);
            save::show(ui, explorer, commands);
        });
        let area = ScrollArea::vertical().auto_shrink(false).content_margin(Margin {
            left: 16,
            right: 16,
            top: 12,
            bottom: 4,
        });
        area.show(ui, |ui| {
            title(ui, explorer, commands);
            heading(ui, "Place", |ui| {
                let tip = "places that you kept, with their pictures; M adds one";
                button(ui, explorer, commands, "Bookmarks", tip, Command::ToggleBookmarks);
            });
            memory.place.show(ui, explorer, commands);
            heading(ui, "View", |ui| pair(ui, explorer, commands));
            views(ui, explorer, commands);
            params::show(ui, explorer, &mut memory.points, commands);
            heading(ui, "Engine", |ui| engines::compare(ui, explorer, commands));
            engines::show(ui, explorer, commands);
            if explorer.state.job().task.escape_time().is_some() {
                heading(ui, "Colour", |ui| drop(note(ui, explorer.state.palette.name(), theme::WEAK)));
                memory.strips.show(ui, explorer, commands);
                antialiasing(ui, explorer, commands);
            }
            heading(ui, "Hands", |_| {});
            hands::show(ui, explorer, commands);
        });
    });
}

/// The view shown, and the ways to the others.
fn views(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let mut shown = explorer.state.stage().upper().key();
    let before = shown;
    let views = explorer.state.views();
    let title = views.iter().find(|(key, _)| *key == shown).map_or(shown, |(_, title)| title);
    ui.horizontal(|ui| {
        let label = name(ui, "Show", 54.0).id;
        let choice = ComboBox::from_id_salt("view").selected_text(title).width(ui.available_width());
        let choice = choice.show_ui(ui, |ui| {
            for (key, title) in views {
                ui.selectable_value(&mut shown, *key, *title);
            }
        });
        let tip = "what is looked at; each view stays as it was left";
        hint(choice.response.labelled_by(label), explorer, &Command::NextView, tip);
    });
    if shown != before {
        commands.push(Command::SetView(shown));
    }
    play(ui, explorer, commands);
    if explorer.state.stage().lower().is_some() {
        let focus = explorer.state.view();
        note(ui, format!("wheel and keys act on: {}", focus.title()), theme::WEAK);
    }
}

/// Buttons for what moves by itself.
fn play(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let state = &explorer.state;
    let (has_section, has_camera) = (state.stage().section().is_some(), state.view().camera().is_some());
    if !has_section && !has_camera {
        return;
    }
    ui.horizontal(|ui| {
        let (text, tip) = match (state.is_playing(), has_section) {
            (true, _) => ("Pause", "let it stand"),
            (false, true) => ("Play", "the section wanders through the set, to and fro"),
            (false, false) => ("Fly", "from above, the set, to the side, the diagram, and back"),
        };
        button(ui, explorer, commands, text, tip, Command::TogglePlay);
        if has_camera {
            button(ui, explorer, commands, "Spin", "turn the scene, or let it stand", Command::ToggleSpin);
            for (text, tip, axis) in [
                ("X", "look along Re c", SpaceAxis::X),
                ("Y", "look along Im: the diagram from the side", SpaceAxis::Y),
                ("Z", "look from above: the set", SpaceAxis::Z),
            ] {
                button(ui, explorer, commands, text, tip, Command::Look(axis));
            }
        }
    });
}

fn antialiasing(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let mut on = explorer.state.antialiasing;
    let switch = ui.checkbox(&mut on, "Antialias pictures at rest");
    let tip = "up to 64 samples a pixel, one after the other, for 20 s at most; slow views have 16, 4 or one";
    if hint(switch, explorer, &Command::ToggleAntialiasing, tip).changed() {
        commands.push(Command::ToggleAntialiasing);
    }
}

/// Shows the view and its companion, or the view alone.
fn pair(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let is_pair = explorer.state.stage().lower().is_some();
    let (text, tip) = if is_pair {
        ("One", "show this view alone")
    } else {
        ("Linked", "the set above, the diagram below, over one abscissa")
    };
    button(ui, explorer, commands, text, tip, Command::TogglePair);
}

fn title(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Cardioid").text_style(TextStyle::Heading).color(theme::STRONG));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (icon, name, tip, command) in [
                ("«", "Hide panel", "hide the panels", Command::TogglePanels),
                ("?", "Keys", "every key and gesture", Command::ToggleKeys),
            ] {
                if hint(icon_button(ui, icon, name), explorer, &command, tip).clicked() {
                    commands.push(command);
                }
            }
        });
    });
}
