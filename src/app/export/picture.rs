//! Pictures: samples coloured, band by band.

use std::fs::File;
use std::io::{self, Write};

use rayon::prelude::*;

use super::{BandWriter, ExportError, PngRows, Progress, WriteError, render_bands};
use crate::app::location::Location;
use crate::color::{Coloring, Palette, ShadeParams, add_light, average_light, shade_row};
use crate::engine::Engine;
use crate::render::{Field, Job, Latest, Sample, Stats};

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

/// Rows of pixels coloured at once, by all threads.
const ROWS: usize = 32;

impl Picture<'_> {
    pub(super) fn writer(&self, file: File, size: [u32; 2]) -> io::Result<PictureWriter<'_>> {
        Ok(PictureWriter { painter: self.painter(), rows: PngRows::new(file, size, &self.location.to_toml())? })
    }

    /// Renders the pixels of a job's rectangle and writes them row by row, top row first: red, green and blue, a byte each.
    ///
    /// # Errors
    /// [`ExportError`] of the engine, or what `failed` makes of the writer's.
    pub fn write_pixels(
        &self,
        job: &Job,
        engine: &mut dyn Engine,
        to: &mut dyn Write,
        failed: &dyn Fn(io::Error) -> ExportError,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Stats, ExportError> {
        let mut painter = self.painter();
        render_bands(engine, job, self.samples_of_a_pixel(), latest, progress, &mut |band| {
            painter.write(band, latest, to).map_err(|e| e.told(failed))
        })
    }

    fn painter(&self) -> Painter<'_> {
        Painter { picture: self, params: self.coloring.params(self.palette), light: Vec::new(), added: 0 }
    }

    pub(super) fn samples_of_a_pixel(&self) -> u32 {
        self.supersample * self.supersample
    }
}

/// A picture's file in the making.
pub(super) struct PictureWriter<'a> {
    painter: Painter<'a>,
    rows: PngRows<File>,
}

impl BandWriter for PictureWriter<'_> {
    fn write(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError> {
        self.painter.write(band, latest, &mut self.rows)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.rows.finish()
    }
}

/// Makes pixels of bands.
struct Painter<'a> {
    picture: &'a Picture<'a>,
    params: ShadeParams,
    /// Of the band, where its pixels have more than one sample; and the number of those added.
    light: Vec<[u32; 3]>,
    added: u32,
}

impl Painter<'_> {
    /// Writes the pixels of a band once all of their samples have come.
    fn write(&mut self, band: &Field, latest: &Latest, to: &mut dyn Write) -> Result<(), WriteError> {
        let count = self.picture.samples_of_a_pixel();
        if count == 1 {
            return self.write_plain(band, latest, to);
        }
        self.add(band);
        if self.added < count {
            return Ok(());
        }
        self.added = 0;
        let light = std::mem::take(&mut self.light);
        let average = |light: &[[u32; 3]], out: &mut [[u8; 3]]| average_light(light, count, out);
        write_rows(&light, band.size()[0] as usize, latest, average, to)
    }

    /// Writes the pixels of a band that has one sample each.
    fn write_plain(&mut self, band: &Field, latest: &Latest, to: &mut dyn Write) -> Result<(), WriteError> {
        let (params, table) = (self.params, self.picture.palette.table());
        let pixels = |samples: &[Sample], out: &mut [[u8; 3]]| {
            let mut shaded = vec![[0; 4]; samples.len()];
            shade_row(&params, table, samples, &mut shaded);
            for (pixel, [r, g, b, _]) in out.iter_mut().zip(shaded) {
                *pixel = [r, g, b];
            }
        };
        write_rows(band.samples(), band.size()[0] as usize, latest, pixels, to)
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
}

/// Writes rows of `width` pixels, some at once, made of what is there of each.
fn write_rows<T: Sync>(
    from: &[T],
    width: usize,
    latest: &Latest,
    pixels_of: impl Fn(&[T], &mut [[u8; 3]]) + Sync,
    to: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut pixels = vec![[0; 3]; width * ROWS];
    for from in from.chunks(width * ROWS) {
        if latest.is_stale() {
            return Err(WriteError::Cancelled);
        }
        let pixels = &mut pixels[..from.len()];
        let rows = pixels.par_chunks_mut(width).zip(from.par_chunks(width));
        rows.for_each(|(out, from)| pixels_of(from, out));
        to.write_all(bytemuck::cast_slice(pixels))?;
    }
    Ok(())
}
