//! The format-neutral tree of a data file: every key and value with its byte range. No types, no meaning: `data`
//! gives those.

use std::sync::Arc;

use crate::text::TextRange;

/// One node of a YAML, JSON or HOCON text.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// From the first to the last byte of the node, quotes and brackets included, properties (tag, anchor) excluded.
    /// Relative to the text that was parsed (for an entry: the entry's first byte).
    pub range: TextRange,
    /// The YAML tag as it resolves, e.g. `tag:yaml.org,2002:binary` or `!ruby/regexp`.
    pub tag: Option<Arc<str>>,
    /// The YAML anchor's name, without `&`.
    pub anchor: Option<Arc<str>>,
    /// What it is.
    pub kind: NodeKind,
}

/// The shape of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A single value; `text` is decoded (escapes, folding, quotes taken away).
    Scalar {
        /// The decoded text.
        text: Arc<str>,
        /// How it was written.
        style: ScalarStyle,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Pairs in the order of the text, duplicates included.
    Mapping(Vec<Pair>),
    /// A YAML alias (`*name`), without `*`.
    Alias(Arc<str>),
}

/// One `key: value` of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The key; any node in YAML, a double-quoted scalar in JSON.
    pub key: Node,
    /// The value; an empty plain scalar where nothing is written.
    pub value: Node,
}

/// How a scalar was written: only plain ones get a type by their looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarStyle {
    /// No quotes (in JSON: numbers and the three words).
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// A text that its format forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What Puppet's reader says, without file and place (libyaml: problem and context in one sentence).
    pub message: String,
    /// Where: relative to the text that was parsed.
    pub range: TextRange,
}
