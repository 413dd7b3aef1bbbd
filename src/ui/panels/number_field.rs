//! A field for a number of any length: follows its value until someone types, keeps what cannot be read.

use egui::{Key, Response, TextEdit, TextStyle, Ui};

use super::controls::{name, note};
use crate::app::location::parse_point;
use crate::math::Decimal;
use crate::ui::theme;

/// What a field remembers between frames.
#[derive(Default)]
pub struct NumberField {
    /// The value shown, and its text.
    shown: Option<(Decimal, String)>,
    /// What is being typed, or could not be read.
    draft: Option<String>,
    error: Option<String>,
    /// A whole point may be pasted too.
    takes_points: bool,
}

impl NumberField {
    /// Shows the field; gives the text when a new number is entered, by Enter or by going elsewhere.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        label: &str,
        value: &Decimal,
        check: impl Fn(&Decimal) -> Result<(), String>,
    ) -> Option<String> {
        self.follow(value);
        let (response, is_new) = self.line(ui, label);
        if is_new {
            self.error = None;
        }
        let entered = response.lost_focus().then(|| self.enter(ui, &response, value, check)).flatten();
        if let Some(error) = &self.error {
            note(ui, error.as_str(), theme::BAD);
        }
        entered
    }

    /// As [`show`](Self::show) for a part of a point; where a whole point is pasted, the text is that.
    pub fn show_part(&mut self, ui: &mut Ui, label: &str, value: &Decimal) -> Option<String> {
        self.takes_points = true;
        self.show(ui, label, value, |_| Ok(()))
    }

    /// What the field says now, where that is a number.
    pub fn text(&self) -> Option<&str> {
        match &self.draft {
            Some(draft) => draft.parse::<Decimal>().is_ok().then_some(draft.as_str()),
            None => self.shown.as_ref().map(|(_, text)| text.as_str()),
        }
    }

    fn follow(&mut self, value: &Decimal) {
        if self.shown.as_ref().is_none_or(|(shown, _)| shown != value) {
            self.shown = Some((value.clone(), value.to_string()));
            // What could not be read is of no use once the view has moved on.
            if self.error.take().is_some() {
                self.draft = None;
            }
        }
    }

    fn line(&mut self, ui: &mut Ui, label: &str) -> (Response, bool) {
        let mut text = match &self.draft {
            Some(draft) => draft.clone(),
            None => self.shown.as_ref().map(|(_, text)| text.clone()).unwrap_or_default(),
        };
        let response = ui
            .horizontal(|ui| {
                let name = name(ui, label, 46.0);
                if self.error.is_some() {
                    mark(ui);
                }
                let edit = TextEdit::singleline(&mut text).font(TextStyle::Monospace).align(egui::Align2::LEFT_CENTER);
                let response = ui.add(edit.desired_width(ui.available_width()).margin(egui::vec2(7.0, 4.0)));
                response.labelled_by(name.id)
            })
            .inner;
        let is_new = response.changed();
        if is_new {
            self.draft = Some(text);
        }
        (response, is_new)
    }

    fn enter(
        &mut self,
        ui: &Ui,
        response: &Response,
        value: &Decimal,
        check: impl Fn(&Decimal) -> Result<(), String>,
    ) -> Option<String> {
        let draft = self.draft.take()?;
        self.error = None;
        if ui.input(|i| i.key_pressed(Key::Escape)) {
            return None;
        }
        let read = draft.parse::<Decimal>().map_err(|e| e.to_string());
        match read.and_then(|number| check(&number).map(|()| number)) {
            Ok(number) => (number != *value).then(|| draft.trim().to_owned()),
            Err(_) if self.takes_points && is_point(&draft) => Some(draft.trim().to_owned()),
            Err(error) => {
                self.error = Some(error);
                self.draft = Some(draft);
                if ui.input(|i| i.key_pressed(Key::Enter)) {
                    response.request_focus();
                }
                None
            }
        }
    }
}

/// Whether a text is a point, and no number with a comma for a point: `1,5` is that or a slip of the hand.
fn is_point(text: &str) -> bool {
    let is_comma_number = text.trim().trim_start_matches(['-', '+']).chars().all(|c| c.is_ascii_digit() || c == ',');
    !is_comma_number && parse_point(text).is_ok()
}

/// Outlines the next field as wrong.
fn mark(ui: &mut Ui) {
    let stroke = egui::Stroke::new(1.0, theme::BAD);
    let visuals = ui.visuals_mut();
    for widget in [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active] {
        widget.bg_stroke = stroke;
    }
    visuals.selection.stroke = stroke;
}
