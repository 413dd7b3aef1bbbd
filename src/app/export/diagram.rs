//! Bifurcation diagrams as files. Their tone follows from the whole picture, so they are held as a whole.

use super::counts::{CountsFormat, npy_header};
use crate::app::location::PNG_KEYWORD;
use crate::color::{DiagramScheme, paint_diagram};
use crate::render::Diagram;

/// Most pixels of a diagram: each takes 12 bytes, and its picture 4 more.
pub const MOST_DIAGRAM_PIXELS: u64 = 1 << 26;

/// A PNG of the diagram, with the text of its location inside.
///
/// # Errors
/// Where the encoder fails.
pub fn diagram_picture(
    diagram: &Diagram,
    scheme: DiagramScheme,
    location: Option<&str>,
) -> Result<Vec<u8>, png::EncodingError> {
    encoded(diagram.size(), paint_diagram(diagram, scheme), location)
}

/// A PNG of these pixels, row by row, top row first.
pub(super) fn encoded(
    [width, height]: [u32; 2],
    pixels: Vec<[u8; 4]>,
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
    let pixels: Vec<u8> = pixels.into_iter().flat_map(|[r, g, b, _]| [r, g, b]).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

/// The hits as little-endian u32, row by row, the row of the largest ordinate first.
pub fn diagram_counts(diagram: &Diagram, format: CountsFormat) -> Vec<u8> {
    let [width, height] = diagram.size();
    let mut file = match format {
        CountsFormat::Npy => npy_header([width, height]),
        CountsFormat::U32 => Vec::new(),
    };
    let columns: Vec<Vec<u32>> = (0..width).map(|x| diagram.hits(x).collect()).collect();
    for y in 0..height as usize {
        file.extend(columns.iter().flat_map(|column| column[y].to_le_bytes()));
    }
    file
}
