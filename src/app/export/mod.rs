//! Pictures and raw numbers as files, at any size.
//!
//! [`Destination::open`] looks before the work whether the file can be; [`Export::run`] renders
//! bands of rows into a temporary file beside it, so that memory stays bounded, and renames at the
//! end: a file of that name is either the whole picture or what was there before. Giving the job's
//! [`Latest`] up leaves nothing behind.

mod bands;
mod destination;
mod diagram;
mod encode;
mod estimate;
mod numbers;
mod panels;
mod picture;
mod png_rows;
mod shelves;
mod space;
mod whole;

pub use bands::{Progress, render_bands};
pub use destination::{Destination, unused_name};
pub use diagram::DiagramOutput;
pub(super) use encode::encoded;
pub use estimate::{Estimate, MOST_PIXELS_IN_ALL, about};
pub use numbers::{Channel, CountsFormat, Numbers};
pub use panels::{Layer, Panels, Work};
pub use picture::Picture;
pub use png_rows::PngRows;
pub use space::{MOST_SPACE_PIXELS, space_picture};
pub use whole::{MOST_STACK_PIXELS, Stack, Whole};

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::render::{Field, Job, Latest, RenderError, Stats, ViewportError};

/// What to write, and of what.
#[derive(Clone, Debug)]
pub struct Export<'a> {
    /// The whole picture's job, one sample a pixel.
    pub job: Job,
    pub output: Output<'a>,
}

/// Kinds of files.
#[derive(Clone, Debug)]
pub enum Output<'a> {
    Picture(Picture<'a>),
    Numbers(Numbers),
    /// A diagram or a scene in space.
    Whole(Whole<'a>),
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("the file is there already; choose another name, or replace it (--force): {}", .0.display())]
    Exists(PathBuf),
    #[error("this is neither a file nor the name of a new one; choose another name: {}", .0.display())]
    Special(PathBuf),
    #[error("a file is there already whose name has no ending; end the name in .png, .npy or .u32: {}", .0.display())]
    NoEnding(PathBuf),
    #[error("this is a directory; name a file in it: {}", .0.display())]
    Directory(PathBuf),
    #[error("there is no directory of that name; make it first, or choose another: {}", .0.display())]
    NoDirectory(PathBuf),
    #[error("cannot write there ({source}); choose a place that can be written to: {}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("writing failed ({source}); nothing was left behind: {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot write {0:?} files; end the name in .png, .npy or .u32")]
    UnknownFormat(String),
    #[error(".u32 files hold whole numbers alone, and {} is none; end the name in .npy", .0.key())]
    NotWhole(Channel),
    #[error("numbers of this view are written by `cardioid render` alone; end the name in .png")]
    NoNumbers,
    #[error(
        "a picture of {width}x{height} pixels needs about {bytes} and {samples:.0e} samples, which is more than can be \
         written; choose a smaller size, or fewer samples a pixel"
    )]
    TooLarge { width: u32, height: u32, samples: f64, bytes: String },
    #[error(
        "{width}x{height} pixels are too many for a picture that is held as a whole; choose a size of at most {most} pixels"
    )]
    TooLargeAsAWhole { width: u32, height: u32, most: u64 },
    #[error("{panels} panels do not fit into {height} rows; choose a larger height, or one panel")]
    NoRows { height: u32, panels: u32 },
    #[error(transparent)]
    Viewport(#[from] ViewportError),
    #[error(transparent)]
    Render(#[from] RenderError),
}

impl ExportError {
    /// True where the request makes no sense, rather than cannot be done.
    pub fn is_asked_wrongly(&self) -> bool {
        matches!(
            self,
            Self::UnknownFormat(_)
                | Self::NotWhole(_)
                | Self::NoNumbers
                | Self::NoEnding(_)
                | Self::TooLarge { .. }
                | Self::TooLargeAsAWhole { .. }
                | Self::NoRows { .. }
                | Self::Viewport(_)
        )
    }

    /// True where someone gave the export up: no failure, and nothing to show.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Render(RenderError::Cancelled))
    }
}

/// Takes finished bands from the top down, each as often as pixels have samples.
trait BandWriter {
    fn write(&mut self, band: &Field, latest: &Latest) -> Result<(), WriteError>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Why a band was not written.
enum WriteError {
    Cancelled,
    Io(io::Error),
}

impl WriteError {
    fn told(self, failed: &dyn Fn(io::Error) -> ExportError) -> ExportError {
        match self {
            Self::Cancelled => RenderError::Cancelled.into(),
            Self::Io(source) => failed(source),
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Export<'_> {
    /// Renders and writes; the path of the finished file lies in `destination.path()`.
    ///
    /// `progress` is called from any thread, often. Once `latest` is stale the export ends within
    /// a fraction of a second.
    ///
    /// # Errors
    /// [`ExportError`]; no file is left then.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        destination: Destination,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Stats, ExportError> {
        if let Output::Whole(whole) = &self.output {
            return whole.run(&self.job, engine, destination, latest, progress);
        }
        Estimate::of(self.job.size(), self.samples_of_a_pixel()).check()?;
        let path = destination.path().to_owned();
        let failed = |source| ExportError::Write { path: path.clone(), source };
        let mut writer = self.writer(destination.file().try_clone().map_err(failed)?).map_err(failed)?;
        let stats = render_bands(engine, &self.job, self.samples_of_a_pixel(), latest, progress, &mut |band| {
            writer.write(band, latest).map_err(|e| e.told(&failed))
        })?;
        writer.finish().map_err(failed)?;
        destination.keep()?;
        Ok(stats)
    }

    /// Samples that are averaged in each pixel. Diagrams and scenes in space have one: their curves and their light are
    /// measured by how much of a pixel they cover.
    pub fn samples_of_a_pixel(&self) -> u32 {
        match &self.output {
            Output::Picture(picture) => picture.samples_of_a_pixel(),
            Output::Numbers(_) | Output::Whole(_) => 1,
        }
    }

    fn writer(&self, file: File) -> io::Result<Box<dyn BandWriter + '_>> {
        Ok(match &self.output {
            Output::Picture(picture) => Box::new(picture.writer(file, self.job.size())?),
            Output::Numbers(numbers) => Box::new(numbers.writer(file, &self.job)?),
            Output::Whole(_) => unreachable!("it is written at once"),
        })
    }
}

/// Kind of file that a name asks for by its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Picture,
    Counts(CountsFormat),
}

impl FileKind {
    /// The kind that `path` asks for, and the path itself: a new name without an ending gets `.png`.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`] for other endings, [`ExportError::NoEnding`] where a file lacks one.
    pub fn of(path: &Path) -> Result<(Self, PathBuf), ExportError> {
        let Some(ending) = path.extension() else {
            if path.is_file() {
                return Err(ExportError::NoEnding(path.into()));
            }
            // What else is there, a directory or a device, the destination refuses by its own name.
            let is_new = path.file_name().is_some() && path.symlink_metadata().is_err();
            let is_new = is_new && !path.as_os_str().to_string_lossy().ends_with('/');
            return Ok((Self::Picture, if is_new { path.with_extension("png") } else { path.to_owned() }));
        };
        let ending = ending.to_string_lossy().to_ascii_lowercase();
        let kind = match ending.as_str() {
            "png" => Self::Picture,
            "npy" => Self::Counts(CountsFormat::Npy),
            "u32" => Self::Counts(CountsFormat::U32),
            _ => return Err(ExportError::UnknownFormat(format!(".{ending}"))),
        };
        Ok((kind, path.to_owned()))
    }
}
