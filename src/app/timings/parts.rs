//! Where the time of a picture went: what is done once for a view, the samples, and the way to the screen.

use std::time::Duration;

use crate::render::Stats;

/// A part of the way from a job to the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The orbit in big numbers.
    Reference,
    /// The table of steps to skip.
    Table,
    /// The samples.
    Compute,
    /// Compiling shaders, once a program.
    Compile,
    Upload,
    ReadBack,
    Colour,
    Present,
}

impl Part {
    pub const ALL: [Self; 8] = [
        Self::Reference,
        Self::Table,
        Self::Compute,
        Self::Compile,
        Self::Upload,
        Self::ReadBack,
        Self::Colour,
        Self::Present,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Table => "table",
            Self::Compute => "compute",
            Self::Compile => "shader compile",
            Self::Upload => "upload",
            Self::ReadBack => "read-back",
            Self::Colour => "colour",
            Self::Present => "present",
        }
    }

    /// Whether it is in the time that engines are compared by: what each of them must do for a new view.
    pub fn is_compared(self) -> bool {
        matches!(self, Self::Reference | Self::Table | Self::Compute)
    }
}

/// What the window did for a picture, on the host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Fresh samples handed to the device, and the colour pass recorded.
    pub colour: Duration,
    /// From the wait for a free picture of the screen to its hand-over.
    pub present: Duration,
    /// The frame waited for the screen: how many a second says nothing about an engine.
    pub is_capped: bool,
    /// It was the settled picture.
    pub is_settled: bool,
}

/// Milliseconds of the parts that took any time, in the order in which they happen.
pub fn parts(stats: &Stats, shown: Option<&Shown>) -> Vec<(Part, f64)> {
    let (phases, beside) = (stats.phases, stats.beside);
    let of = |part| match part {
        Part::Reference => phases.reference,
        Part::Table => phases.table,
        Part::Compute => stats.compute.saturating_sub(phases.preparation()),
        Part::Compile => beside.compile,
        Part::Upload => beside.upload,
        Part::ReadBack => beside.read_back,
        Part::Colour => shown.map_or(Duration::ZERO, |shown| shown.colour),
        Part::Present => shown.map_or(Duration::ZERO, |shown| shown.present),
    };
    let timed = Part::ALL.map(|part| (part, of(part).as_secs_f64() * 1e3));
    timed.into_iter().filter(|(_, millis)| *millis > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Beside, Phases};

    #[test]
    fn what_is_compared_adds_up_to_the_compute_time() {
        let ms = Duration::from_millis;
        let phases = Phases { reference: ms(20), table: ms(8), pixels: ms(72) };
        let beside = Beside { upload: ms(3), ..Beside::default() };
        let stats = Stats { compute: ms(100), phases, beside, ..Stats::default() };
        let shown = Shown { colour: ms(2), present: ms(16), is_capped: true, is_settled: true };
        let parts = parts(&stats, Some(&shown));
        let names: Vec<_> = parts.iter().map(|(part, _)| part.label()).collect();
        assert_eq!(names, ["reference", "table", "compute", "upload", "colour", "present"]);
        let compared: f64 = parts.iter().filter(|(part, _)| part.is_compared()).map(|(_, ms)| ms).sum();
        assert!((compared - 100.0).abs() < 1e-9);
    }
}
