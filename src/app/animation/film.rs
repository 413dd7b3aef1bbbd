//! Films: frames given to ffmpeg.

use std::ffi::OsString;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::AnimationError;
use crate::app::export::Destination;
use crate::render::{Latest, RenderError};

const PROGRAM: &str = "ffmpeg";
/// How often a running ffmpeg is looked at.
const POLL: Duration = Duration::from_millis(20);
/// Longest reason that is repeated of what ffmpeg says.
const MOST_REASON: usize = 400;

/// Kinds of film, by the ending of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmKind {
    /// H.264, which plays everywhere.
    Mp4,
    /// VP9, which is free.
    Webm,
}

impl FilmKind {
    /// The kind that a name asks for; none for a folder.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "mp4" => Some(Self::Mp4),
            "webm" => Some(Self::Webm),
            _ => None,
        }
    }

    fn codec(self) -> &'static [&'static str] {
        match self {
            Self::Mp4 => &["-c:v", "libx264", "-preset", "slow", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"],
            Self::Webm => &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"],
        }
    }
}

/// Whether ffmpeg is to be had.
pub fn has_ffmpeg() -> bool {
    let mut command = Command::new(PROGRAM);
    let quiet = command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Makes a film of the numbered frames in a folder.
///
/// # Errors
/// [`AnimationError`]; no film is left then, and all frames are.
pub(super) fn make(
    kind: FilmKind,
    fps: u32,
    folder: &Path,
    destination: Destination,
    latest: &Latest,
) -> Result<(), AnimationError> {
    let told = || {
        let words = arguments(kind, fps, folder, destination.path());
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let words = std::iter::once(PROGRAM).chain(words.iter().map(AsRef::as_ref));
        shlex::try_join(words).unwrap_or_else(|_| PROGRAM.into())
    };
    let failed = |reason: String| AnimationError::Ffmpeg { reason, command: told() };
    let child = Command::new(PROGRAM)
        .args(["-hide_banner", "-loglevel", "error", "-nostats", "-y"])
        .args(arguments(kind, fps, folder, destination.temporary()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let child = match child {
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(AnimationError::NoFfmpeg { command: told() }),
        child => child.map_err(|e| failed(e.to_string()))?,
    };
    wait(child, latest, &failed)?;
    Ok(destination.keep()?)
}

/// What ffmpeg is told of what is read, how it is coded, and where it goes.
///
/// Paths are whole, so that none looks like an option or a protocol; per cent signs would be numbers of frames. Colours
/// are converted and marked as those of high definition, whatever the size: players guess otherwise.
fn arguments(kind: FilmKind, fps: u32, folder: &Path, film: &Path) -> Vec<OsString> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = whole(folder).to_string_lossy().replace('%', "%%");
    let fps = fps.to_string();
    let frames = format!("{folder}/%05d.png");
    let read = ["-framerate", &fps, "-f", "image2", "-pattern_type", "sequence", "-start_number", "1", "-i", &frames];
    let colours = [
        "-vf",
        "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "iec61966-2-1",
        "-color_range",
        "tv",
    ];
    let words = read.iter().chain(&colours).chain(kind.codec()).map(OsString::from);
    words.chain([whole(film).into_os_string()]).collect()
}

fn wait(mut child: Child, latest: &Latest, failed: &dyn Fn(String) -> AnimationError) -> Result<(), AnimationError> {
    let mut stderr = child.stderr.take().expect("it is piped");
    let said = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = loop {
        if latest.is_stale() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(crate::app::export::ExportError::from(RenderError::Cancelled).into());
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(POLL),
            Err(e) => return Err(failed(e.to_string())),
        }
    };
    if status.success() {
        return Ok(());
    }
    let said = said.join().unwrap_or_default();
    let last = said.trim().lines().last().unwrap_or_default();
    let end = last.floor_char_boundary(MOST_REASON);
    Err(failed(if last.is_empty() { status.to_string() } else { last[..end].to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn films_are_told_by_their_names() {
        for (name, kind) in [
            ("a.mp4", Some(FilmKind::Mp4)),
            ("b/A.MP4", Some(FilmKind::Mp4)),
            ("a.webm", Some(FilmKind::Webm)),
            ("frames", None),
            ("a.mp4/frames", None),
            (".mp4", None),
        ] {
            assert_eq!(FilmKind::of(Path::new(name)), kind, "{name}");
        }
    }

    #[test]
    fn names_are_never_taken_for_options_protocols_or_numbers() {
        let words = arguments(FilmKind::Mp4, 25, Path::new("-a:100%.frames"), Path::new("-a:100%.mp4"));
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let read = &words[words.iter().position(|word| word == "-i").unwrap() + 1];
        assert!(Path::new(read.as_ref()).is_absolute() && read.ends_with("-a:100%%.frames/%05d.png"), "{read}");
        let film = words.last().unwrap();
        assert!(Path::new(film.as_ref()).is_absolute() && film.ends_with("-a:100%.mp4"), "{film}");
        assert!(words.join(" ").contains("-framerate 25"));
    }
}
