//! Frames as files: those that are missing are drawn, and a film made of all.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::{Animation, AnimationError, FilmKind, film, manifest};
use crate::app::export::{Destination, ExportError, Progress};
use crate::engine::Engine;
use crate::render::{Latest, RenderError};

/// An animation with a folder for its frames, and a film where one is asked for.
pub struct Recording {
    animation: Animation,
    folder: PathBuf,
    film: Option<(FilmKind, Destination)>,
    text: String,
}

/// What there is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The folder of the frames, or the film.
    pub path: PathBuf,
    /// Frames that were drawn; the others were there.
    pub drawn: u32,
}

/// Endings that nobody means a folder by.
const OTHER_FILES: &[&str] =
    &["png", "apng", "gif", "webp", "jpg", "jpeg", "mov", "m4v", "avi", "mkv", "ogv", "npy", "u32", "toml"];

/// What every PNG ends with: the chunk IEND and its check sum.
pub const PNG_END: [u8; 12] = *b"\0\0\0\0IEND\xae\x42\x60\x82";

impl Recording {
    /// Makes the folder ready: `target` itself, or `NAME.frames` beside a film `NAME.mp4` or `NAME.webm`.
    ///
    /// A folder is taken where it is new or empty, or holds frames of the same animation by the same engine; with
    /// `replace` frames of another one go, and a film that is there already is replaced at the end.
    ///
    /// # Errors
    /// [`AnimationError`] of the folder, or of the film's name and size.
    pub fn open(animation: Animation, target: &Path, engine: &str, replace: bool) -> Result<Self, AnimationError> {
        let kind = FilmKind::of(target);
        let ending = target.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if OTHER_FILES.contains(&ending.as_str()) && !target.is_dir() {
            return Err(AnimationError::UnknownFilm(format!(".{ending}")));
        }
        if let (Some(_), [width, height]) = (kind, animation.size())
            && (width % 2, height % 2) != (0, 0)
        {
            return Err(AnimationError::Odd { width, height });
        }
        // Read back, so that what its text decides is all there is.
        let text = animation.to_text(engine);
        let (animation, _) = Animation::from_text(&text)?;
        let film = kind.map(|kind| Ok::<_, ExportError>((kind, Destination::open(target, replace)?))).transpose()?;
        let folder = if kind.is_some() { target.with_extension("frames") } else { target.to_owned() };
        claim(&folder, &animation, engine, replace)?;
        Ok(Self { animation, folder, film, text })
    }

    /// Number of frames, and of those that are not there yet.
    pub fn frames(&self) -> [u32; 2] {
        [self.animation.frames(), self.missing().len() as u32]
    }

