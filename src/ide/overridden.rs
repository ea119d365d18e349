//! What is written in a file and does not count for the active node: hidden by a higher level, or merged away.

use std::sync::Arc;

use super::context::LOOKUP_OPTIONS;
use super::hover::markdown::Part;
use super::perspective::Perspective;
use super::places::{self, KeyPlace};
use super::sources;
use crate::data::{EntryTree, FileId, Hash, Located, Place};
use crate::engine::{AppliedOptions, CancelToken, Request};
use crate::syntax::interpolation::may_have_tokens;
use crate::syntax::key_path::{KeyPath, Segment};
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::TextRange;

/// A root key of a file that several levels have, this file among them.
pub(crate) struct SharedKey {
    /// Everything that has it, the highest priority first.
    pub(crate) places: Vec<KeyPlace>,
    /// What each place does for the answer.
    pub(crate) parts: Vec<Option<Part>>,
    /// The options that are set for it.
    pub(crate) options: Option<AppliedOptions>,
    /// The value that the node gets.
    pub(crate) result: Option<Located>,
}

/// A key whose value here does not count.
#[derive(Debug, Clone)]
pub(crate) struct Overridden {
    /// The key, in bytes of the file.
    pub(crate) key: TextRange,
    /// The value.
    pub(crate) value: TextRange,
    /// Whether the value is a scalar.
    pub(crate) is_scalar: bool,
    /// What counts instead; `None` if nothing does.
    pub(crate) winner: Option<Located>,
    /// Where that is written.
    pub(crate) winner_place: Option<Place>,
}

/// Who else has the root key of an entry of the file at `path`. `None` if nobody, or the active node does not read it.
pub(crate) fn shared_key(
    perspective: &Perspective,
    path: &str,
    entry: EntryTree<'_>,
    cancel: &CancelToken,
) -> Option<SharedKey> {
    let NodeKind::Scalar { text, .. } = &entry.key.kind else { return None };
    if matches!(&**text, LOOKUP_OPTIONS | "<<") {
        return None;
    }
    let evaluator = &perspective.evaluator;
    let key = KeyPath { root: Segment::Name(text.clone()), rest: Vec::new() };
    let places = places::places(evaluator, &key);
    if places.len() < 2 || !places.iter().any(|place| &*place.path == path) {
        return None;
    }
    let options = evaluator.options_for(text).ok().flatten();
    let name = super::context::lookup_key([&key.root].into_iter())?;
    let request = Request { cancel: cancel.clone(), ..Request::key(name) };
    let result = evaluator.call(&request).outcome.ok().flatten();
    let is_first = sources::takes_first(options.as_ref());
    let parts = sources::parts(&places, is_first, result.as_ref());
    Some(SharedKey { places, parts, options, result })
}

impl SharedKey {
    /// The place that wins over the file at `path`, if none of its own has a part in the answer.
    pub(crate) fn winner_over(&self, path: &str) -> Option<&KeyPlace> {
        let counts = |part: &Option<Part>| part.is_some_and(sources::counts);
        let mut both = self.places.iter().zip(&self.parts);
        if both.clone().any(|(place, part)| &*place.path == path && counts(part)) {
            return None;
        }
        both.find(|(_, part)| counts(part)).map(|(place, _)| place)
    }

    /// How many hierarchy levels have the key.
    pub(crate) fn levels(&self) -> usize {
        let mut levels: Vec<_> = self
            .places
            .iter()
            .map(|place| (place.layer as u8, &place.module, place.is_default, place.level_place))
            .collect();
        levels.sort_unstable();
        levels.dedup();
        levels.len()
    }

    /// What of the entry does not count.
    pub(crate) fn overridden(&self, path: &str, entry: EntryTree<'_>) -> Vec<Overridden> {
        if let Some(winner) = self.winner_over(path) {
            return vec![Overridden {
                key: entry.key.range.shifted(entry.start),
                value: entry.value.range.shifted(entry.start),
                is_scalar: is_scalar(entry.value),
                winner: self.result.clone(),
                winner_place: winner.key_place,
            }];
        }
        if sources::takes_first(self.options.as_ref()) {
            return Vec::new();
        }
        let file = self.places.iter().find(|place| &*place.path == path);
        let Some(file) = file.map(|place| place.root_key_place.file) else { return Vec::new() };
        let mut search = Search { file, start: entry.start, found: Vec::new() };
        if let (NodeKind::Mapping(pairs), Some(Located { value, .. })) =
            (&entry.value.kind, &self.result)
            && let Some(merged) = value.as_hash()
        {
            search.members(pairs, merged);
        }
        search.found
    }
}

fn is_scalar(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Scalar { .. })
}

struct Search {
    file: FileId,
    start: u32,
    found: Vec<Overridden>,
}

impl Search {
    fn members(&mut self, pairs: &[Pair], merged: &Hash) {
        for pair in pairs {
            let NodeKind::Scalar { text, .. } = &pair.key.kind else { continue };
            if &**text == "<<" || may_have_tokens(text) {
                continue;
            }
            self.member(pair, text, merged);
        }
    }

    fn member(&mut self, pair: &Pair, name: &Arc<str>, merged: &Hash) {
        let own = Place { file: self.file, range: pair.value.range.shifted(self.start) };
        let Some(member) = merged.get(name) else {
            // A number or the like as a key is merged under another name.
            return;
        };
        match (&pair.value.kind, member.value.place) {
            // What is interpolated or an alias may stand for something that is written elsewhere.
            (NodeKind::Alias(_), _) => {}
            (NodeKind::Scalar { text, .. }, _) if may_have_tokens(text) => {}
            (_, Some(place)) if place == own => {}
            (_, Some(place)) => self.found.push(Overridden {
                key: pair.key.range.shifted(self.start),
                value: own.range,
                is_scalar: is_scalar(&pair.value),
                winner: Some(member.value.clone()),
                winner_place: Some(place),
            }),
            (NodeKind::Mapping(pairs), None) => {
                if let Some(merged) = member.value.value.as_hash() {
                    self.members(pairs, merged);
                }
            }
            _ => {}
        }
    }
}
