//! An index of the locations of a layer that may have a root key, so that a lookup reads a few files instead of all sixty.
//!
//! It is built only after enough lookups to pay off, and only for a layer whose files have all been read without errors: then
//! a file without the key has no effect, not even a warning.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::hierarchy::{Location, ResolvedLevel};

/// The number of bytes of data that can be read in about the time that one file needs to report a missing key.
const BYTES_PER_MISS: usize = 64;

/// A layer's locations by root key, once the index exists.
#[derive(Debug, Default)]
pub(super) struct Holders {
    /// The number of lookups in the layer.
    asked: AtomicU32,
    index: OnceLock<Option<Index>>,
}

/// A position in a layer: level, then location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) level: u32,
    pub(super) location: u32,
}

impl Spot {
    /// The level and location at this position, in the levels that the index was built from.
    pub(super) fn of(self, levels: &[Arc<ResolvedLevel>]) -> (&ResolvedLevel, &Location) {
        let level = &levels[self.level as usize];
        let locations = level.locations.as_deref().unwrap_or_default();
        (level, &locations[self.location as usize])
    }
}

/// Spots by the hashes of keys: all spots of a key, and rarely some of another key.
#[derive(Debug)]
pub(super) struct Index {
    hasher: foldhash::fast::RandomState,
    /// From a hash to the start and end of its spots.
    spans: HashMap<u64, (u32, u32), foldhash::fast::RandomState>,
    spots: Vec<Spot>,
}

impl Holders {
    /// Counts a lookup, and returns the index if it exists or if it is time to build it.
    pub(super) fn ask(&self, levels: &[Arc<ResolvedLevel>]) -> Option<&Index> {
        if let Some(index) = self.index.get() {
            return index.as_ref();
        }
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        // To find out whether the index pays off takes a walk through all locations, so it is not done at every lookup.
        if asked < 8 || !asked.is_power_of_two() {
            return None;
        }
        match readiness(levels, asked as usize) {
            Readiness::Never => self.index.get_or_init(|| None).as_ref(),
            Readiness::NotYet => None,
            Readiness::Now => self.index.get_or_init(|| Some(Index::new(levels))).as_ref(),
        }
    }
}

enum Readiness {
    Never,
    NotYet,
    Now,
}

fn readiness(levels: &[Arc<ResolvedLevel>], asked: usize) -> Readiness {
    let mut bytes = 0;
    let mut count = 0;
    for level in levels {
        // A level without locations gets its values from a function, which may have any key.
        let Some(locations) = &level.locations else { return Readiness::Never };
        if level.reads.is_none() {
            return Readiness::Never;
        }
        // An open location represents other files in each case, so its keys are not fixed.
        if locations.iter().any(|it| it.open.is_some()) {
            return Readiness::Never;
        }
        for location in locations.iter().filter(|it| it.exists) {
            match location.data.get() {
                None => return Readiness::NotYet,
                // A file that cannot be read must fail the lookup of every key, and an index of keys would hide it.
                Some(Err(_)) => return Readiness::Never,
                // Each lookup that reads it says so, whichever keys it has.
                Some(Ok(file)) if file.is_broken() => return Readiness::Never,
                Some(Ok(file)) => bytes += file.text().len(),
            }
            count += 1;
        }
    }
    if asked * count * BYTES_PER_MISS < bytes { Readiness::NotYet } else { Readiness::Now }
}

impl Index {
    fn new(levels: &[Arc<ResolvedLevel>]) -> Self {
        let hasher = foldhash::fast::RandomState::default();
        let mut pairs = Vec::new();
        for (level, found) in (0..).zip(levels) {
            for (location, found) in (0..).zip(found.locations.iter().flatten()) {
                let Some(file) = loaded(found) else { continue };
                let spot = Spot { level, location };
                file.each_key(|key| pairs.push((hasher.hash_one(key), spot)));
            }
        }
        // A file with a repeated key must not get two spots for it.
        pairs.sort_unstable();
        pairs.dedup();
        let mut spans = HashMap::with_capacity_and_hasher(pairs.len(), hasher.clone());
        for (at, (hash, _)) in (0..).zip(&pairs) {
            spans.entry(*hash).or_insert((at, at)).1 = at + 1;
        }
        Self { hasher, spans, spots: pairs.into_iter().map(|(_, spot)| spot).collect() }
    }

    /// The spots whose files may have `root`, in order of priority.
    pub(super) fn spots(&self, root: &str) -> &[Spot] {
        match self.spans.get(&self.hasher.hash_one(root)) {
            Some((begin, end)) => &self.spots[*begin as usize..*end as usize],
            None => &[],
        }
    }
}

fn loaded(location: &Location) -> Option<&crate::data::DataFile> {
    location.data.get()?.as_ref().ok().map(AsRef::as_ref)
}
