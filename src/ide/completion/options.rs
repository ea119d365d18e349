//! Completion inside `lookup_options`: keys, their options, and the merge strategies.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::line::{Part, Spot};
use super::{CompletionKind, Completions, MAX_ITEMS, Place, parameters};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::matching::best;

const OPTIONS: [&str; 2] = ["merge", "convert_to"];
const STRATEGIES: [&str; 4] = ["first", "unique", "hash", "deep"];
const MERGE_OPTIONS: [&str; 4] =
    ["strategy", "knockout_prefix", "sort_merged_arrays", "merge_hash_arrays"];
const TYPES: [&str; 13] = [
    "Sensitive",
    "Integer",
    "Float",
    "Numeric",
    "Boolean",
    "String",
    "Array",
    "Hash",
    "Binary",
    "Timestamp",
    "Timespan",
    "SemVer",
    "Regexp",
];

/// The suggestions for the place; `module` is the module whose layer reads the file.
pub(super) fn complete(place: &Place<'_>, spot: &Spot, module: Option<&str>) -> Completions {
    let steps: Vec<&str> = spot.steps[1..].iter().map(String::as_str).collect();
    let keys = |names: &[&str]| {
        place.keys(spot, CompletionKind::Option, names.iter().copied()).into_iter().collect()
    };
    match (&steps[..], spot.part) {
        ([], Part::Key) => subjects(place, spot, module),
        ([_], Part::Key) => keys(&OPTIONS),
        // Puppet refuses options of any strategy but the deep ones.
        ([_, "merge"], Part::Key) => match spot.value_of("strategy") {
            Some("first" | "unique" | "hash" | "default") => keys(&MERGE_OPTIONS[..1]),
            _ => keys(&MERGE_OPTIONS),
        },
        ([_, "merge"] | [_, "merge", "strategy"], Part::Value) => place.values(spot, &STRATEGIES),
        ([_, "merge", "sort_merged_arrays" | "merge_hash_arrays"], Part::Value) => {
            // In quotes, they would be strings, which Puppet refuses.
            if spot.quote.is_some() {
                Completions::default()
            } else {
                place.values(spot, &["true", "false"])
            }
        }
        // A type, or a list of a type and arguments.
        ([_, "convert_to"], _) => match spot.items.as_slice() {
            [] | [0] => place.values(spot, &TYPES),
            [argument] if spot.quote.is_none() => {
                place.values(spot, arguments(&first_item(place, spot), *argument))
            }
            _ => Completions::default(),
        },
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
    // Options also apply to a parameter whose value is still to be written.
    let may_stand = |key: &str| {
        prefix.as_ref().is_none_or(|prefix| key.starts_with(&**prefix))
            && keys.binary_search_by(|it| (**it).cmp(key)).is_err()
    };
    let parameters = parameters::keys(place, spot, &may_stand).into_iter().map(|(item, _)| item);
    let typed = place.typed(spot.start);
    let patterns = if typed.starts_with('^') { patterns(&keys) } else { BTreeSet::new() };
    let patterns = place.keys(spot, CompletionKind::Key, patterns.iter().map(String::as_str));
    let is_new = typed.is_empty() && spot.quote.is_none();
    // Lines cannot stand between braces.
    let options = if place.is_in_braces(spot) { ": {merge: unique}" } else { ":\n  merge: unique" };
    let entry = is_new.then(|| place.snippet(spot, "key: merge: …", "", options));
    items.into_iter().chain(parameters).chain(patterns).chain(entry).collect()
}

/// What `new` of a type takes after the value, as far as it can be listed.
fn arguments(of_type: &str, number: usize) -> &'static [&'static str] {
    let name = of_type.split('[').next().unwrap_or_default();
    match (name, number) {
        // The radix.
        ("Integer", 1) => &["2", "8", "10", "16"],
        // Whether a value that is not a list becomes its only item, or whether to drop the sign.
        ("Array" | "Float" | "Numeric", 1) | ("Integer", 2) => &["true", "false"],
        _ => &[],
    }
}

/// The first item of the list with the place.
fn first_item(place: &Place<'_>, spot: &Spot) -> String {
    let before = &place.text[..spot.start as usize];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = &before[line_start..];
    let in_brackets = line.rsplit_once("convert_to").and_then(|(_, rest)| rest.split_once('['));
    let first = if let Some((_, items)) = in_brackets {
        items
    } else {
        let lines = before[..line_start].lines().rev();
        let items = lines.map_while(|line| line.trim_start().strip_prefix("- "));
        items.last().unwrap_or_default()
    };
    let first = first.trim_start();
    let quoted = first.strip_prefix(['\'', '"']);
    let end = if quoted.is_some() { ['\'', '"'] } else { [',', '#'] };
    let text = quoted.unwrap_or(first).split(end).next().unwrap_or_default();
    text.trim().to_owned()
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
