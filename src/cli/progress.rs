//! The progress of a long command: one line on a terminal's standard error, and nothing anywhere else.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the line is updated.
const INTERVAL: Duration = Duration::from_millis(200);

/// The width of the bar.
const BAR_COLUMNS: usize = 20;

/// Counts steps, also of several threads. Nothing is shown at first, because most commands end soon.
pub(super) struct Progress {
    total: usize,
    /// The counted things: `keys`.
    unit: &'static str,
    is_wanted: bool,
    begun: Instant,
    steps: Mutex<Steps>,
}

struct Steps {
    done: usize,
    last_shown: Instant,
    is_shown: bool,
}

impl Progress {
    /// For a command that prints results as it finds them: results on a terminal are progress enough.
    pub(super) fn beside_answers(total: usize, unit: &'static str) -> Self {
        Self::new(total, unit, !std::io::stdout().is_terminal())
    }

    /// For a command that prints at its end.
    pub(super) fn before_answers(total: usize, unit: &'static str) -> Self {
        Self::new(total, unit, true)
    }

    fn new(total: usize, unit: &'static str, is_wanted: bool) -> Self {
        let steps = Steps { done: 0, last_shown: Instant::now(), is_shown: false };
        // In a file or a pipe, the bar would be noise.
        let is_wanted = is_wanted && std::io::stderr().is_terminal();
        Self { total, unit, is_wanted, begun: Instant::now(), steps: Mutex::new(steps) }
    }

    /// Counts the next step.
    pub(super) fn step(&self) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing is shown for work that is done before the first interval is over.
        if self.is_wanted && steps.last_shown.elapsed() >= INTERVAL {
            steps.last_shown = Instant::now();
            steps.is_shown = true;
            let line = line(steps.done, self.total, self.unit, self.begun.elapsed());
            // The earlier line may have been longer.
            show(&format!("\r{line}\x1b[K"));
        }
        steps.done += 1;
    }

    /// Clears the line.
    pub(super) fn end(self) {
        let steps = self.steps.into_inner().unwrap_or_else(PoisonError::into_inner);
        if steps.is_shown {
            show("\r\x1b[K");
        }
    }
}

/// `[####      ] 800 of 1,895 files, 160 a second, 7 s left`.
fn line(done: usize, total: usize, unit: &str, elapsed: Duration) -> String {
    let filled = (done * BAR_COLUMNS).checked_div(total).unwrap_or(BAR_COLUMNS).min(BAR_COLUMNS);
    let bar = "#".repeat(filled) + &" ".repeat(BAR_COLUMNS - filled);
    let mut line = format!("[{bar}] {done} of {total} {unit}");
    let milliseconds = elapsed.as_millis().max(1);
    let rate = done as u128 * 1_000 / milliseconds;
    if rate > 0 {
        let left = (total.saturating_sub(done) as u128).div_ceil(rate);
        let left =
            if left < 120 { format!("{left} s") } else { format!("{} min", left.div_ceil(60)) };
        let _ = write!(line, ", {rate} a second, {left} left");
    }
    line
}

fn show(text: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(text.as_bytes());
    let _ = terminal.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_how_fast_and_how_long() {
        let check = |done: usize, seconds: u64, expected: &str| {
            assert_eq!(line(done, 1_000, "files", Duration::from_secs(seconds)), expected);
        };
        check(0, 1, "[                    ] 0 of 1000 files");
        check(500, 5, "[##########          ] 500 of 1000 files, 100 a second, 5 s left");
        check(200, 100, "[####                ] 200 of 1000 files, 2 a second, 7 min left");
        check(1_000, 5, "[####################] 1000 of 1000 files, 200 a second, 0 s left");
    }
}
