//! What is renamed to what, as a function of decoded texts and trees: the same for all formats, and knowing no place.

use std::sync::Arc;

use super::spelling;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::syntax::interpolation;
use crate::syntax::key_path::{self, Segment};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextEdit;
use crate::text::edit::apply_edits;

/// A new name for the last of some segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renaming {
    /// From the root key to what gets the name.
    pub(crate) path: Vec<Segment>,
    /// The name.
    pub(crate) new_name: Arc<str>,
}

/// A place that the name cannot be written at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsayable;

impl Renaming {
    /// The ways in a data file that end in a key which gets the new name.
    pub(crate) fn ways(&self) -> Vec<Vec<Segment>> {
        let mut ways = vec![self.path.clone()];
        // Options apply to root keys only.
        if let [root] = &self.path[..] {
            ways.push(vec![Segment::Name(LOOKUP_OPTIONS.into()), root.clone()]);
        }
        ways
    }

    /// The root key.
    pub(crate) fn root(&self) -> &Arc<str> {
        let name = match &self.path[0] {
            Segment::Name(name) => Some(name),
            Segment::Index(_) => None,
        };
        name.expect("only what begins with a name is renamed")
    }

    /// Whether a lookup of `key` returns the whole value of a hash in which something is renamed.
    pub(crate) fn is_within(&self, key: &str) -> bool {
        let key = segments(key);
        !key.is_empty() && key.len() < self.path.len() && self.path.starts_with(&key)
    }

    /// The edits of a decoded string after which its tokens use the new name.
    pub(crate) fn token_edits(&self, text: &str) -> Result<Vec<TextEdit>, Unsayable> {
        if !interpolation::may_have_tokens(text) {
            return Ok(Vec::new());
        }
        let tokens = interpolation::tokens(text);
        let asking = tokens.iter().filter(|token| {
            token.lookup_key().is_some_and(|(key, _)| segments(key).starts_with(&self.path))
        });
        let number = self.path.len() - 1;
        let edit =
            |token| spelling::segment_edit(text, token, number, &self.new_name).ok_or(Unsayable);
        asking.map(edit).collect()
    }

    /// Whether `new` is `old` with the new name, and nothing else is different. `ways` lead on from here.
    pub(crate) fn leads_to(&self, old: &Node, new: &Node, ways: &[&[Segment]]) -> bool {
        if old.anchor != new.anchor || old.tag != new.tag {
            return false;
        }
        match (&old.kind, &new.kind) {
            (NodeKind::Scalar { text, .. }, NodeKind::Scalar { text: new, .. }) => {
                self.renames_text(text, new)
            }
            (NodeKind::Alias(old), NodeKind::Alias(new)) => old == new,
            (NodeKind::Sequence(old), NodeKind::Sequence(new)) => {
                let lead = |(number, (old, new))| {
                    self.leads_to(old, new, &beyond(ways, &Segment::Index(number)))
                };
                old.len() == new.len() && (0..).zip(old.iter().zip(new)).all(lead)
            }
            (NodeKind::Mapping(old), NodeKind::Mapping(new)) => {
                old.len() == new.len()
                    && old.iter().zip(new).all(|(old, new)| self.leads_pair_to(old, new, ways))
            }
            _ => false,
        }
    }

    /// The same for a `key: value`.
    pub(crate) fn leads_pair_to(&self, old: &Pair, new: &Pair, ways: &[&[Segment]]) -> bool {
        let segment = key_segment(&old.key);
        let is_named = segment.as_ref().is_some_and(|it| ends_with(ways, it));
        let is_key = if is_named {
            key_segment(&new.key) == Some(Segment::Name(self.new_name.clone()))
        } else {
            self.leads_to(&old.key, &new.key, &[])
        };
        let below = segment.map_or_else(Vec::new, |segment| beyond(ways, &segment));
        is_key && self.leads_to(&old.value, &new.value, &below)
    }

    fn renames_text(&self, old: &str, new: &str) -> bool {
        match self.token_edits(old) {
            Ok(edits) if edits.is_empty() => old == new,
            Ok(edits) => apply_edits(old, &edits) == new,
            Err(Unsayable) => false,
        }
    }
}

/// A key that a token looks up, cut; empty if Puppet refuses it.
pub(crate) fn segments(key: &str) -> Vec<Segment> {
    match key_path::parse(key) {
        Ok(path) => std::iter::once(path.root).chain(path.rest).collect(),
        Err(_) => Vec::new(),
    }
}

/// The rest of the ways that start with `segment`.
pub(crate) fn beyond<'w>(ways: &[&'w [Segment]], segment: &Segment) -> Vec<&'w [Segment]> {
    let on = |way: &&'w [Segment]| match way.split_first() {
        Some((first, rest)) if first == segment && !rest.is_empty() => Some(rest),
        _ => None,
    };
    ways.iter().filter_map(on).collect()
}

/// Whether some way is nothing but `segment`.
pub(crate) fn ends_with(ways: &[&[Segment]], segment: &Segment) -> bool {
    ways.iter().any(|way| *way == std::slice::from_ref(segment))
}

/// What lookups call a key: symbols without their colon, plain numbers Integers.
pub(crate) fn key_segment(key: &Node) -> Option<Segment> {
    let NodeKind::Scalar { text, style } = &key.kind else { return None };
    if *style != ScalarStyle::Plain {
        return Some(Segment::Name(text.clone()));
    }
    match text.parse::<i64>() {
        Ok(number) => Some(Segment::Index(number)),
        Err(_) => Some(Segment::Name(text.strip_prefix(':').map_or(text.clone(), Arc::from))),
    }
}
