//! Keys below a root key: those of the same hash in other files.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::line::Spot;
use super::{CompletionKind, Completions, Place};
use crate::data::Files;
use crate::ide::places;
use crate::syntax::key_path::{KeyPath, Segment};

/// The maximum number of files that are read.
const MAX_FILES: usize = 50;

/// The suggestions for the place.
pub(super) fn complete(place: &Place<'_>, spot: &Spot) -> Completions {
    let mut segments = spot.steps.iter().map(|step| Segment::Name(Arc::from(&**step)));
    let Some(root) = segments.next() else { return Completions::default() };
    let key = KeyPath { root, rest: segments.collect() };
    let mut names = BTreeSet::new();
    let found = places::places_for_any_node(place.perspective, &key, MAX_FILES);
    for (at, value) in &found {
        // The file itself contains the half-typed key.
        if *place.perspective.world.path(at.file) == *place.path {
            continue;
        }
        let members = value.value.as_hash().into_iter().flat_map(|hash| hash.iter());
        names.extend(members.filter_map(|(key, _)| key.as_str().map(str::to_owned)));
    }
    place.keys(spot, CompletionKind::Key, names.iter().map(String::as_str)).into_iter().collect()
}
