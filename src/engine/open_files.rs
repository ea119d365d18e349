//! Which files of an open path matter for which keys. This does not depend on the node, so evaluators of the same files share
//! it: a fleet looks up the same keys once for every node.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indexmap::IndexMap;

use super::assumptions::{Assumed, Condition, Way};
use super::fit_index::FitIndex;
use crate::data::Format;
use crate::facts::open_path::{Fit, OpenPath};

/// After this many keys, an index of all files of the path pays off.
const ASKED_OFTEN: u32 = 8;

/// A file that an open path can lead to, and the way to it.
#[derive(Debug, Clone)]
pub(super) struct FileWay {
    pub(super) path: Arc<str>,
    pub(super) way: Way,
}

impl From<Fit> for FileWay {
    fn from(fit: Fit) -> Self {
        let condition = |(variable, text)| Condition { variable, value: Assumed::Text(text) };
        Self { path: fit.path, way: fit.texts.into_iter().map(condition).collect() }
    }
}

/// The files of an open path that matter for a key, by the ways to them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// The different ways, each with its files.
    ways: IndexMap<Way, Vec<Arc<str>>, foldhash::fast::RandomState>,
    /// The number of different files.
    files: usize,
    /// The variables that decide which way is taken.
    variables: Vec<Arc<str>>,
}

impl Candidates {
    /// Puts files with the same way together. The files must be sorted by path.
    pub(super) fn new<'f>(files: impl Iterator<Item = &'f FileWay>) -> Self {
        let mut ways: IndexMap<Way, Vec<Arc<str>>, foldhash::fast::RandomState> =
            IndexMap::default();
        let (mut count, mut last) = (0, None);
        for file in files {
            count += usize::from(last != Some(&file.path));
            last = Some(&file.path);
            ways.entry(Arc::clone(&file.way)).or_default().push(Arc::clone(&file.path));
        }
        let mut variables: Vec<Arc<str>> = Vec::new();
        for condition in ways.keys().flat_map(|way| way.iter()) {
            if !variables.contains(&condition.variable) {
                variables.push(Arc::clone(&condition.variable));
            }
        }
        Self { ways, files: count, variables }
    }

    /// Whether no file matters.
    pub(super) fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// The ways that `allows` leaves. It is only called if something may be known of a variable in their conditions: a path can
    /// have thousands of ways, and most runs know nothing of them.
    pub(super) fn allowed(
        &self,
        may_decide: impl FnOnce(&[Arc<str>]) -> bool,
        allows: impl Fn(&Way) -> bool,
    ) -> Allowed<'_> {
        let some = may_decide(&self.variables).then(|| {
            (0..).zip(self.ways.keys()).filter(|(_, way)| allows(way)).map(|(at, _)| at).collect()
        });
        Allowed { candidates: self, some }
    }
}

/// The ways that are still possible in a run.
pub(super) struct Allowed<'c> {
    candidates: &'c Candidates,
    /// The numbers of the ways; `None` for all.
    some: Option<Vec<usize>>,
}

impl Allowed<'_> {
    /// The number of ways.
    pub(super) fn len(&self) -> usize {
        self.some.as_ref().map_or(self.candidates.ways.len(), Vec::len)
    }

    /// The number of different files that they lead to.
    pub(super) fn count_files(&self) -> usize {
        let Some(some) = &self.some else { return self.candidates.files };
        let files = some.iter().flat_map(|at| &self.candidates.ways[*at]);
        files.collect::<HashSet<&Arc<str>, foldhash::fast::RandomState>>().len()
    }

    /// The ways themselves, in order.
    pub(super) fn ways(&self) -> Arc<[Way]> {
        let ways = &self.candidates.ways;
        match &self.some {
            Some(some) => {
                some.iter().filter_map(|at| Some(ways.get_index(*at)?.0.clone())).collect()
            }
            None => ways.keys().cloned().collect(),
        }
    }
}

/// The files of one open path.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// The ways to files that matter for a root key, computed on demand.
    candidates: Mutex<HashMap<Arc<str>, Arc<Candidates>, foldhash::fast::RandomState>>,
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
    ) -> Arc<Candidates> {
        let lock = || self.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(root).cloned();
        known.unwrap_or_else(|| {
            // No lock is held while `find` reads files. If two threads do the same work, they get the same result.
            let found = Arc::new(find());
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
                Candidates::default()
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

    #[test]
    fn the_ways_are_compared_only_if_something_is_known_of_their_variables() {
        let to = |path: &str, role: &str| FileWay {
            path: path.into(),
            way: [Condition { variable: "role".into(), value: Assumed::Text(role.into()) }].into(),
        };
        let files = [to("/a", "x"), to("/b", "x"), to("/b", "y")];
        let candidates = Candidates::new(files.iter());
        let all = candidates.allowed(
            |variables| variables != ["role".into()],
            |_| panic!("no way needs a comparison"),
        );
        assert_eq!((all.len(), all.count_files(), all.ways().len()), (2, 2, 2));
        let some = candidates.allowed(|_| true, |way| *way == files[2].way);
        assert_eq!((some.len(), some.count_files()), (1, 1));
        assert_eq!(*some.ways(), [Arc::clone(&files[2].way)]);
    }
}
