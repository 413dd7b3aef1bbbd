//! Averages of pixels in linear light: where two samples share a pixel, their light adds up, not their bytes.

use std::sync::LazyLock;

/// Steps of the way back to sRGB: the steepest place, near black, moves a tenth of a level per step.
const STEPS: usize = 1 << 14;

struct Transfer {
    linear_from_byte: [f32; 256],
    byte_from_linear: Vec<u8>,
}

static TRANSFER: LazyLock<Transfer> = LazyLock::new(|| Transfer {
    linear_from_byte: std::array::from_fn(|byte| linear_from_srgb(byte as f64 / 255.0) as f32),
    byte_from_linear: (0..=STEPS).map(|i| (srgb_from_linear(i as f64 / STEPS as f64) * 255.0).round() as u8).collect(),
});

/// The sRGB transfer function of IEC 61966-2-1, decoding.
fn linear_from_srgb(v: f64) -> f64 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// The same, encoding.
fn srgb_from_linear(v: f64) -> f64 {
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 }
}

/// Averages blocks of `side` × `side` pixels into one row of pixels, in linear light.
///
/// `pixels` are `side` rows of `side · out.len()` sRGB pixels each; alpha is not looked at.
pub fn average_blocks(pixels: &[[u8; 4]], side: usize, out: &mut [[u8; 3]]) {
    debug_assert_eq!(pixels.len(), side * side * out.len());
    let transfer = &*TRANSFER;
    let width = side * out.len();
    let scale = STEPS as f32 / (side * side) as f32;
    for (x, average) in out.iter_mut().enumerate() {
        let mut sum = [0.0; 3];
        for row in pixels.chunks_exact(width) {
            for pixel in &row[x * side..][..side] {
                for (sum, &byte) in sum.iter_mut().zip(pixel) {
                    *sum += transfer.linear_from_byte[byte as usize];
                }
            }
        }
        *average = sum.map(|sum| transfer.byte_from_linear[((sum * scale + 0.5) as usize).min(STEPS)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pixels_stay_what_they_are() {
        for byte in 0..=255 {
            let mut out = [[0; 3]];
            average_blocks(&[[byte, byte, byte, 255]; 9], 3, &mut out);
            assert_eq!(out[0], [byte; 3]);
        }
    }

    #[test]
    fn black_and_white_meet_at_half_the_light() {
        let (black, white) = ([0, 0, 0, 255], [255, 255, 255, 255]);
        let mut out = [[0; 3]; 2];
        average_blocks(&[black, white, white, white, white, black, white, white], 2, &mut out);
        // Half of the light is byte 188 in sRGB, not 128.
        assert_eq!(out, [[188; 3], [255; 3]]);
    }
}
