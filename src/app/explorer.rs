//! The explorer at work: the state, what is being drawn for it, and the timings that come of it.
//!
//! Once a frame the window lets time pass ([`State::tick`]), applies commands, calls [`Explorer::frame`] and paints what
//! [`Explorer::drawings`] hold; tests do the same without a window.

use std::sync::Arc;

use super::antialias::Subframes;
use super::cluster::{Cluster, ClusterWork, Site, Trial};
use super::command::{Command, Effect, Table};
use super::compare::Comparison;
use super::drawing::{Drawing, Wish, same_picture};
use super::finder::Finder;
use super::inspector::Inspector;
use super::lookout::{Look, Lookout};
use super::pacing::Pacing;
use super::pass::Wake;
use super::race::Race;
use super::saver::{Saved, Saver};
use super::scheduler::Event;
use super::sheet::{Format, Sheet};
use super::state::{Half, State};
use super::tile_map::TileMap;
use super::timings::Shown;
use crate::engine::Machine;
use crate::fractal::locate::Progress;
use crate::render::Job;

/// State, drawing and timings.
pub struct Explorer {
    pub state: State,
    pub comparison: Option<Comparison>,
    /// Engine at work and share done, while a comparison runs.
    pub comparing: Option<(&'static str, f32)>,
    /// How the newest frames came.
    pub pacing: Pacing,
    /// What was raced so far.
    pub race: Race,
    /// The picture of the upper half, or of the whole canvas.
    pub upper: Drawing,
    /// That of the lower half, since there was one.
    lower: Option<Drawing>,
    saver: Saver,
    cluster: Option<Arc<dyn Cluster>>,
    /// The cluster that was asked last who is there.
    trial: Option<Trial>,
    finder: Finder,
    inspector: Inspector,
    /// While the autopilot flies.
    lookout: Option<Lookout>,
    compared_job: Option<Job>,
    crew: Crew,
}

/// What drawing threads are started with.
#[derive(Clone)]
struct Crew {
    machine: Machine,
    takes_device_fields: bool,
    wake: Wake,
}

impl Crew {
    fn drawing(&self) -> std::io::Result<Drawing> {
        Drawing::start(&self.machine, self.takes_device_fields, self.wake.clone())
    }
}

impl Explorer {
    /// Starts the drawing thread at the home view.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(mut state: State, machine: &Machine, takes_device_fields: bool, wake: Wake) -> std::io::Result<Self> {
        let crew = Crew { machine: machine.clone(), takes_device_fields, wake: wake.clone() };
        let upper = crew.drawing()?;
        state.engine_keys = upper.engines().iter().map(|e| e.key).collect();
        Ok(Self {
            state,
            comparison: None,
            comparing: None,
            race: Race::default(),
            pacing: Pacing::default(),
            upper,
            lower: None,
            saver: Saver::new(machine.clone(), wake.clone()),
            cluster: None,
            trial: None,
            finder: Finder::new(wake.clone()),
            inspector: Inspector::start(machine, wake)?,
            lookout: None,
            compared_job: None,
            crew,
        })
    }

    /// Goes on with the same state on another machine: the device was lost.
    ///
    /// # Errors
    /// As [`Explorer::start`].
    pub fn restart(&mut self, machine: &Machine, takes_device_fields: bool, wake: Wake) -> std::io::Result<()> {
        self.crew = Crew { machine: machine.clone(), takes_device_fields, wake: wake.clone() };
        (self.upper, self.lower) = (self.crew.drawing()?, None);
        self.saver = Saver::new(machine.clone(), wake.clone());
        self.inspector = Inspector::start(machine, wake)?;
        self.comparing = None;
        self.race.stop();
        Ok(())
    }

    /// What is asked of clusters is asked of this from now on.
    pub fn reach_clusters_by(&mut self, cluster: Arc<dyn Cluster>) {
        self.cluster = Some(cluster);
    }

    /// The picture of the view with the focus.
    pub fn drawing(&self) -> &Drawing {
        match (self.state.stage().focus(), &self.lower) {
            (Half::Lower, Some(lower)) => lower,
            _ => &self.upper,
        }
    }

    fn drawing_mut(&mut self) -> &mut Drawing {
        match (self.state.stage().focus(), &mut self.lower) {
            (Half::Lower, Some(lower)) => lower,
            _ => &mut self.upper,
        }
    }

