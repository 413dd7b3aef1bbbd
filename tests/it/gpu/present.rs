//! Pictures in a window: exact where pixels coincide, whatever the format of the surface.

use cardioid::gpu::{Between, Filter, Gpu, Picture, Presenter, Quad, read_texture};

use super::device;

const WINDOW: [u32; 2] = [64, 40];
/// What the window is cleared to.
const BACKGROUND: [u8; 4] = [0, 0, 0, 255];

/// What stands in for a window's surface.
pub fn window(gpu: &Gpu, format: wgpu::TextureFormat, [width, height]: [u32; 2]) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("window"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Draws quads into a window as a frame does.
pub fn draw(gpu: &Gpu, presenter: &Presenter, window: &wgpu::Texture, quads: &[Quad<'_>]) {
    let view = window.create_view(&Default::default());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("frame"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
        })],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    presenter.draw(&mut pass, [window.width(), window.height()], quads);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
}

fn drawn(gpu: &Gpu, format: wgpu::TextureFormat, quads: &[Quad<'_>]) -> Vec<[u8; 4]> {
    let presenter = Presenter::with(gpu, format, Between::Sharp).unwrap();
    let window = window(gpu, format, WINDOW);
    draw(gpu, &presenter, &window, quads);
    read_texture(gpu, &window).unwrap()
}

fn picture(gpu: &Gpu, size: [u32; 2], pixel: impl Fn(u32, u32) -> [u8; 4]) -> Picture {
    let picture = Picture::new(gpu, size).unwrap();
    let pixels: Vec<_> =
        (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect();
    picture.write(gpu, &pixels);
    assert_eq!(picture.read_back(gpu).unwrap(), pixels);
    picture
}

fn at(pixels: &[[u8; 4]], x: i32, y: i32) -> [u8; 4] {
    pixels[(y * WINDOW[0] as i32 + x) as usize]
}

fn checkerboard(x: u32, y: u32) -> [u8; 4] {
    if (x + y).is_multiple_of(2) { [255, 255, 255, 255] } else { [200, 10, 90, 255] }
}

#[test]
fn coinciding_pixels_come_out_exactly() {
    let Some(gpu) = device() else { return };
    let size = [50, 30];
    let board = picture(&gpu, size, checkerboard);
    for (offset, filter) in [([0, 0], 0), ([3, 5], 0), ([-7, -2], 0), ([40, 33], 0), ([3, 5], 1), ([-7, -2], 1)]
        .map(|(offset, smooth)| (offset, if smooth == 1 { Filter::Smooth } else { Filter::Nearest }))
    {
        let quad = Quad { filter, ..Quad::at(&board, offset) };
        let got = drawn(&gpu, wgpu::TextureFormat::Rgba8Unorm, &[quad]);
        for (x, y) in (0..WINDOW[1] as i32).flat_map(|y| (0..WINDOW[0] as i32).map(move |x| (x, y))) {
            let (u, v) = (x - offset[0], y - offset[1]);
            let inside = (0..size[0] as i32).contains(&u) && (0..size[1] as i32).contains(&v);
            let expected = if inside { checkerboard(u as u32, v as u32) } else { BACKGROUND };
            assert_eq!(at(&got, x, y), expected, "{filter:?} at {offset:?}, pixel ({x}, {y})");
        }
    }
}

#[test]
fn greys_are_the_same_on_every_surface() {
    let Some(gpu) = device() else { return };
    let ramp = picture(&gpu, [64, 4], |x, y| {
        [(y * 64 + x) as u8; 3].map(|v| v).into_iter().chain([255]).collect::<Vec<_>>().try_into().unwrap()
    });
    for format in [
        wgpu::TextureFormat::Rgba8Unorm,
        wgpu::TextureFormat::Rgba8UnormSrgb,
        wgpu::TextureFormat::Bgra8Unorm,
        wgpu::TextureFormat::Bgra8UnormSrgb,
    ] {
        let got = drawn(&gpu, format, &[Quad::at(&ramp, [0, 0])]);
        for grey in 0..256 {
            let pixel = at(&got, grey % 64, grey / 64);
            let off = pixel[..3].iter().map(|v| (i32::from(*v) - grey).abs()).max().unwrap();
            assert!(off <= 1 && pixel[3] == 255, "{format:?}: grey {grey} came out as {pixel:?}");
        }
    }
}

#[test]
fn pictures_lie_on_one_another() {
    let Some(gpu) = device() else { return };
    let below = picture(&gpu, WINDOW, |_, _| [10, 20, 30, 255]);
    // Known on its left half only.
    let above = picture(&gpu, [20, 20], |x, _| if x < 10 { [200, 100, 50, 255] } else { [0; 4] });
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let got = drawn(&gpu, format, &[Quad::at(&below, [0, 0]), Quad::at(&above, [4, 4])]);
    assert_eq!(at(&got, 5, 5), [200, 100, 50, 255], "what is known hides what lies below");
    assert_eq!(at(&got, 20, 5), [10, 20, 30, 255], "what is unknown does not");

    let smooth = Quad { filter: Filter::Smooth, ..Quad::at(&above, [4, 4]) };
    let half = Quad { opacity: 0.5, ..Quad::at(&above, [4, 4]) };
    let got = drawn(&gpu, format, &[Quad::at(&below, [0, 0]), smooth]);
    assert_eq!(at(&got, 13, 5), [200, 100, 50, 255], "unknown neighbours do not darken");
    let got = drawn(&gpu, format, &[Quad::at(&below, [0, 0]), half]);
    assert_eq!(at(&got, 5, 5), [105, 60, 40, 255], "half of each");
}

#[test]
fn magnified_pictures_are_sharp_and_small_ones_are_averages() {
    let Some(gpu) = device() else { return };
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let placed = |picture, scale: f32| Quad {
        window_from_picture: [[scale, 0.0, 0.0], [0.0, scale, 0.0]],
        filter: Filter::Smooth,
        ..Quad::at(picture, [0, 0])
    };
    // An edge between columns 3 and 4, four times as large: steeper than a straight line, and never beyond its ends.
    let edge = picture(&gpu, [8, 8], |x, _| if x < 4 { [40, 40, 40, 255] } else { [200, 200, 200, 255] });
    let got = drawn(&gpu, format, &[placed(&edge, 4.0)]);
    let row: Vec<i32> = (0..32).map(|x| i32::from(at(&got, x, 12)[0])).collect();
    assert!(row.is_sorted() && row[0] == 40 && row[31] == 200, "{row:?}");
    assert!(row[16] - row[15] > 40 && row[13] == 40 && row[18] == 200, "a straight line rises by 40 a pixel: {row:?}");
    // Stripes of one pixel, a quarter as large: grey, not some of the stripes.
    let stripes = picture(&gpu, [60, 60], |x, _| if x % 2 == 0 { [0, 0, 0, 255] } else { [240, 240, 240, 255] });
    let got = drawn(&gpu, format, &[placed(&stripes, 0.25)]);
    assert!(
        (2..13).all(|x| at(&got, x, 8)[0].abs_diff(120) <= 20),
        "{:?}",
        (2..13).map(|x| at(&got, x, 8)[0]).collect::<Vec<_>>()
    );
    // Beyond its edges a picture goes on as it ends, as far as it is told to.
    let got = drawn(&gpu, format, &[Quad { margin: 0.5, ..placed(&edge, 4.0) }]);
    assert_eq!([at(&got, 33, 5), at(&got, 35, 5)], [[200, 200, 200, 255], BACKGROUND]);
}

#[test]
fn pictures_are_stretched_turned_and_clipped() {
    let Some(gpu) = device() else { return };
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let number = |x: u32, y: u32| [(x * 10) as u8, (y * 10) as u8, 7, 255];
    let small = picture(&gpu, [10, 10], number);
    let twice = Quad { window_from_picture: [[2.0, 0.0, 6.0], [0.0, 2.0, 4.0]], ..Quad::at(&small, [0, 0]) };
    let got = drawn(&gpu, format, &[Quad { clip: Some([0, 0, 20, 1000]), ..twice.clone() }]);
    for (x, y) in (4..24).flat_map(|y| (6..26).map(move |x| (x, y))) {
        let expected = if x < 20 { number((x as u32 - 6) / 2, (y as u32 - 4) / 2) } else { BACKGROUND };
        assert_eq!(at(&got, x, y), expected, "({x}, {y})");
    }
    // A quarter turn: the picture's right goes down.
    let turned = Quad { window_from_picture: [[0.0, -1.0, 30.0], [1.0, 0.0, 5.0]], ..Quad::at(&small, [0, 0]) };
    let got = drawn(&gpu, format, &[turned]);
    assert_eq!(at(&got, 29, 5), number(0, 0));
    assert_eq!(at(&got, 29, 14), number(9, 0));
    assert_eq!(at(&got, 20, 5), number(0, 9));
    // No inverse, no pixels, nothing inside: nothing drawn, nothing broken.
    let flat = Quad { window_from_picture: [[0.0; 3]; 2], ..Quad::at(&small, [0, 0]) };
    let outside = Quad { clip: Some([1000, 1000, 5, 5]), ..twice };
    assert!(drawn(&gpu, format, &[flat, outside]).iter().all(|pixel| *pixel == BACKGROUND));
    assert_eq!(gpu.take_error(), None);
}
