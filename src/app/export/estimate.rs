//! What an export will cost, before it costs anything.

use super::ExportError;

/// Most pixels of one file, and 16 times as many samples: 131072 × 131072.
pub const MOST_PIXELS_IN_ALL: u64 = 1 << 34;

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

    /// The estimate for people: `6.2 MB before compression`.
    pub fn label(&self) -> String {
        format!("{} before compression", bytes_text(self.picture_bytes))
    }
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
