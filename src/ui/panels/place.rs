//! Where the view is: centre and height to every digit, and the ways to other places.

use egui::Ui;

use super::controls::{button, button_if, note};
use super::number_field::NumberField;
use crate::app::{Command, Explorer, Landmark};
use crate::math::Decimal;
use crate::ui::theme;

/// The fields: diagrams have a width of their own.
#[derive(Default)]
pub struct PlaceForm {
    re: NumberField,
    im: NumberField,
    height: NumberField,
    width: NumberField,
    rotation: NumberField,
}

impl PlaceForm {
    pub fn show(&mut self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
        if explorer.state.view().camera().is_none() {
            self.fields(ui, explorer, commands);
        }
        let state = &explorer.state;
        ui.horizontal(|ui| {
            button(ui, explorer, commands, "Home", "show the whole set, upright", Command::Home);
            button_if(ui, state.can_go_back(), explorer, commands, "←", "the view before", Command::Back);
            button_if(ui, state.can_go_forward(), explorer, commands, "→", "the view after", Command::Forward);
            button(ui, explorer, commands, "Copy", "copy the location, every digit", Command::CopyLocation);
            button(ui, explorer, commands, "Paste", "go to the copied location", Command::PasteLocation);
        });
        landmarks(ui, explorer, commands);
    }

    fn fields(&mut self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
        let viewport = explorer.state.viewport();
        let center = viewport.center();
        let [abscissa, ordinate] = explorer.state.view().axes().unwrap_or(["Re", "Im"]);
        let re = self.re.show_part(ui, abscissa, &center.re);
        let im = self.im.show_part(ui, ordinate, &center.im);
        let whole = [&re, &im].into_iter().flatten().find(|text| text.parse::<Decimal>().is_err());
        if let Some(point) = whole {
            commands.push(Command::GoTo(point.clone()));
        } else if re.is_some() || im.is_some() {
            // A number typed into the other field and not entered yet goes along.
            let text = |entered: Option<String>, field: &NumberField, value: &Decimal| {
                entered.or_else(|| field.text().map(String::from)).unwrap_or_else(|| value.to_string())
            };
            let (re, im) = (text(re, &self.re, &center.re), text(im, &self.im, &center.im));
            commands.push(Command::SetCenter { re, im });
        }
        if let Some(width) = viewport.stretched_width()
            && let Some(width) = self.width.show(ui, "Width", width, above_zero)
        {
            commands.push(Command::SetWidth(width));
        }
        if let Some(height) = self.height.show(ui, "Height", viewport.height(), above_zero) {
            commands.push(Command::SetHeight(height));
        }
        if explorer.state.can_turn() {
            // As few digits as say which f64 it is.
            let rotation = viewport.rotation_degrees().to_string().parse::<Decimal>();
            let rotation = rotation.expect("an angle is a number");
            if let Some(rotation) = self.rotation.show(ui, "Angle", &rotation, |_| Ok(())) {
                commands.push(Command::SetRotation(rotation));
            }
        }
    }
}

/// Ways to what the view is about, and what was found there.
fn landmarks(ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
    if let Some(progress) = explorer.finding() {
        note(ui, progress.to_string(), theme::TEXT);
        button(ui, explorer, commands, "Stop", "give up the search", Command::CancelFind);
        return;
    }
    if !explorer.state.can_find() {
        return;
    }
    ui.horizontal(|ui| {
        for (text, tip, landmark) in [
            ("Minibrot", "zoom to the minibrot in view, framed and upright", Landmark::Minibrot),
            ("Spiral", "centre the spiral or the tip in view: a Misiurewicz point", Landmark::Spiral),
        ] {
            button(ui, explorer, commands, text, tip, Command::Find { landmark, at_px: None });
        }
    });
    if let Some(found) = explorer.state.found() {
        note(ui, found.to_string(), theme::WEAK);
    }
}

fn above_zero(extent: &Decimal) -> Result<(), String> {
    if extent.is_positive() {
        Ok(())
    } else {
        Err(format!("an extent of {extent} shows nothing; write one above 0, like 2.5"))
    }
}
