//! The one check point of long work: how many steps, how deep, and whether the request still stands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Failure, FailureClass};
use crate::limits::MAX_INTERPOLATED_BYTES;

/// Nested lookups (`a` asks for `b` asks for `c` …) before a lookup is given up: Ruby's stack holds 150 of
/// them, but not 200.
pub const MAX_LOOKUP_DEPTH: u32 = 200;

/// Steps (sources asked and tokens expanded) of one lookup before it is given up.
pub const MAX_STEPS: u32 = 500_000;

/// Tells long work that its answer is not wanted any more.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks the work to stop at its next check point.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one lookup may still spend.
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
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let message = format!("the lookup was given up after {MAX_STEPS} steps");
            return Err(Failure::of(FailureClass::GivenUp, message));
        }
        if self.steps.is_multiple_of(64) && self.cancel.is_cancelled() {
            return Err(Failure::of(FailureClass::Cancelled, "the lookup was cancelled"));
        }
        Ok(())
    }

    /// Counts the bytes of a text that was put together.
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
