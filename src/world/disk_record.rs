//! What reads of a disk found, for all its states: what is left out, and what was read through links.
//!
//! A state of the disk shares the files that did not change with the state before it. A snapshot of that earlier state may
//! still read such a file, so what it finds counts for the later one as well.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::changed_paths::ChangedPaths;
use super::paths;

/// The maximum number of notes about things that are left out.
const MAX_NOTES: usize = 20;

/// How many changed paths are remembered for reads of earlier states.
const MAX_CHANGED_PATHS: usize = 10_000;

/// The number of a state of the disk. Each change makes a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct DiskState(u64);

/// The record of a disk.
#[derive(Debug, Default)]
pub(super) struct DiskRecord {
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    now: DiskState,
    /// Why something at or below a path is left out.
    notes: BTreeMap<String, String>,
    /// By the path without links, the paths by which the file was read, or the directory listed.
    links: BTreeMap<String, BTreeSet<Arc<str>>>,
    /// The paths that changed, by the state that the change made; the oldest may be missing.
    changes: VecDeque<(DiskState, Vec<String>)>,
}

impl DiskRecord {
    /// Records why something at or below `path` is left out in a state. What has changed since then is no longer true.
    pub(super) fn leave_out(&self, state: DiskState, path: &str, why: String) {
        let mut found = self.found();
        if found.notes.len() < MAX_NOTES && !found.may_have_changed(state, path) {
            found.notes.insert(path.to_owned(), why);
        }
    }

    /// What has been left out so far, by path.
    pub(super) fn left_out(&self) -> Vec<String> {
        self.found().notes.values().cloned().collect()
    }

    /// Records that the file or directory at `real`, a path without links, was read by `path`.
    pub(super) fn read_by_link(&self, real: String, path: &str) {
        self.found().links.entry(real).or_default().insert(path.into());
    }

    /// Whether anything was read through a link.
    pub(super) fn has_links(&self) -> bool {
        !self.found().links.is_empty()
    }

    /// The paths by which links lead to `real`: those by which it, or what is below it, was read, and those below the directories
    /// around it that were listed.
    pub(super) fn links_to(&self, real: &str) -> Vec<Arc<str>> {
        let found = self.found();
        let from = found.links.range(real.to_owned()..);
        let near = from.take_while(|(it, _)| it.starts_with(real));
        let below = near.filter(|(it, _)| paths::below(real, it).is_some());
        let read = below.flat_map(|(_, paths)| paths.iter().cloned());
        let around = paths::ancestors(real).filter_map(|it| {
            let (links, rest) = (found.links.get(it)?, paths::below(it, real)?);
            Some(links.iter().map(move |link| Arc::from(paths::join(link, rest))))
        });
        let all: BTreeSet<Arc<str>> = read.chain(around.flatten()).collect();
        all.into_iter().collect()
    }

    /// The state after a change. What was left out there is looked at again.
    pub(super) fn after_change(&self, changed: &ChangedPaths<'_>) -> DiskState {
        let mut found = self.found();
        found.notes.retain(|path, _| !changed.concerns(path));
        found.now.0 += 1;
        let change = (found.now, changed.paths().map(str::to_owned).collect());
        found.changes.push_back(change);
        let mut count: usize = found.changes.iter().map(|(_, paths)| paths.len()).sum();
        while count > MAX_CHANGED_PATHS
            && let Some((_, paths)) = found.changes.pop_front()
        {
            count -= paths.len();
        }
        found.now
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Found {
    /// Whether `path` may have changed since `state`.
    fn may_have_changed(&self, state: DiskState, path: &str) -> bool {
        let later = self.changes.iter().filter(|(made, _)| *made > state);
        let is_forgotten = (later.clone().count() as u64) < self.now.0.saturating_sub(state.0);
        let concerns =
            |paths: &[String]| ChangedPaths::new(paths.iter().map(String::as_str)).concerns(path);
        is_forgotten || later.into_iter().any(|(_, paths)| concerns(paths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(record: &DiskRecord, paths: &[&str]) -> DiskState {
        record.after_change(&ChangedPaths::new(paths.iter().copied()))
    }

    #[test]
    fn a_late_note_counts_unless_its_path_has_changed() {
        let record = DiskRecord::default();
        let first = DiskState::default();
        let second = change(&record, &["/d/a.yaml"]);
        record.leave_out(first, "/d/b.yaml", "late".to_owned());
        record.leave_out(first, "/d/a.yaml", "old".to_owned());
        record.leave_out(first, "/d", "old listing".to_owned());
        assert_eq!(record.left_out(), ["late"]);
        record.leave_out(second, "/d/a.yaml", "new".to_owned());
        assert_eq!(record.left_out(), ["new", "late"]);
        change(&record, &["/d/b.yaml"]);
        assert_eq!(record.left_out(), ["new"]);
    }

    #[test]
    fn a_note_about_a_state_whose_changes_are_forgotten_does_not_count() {
        let record = DiskRecord::default();
        let first = DiskState::default();
        let names: Vec<String> = (0..=MAX_CHANGED_PATHS).map(|it| format!("/d/{it}")).collect();
        change(&record, &names.iter().map(String::as_str).collect::<Vec<_>>());
        record.leave_out(first, "/e", "old".to_owned());
        assert!(record.left_out().is_empty());
    }
}
