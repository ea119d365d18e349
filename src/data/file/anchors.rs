//! The anchors of a file that is read entry by entry: an alias finds the anchors in the entries before its own.

use std::collections::HashMap;
use std::sync::Arc;

use crate::data::lower::Anchored;

/// Anchored values by name.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// For each name, the places of the entries that define it, in order, and the value that it has after each of them.
    by_name: HashMap<Arc<str>, Vec<(u32, Anchored)>>,
}

impl Anchors {
    /// Adds the anchors of the entry at byte `entry`; entries come in order.
    pub(super) fn add(&mut self, entry: u32, anchors: impl Iterator<Item = (Arc<str>, Anchored)>) {
        for (name, anchored) in anchors {
            self.by_name.entry(name).or_default().push((entry, anchored));
        }
    }

    /// The value of `*name` in the entry at byte `entry`, if an earlier entry defines it.
    pub(super) fn before(&self, entry: u32, name: &str) -> Option<Anchored> {
        let places = self.by_name.get(name)?;
        // An anchor of the same entry does not count here: the lowering of that entry knows whether it comes before the alias.
        let earlier = places.partition_point(|(place, _)| *place < entry);
        Some(places.get(earlier.checked_sub(1)?)?.1.clone())
    }
}
