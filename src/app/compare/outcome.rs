//! What engines computed, and where two of them disagree.

use crate::render::{
    Diagram, DiagramSink, Exposure, ExposureSink, Field, HostSink, Job, RenderError, Sink, Stats, Task,
};

/// Renders a job with whatever takes what it gives; `render` is handed that.
///
/// # Errors
/// Those of `render`.
pub fn collect(
    job: &Job,
    render: impl FnOnce(&dyn Sink) -> Result<Stats, RenderError>,
) -> Result<(Stats, Outcome), RenderError> {
    Ok(match &job.task {
        Task::EscapeTime(_) => {
            let mut field = Field::missing(job.size());
            (render(&HostSink::new(&mut field))?, Outcome::Samples(field))
        }
        Task::OrbitDensity(_) | Task::Section(_) => {
            let sink = DiagramSink::new(job);
            (render(&sink)?, Outcome::Columns(sink.into_diagram()))
        }
        Task::Space(_) => {
            let sink = ExposureSink::default();
            (render(&sink)?, Outcome::Light(sink.into_exposure()))
        }
    })
}

/// What a job gave.
#[derive(Clone, Debug)]
pub enum Outcome {
    Samples(Field),
    Columns(Diagram),
    Light(Exposure),
}

impl Outcome {
    /// Number of what is compared: samples, columns of a diagram, or pixels of a scene.
    pub fn parts(&self) -> usize {
        match self {
            Self::Samples(field) => field.samples().len(),
            Self::Columns(diagram) => diagram.columns().len(),
            Self::Light(exposure) => exposure.light.len(),
        }
    }

    /// How many of them differ, and the largest difference in counts or in points of a pixel.
    ///
    /// Orbits of chaos part from each other by the last bit of a rounding. So where the arithmetic is not the same, the
    /// columns of a diagram agree when they come from one distribution, and pixels of a scene within
    /// [`Exposure::tolerance`].
    pub fn differing(&self, truth: &Self, max_iterations: u32, same_arithmetic: bool) -> (usize, u64) {
        match (self, truth) {
            (Self::Samples(field), Self::Samples(truth)) => field.differing_counts(truth, max_iterations),
            (Self::Columns(diagram), Self::Columns(truth)) => differing_columns(diagram, truth, same_arithmetic),
            (Self::Light(exposure), Self::Light(truth)) => differing_light(exposure, truth, same_arithmetic),
            _ => unreachable!("all engines do the same job"),
        }
    }
}

fn differing_columns(diagram: &Diagram, truth: &Diagram, same_arithmetic: bool) -> (usize, u64) {
    let (mut count, mut most) = (0, 0);
    for x in 0..diagram.size()[0] {
        let pairs: Vec<(u32, u32)> = diagram.hits(x).zip(truth.hits(x)).collect();
        let difference = pairs.iter().map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        let is_chaotic = truth.columns()[x as usize].unsettled > 0;
        let agrees = difference == 0 || (!same_arithmetic && is_chaotic && is_one_distribution(&pairs));
        if !agrees {
            count += 1;
            most = most.max(difference.into());
        }
    }
    (count, most)
}

fn differing_light(exposure: &Exposure, truth: &Exposure, same_arithmetic: bool) -> (usize, u64) {
    let pairs = exposure.light.iter().zip(&truth.light);
    let beyond = |light: u32, truth: u32| {
        let difference = light.abs_diff(truth);
        if same_arithmetic || difference > Exposure::tolerance(truth) { difference } else { 0 }
    };
    let difference = |(a, b): (&[u32; 4], &[u32; 4])| (0..4).map(|i| beyond(a[i], b[i])).max().unwrap_or(0);
    let differing = pairs.map(difference).filter(|&difference| difference > 0);
    differing.fold((0, 0), |(count, most), difference| (count + 1, most.max(difference.into())))
}

/// Whether two histograms may come from one distribution: Kolmogorov and Smirnov's distance is within 2/√n.
fn is_one_distribution(pairs: &[(u32, u32)]) -> bool {
    let [n, m] = pairs.iter().fold([0u64; 2], |[n, m], &(a, b)| [n + u64::from(a), m + u64::from(b)]);
    if n == 0 || m == 0 {
        return n == m;
    }
    let (mut sums, mut distance) = ([0.0; 2], 0.0_f64);
    for &(a, b) in pairs {
        sums = [sums[0] + f64::from(a) / n as f64, sums[1] + f64::from(b) / m as f64];
        distance = distance.max((sums[0] - sums[1]).abs());
    }
    distance <= 2.0 / (n.min(m) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_of_other_arithmetic_may_be_rounded_otherwise() {
        let exposure = |light: u32| Exposure { light: vec![[0, light, 0, 0]], ..Exposure::dark([1, 1]) };
        let truth = exposure(6400);
        for (light, same_arithmetic, expected) in [
            (6400, true, (0, 0)),
            (6399, true, (1, 1)),
            (6399, false, (0, 0)),
            (6504, false, (0, 0)),
            (6505, false, (1, 105)),
        ] {
            assert_eq!(differing_light(&exposure(light), &truth, same_arithmetic), expected, "{light}");
        }
    }

    #[test]
    fn distributions_are_told_apart() {
        let even = |other: [u32; 4]| other.map(|count| (100, count));
        for (other, is_one, why) in [
            ([110, 95, 92, 103], true, "noise"),
            ([200, 200, 0, 0], false, "half is missing"),
            ([0, 0, 0, 0], false, "nothing against something"),
        ] {
            assert_eq!(is_one_distribution(&even(other)), is_one, "{why}");
        }
    }
}
