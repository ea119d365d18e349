//! Where a key is written, for one node or for any node, and the keys that match a pattern.

use std::sync::Arc;

use super::context::LOOKUP_OPTIONS;
use super::perspective::Perspective;
use crate::data::{Located, Place};
use crate::engine::sources::dig_written;
use crate::engine::{Answer, Source};
use crate::syntax::key_path::KeyPath;
use crate::syntax::ruby_regex;
use crate::world::KeyPlace as IndexedPlace;

/// The files that have the root key of `key`, for a node or in any of its cases, in order of priority.
pub(crate) fn places(perspective: &Perspective, key: &KeyPath) -> Vec<Source> {
    answer(perspective, key).map_or_else(Vec::new, |it| written_sources(&it))
}

/// The answer to a lookup of `key`; `None` if no lookup can name it.
pub(super) fn answer(perspective: &Perspective, key: &KeyPath) -> Option<Arc<Answer>> {
    let name = super::context::lookup_key([&key.root].into_iter().chain(&key.rest))?;
    Some(perspective.answer(&name))
}

/// The files that have the root key in any of the answer's cases, in order of priority.
pub(super) fn written_sources(answer: &Answer) -> Vec<Source> {
    let sources = answer.sources_of_all_cases();
    sources.into_iter().filter(|source| source.written.is_some()).collect()
}

/// The places that any node may read, in the first `most_files` files that have the root key, by path: where the key and its
/// value are written.
pub(crate) fn places_for_any_node(
    perspective: &Perspective,
    key: &KeyPath,
    most_files: usize,
) -> Vec<(Place, Located)> {
    let Some(root) = key.root_name() else { return Vec::new() };
    let world = &perspective.world;
    let index = world.key_index(perspective.evaluator.environment());
    let (places, _) = index.first_places(root, most_files);
    // If a file has a key twice, the last one is used.
    let counts = |&(at, place): &(usize, &IndexedPlace)| {
        places.get(at + 1).is_none_or(|next| next.path != place.path)
    };
    let dug = places.iter().enumerate().filter(counts).filter_map(|(_, place)| {
        let entry = world.entry_at(root, place)?;
        dig_written(&entry.value, &key.rest, entry.key_place)
    });
    dug.collect()
}

/// The keys of the environment's data that a pattern of `lookup_options` matches, sorted.
pub(crate) fn keys_matching(perspective: &Perspective, pattern: &str) -> Vec<Arc<str>> {
    let Ok(regex) = ruby_regex::translate(pattern) else { return Vec::new() };
    let mut keys = perspective.world.all_keys(perspective.evaluator.environment());
    keys.retain(|key| &**key != LOOKUP_OPTIONS && regex.is_match(key));
    keys
}
