//! How far a long command is: one line on a terminal's standard error, and nothing anywhere else.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How often the line changes.
const INTERVAL: Duration = Duration::from_millis(200);

/// Counts steps; the first ones are silent, as most commands end before anyone would wonder.
pub(super) struct Progress {
    total: usize,
    done: usize,
    last_shown: Instant,
    is_wanted: bool,
    is_shown: bool,
}

impl Progress {
    /// The answers on a terminal are progress enough.
    pub(super) fn new(total: usize) -> Self {
        let is_wanted = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        Self { total, done: 0, last_shown: Instant::now(), is_wanted, is_shown: false }
    }

    /// Another step is about to be done.
    pub(super) fn step(&mut self) {
        if self.is_wanted && self.last_shown.elapsed() >= INTERVAL {
            self.last_shown = Instant::now();
            self.is_shown = true;
            show(&format!("\r{} of {} keys", self.done, self.total));
        }
        self.done += 1;
    }

    /// Takes the line away.
    pub(super) fn end(self) {
        if self.is_shown {
            show("\r\x1b[K");
        }
    }
}

fn show(text: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(text.as_bytes());
    let _ = terminal.flush();
}
