//! The working tree as a disk, with the files that `git sparse-checkout` leaves out: their content is that in Git's index.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use super::{GitDisk, Repository, TreeItem, git_bytes, kind_of_mode};
use crate::data::{DirItem, OddItem, PathKind};
use crate::world::DiskReader;

/// The disk.
pub(crate) struct WorkingTree {
    machine: Arc<dyn DiskReader>,
    /// The files that are left out; `None` if there are none.
    left_out: Option<GitDisk>,
}

impl WorkingTree {
    /// The working tree of `repository` on the disk of this machine.
    pub(crate) fn new(
        repository: &Repository,
        machine: Arc<dyn DiskReader>,
    ) -> Result<Self, String> {
        let items = match &repository.top {
            Some(top) => left_out(&git_bytes(top, &["ls-files", "-t", "-s", "-z"])?),
            None => Vec::new(),
        };
        let is_whole = items.is_empty();
        let disk = || GitDisk::of_items(repository.clone(), items, Arc::clone(&machine));
        let left_out = (!is_whole).then(disk);
        Ok(Self { machine, left_out })
    }

    /// A file that was read so far, and whose content is not in this clone.
    pub(crate) fn missing(&self) -> Option<&str> {
        self.left_out.as_ref()?.missing()
    }

    /// The disk with the file or directory at `path`, if the machine does not have it.
    fn elsewhere(&self, path: &str) -> Option<&GitDisk> {
        let disk = self.left_out.as_ref()?;
        (self.machine.kind(path) == PathKind::Missing).then_some(disk)
    }
}

/// The files of the index that Git does not expect in the working tree.
fn left_out(listed: &[u8]) -> Vec<(String, TreeItem)> {
    listed.split(|byte| *byte == 0).filter_map(index_item).collect()
}

/// `S 100644 9daeafb… 0<TAB>data/common.yaml`, if it is not expected. Names that are not UTF-8 are skipped.
fn index_item(line: &[u8]) -> Option<(String, TreeItem)> {
    let (about, path) = str::from_utf8(line).ok()?.strip_prefix("S ")?.split_once('\t')?;
    let mut words = about.split(' ');
    let kind = kind_of_mode(words.next()?);
    Some((path.to_owned(), TreeItem { kind, object: words.next()?.to_owned() }))
}

impl DiskReader for WorkingTree {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        match self.elsewhere(path) {
            Some(disk) => disk.read_into(path, bytes),
            None => self.machine.read_into(path, bytes),
        }
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        let mut items = self.machine.list(directory)?;
        if let Some(disk) = &self.left_out {
            let known: HashSet<Arc<str>> = items.iter().map(|it| it.name.clone()).collect();
            let more = disk.list(directory).into_iter().flatten();
            items.extend(more.filter(|it| !known.contains(&it.name)));
        }
        Some(items)
    }

    fn odd_items(&self, directory: &str) -> Vec<OddItem> {
        self.machine.odd_items(directory)
    }

    fn kind(&self, path: &str) -> PathKind {
        match self.machine.kind(path) {
            PathKind::Missing => {
                self.left_out.as_ref().map_or(PathKind::Missing, |it| it.kind(path))
            }
            kind => kind,
        }
    }

    fn real_path(&self, path: &str) -> Option<String> {
        match self.elsewhere(path) {
            Some(disk) => disk.real_path(path),
            None => self.machine.real_path(path),
        }
    }

    fn is_broken_link(&self, path: &str) -> bool {
        self.machine.is_broken_link(path)
    }

    fn changed_at(&self, path: &str) -> Option<SystemTime> {
        self.machine.changed_at(path)
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        self.machine.environment_variable(name)
    }

    fn may_read(&self, path: &str) -> bool {
        self.machine.may_read(path)
    }

    fn certainly_holds(&self, path: &str, bytes: &[u8]) -> bool {
        self.machine.certainly_holds(path, bytes)
    }
}
