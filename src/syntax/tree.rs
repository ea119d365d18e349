//! The format-neutral tree of a data file: every key and value with its byte range, without types and meaning, which `data`
//! adds.

use std::sync::Arc;

use crate::text::TextRange;

/// One node of a YAML, JSON or HOCON text.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// From the first to the last byte of the node, quotes and brackets included, properties (tag, anchor) excluded.
    /// Relative to the text that was parsed (for an entry: the entry's first byte).
    pub range: TextRange,
    /// The resolved YAML tag, such as `tag:yaml.org,2002:binary` or `!ruby/regexp`.
    pub tag: Option<Arc<str>>,
    /// The YAML anchor's name, without `&`.
    pub anchor: Option<Arc<str>>,
    /// The content.
    pub kind: NodeKind,
}

/// The shape of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A single value; `text` is decoded (escapes, folding, quotes removed).
    Scalar {
        /// The decoded text.
        text: Arc<str>,
        /// How it was written.
        style: ScalarStyle,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Pairs in source order, duplicates included.
    Mapping(Vec<Pair>),
    /// A YAML alias (`*name`), without `*`.
    Alias(Arc<str>),
}

/// One `key: value` of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The key; any node in YAML, a double-quoted scalar in JSON.
    pub key: Node,
    /// The value; an empty plain scalar if nothing is written.
    pub value: Node,
}

/// How a scalar is written. Only plain scalars get their type from their text.
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
    /// The message of Puppet's reader, without file and position (libyaml: problem and context in one sentence).
    pub message: String,
    /// The range in the text that was parsed.
    pub range: TextRange,
}
