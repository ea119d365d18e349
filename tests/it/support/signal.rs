//! A counter that tests wait for: with it, features, which are plain functions, report what they do.

use std::sync::{Condvar, Mutex, PoisonError};

use super::PATIENCE;

pub(crate) struct Signal {
    count: Mutex<u32>,
    changed: Condvar,
}

impl Signal {
    pub(crate) const fn new() -> Self {
        Self { count: Mutex::new(0), changed: Condvar::new() }
    }

    pub(crate) fn raise(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    pub(crate) fn count(&self) -> u32 {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it was raised at least `count` times.
    #[track_caller]
    pub(crate) fn wait_for(&self, count: u32) {
        let guard = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(guard, PATIENCE, |seen| *seen < count);
        let seen = *waited.unwrap_or_else(PoisonError::into_inner).0;
        assert!(seen >= count, "raised {seen} times only, not {count}");
    }
}
