//! Which entries of a data file have values that must not be shown, because lookup options make them sensitive.
//!
//! Most environments have no such options, which a look at all of them shows. Only otherwise, the options of a key are
//! collected.

use std::sync::Arc;

use super::context::LOOKUP_OPTIONS;
use super::diagnostics::KnownKeys;
use super::file_role::FileRole;
use super::perspective::Perspective;
use crate::data::{DataFile, EntryTree, Files as _};
use crate::world::World;

/// The sensitive keys of one data file.
pub(crate) struct SensitiveKeys<'a> {
    data: Arc<DataFile>,
    perspective: Perspective,
    known: KnownKeys<'a>,
}

impl<'a> SensitiveKeys<'a> {
    /// Those of the file at `path`; `None` if the file is no data.
    pub(crate) fn of_file(world: &'a Arc<World>, path: &str) -> Option<Self> {
        let Some(FileRole::Data { format, .. }) = FileRole::of(world, path) else { return None };
        let data = world.data(path, format).ok()?;
        let perspective = Perspective::of_file(world, path)?;
        let known = KnownKeys::new(world, perspective.evaluator.environment().clone());
        Some(Self { data, perspective, known })
    }

    /// Whether byte `offset` is in an entry whose value is sensitive, or may be in one that Puppet cannot parse.
    pub(crate) fn hold(&self, offset: u32) -> bool {
        match self.data.entry_at(offset) {
            Some(entry) => self.is_sensitive(&entry),
            None => self.data.is_broken() && self.may_hold_broken(offset),
        }
    }

    /// Whether byte `offset` may be in a sensitive value that Puppet cannot parse.
    fn may_hold_broken(&self, offset: u32) -> bool {
        match self.data.key_at(offset) {
            Some(key) => self.is_sensitive_key(&key),
            // It is not known where the value of which key is.
            None => self.perspective.are_some_values_sensitive(),
        }
    }

    /// Those of these places, in bytes, that may be in a sensitive value that Puppet cannot parse.
    pub(crate) fn broken_among(&self, places: impl Iterator<Item = u32>) -> Vec<u32> {
        if !self.data.is_broken() {
            return Vec::new();
        }
        let is_it = |at: &u32| self.data.entry_at(*at).is_none() && self.may_hold_broken(*at);
        places.filter(is_it).collect()
    }

    /// The entries whose values are sensitive.
    pub(crate) fn entries(&self) -> impl Iterator<Item = EntryTree<'_>> {
        self.data.trees().filter(|entry| self.is_sensitive(entry))
    }

    fn is_sensitive(&self, entry: &EntryTree<'_>) -> bool {
        let key = entry.key.range.slice(entry.text).trim_matches(['"', '\'']);
        // Options are no secrets, even if an invalid pattern leaves it open which values are.
        key != LOOKUP_OPTIONS && self.is_sensitive_key(key)
    }

    fn is_sensitive_key(&self, key: &str) -> bool {
        self.known.may_be_sensitive(key) && self.perspective.makes_sensitive(key)
    }
}
