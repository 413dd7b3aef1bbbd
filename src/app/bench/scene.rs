//! Views to measure: a location at a size, as a job for bare counts.

use std::path::Path;

use crate::app::location::parse_point;
use crate::app::{Location, LocationError};
use crate::render::{Channels, Job, Shortcuts, Task};

/// One view.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Short name, for rows and charts.
    pub key: String,
    /// The location's own name, where it has one.
    pub title: Option<String>,
    /// Every pixel, counts alone, the definition's bailout unless the location names another.
    pub job: Job,
}

impl Scene {
    /// Views measured unless others are named: the four of the talk, five that differ from them, and five too deep for f64.
    pub const DEFAULT: &'static str = "home,talk-base,talk-slight,talk-medium,talk-detailed,seahorse-valley,interior,dendrite,spiral,\
         deep-seahorse,deep-star,deep-flake,deep-spiral,deep-branch";
    /// Size where neither an option nor the place says one.
    pub const DEFAULT_SIZE: [u32; 2] = [1000, 1000];

    /// The view that `argument` names: a named place, a file, or the place itself as text; at `size`, or the place's own.
    ///
    /// # Errors
    /// As [`Location::open`], and where the size is absurd.
    pub fn open(argument: &str, size: Option<[u32; 2]>, shortcuts: Shortcuts) -> Result<Self, LocationError> {
        let location = Location::open(argument)?;
        let size = size.or(location.size).unwrap_or(Self::DEFAULT_SIZE);
        let viewport_error = |e| LocationError::Syntax { origin: argument.into(), message: format!("{e}") };
        let job = Job {
            task: Task::EscapeTime(location.task(Location::COUNT_BAILOUT)),
            channels: Channels::default(),
            shortcuts,
            ..location.job(size).map_err(viewport_error)?
        };
        Ok(Self { key: key_of(argument, &location), title: location.name, job })
    }
}

/// Arguments separated by commas; one that spells a place out (`height = …, …`, or `-0.5,0.1`) is one argument.
pub fn arguments(text: &str) -> Vec<&str> {
    if text.contains('=') || parse_point(text).is_ok() {
        return vec![text.trim()];
    }
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn key_of(argument: &str, location: &Location) -> String {
    if argument.contains('=') {
        return location.name.clone().unwrap_or_else(|| argument.into());
    }
    let path = Path::new(argument);
    let stem = path.file_stem().filter(|_| path.is_file()).map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| argument.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_short_and_texts_are_whole() {
        let open = |argument: &str| Scene::open(argument, Some([8, 8]), Shortcuts::ALL).unwrap().key;
        assert_eq!(arguments("home, spiral,"), ["home", "spiral"]);
        assert_eq!(arguments("box = [-2, 0.5, -1, 1], name = \"a\""), ["box = [-2, 0.5, -1, 1], name = \"a\""]);
        assert_eq!(open("home"), "home");
        assert_eq!(open("box = [-2, 0.5, -1, 1], name = \"a\""), "a");
        assert_eq!(open("height = 2"), "height = 2");
        assert_eq!(arguments("-0.5,0.1"), ["-0.5,0.1"]);
        assert_eq!(open("-0.5+0.1i"), "-0.5+0.1i");
        assert_eq!(open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/locations/spiral.toml")), "spiral");
    }

    #[test]
    fn the_default_views_are_there() {
        for key in arguments(Scene::DEFAULT) {
            let [width, height] = Scene::open(key, None, Shortcuts::ALL).unwrap().job.size();
            let is_small = width * height <= 320 * 180;
            assert_eq!(is_small, key.starts_with("deep-"), "{key}: deep views are slow, and small");
        }
    }
}
