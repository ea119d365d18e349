//! What a lookup may read from disk. The layers from here to the engine never access the disk themselves; their callers pass
//! in an implementation of these traits.

use std::sync::Arc;

use super::{DataFile, FileId, Format, may_have_key};

/// The kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// It does not exist.
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

/// A name in a directory that [`Files::list`] leaves out, because nothing can be read there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OddItem {
    /// The name; bytes that are not UTF-8 are replaced.
    pub name: Arc<str>,
    /// Why it is left out.
    pub oddity: Oddity,
}

/// Why a name in a directory is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// It is a link that leads nowhere, or back to itself.
    BrokenLink,
    /// The name is not UTF-8.
    NotUtf8,
}

/// Where a file is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidUtf8 {
    /// The offset of the first such byte, on the disk and in the text.
    pub at: u32,
    /// The first bytes from there on.
    pub bytes: Vec<u8>,
}

/// Files as one snapshot sees them: open editors' buffers over the disk.
///
/// Paths are absolute and use `/` (on Windows `c:/…`), without `.` and `..`.
pub trait Files: Send + Sync {
    /// The kind of `path`.
    fn kind(&self, path: &str) -> PathKind;

    /// The names in a directory, sorted by their bytes, including dot files; empty if it is not a directory.
    fn list(&self, directory: &str) -> Arc<[DirItem]>;

    /// The names in a directory that [`Self::list`] leaves out, sorted.
    fn odd_items(&self, _directory: &str) -> Arc<[OddItem]> {
        Arc::default()
    }

    /// Where the directory at `path` is, which is a link; `None` if that is not known.
    fn target_of_link(&self, _path: &str) -> Option<String> {
        None
    }

    /// The file's text; `Err` contains Ruby's message (`No such file or directory @ rb_sysopen - …`, `Is a directory @
    /// io_fread - …`).
    fn text(&self, path: &str) -> Result<Arc<str>, String>;

    /// The file parsed as `format`; `Err` as in [`Self::text`]. While its text stays the same, the result is the same
    /// [`DataFile`].
    fn data(&self, path: &str, format: Format) -> Result<Arc<DataFile>, String>;

    /// Where the file at `path` is not UTF-8; `None` also if it cannot be read. [`Self::text`] replaces such bytes.
    fn invalid_utf8(&self, _path: &str) -> Option<InvalidUtf8> {
        None
    }

    /// An environment variable of the process, for levels of a hierarchy that read one.
    fn environment_variable(&self, _name: &str) -> Option<Arc<str>> {
        None
    }

    /// Whether each of many files may have a root key; `false` is certain. A file that cannot be read may have it.
    fn may_have(&self, files: &[(&str, Format)], key: &str) -> Vec<bool> {
        let may_have = |(path, format): &(&str, Format)| {
            let file = self.data(path, *format);
            file.map_or(true, |file| may_have_key(file.text().as_bytes(), *format, key))
        };
        files.iter().map(may_have).collect()
    }

    /// Announces which files will be read, so that they can be read in parallel if that is faster.
    fn expect(&self, _files: &[(&str, Format)]) {}

    /// Records that something at or below `path` is left out, with the reason to show to users.
    fn left_out(&self, _path: &str, _why: String) {}

    /// The number of a path. New paths get new numbers, which stay the same for the life of the process.
    fn id(&self, path: &str) -> FileId;

    /// The path of a number returned by [`Self::id`].
    fn path(&self, file: FileId) -> Arc<str>;
}
