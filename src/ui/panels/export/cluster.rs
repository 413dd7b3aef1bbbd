//! The part of the dialog that says who draws: this machine, or a cluster.

use std::path::Path;

use egui::{Button, Sense, TextEdit, TextStyle, Ui, vec2};

use super::{NAME_WIDTH, row};
use crate::app::export::FileKind;
use crate::app::{Address, Command, Explorer, Site, State, Trial};
use crate::cluster::Partial;
use crate::ui::panels::controls::{dashboard, hint, note};
use crate::ui::theme;

/// What the fields hold.
pub struct ClusterForm {
    is_chosen: bool,
    address: String,
    /// Folder of certificates, where the address wants some.
    certificates: String,
    /// The file last looked for on disk, whether something was being saved, and whether its picture was begun before.
    looked: Option<(String, bool, bool)>,
    begun: Begun,
}

/// What is done about a picture that was begun and not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    GoOn,
    Anew,
}

impl ClusterForm {
    /// This machine; the fields hold the cluster that was asked last.
    pub fn new(state: &State) -> Self {
        let known = state.cluster.as_ref();
        let certificates = known.and_then(|site| site.certificates.as_ref());
        Self {
            is_chosen: false,
            address: known.map(|site| site.address.to_string()).unwrap_or_default(),
            certificates: certificates.map(|folder| folder.display().to_string()).unwrap_or_default(),
            looked: None,
            begun: Begun::GoOn,
        }
    }

    /// The cluster that is to draw, where one is and can be asked.
    pub fn site(&self) -> Option<Site> {
        self.is_chosen.then(|| self.read().ok()).flatten()
    }

    /// What is to be done about the picture's tiles of before, where there are some.
    pub fn begun(&self) -> Option<Begun> {
        self.looked.as_ref().is_some_and(|(_, _, is_begun)| *is_begun).then_some(self.begun)
    }

