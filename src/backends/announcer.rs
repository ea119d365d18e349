//! Tells whoever wants to know that what back ends do has changed.

use std::fmt;
use std::sync::{Arc, OnceLock};

/// One listener at most; clones share it.
#[derive(Clone, Default)]
pub struct Announcer {
    listener: Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>,
}

impl Announcer {
    /// From now on `listener` is called, on any thread. Only the first one counts.
    pub fn listen(&self, listener: impl Fn() + Send + Sync + 'static) {
        // A second listener would be one of a second session, which there is none of.
        let _ = self.listener.set(Box::new(listener));
    }

    /// Something has changed.
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
