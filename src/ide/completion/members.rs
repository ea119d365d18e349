//! Keys below a root key: those that the same hash has in other files.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::line::Spot;
use super::{CompletionKind, Completions, Place};
use crate::data::Files;
use crate::ide::places;
use crate::syntax::key_path::{KeyPath, Segment};

/// How many files are asked.
const MAX_FILES: usize = 50;

/// What can stand there.
pub(super) fn complete(place: &Place<'_>, spot: &Spot) -> Completions {
    let mut segments = spot.steps.iter().map(|step| Segment::Name(Arc::from(&**step)));
    let Some(root) = segments.next() else { return Completions::default() };
    let key = KeyPath { root, rest: segments.collect() };
    let mut names = BTreeSet::new();
    let found = places::places_for_any_node(place.perspective, &key, MAX_FILES);
    for (at, value) in &found {
        // In the file itself, the half-typed key would be proposed.
        if *place.perspective.world.path(at.file) == *place.path {
            continue;
        }
        let members = value.value.as_hash().into_iter().flat_map(|hash| hash.iter());
        names.extend(members.filter_map(|(key, _)| key.as_str().map(str::to_owned)));
    }
    place.keys(spot, CompletionKind::Key, names.iter().map(String::as_str)).into_iter().collect()
}
