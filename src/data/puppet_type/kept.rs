//! Types of manifests that were read once, and what was found of values. An edit changes few values, and most nodes share
//! those that they get, so that a value is checked once for all of them.
//!
//! Both are kept with the aliases that the types may name, and go with them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Fit, Type, TypeAliases, TypeProblem, evaluate, fit};
use crate::data::fingerprint::hash_of;
use crate::data::value::Value;

/// Types that are kept; more than a site's classes have.
const MAX_TYPES: usize = 16_384;

/// Findings that are kept, a few dozen bytes each.
const MAX_FITS: usize = 262_144;

/// What a value was found to be.
type Found = Result<Arc<Fit>, String>;

/// The types of manifests by their texts, with what was found of values.
#[derive(Default)]
pub(super) struct KeptTypes {
    by_text: Mutex<HashMap<Box<str>, Arc<KnownType>>>,
    /// The number of the next type.
    next: AtomicU32,
    fits: Arc<KeptFits>,
}

/// What was found of values, by the number of the type and the fingerprint of the value.
#[derive(Default)]
struct KeptFits {
    found: Mutex<HashMap<(u32, u64), Found>>,
    /// How many values were compared with a type.
    checked: AtomicUsize,
}

/// A type of a manifest that was read.
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
        // Not under the lock: aliases are loaded meanwhile.
        let read = evaluate(text, self);
        let number = kept.next.fetch_add(1, Ordering::Relaxed);
        let known = Arc::new(KnownType { read, number, fits: kept.fits.clone() });
        let mut by_text = lock(&kept.by_text);
        if by_text.len() >= MAX_TYPES {
            by_text.clear();
        }
        by_text.entry(text.into()).or_insert(known).clone()
    }

    /// How many values were compared with types so far, each once.
    pub fn checked_values(&self) -> usize {
        self.kept().fits.checked.load(Ordering::Relaxed)
    }
}

impl KnownType {
    /// The type, if it can be read.
    pub fn wanted(&self) -> Option<&Type> {
        self.read.as_ref().ok()
    }

    /// [`fit`], once for each value.
    ///
    /// # Errors
    /// Why we cannot tell: the type cannot be read, or Puppet would fail.
    pub fn fit(&self, value: &Value) -> Result<Arc<Fit>, String> {
        let wanted = self.read.as_ref().map_err(|problem| match problem {
            TypeProblem::Invalid(message) | TypeProblem::Unknown(message) => message.clone(),
        })?;
        let key = (self.number, hash_of(value));
        if let Some(found) = lock(&self.fits.found).get(&key) {
            return found.clone();
        }
        self.fits.checked.fetch_add(1, Ordering::Relaxed);
        let found = fit(wanted, value).map(Arc::new);
        let mut kept = lock(&self.fits.found);
        if kept.len() >= MAX_FITS {
            kept.clear();
        }
        kept.insert(key, found.clone());
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
