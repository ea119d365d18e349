//! What a running lookup notes in addition to its result. Each list contains everything once, in the order in which it was
//! noted.

use std::sync::Arc;

use super::cases::LeftOut;
use super::encrypted::Unread;
use super::invocation::OpaqueLevel;
use super::nested_sources::NestedSource;

/// The notes of a lookup.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    /// Levels that could not be evaluated.
    pub(crate) opaque: Vec<OpaqueLevel>,
    /// Variables that are not defined.
    pub(crate) unknown_variables: Vec<Arc<str>>,
    pub(crate) warnings: Vec<Arc<str>>,
    /// Open variables that were read for a text.
    pub(crate) open: Vec<Arc<str>>,
    /// Open variables in `datadir` and options. If they are unset, the layer fails.
    pub(crate) must_be_set: Vec<Arc<str>>,
    /// Files that Puppet refuses but whose entries were used.
    pub(crate) broken: Vec<Arc<str>>,
    /// What the answer depends on in addition to its cases.
    pub(crate) left_out: Vec<LeftOut>,
    /// What happens to encrypted texts that are not read.
    pub(crate) unread: Vec<Unread>,
    /// Where the values are written that texts insert, if the request needs sources.
    pub(crate) nested: Vec<NestedSource>,
}

/// The lengths of the lists at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lengths([usize; 9]);

impl Notes {
    pub(crate) fn lengths(&self) -> Lengths {
        Lengths([
            self.opaque.len(),
            self.unknown_variables.len(),
            self.warnings.len(),
            self.open.len(),
            self.must_be_set.len(),
            self.broken.len(),
            self.left_out.len(),
            self.unread.len(),
            self.nested.len(),
        ])
    }

    /// What was noted since the lists had these lengths; `None` if nothing was.
    pub(crate) fn since(&self, before: Lengths) -> Option<Box<Self>> {
        if self.lengths() == before {
            return None;
        }
        let [
            opaque,
            unknown_variables,
            warnings,
            open,
            must_be_set,
            broken,
            left_out,
            unread,
            nested,
        ] = before.0;
        Some(Box::new(Self {
            opaque: self.opaque[opaque..].to_vec(),
            unknown_variables: self.unknown_variables[unknown_variables..].to_vec(),
            warnings: self.warnings[warnings..].to_vec(),
            open: self.open[open..].to_vec(),
            must_be_set: self.must_be_set[must_be_set..].to_vec(),
            broken: self.broken[broken..].to_vec(),
            left_out: self.left_out[left_out..].to_vec(),
            unread: self.unread[unread..].to_vec(),
            nested: self.nested[nested..].to_vec(),
        }))
    }

    /// Adds everything that is not noted yet.
    pub(crate) fn add_all(&mut self, more: &Self) {
        add_each(&mut self.opaque, &more.opaque);
        add_each(&mut self.unknown_variables, &more.unknown_variables);
        add_each(&mut self.warnings, &more.warnings);
        add_each(&mut self.open, &more.open);
        add_each(&mut self.must_be_set, &more.must_be_set);
        add_each(&mut self.broken, &more.broken);
        add_each(&mut self.left_out, &more.left_out);
        add_each(&mut self.unread, &more.unread);
        add_each(&mut self.nested, &more.nested);
    }
}

/// Adds an item to a list, unless the list contains it.
pub(crate) fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn add_each<T: Clone + PartialEq>(list: &mut Vec<T>, items: &[T]) {
    for item in items {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_added_again_once() {
        let mut notes = Notes::default();
        add(&mut notes.warnings, "a".into());
        let before = notes.lengths();
        assert!(notes.since(before).is_none());
        add(&mut notes.warnings, "b".into());
        add(&mut notes.open, "role".into());
        let more = notes.since(before).expect("two notes");
        assert_eq!((more.warnings.len(), more.open.len()), (1, 1));
        let lengths = notes.lengths();
        notes.add_all(&more);
        assert_eq!(notes.lengths(), lengths);
        let mut other = Notes::default();
        other.add_all(&more);
        assert_eq!((&other.warnings, &other.open), (&more.warnings, &more.open));
    }
}
