//! Edits of several files with labels, so that editors can show them in groups.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::edits::once_for_each_file;
use crate::text::TextEdit;
use crate::world::World;

/// The edits, and what the user should know before they are applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelledEdits {
    /// The files, sorted by path.
    pub files: Vec<LabelledFile>,
    /// What the edit leaves out, or changes in addition to the request, as sentences.
    pub warnings: Vec<String>,
}

impl LabelledEdits {
    /// The edits of files of which several may be one file, behind links.
    pub(super) fn of_files(
        world: &World,
        files: impl IntoIterator<Item = (Arc<str>, Vec<LabelledEdit>)>,
        warnings: BTreeSet<String>,
    ) -> Self {
        let mut files = once_for_each_file(world, files);
        files.sort_unstable_keys();
        let files = files.into_iter().map(|(path, edits)| LabelledFile { path, edits }).collect();
        Self { files, warnings: warnings.into_iter().collect() }
    }
}

/// The edits of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledFile {
    /// The file.
    pub path: Arc<str>,
    /// The edits of the file's current text, sorted, without overlaps.
    pub edits: Vec<LabelledEdit>,
}

/// An edit and its label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelledEdit {
    /// The edit.
    pub edit: TextEdit,
    /// The label.
    pub label: EditLabel,
}

/// The purpose of an edit: editors that preview edits group them by it.
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