    /// The fields, for a picture of that path, or for an animation; true where nothing is in the way.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        explorer: &Explorer,
        commands: &mut Vec<Command>,
        picture: Option<&str>,
    ) -> bool {
        self.choice(ui);
        if !self.is_chosen {
            return true;
        }
        let site = self.read();
        let trial = explorer.trial().filter(|trial| site.as_ref() == Ok(trial.site()));
        self.address(ui, explorer, commands, trial);
        if self.address.trim().starts_with("tls://") {
            row(ui, "Keys", |ui, label| {
                let edit = field(&mut self.certificates).hint_text("folder of ca.pem, cert.pem and key.pem");
                ui.add(edit.desired_width(ui.available_width())).labelled_by(label);
            });
        }
        under(ui, |ui| match (&site, trial) {
            _ if self.address.trim().is_empty() => {
                note(
                    ui,
                    "local: this machine's cores, by Dask; tcp://HOST:PORT: the workers of a scheduler",
                    theme::WEAK,
                );
            }
            (Err(why), _) => drop(note(ui, why, theme::BAD)),
            (Ok(_), Some(trial)) => answer(ui, trial, explorer, commands),
            (Ok(_), None) => drop(note(ui, "the same file, drawn by all workers that are there", theme::WEAK)),
        });
        match picture {
            Some(path) => self.look(path, explorer.state.exporting),
            None => self.looked = None,
        }
        if self.begun().is_some() && !explorer.state.exporting {
            self.unfinished(ui);
        }
        site.is_ok()
    }

    /// Asks the disk whether the picture was begun, where that may have changed.
    fn look(&mut self, path: &str, exporting: bool) {
        let is_known = |(known, was_exporting, _): &(String, bool, bool)| known == path && *was_exporting == exporting;
        if !self.looked.as_ref().is_some_and(is_known) {
            let file = FileKind::of(Path::new(path)).ok().map(|(_, file)| Partial::path_for(&file));
            self.looked = Some((path.into(), exporting, file.is_some_and(|file| file.is_file())));
            self.begun = Begun::GoOn;
        }
    }

    fn unfinished(&mut self, ui: &mut Ui) {
        row(ui, "Begun", |ui, _| {
            for (begun, name, tip) in [
                (Begun::GoOn, "Go on", "draws only the tiles that are missing"),
                (Begun::Anew, "Begin anew", "the tiles that are there go"),
            ] {
                let button = Button::selectable(self.begun == begun, name).frame_when_inactive(true);
                if ui.add(button.sense(Sense::CLICK)).on_hover_text(tip).clicked() {
                    self.begun = begun;
                }
            }
            note(ui, "tiles of it are kept beside the file", theme::WEAK);
        });
    }

    fn choice(&mut self, ui: &mut Ui) {
        row(ui, "Draw on", |ui, _| {
            for (is_cluster, name, tip) in [
                (false, "This machine", "all of its cores"),
                (true, "A cluster", "Dask's workers, here or on other machines"),
            ] {
                let button = Button::selectable(self.is_chosen == is_cluster, name).frame_when_inactive(true);
                if ui.add(button.sense(Sense::CLICK)).on_hover_text(tip).clicked() {
                    self.is_chosen = is_cluster;
                }
            }
        });
    }

    fn address(&mut self, ui: &mut Ui, explorer: &Explorer, commands: &mut Vec<Command>, trial: Option<&Trial>) {
        const TEST_WIDTH: f32 = 56.0;
        row(ui, "Address", |ui, label| {
            let width = ui.available_width() - TEST_WIDTH - ui.spacing().item_spacing.x;
            let edit = field(&mut self.address).hint_text("tcp://HOST:8786").desired_width(width);
            ui.add(edit).labelled_by(label);
            let is_asking = trial.is_some_and(|trial| trial.result().is_none());
            let test = Button::new("Test").sense(Sense::CLICK).min_size(vec2(TEST_WIDTH, 0.0));
            let (site, is_idle) = (self.read(), !is_asking);
            let response = ui.add_enabled(site.is_ok() && is_idle, test);
            let Ok(site) = site else { return };
            let command = Command::TestCluster(site);
            if hint(response, explorer, &command, "ask who is there").clicked() {
                commands.push(command);
            }
        });
    }

    /// The cluster that the fields mean.
    fn read(&self) -> Result<Site, String> {
        let address: Address = self.address.trim().parse().map_err(|no: crate::app::NoAddress| no.to_string())?;
        let folder = self.certificates.trim();
        if !address.needs_certificates() {
            return Ok(Site { address, certificates: None });
        }
        if !Path::new(folder).is_dir() {
            return Err("tls:// needs the folder of ca.pem, cert.pem and key.pem".into());
        }
        Ok(Site { address, certificates: Some(folder.into()) })
    }
}

/// What a cluster answered, or that it is being asked.
fn answer(ui: &mut Ui, trial: &Trial, explorer: &Explorer, commands: &mut Vec<Command>) {
    match trial.result() {
        None => drop(note(ui, "asking who is there …", theme::WEAK)),
        Some(Err(reason)) => drop(note(ui, reason, theme::BAD)),
        Some(Ok(seen)) => {
            let color = if seen.workers == 0 { theme::WARN } else { theme::GOOD };
            note(ui, seen.to_string(), color);
            // While it draws, the bar has the address.
            if let Some(address) = seen.dashboard.as_ref().filter(|_| explorer.cluster_work().is_none()) {
                dashboard(ui, address, explorer, commands);
            }
        }
    }
}

fn field(text: &mut String) -> TextEdit<'_> {
    TextEdit::singleline(text).font(TextStyle::Monospace).margin(vec2(7.0, 5.0))
}

/// Lines beneath a field, as wide as it.
fn under(ui: &mut Ui, lines: impl FnOnce(&mut Ui)) {
    ui.horizontal_top(|ui| {
        ui.add_space(NAME_WIDTH + ui.spacing().item_spacing.x);
        ui.vertical(lines);
    });
}
