//! When the key indexes are built, and how long they are used: through all snapshots until the structure changes.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::file_entry::FileEntry;
use super::key_index::{BulkIndex, KeyIndex, KeyPlace};
use super::nodes::DataFiles;
use super::parallel;
use super::reach::Reach;
use super::shards::Shards;
use super::snapshot::World;
use super::texts::Texts;
use crate::config::Environment;
use crate::data::{Format, RootEntry};
use crate::text::TextRange;

/// If more files than this changed, the bulk is rebuilt, so that the layer over it stays small.
const MAX_CHANGED: usize = 1_000;

/// The number of files that are read between two checks for cancellation.
const FILES_AT_ONCE: usize = 256;

/// The indexes of one snapshot.
pub(super) struct Indexes {
    bulk: Arc<Bulk>,
    /// The paths that changed since the texts of the bulk.
    changed: Arc<BTreeSet<Arc<str>>>,
    /// The bulk with the changes, by environment.
    here: Shards<OnceLock<Arc<KeyIndex>>>,
}

/// The bulk of all environments, built on demand from the texts of one moment.
struct Bulk {
    texts: Texts,
    by_environment: Shards<OnceLock<Arc<BulkIndex>>>,
}

impl Indexes {
    /// Indexes that start with `texts`.
    pub(super) fn new(texts: Texts) -> Self {
        let bulk = Bulk { texts, by_environment: Shards::default() };
        Self { bulk: Arc::new(bulk), changed: Arc::default(), here: Shards::default() }
    }

    /// The indexes after a change of `paths`, which resulted in `texts`.
    pub(super) fn after_change(&self, paths: &[Arc<str>], texts: &Texts) -> Self {
        // Most edits are in files that changed before. Then the set is shared instead of copied.
        if paths.iter().all(|path| self.changed.contains(path)) {
            return self.unchanged();
        }
        let changed: BTreeSet<_> = self.changed.iter().chain(paths).cloned().collect();
        if changed.len() > MAX_CHANGED {
            return Self::new(texts.clone());
        }
        Self { changed: Arc::new(changed), ..self.unchanged() }
    }

    fn unchanged(&self) -> Self {
        Self { bulk: self.bulk.clone(), changed: self.changed.clone(), here: Shards::default() }
    }
}

impl World {
    /// The files that the environment's hierarchies can lead to, including those of its modules.
    pub fn reach(&self, environment: &Environment) -> Arc<Reach> {
        let slot = self.roots.reaches.slot(&key_of(environment));
        slot.get_or_init(|| Arc::new(Reach::new(&self.texts, &self.settings, environment))).clone()
    }

    /// The files that the environment's own hierarchy and the global one can lead to, or those of a module that is the
    /// workspace.
    pub fn own_reach(&self, environment: &Environment) -> Arc<Reach> {
        let slot = self.roots.own_reaches.slot(&key_of(environment));
        slot.get_or_init(|| Arc::new(Reach::own(&self.texts, &self.settings, environment))).clone()
    }

    /// The files that the environment's hierarchies can lead to, sorted by path, and their formats.
    pub(super) fn data_files(&self, environment: &Environment) -> DataFiles {
        let slot = self.nodes.data_files.slot(&key_of(environment));
        let find = || self.reach(environment).files(&self.texts).into_iter().collect();
        slot.get_or_init(find).clone()
    }

    /// All keys in the environment's data, each once, sorted.
    pub fn all_keys(&self, environment: &Environment) -> Vec<Arc<str>> {
        self.key_index(environment).keys()
    }

    /// Which files have which keys. The first call reads all data files of the environment, which takes seconds for tens of
    /// thousands of files. Later calls only process what changed since.
    pub fn key_index(&self, environment: &Environment) -> Arc<KeyIndex> {
        let here = self.indexes.here.slot(&key_of(environment));
        here.get_or_init(|| {
            let reach = self.reach(environment);
            let bulk = self.indexes.bulk.by_environment.slot(&key_of(environment));
            let make = || Arc::new(BulkIndex::build(&self.indexes.bulk.texts, &reach));
            let bulk = bulk.get_or_init(make).clone();
            Arc::new(KeyIndex::new(bulk, &self.texts, &reach, self.indexes.changed.iter()))
        })
        .clone()
    }

    /// Reads the data files of the environment before all of them are needed. Stops when `is_cancelled` returns true. `tell`
    /// gets the numbers of files that are read, and of all files.
    pub fn read_ahead(
        &self,
        environment: &Environment,
        is_cancelled: &dyn Fn() -> bool,
        tell: &dyn Fn(usize, usize),
    ) {
        if self.key_index_if_built(environment).is_some() {
            return;
        }
        let files: Vec<_> = self.reach(environment).files(&self.texts).into_iter().collect();
        for (number, chunk) in files.chunks(FILES_AT_ONCE).enumerate() {
            if is_cancelled() {
                return;
            }
            parallel::map(chunk, |(path, _)| drop(self.texts.file(path)));
            tell(number * FILES_AT_ONCE + chunk.len(), files.len());
        }
    }

    /// The data files of the environment whose text contains `needle`, sorted by path: where a name may be used.
    pub fn files_containing(&self, environment: &Environment, needle: &str) -> Vec<Arc<FileEntry>> {
        let finder = memchr::memmem::Finder::new(needle.as_bytes());
        let files = self.key_index(environment).files();
        let holding = parallel::map(&files, |(path, _)| {
            let file = self.texts.file(path).ok()?;
            finder.find(file.text.as_bytes()).map(|_| file)
        });
        holding.into_iter().flatten().collect()
    }

    /// The entry at a place of `key` in the key index, without parsing the whole file; if the file has the key twice, one of
    /// its entries.
    pub fn entry_at(&self, key: &str, place: &KeyPlace) -> Option<RootEntry> {
        let range = TextRange::new(place.key.start, place.value.end.max(place.key.end));
        self.texts.file(&place.path).ok()?.entry(place.format, key, range)
    }

    /// The root key of the entry that contains a byte of a file.
    pub(super) fn key_at(&self, file: &FileEntry, format: Format, at: u32) -> Option<Arc<str>> {
        let names = self.texts.base.names();
        file.keys(format, names).at(at).map(|name| names.text(name))
    }

    /// [`Self::key_index`] if that does not require reading everything first.
    pub fn key_index_if_built(&self, environment: &Environment) -> Option<Arc<KeyIndex>> {
        let bulk = self.indexes.bulk.by_environment.get(&key_of(environment))?;
        bulk.get().is_some().then(|| self.key_index(environment))
    }
}

/// Identifies an environment: by its directory, and by its name, which the command line can set.
pub(super) fn key_of(environment: &Environment) -> String {
    format!("{} {}", environment.name, environment.directory())
}
