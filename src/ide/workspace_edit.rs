//! Changes to the files of the workspace that a feature proposes, as plain data. Nothing is written here.

use std::sync::Arc;

use crate::text::TextEdit;

/// What is to be changed, and what the user should know before it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceEdit {
    /// The changes, sorted by path.
    pub changes: Vec<FileChange>,
    /// What the edit leaves out, or changes beyond what was asked for: sentences.
    pub warnings: Vec<String>,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Its text changes.
    Edit {
        /// The file.
        path: Arc<str>,
        /// The edits, all of them of the file's text now, sorted, none into another.
        edits: Vec<LabelledEdit>,
    },
    /// It is made.
    Create {
        /// Where nothing is yet.
        path: Arc<str>,
        /// What it holds.
        text: String,
    },
}

/// An edit and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelledEdit {
    /// The edit.
    pub edit: TextEdit,
    /// What it is for.
    pub label: EditLabel,
}

/// What an edit is for: editors that preview edits group them by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditLabel {
    /// A key of the data.
    Key,
    /// A `%{…}`.
    Interpolation,
    /// An entry of `lookup_options`.
    LookupOption,
    /// A path in `hiera.yaml`.
    HieraYaml,
    /// A value of the data.
    Value,
}

impl EditLabel {
    /// The group's name.
    pub fn text(self) -> &'static str {
        match self {
            Self::Key => "Keys",
            Self::Interpolation => "Interpolations",
            Self::LookupOption => "Lookup options",
            Self::HieraYaml => "Paths in hiera.yaml",
            Self::Value => "Values",
        }
    }
}

impl FileChange {
    /// The file.
    pub fn path(&self) -> &Arc<str> {
        match self {
            Self::Edit { path, .. } | Self::Create { path, .. } => path,
        }
    }
}
