//! Values in a file that the active node does not get: they are hidden by a higher level, or merged away.

use std::sync::Arc;

use super::context::LOOKUP_OPTIONS;
use super::perspective::Perspective;
use crate::data::{EntryTree, FileId, Hash, Located, Place};
use crate::engine::{Answer, CancelToken, Footprint, Source, UsedMerge};
use crate::syntax::interpolation::may_have_tokens;
use crate::syntax::key_path::Segment;
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::TextRange;

/// A root key that this file and others have.
pub(crate) struct SharedKey {
    /// All its sources in any case, the highest priority first.
    pub(crate) sources: Vec<Source>,
    /// The result of its lookup.
    pub(crate) answer: Arc<Answer>,
}

/// A key whose value in this file is overridden.
#[derive(Debug, Clone)]
pub(crate) struct Overridden {
    /// The key, in bytes from the start of the entry.
    pub(crate) key: TextRange,
    /// The value, in bytes from the start of the entry.
    pub(crate) value: TextRange,
    /// Whether the value is a scalar.
    pub(crate) is_scalar: bool,
    /// The value that is used instead; `None` if there is none.
    pub(crate) winner: Option<Located>,
    /// Where that is written.
    pub(crate) winner_place: Option<Place>,
}

/// The other sources of the root key of an entry of the file at `path`, and the root keys that were read to find them (`None`
/// if that can be any). There is no shared key if no other file has it, or the active node does not read this file.
pub(crate) fn shared_key(
    perspective: &Perspective,
    path: &str,
    entry: EntryTree<'_>,
    cancel: &CancelToken,
) -> (Option<SharedKey>, Option<Box<[u64]>>) {
    let Some(name) = looked_up(entry) else { return (None, Some(Box::default())) };
    let answer = perspective.answer_until(&name, cancel);
    let roots = answer.footprint.as_ref().and_then(Footprint::roots);
    let mut sources = answer.sources_of_all_cases();
    sources.retain(|source| source.written.is_some());
    let is_shared = sources.len() > 1 && sources.iter().any(|source| &*source.path == path);
    (is_shared.then_some(SharedKey { sources, answer }), roots)
}

/// The root key of an entry in the form in which it is looked up.
fn looked_up(entry: EntryTree<'_>) -> Option<String> {
    let NodeKind::Scalar { text, .. } = &entry.key.kind else { return None };
    if matches!(&**text, LOOKUP_OPTIONS | "<<") {
        return None;
    }
    super::context::lookup_key([&Segment::Name(text.clone())].into_iter())
}

impl SharedKey {
    /// The source that wins over the file at `path`, if the file certainly has no part in the answer.
    pub(crate) fn winner_over(&self, path: &str) -> Option<&Source> {
        if !self.answer.is_certain()
            || self.sources.iter().any(|source| &*source.path == path && source.counts())
        {
            return None;
        }
        self.sources.iter().find(|source| source.counts())
    }

    /// Whether the lookup returns the first value found.
    pub(crate) fn takes_first(&self) -> bool {
        self.answer.merge.as_deref().is_none_or(UsedMerge::is_first_found)
    }

    /// The value, if it is certain.
    pub(crate) fn result(&self) -> Option<&Located> {
        self.answer.outcome.as_ref().ok()?.as_ref().filter(|_| self.answer.is_certain())
    }

    /// How many hierarchy levels have the key.
    pub(crate) fn levels(&self) -> usize {
        let level =
            |it: &Source| (it.layer as u8, it.module.clone(), it.is_default, it.level_place);
        let mut levels: Vec<_> = self.sources.iter().map(level).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.len()
    }

    /// The overridden parts of the entry.
    pub(crate) fn overridden(&self, path: &str, entry: EntryTree<'_>) -> Vec<Overridden> {
        if let Some(winner) = self.winner_over(path) {
            return vec![Overridden {
                key: entry.key.range,
                value: entry.value.range,
                is_scalar: is_scalar(entry.value),
                winner: self.result().cloned(),
                winner_place: winner.key_place(),
            }];
        }
        // The first value counts as a whole, and it is in this file.
        if self.takes_first() {
            return Vec::new();
        }
        let file = self.sources.iter().find(|source| &*source.path == path);
        let Some(file) = file.and_then(Source::shown_place) else { return Vec::new() };
        let file = file.file;
        let mut search = Search { file, start: entry.start, found: Vec::new() };
        if let (NodeKind::Mapping(pairs), Some(Located { value, .. })) =
            (&entry.value.kind, self.result())
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
            // If a key is a number or the like, it is merged under another name.
            return;
        };
        match (&pair.value.kind, member.value.place) {
            // An interpolated value or an alias may be written elsewhere.
            (NodeKind::Alias(_), _) => {}
            (NodeKind::Scalar { text, .. }, _) if may_have_tokens(text) => {}
            (_, Some(place)) if place == own => {}
            (_, Some(place)) => self.found.push(Overridden {
                key: pair.key.range,
                value: pair.value.range,
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
