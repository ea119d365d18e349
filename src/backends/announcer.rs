//! Notifies a listener that the state of back ends has changed.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// Has at most one listener; clones share it.
#[derive(Clone, Default)]
pub struct Announcer {
    listener: Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>,
}

impl Announcer {
    /// From now on `listener` is called, on any thread. Only the first listener is used.
    pub fn listen(&self, listener: impl Fn() + Send + Sync + 'static) {
        // A second listener would belong to a second session, and there is only one.
        let _ = self.listener.set(Box::new(listener));
    }

    /// Reports a change.
    pub(super) fn announce(&self) {
        if let Some(listener) = self.listener.get() {
            listener();
        }
    }
}

impl fmt::Debug for Announcer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Announcer").finish_non_exhaustive()
    }
}
