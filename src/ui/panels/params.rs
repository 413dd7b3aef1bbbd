//! The view's knobs, from [`View::params`](crate::view::View::params): a new knob needs no edit here.

use std::collections::HashMap;

use egui::{ComboBox, DragValue, Response, RichText, Slider, SliderClamping, Ui};

use super::number_field::NumberField;
use crate::app::{Command, Explorer};
use crate::math::{BigComplex, Decimal};
use crate::ui::theme;
use crate::view::{Param, ParamRange, ParamValue};

/// Fields of knobs that are points, by key: what is typed in them outlives the frame.
#[derive(Default)]
pub struct PointForms(HashMap<&'static str, [NumberField; 2]>);

/// Numbers of a wider range are dragged, not slid.
const WIDEST_SLIDER: f64 = 10.0;

/// One row for each knob.
pub fn show(ui: &mut Ui, explorer: &Explorer, forms: &mut PointForms, commands: &mut Vec<Command>) {
    for param in explorer.state.view().params() {
        let turned = match &param.value {
            ParamValue::Point(point) => forms.show(ui, &param, point),
            _ => knob(ui, &param),
        };
        if let Some(value) = turned {
            commands.push(Command::SetParam { key: param.key, value });
        }
    }
}

impl PointForms {
    /// Two fields for one point; gives the point that was entered.
    fn show(&mut self, ui: &mut Ui, param: &Param, point: &BigComplex) -> Option<ParamValue> {
        let [re, im] = self.0.entry(param.key).or_default();
        let label = |part: &str| format!("{} {part}", param.label);
        let new_re = re.show(ui, &label("re"), &point.re, |_| Ok(()));
        let new_im = im.show(ui, &label("im"), &point.im, |_| Ok(()));
        if new_re.is_none() && new_im.is_none() {
            return None;
        }
        let part = |entered: Option<String>, field: &NumberField, old: &Decimal| {
            let text = entered.or_else(|| field.text().map(String::from));
            text.and_then(|text| text.parse().ok()).unwrap_or_else(|| old.clone())
        };
        Some(ParamValue::Point(BigComplex::new(part(new_re, re, &point.re), part(new_im, im, &point.im))))
    }
}

/// Shows a knob; gives its new value when it was turned.
fn knob(ui: &mut Ui, param: &Param) -> Option<ParamValue> {
    match (&param.value, &param.range) {
        (ParamValue::Switch(on), _) => {
            let mut on = *on;
            let response = ui.checkbox(&mut on, param.label).on_hover_text(param.help);
            response.changed().then_some(ParamValue::Switch(on))
        }
        (ParamValue::Count(count), ParamRange::Count { least, most }) => {
            let mut count = *count;
            let speed = (f64::from(count) * 0.01).max(0.2);
            let drag = DragValue::new(&mut count).range(*least..=*most).speed(speed);
            labelled(ui, param, drag).then_some(ParamValue::Count(count))
        }
        (ParamValue::Number(number), ParamRange::Number { least, most }) if most - least <= WIDEST_SLIDER => {
            let mut number = *number;
            let slider = Slider::new(&mut number, *least..=*most).max_decimals(6).smart_aim(false);
            // A number finer than it is shown stays what it is until a hand moves it.
            let slider = slider.clamping(SliderClamping::Edits);
            slid(ui, param, slider).then_some(ParamValue::Number(number))
        }
        (ParamValue::Number(number), ParamRange::Number { least, most }) => {
            let mut number = *number;
            let speed = (number.abs() * 0.01).max(1e-3);
            let drag = DragValue::new(&mut number).range(*least..=*most).speed(speed).max_decimals(6);
            labelled(ui, param, drag).then_some(ParamValue::Number(number))
        }
        (ParamValue::Choice(chosen), ParamRange::Choice(choices)) => choice(ui, param, chosen, choices),
        // A view whose value is not of its range's kind fails its own check.
        _ => None,
    }
}

/// Name to the left, a number to drag or type to the right; true when it changed.
fn labelled(ui: &mut Ui, param: &Param, drag: DragValue<'_>) -> bool {
    ui.horizontal(|ui| {
        let label = name(ui, param).id;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            // Typing 1000 must not draw 1, 10 and 100 on the way.
            let drag = drag.update_while_editing(false).min_size(egui::vec2(112.0, 0.0));
            let response = ui.add(drag).on_hover_text(format!("{}; drag sideways, or click to type", param.help));
            response.labelled_by(label).changed()
        })
        .inner
    })
    .inner
}

/// Name, slider, and the number; true when it changed.
fn slid(ui: &mut Ui, param: &Param, slider: Slider<'_>) -> bool {
    ui.horizontal(|ui| {
        let label = name(ui, param).id;
        ui.spacing_mut().slider_width = ui.available_width() - 94.0;
        ui.spacing_mut().interact_size.x = 80.0;
        ui.add(slider).on_hover_text(param.help).labelled_by(label).changed()
    })
    .inner
}

fn choice(ui: &mut Ui, param: &Param, chosen: &str, choices: &[(&'static str, &'static str)]) -> Option<ParamValue> {
    let mut key = chosen;
    let name_shown = choices.iter().find(|(key, _)| *key == chosen).map_or(chosen, |(_, name)| name);
    ui.horizontal(|ui| {
        let label = name(ui, param).id;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let shown = ComboBox::from_id_salt(param.key).selected_text(name_shown).width(140.0).show_ui(ui, |ui| {
                for (choice, name) in choices {
                    ui.selectable_value(&mut key, choice, *name);
                }
            });
            shown.response.labelled_by(label);
        });
    });
    (key != chosen).then(|| ParamValue::Choice(key.into()))
}

fn name(ui: &mut Ui, param: &Param) -> Response {
    ui.label(RichText::new(param.label).color(theme::WEAK)).on_hover_text(param.help)
}