    /// Draws what is missing, and makes the film. `progress` counts the frames that are to be drawn.
    ///
    /// # Errors
    /// [`AnimationError`]; all frames that are there are whole then.
    pub fn run(
        self,
        engine: &mut dyn Engine,
        latest: &Latest,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Recorded, AnimationError> {
        let missing = self.missing();
        for (samples_done, &frame) in (0..).zip(&missing) {
            progress(Progress { samples_done, samples: missing.len() as u64, preparing: None });
            self.draw(frame, engine, latest).map_err(|error| match error.is_cancelled() {
                true => self.interrupted(),
                false => error.into(),
            })?;
        }
        self.finish(missing.len() as u32, latest)
    }

    fn draw(&self, frame: u32, engine: &mut dyn Engine, latest: &Latest) -> Result<(), ExportError> {
        if latest.is_stale() {
            return Err(RenderError::Cancelled.into());
        }
        let bytes = self.animation.draw(frame, engine, &self.path(frame), latest)?;
        self.put(frame, &bytes)
    }

    /// All that decides a byte of the frames, as [`Animation::from_text`] reads it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the frames are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The frames that are not there yet, counted from 0.
    pub fn missing(&self) -> Vec<u32> {
        (0..self.animation.frames).filter(|&frame| !is_whole(&self.path(frame))).collect()
    }

    /// Writes the file of a frame.
    ///
    /// # Errors
    /// [`ExportError`]; nothing of it is there then.
    pub fn put(&self, frame: u32, png: &[u8]) -> Result<(), ExportError> {
        // Only a frame that is not whole can be there.
        Destination::open(&self.path(frame), true)?.write(png)
    }

    /// Makes the film, where one is asked for, once all frames are there; `drawn` of them are new.
    ///
    /// # Errors
    /// [`AnimationError`] of ffmpeg, or of `latest` that became stale.
    pub fn finish(self, drawn: u32, latest: &Latest) -> Result<Recorded, AnimationError> {
        let Some((kind, destination)) = self.film else { return Ok(Recorded { path: self.folder, drawn }) };
        let (path, frames) = (destination.path().to_owned(), self.animation.frames);
        film::make(kind, self.animation.fps, &self.folder, destination, latest).map_err(|error| match error {
            AnimationError::Export(error) if error.is_cancelled() => {
                AnimationError::Interrupted { done: frames, frames, folder: self.folder.clone() }
            }
            error => error,
        })?;
        Ok(Recorded { path, drawn })
    }

    /// What is said where somebody gives it up.
    pub fn interrupted(&self) -> AnimationError {
        let frames = self.animation.frames;
        AnimationError::Interrupted { done: frames - self.missing().len() as u32, frames, folder: self.folder.clone() }
    }

    fn path(&self, frame: u32) -> PathBuf {
        self.folder.join(format!("{:05}.png", frame + 1))
    }
}

/// Whether a PNG is there to its end. Frames get their names when they are whole; a machine that went down may
/// have lost the contents all the same.
fn is_whole(path: &Path) -> bool {
    let mut end = [0; PNG_END.len()];
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-(PNG_END.len() as i64)))?;
        file.read_exact(&mut end)
    });
    read.is_ok() && end == PNG_END
}

/// Makes a folder that of the animation, with its manifest.
fn claim(folder: &Path, animation: &Animation, engine: &str, replace: bool) -> Result<(), AnimationError> {
    let asked = animation.manifest(engine);
    let refused = match (found(folder)?, manifest::read(folder)) {
        (Found::Nothing, _) => None,
        (Found::Something, Some(there)) => match manifest::compare(&there, &asked, folder) {
            Ok(()) => return Ok(()),
            Err(error) => Some(error),
        },
        (Found::Something, None) => Some(AnimationError::Foreign(folder.into())),
    };
    if let Some(error) = refused {
        if !replace {
            return Err(error);
        }
        remove_frames(folder)?;
    }
    let path = folder.join(manifest::NAME);
    Ok(Destination::open(&path, true)?.write(manifest::text(&asked).as_bytes())?)
}

enum Found {
    Nothing,
    Something,
}

/// What is in a folder, which is made where there is none.
fn found(folder: &Path) -> Result<Found, AnimationError> {
    let unwritable = |source| ExportError::Unwritable { path: folder.into(), source };
    match folder.read_dir() {
        Ok(mut entries) => Ok(if entries.next().is_none() { Found::Nothing } else { Found::Something }),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            std::fs::create_dir(folder).map_err(|source| match (source.kind(), folder.parent()) {
                (ErrorKind::NotFound, Some(parent)) => ExportError::NoDirectory(parent.into()),
                _ => unwritable(source),
            })?;
            Ok(Found::Nothing)
        }
        Err(e) if e.kind() == ErrorKind::NotADirectory => Err(AnimationError::NoFolder(folder.into())),
        Err(e) => Err(unwritable(e).into()),
    }
}

/// Removes what is named as frames are.
fn remove_frames(folder: &Path) -> Result<(), ExportError> {
    let unwritable = |source| ExportError::Unwritable { path: folder.into(), source };
    for entry in folder.read_dir().map_err(unwritable)? {
        let entry = entry.map_err(unwritable)?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".png")).unwrap_or_default();
        if number.len() == 5 && number.bytes().all(|digit| digit.is_ascii_digit()) {
            std::fs::remove_file(entry.path()).map_err(unwritable)?;
        }
    }
    Ok(())
}
