//! Edits of files as plain data. Nothing here changes a file.

use std::sync::Arc;

use crate::text::TextEdit;

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
