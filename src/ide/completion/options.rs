//! Completion inside `lookup_options`: keys, their options, and the merge strategies.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::line::{Part, Spot};
use super::{CompletionKind, Completions, MAX_ITEMS, Place};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::matching::best;

const OPTIONS: [&str; 2] = ["merge", "convert_to"];
const STRATEGIES: [&str; 4] = ["first", "unique", "hash", "deep"];
const MERGE_OPTIONS: [&str; 4] =
    ["strategy", "knockout_prefix", "sort_merged_arrays", "merge_hash_arrays"];
const TYPES: [&str; 7] = ["Sensitive", "Integer", "Float", "Numeric", "Boolean", "String", "Array"];

/// The suggestions for the place; `module` is the module whose layer reads the file.
pub(super) fn complete(place: &Place<'_>, spot: &Spot, module: Option<&str>) -> Completions {
    let steps: Vec<&str> = spot.steps[1..].iter().map(String::as_str).collect();
    let keys = |names: &[&str]| {
        place.keys(spot, CompletionKind::Option, names.iter().copied()).into_iter().collect()
    };
    match (&steps[..], spot.part) {
        ([], Part::Key) => subjects(place, spot, module),
        ([_], Part::Key) => keys(&OPTIONS),
        ([_, "merge"], Part::Key) => keys(&MERGE_OPTIONS),
        ([_, "merge"] | [_, "merge", "strategy"], Part::Value) => place.values(spot, &STRATEGIES),
        ([_, "merge", "sort_merged_arrays" | "merge_hash_arrays"], Part::Value) => {
            place.values(spot, &["true", "false"])
        }
        ([_, "convert_to"], Part::Value) => place.values(spot, &TYPES),
        _ => Completions::default(),
    }
}

fn subjects(place: &Place<'_>, spot: &Spot, module: Option<&str>) -> Completions {
    let mut keys = place.perspective.world.all_keys(place.perspective.evaluator.environment());
    let prefix = module.map(|module| format!("{module}::"));
    keys.retain(|key| {
        &**key != LOOKUP_OPTIONS && prefix.as_ref().is_none_or(|prefix| key.starts_with(&**prefix))
    });
    // One more item than is shown tells that the list is incomplete.
    let best = best(keys.clone(), place.typed(spot.start), MAX_ITEMS + 1, place.cancel);
    let items = place.keys(spot, CompletionKind::Key, best.iter().map(|key| &**key));
    let typed = place.typed(spot.start);
    let patterns = if typed.starts_with('^') { patterns(&keys) } else { BTreeSet::new() };
    let patterns = place.keys(spot, CompletionKind::Key, patterns.iter().map(String::as_str));
    let is_new = typed.is_empty() && spot.quote.is_none();
    let entry = is_new.then(|| place.snippet(spot, "key: merge: …", "", ":\n  merge: unique"));
    items.into_iter().chain(patterns).chain(entry).collect()
}

/// A pattern for each namespace that several keys share.
fn patterns(keys: &[Arc<str>]) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut shared = BTreeSet::new();
    for key in keys {
        for (at, _) in key.match_indices("::") {
            let pattern = format!("^{}::", &key[..at]);
            // A pattern is worth a suggestion only if it is for several keys.
            if !known.insert(pattern.clone()) {
                shared.insert(pattern);
            }
        }
    }
    shared
}
