//! The one place of the library that reads the disk.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use super::disk::DiskReader;
use crate::data::{DirItem, PathKind};

/// The machine's disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

/// Texts have 32-bit offsets.
const MAX_FILE_BYTES: u64 = u32::MAX as u64;

impl DiskReader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        // Asked first because opening a named pipe would wait for a writer.
        let metadata = fs::metadata(path).map_err(|error| ruby_message(&error, path))?;
        if metadata.is_dir() {
            return Err(format!("Is a directory @ io_fread - {path}"));
        }
        if !metadata.is_file() {
            return Err(format!("Not a regular file @ rb_sysopen - {path}"));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(format!("File too large @ io_fread - {path}"));
        }
        fs::read(path).map_err(|error| ruby_message(&error, path))
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        match fs::read_dir(directory) {
            Ok(entries) => Some(entries.flatten().filter_map(|entry| dir_item(&entry)).collect()),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => None,
            Err(_) => Some(Vec::new()),
        }
    }

    fn kind(&self, path: &str) -> PathKind {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => PathKind::Directory,
            Ok(_) => PathKind::File,
            Err(_) => PathKind::Missing,
        }
    }

    fn real_path(&self, path: &str) -> Option<String> {
        fs::canonicalize(path).ok()?.into_os_string().into_string().ok()
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        let is_a_name = !name.is_empty() && !name.contains(['=', '\0']);
        is_a_name.then(|| std::env::var(name).ok()).flatten()
    }
}

/// `None` for names that are no texts, and for links that lead nowhere (or in a circle).
fn dir_item(entry: &fs::DirEntry) -> Option<DirItem> {
    let mut kind = entry.file_type().ok()?;
    if kind.is_symlink() {
        kind = fs::metadata(entry.path()).ok()?.file_type();
    }
    let name = entry.file_name().into_string().ok()?;
    Some(DirItem { name: Arc::from(name), is_directory: kind.is_dir() })
}

fn ruby_message(error: &std::io::Error, path: &str) -> String {
    let reason = match error.kind() {
        ErrorKind::NotFound => "No such file or directory",
        ErrorKind::PermissionDenied => "Permission denied",
        ErrorKind::NotADirectory => "Not a directory",
        ErrorKind::InvalidFilename => "File name too long",
        ErrorKind::InvalidInput => return "path name contains null byte".to_owned(),
        _ => return format!("{} @ rb_sysopen - {path}", without_number(&error.to_string())),
    };
    format!("{reason} @ rb_sysopen - {path}")
}

/// Rust adds ` (os error 40)` to the system's words.
fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[track_caller]
    fn check_refused(path: &str, expected: &str) {
        assert_eq!(Disk.read(path), Err(format!("{expected} - {path}")));
    }

    #[test]
    fn refusals_are_worded_as_ruby_words_them() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().to_str().expect("a path that is a text");
        fs::create_dir(directory.path().join("x.yaml")).expect("a directory");
        symlink("loop", directory.path().join("loop")).expect("a link");
        fs::write(directory.path().join("file"), "text").expect("a file");
        assert_eq!(Disk.read("/a\0b"), Err("path name contains null byte".to_owned()));
        check_refused(&format!("{root}/nope"), "No such file or directory @ rb_sysopen");
        check_refused(&format!("{root}/x.yaml"), "Is a directory @ io_fread");
        check_refused(&format!("{root}/file/x"), "Not a directory @ rb_sysopen");
        check_refused(&format!("{root}/loop"), "Too many levels of symbolic links @ rb_sysopen");
    }

    #[test]
    fn links_are_what_they_lead_to() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().to_str().expect("a path that is a text");
        fs::create_dir(directory.path().join("d")).expect("a directory");
        symlink("d", directory.path().join("to_d")).expect("a link");
        symlink("loop", directory.path().join("loop")).expect("a link");
        let mut items = Disk.list(root).expect("a readable directory");
        items.sort();
        let items: Vec<_> = items.iter().map(|it| (&*it.name, it.is_directory)).collect();
        assert_eq!(items, [("d", true), ("to_d", true)]);
    }
}
