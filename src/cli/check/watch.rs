//! `check --watch`: checks again whenever a file of the workspace changes.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::cli::terminal::{print_styled, tell};

/// A checkout changes files for a while: changes within this time after the first one are handled together.
const BATCH: Duration = Duration::from_millis(100);

/// Clears the terminal; not used if the output is not a terminal.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Runs `work`, and again after each change below `root`. Returns only if files cannot be watched.
pub(super) fn watch(root: &str, mut work: impl FnMut()) -> String {
    let (events, changes) = channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| is_change(&event)) {
            // There is no receiver when the program ends.
            let _ = events.send(());
        }
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return format!("{root} is not watched: {error}"),
    };
    // Watching starts before the first run, so that no change is missed.
    if let Err(error) = watcher.watch(Path::new(root), RecursiveMode::Recursive) {
        return format!("{root} is not watched: {error}");
    }
    loop {
        print_styled(CLEAR);
        work();
        tell("waiting for changes; press Ctrl-C to stop");
        if !wait(&changes) {
            return format!("{root} is no longer watched");
        }
    }
}

/// Waits for a change, and for the changes that come with it.
fn wait(changes: &Receiver<()>) -> bool {
    if changes.recv().is_err() {
        return false;
    }
    loop {
        // A Git checkout changes many files in a row. They are checked once, after the last one.
        match changes.recv_timeout(BATCH) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Whether an event may change the findings.
fn is_change(event: &notify::Event) -> bool {
    // Git's own files change with every command and contain no data.
    let is_of_git = |path: &std::path::PathBuf| path.iter().any(|part| part == ".git");
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(is_of_git)
}
