//! Golden pictures: what was looked at once and found good stays as it is.
//!
//! `UPDATE_GOLDEN=1` writes new ones; on failure the new picture and the difference lie in `target/golden`.

use std::path::{Path, PathBuf};

use cardioid::engine::{Machine, Naive, Tiles};

use crate::cases::{self, Case};

type Pixels = Vec<[u8; 4]>;

fn save(path: &Path, [width, height]: [u32; 2], pixels: &Pixels) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    image::save_buffer(path, bytemuck::cast_slice(pixels), width, height, image::ColorType::Rgba8).unwrap();
}

/// Compares a case's picture with the one in its folder.
fn check(case: &Case, pixels: &Pixels) -> Result<(), String> {
    let size = case.job.size();
    let path = case.folder.join("expected.png");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        save(&path, size, pixels);
        return Ok(());
    }
    let expected = image::open(&path).map_err(|e| format!("no {}: {e}; UPDATE_GOLDEN=1 writes it", path.display()))?;
    let expected = expected.into_rgba8();
    if [expected.width(), expected.height()] != size {
        return Err(format!("{} has another size", path.display()));
    }
    let difference = |(a, b): (&[u8; 4], &image::Rgba<u8>)| std::array::from_fn(|c| a[c].abs_diff(b.0[c]));
    let differences: Vec<[u8; 4]> = pixels.iter().zip(expected.pixels()).map(difference).collect();
    let outliers = differences.iter().filter(|d| d.iter().any(|&c| c > case.tolerance)).count();
    if outliers <= case.max_outliers {
        return Ok(());
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/golden");
    save(&folder.join(format!("{}.png", case.name)), size, pixels);
    let seen =
        differences.iter().map(|d| [d[0].saturating_mul(8), d[1].saturating_mul(8), d[2].saturating_mul(8), 255]);
    save(&folder.join(format!("{}.difference.png", case.name)), size, &seen.collect());
    Err(format!("{outliers} pixels differ by more than {}; see {}", case.tolerance, folder.display()))
}

#[test]
fn pictures_are_those_that_were_looked_at() {
    let machine = Machine::without_gpu(2).unwrap();
    let mut tiles = Tiles::new(machine.pool);
    let mut wrong = Vec::new();
    for case in cases::all() {
        let field = case.field(&mut tiles);
        let (differing, largest) = case.field(&mut Naive).differing_counts(&field, case.job.max_iterations());
        let counts = if differing <= case.differing_pixels {
            Ok(())
        } else {
            Err(format!("{differing} counts differ from the plain engine's, by up to {largest}"))
        };
        let result = counts.and_then(|()| check(&case, &case.colored(&field)));
        match (result, &case.known_failure) {
            (Err(e), None) => wrong.push(format!("{}: {e}", case.name)),
            (Ok(()), Some(why)) => wrong.push(format!("{}: passes, though marked as failing: {why}", case.name)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
