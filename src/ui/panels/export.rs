//! The dialog that saves the view at any size, as a picture or as numbers, or what moves in it.

mod animation;
mod cluster;

use std::path::{Path, PathBuf};

use animation::AnimationForm;
use cluster::{Begun, ClusterForm};
use egui::{Button, Checkbox, DragValue, Rect, RichText, Sense, Slider, TextEdit, TextStyle, Ui, vec2};

use super::controls::{name, note};
use super::dialog;
use super::digits::{bytes, grouped};
use super::save;
use crate::app::export::{Channel, CountsFormat, FileKind};
use crate::app::{Command, Explorer, Play, SaveRequest, State, default_picture_path};
use crate::render::MOST_PIXELS;
use crate::ui::screen::Memory;
use crate::ui::theme;

/// Bytes of a PNG for each pixel of a busy picture: an estimate, not a promise.
const BYTES_PER_PIXEL: f64 = 1.6;
const WIDTH: f32 = 430.0;
/// Room of the names before fields.
const NAME_WIDTH: f32 = 58.0;

/// What the dialog's fields hold.
pub struct ExportForm {
    size: [u32; 2],
    keeps_shape: bool,
    supersample: u32,
    /// What a `.npy` is to hold.
    channel: Channel,
    file: FileField,
    cluster: ClusterForm,
    /// Where an animation is wanted instead.
    animation: Option<AnimationForm>,
}

/// A path, and what was found there.
struct FileField {
    path: String,
    /// The path last looked at on disk, and what stands in its way.
    checked: Option<(String, Option<Obstacle>)>,
    overwrite: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Obstacle {
    Exists,
    NoFolder,
    IsFolder,
    IsFile,
    NoName,
}

/// Kinds of files.
#[derive(Clone, Copy)]
enum Kind {
    Picture,
    Numbers,
    Animation(Play),
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Picture => "Picture",
            Self::Numbers => "Numbers",
            Self::Animation(_) => "Animation",
        }
    }
}

/// Whether the view is made of samples, not of a diagram's columns or a scene's light.
fn has_samples(state: &State) -> bool {
    state.job().task.escape_time().is_some()
}

/// Shows the dialog while the state asks for it.
pub fn show(ui: &Ui, canvas: Rect, explorer: &Explorer, memory: &mut Memory, commands: &mut Vec<Command>) {
    if !explorer.state.export_shown {
        memory.export = None;
        return;
    }
    let form = memory.export.get_or_insert_with(|| ExportForm::new(&explorer.state));
    let open = dialog::show(ui, canvas, "Save at any size", WIDTH, |ui| {
        ui.spacing_mut().item_spacing.y = 10.0;
        form.show(ui, explorer, commands);
    });
    if !open {
        commands.push(Command::ShowExport(false));
    }
}

impl ExportForm {
    fn new(state: &State) -> Self {
        let path = default_picture_path(state.view().key()).display().to_string();
        let size = state.viewport().size();
        Self {
            size,
            keeps_shape: true,
            supersample: 2,
            channel: Channel::default(),
            file: FileField::new(path),
            cluster: ClusterForm::new(state),
            animation: None,
        }
    }

    fn show(&mut self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>) {
        self.kinds(ui, &explorer.state);
        let canvas = self.canvas(&explorer.state);
        self.presets(ui, canvas);
        self.custom_size(ui, canvas);
        let is_free = match &mut self.animation {
            Some(form) => {
                let is_free = form.show(ui, self.size, &explorer.state);
                // Frames that are there are kept, whoever drew them: no tiles lie beside them.
                self.cluster.show(ui, explorer, commands, None) && is_free
            }
            None => {
                if has_samples(&explorer.state) {
                    match self.file.numbers() {
                        None => self.smoothness(ui),
                        Some(CountsFormat::Npy) => self.channels(ui),
                        Some(CountsFormat::U32) => {}
                    }
                }
                let is_free = self.file.show(ui, "File", obstacle);
                note(ui, self.estimate(), theme::WEAK);
                let is_ready = !self.suits_clusters(&explorer.state)
                    || self.cluster.show(ui, explorer, commands, Some(&self.file.path()));
                is_free && is_ready
            }
        };
        if explorer.state.exporting {
            save::running(ui, explorer, commands);
        }
        ui.horizontal(|ui| {
            let ready = is_free && !explorer.state.exporting;
            let save = Button::new(RichText::new("Save").color(theme::STRONG)).fill(theme::ACCENT_DIM);
            if ui.add_enabled(ready, save.sense(Sense::CLICK).min_size(vec2(88.0, 0.0))).clicked() {
                commands.push(self.command(&explorer.state));
            }
            if ui.add(Button::new("Cancel").sense(Sense::CLICK)).clicked() {
                commands.push(Command::ShowExport(false));
            }
        });
    }

    /// Whether clusters draw such files: neither numbers, nor scenes, whose light may fall anywhere.
    fn suits_clusters(&self, state: &State) -> bool {
        self.file.numbers().is_none() && state.view().camera().is_none()
    }

