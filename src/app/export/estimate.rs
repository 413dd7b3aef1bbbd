//! What an export will cost, before it costs anything.

use std::io;
use std::time::{Duration, Instant};

use super::{ExportError, Picture, PngRows};
use crate::engine::Engine;
use crate::render::{Job, Latest};

/// Most pixels of one file, and 16 times as many samples: 131072 × 131072.
pub const MOST_PIXELS_IN_ALL: u64 = 1 << 34;

/// From so many samples on an estimate of the time is worth its own.
const LARGE: u64 = 1 << 27;
/// About so many samples are drawn for it.
const TRIAL: u64 = 1 << 18;

/// Size of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    size: [u32; 2],
    /// Points to iterate.
    pub samples: u64,
    /// Bytes of the picture before compression: a PNG is rarely larger, mostly a third of it.
    pub picture_bytes: u64,
}

impl Estimate {
    /// Of a picture of `size` pixels with so many samples each.
    pub fn of(size: [u32; 2], samples_of_a_pixel: u32) -> Self {
        let pixels = u64::from(size[0]) * u64::from(size[1]);
        let samples = pixels.saturating_mul(u64::from(samples_of_a_pixel));
        Self { size, samples, picture_bytes: pixels * 3 }
    }

    /// Refuses what no disk or patience would hold.
    ///
    /// # Errors
    /// [`ExportError::TooLarge`].
    pub fn check(&self) -> Result<(), ExportError> {
        let [width, height] = self.size;
        if self.picture_bytes <= MOST_PIXELS_IN_ALL * 3 && self.samples <= MOST_PIXELS_IN_ALL * 16 {
            return Ok(());
        }
        Err(ExportError::TooLarge {
            width,
            height,
            samples: self.samples as f64,
            bytes: bytes_text(self.picture_bytes),
        })
    }

    /// Whether people should know what they are in for.
    pub fn is_large(&self) -> bool {
        self.samples >= LARGE
    }

    /// About how long this machine takes for a picture of a job: as long as for a small one, in proportion. The small
    /// one is coloured and compressed as well, and goes nowhere.
    ///
    /// # Errors
    /// [`ExportError`] of the engine.
    pub fn time(
        &self,
        picture: &Picture,
        job: &Job,
        engine: &mut dyn Engine,
        latest: &Latest,
    ) -> Result<Duration, ExportError> {
        let shrink = (self.samples as f64 / TRIAL as f64).sqrt().max(1.0);
        let size = self.size.map(|pixels| (f64::from(pixels) / shrink).ceil() as u32);
        let small = Job { viewport: job.viewport.with_size(size)?, ..job.clone() };
        let failed = |source| ExportError::Write { path: "(nowhere)".into(), source };
        let start = Instant::now();
        let mut rows = PngRows::new(io::sink(), size, "").map_err(failed)?;
        picture.write_pixels(&small, engine, &mut rows, &failed, latest, &|_| {})?;
        rows.finish().map_err(failed)?;
        let share = self.samples as f64 / Self::of(size, picture.samples_of_a_pixel()).samples as f64;
        Ok(start.elapsed().mul_f64(share))
    }

    /// The estimate for people: `6.2 MB before compression`.
    pub fn label(&self) -> String {
        format!("{} before compression", bytes_text(self.picture_bytes))
    }
}

/// A time for people, no more exact than an estimate is: `40 seconds`, `12 minutes`, `5 hours`.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (value, unit) = match seconds {
        s if s < 90.0 => (s, "seconds"),
        s if s < 5400.0 => (s / 60.0, "minutes"),
        s if s < 172_800.0 => (s / 3600.0, "hours"),
        s => (s / 86_400.0, "days"),
    };
    format!("{:.0} {unit}", value.ceil())
}

/// A number of bytes for people, in powers of 1000.
fn bytes_text(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{value} {}", units[unit]) } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_one_unit() {
        for (seconds, expected) in
            [(0, "0 seconds"), (40, "40 seconds"), (90, "2 minutes"), (7200, "2 hours"), (1_000_000, "12 days")]
        {
            assert_eq!(about(Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn large_is_allowed_and_absurd_is_not() {
        for (size, samples_of_a_pixel, allowed) in [
            ([1920, 1080], 1, true),
            ([60_000, 60_000], 16, true),
            ([1 << 20, 1 << 20], 1, false),
            ([100_000, 100_000], 256, false),
            ([1 << 20, 1], 1, true),
            ([1 << 20, 1], 256, true),
        ] {
            assert_eq!(
                Estimate::of(size, samples_of_a_pixel).check().is_ok(),
                allowed,
                "{size:?} {samples_of_a_pixel}"
            );
        }
        assert_eq!(Estimate::of([1920, 1080], 1).label(), "6.2 MB before compression");
    }
}
