//! Entries of `lookup_options` that are for one of the two names only: after the rename, other options apply.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::renaming::{Renaming, key_segment};
use super::shown_path;
use crate::config::Environment;
use crate::data::DataFile;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::syntax::key_path::Segment;
use crate::syntax::ruby_regex;
use crate::syntax::tree::{NodeKind, Pair};
use crate::world::World;

/// Adds a warning for each pattern in the environment's data that matches the old name or the new one, but not both, and
/// for entries that wait for the new name. Where an entry for the very key stands beside them, no pattern counts.
pub(super) fn warn(
    world: &Arc<World>,
    environment: &Environment,
    renaming: &Renaming,
    warnings: &mut BTreeSet<String>,
) {
    if renaming.path.len() > 1 {
        return;
    }
    let (old, new) = (renaming.root(), &renaming.new_name);
    for place in world.key_index(environment).places(LOOKUP_OPTIONS) {
        let Ok(file) = world.file(&place.path) else { continue };
        let data = file.data(place.format);
        let shown = shown_path(world, environment, &place.path);
        for pairs in options(data) {
            if pairs.iter().any(|pair| is_entry_for(pair, new)) {
                warnings.insert(format!(
                    "The lookup_options of {shown} already have an entry for `{new}`, which then applies."
                ));
            }
            // An entry of its own is renamed with the key, and hides all patterns before and after.
            if pairs.iter().any(|pair| is_entry_for(pair, old)) {
                continue;
            }
            let patterns = pairs.iter().filter_map(|pair| match key_segment(&pair.key) {
                Some(Segment::Name(name)) if name.starts_with('^') => Some(name),
                _ => None,
            });
            for pattern in patterns {
                let Ok(regex) = ruby_regex::translate(&pattern) else { continue };
                let warning = match (regex.is_match(old), regex.is_match(new)) {
                    (true, false) => "stops matching",
                    (false, true) => "now matches",
                    _ => continue,
                };
                warnings.insert(format!(
                    "The pattern `{pattern}` in the lookup_options of {shown} {warning}."
                ));
            }
        }
    }
}

fn options(data: &DataFile) -> impl Iterator<Item = &[Pair]> {
    data.trees().filter_map(|entry| {
        let is_options =
            key_segment(entry.key).is_some_and(|it| it == Segment::Name(LOOKUP_OPTIONS.into()));
        match &entry.value.kind {
            NodeKind::Mapping(pairs) if is_options => Some(&**pairs),
            _ => None,
        }
    })
}

/// Whether it is an entry for exactly this key that has an effect: with an empty one, patterns still apply.
fn is_entry_for(pair: &Pair, key: &Arc<str>) -> bool {
    key_segment(&pair.key).is_some_and(|it| it == Segment::Name(key.clone()))
        && matches!(pair.value.kind, NodeKind::Mapping(_))
}
