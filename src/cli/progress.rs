//! How far a long command is: one line on a terminal's standard error, and nothing anywhere else.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the line changes.
const INTERVAL: Duration = Duration::from_millis(200);

/// Counts steps, of several threads if need be; the first ones are silent, as most commands end before anyone would wonder.
pub(super) struct Progress {
    total: usize,
    /// What is counted: `keys`.
    unit: &'static str,
    is_wanted: bool,
    steps: Mutex<Steps>,
}

struct Steps {
    done: usize,
    last_shown: Instant,
    is_shown: bool,
}

impl Progress {
    /// Of a command that prints as it goes: answers on a terminal are progress enough.
    pub(super) fn beside_answers(total: usize, unit: &'static str) -> Self {
        Self::new(total, unit, !std::io::stdout().is_terminal())
    }

    /// Of a command that prints at its end.
    pub(super) fn before_answers(total: usize, unit: &'static str) -> Self {
        Self::new(total, unit, true)
    }

    fn new(total: usize, unit: &'static str, is_wanted: bool) -> Self {
        let steps = Steps { done: 0, last_shown: Instant::now(), is_shown: false };
        let is_wanted = is_wanted && std::io::stderr().is_terminal();
        Self { total, unit, is_wanted, steps: Mutex::new(steps) }
    }

    /// Another step is about to be done.
    pub(super) fn step(&self) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_wanted && steps.last_shown.elapsed() >= INTERVAL {
            steps.last_shown = Instant::now();
            steps.is_shown = true;
            show(&format!("\r{} of {} {}", steps.done, self.total, self.unit));
        }
        steps.done += 1;
    }

    /// Takes the line away.
    pub(super) fn end(self) {
        let steps = self.steps.into_inner().unwrap_or_else(PoisonError::into_inner);
        if steps.is_shown {
            show("\r\x1b[K");
        }
    }
}

fn show(text: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(text.as_bytes());
    let _ = terminal.flush();
}
