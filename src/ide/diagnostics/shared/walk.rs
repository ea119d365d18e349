//! Walks through the tree of an entry, for rules.

use std::sync::Arc;

use crate::data::scalar::{self, ScalarError};
use crate::data::{Format, Value, inspect};
use crate::ide::diagnostics::EntryContext;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::syntax::interpolation;
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};

/// A scalar without quotes that may be something other than a string.
#[derive(Debug)]
pub(crate) struct PlainScalar<'a> {
    /// The scalar.
    pub node: &'a Node,
    /// Its text.
    pub text: &'a Arc<str>,
    /// Whether it is a hash's key.
    pub is_key: bool,
    /// What Puppet reads.
    pub value: Result<Value, ScalarError>,
}

impl PlainScalar<'_> {
    /// The fix that makes it a string. There is none for a root key, because it would become another key.
    pub(crate) fn as_text(&self, entry: &EntryContext<'_>) -> Option<Fix> {
        let (title, quoted) = ("Put quotes around it: a string", quote(self.node.range, self.text));
        // Another key that gets the same value by an alias may need the number.
        let fix = if self.node.anchor.is_some() { Fix::by_hand } else { Fix::changing };
        (!entry.is_root_key(self.node)).then(|| fix(title, vec![quoted]))
    }
}

/// The plain scalars that are numbers, with what Puppet writes for each.
pub(crate) fn numbers<'e, 'a>(
    entry: &'e EntryContext<'a>,
) -> impl Iterator<Item = (&'e PlainScalar<'a>, String)> {
    entry.plain.iter().filter_map(|plain| match &plain.value {
        Ok(value @ (Value::Integer(_) | Value::BigInteger(_) | Value::Float(_))) => {
            Some((plain, inspect::to_s(value)))
        }
        _ => None,
    })
}

/// The plain scalars of a YAML entry that may be something other than strings.
pub(crate) fn plain_scalars<'a>(
    format: Format,
    key: &'a Node,
    value: &'a Node,
) -> Vec<PlainScalar<'a>> {
    let mut found = Vec::new();
    if format != Format::Yaml {
        return found;
    }
    let mut waiting = vec![(value, false), (key, true)];
    while let Some((node, is_key)) = waiting.pop() {
        match &node.kind {
            // With a tag, the text alone does not determine the type.
            NodeKind::Scalar { text, style: ScalarStyle::Plain }
                if node.tag.is_none() && may_be_typed(text) =>
            {
                found.push(PlainScalar { node, text, is_key, value: scalar::by_looks(text) });
            }
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev().map(|it| (it, false))),
            NodeKind::Mapping(pairs) => {
                // The last one that is pushed is the first one that is taken, so the order is reversed.
                for pair in pairs.iter().rev() {
                    waiting.push((&pair.value, false));
                    waiting.push((&pair.key, true));
                }
            }
            _ => {}
        }
    }
    found
}

/// The first character shows numbers, dates and symbols; the length shows `yes`, `null` and the like.
fn may_be_typed(text: &str) -> bool {
    text.bytes().next().is_none_or(|first| first.is_ascii_digit() || b"+-.:~".contains(&first))
        || text.len() <= 5
}

/// The hashes in the value of an entry, including the value itself.
pub(crate) fn mappings<'a>(entry: &EntryContext<'a>) -> Vec<&'a [Pair]> {
    let mut found = Vec::new();
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => {
                found.push(&**pairs);
                waiting.extend(pairs.iter().rev().map(|pair| &pair.value));
            }
            _ => {}
        }
    }
    found
}

/// Whether a hash has the key.
pub(crate) fn has_key(pairs: &[Pair], key: &str) -> bool {
    pairs.iter().any(|pair| text_of(&pair.key).is_some_and(|it| **it == *key))
}

/// A scalar's text.
pub(crate) fn text_of(node: &Node) -> Option<&Arc<str>> {
    match &node.kind {
        NodeKind::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// Whether a `<<` with this value merges something: an alias, a hash, or a list of these.
pub(crate) fn merges(value: &Node) -> bool {
    match &value.kind {
        NodeKind::Alias(_) | NodeKind::Mapping(_) => true,
        NodeKind::Sequence(items) => items.iter().all(merges),
        NodeKind::Scalar { .. } => false,
    }
}

/// The pairs of a hash; anything else has none.
pub(crate) fn pairs_of(node: &Node) -> &[Pair] {
    match &node.kind {
        NodeKind::Mapping(pairs) => pairs,
        _ => &[],
    }
}

/// The patterns in `lookup_options` that are written literally, with their keys.
pub(crate) fn option_patterns<'e>(
    entry: &'e EntryContext<'_>,
) -> impl Iterator<Item = (&'e Node, &'e str)> {
    option_entries(entry).iter().filter_map(|pair| {
        let text = text_of(&pair.key).filter(|key| key.starts_with('^'))?;
        (!interpolation::may_have_tokens(text)).then_some((&pair.key, &**text))
    })
}

/// The names of the lookup options.
pub(crate) const OPTIONS: [&str; 2] = ["merge", "convert_to"];

/// Whether an entry of `lookup_options` was meant to be indented below the one with the returned number: it has the name of an
/// option, and that one has no options.
pub(crate) fn meant_below(entries: &[Pair], number: usize) -> Option<usize> {
    let is_option = |pair: &Pair| text_of(&pair.key).is_some_and(|it| OPTIONS.contains(&&**it));
    // Each option can be there once.
    let first = number.saturating_sub(OPTIONS.len());
    let above = first + entries[first..number].iter().rposition(|pair| !is_option(pair))?;
    let is_empty = entries[above].value.range.is_empty();
    (is_option(&entries[number]) && is_empty).then_some(above)
}

/// The entries of `lookup_options`: keys or patterns with their options. Other entries have none.
pub(crate) fn option_entries<'e>(entry: &'e EntryContext<'_>) -> &'e [Pair] {
    entry.options.as_ref().map_or(&[], |options| pairs_of(&options.value))
}
