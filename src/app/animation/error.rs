//! Why there is no animation, or not all of it.

use std::path::PathBuf;

use super::Animation;
use crate::app::export::ExportError;
use crate::render::Section;

#[derive(Debug, thiserror::Error)]
pub enum AnimationError {
    #[error("{view} has nothing that plays as {play:?}; choose another view, or another way to play")]
    Still { play: &'static str, view: &'static str },
    #[error("this describes no animation: {0}")]
    Malformed(String),
    #[error("{0} is no end for a section; choose Im c from -{most} to {most}", most = Section::MOST)]
    End(f64),
    #[error(
        "{seconds} seconds of {fps} frames each are no animation; choose them so that there are 1 to {} frames",
        Animation::MOST_FRAMES
    )]
    Frames { seconds: f64, fps: u32 },
    #[error("{asked} points are out of bounds; choose --samples from {least} to {most}")]
    Samples { asked: u32, least: u32, most: u32 },
    #[error(
        "films have an even number of pixels along each side, not {width}x{height}; choose an even size, or a folder"
    )]
    Odd { width: u32, height: u32 },
    #[error("cannot make {0:?} files of an animation; choose a folder, or a film that ends in .mp4 or .webm")]
    UnknownFilm(String),
    #[error("this is a file and no folder for frames; choose a folder, or a film that ends in .mp4 or .webm: {}", .0.display())]
    NoFolder(PathBuf),
    #[error("there is something in the folder already, and no animation; choose a new one, or use it all the same (--force): {}", .0.display())]
    Foreign(PathBuf),
    #[error(
        "another animation is in the folder already ({key} = {there}, asked for {asked}); choose another folder, or \
         replace it (--force): {}", folder.display()
    )]
    Another { key: String, there: String, asked: String, folder: PathBuf },
    #[error("interrupted; {done} of {frames} frames are there, and the same again goes on from them: {}", folder.display())]
    Interrupted { done: u32, frames: u32, folder: PathBuf },
    #[error(
        "there is no ffmpeg to make a film with; install it and do the same again, or take the frames elsewhere and run: \
         {command}"
    )]
    NoFfmpeg { command: String },
    #[error("ffmpeg made no film ({reason}); the frames are there, and this is what was run: {command}")]
    Ffmpeg { reason: String, command: String },
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl AnimationError {
    /// True where the request makes no sense, rather than cannot be done.
    pub fn is_asked_wrongly(&self) -> bool {
        match self {
            Self::Still { .. }
            | Self::Malformed(_)
            | Self::End(_)
            | Self::Frames { .. }
            | Self::Samples { .. }
            | Self::Odd { .. }
            | Self::UnknownFilm(_)
            | Self::NoFolder(_)
            | Self::Foreign(_)
            | Self::Another { .. } => true,
            Self::Interrupted { .. } | Self::NoFfmpeg { .. } | Self::Ffmpeg { .. } => false,
            Self::Export(error) => error.is_asked_wrongly(),
        }
    }

    /// True where someone gave it up: no failure.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Interrupted { .. })
    }
}