    /// The pictures that are shown, and where.
    pub fn drawings(&self) -> impl Iterator<Item = (Half, &Drawing)> {
        let lower = self.lower.as_ref().filter(|_| self.state.stage().lower().is_some());
        std::iter::once((Half::Upper, &self.upper)).chain(lower.map(|lower| (Half::Lower, lower)))
    }

    /// What is known of the point looked at.
    pub fn inspector(&self) -> &Inspector {
        &self.inspector
    }

    /// True where the picture still changes, or soon will.
    pub fn is_busy(&self) -> bool {
        let drawing = self.drawings().any(|(_, drawing)| drawing.is_busy());
        self.state.is_moving() || drawing || self.comparing.is_some()
    }

    /// True where a settled picture gets more samples still.
    pub fn is_antialiasing(&self) -> bool {
        self.drawings().any(|(_, drawing)| drawing.subframes().is_some_and(Subframes::is_busy))
    }

    /// Share of the picture or animation being saved that is done.
    pub fn saving(&self) -> Option<f32> {
        self.saver.progress()
    }

    /// How far a cluster is with what is being saved, where one draws it.
    pub fn cluster_work(&self) -> Option<ClusterWork> {
        self.saver.cluster()
    }

    /// The cluster that was asked last who is there, and its answer.
    pub fn trial(&self) -> Option<&Trial> {
        self.trial.as_ref()
    }

    /// How far the search for a landmark is, while there is one.
    pub fn finding(&self) -> Option<Progress> {
        self.finder.progress()
    }

    /// The window has shown a frame, and that took so long.
    pub fn was_shown(&mut self, frame: Shown) {
        self.upper.was_shown(frame);
        if let Some(lower) = &mut self.lower {
            lower.was_shown(frame);
        }
    }

    /// The window cannot be seen, or can again: what is timed meanwhile is told apart.
    pub fn hide(&mut self, is_hidden: bool) {
        self.upper.timings.is_hidden = is_hidden;
        if let Some(lower) = &mut self.lower {
            lower.timings.is_hidden = is_hidden;
        }
    }

    /// Someone touches the machine: engines that are only being timed give way.
    pub fn give_way(&self) {
        for (_, drawing) in self.drawings() {
            drawing.scheduler.give_way();
        }
    }

    /// Takes what was drawn, and asks for what is wanted now. Gives what the window must do.
    pub fn frame(&mut self) -> Vec<Effect> {
        self.hear();
        self.act()
    }

    /// Takes what was drawn, timed, found and saved: panels that are laid out after this tell of it.
    pub fn hear(&mut self) {
        let mut events = self.upper.hear();
        events.extend(self.lower.iter_mut().flat_map(Drawing::hear));
        for event in events {
            self.take(event);
        }
        if let Some(outcome) = self.saver.outcome() {
            self.saved(outcome);
        }
        if self.trial.as_mut().is_some_and(Trial::hear) {
            self.told_of_cluster();
        }
        for half in [Half::Upper, Half::Lower] {
            let drawing = if half == Half::Upper { Some(&self.upper) } else { self.lower.as_ref() };
            if let Some(cap) = drawing.and_then(|drawing| drawing.measured(&self.state.job_of(half))) {
                self.state.measured_iterations(half, cap);
            }
        }
        if self.state.has_left_search() {
            self.finder.cancel();
            self.state.finding = None;
            self.state.say("search given up: the view changed");
        }
        if let Some(outcome) = self.finder.outcome() {
            self.state.search_ended(outcome);
        }
    }

    /// Asks for what is wanted now. Gives what the window must do.
    pub fn act(&mut self) -> Vec<Effect> {
        let effects = self.state.take_effects().into_iter().filter_map(|e| self.handle(e)).collect();
        self.inspector.update(self.state.question());
        self.look_out();
        self.ask();
        self.race_on();
        effects
    }

    /// Looks ahead for the autopilot, while it flies.
    fn look_out(&mut self) {
        if !self.state.is_piloted() {
            self.lookout = None;
            return;
        }
        let lookout = match &mut self.lookout {
            Some(lookout) => lookout,
            None => match Lookout::start(self.crew.wake.clone()) {
                Ok(lookout) => self.lookout.insert(lookout),
                Err(error) => {
                    self.state.apply(Command::Hold);
                    return self.state.complain(format!("no thread to look ahead on: {error}"));
                }
            },
        };
        match lookout.take() {
            Some(Look::Seen { glance, cap }) => {
                if let Some(cap) = cap {
                    self.state.measured_iterations(self.state.stage().focus(), cap);
                }
                self.state.see(Some(&glance));
            }
            Some(Look::TooDeep) => self.state.see(None),
            None => {}
        }
        lookout.look(&self.state.job());
    }