    fn command(&self, state: &State) -> Command {
        match &self.animation {
            Some(form) => form.command(self.size, self.cluster.site()),
            None => {
                let cluster = self.cluster.site().filter(|_| self.suits_clusters(state));
                let begun = cluster.as_ref().and(self.cluster.begun());
                Command::Export(SaveRequest {
                    path: Some(self.file.path()),
                    size: Some(self.size),
                    supersample: self.supersample,
                    channel: match self.file.numbers() {
                        Some(CountsFormat::Npy) => self.channel,
                        _ => Channel::default(),
                    },
                    overwrite: self.file.overwrite || begun == Some(Begun::Anew),
                    cluster,
                    resume: begun == Some(Begun::GoOn),
                })
            }
        }
    }

    /// The choice between a picture, numbers where there are samples, and an animation where something can move.
    fn kinds(&mut self, ui: &mut Ui, state: &State) {
        let play = animation::plays(state).first().copied();
        let kinds = [
            (Some(Kind::Picture), "colours, as a PNG"),
            (has_samples(state).then_some(Kind::Numbers), "a number a pixel, for NumPy and other programs"),
            (play.map(Kind::Animation), "frames, or a film"),
        ];
        if kinds.iter().filter(|(kind, _)| kind.is_some()).count() == 1 {
            return;
        }
        row(ui, "Kind", |ui, _| {
            for (kind, tip) in kinds.into_iter().filter_map(|(kind, tip)| Some((kind?, tip))) {
                let is_chosen = match kind {
                    Kind::Animation(_) => self.animation.is_some(),
                    Kind::Numbers => self.animation.is_none() && self.file.numbers().is_some(),
                    Kind::Picture => self.animation.is_none() && self.file.numbers().is_none(),
                };
                let button = Button::selectable(is_chosen, kind.name()).frame_when_inactive(true).sense(Sense::CLICK);
                if ui.add(button).on_hover_text(tip).clicked() && !is_chosen {
                    self.choose(kind, state);
                }
            }
        });
    }

    fn choose(&mut self, kind: Kind, state: &State) {
        match kind {
            Kind::Picture => self.file.set_ending("png"),
            Kind::Numbers => self.file.set_ending("npy"),
            Kind::Animation(_) => {}
        }
        let was_animation = self.animation.is_some();
        self.animation = match kind {
            Kind::Animation(play) => Some(AnimationForm::new(state, play)),
            Kind::Picture | Kind::Numbers => None,
        };
        if was_animation != self.animation.is_some() {
            self.size = self.rounded(self.canvas(state));
        }
    }

    /// Size of what is saved as the window shows it.
    fn canvas(&self, state: &State) -> [u32; 2] {
        let is_all = self.animation.as_ref().is_some_and(|form| form.is_of_all(state));
        if is_all { state.stage().size() } else { state.viewport().size() }
    }

    /// The size that films can have, which is even, where an animation is wanted.
    fn rounded(&self, size: [u32; 2]) -> [u32; 2] {
        if self.animation.is_some() { size.map(|side| side.next_multiple_of(2)) } else { size }
    }

    fn presets(&mut self, ui: &mut Ui, canvas: [u32; 2]) {
        let times = |n: u32| self.rounded(canvas.map(|side| side.saturating_mul(n).min(MOST_PIXELS)));
        let presets = [
            ("1×", times(1)),
            ("2×", times(2)),
            ("4×", times(4)),
            ("8×", times(8)),
            ("4K", [3840, 2160]),
            ("8K", [7680, 4320]),
        ];
        row(ui, "Size", |ui, _| {
            for (name, size) in presets {
                let button = Button::selectable(self.size == size, name).frame_when_inactive(true).sense(Sense::CLICK);
                if ui.add(button).on_hover_text(format!("{} × {}", size[0], size[1])).clicked() {
                    self.size = size;
                }
            }
        });
    }

