//! Which files of open paths matter for which keys: kept over edits that leave the root keys of all files alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::file_entry::FileEntry;
use super::indexes::key_of;
use super::shards::Shards;
use super::snapshot::World;
use super::texts::Texts;
use crate::config::Environment;
use crate::data::may_have_odd_root;
use crate::engine::OpenFilesTable;
use crate::engine::structure::concerns_all_keys;

/// The tables of one snapshot, by environment.
#[derive(Debug, Default)]
pub(super) struct OpenFilesByEnvironment(Shards<Slot>);

/// The table of one environment.
#[derive(Debug, Default)]
struct Slot {
    table: OnceLock<Arc<OpenFilesTable>>,
    /// That of an earlier snapshot, until it is known whether it still holds.
    earlier: Mutex<Option<Earlier>>,
}

#[derive(Debug, Clone)]
struct Earlier {
    table: Arc<OpenFilesTable>,
    /// The files that were edited since, as they were then; `None` for those that were not read.
    files: BTreeMap<Arc<str>, Option<Arc<FileEntry>>>,
}

impl OpenFilesByEnvironment {
    /// For the next snapshot, in which the files at `paths` have other texts than in `texts`.
    pub(super) fn after_edit(&self, paths: &[Arc<str>], texts: &Texts) -> Self {
        Self(self.0.changed(|_, slot| Some(Arc::new(slot.after_edit(paths, texts)))))
    }

    /// The table of an environment of `world`, whose snapshot this belongs to.
    pub(super) fn of(&self, world: &World, environment: &Arc<Environment>) -> Arc<OpenFilesTable> {
        let slot = self.0.slot(&key_of(environment));
        let table = slot.table.get_or_init(|| {
            let earlier = slot.earlier.lock().unwrap_or_else(PoisonError::into_inner).take();
            let still_holds = |it: &Earlier| has_same_keys(world, environment, it);
            earlier.filter(still_holds).map(|it| it.table).unwrap_or_default()
        });
        Arc::clone(table)
    }
}

impl Slot {
    fn after_edit(&self, paths: &[Arc<str>], texts: &Texts) -> Self {
        let mut earlier = match self.table.get() {
            Some(table) => Some(Earlier { table: table.clone(), files: BTreeMap::new() }),
            None => self.earlier.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        };
        if let Some(Earlier { files, .. }) = &mut earlier {
            for path in paths {
                // Only the text before the first edit counts, because the table was made from that one.
                files.entry(path.clone()).or_insert_with(|| texts.file_if_read(path));
            }
        }
        Self { table: OnceLock::new(), earlier: Mutex::new(earlier) }
    }
}

/// Whether all files have the root keys now that they had then, and those that fail every lookup still do so.
fn has_same_keys(world: &World, environment: &Arc<Environment>, earlier: &Earlier) -> bool {
    // Without an index, the table is made again, which costs less than the index.
    let Some(index) = world.key_index_if_built(environment) else { return false };
    let (names, reach) = (world.texts.base.names(), world.reach(environment));
    let version = world.settings().puppet_version;
    earlier.files.iter().all(|(path, before)| {
        // A file that is not data has no keys that could matter.
        let Some(format) = index.format_of(path) else { return true };
        let (Some(before), Ok(now)) = (before, world.file(path)) else { return false };
        let is_of_module = reach.is_of_module(path);
        let is_refused = |file: &FileEntry| {
            may_have_odd_root(file.text.as_bytes(), format, is_of_module) && {
                let data = file.data(format);
                !data.is_broken() && concerns_all_keys(data, is_of_module, version)
            }
        };
        is_refused(before) == is_refused(&now)
            && before.keys(format, names).has_same_names(now.keys(format, names))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    const HIERA_YAML: &str = "version: 5\nhierarchy: [{name: n, path: 'nodes/%{role}.yaml'}]\n";

    fn table(host: &Host) -> Arc<OpenFilesTable> {
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        // An evaluator that uses the table has the index, too.
        world.key_index(&environment);
        world.evaluators.open_files.of(&world, &environment)
    }

    fn typed(path: &str, text: &str) -> Change {
        Change::OpenBuffer { path: path.to_owned(), text: text.to_owned(), version: 1 }
    }

    #[test]
    fn edits_of_values_leave_them_alone() {
        let files = [
            ("/r/hiera.yaml", HIERA_YAML),
            ("/r/data/nodes/a.yaml", "k: 1\nl: 2\n"),
            ("/r/data/nodes/b.yaml", "k: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        let first = table(&host);
        host.apply(typed("/r/data/nodes/a.yaml", "k: 10\nl: 2\n"));
        assert!(Arc::ptr_eq(&table(&host), &first));
        // Several edits before anything is looked up count as one.
        host.apply(typed("/r/data/nodes/a.yaml", "k: 10\nm: 2\n"));
        host.apply(typed("/r/data/nodes/b.yaml", "k: 3\n"));
        host.apply(typed("/r/data/nodes/a.yaml", "k: 10\nl: 3\n"));
        assert!(Arc::ptr_eq(&table(&host), &first));
        host.apply(typed("/r/data/nodes/a.yaml", "k: 10\nm: 3\n"));
        let second = table(&host);
        assert!(!Arc::ptr_eq(&second, &first));
        // A file that fails every lookup has no keys, as an empty one.
        host.apply(typed("/r/data/nodes/b.yaml", ""));
        let empty = table(&host);
        host.apply(typed("/r/data/nodes/b.yaml", "# c\n"));
        assert!(Arc::ptr_eq(&table(&host), &empty));
        host.apply(typed("/r/data/nodes/b.yaml", "x\n"));
        let refused = table(&host);
        assert!(!Arc::ptr_eq(&refused, &empty));
        host.apply(typed("/r/data/nodes/b.yaml", "xy\n"));
        assert!(Arc::ptr_eq(&table(&host), &refused));
        host.apply(typed("/r/data/nodes/b.yaml", "k: 3\n"));
        assert!(!Arc::ptr_eq(&table(&host), &refused));
        // A file that is not data, then one that did not exist.
        host.apply(typed("/r/README.md", "text"));
        let third = table(&host);
        host.apply(typed("/r/README.md", "another text"));
        assert!(Arc::ptr_eq(&table(&host), &third));
        host.apply(typed("/r/data/nodes/c.yaml", "k: 1\n"));
        assert!(!Arc::ptr_eq(&table(&host), &third));
    }
}