    /// True while the autopilot waits for what is being looked at.
    pub fn is_looking_out(&self) -> bool {
        self.lookout.as_ref().is_some_and(Lookout::is_looking)
    }

    /// Does what needs no window; gives back the rest.
    fn handle(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Compare => {
                self.comparison = None;
                self.comparing = Some(("", 0.0));
                let job = self.state.job();
                self.compared_job = Some(job.clone());
                let drawing = self.drawing_mut();
                drawing.antialias(None);
                drawing.scheduler.compare(job);
                if !drawing.status.settled {
                    // The comparison took the thread from the picture.
                    drawing.ask_again();
                }
                None
            }
            Effect::CancelCompare => {
                self.comparison = None;
                if self.comparing.take().is_some() {
                    self.drawing().scheduler.cancel();
                }
                None
            }
            Effect::Export(request) => {
                let started = self.saver.start(&self.state, &request, self.cluster.as_ref());
                self.unless_started(started);
                None
            }
            Effect::ExportAnimation(request) => {
                let started = self.saver.start_animation(&self.state, &request, self.cluster.as_ref());
                self.unless_started(started);
                None
            }
            Effect::CancelExport => {
                self.saver.cancel();
                None
            }
            Effect::TestCluster(site) => {
                self.test_cluster(site);
                None
            }
            Effect::CopyDashboard => {
                let dashboard = self.dashboard()?;
                self.state.say(format!("copied {dashboard}"));
                Some(Effect::Copy(dashboard))
            }
            Effect::OpenDashboard => Some(Effect::Browse(self.dashboard()?)),
            Effect::CopyTable { table, format } => self.copy(table, format),
            Effect::Find(search) => {
                if let Err(error) = self.finder.start(search) {
                    self.state.finding = None;
                    self.state.complain(format!("no thread to search on: {error}"));
                }
                None
            }
            Effect::CancelFind => {
                self.finder.cancel();
                None
            }
            Effect::SaveBookmark(id) => {
                if let Err(error) = self.state.bookmarks().save(id) {
                    self.state
                        .complain(format!("the bookmark lasts until you quit: its file cannot be written ({error})"));
                }
                None
            }
            other => Some(other),
        }
    }

    fn copy(&mut self, table: Table, format: Format) -> Option<Effect> {
        let Some((name, sheet)) = self.sheet(table) else {
            self.state.complain("there is nothing to copy yet: R compares, Shift+R races");
            return None;
        };
        self.state.say(format!("copied the {name} as {}", format.label()));
        Some(Effect::Copy(sheet.write(format)))
    }

    /// A table of figures, and its name.
    fn sheet(&self, table: Table) -> Option<(&'static str, Sheet)> {
        let drawing = self.drawing();
        match table {
            Table::Timings => Some(("timings", drawing.timings.sheet(drawing.engines(), &drawing.status))),
            Table::Comparison => self.comparison.as_ref().map(|comparison| ("comparison", comparison.sheet())),
            Table::Race => {
                let keys: Vec<_> = drawing.engines().iter().map(|engine| engine.key).collect();
                (self.race.legs().len() > 0).then(|| ("race", self.race.sheet(&keys)))
            }
        }
    }

    fn test_cluster(&mut self, site: Site) {
        // One at a time: what is asked now ends what was asked before.
        self.trial = None;
        let Some(cluster) = self.cluster.clone() else {
            return self.state.complain("there is no way to clusters here");
        };
        match Trial::start(cluster, site, self.crew.wake.clone()) {
            Ok(trial) => self.trial = Some(trial),
            Err(error) => self.state.complain(format!("no thread to ask the cluster on: {error}")),
        }
    }

    /// Says who is at the cluster, where no dialog does.
    fn told_of_cluster(&mut self) {
        let Some(trial) = self.trial.as_ref().filter(|_| !self.state.export_shown) else { return };
        let address = &trial.site().address;
        match trial.result() {
            Some(Ok(seen)) => self.state.say(format!("{address}: {seen}")),
            Some(Err(reason)) => self.state.complain(reason.clone()),
            None => {}
        }
    }

    /// Address of the dashboard of the cluster that draws, or was asked last.
    fn dashboard(&mut self) -> Option<String> {
        let drawing = self.saver.cluster().and_then(|work| work.progress.dashboard);
        let asked = || self.trial.as_ref()?.result()?.as_ref().ok()?.dashboard.clone();
        let dashboard = drawing.or_else(asked);
        if dashboard.is_none() {
            self.state.complain("no cluster told of a dashboard; test one, or let one draw");
        }
        dashboard
    }

    /// Says why a save did not even begin.
    fn unless_started(&mut self, started: Result<(), impl std::fmt::Display>) {
        if let Err(error) = started {
            self.state.exporting = false;
            self.state.complain(error.to_string());
        }
    }

    fn saved(&mut self, outcome: Saved) {
        self.state.exporting = false;
        match outcome {
            Saved::Done(path) => {
                self.state.export_shown = false;
                self.state.say(format!("saved {}", path.display()));
            }
            Saved::GivenUp(left) => self.state.say(left),
            Saved::Failed(reason) => self.state.complain(reason),
        }
    }

    /// Asks for the present views where they are not the ones being drawn.
    fn ask(&mut self) {
        if self.comparing.is_some() {
            let job = self.state.job();
            if self.compared_job.as_ref().is_none_or(|compared| same_picture(compared, &job)) {
                return;
            }
            self.give_up_comparison();
        }
        let time_others =
            self.state.live_timings && !self.state.racing && self.state.overlay != super::OverlayMode::Off;
        for drawing in std::iter::once(&self.upper).chain(&self.lower) {
            drawing.board().set_on(self.state.tile_map != TileMap::Off);
        }
        let focus = self.state.stage().focus();
        let wish = |half| Wish {
            choice: self.state.engine,
            redraws: self.state.redraws,
            time_others: time_others && half == focus,
            automatic_iterations: self.state.stage().at(half).has_automatic_iterations(),
            full_resolution: self.state.hands.full_resolution,
        };
        let colours = (self.state.palette.key(), self.state.coloring);
        let antialiased = (self.state.antialiasing && !self.state.is_moving()).then_some(colours);
        self.upper.ask(self.state.job_of(Half::Upper), wish(Half::Upper));
        self.upper.antialias(antialiased);
        if self.state.stage().lower().is_none() {
            if let Some(lower) = &mut self.lower {
                lower.rest();
            }
            return;
        }
        if self.lower.is_none() {
            match self.crew.drawing() {
                Ok(drawing) => self.lower = Some(drawing),
                Err(error) => return self.state.complain(format!("no thread to draw the lower half on: {error}")),
            }
        }
        if let Some(lower) = &mut self.lower {
            lower.ask(self.state.job_of(Half::Lower), wish(Half::Lower));
            lower.antialias(antialiased);
        }
    }

    /// Races on the view with the focus once it is settled, and gives up a race that is not wanted any more.
    fn race_on(&mut self) {
        let is_wanted = self.state.racing && self.comparing.is_none() && !self.state.is_moving();
        if !is_wanted || !self.drawing().status.settled {
            if self.race.progress().is_some() {
                self.give_way();
                self.race.stop();
            }
            return;
        }
        let job = self.state.job();
        if let Some(id) = self.race.start(&job) {
            self.drawing_mut().scheduler.race(id, job);
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Failed { engine, reason, .. } => self.state.complain(format!("{engine}: {reason}")),
            Event::Comparing { engine, share } if self.comparing.is_some() => self.comparing = Some((engine, share)),
            Event::Compared(comparison) if self.comparing.take().is_some() => self.comparison = Some(comparison),
            Event::Racing { id, engine, share } => self.race.goes_on(id, engine, share),
            Event::Raced { id, comparison } => self.race.ended(id, comparison.as_ref()),
            // News of a comparison that was given up.
            _ => {}
        }
    }

    /// The view moved on: what was frozen for the comparison is no longer looked at.
    fn give_up_comparison(&mut self) {
        self.comparing = None;
        self.state.comparing = false;
        self.drawing().scheduler.cancel();
        self.state.say("comparison given up: the view changed");
    }
}
