//! The colour pass against the CPU's shading, and samples that are uploaded.

use cardioid::color::{ColorPass, Coloring, Curve, Palette, shade};
use cardioid::gpu::{Gpu, Picture, SampleBuffer};
use cardioid::render::{DeviceField as _, Field, Sample, Tile};

use super::device;

/// Samples of every kind: counts from 1 to the cap, all fractions, some inside, some missing.
fn mixed_field(size: [u32; 2]) -> Field {
    let sample = |i: u32| {
        // A multiplicative hash scatters them.
        let hash = i.wrapping_mul(2_654_435_761);
        match hash % 16 {
            0 => Sample::MISSING,
            1 => Sample::INTERIOR,
            k => Sample { iterations: 1 + (hash >> (k + 8)), fraction: (i % 1000) as f32 / 1000.0 },
        }
    };
    Field::from_samples(size, (0..size[0] * size[1]).map(sample).collect())
}

fn painted(
    gpu: &Gpu,
    pass: &ColorPass,
    coloring: &Coloring,
    palette: &Palette,
    samples: &SampleBuffer,
) -> Vec<[u8; 4]> {
    let picture = Picture::new(gpu, cardioid::render::DeviceField::size(samples)).unwrap();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    pass.paint(&mut encoder, &coloring.params(palette), palette.table(), samples, &picture).unwrap();
    gpu.queue.submit([encoder.finish()]);
    picture.read_back(gpu).unwrap()
}

#[test]
fn the_pass_paints_what_the_shading_means() {
    let Some(gpu) = device() else { return };
    let pass = ColorPass::new(&gpu).unwrap();
    for width in [1, 63, 64, 65, 1001] {
        let field = mixed_field([width, 37]);
        let samples = SampleBuffer::from_field(&gpu, &field).unwrap();
        for (palette, curve) in Palette::all().iter().flat_map(|p| Curve::ALL.iter().map(move |c| (p, *c))) {
            let coloring = Coloring { curve, density: 1.7, offset: 0.3 };
            let mut expected = vec![[0; 4]; field.samples().len()];
            shade(&coloring.params(palette), palette.table(), &field, &mut expected);
            let got = painted(&gpu, &pass, &coloring, palette, &samples);
            for ((got, expected), sample) in got.iter().zip(&expected).zip(field.samples()) {
                // One entry of the table, two levels at most: devices round the last bit of a place in their own way.
                let off = got.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                assert!(off <= 1, "{curve:?}, {}: {sample:?} is {got:?}, expected {expected:?}", palette.key());
                assert_eq!(got[3], if sample.is_missing() { 0 } else { 255 });
            }
        }
    }
}

#[test]
fn tiles_arrive_where_they_belong() {
    let Some(gpu) = device() else { return };
    let size = [130, 70];
    let whole = mixed_field(size);
    let samples = SampleBuffer::missing(&gpu, size).unwrap();
    assert_eq!(samples.read_back().unwrap(), Field::missing(size));
    let tiles = Tile::outwards(size, 32, [100.0, 3.0]);
    let content = |tile: &Tile| -> Vec<Sample> {
        let rows = tile.y..tile.y + tile.height;
        rows.flat_map(|y| whole.row(y)[tile.x as usize..][..tile.width as usize].to_vec()).collect()
    };
    let (first, rest) = tiles.split_first().unwrap();
    samples.upload(*first, &content(first)).unwrap();
    let rest: Vec<_> = rest.iter().map(|tile| (*tile, content(tile))).collect();
    samples.upload_all(rest.iter().map(|(tile, samples)| (*tile, samples.as_slice()))).unwrap();
    assert!(samples.read_back().unwrap() == whole);
}
