//! Bifurcation diagrams as files, one or several above each other. Their tone follows from the whole picture, so they
//! are held as a whole.

use super::numbers::{CountsFormat, npy_header_of_counts};
use crate::app::location::PNG_KEYWORD;
use crate::color::{DiagramScheme, paint_diagram};
use crate::render::Diagram;

/// Most pixels of a diagram: each takes 12 to 16 bytes, and its picture 4 more.
pub const MOST_DIAGRAM_PIXELS: u64 = 1 << 26;

/// What parts panels.
const LINE: [u8; 4] = [40, 45, 62, 255];

/// A PNG of diagrams of one width, `gap` rows apart from each other, with the text of their location inside.
///
/// # Errors
/// Where the encoder fails.
pub fn diagram_picture(
    panels: &[Diagram],
    gap: u32,
    scheme: DiagramScheme,
    location: Option<&str>,
) -> Result<Vec<u8>, png::EncodingError> {
    let width = panels[0].size()[0];
    let height = panels.iter().map(|panel| panel.size()[1]).sum::<u32>() + gap * (panels.len() as u32 - 1);
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for panel in panels {
        if !pixels.is_empty() {
            pixels.extend([LINE].repeat(gap as usize * width as usize));
        }
        pixels.extend(paint_diagram(panel, scheme));
    }
    encoded([width, height], pixels, location)
}

/// A PNG of these pixels, row by row, top row first.
pub(in crate::app) fn encoded(
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

/// The hits of diagrams of one width, one above the other, as little-endian u32: row by row, the row of the largest
/// ordinate first.
pub fn diagram_counts(panels: &[Diagram], format: CountsFormat) -> Vec<u8> {
    let width = panels[0].size()[0];
    let height = panels.iter().map(|panel| panel.size()[1]).sum();
    let mut file = match format {
        CountsFormat::Npy => npy_header_of_counts([width, height]),
        CountsFormat::U32 => Vec::new(),
    };
    for panel in panels {
        let columns: Vec<Vec<u32>> = (0..width).map(|x| panel.hits(x).collect()).collect();
        for y in 0..panel.size()[1] as usize {
            file.extend(columns.iter().flat_map(|column| column[y].to_le_bytes()));
        }
    }
    file
}
