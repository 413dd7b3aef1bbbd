//! The engines to choose from, by key or by click, with what each is and whether it can do this view.

use egui::{RichText, Role, Sense, TextStyle, Ui, WidgetInfo, vec2};

use super::controls::{button, hint, line};
use crate::app::{Command, EngineChoice, Explorer};
use crate::ui::theme;

const ROW: f32 = 22.0;

pub fn show(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        rows(ui, explorer, commands);
    });
    let mut timing = explorer.state.live_timings;
    let switch = ui.checkbox(&mut timing, "Time the others when the view settles");
    if switch.on_hover_text("in the background, one at a time, given up at any touch").changed() {
        commands.push(Command::ToggleLiveTimings);
    }
}

fn rows(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    let at_work =
        explorer.drawing().status.engine.filter(|_| explorer.drawing().status.failure.is_none()).map(|(key, _)| key);
    let auto_note = explorer.drawing().status.engine.map_or("by hardware and depth", |(_, why)| why);
    let auto = Row {
        key: "A".into(),
        choice: EngineChoice::Auto,
        note: if explorer.state.engine == EngineChoice::Auto { auto_note } else { "by hardware and depth" },
        about: "takes the fastest engine whose arithmetic is fine enough for the view",
        absent: None,
        at_work: false,
    };
    auto.show(ui, explorer, commands);
    for (i, engine) in explorer.drawing().engines().iter().enumerate() {
        let row = Row {
            key: if i < 9 { (i + 1).to_string() } else { String::new() },
            choice: EngineChoice::Named(engine.key),
            note: &engine.describe,
            about: engine.about,
            absent: engine.absent.as_deref(),
            at_work: at_work == Some(engine.key),
        };
        row.show(ui, explorer, commands);
    }
}

/// The button beside the heading.
pub fn compare(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    ui.spacing_mut().button_padding.y = 1.0;
    let tip = "run every able engine on this view, in turns, and hold their counts against each other";
    button(ui, explorer, commands, "Compare", tip, Command::Compare);
}

struct Row<'a> {
    key: String,
    choice: EngineChoice,
    note: &'a str,
    about: &'a str,
    absent: Option<&'a str>,
    at_work: bool,
}

impl Row<'_> {
    fn show(&self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
        let chosen = explorer.state.engine == self.choice;
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::CLICK);
        let name = self.choice.key();
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, name));
        if ui.is_rect_visible(rect) {
            self.paint(ui, rect, chosen, response.hovered());
        }
        let command = Command::SetEngine(self.choice);
        let tip = match self.absent {
            Some(reason) => format!("{}\n\n{reason}", self.about),
            None => self.about.into(),
        };
        if hint(response, explorer, &command, &tip).clicked() && !chosen {
            commands.push(command);
        }
    }

    fn paint(&self, ui: &Ui, rect: egui::Rect, chosen: bool, hovered: bool) {
        let painter = ui.painter();
        let visuals = &ui.visuals().widgets;
        if chosen {
            painter.rect_filled(rect, 5, theme::ACCENT_DIM);
        } else if hovered {
            painter.rect_filled(rect, 5, visuals.inactive.bg_fill);
        }
        let (name_color, note_color) = match self.absent {
            Some(_) => (theme::FAINT, theme::FAINT),
            None if chosen => (theme::STRONG, theme::TEXT),
            None => (theme::TEXT, theme::WEAK),
        };
        let middle = |galley: &egui::Galley| rect.center().y - galley.size().y / 2.0;

        let key = line(ui, RichText::new(&self.key).text_style(TextStyle::Monospace).color(theme::FAINT), 14.0);
        painter.galley(egui::pos2(rect.left() + 8.0, middle(&key)), key, theme::FAINT);

        let name = line(ui, RichText::new(self.choice.key()).color(name_color), rect.width() - 60.0);
        let name_end = rect.left() + 28.0 + name.size().x;
        painter.galley(egui::pos2(rect.left() + 28.0, middle(&name)), name, name_color);
        if self.at_work {
            painter.circle_filled(egui::pos2(name_end + 10.0, rect.center().y + 0.5), 3.0, theme::ACCENT);
        }

        let room = rect.right() - 8.0 - (name_end + 22.0);
        let text = if self.absent.is_some() { "not for this view" } else { self.note };
        let note = line(ui, RichText::new(text).text_style(TextStyle::Small).color(note_color), room);
        painter.galley(egui::pos2(rect.right() - 8.0 - note.size().x, middle(&note)), note, note_color);
    }
}
