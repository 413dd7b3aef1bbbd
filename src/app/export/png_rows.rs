//! PNG files as their rows come, with an sRGB chunk and the location inside.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::app::location::PNG_KEYWORD;

/// Bytes that the encoder gathers before it writes.
const CHUNK: usize = 1 << 18;

/// A PNG in the making: takes pixels of three bytes, row by row, top row first. Its bytes hang on the pixels alone, not
/// on how they are cut.
pub struct PngRows<W: Write + 'static> {
    stream: png::StreamWriter<'static, Watched<W>>,
    failure: Failure,
}

impl<W: Write + 'static> PngRows<W> {
    /// Of so many pixels, with the text of a location.
    ///
    /// # Errors
    /// What the file fails with.
    pub fn new(file: W, [width, height]: [u32; 2], location: &str) -> io::Result<Self> {
        let failure = Failure::default();
        let mut encoder = png::Encoder::new(Watched { file, failure: failure.clone() }, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_compression(png::Compression::Fast);
        encoder.add_itxt_chunk(PNG_KEYWORD.into(), location.into())?;
        Ok(Self { stream: encoder.write_header()?.into_stream_writer_with_size(CHUNK)?, failure })
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// What the file fails with; also where pixels are missing.
    pub fn finish(self) -> io::Result<()> {
        self.stream.finish()?;
        self.failure.take()
    }
}

impl<W: Write + 'static> Write for PngRows<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A file that remembers its failure: the encoder writes its last chunk when it is dropped, where an
/// error has nowhere to go.
struct Watched<W> {
    file: W,
    failure: Failure,
}

#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    fn take(&self) -> io::Result<()> {
        self.0.lock().expect("nothing panics while it holds this").take().map_or(Ok(()), Err)
    }
}

impl<W: Write> Write for Watched<W> {
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
