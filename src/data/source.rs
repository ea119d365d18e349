//! What a lookup may ask of the disk. No layer from here to the engine reads it: whoever runs them hands them these.

use std::sync::Arc;

use super::{DataFile, FileId, Format};

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// Nothing.
    Missing,
    /// A file, or a link to one.
    File,
    /// A directory, or a link to one.
    Directory,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirItem {
    /// The name, without the directory.
    pub name: Arc<str>,
    /// Whether it is a directory (or a link to one).
    pub is_directory: bool,
    /// Whether it is a link.
    pub is_link: bool,
}

/// Files as one snapshot sees them: open editors' buffers over the disk.
///
/// Paths are absolute and use `/` (on Windows `c:/…`), without `.` and `..`.
pub trait Files: Send + Sync {
    /// What lies at `path`.
    fn kind(&self, path: &str) -> PathKind;

    /// The names in a directory, sorted by their bytes, dot files included; empty if it is none.
    fn list(&self, directory: &str) -> Arc<[DirItem]>;

    /// The file's text; `Err` holds Ruby's message (`No such file or directory @ rb_sysopen - …`,
    /// `Is a directory @ io_fread - …`).
    fn text(&self, path: &str) -> Result<Arc<str>, String>;

    /// The file read as `format`; `Err` as in [`Self::text`]. The same [`DataFile`] as long as its text is the same.
    fn data(&self, path: &str, format: Format) -> Result<Arc<DataFile>, String>;

    /// A variable of the process's environment, where the level of a hierarchy asks for one.
    fn environment_variable(&self, _name: &str) -> Option<Arc<str>> {
        None
    }

    /// Says which files will be asked for, so that they can be read at the same time if that pays.
    fn expect(&self, _files: &[(&str, Format)]) {}

    /// Takes note that something at or below `path` is left out, and of what people should hear of it.
    fn left_out(&self, _path: &str, _why: String) {}

    /// The number of a path; new paths get new numbers, the same for the life of the process.
    fn id(&self, path: &str) -> FileId;

    /// The path of a number that [`Self::id`] gave.
    fn path(&self, file: FileId) -> Arc<str>;
}
