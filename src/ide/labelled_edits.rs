//! Edits of many files that say what each of them is for, so that editors can show them in groups.

use std::sync::Arc;

use crate::text::TextEdit;

/// What is to be changed, and what the user should know before it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelledEdits {
    /// The files, sorted by path.
    pub files: Vec<LabelledFile>,
    /// What the edit leaves out, or changes beyond what was asked for: sentences.
    pub warnings: Vec<String>,
}

/// The edits of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledFile {
    /// The file.
    pub path: Arc<str>,
    /// The edits, all of them of the file's text now, sorted, none into another.
    pub edits: Vec<LabelledEdit>,
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
    /// A name in Puppet code.
    Code,
}

impl EditLabel {
    /// The group's name.
    pub fn text(self) -> &'static str {
        match self {
            Self::Key => "Keys",
            Self::Interpolation => "Interpolations",
            Self::LookupOption => "Lookup options",
            Self::HieraYaml => "Paths in hiera.yaml",
            Self::Code => "Puppet code",
        }
    }
}
