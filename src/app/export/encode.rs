//! PNG files of pictures that are held as a whole.

use crate::app::location::PNG_KEYWORD;

/// A PNG of these pixels, row by row, top row first, with the text of a location inside.
pub(in crate::app) fn encoded(
    size: [u32; 2],
    pixels: Vec<[u8; 4]>,
    location: Option<&str>,
) -> Result<Vec<u8>, png::EncodingError> {
    let pixels: Vec<u8> = pixels.into_iter().flat_map(|[r, g, b, _]| [r, g, b]).collect();
    encoded_rgb(size, &pixels, location)
}

/// The same of red, green and blue, a byte each.
pub(super) fn encoded_rgb(
    [width, height]: [u32; 2],
    pixels: &[u8],
    location: Option<&str>,
) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::Fast);
    if let Some(text) = location {
        encoder.add_itxt_chunk(PNG_KEYWORD.into(), text.into())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}
