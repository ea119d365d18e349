//! What is found out about names, such as keys and classes, and kept for the files that are checked next.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The maximum number of names. Then all are dropped.
const MAX_NAMES: usize = 65_536;

/// Values by name.
pub(crate) struct KeptByName<T>(Mutex<HashMap<Box<str>, T, foldhash::fast::RandomState>>);

impl<T> Default for KeptByName<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> KeptByName<T> {
    /// The value for `name`; `find` is called for a name that is new.
    pub(crate) fn get_or(&self, name: &str, find: impl FnOnce() -> T) -> T {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(name) {
            return known.clone();
        }
        // The lock is not held meanwhile. If two threads find the same, they get the value of the first.
        let value = find();
        let mut known = lock();
        if known.len() >= MAX_NAMES {
            known.clear();
        }
        known.entry(name.into()).or_insert(value).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_searched_for_once_and_not_all_are_kept() {
        let kept = KeptByName::default();
        assert_eq!(kept.get_or("a", || 1), 1);
        assert_eq!(kept.get_or("a", || unreachable!("it is kept")), 1);
        for name in 0..MAX_NAMES {
            kept.get_or(&format!("b{name}"), || 3);
        }
        assert_eq!(kept.get_or("a", || 2), 2);
    }
}
