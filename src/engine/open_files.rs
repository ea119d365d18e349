//! Which files of an open path matter for which keys. This does not depend on the node, so evaluators of the same files share
//! it: a fleet looks up the same keys once for every node.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::assumptions::Way;
use super::fit_index::FitIndex;
use crate::data::Format;
use crate::facts::open_path::OpenPath;

/// After this many keys, an index of all files of the path pays off.
const ASKED_OFTEN: u32 = 8;

/// The different ways in which an open path leads to files that matter, each with its files.
pub(super) type Candidates = Arc<[(Way, Vec<Arc<str>>)]>;

/// The files of one open path.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// The ways to files that matter for a root key, computed on demand.
    candidates: Mutex<HashMap<Arc<str>, Candidates, foldhash::fast::RandomState>>,
    /// The number of keys that were looked up.
    asked: AtomicU32,
    /// The files by their keys, after enough keys were looked up.
    pub(super) index: OnceLock<FitIndex>,
}

/// The files of open paths, for all evaluators that read the same files in the same way.
#[derive(Debug, Default)]
pub struct OpenFilesTable {
    paths: Mutex<HashMap<PathKey, Arc<OpenFiles>, foldhash::fast::RandomState>>,
}

/// The path, the format of its files, whether it belongs to a module, and whether files that Puppet refuses are used.
type PathKey = (OpenPath, Format, bool, bool);

impl OpenFilesTable {
    /// What is known of the files of a path.
    pub(super) fn of(
        &self,
        path: &OpenPath,
        format: Format,
        is_of_module: bool,
        reads_broken_files: bool,
    ) -> Arc<OpenFiles> {
        let key = (path.clone(), format, is_of_module, reads_broken_files);
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(paths.entry(key).or_default())
    }
}

impl OpenFiles {
    /// Counts a lookup of another key, and returns whether an index now pays off.
    pub(super) fn is_asked_often(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= ASKED_OFTEN
    }

    /// The ways to the files that matter for `root`; `find` computes them the first time.
    pub(super) fn candidates(
        &self,
        root: &Arc<str>,
        find: impl FnOnce() -> Candidates,
    ) -> Candidates {
        let lock = || self.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(root).cloned();
        known.unwrap_or_else(|| {
            // No lock is held while `find` reads files. If two threads do the same work, they get the same result.
            let found = find();
            lock().insert(Arc::clone(root), Arc::clone(&found));
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_path_are_looked_for_once() {
        let table = OpenFilesTable::default();
        let path = |text: &str| OpenPath::new(text.into(), false);
        let find = |text: &str| {
            let files = table.of(&path(text), Format::Yaml, false, false);
            let mut is_new = false;
            files.candidates(&"key".into(), || {
                is_new = true;
                Arc::default()
            });
            is_new
        };
        assert!(find("/a"));
        assert!(!find("/a"));
        assert!(find("/b"));
        let of = |is_of_module, reads_broken_files| {
            table.of(&path("/a"), Format::Yaml, is_of_module, reads_broken_files)
        };
        assert!(Arc::ptr_eq(&of(false, false), &of(false, false)));
        assert!(!Arc::ptr_eq(&of(false, false), &of(true, false)));
        assert!(!Arc::ptr_eq(&of(false, false), &of(false, true)));
    }
}
