//! The file that tiles or parts make: rows of a picture, or of numbers.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::{Content, Spec};
use crate::app::export::{ExportError, FileKind, Numbers, PngRows};

/// A file in the making, that takes the bytes of all pixels, row by row, as the spec says that they are.
pub enum RowsFile {
    Picture(Box<PngRows<File>>),
    Numbers {
        file: BufWriter<File>,
        numbers: Numbers,
        /// On iterations.
        cap: u32,
    },
}

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    #[error("{0} are colours; end the file's name in .png")]
    Colors(&'static str),
    #[error("{0} are numbers ({1}); end the file's name in .npy")]
    Numbers(&'static str, &'static str),
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl RowsFile {
    /// Begins a file of that kind. `what` the pixels are, for messages, and what becomes of the file's errors.
    ///
    /// # Errors
    /// [`RowsError`] where such a file does not hold such pixels.
    pub fn begin(
        file: File,
        kind: FileKind,
        spec: &Spec,
        what: &'static str,
        failed: &dyn Fn(io::Error) -> ExportError,
    ) -> Result<Self, RowsError> {
        match (spec.content(), kind) {
            (Content::Set | Content::Diagrams(_), FileKind::Picture) => {
                let rows = PngRows::new(file, spec.size(), &spec.location().to_toml());
                Ok(Self::Picture(Box::new(rows.map_err(failed)?)))
            }
            (Content::Numbers(channel), FileKind::Counts(format)) => {
                let numbers = Numbers::of(format, *channel)?;
                let mut file = BufWriter::new(file);
                file.write_all(&numbers.header(spec.size())).map_err(failed)?;
                Ok(Self::Numbers { file, numbers, cap: spec.job().max_iterations() })
            }
            (Content::Set | Content::Diagrams(_), FileKind::Counts(_)) => Err(RowsError::Colors(what)),
            (Content::Numbers(channel), FileKind::Picture) => Err(RowsError::Numbers(what, channel.key())),
        }
    }

    /// Writes what is still held.
    ///
    /// # Errors
    /// What the file fails with; of a picture also where pixels are missing.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Picture(rows) => rows.finish(),
            Self::Numbers { mut file, .. } => file.flush(),
        }
    }
}

impl Write for RowsFile {
    /// Takes whole numbers only.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Picture(rows) => rows.write(bytes),
            Self::Numbers { file, numbers, cap } => {
                let mut bytes = bytes.to_vec();
                numbers.adapt(&mut bytes, *cap);
                file.write_all(&bytes).map(|()| bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Picture(rows) => rows.flush(),
            Self::Numbers { file, .. } => file.flush(),
        }
    }
}
