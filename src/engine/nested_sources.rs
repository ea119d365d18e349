//! Where values are written that texts insert with `%{lookup('…')}` and `%{alias('…')}`.

use std::collections::HashSet;
use std::sync::Arc;

use super::invocation::Invocation;
use super::notes;
use super::request::Answer;
use crate::data::{Located, Place, Value};

/// The maximum number of places that a lookup notes.
pub(super) const MAX_NESTED_SOURCES: usize = 64;

/// Where a value is written that a text inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestedSource {
    /// Where the text is written.
    text: Place,
    /// The key that the text looks up.
    pub key: Arc<str>,
    /// Where the value of that key is written: in its entry, also if an alias is written there.
    pub place: Place,
    /// Where the value is written that the text inserts: the same place, unless an alias is written there.
    value: Place,
    /// Whether the text is an alias, whose place the value takes.
    is_alias: bool,
}

impl Invocation<'_> {
    /// Notes where the value is written that a text inserts for a key. `before` is the number of notes before the key was looked
    /// up. Of a merged value, the first part of each file is noted.
    pub(super) fn note_nested_source(
        &mut self,
        (text, key, is_alias): (&Located, &Arc<str>, bool),
        value: &Located,
        before: usize,
    ) {
        let (Some(text), 1..) = (text.place, self.max_nested_sources) else { return };
        let mut values = Vec::new();
        add_first_of_each_file(value, &mut values);
        for value in values {
            let nested = &self.notes.nested;
            if nested.len() >= self.max_nested_sources {
                return;
            }
            // The value of a key that was looked up before is known, and nothing was noted this time.
            let known = nested.iter().find(|it| it.key == *key && it.value == value);
            let place =
                known.map_or_else(|| place_before_aliases(value, &nested[before..]), |it| it.place);
            let source = NestedSource { text, key: Arc::clone(key), place, value, is_alias };
            notes::add(&mut self.notes.nested, source);
        }
    }
}

/// Adds the place of a value. A merged value has none, so those of the values in it are added, one for each file.
fn add_first_of_each_file(value: &Located, places: &mut Vec<Place>) {
    match (value.place, &value.value) {
        (Some(place), _) if places.iter().any(|it| it.file == place.file) => {}
        (Some(place), _) => places.push(place),
        (None, Value::Array(items)) => {
            items.iter().for_each(|it| add_first_of_each_file(it, places));
        }
        (None, Value::Hash(hash)) => {
            hash.iter().for_each(|(_, it)| add_first_of_each_file(&it.value, places));
        }
        (None, _) => {}
    }
}

/// Where the text is written that became the value at `place`, through the aliases that were replaced since.
fn place_before_aliases(place: Place, noted: &[NestedSource]) -> Place {
    let aliases = noted.iter().filter(|it| it.is_alias);
    aliases.fold(place, |place, it| if contains(it.place, place) { it.text } else { place })
}

fn contains(place: Place, other: Place) -> bool {
    place.file == other.file && place.range.contains_range(other.range)
}

impl Answer {
    /// The values that texts of the result insert, those of its own texts first, then those that are inserted there. A lookup
    /// also reads texts that are not part of its result, such as other members of a hash.
    pub fn inserted(&self) -> Vec<&NestedSource> {
        let mut inserted: Vec<&NestedSource> = Vec::new();
        let Ok(Some(value)) = &self.outcome else { return inserted };
        if self.nested.is_empty() {
            return inserted;
        }
        let mut texts = HashSet::new();
        self.add_places(value, &mut texts);
        loop {
            let before = inserted.len();
            // The value of an alias is written where the key is that it looks up.
            let is_in = |it: &&NestedSource| texts.contains(&it.text) || texts.contains(&it.value);
            for it in self.nested.iter().filter(is_in) {
                // Several texts may look up the same key.
                if !inserted.iter().any(|known| known.key == it.key && known.place == it.place) {
                    inserted.push(it);
                }
            }
            if inserted.len() == before {
                return inserted;
            }
            texts.extend(inserted[before..].iter().flat_map(|it| [it.place, it.value]));
        }
    }

    /// Adds those of the noted places at which the value or a value in it is written. A value may have a million places, but only
    /// few are noted.
    fn add_places(&self, value: &Located, places: &mut HashSet<Place>) {
        if let Some(place) = value.place {
            // A merge keeps the items of a list that an alias brings, but not the list.
            let of_alias = self.nested.iter().filter(|it| it.is_alias && contains(it.value, place));
            places.extend(of_alias.map(|it| it.value));
            let is_noted = |it: &NestedSource| it.text == place || it.value == place;
            places.extend(self.nested.iter().any(is_noted).then_some(place));
        }
        match &value.value {
            Value::Array(items) => items.iter().for_each(|it| self.add_places(it, places)),
            Value::Hash(hash) => hash.iter().for_each(|(_, it)| self.add_places(&it.value, places)),
            Value::Sensitive(inner) => self.add_places(inner, places),
            _ => {}
        }
    }
}
