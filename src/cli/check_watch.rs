//! `check --watch`: checks again whenever a file of the workspace changes.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher as _};

use super::terminal::{print_styled, tell};

/// A checkout touches files for a while: what comes within this time after the first change is one change.
const BATCH: Duration = Duration::from_millis(100);

/// Wipes the terminal; nothing where the output is not one.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Runs `work`, and again after each change below `root`. Returns only if files cannot be watched.
pub(super) fn watch(root: &str, mut work: impl FnMut()) -> String {
    let (events, changes) = channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| is_change(&event)) {
            // Nothing listens any more once the program ends.
            let _ = events.send(());
        }
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return format!("{root} is not watched: {error}"),
    };
    // Before the first run: what changes during it is not missed.
    if let Err(error) = watcher.watch(Path::new(root), RecursiveMode::Recursive) {
        return format!("{root} is not watched: {error}");
    }
    loop {
        print_styled(CLEAR);
        work();
        tell("waiting for changes; Ctrl-C ends this");
        if !wait(&changes) {
            return format!("{root} is not watched any more");
        }
    }
}

/// Waits for a change, and for the others that come with it.
fn wait(changes: &Receiver<()>) -> bool {
    if changes.recv().is_err() {
        return false;
    }
    loop {
        match changes.recv_timeout(BATCH) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Whether an event may change what is found.
fn is_change(event: &notify::Event) -> bool {
    // Git's own files change with every command and hold no data.
    let is_of_git = |path: &std::path::PathBuf| path.iter().any(|part| part == ".git");
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(is_of_git)
}
