//! Pictures: PNG with an sRGB chunk, and the location inside.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::{BandWriter, WriteError};
use crate::app::location::{Location, PNG_KEYWORD};
use crate::color::{Coloring, Palette, ShadeParams, average_blocks, shade_row};
use crate::render::{Field, Latest, Sample};

/// How samples become a picture, and what is said in it.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    pub palette: &'a Palette,
    pub coloring: Coloring,
    /// Samples along each side of a pixel, averaged in linear light.
    pub supersample: u32,
    /// Written into the file; what it says of size, palette and samples should be this picture's.
    pub location: &'a Location,
}

/// Bytes that the encoder gathers before it writes.
const CHUNK: usize = 1 << 18;

/// Rows of pixels coloured at once, by all threads.
const ROWS: usize = 32;

impl Picture<'_> {
    pub(super) fn writer(&self, file: File, [width, height]: [u32; 2]) -> io::Result<PictureWriter<'_>> {
        let failure = Failure::default();
        let mut encoder = png::Encoder::new(Watched { file, failure: failure.clone() }, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Fast);
        encoder.add_itxt_chunk(PNG_KEYWORD.into(), self.location.to_toml())?;
        let stream = encoder.write_header()?.into_stream_writer_with_size(CHUNK)?;
        Ok(PictureWriter { picture: self, params: self.coloring.params(self.palette), stream, failure })
    }

    /// One row of pixels from the samples of its pixels: `supersample` rows of samples.
    fn pixels(&self, params: &ShadeParams, samples: &[Sample], out: &mut [[u8; 3]]) {
        let mut shaded = vec![[0; 4]; samples.len()];
        shade_row(params, self.palette.table(), samples, &mut shaded);
        if self.supersample > 1 {
            return average_blocks(&shaded, self.supersample as usize, out);
        }
        for (pixel, [r, g, b, _]) in out.iter_mut().zip(shaded) {
            *pixel = [r, g, b];
        }
    }
}

pub(super) struct PictureWriter<'a> {
    picture: &'a Picture<'a>,
    params: ShadeParams,
    stream: png::StreamWriter<'static, Watched>,
    failure: Failure,
}

impl BandWriter for PictureWriter<'_> {
    fn write(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError> {
        let side = self.picture.supersample as usize;
        let samples_of_a_row = band.size()[0] as usize * side;
        let width = band.size()[0] as usize / side;
        let mut pixels = vec![[0; 3]; width * ROWS];
        for samples in band.samples().chunks(samples_of_a_row * ROWS) {
            if latest.is_stale() {
                return Err(WriteError::Cancelled);
            }
            let pixels = &mut pixels[..samples.len() / (side * side)];
            let rows = pixels.par_chunks_mut(width).zip(samples.par_chunks(samples_of_a_row));
            rows.for_each(|(out, samples)| self.picture.pixels(&self.params, samples, out));
            self.stream.write_all(bytemuck::cast_slice(pixels))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.stream.finish()?;
        self.failure.take()
    }
}

/// A file that remembers its failure: the encoder writes its last chunk when it is dropped, where an
/// error has nowhere to go.
struct Watched {
    file: File,
    failure: Failure,
}

#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    fn take(&self) -> io::Result<()> {
        self.0.lock().expect("nothing panics while it holds this").take().map_or(Ok(()), Err)
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|e| {
            if e.kind() == io::ErrorKind::Interrupted {
                return; // The caller tries again.
            }
            let copy = e.raw_os_error().map_or_else(|| e.kind().into(), io::Error::from_raw_os_error);
            self.failure.0.lock().expect("nothing panics while it holds this").get_or_insert(copy);
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
