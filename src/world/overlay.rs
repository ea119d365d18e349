//! The texts of open editors, which hide the content on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::file_entry::FileEntry;
use super::paths;
use crate::data::{DirItem, PathKind};

/// Open files by path, and the directories that exist if these files do. There are few, so a change copies the map.
#[derive(Debug, Clone, Default)]
pub(super) struct Overlay {
    files: BTreeMap<Arc<str>, OpenFile>,
    directories: BTreeMap<String, Arc<BTreeSet<DirItem>>>,
}

/// A file that is open in an editor.
#[derive(Debug, Clone)]
pub struct OpenFile {
    /// The current text in the editor.
    pub entry: Arc<FileEntry>,
    /// The editor's version number of this text.
    pub version: i32,
    /// The path by which the editor has opened the file, if it is another one: a link leads from one path to the other.
    pub(super) opened_as: Option<Arc<str>>,
}

impl Overlay {
    pub(super) fn get(&self, path: &str) -> Option<&OpenFile> {
        self.files.get(path)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OpenFile> {
        self.files.values()
    }

    pub(super) fn kind(&self, path: &str) -> PathKind {
        if self.files.contains_key(path) {
            PathKind::File
        } else if self.directories.contains_key(path) {
            PathKind::Directory
        } else {
            PathKind::Missing
        }
    }

    /// `listed`, and the names in `directory` that only open files have.
    pub(super) fn list(&self, directory: &str, listed: Arc<[DirItem]>) -> Arc<[DirItem]> {
        let Some(opened) = self.directories.get(directory) else {
            return listed;
        };
        let is_new = |item: &&DirItem| super::disk::find(&listed, &item.name).is_none();
        let new: Vec<DirItem> = opened.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return listed;
        }
        let mut items = [&*listed, &new].concat();
        items.sort_unstable();
        items.into()
    }

    /// The overlay with one more file, or the same file with another text.
    pub(super) fn with(&self, file: OpenFile) -> Self {
        let mut files = self.files.clone();
        let path = file.entry.path.clone();
        // The same files make the same directories. This is what happens at each keystroke.
        if files.insert(path, file).is_some() {
            return Self { files, directories: self.directories.clone() };
        }
        Self { directories: directories_of(&files), files }
    }

    /// The overlay without the file, at each of its paths.
    pub(super) fn without(&self, path: &str) -> Self {
        let mut files = self.files.clone();
        files.remove(path);
        files.retain(|_, file| file.opened_as.as_deref() != Some(path));
        Self { directories: directories_of(&files), files }
    }
}

fn directories_of(
    files: &BTreeMap<Arc<str>, OpenFile>,
) -> BTreeMap<String, Arc<BTreeSet<DirItem>>> {
    let mut directories: BTreeMap<String, BTreeSet<DirItem>> = BTreeMap::new();
    for path in files.keys() {
        let mut item =
            DirItem { name: paths::file_name(path).into(), is_directory: false, is_link: false };
        // A file that was never saved may be in directories that do not exist on the disk either.
        for directory in paths::ancestors(path) {
            let name = paths::file_name(directory).into();
            directories.entry(directory.to_owned()).or_default().insert(item);
            item = DirItem { name, is_directory: true, is_link: false };
        }
    }
    directories.into_iter().map(|(path, items)| (path, Arc::new(items))).collect()
}
