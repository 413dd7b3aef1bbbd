//! Where a file will be: looked at before the work, renamed into place after it.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::ExportError;

/// A name that can be written to, and a temporary file beside it that vanishes unless kept.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    replace: bool,
    file: NamedTempFile,
}

impl Destination {
    /// Looks whether `path` can become a file; one that is there already needs `replace`.
    ///
    /// # Errors
    /// [`ExportError`] names the path and what is in the way.
    pub fn open(path: &Path, replace: bool) -> Result<Self, ExportError> {
        let no_name = path.file_name().is_none() || path.as_os_str().to_string_lossy().ends_with('/');
        if path.is_dir() || no_name {
            return Err(ExportError::Directory(path.into()));
        }
        let folder = folder_of(path);
        let unwritable = |source| ExportError::Unwritable { path: path.into(), source };
        match folder.metadata() {
            Ok(found) if found.is_dir() => {}
            Err(e) if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(unwritable(e));
            }
            _ => return Err(ExportError::NoDirectory(folder.into())),
        }
        match path.symlink_metadata() {
            // Devices and pipes, and links to them, are not ours to rename a picture over.
            Ok(_) if path.metadata().is_ok_and(|found| !found.is_file()) => {
                return Err(ExportError::Special(path.into()));
            }
            Ok(_) if !replace => return Err(ExportError::Exists(path.into())),
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            // A name that is too long, say.
            Err(e) => return Err(unwritable(e)),
        }
        let file = new_file_in(folder).map_err(unwritable)?;
        Ok(Self { path: path.into(), replace, file })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it will be.
    pub fn folder(&self) -> &Path {
        folder_of(&self.path)
    }

    /// Writes all of the file at once, and renames it into place.
    ///
    /// # Errors
    /// [`ExportError`]; no file is left then.
    pub fn write(mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.file
            .as_file_mut()
            .write_all(bytes)
            .map_err(|source| ExportError::Write { path: self.path.clone(), source })?;
        self.keep()
    }

    /// Where the temporary file is: other programs can write it.
    pub(in crate::app) fn temporary(&self) -> &Path {
        self.file.path()
    }

    /// The temporary file.
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Renames the temporary file into place.
    ///
    /// # Errors
    /// [`ExportError`]; no file is left then.
    pub fn keep(self) -> Result<(), ExportError> {
        let kept = if self.replace { self.file.persist(&self.path) } else { self.file.persist_noclobber(&self.path) };
        match kept {
            Ok(_) => Ok(()),
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Err(ExportError::Exists(self.path)),
            Err(e) => Err(ExportError::Write { path: self.path, source: e.error }),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A temporary file with the permissions of an ordinary new file.
fn new_file_in(folder: &Path) -> io::Result<NamedTempFile> {
    // The crate's message names the temporary path, which means nothing to a user: the system's own is kept aside.
    let mut code = None;
    let new = |path: &Path| File::create_new(path).inspect_err(|e| code = e.raw_os_error());
    let made = tempfile::Builder::new().prefix(".cardioid-").suffix(".part").make_in(folder, new);
    made.map_err(|e| code.map_or_else(|| e.kind().into(), io::Error::from_raw_os_error))
}

/// The path itself, or `name-1.png`, `name-2.png` …: the first that is not there yet.
pub fn unused_name(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    let numbered = (1..).map(|n| path.with_file_name(format!("{stem}-{n}{ending}")));
    std::iter::once(path.to_owned())
        .chain(numbered)
        .find(|path| path.symlink_metadata().is_err())
        .expect("some number is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_get_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.b.png");
        assert_eq!(unused_name(&path), path);
        std::fs::write(&path, "").unwrap();
        std::fs::write(folder.path().join("a.b-1.png"), "").unwrap();
        assert_eq!(unused_name(&path), folder.path().join("a.b-2.png"));
    }

    #[test]
    fn files_are_replaced_only_when_told_and_never_half() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        std::fs::write(&path, "old").unwrap();
        assert!(matches!(Destination::open(&path, false), Err(ExportError::Exists(_))));
        drop(Destination::open(&path, true).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        Destination::open(&path, true).unwrap().keep().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn messages_do_not_name_the_temporary_file() {
        let error = Destination::open(Path::new("/proc/x.png"), false).unwrap_err().to_string();
        assert!(error.contains("os error") && !error.contains(".part"), "{error}");
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let destination = Destination::open(&path, false).unwrap();
        std::fs::write(&path, "theirs").unwrap();
        assert!(matches!(destination.keep(), Err(ExportError::Exists(_))));
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    }
}
