//! Documents that show what a node gets: merged values with the origin of every leaf, explanations, comparisons.
//!
//! A preview is a self-contained text, together with the places that its lines come from. It needs nothing from the engine
//! except lookups.

mod all_nodes;
mod classes;
mod compare;
mod entry;
mod explain;
mod key_cases;
mod merged;
mod page;
mod question;
#[cfg(test)]
mod tests;
mod value;

use crate::data::Place;
use crate::text::TextRange;

pub use all_nodes::{AllNodes, GroupKind, NodeGroup, all_nodes};
pub use compare::{Comparison, Counterpart, compare};
pub use explain::{Explained, Step, StepKind, explain};
pub use key_cases::{KeyCase, key_cases};
pub use merged::merged_value;
pub(in crate::ide) use page::{Mark, Page};
pub(crate) use question::NodeQuestion;
pub use question::{Question, Scope, UnknownNode};

/// A read-only document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The title of its window.
    pub title: String,
    /// The language of the text.
    pub language: Language,
    /// Lines end in `\n`.
    pub text: String,
    /// The key; `None` if there are several.
    pub key: Option<String>,
    /// The node's name; `None` if there are several.
    pub node: Option<String>,
    /// The environment's name.
    pub environment: String,
    /// Information about single lines, in order.
    pub lines: Vec<PreviewLine>,
}

/// The language of a preview's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Valid YAML: everything else is in comments.
    Yaml,
    /// A unified diff.
    Diff,
    /// Plain text.
    Plain,
}

/// One line of a preview and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLine {
    /// Its number, from 0.
    pub line: u32,
    /// Its kind.
    pub kind: LineKind,
    /// The origin of its value.
    pub place: Option<Place>,
    /// The comment that names the origin, in bytes of the line.
    pub origin: Option<TextRange>,
}

/// The kind of a line of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// The header: the node, and the merge strategy.
    Header,
    /// A value that the node gets.
    Value,
    /// A higher level hides it.
    Overridden,
    /// A higher level knocks it out.
    Removed,
    /// A level that is not evaluated here.
    Opaque,
    /// The value in another case.
    Case,
    /// Why a lookup fails.
    Error,
    /// Only on the right side of a comparison.
    Added,
    /// Only on the left side.
    Deleted,
    /// A node with a rare value.
    Outlier,
    /// A note that something is left out. The same request with `is_full` includes it.
    More,
}
