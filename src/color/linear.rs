//! Averages of pictures in linear light: where samples share a pixel, their light adds up, not their bytes.
//!
//! Light is counted in whole numbers, so that sums depend neither on their order nor on the device that adds them:
//! [`AveragePass`](super::AveragePass) is the twin on the GPU, and has the same tables.

use std::sync::LazyLock;

/// Light of white, the unit being a part of it.
const WHITE: u32 = 1 << 20;
/// Steps of the way back to sRGB: the steepest place, near black, moves a tenth of a level per step.
const STEPS: u32 = 1 << 14;
/// Most pictures that can be added: their light still fits.
pub const MOST_ADDED: u32 = u32::MAX / (WHITE + WHITE / STEPS);

/// The light of each byte of sRGB, and the byte of each step of light.
pub(super) struct Transfer {
    pub light_of_byte: [u32; 256],
    pub byte_of_light: Vec<u8>,
}

pub(super) static TRANSFER: LazyLock<Transfer> = LazyLock::new(|| Transfer {
    light_of_byte: std::array::from_fn(|byte| {
        (linear_from_srgb(byte as f64 / 255.0) * f64::from(WHITE)).round() as u32
    }),
    byte_of_light: (0..=STEPS)
        .map(|i| (srgb_from_linear(f64::from(i) / f64::from(STEPS)) * 255.0).round() as u8)
        .collect(),
});

/// The sRGB transfer function of IEC 61966-2-1, decoding.
fn linear_from_srgb(v: f64) -> f64 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// The same, encoding.
fn srgb_from_linear(v: f64) -> f64 {
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// Adds the light of sRGB pixels to `light`, red, green and blue of one each; alpha is not looked at.
pub fn add_light(pixels: &[[u8; 4]], light: &mut [[u32; 3]]) {
    debug_assert_eq!(pixels.len(), light.len());
    let transfer = &*TRANSFER;
    for (sum, pixel) in light.iter_mut().zip(pixels) {
        for (sum, &byte) in sum.iter_mut().zip(pixel) {
            *sum += transfer.light_of_byte[byte as usize];
        }
    }
}

/// Light of one step of the way back, of so many pictures together.
pub(super) fn step_of_light(count: u32) -> u32 {
    WHITE / STEPS * count
}

/// The mean of `count` pictures' pixels, at most `MOST_ADDED`, whose light was added up.
pub fn average_light(light: &[[u32; 3]], count: u32, out: &mut [[u8; 3]]) {
    debug_assert!(light.len() == out.len() && (1..=MOST_ADDED).contains(&count));
    let transfer = &*TRANSFER;
    let step = step_of_light(count);
    for (average, sum) in out.iter_mut().zip(light) {
        *average = sum.map(|sum| transfer.byte_of_light[((sum + step / 2) / step) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn average(pixels: &[[u8; 4]]) -> [u8; 3] {
        let (mut light, mut out) = ([[0; 3]], [[0; 3]]);
        pixels.iter().for_each(|pixel| add_light(&[*pixel], &mut light));
        average_light(&light, pixels.len() as u32, &mut out);
        out[0]
    }

    #[test]
    fn equal_pixels_stay_what_they_are() {
        for count in [1, 9, 64, 256] {
            for byte in 0..=255 {
                assert_eq!(average(&vec![[byte, byte, byte, 255]; count]), [byte; 3], "{count}");
            }
        }
    }

    #[test]
    fn black_and_white_meet_at_half_the_light() {
        // Half of the light is byte 188 in sRGB, not 128.
        assert_eq!(average(&[[0, 0, 0, 255], [255, 255, 255, 255]]), [188; 3]);
    }
}
