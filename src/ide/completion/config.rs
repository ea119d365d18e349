//! Completion in `hiera.yaml`: its keys, and Puppet's own back ends.

use super::line::{Part, Spot};
use super::{Completion, CompletionKind, Completions, Place};
use crate::config::hiera_yaml::{FunctionKind, LOCATION_KEYS, LayerKind};

const ROOT_KEYS: [&str; 4] = ["version", "defaults", "hierarchy", "plan_hierarchy"];
const BACK_END_KEYS: [&str; 5] = ["datadir", "data_hash", "lookup_key", "data_dig", "options"];
const LEVEL_KEYS: [&str; 13] = [
    "name",
    "path",
    "paths",
    "glob",
    "globs",
    "mapped_paths",
    "uri",
    "uris",
    "datadir",
    "data_hash",
    "lookup_key",
    "data_dig",
    "options",
];

/// The suggestions for the place.
pub(super) fn complete(place: &Place<'_>, spot: &Spot, layer: LayerKind) -> Completions {
    let steps: Vec<&str> = spot.steps.iter().map(String::as_str).collect();
    let keys = |names: &[&str]| {
        place.keys(spot, CompletionKind::Option, names.iter().copied()).into_iter().collect()
    };
    match (&steps[..], spot.part) {
        ([], Part::Key) => {
            let of_module = (layer == LayerKind::Module).then_some("default_hierarchy");
            let known = ROOT_KEYS.into_iter().chain(of_module);
            keys(&known.filter(|it| !has_root_key(place, spot, it)).collect::<Vec<_>>())
        }
        (["version"], Part::Value) => place.values(spot, &["5"]),
        (["defaults"], Part::Key) => keys(&without_second_of_a_group(spot, &BACK_END_KEYS)),
        (["hierarchy" | "default_hierarchy" | "plan_hierarchy"], Part::Key) => {
            let known = if spot.is_in_item {
                without_second_of_a_group(spot, &LEVEL_KEYS)
            } else {
                Vec::new()
            };
            let known = place.keys(spot, CompletionKind::Option, known.into_iter());
            known.into_iter().chain(new_level(place, spot)).collect()
        }
        // What stands on a line of its own looks like a key until more of it is typed.
        ([.., "paths" | "globs"], Part::Value | Part::Key) => match spot.before_value {
            Some(begin) => super::templates::complete(place, spot, begin),
            None => Completions::default(),
        },
        ([.., "path" | "glob"], Part::Value | Part::Key) => {
            let begin = spot.before_value.filter(|_| spot.part == Part::Value);
            super::templates::complete(place, spot, begin.unwrap_or_default())
        }
        ([.., "data_hash"], Part::Value) => {
            place.values(spot, &["yaml_data", "json_data", "hocon_data"])
        }
        // Other functions have options of their own.
        ([.., "options"], Part::Key) if place.text.contains("eyaml_lookup_key") => {
            keys(&["pkcs7_private_key", "pkcs7_public_key"])
        }
        ([.., "lookup_key"], Part::Value) => place.values(spot, &["eyaml_lookup_key"]),
        _ => Completions::default(),
    }
}

/// The keys without those that Puppet refuses because of another key that is there: a level has one function, and one kind of
/// location.
fn without_second_of_a_group(spot: &Spot, keys: &[&'static str]) -> Vec<&'static str> {
    let functions = FunctionKind::ALL.map(FunctionKind::key);
    let groups: [&[&str]; 2] = [&LOCATION_KEYS, &functions];
    let is_taken = |group: &&[&str]| spot.present.iter().any(|it| group.contains(&&**it));
    let taken: Vec<&[&str]> = groups.into_iter().filter(is_taken).collect();
    keys.iter().copied().filter(|key| !taken.iter().any(|group| group.contains(key))).collect()
}

/// Whether another line of the file starts with the key.
fn has_root_key(place: &Place<'_>, spot: &Spot, key: &str) -> bool {
    let is_it = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let (before, behind) = place.text.split_at(spot.start as usize);
    let mut others = before.lines().chain(behind.lines().skip(1));
    others.any(is_it)
}

/// A whole level, suggested where one can start. Its keys alone are no level.
fn new_level(place: &Place<'_>, spot: &Spot) -> Option<Completion> {
    let line_start = place.text[..spot.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let in_front = place.text[line_start..spot.start as usize].trim();
    let behind = place.behind(place.word(spot.start)).lines().next().unwrap_or("");
    if !"name".starts_with(place.typed(spot.start)) || !behind.trim().is_empty() {
        return None;
    }
    let (label, begin) = match (in_front, spot.is_in_item) {
        ("-", _) => ("name: … path: …", "name: \""),
        ("", false) => ("- name: … path: …", "- name: \""),
        // The line is in the hash of a level.
        _ => return None,
    };
    Some(place.snippet(spot, label, begin, "\"\n  path: \"common.yaml\""))
}
