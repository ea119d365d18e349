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
    /// Where the value of that key is written.
    pub place: Place,
}

impl Invocation<'_> {
    /// Notes where the value of a key is written that a text inserts. A merged value is written in several places, none of
    /// which is noted.
    pub(super) fn note_nested_source(&mut self, key: &Arc<str>, text: &Located, value: &Located) {
        if self.notes.nested.len() < self.max_nested_sources
            && let (Some(text), Some(place)) = (text.place, value.place)
        {
            let key = Arc::clone(key);
            notes::add(&mut self.notes.nested, NestedSource { text, key, place });
        }
    }
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
        // A value may have a million places, but only few of them are noted.
        let noted = self.nested.iter().flat_map(|it| [it.text, it.place]).collect();
        let mut texts = HashSet::new();
        add_places(value, &noted, &mut texts);
        loop {
            let before = inserted.len();
            // The value of an alias is written where the key is that it looks up.
            let is_in = |it: &&NestedSource| texts.contains(&it.text) || texts.contains(&it.place);
            for it in self.nested.iter().filter(is_in) {
                // Several texts may look up the same key.
                if !inserted.iter().any(|known| known.key == it.key && known.place == it.place) {
                    inserted.push(it);
                }
            }
            if inserted.len() == before {
                return inserted;
            }
            texts.extend(inserted[before..].iter().map(|it| it.place));
        }
    }
}

/// Adds those of the `noted` places at which the value or a value in it is written.
fn add_places(value: &Located, noted: &HashSet<Place>, places: &mut HashSet<Place>) {
    places.extend(value.place.filter(|it| noted.contains(it)));
    match &value.value {
        Value::Array(items) => items.iter().for_each(|it| add_places(it, noted, places)),
        Value::Hash(hash) => hash.iter().for_each(|(_, it)| add_places(&it.value, noted, places)),
        Value::Sensitive(inner) => add_places(inner, noted, places),
        _ => {}
    }
}
