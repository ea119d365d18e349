//! A map from texts that threads can fill in parallel: each key belongs to one of a few locked maps.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use foldhash::fast::RandomState;

const SHARDS: usize = 32;

type Shard<V> = HashMap<Arc<str>, Arc<V>, RandomState>;

/// Values by text. A lock is held only for one access, never while a value is computed.
#[derive(Debug)]
pub(super) struct Shards<V> {
    hasher: RandomState,
    /// Created with the first value. After an edit, most of the many maps of a snapshot stay empty.
    shards: OnceLock<Box<[RwLock<Shard<V>>]>>,
}

impl<V: Default> Shards<V> {
    /// The value under `key`, which is first inserted (as its default) if it is missing.
    pub(super) fn slot(&self, key: &str) -> Arc<V> {
        if let Some(found) = self.get(key) {
            return found;
        }
        // Another thread may have inserted the key meanwhile, and its value must stay.
        let mut shard = self.made(key).write().unwrap_or_else(PoisonError::into_inner);
        shard.entry(key.into()).or_default().clone()
    }
}

impl<V> Shards<V> {
    /// The value under `key`.
    pub(super) fn get(&self, key: &str) -> Option<Arc<V>> {
        let shard = &self.shards.get()?[self.number(key)];
        shard.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Sets the value under `key`.
    pub(super) fn put(&self, key: Arc<str>, value: V) {
        let mut shard = self.made(&key).write().unwrap_or_else(PoisonError::into_inner);
        shard.insert(key, Arc::new(value));
    }

    /// All keys, in any order.
    pub(super) fn keys(&self) -> Vec<Arc<str>> {
        let locks = self.shards.get().into_iter().flatten();
        let keys = |shard: &RwLock<Shard<V>>| {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            shard.keys().cloned().collect::<Vec<_>>()
        };
        locks.flat_map(keys).collect()
    }

    /// A copy with `change` applied to each value; `None` removes it. Values are shared, not copied.
    pub(super) fn changed(&self, change: impl Fn(&str, &Arc<V>) -> Option<Arc<V>>) -> Self {
        let copy = |shard: &RwLock<Shard<V>>| {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            let kept = shard.iter().filter_map(|(key, it)| Some((key.clone(), change(key, it)?)));
            RwLock::new(kept.collect())
        };
        let shards = OnceLock::new();
        if let Some(made) = self.shards.get() {
            let _ = shards.set(made.iter().map(copy).collect());
        }
        Self { hasher: self.hasher.clone(), shards }
    }

    /// The shard of a key.
    fn made(&self, key: &str) -> &RwLock<Shard<V>> {
        let make = || (0..SHARDS).map(|_| RwLock::default()).collect();
        &self.shards.get_or_init(make)[self.number(key)]
    }

    fn number(&self, key: &str) -> usize {
        self.hasher.hash_one(key) as usize % SHARDS
    }
}

impl<V> Default for Shards<V> {
    fn default() -> Self {
        Self { hasher: RandomState::default(), shards: OnceLock::new() }
    }
}
