//! Where a key is found, for one node: every level that has it, the highest priority first, hidden ones included.
//!
//! A lookup stops at the first place it finds; this does not, so that features can show what is overridden.

use std::sync::Arc;

use super::context::LOOKUP_OPTIONS;
use super::perspective::Perspective;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{Located, Place, Value};
use crate::engine::{Evaluator, LayerView, Location, ResolvedLevel};
use crate::syntax::key_path::{KeyPath, Segment};
use crate::syntax::ruby_regex;
use crate::world::KeyPlace as IndexedPlace;

/// A file that has a key.
#[derive(Debug, Clone)]
pub struct KeyPlace {
    /// The hierarchy level's name.
    pub level: Arc<str>,
    /// Where hiera.yaml defines the level.
    pub level_place: Option<Place>,
    /// Its layer.
    pub layer: LayerKind,
    /// The module's name in the module layer.
    pub module: Option<Arc<str>>,
    /// Whether the level stands in a default hierarchy: only asked if nothing else has the key.
    pub is_default: bool,
    /// The file.
    pub path: Arc<str>,
    /// Where the root key is written.
    pub root_key_place: Place,
    /// The root key's value, not interpolated.
    pub root_value: Located,
    /// Where the key is written that the last segment names; `None` if it cannot be dug out here.
    pub key_place: Option<Place>,
    /// The value there.
    pub value: Option<Located>,
}

/// All places that have the root key of `key`.
pub fn places(evaluator: &Evaluator, key: &KeyPath) -> Vec<KeyPlace> {
    let Some(root) = key.root_name() else { return Vec::new() };
    let module = root.split_once("::").map(|(module, _)| module);
    let layers = evaluator.layers(module);
    let mut found = Vec::new();
    for layer in &layers {
        let located = layer.locations_for(evaluator, root).unwrap_or_default();
        add_places(evaluator, layer, located, false, key, &mut found);
    }
    for layer in layers.iter().filter(|layer| layer.kind() == LayerKind::Module) {
        let levels = layer.default_levels(evaluator).unwrap_or_default();
        let located = levels.iter().flat_map(|level| {
            level.locations.iter().flatten().map(move |location| (level, location))
        });
        add_places(evaluator, layer, located, true, key, &mut found);
    }
    found
}

/// The places that any node may read, in the first `most_files` files that hold the root key, by path: where the key and
/// its value are written.
pub(crate) fn places_for_any_node(
    perspective: &Perspective,
    key: &KeyPath,
    most_files: usize,
) -> Vec<(Place, Located)> {
    let Some(root) = key.root_name() else { return Vec::new() };
    let world = &perspective.world;
    let index = world.key_index(perspective.evaluator.environment());
    let (places, _) = index.first_places(root, most_files);
    // Of a key that is written twice in a file, the last counts.
    let counts = |&(at, place): &(usize, &IndexedPlace)| {
        places.get(at + 1).is_none_or(|next| next.path != place.path)
    };
    let dug = places.iter().enumerate().filter(counts).filter_map(|(_, place)| {
        let entry = world.entry_at(root, place)?;
        dig(&entry.value, &key.rest, entry.key_place)
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

fn add_places<'l>(
    evaluator: &Evaluator,
    layer: &LayerView,
    located: impl IntoIterator<Item = (&'l ResolvedLevel, &'l Location)>,
    is_default: bool,
    key: &KeyPath,
    found: &mut Vec<KeyPlace>,
) {
    let Some(root) = key.root_name() else { return };
    for (level, location) in located {
        let Some(format) = level.built_in_format() else { continue };
        if !location.exists || location.is_uri {
            continue;
        }
        let Ok(file) = evaluator.files().data(&location.location, format) else { continue };
        let Some(entry) = file.get(root) else { continue };
        let dug = dig(&entry.value, &key.rest, entry.key_place);
        found.push(KeyPlace {
            level: level.name.clone(),
            level_place: level.place,
            layer: layer.kind(),
            module: layer.module().cloned(),
            is_default,
            path: location.location.clone(),
            root_key_place: entry.key_place,
            root_value: entry.value.clone(),
            key_place: dug.as_ref().map(|dug| dug.0),
            value: dug.map(|dug| dug.1),
        });
    }
}

/// Follows `segments` down a value that is not interpolated. Gives the place of the last key, or of the list item.
pub(crate) fn dig(
    value: &Located,
    segments: &[Segment],
    key_place: Place,
) -> Option<(Place, Located)> {
    let (mut value, mut place) = (value.clone(), key_place);
    for segment in segments {
        let (next, next_place) = step(&value.value, segment)?;
        place = next_place.or(next.place).unwrap_or(place);
        value = next;
    }
    Some((place, value))
}

fn step(value: &Value, segment: &Segment) -> Option<(Located, Option<Place>)> {
    match (value, segment) {
        (Value::Array(items), Segment::Index(index)) => {
            let item = items.get(usize::try_from(*index).ok()?)?;
            Some((item.clone(), item.place))
        }
        (Value::Hash(hash), segment) => {
            let member = match segment {
                Segment::Name(name) => hash.get(name),
                Segment::Index(index) => hash.get_value(&Value::Integer(*index)),
            }?;
            Some((member.value.clone(), member.key_place))
        }
        _ => None,
    }
}

/// Digs `segments` out of a value as a lookup would; `None` if they are not there.
pub(crate) fn dig_value(value: &Located, segments: &[Segment]) -> Option<Located> {
    segments.iter().try_fold(value.clone(), |value, segment| Some(step(&value.value, segment)?.0))
}
