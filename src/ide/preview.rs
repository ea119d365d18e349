//! Documents that show what a node gets: merged values with the origin of every leaf, explanations, comparisons.
//!
//! A preview is text that reads well alone, and beside it the places that its lines come from. Nothing here asks more of
//! the engine than a lookup does.

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
pub(crate) use question::Asked;
pub use question::{Question, Scope, UnknownNode};

/// A document to be shown read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// For a window's title.
    pub title: String,
    /// What the text is.
    pub language: Language,
    /// Lines end in `\n`.
    pub text: String,
    /// The key as it was understood; `None` where many are asked for.
    pub key: Option<String>,
    /// The node's name; `None` where many are asked for.
    pub node: Option<String>,
    /// The environment's name.
    pub environment: String,
    /// What there is to say about single lines, in order.
    pub lines: Vec<PreviewLine>,
}

/// What a preview's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// YAML that a parser reads: everything else is in comments.
    Yaml,
    /// A unified diff.
    Diff,
    /// Neither.
    Plain,
}

/// One line of a preview and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLine {
    /// Its number, from 0.
    pub line: u32,
    /// What it is.
    pub kind: LineKind,
    /// Where it comes from.
    pub place: Option<Place>,
    /// The comment that names the origin, in bytes of the line.
    pub origin: Option<TextRange>,
}

/// What a line of a preview is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Says whose value it is, and by which strategy.
    Header,
    /// Counts.
    Value,
    /// A higher level hides it.
    Overridden,
    /// A higher level knocks it out.
    Removed,
    /// A level that is not evaluated here.
    Opaque,
    /// What the value is in another case.
    Case,
    /// Why a lookup fails.
    Error,
    /// Only on the right side of a comparison.
    Added,
    /// Only on the left side.
    Deleted,
    /// A node whose value few share.
    Outlier,
    /// Says that something is left out: the same question, asked with `is_full`, tells it.
    More,
}
