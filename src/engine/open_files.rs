//! Which files of an open path matter for which keys. This does not depend on the node, so evaluators of the same files share
//! it: a fleet looks up the same keys once for every node.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indexmap::IndexMap;

use super::assumptions::Way;
use super::fit_index::FitIndex;
use super::path_files::PathFiles;
use crate::data::Format;
use crate::facts::open_path::OpenPath;

/// After this many keys, an index of all files of the path pays off.
const ASKED_OFTEN: u32 = 8;

/// The files of an open path that matter for a key, by the ways to them.
///
/// A path can lead to thousands of files, and there are hundreds of keys, so these are numbers in the list of all ways.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// All ways of the path, sorted by path.
    all: Arc<PathFiles>,
    /// Those to files that matter.
    members: Vec<u32>,
    /// The members by their way, if several files may have the same way, as those of a glob do.
    groups: Option<Vec<Vec<u32>>>,
    /// The number of different files.
    files: usize,
    /// The variables that decide which way is taken.
    variables: Vec<Arc<str>>,
}

impl Candidates {
    /// The ways to the files that matter, by their numbers, in order.
    pub(super) fn new(
        path: &OpenPath,
        all: Arc<PathFiles>,
        members: impl Iterator<Item = u32>,
    ) -> Self {
        let members: Vec<u32> = members.collect();
        let files = count_files(&all, members.iter().copied());
        let groups = path.is_glob().then(|| {
            let mut groups: IndexMap<&Way, Vec<u32>, foldhash::fast::RandomState> =
                IndexMap::default();
            for at in &members {
                groups.entry(&all[*at as usize].way).or_default().push(*at);
            }
            groups.into_values().collect()
        });
        Self { all, members, groups, files, variables: path.variables() }
    }

    /// All of `ways`, which must be sorted by path.
    pub(super) fn of_all(path: &OpenPath, ways: Arc<PathFiles>) -> Self {
        let count = ways.len() as u32;
        Self::new(path, ways, 0..count)
    }

    /// Whether no file matters.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn count(&self) -> usize {
        self.groups.as_ref().map_or(self.members.len(), Vec::len)
    }

    /// The ways of the same number, of which there is only one if this is not a glob.
    fn group(&self, number: usize) -> &[u32] {
        match &self.groups {
            Some(groups) => &groups[number],
            None => std::slice::from_ref(&self.members[number]),
        }
    }

    fn way(&self, number: usize) -> &Way {
        &self.all[self.group(number)[0] as usize].way
    }

    /// The ways that `allows` leaves. It is only called if something may be known of a variable in their conditions: a path can
    /// have thousands of ways, and most runs know nothing of them.
    pub(super) fn allowed(
        &self,
        may_decide: impl FnOnce(&[Arc<str>]) -> bool,
        allows: impl Fn(&Way) -> bool,
    ) -> Allowed<'_> {
        let some = may_decide(&self.variables)
            .then(|| (0..self.count()).filter(|number| allows(self.way(*number))).collect());
        Allowed { candidates: self, some }
    }
}

/// The number of different files among ways that are sorted by path.
fn count_files(all: &PathFiles, ways: impl Iterator<Item = u32>) -> usize {
    let mut last = None;
    let is_new = |at: &u32| {
        let path = &all[*at as usize].path;
        let is_new = last != Some(path);
        last = Some(path);
        is_new
    };
    ways.filter(is_new).count()
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
        self.some.as_ref().map_or(self.candidates.count(), Vec::len)
    }

    /// Removes the ways whose files are all refused.
    pub(super) fn retain(&mut self, mut is_needed: impl FnMut(&Arc<str>) -> bool) {
        let candidates = self.candidates;
        let mut is_way_needed = |number: &usize| {
            let files = candidates.group(*number).iter();
            files.map(|at| &candidates.all[*at as usize].path).any(&mut is_needed)
        };
        let all = self.some.take().unwrap_or_else(|| (0..candidates.count()).collect());
        self.some = Some(all.into_iter().filter(|it| is_way_needed(it)).collect());
    }

    /// The number of different files that they lead to.
    pub(super) fn count_files(&self) -> usize {
        let Some(some) = &self.some else { return self.candidates.files };
        let mut ways: Vec<u32> =
            some.iter().flat_map(|number| self.candidates.group(*number)).copied().collect();
        ways.sort_unstable();
        count_files(&self.candidates.all, ways.into_iter())
    }

    /// The files at the end of a way.
    pub(super) fn files_of(&self, number: usize) -> impl Iterator<Item = &Arc<str>> {
        let number = self.some.as_ref().map_or(number, |some| some[number]);
        self.candidates.group(number).iter().map(|at| &self.candidates.all[*at as usize].path)
    }

    /// The ways themselves, in order.
    pub(super) fn ways(&self) -> Arc<[Way]> {
        let way = |number: usize| Arc::clone(self.candidates.way(number));
        match &self.some {
            Some(some) => some.iter().map(|number| way(*number)).collect(),
            None => (0..self.candidates.count()).map(way).collect(),
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
    use super::super::assumptions::{Assumed, Condition};
    use super::super::path_files::FileWay;
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
        let path =
            OpenPath::new(format!("/{}*", crate::facts::open_path::hole("role")).into(), true);
        let candidates = Candidates::of_all(&path, Arc::new(files.iter().cloned().collect()));
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
