//! The part of the dialog that saves what moves.

use std::path::Path;

use egui::{Button, DragValue, RichText, Sense, Ui, vec2};

use super::{FileField, Obstacle, obstacle, row};
use crate::app::animation::{FilmKind, Pace};
use crate::app::{AnimationRequest, Command, Play, Site, State, default_animation_path};
use crate::ui::panels::controls::note;
use crate::ui::panels::digits::grouped;
use crate::ui::theme;

const DEFAULT_FPS: u32 = 30;
const LONGEST_SECONDS: f64 = 3600.0;

/// What the fields hold.
pub struct AnimationForm {
    play: Play,
    pace: Pace,
    file: FileField,
}

/// How what is shown can move.
pub fn plays(state: &State) -> Vec<Play> {
    Play::ALL.into_iter().filter(|play| state.stage().shown().any(|(_, view)| play.suits(view))).collect()
}

impl AnimationForm {
    /// The usual animation, at the window's own speed.
    pub fn new(state: &State, play: Play) -> Self {
        let path = default_animation_path(state.view().key(), play).display().to_string();
        Self { play, pace: Pace { seconds: play.round(), fps: DEFAULT_FPS }, file: FileField::new(path) }
    }

    /// Whether all moves that is shown.
    pub fn is_of_all(&self, state: &State) -> bool {
        state.stage().shown().all(|(_, view)| self.play.suits(view))
    }

    /// The fields; true where all of them can be used.
    pub fn show(&mut self, ui: &mut Ui, size: [u32; 2], state: &State) -> bool {
        self.motion(ui, state);
        self.pace(ui);
        let is_free = self.file.show(ui, "File", in_the_way);
        let (frames, is_film) = (self.pace.frames(), FilmKind::of(Path::new(&self.file.path())).is_some());
        let is_even = !is_film || size.iter().all(|side| side % 2 == 0);
        match &frames {
            Err(error) => note(ui, error.to_string(), theme::BAD),
            Ok(_) if !is_even => note(ui, "films have an even number of pixels along each side", theme::BAD),
            Ok(frames) => {
                let kind = if is_film {
                    "a film made by ffmpeg"
                } else {
                    "a folder of pictures; a name that ends in .mp4 or .webm makes a film"
                };
                note(ui, format!("{} frames as {kind}", grouped(u64::from(*frames))), theme::WEAK)
            }
        };
        is_free && is_even && frames.is_ok()
    }

    /// `cluster` draws it, where one is named.
    pub fn command(&self, size: [u32; 2], cluster: Option<Site>) -> Command {
        let (path, play, pace, overwrite) = (self.file.path(), self.play, self.pace, self.file.overwrite);
        Command::ExportAnimation(AnimationRequest { path, play, pace, size, overwrite, cluster })
    }

    fn motion(&mut self, ui: &mut Ui, state: &State) {
        let mut chosen = self.play;
        row(ui, "Motion", |ui, _| {
            for play in plays(state) {
                let (name, tip) = match play {
                    Play::Section => ("Section", "through the set, to and fro"),
                    Play::Fly => ("Fly", "from above to the side, and back"),
                    Play::Spin => ("Spin", "once round the scene"),
                };
                let button = Button::selectable(chosen == play, name).frame_when_inactive(true).sense(Sense::CLICK);
                if ui.add(button).on_hover_text(tip).clicked() {
                    chosen = play;
                }
            }
        });
        if chosen != self.play {
            let fps = self.pace.fps;
            *self = Self::new(state, chosen);
            self.pace.fps = fps;
        }
    }

    fn pace(&mut self, ui: &mut Ui) {
        row(ui, "Length", |ui, _| {
            let seconds = DragValue::new(&mut self.pace.seconds).range(0.1..=LONGEST_SECONDS).speed(0.1).suffix(" s");
            let fps = DragValue::new(&mut self.pace.fps).range(1..=Pace::MOST_FPS).speed(0.2);
            for (name, field) in [("Seconds", seconds), ("Frames a second", fps)] {
                let response = ui.add(field.update_while_editing(false).min_size(vec2(76.0, 0.0))).on_hover_text(name);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, name));
            }
            ui.label(RichText::new("frames a second").color(theme::WEAK));
        });
    }
}

/// What stands in the way of an animation: frames go to a folder, which may be there.
fn in_the_way(path: &str) -> Option<Obstacle> {
    let is_film = FilmKind::of(Path::new(path)).is_some();
    match obstacle(path) {
        Some(Obstacle::IsFolder) if !is_film => None,
        Some(Obstacle::Exists) if !is_film => Some(Obstacle::IsFile),
        other => other,
    }
}
