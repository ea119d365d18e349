//! `check --watch`: checks again whenever a file of the workspace changes.

use std::fs::Metadata;
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
    let outputs = outputs();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| is_change(&event, &outputs)) {
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
fn is_change(event: &notify::Event, outputs: &[FileId]) -> bool {
    // Git's own files change with every command and contain no data, and each check would write the file with its output again.
    let is_output = |path: &Path| {
        path.metadata().is_ok_and(|it| id_of(&it).is_some_and(|id| outputs.contains(&id)))
    };
    let is_idle =
        |path: &std::path::PathBuf| path.iter().any(|part| part == ".git") || is_output(path);
    !matches!(event.kind, EventKind::Access(_)) && !event.paths.iter().all(is_idle)
}

/// What is the same for all names of a file.
type FileId = (u64, u64);

/// The files that the output of this process goes to.
fn outputs() -> Vec<FileId> {
    let files = ["/dev/stdout", "/dev/stderr"].map(|it| Path::new(it).metadata());
    files.iter().flatten().filter_map(id_of).collect()
}

#[cfg(unix)]
fn id_of(file: &Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    file.is_file().then(|| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn id_of(_: &Metadata) -> Option<FileId> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_whose_changes_matter() {
        let folder = tempfile::tempdir().expect("a directory");
        let folder = folder.path();
        let [output, data] = ["check.log", "common.yaml"].map(|name| folder.join(name));
        for file in [&output, &data] {
            std::fs::write(file, "a: 1\n").expect("a file");
        }
        let outputs: Vec<_> = output.metadata().iter().filter_map(id_of).collect();
        let is_change = |paths: &[&Path]| {
            let event = notify::Event::new(EventKind::Any);
            let event = paths.iter().fold(event, |event, path| event.add_path(path.to_path_buf()));
            super::is_change(&event, &outputs)
        };
        assert!(!is_change(&[&output]));
        assert!(!is_change(&[&folder.join(".git/index")]));
        assert!(is_change(&[&data]));
        assert!(is_change(&[&output, &data]));
        assert!(is_change(&[&folder.join("deleted.yaml")]));
    }
}
