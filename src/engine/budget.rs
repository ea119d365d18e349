//! The single checkpoint of long work: the number of steps, the depth, and cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Failure, FailureClass};
use crate::limits::{MAX_INTERPOLATED_BYTES, MAX_LOOKUP_DEPTH, MAX_LOOKUP_STEPS};

/// Tells long work that its result is no longer needed.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Stops the work at its next checkpoint.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one lookup may still use.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: u32,
    depth: u32,
    written: usize,
    cancel: CancelToken,
}

impl Budget {
    pub(crate) fn new(cancel: CancelToken) -> Self {
        Self { steps: 0, depth: 0, written: 0, cancel }
    }

    /// Whether the request was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Counts one step.
    pub(crate) fn step(&mut self) -> Result<(), Failure> {
        self.steps(1)
    }

    /// Counts `count` steps at once.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Failure> {
        let before = self.steps;
        self.steps = before.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        // A chain of strings such as `%{lookup('b')}%{lookup('b')}` doubles the work with every key, so a limit of the depth is not
        // enough.
        if self.steps > MAX_LOOKUP_STEPS {
            let message = format!("the lookup was given up after {MAX_LOOKUP_STEPS} steps");
            return Err(Failure::of(FailureClass::GivenUp, message));
        }
        // Steps are cheap, and other threads write to the token, so a lookup reads it only now and then.
        if self.steps / 64 > before / 64 && self.cancel.is_cancelled() {
            return Err(Failure::of(FailureClass::Cancelled, "the lookup was cancelled"));
        }
        Ok(())
    }

    /// Counts the bytes of a text that was built.
    pub(crate) fn write(&mut self, bytes: usize) -> Result<(), Failure> {
        self.written += bytes;
        if self.written > MAX_INTERPOLATED_BYTES {
            let message = format!(
                "the lookup was given up: its texts have more than {MAX_INTERPOLATED_BYTES} bytes"
            );
            return Err(Failure::of(FailureClass::GivenUp, message));
        }
        Ok(())
    }

    /// The steps and the bytes so far.
    pub(crate) fn spent(&self) -> (u32, usize) {
        (self.steps, self.written)
    }

    /// The steps and the bytes since `before`, which [`Self::spent`] returned.
    pub(crate) fn spent_since(&self, before: (u32, usize)) -> (u32, usize) {
        (self.steps - before.0, self.written - before.1)
    }

    /// Counts steps and bytes that earlier work needed, because its result is used again. Values of values, each with ten copies
    /// of the one before, take no work then, but they would fill the memory as soon as they are written.
    pub(crate) fn spend_again(&mut self, (steps, bytes): (u32, usize)) -> Result<(), Failure> {
        self.steps(steps as usize)?;
        self.write(bytes)
    }

    /// Whether a nested lookup is running.
    pub(crate) fn is_nested(&self) -> bool {
        self.depth > 0
    }

    /// Enters a nested lookup; [`Self::leave`] must follow if this is `Ok`.
    pub(crate) fn enter(&mut self) -> Result<(), Failure> {
        if self.depth >= MAX_LOOKUP_DEPTH {
            let message = format!(
                "the lookup was given up: more than {MAX_LOOKUP_DEPTH} lookups inside each other"
            );
            return Err(Failure::of(FailureClass::GivenUp, message));
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
