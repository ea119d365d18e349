//! Values: those of the same key in other places, and both booleans if it is one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::line::{Part, Spot};
use super::{Completion, CompletionKind, Completions, Place, parameters};
use crate::data::{Files, Located, Value, inspect};
use crate::ide::matching::fit;
use crate::ide::places;
use crate::syntax::key_path::{KeyPath, Segment};

/// The maximum number of files that are read.
const MAX_FILES: usize = 200;

/// Longer strings are not suggested.
const MAX_LETTERS: usize = 60;

/// The suggestions for the place: values of the key, or items of its list.
pub(super) fn complete(place: &Place<'_>, spot: &Spot) -> Completions {
    let mut segments = spot.steps.iter().map(|step| Segment::Name(Arc::from(&**step)));
    let Some(root) = segments.next() else { return Completions::default() };
    let Some(begin) = spot.before_value else { return Completions::default() };
    let key = KeyPath { root, rest: segments.collect() };
    // The values of such a key are secret, even if they are plain text in the files.
    if place.perspective.makes_sensitive(&spot.steps[0]) {
        return Completions::default();
    }
    let is_item = spot.part == Part::Key || !spot.items.is_empty();
    let allowed = parameters::by_position(place, spot);
    let fits = |value: &Value| {
        allowed.as_ref().is_none_or(|types| types.iter().any(|it| it.is_instance(value)))
    };
    let mut seen: BTreeMap<String, (Value, String)> = BTreeMap::new();
    let mut add = |value: &Located, shown: &str| {
        for value in alternatives(place, value).into_iter().filter(&fits) {
            let text = inspect::to_s(&value);
            seen.entry(text).or_insert_with(|| (value, shown.to_owned()));
        }
    };
    let found = places::places_for_any_node(place.perspective, &key, MAX_FILES);
    for (at, value) in &found {
        let path = place.perspective.world.path(at.file);
        // The file itself contains the half-typed value.
        if *path == *place.path {
            continue;
        }
        let shown = format!("in {}", place.perspective.shown_path(&path));
        match &value.value {
            Value::Array(items) if is_item => items.iter().for_each(|item| add(item, &shown)),
            _ if !is_item => add(value, &shown),
            _ => {}
        }
    }
    let range = place.word(spot.start);
    let typed = place.typed(spot.start);
    let fitting = seen.into_iter().filter(|(text, _)| fit(text, typed).is_some());
    let item = |(text, (value, shown)): (String, (Value, String))| {
        let written = place.written(spot, &value, &text)?;
        Some(Completion {
            insert: format!("{begin}{written}"),
            detail: Some(shown),
            ..Completion::new(&text, CompletionKind::Value, range)
        })
    };
    fitting.filter_map(item).collect()
}

/// The value, if it may be shown and is short; for a boolean, both values.
fn alternatives(place: &Place<'_>, value: &Located) -> Vec<Value> {
    match &value.value {
        Value::Boolean(_) => vec![Value::Boolean(true), Value::Boolean(false)],
        Value::Integer(_) | Value::Float(_) => vec![value.value.clone()],
        Value::String(text) => {
            let is_short = !text.is_empty() && text.chars().count() <= MAX_LETTERS;
            let is_name = is_short && !text.contains('\n');
            let is_open = place.perspective.without_secrets(value) == value.value;
            (is_name && is_open).then(|| value.value.clone()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
