//! Every palette in the folder: closes without a seam, has contrast, and reads in grey.

use cardioid::color::{Palette, TABLE_LEN};
use palette::convert::FromColorUnclamped as _;
use palette::{Oklab, Srgb};

/// Lightness of each entry as the eye sees it, from the bytes that are shown.
fn lightness(palette: &Palette) -> Vec<f64> {
    let entry = |&[r, g, b, _]: &[u8; 4]| Oklab::<f64>::from_color_unclamped(Srgb::new(r, g, b).into_format::<f64>()).l;
    palette.table().iter().map(entry).collect()
}

#[test]
fn the_default_palette_is_there_and_keys_are_file_names() {
    assert!(Palette::all().len() >= 8, "only {} palettes", Palette::all().len());
    assert_eq!(Palette::default_palette().key(), Palette::DEFAULT);
    for palette in Palette::all() {
        assert!(!palette.name().is_empty() && !palette.about().is_empty(), "{} lacks words", palette.key());
    }
}

#[test]
fn palettes_have_no_seam_and_no_step() {
    for palette in Palette::all() {
        let table = palette.table();
        for i in 0..TABLE_LEN {
            let (a, b) = (table[i], table[(i + 1) % TABLE_LEN]);
            let step = (0..3).map(|c| a[c].abs_diff(b[c])).max().unwrap();
            // Shading takes the nearest entry: a step of 2 is as fine as the eye asks for in one of 4096.
            assert!(step <= 2, "{}: {a:?} to {b:?} at {i}", palette.key());
        }
    }
}

#[test]
fn palettes_read_in_grey() {
    for palette in Palette::all() {
        let l = lightness(palette);
        let (darkest, lightest) = (l.iter().copied().fold(1.0, f64::min), l.iter().copied().fold(0.0, f64::max));
        assert!(lightest - darkest > 0.6, "{}: lightness from {darkest:.2} to {lightest:.2}", palette.key());
        // Once up and once down: the way round is twice the range, but for the rounding of bytes.
        let way: f64 = (0..16).map(|i| (l[i * 256] - l[(i + 1) % 16 * 256]).abs()).sum();
        assert!(way < 2.0 * (lightest - darkest) + 0.02, "{}: grey goes up and down {way:.2}", palette.key());
    }
}
