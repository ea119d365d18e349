//! Edits of files as plain data. Nothing here changes a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::text::TextEdit;
use crate::world::World;

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file.
    pub path: Arc<str>,
    /// The change.
    pub change: FileChange,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Replacements in its text, all in bytes of the current text.
    Edit(Vec<TextEdit>),
    /// Creates the file with this text. It must not exist yet.
    Create(String),
}

impl FileEdit {
    /// Replacements in the text of the file at `path`.
    pub fn new(path: impl Into<Arc<str>>, edits: Vec<TextEdit>) -> Self {
        Self { path: path.into(), change: FileChange::Edit(edits) }
    }

    /// A new file.
    pub fn create(path: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self { path: path.into(), change: FileChange::Create(text.into()) }
    }
}

/// The edits of each file, at the path by which it is open in an editor. The same file may come with several paths, by links, and
/// must not be edited twice.
pub(super) fn once_for_each_file<E: Ord>(
    world: &World,
    files: impl IntoIterator<Item = (Arc<str>, Vec<E>)>,
) -> IndexMap<Arc<str>, Vec<E>> {
    let mut paths: BTreeMap<String, Arc<str>> = BTreeMap::new();
    let mut all: IndexMap<Arc<str>, Vec<E>> = IndexMap::new();
    for (path, edits) in files.into_iter().filter(|(_, edits)| !edits.is_empty()) {
        let first = paths.entry(world.real_path(&path)).or_insert_with(|| world.edited_as(&path));
        match all.get_mut(first) {
            Some(known) => {
                known.extend(edits);
                known.sort_unstable();
                known.dedup();
            }
            None => {
                all.insert(first.clone(), edits);
            }
        }
    }
    all
}
