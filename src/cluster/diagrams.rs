//! Diagrams as text, within a spec: numbers that a reader looks through before it computes with them.

use serde::{Deserialize, Serialize};

use super::SpecError;
use crate::app::export::Panels;
use crate::app::location::Location;
use crate::color::{DiagramScheme, Tone};
use crate::fractal::MapId;
use crate::fractal::attractor::Effort;
use crate::render::{Fan, Job, MOST_PIXELS, OrbitDensity, Ordinate, Section, Shortcuts, Task};

/// Most steps of an orbit before anything is drawn, and longest cycle that is looked for: more than any view asks for.
const MOST_EFFORT: u32 = 1 << 20;

/// Diagrams above each other; the place is the location's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenDiagrams {
    gap: u32,
    scheme: String,
    panels: Vec<WrittenPanel>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPanel {
    rule: WrittenRule,
    orbits: u32,
    kept: u32,
    /// Steps before the first search, longest cycle, steps before the last search.
    effort: [u32; 3],
    /// Of the counts in the whole picture's panel, as its [`Tone`] has it.
    median: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum WrittenRule {
    /// Key of a map.
    Map(String),
    Section {
        /// Im c in decimals.
        s: String,
        shows_im: bool,
        /// Points left out, and points drawn.
        fan: Option<[u32; 2]>,
    },
}

/// Diagrams, how they are coloured, and how bright their counts are.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagrams {
    pub panels: Panels,
    pub scheme: DiagramScheme,
    /// Of each panel.
    pub tones: Vec<Tone>,
}

impl WrittenDiagrams {
    pub fn of(Diagrams { panels, scheme, tones }: &Diagrams) -> Self {
        let panel = |(job, tone): (&Job, &Tone)| {
            let (rule, orbits, kept, effort) = match &job.task {
                Task::OrbitDensity(task) => {
                    (WrittenRule::Map(task.map.key().into()), &task.orbits, task.kept, task.effort)
                }
                Task::Section(task) => {
                    let (s, shows_im) = (task.s.to_string(), task.ordinate == Ordinate::Im);
                    let fan = task.fan.map(|fan| [fan.skip, fan.steps]);
                    (WrittenRule::Section { s, shows_im, fan }, &task.orbits, task.kept, task.effort)
                }
                Task::EscapeTime(_) | Task::Space(_) => unreachable!("panels are diagrams"),
            };
            let Effort { transient, most_period, most_transient } = effort;
            let effort = [transient, most_period, most_transient];
            WrittenPanel { rule, orbits: orbits.end, kept, effort, median: tone.median() }
        };
        let panels_of = |panels: &Panels| panels.jobs.iter().zip(tones).map(panel).collect();
        Self { gap: panels.gap, scheme: scheme.key().into(), panels: panels_of(panels) }
    }

    /// The diagrams at the place of a location.
    ///
    /// # Errors
    /// [`SpecError`] where the location is empty, or numbers are none that this program writes.
    pub fn read(&self, location: &Location, shortcuts: Shortcuts) -> Result<Diagrams, SpecError> {
        let absurd = |what: &str| SpecError::Malformed(format!("its {what} are none that a diagram has"));
        let size = location.size.ok_or(SpecError::Open("size"))?;
        let viewport = location.viewport(size).map_err(|e| SpecError::Malformed(e.to_string()))?;
        let scheme = DiagramScheme::from_key(&self.scheme).ok_or_else(|| absurd("colours"))?;
        let rows = u64::from(size[1]) * self.panels.len() as u64 + 2;
        if !(1..=2).contains(&self.panels.len()) || self.gap > 2 || rows > u64::from(MOST_PIXELS) {
            return Err(absurd("panels"));
        }
        let mut jobs = Vec::with_capacity(self.panels.len());
        for panel in &self.panels {
            let task = panel.task().ok_or_else(|| absurd("numbers"))?;
            jobs.push(Job { shortcuts, ..Job::new(viewport.clone(), task) });
        }
        let tones = self.panels.iter().map(|panel| Tone::of_median(panel.median)).collect();
        Ok(Diagrams { panels: Panels { jobs, gap: self.gap }, scheme, tones })
    }
}

