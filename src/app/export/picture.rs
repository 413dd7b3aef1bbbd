//! Pictures: PNG with an sRGB chunk, and the location inside.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::{BandWriter, WriteError};
use crate::app::location::{Location, PNG_KEYWORD};
use crate::color::{Coloring, Palette, ShadeParams, add_light, average_light, shade_row};
use crate::render::{Field, Latest, Sample};

/// How samples become a picture, and what is said in it.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    pub palette: &'a Palette,
    pub coloring: Coloring,
    /// Square root of the number of samples of a pixel, which are averaged in linear light.
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
        let params = self.coloring.params(self.palette);
        Ok(PictureWriter { picture: self, params, light: Vec::new(), added: 0, stream, failure })
    }

    pub(super) fn samples_of_a_pixel(&self) -> u32 {
        self.supersample * self.supersample
    }
}

pub(super) struct PictureWriter<'a> {
    picture: &'a Picture<'a>,
    params: ShadeParams,
    /// Of the band, where its pixels have more than one sample; and the number of those added.
    light: Vec<[u32; 3]>,
    added: u32,
    stream: png::StreamWriter<'static, Watched>,
    failure: Failure,
}

impl BandWriter for PictureWriter<'_> {
    fn write(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError> {
        let count = self.picture.samples_of_a_pixel();
        if count == 1 {
            return self.write_plain(band, latest);
        }
        self.add(band);
        if self.added < count {
            return Ok(());
        }
        self.added = 0;
        let light = std::mem::take(&mut self.light);
        let average = |light: &[[u32; 3]], out: &mut [[u8; 3]]| average_light(light, count, out);
        self.write_rows(&light, band.size()[0] as usize, latest, average)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.stream.finish()?;
        self.failure.take()
    }
}

impl PictureWriter<'_> {
    /// Writes the pixels of a band that has one sample each.
    fn write_plain(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError> {
        let (params, table) = (self.params, self.picture.palette.table());
        let pixels = |samples: &[Sample], out: &mut [[u8; 3]]| {
            let mut shaded = vec![[0; 4]; samples.len()];
            shade_row(&params, table, samples, &mut shaded);
            for (pixel, [r, g, b, _]) in out.iter_mut().zip(shaded) {
                *pixel = [r, g, b];
            }
        };
        self.write_rows(band.samples(), band.size()[0] as usize, latest, pixels)
    }

    /// Adds a sample to each pixel of the band.
    fn add(&mut self, band: &Field) {
        let width = band.size()[0] as usize;
        self.light.resize(band.samples().len(), [0; 3]);
        self.added += 1;
        let (params, table) = (&self.params, self.picture.palette.table());
        let rows = self.light.par_chunks_mut(width).zip(band.samples().par_chunks(width));
        rows.for_each_init(
            || vec![[0; 4]; width],
            |shaded, (light, samples)| {
                shade_row(params, table, samples, shaded);
                add_light(shaded, light);
            },
        );
    }

    /// Writes rows of `width` pixels, some at once, made of what is there of each.
    fn write_rows<T: Sync>(
        &mut self,
        from: &[T],
        width: usize,
        latest: &Latest,
        pixels_of: impl Fn(&[T], &mut [[u8; 3]]) + Sync,
    ) -> Result<(), WriteError> {
        let mut pixels = vec![[0; 3]; width * ROWS];
        for from in from.chunks(width * ROWS) {
            if latest.is_stale() {
                return Err(WriteError::Cancelled);
            }
            let pixels = &mut pixels[..from.len()];
            let rows = pixels.par_chunks_mut(width).zip(from.par_chunks(width));
            rows.for_each(|(out, from)| pixels_of(from, out));
            self.stream.write_all(bytemuck::cast_slice(pixels))?;
        }
        Ok(())
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
