//! Which entries have a root key: a hash table of small numbers that is cheap to copy at every edit.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::chunk::{ENTRIES_PER_CHUNK, EntryKey};
use crate::data::value::Value;

/// The entry number `index` of the chunk `chunk`. A chunk keeps its number when it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Spot(u32);

/// Spots by key, with open addressing. The table does not contain the keys: callers compare them. Spots of removed chunks
/// stay until the table is built again.
#[derive(Debug, Clone)]
pub(super) struct KeyTable {
    slots: Vec<u32>,
    /// A part of the hash of each slot, so that a key is rarely compared with another one.
    tags: Vec<u8>,
    used: usize,
}

/// The tag of a slot without a spot.
const FREE: u8 = 0;

impl Spot {
    pub(super) fn new(chunk: u32, index: usize) -> Self {
        debug_assert!(index < ENTRIES_PER_CHUNK, "a chunk holds no more entries");
        Self(chunk * ENTRIES_PER_CHUNK as u32 + index as u32)
    }

    pub(super) fn chunk(self) -> u32 {
        self.0 / ENTRIES_PER_CHUNK as u32
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize % ENTRIES_PER_CHUNK
    }
}

impl KeyTable {
    /// Creates a table with room for more than `count` keys.
    pub(super) fn with_room(count: usize) -> Self {
        let slots = (count * 2).next_power_of_two().max(16);
        Self { slots: vec![0; slots], tags: vec![FREE; slots], used: 0 }
    }

    /// Whether the table stays fast with this many additional keys.
    pub(super) fn has_room(&self, more: usize) -> bool {
        (self.used + more) * 4 < self.slots.len() * 3
    }

    /// Adds a spot under a hash from [`hash_of`].
    pub(super) fn insert(&mut self, hash: u64, spot: Spot) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.tags[at] != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = spot.0;
        self.tags[at] = tag_of(hash);
        self.used += 1;
    }

    /// The spots that may be under a hash, some of other keys among them.
    pub(super) fn candidates(&self, hash: u64) -> impl Iterator<Item = Spot> {
        let mask = self.slots.len() - 1;
        let begin = hash as usize & mask;
        let probes = (0..self.slots.len()).map(move |step| (begin + step) & mask);
        let used = probes.take_while(|&at| self.tags[at] != FREE);
        used.filter(move |&at| self.tags[at] == tag_of(hash)).map(|at| Spot(self.slots[at]))
    }
}

/// The bits of a hash that do not decide where a spot lies, and never [`FREE`].
fn tag_of(hash: u64) -> u8 {
    (hash >> 56) as u8 | 1
}

/// The hash of a string key.
pub(super) fn hash_of_str(key: &str) -> u64 {
    // A version of a file continues the table of the version before it, so all of them need the same hasher.
    FixedState::default().hash_one(key)
}

/// The hash of any key.
pub(super) fn hash_of(key: &EntryKey<'_>) -> u64 {
    match key {
        EntryKey::Plain(text) => hash_of_str(text),
        EntryKey::Value(Value::String(text)) => hash_of_str(text.as_ref()),
        EntryKey::Value(value) => FixedState::default().hash_one(value),
    }
}