    fn custom_size(&mut self, ui: &mut Ui, canvas: [u32; 2]) {
        let mut sides = self.size;
        row(ui, "", |ui, _| {
            for (i, name) in ["Width", "Height"].into_iter().enumerate() {
                if i == 1 {
                    ui.label(RichText::new("×").color(theme::WEAK));
                }
                let drag = DragValue::new(&mut sides[i]).range(1..=MOST_PIXELS).speed(4.0).update_while_editing(false);
                let response = ui.add(drag.min_size(vec2(76.0, 0.0))).on_hover_text(format!("{name} in pixels"));
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, name));
            }
            ui.checkbox(&mut self.keeps_shape, "shape of the window")
                .on_hover_text("one side follows the other; otherwise more or less is seen to left and right");
        });
        if sides != self.size {
            self.resize(sides, canvas);
        }
    }

    /// Takes a size that was typed; the side left alone follows where the shape is kept.
    fn resize(&mut self, sides: [u32; 2], canvas: [u32; 2]) {
        let follow = |side: u32, own: u32, other: u32| {
            let scaled = f64::from(side) * f64::from(other) / f64::from(own.max(1));
            scaled.round().clamp(1.0, f64::from(MOST_PIXELS)) as u32
        };
        self.size = match self.keeps_shape {
            false => sides,
            true if sides[0] != self.size[0] => [sides[0], follow(sides[0], canvas[0], canvas[1])],
            true => [follow(sides[1], canvas[1], canvas[0]), sides[1]],
        };
    }

    fn smoothness(&mut self, ui: &mut Ui) {
        row(ui, "Samples", |ui, label| {
            ui.spacing_mut().slider_width = 150.0;
            ui.add(Slider::new(&mut self.supersample, 1..=8).show_value(false)).labelled_by(label);
            let n = self.supersample;
            let text = if n == 1 { "1 sample a pixel".into() } else { format!("{n}×{n} samples a pixel") };
            ui.label(RichText::new(text).color(theme::WEAK));
        });
    }

    fn channels(&mut self, ui: &mut Ui) {
        row(ui, "Numbers", |ui, _| {
            for channel in Channel::ALL {
                let (name, tip) = match channel {
                    Channel::Iterations => ("Iterations", "steps to escape as u32; 0 inside"),
                    Channel::Smooth => ("Smooth", "smooth iteration counts as f64; 0 inside"),
                    Channel::Distance => ("Distance", "estimated distance to the set in pixels, as f32; 0 inside"),
                };
                let is_chosen = self.channel == channel;
                let button = Button::selectable(is_chosen, name).frame_when_inactive(true).sense(Sense::CLICK);
                if ui.add(button).on_hover_text(tip).clicked() {
                    self.channel = channel;
                }
            }
        });
    }

    fn estimate(&self) -> String {
        let pixels = u64::from(self.size[0]) * u64::from(self.size[1]);
        if self.file.numbers().is_some() {
            let size = pixels as f64 * if self.channel == Channel::Smooth { 8.0 } else { 4.0 };
            return format!("{} numbers; a file of {}", grouped(pixels), bytes(size));
        }
        let samples = pixels * u64::from(self.supersample * self.supersample);
        format!(
            "{} pixels from {} samples; a file of about {}",
            grouped(pixels),
            grouped(samples),
            bytes(pixels as f64 * BYTES_PER_PIXEL)
        )
    }
}

impl FileField {
    fn new(path: String) -> Self {
        Self { path, checked: None, overwrite: false }
    }

    fn path(&self) -> String {
        self.path.trim().into()
    }

    /// The format of numbers that the name asks for, if it does.
    fn numbers(&self) -> Option<CountsFormat> {
        match FileKind::of(Path::new(self.path.trim())) {
            Ok((FileKind::Counts(format), _)) => Some(format),
            _ => None,
        }
    }

    fn set_ending(&mut self, ending: &str) {
        self.path = PathBuf::from(self.path.trim()).with_extension(ending).display().to_string();
    }

    /// The field, and what stands in its way; true where the file can be written.
    fn show(&mut self, ui: &mut Ui, label: &str, obstacle: impl Fn(&str) -> Option<Obstacle>) -> bool {
        row(ui, label, |ui, label| {
            let edit = TextEdit::singleline(&mut self.path).font(TextStyle::Monospace).margin(vec2(7.0, 5.0));
            ui.add(edit.desired_width(ui.available_width())).labelled_by(label);
        });
        // Asked of the disk when the path changes, not every frame.
        if self.checked.as_ref().is_none_or(|(path, _)| *path != self.path) {
            self.checked = Some((self.path.clone(), obstacle(self.path.trim())));
            self.overwrite = false;
        }
        let obstacle = self.checked.as_ref().and_then(|(_, obstacle)| *obstacle);
        match obstacle {
            Some(Obstacle::Exists) => {
                row(ui, "", |ui, _| ui.add(Checkbox::new(&mut self.overwrite, "replace the file that is there")));
            }
            Some(other) => {
                row(ui, "", |ui, _| note(ui, other.text(), theme::BAD));
            }
            None => {}
        }
        obstacle.is_none_or(|o| o == Obstacle::Exists && self.overwrite)
    }
}

impl Obstacle {
    fn text(self) -> &'static str {
        match self {
            Self::Exists => "there is a file of that name",
            Self::NoFolder => "there is no such folder",
            Self::IsFolder => "this is a folder; add a file name such as cardioid.png",
            Self::IsFile => "this is a file; name a folder, or a film that ends in .mp4 or .webm",
            Self::NoName => "write where to save",
        }
    }
}

fn obstacle(path: &str) -> Option<Obstacle> {
    let file = Path::new(path);
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    match () {
        () if path.is_empty() => Some(Obstacle::NoName),
        () if file.is_dir() => Some(Obstacle::IsFolder),
        () if file.exists() => Some(Obstacle::Exists),
        () if folder.is_some_and(|folder| !folder.is_dir()) => Some(Obstacle::NoFolder),
        () => None,
    }
}

/// A name to the left, fields to the right.
fn row<R>(ui: &mut Ui, text: &str, fields: impl FnOnce(&mut Ui, egui::Id) -> R) -> R {
    ui.horizontal(|ui| {
        let label = name(ui, text, NAME_WIDTH).id;
        fields(ui, label)
    })
    .inner
}