impl WrittenPanel {
    fn task(&self) -> Option<Task> {
        let [transient, most_period, most_transient] = self.effort;
        let is_sound = (1..=OrbitDensity::MOST_ORBITS).contains(&self.orbits)
            && (1..=OrbitDensity::MOST_KEPT).contains(&self.kept)
            && self.effort.iter().all(|n| (1..=MOST_EFFORT).contains(n));
        let (orbits, kept) = (0..self.orbits, self.kept);
        let effort = Effort { transient, most_period, most_transient };
        is_sound.then_some(())?;
        Some(match &self.rule {
            WrittenRule::Map(key) => {
                Task::OrbitDensity(OrbitDensity { map: MapId::from_key(key)?, orbits, kept, effort })
            }
            WrittenRule::Section { s, shows_im, fan } => {
                let s = s.parse().ok().filter(|s| (-Section::MOST..=Section::MOST).contains(s))?;
                let fan = fan.map(|[skip, steps]| Fan { skip, steps });
                let fits = |fan: &Fan| fan.skip <= Fan::MOST_SKIP && (1..=Fan::MOST_STEPS).contains(&fan.steps);
                if fan.as_ref().is_some_and(|fan| !fits(fan)) {
                    return None;
                }
                let ordinate = if *shows_im { Ordinate::Im } else { Ordinate::Re };
                Task::Section(Section { s, ordinate, orbits, kept, effort, fan })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Spec;
    use crate::view::{Bifurcation, ComplexBifurcation, View};

    fn job(view: &dyn View) -> Job {
        Job::new(view.viewport().clone(), view.task())
    }

    fn spec(view: &dyn View, jobs: Vec<Job>) -> (Diagrams, Spec) {
        let tones = (0..jobs.len() as u32).map(|n| Tone::of_median(20 + n)).collect();
        let diagrams = Diagrams { panels: Panels { jobs, gap: 2 }, scheme: DiagramScheme::Ink, tones };
        let told = Location { engine: Some("tiles".into()), ..Location::of_view(view) };
        let spec = Spec::diagrams(&diagrams, &told).unwrap();
        (diagrams, spec)
    }

    fn all() -> Vec<(Diagrams, Spec)> {
        let mut real = Bifurcation::at_home([90, 40]);
        let [low, high] = ["-1.2500000000000000000001", "-1.25"].map(|c| c.parse::<crate::math::Decimal>().unwrap());
        let corner = |c: crate::math::Decimal, x: &str| crate::math::BigComplex::new(c, x.parse().unwrap());
        let deep = crate::render::Viewport::from_box(&corner(low, "-1.5"), &corner(high, "1.25"), [90, 40]).unwrap();
        let home = spec(&real, vec![job(&real)]);
        real.set_viewport(deep);
        // Not the orbits that the location's own view has.
        let few = spec(&real, vec![Job { shortcuts: Shortcuts::NONE, ..job(&real).with_orbits(0..3) }]);
        let panels = Ordinate::ALL.map(|ordinate| ComplexBifurcation::of(ordinate, 0.1 + 0.2, [70, 33]));
        let both = spec(&panels[0], panels.iter().map(|view| job(view)).collect());
        vec![home, few, both]
    }

    #[test]
    fn diagrams_come_back_as_they_were_written() {
        for (diagrams, spec) in all() {
            let read = Spec::from_text(spec.text()).unwrap();
            let crate::cluster::Content::Diagrams(found) = read.content() else { panic!("it is a diagram's") };
            assert!(*found == diagrams, "{}", spec.text());
            assert_eq!((read.size(), read.job()), (diagrams.panels.size(), diagrams.panels.jobs[0].clone()));
            assert!(read.hash() == spec.hash() && !spec.text().contains('\n'));
        }
    }

    #[test]
    fn numbers_that_no_diagram_has_are_refused() {
        let [(_, one), _, (_, two)] = all().try_into().ok().unwrap();
        for (spec, from, to, expected) in [
            (&one, "\"map\":\"quadratic\"", "\"map\":\"x\"", "numbers"),
            (&one, "\"orbits\":512", "\"orbits\":0", "numbers"),
            (&one, "\"orbits\":512", "\"orbits\":5000", "numbers"),
            (&one, "\"kept\":512", "\"kept\":4000000000", "numbers"),
            (&one, "\"effort\":[", "\"effort\":[9000000,1,1],\"was\":[", "unknown field"),
            (&one, "\"gap\":2", "\"gap\":3", "panels"),
            (&one, "\"scheme\":\"ink\"", "\"scheme\":\"none\"", "colours"),
            (&one, "size = [90, 40]", "size = [90, 1048576]", "panels"),
            (&one, "engine = \\\"tiles\\\"", "", "engine"),
            (&two, "\"s\":\"0.30000000000000004", "\"s\":\"2.5", "numbers"),
            (&two, "\"s\":\"0.30000000000000004", "\"s\":\"NaN", "numbers"),
            (&two, "\"fan\":[0,300]", "\"fan\":[0,5000]", "numbers"),
            (&one, "\"diagrams\":", "\"numbers\":\"smooth\",\"diagrams\":", "two kinds"),
        ] {
            let text = spec.text().replace(from, to);
            assert_ne!(text, spec.text(), "{from}: {text}");
            let error = Spec::from_text(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{from}: {error:?} lacks {expected:?}");
        }
    }
}
