//! A lock for the communication with a process. One thread has it at a time, and may take it again meanwhile.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The interval at which a waiting thread checks for cancellation.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The thread that holds it, and how often it took it.
    holder: Mutex<Option<(ThreadId, u32)>>,
    freed: Condvar,
}

/// The lock while it is held; dropping it releases the lock.
#[derive(Debug)]
pub(super) struct Held<'t>(&'t Turn);

impl Turn {
    /// Waits for the lock; `None` if it is no longer needed.
    pub(super) fn take(&self, is_unwanted: &dyn Fn() -> bool) -> Option<Held<'_>> {
        let me = thread::current().id();
        let mut holder = self.holder();
        loop {
            match &mut *holder {
                None => *holder = Some((me, 1)),
                Some((thread, count)) if *thread == me => *count += 1,
                Some(_) => {
                    if is_unwanted() {
                        return None;
                    }
                    let waited = self.freed.wait_timeout(holder, PAUSE);
                    holder = waited.unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
            }
            return Some(Held(self));
        }
    }

    /// Whether the thread that holds it took it more than once.
    pub(super) fn is_nested(&self) -> bool {
        self.holder().is_some_and(|(_, count)| count > 1)
    }

    fn holder(&self) -> MutexGuard<'_, Option<(ThreadId, u32)>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut holder = self.0.holder();
        match &mut *holder {
            Some((_, count)) if *count > 1 => *count -= 1,
            _ => {
                *holder = None;
                self.0.freed.notify_one();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_may_begin_again_and_others_wait() {
        let turn = Turn::default();
        let outer = turn.take(&|| false).expect("it is free");
        let inner = turn.take(&|| false).expect("it is ours");
        drop(inner);
        thread::scope(|scope| {
            let other = scope.spawn(|| turn.take(&|| true).is_some());
            assert!(!other.join().expect("no panic"), "it is taken");
            let other = scope.spawn(|| turn.take(&|| false).is_some());
            drop(outer);
            assert!(other.join().expect("no panic"), "it gets it when it is free");
        });
    }
}
