//! What a feature would change: edits of files, as plain data. Nothing here is done to a file.

use std::sync::Arc;

use crate::text::TextEdit;

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file.
    pub path: Arc<str>,
    /// What happens to it.
    pub change: FileChange,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Replacements in its text, all in bytes of the text as it is.
    Edit(Vec<TextEdit>),
    /// The file is made, with this text. It must not be there yet.
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
