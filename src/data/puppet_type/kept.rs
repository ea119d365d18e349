//! Caches the types of manifests and the results of comparing values with them. An edit changes few values, and most nodes
//! share the values that they get, so each value is checked only once for all nodes.
//!
//! Both caches belong to the aliases that the types may name, and are dropped with them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Fit, Type, TypeAliases, TypeProblem, evaluate, fit};
use crate::data::fingerprint::hash_of;
use crate::data::value::Value;

/// The maximum number of cached types; the classes of a site have fewer.
const MAX_TYPES: usize = 16_384;

/// The maximum number of cached results, and of the parts that they name: a few dozen bytes each, and a few hundred for a part.
const MAX_FITS: usize = 262_144;

/// The result of comparing a value with a type.
type Found = Result<Arc<Fit>, String>;

/// The types of manifests by their texts, and the results for values.
#[derive(Default)]
pub(super) struct KeptTypes {
    by_text: Mutex<HashMap<Box<str>, Arc<KnownType>>>,
    /// The number of the next type.
    next: AtomicU32,
    fits: Arc<KeptFits>,
}

/// The results for values, by the number of the type and the fingerprint of the value.
#[derive(Default)]
struct KeptFits {
    found: Mutex<FoundFits>,
    /// How many values were compared with a type.
    checked: AtomicUsize,
}

#[derive(Default)]
struct FoundFits {
    by_value: HashMap<(u32, u64), Found>,
    /// How many results there are, and parts in them.
    size: usize,
}

impl FoundFits {
    fn insert(&mut self, key: (u32, u64), found: Found) {
        if self.size >= MAX_FITS {
            *self = Self::default();
        }
        self.size += 1 + found.as_ref().map_or(0, |it| it.misfits.len());
        self.by_value.insert(key, found);
    }
}

/// A cached type of a manifest.
pub struct KnownType {
    read: Result<Type, TypeProblem>,
    number: u32,
    fits: Arc<KeptFits>,
}

impl TypeAliases {
    /// [`evaluate`], once for each text.
    pub fn known(&self, text: &str) -> Arc<KnownType> {
        let kept = self.kept();
        if let Some(known) = lock(&kept.by_text).get(text) {
            return known.clone();
        }
        // Outside the lock, because aliases are loaded meanwhile.
        let read = evaluate(text, self);
        let number = kept.next.fetch_add(1, Ordering::Relaxed);
        let known = Arc::new(KnownType { read, number, fits: kept.fits.clone() });
        let mut by_text = lock(&kept.by_text);
        if by_text.len() >= MAX_TYPES {
            by_text.clear();
        }
        // If another thread was faster, its type stays, so that all users share its cached results.
        by_text.entry(text.into()).or_insert(known).clone()
    }

    /// How many values have been compared with types so far, each once.
    pub fn checked_values(&self) -> usize {
        self.kept().fits.checked.load(Ordering::Relaxed)
    }
}

impl KnownType {
    /// The type, if it can be read.
    pub fn wanted(&self) -> Option<&Type> {
        self.read.as_ref().ok()
    }

    /// Why Puppet refuses the type, if it does.
    pub fn refusal(&self) -> Option<&str> {
        match &self.read {
            Err(TypeProblem::Invalid(message)) => Some(message),
            Ok(_) | Err(TypeProblem::Unknown(_)) => None,
        }
    }

    /// [`fit`], once for each value.
    ///
    /// # Errors
    /// Why the result is not known: the type cannot be read, or Puppet would fail.
    pub fn fit(&self, value: &Value) -> Result<Arc<Fit>, String> {
        let wanted = self.read.as_ref().map_err(|problem| match problem {
            TypeProblem::Invalid(message) | TypeProblem::Unknown(message) => message.clone(),
        })?;
        // The cache has the fingerprint instead of the value, so that it does not keep values alive.
        let key = (self.number, hash_of(value));
        if let Some(found) = lock(&self.fits.found).by_value.get(&key) {
            return found.clone();
        }
        self.fits.checked.fetch_add(1, Ordering::Relaxed);
        let found = fit(wanted, value).map(Arc::new);
        lock(&self.fits.found).insert(key, found.clone());
        found
    }
}

impl std::fmt::Debug for KnownType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("KnownType").field(&self.read).finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::puppet_type::{AliasFile, AliasFiles};

    struct NoFiles;

    impl AliasFiles for NoFiles {
        fn alias(&self, _: &str) -> Option<AliasFile> {
            None
        }

        fn is_resource_type(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn a_value_is_checked_once() {
        let aliases = TypeAliases::new(Box::new(NoFiles));
        let (integer, text) = (aliases.known("Integer"), aliases.known("String"));
        let message = |wanted: &KnownType, value: i64| {
            let found = wanted.fit(&Value::Integer(value)).expect("no failure");
            found.message.clone()
        };
        for _ in 0..2 {
            assert_eq!(message(&integer, 1), None);
            assert_eq!(message(&aliases.known("Integer"), 1), None);
            let refused = message(&text, 1);
            assert_eq!(refused.as_deref(), Some("expects a String value, got Integer"));
        }
        assert_eq!(aliases.checked_values(), 2);
        assert_eq!(message(&integer, 2), None);
        assert_eq!(aliases.checked_values(), 3);
        assert!(aliases.known("Integer[").fit(&Value::Undef).is_err());
    }
}
