//! When the key indexes are built, and how long they are used: through all snapshots until the structure changes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::file_entry::FileEntry;
use super::key_index::{BulkIndex, KeyIndex, KeyPlace, KeysHere, read_with_keys};
use super::nodes::{DataFiles, format_in};
use super::parallel;
use super::reach::Reach;
use super::shards::Shards;
use super::snapshot::World;
use super::texts::Texts;
use crate::config::Environment;
use crate::data::{Format, RootEntry};
use crate::engine::{KeyFinder, LOOKUP_OPTIONS, PathFiles};
use crate::text::TextRange;

/// If more files than this changed, the bulk is rebuilt, so that the layer over it stays small.
const MAX_CHANGED: usize = 1_000;

/// Only one key is searched for in so many files. To build the index takes little longer than to search for another one.
const MANY_FILES: usize = 1_000;

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
    /// The data files of each environment, by path.
    files: Shards<OnceLock<DataFiles>>,
}

impl Indexes {
    /// Indexes that start with `texts`.
    pub(super) fn new(texts: Texts) -> Self {
        let bulk = Bulk { texts, by_environment: Shards::default(), files: Shards::default() };
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

impl Bulk {
    /// The data files of an environment, where the hierarchies of `reach` lead.
    fn files(&self, environment: &str, reach: &Reach) -> DataFiles {
        let slot = self.files.slot(environment);
        slot.get_or_init(|| reach.files(&self.texts).into_iter().collect()).clone()
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
    pub fn data_files(&self, environment: &Environment) -> DataFiles {
        let slot = self.nodes.data_files.slot(&key_of(environment));
        let find = || self.reach(environment).files(&self.texts).into_iter().collect();
        slot.get_or_init(find).clone()
    }

    /// All keys in the environment's data, each once, sorted.
    pub fn all_keys(&self, environment: &Environment) -> Vec<Arc<str>> {
        self.key_index(environment).keys()
    }

    /// [`Self::all_keys`] for a command that needs nothing else of the index: the files are searched for the starts of entries,
    /// and nothing of them is kept.
    pub fn scan_keys(&self, environment: &Environment) -> BTreeSet<Arc<str>> {
        if let Some(index) = self.key_index_if_built(environment) {
            return index.keys().into_iter().collect();
        }
        let files = self.data_files(environment);
        let all = Mutex::new(BTreeSet::new());
        self.texts.read_together(files.iter().map(|(path, _)| &**path), &|| true, &|paths| {
            let mut keys: HashSet<Arc<str>, foldhash::fast::RandomState> = HashSet::default();
            for path in paths {
                let (Some(format), Ok(file)) = (format_in(&files, path), self.texts.file(path))
                else {
                    continue;
                };
                file.each_root_key(format, |key| {
                    if !keys.contains(key) {
                        keys.insert(key.into());
                    }
                });
            }
            all.lock().unwrap_or_else(PoisonError::into_inner).extend(keys);
        });
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The root keys of one file; none if it cannot be read. Nothing is kept.
    pub fn root_keys_of(&self, path: &str, format: Format) -> BTreeSet<Arc<str>> {
        let mut keys = BTreeSet::new();
        if let Ok(file) = self.texts.file(path) {
            file.each_root_key(format, |key| {
                keys.insert(key.into());
            });
        }
        keys
    }

    /// The root keys of the sample data that the settings name.
    pub fn sample_keys(&self) -> BTreeSet<Arc<str>> {
        let files = self.back_ends().sample_files();
        files.iter().flat_map(|(path, format)| self.root_keys_of(path, *format)).collect()
    }

    /// Which files have which keys. The first call reads all data files of the environment, which takes seconds for tens of
    /// thousands of files. Later calls only process what changed since.
    pub fn key_index(&self, environment: &Environment) -> Arc<KeyIndex> {
        self.key_finder(environment).index()
    }

    /// What finds the files with a key for lookups in the environment.
    pub(super) fn key_finder(&self, environment: &Environment) -> Arc<IndexOrTexts> {
        let key = key_of(environment);
        Arc::new(IndexOrTexts {
            texts: self.texts.clone(),
            reach: self.reach(environment),
            moment: self.indexes.bulk.clone(),
            bulk: self.indexes.bulk.by_environment.slot(&key),
            environment: key.as_str().into(),
            changed: self.indexes.changed.clone(),
            here: self.indexes.here.slot(&key),
            without: Mutex::default(),
            are_odd: Mutex::default(),
        })
    }

    /// Reads the data files of the environment before all of them are needed. Stops when `is_cancelled` returns true. `tell`
    /// gets the numbers of files that are read, and of all files.
    pub fn read_ahead(
        &self,
        environment: &Environment,
        is_cancelled: &(dyn Fn() -> bool + Sync),
        tell: &(dyn Fn(usize, usize) + Sync),
    ) {
        if self.key_index_if_built(environment).is_some() {
            return;
        }
        let files = self.indexes.bulk.files(&key_of(environment), &self.reach(environment));
        // The numbers must only grow, whichever thread tells them.
        let read = Mutex::new(0);
        read_with_keys(&self.texts, &files, &|| !is_cancelled(), &|count| {
            let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
            *read += count;
            tell(*read, files.len());
        });
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
        // A look at the reach could list directories.
        let bulk = self.indexes.bulk.by_environment.get(&key_of(environment))?;
        bulk.get().is_some().then(|| self.key_index(environment))
    }
}

/// Finds the files with a key for one snapshot: in the index if it has been built, or else in the texts. A first lookup thus
/// reads only the files that its levels can lead to. Both find the same.
pub(super) struct IndexOrTexts {
    texts: Texts,
    reach: Arc<Reach>,
    moment: Arc<Bulk>,
    bulk: Arc<OnceLock<Arc<BulkIndex>>>,
    environment: Arc<str>,
    changed: Arc<BTreeSet<Arc<str>>>,
    here: Arc<OnceLock<Arc<KeyIndex>>>,
    /// The files whose texts showed that they do not have a root key, while they were searched for another one.
    without: Mutex<(Arc<str>, HashSet<Arc<str>>)>,
    /// Whether a file may fail every lookup because of its root, for each that was searched.
    are_odd: Mutex<HashMap<Arc<str>, bool>>,
}

impl IndexOrTexts {
    /// The index, which is built if it is not there. If that is being done in the background, the threads there hurry.
    fn index(&self) -> Arc<KeyIndex> {
        let files = || self.moment.files(&self.environment, &self.reach);
        let make = || Arc::new(BulkIndex::build(&self.moment.texts, &self.reach, &files()));
        self.index_with(parallel::wait_for(|| self.bulk.get_or_init(make)))
    }

    fn index_with(&self, bulk: &Arc<BulkIndex>) -> Arc<KeyIndex> {
        let changed = self.changed.iter();
        let make = || KeyIndex::new(bulk.clone(), &self.texts, &self.reach, changed);
        self.here.get_or_init(|| Arc::new(make())).clone()
    }

    /// What the text of a file shows; `None` if it is not a data file.
    fn look(&self, path: &Arc<str>, root: &str, next: Option<&str>) -> Option<KeysHere> {
        let kind = (self.reach.format_of(path)?, self.reach.is_of_module(path));
        Some(KeysHere::look(&self.texts, path, kind, root, next))
    }

    /// Whether the text of a file was searched for a key before.
    fn was_searched(&self, path: &str) -> bool {
        self.are_odd.lock().unwrap_or_else(PoisonError::into_inner).contains_key(path)
    }

    fn note_odd_ones(&self, found: &[(Arc<str>, Option<KeysHere>)]) {
        // A directory in the place of a file is not in the index, either.
        let is_odd = |path: &str, keys: &Option<KeysHere>| {
            keys.as_ref().is_some_and(|it| it.may_have_odd_root) && self.texts.is_file(path)
        };
        let mut known = self.are_odd.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(found.iter().map(|(path, keys)| (path.clone(), is_odd(path, keys))));
    }

    /// Remembers files without a root key. Only the last one is remembered: it is looked for right after.
    fn note_those_without(&self, root: &str, paths: impl Iterator<Item = Arc<str>>) {
        let mut without = self.without.lock().unwrap_or_else(PoisonError::into_inner);
        if *without.0 != *root {
            *without = (root.into(), HashSet::new());
        }
        without.1.extend(paths);
    }

    fn leave_out_those_without(&self, root: &str, paths: &mut Vec<Arc<str>>) {
        let without = self.without.lock().unwrap_or_else(PoisonError::into_inner);
        if *without.0 == *root {
            paths.retain(|path| !without.1.contains(path));
        }
    }
}

impl KeyFinder for IndexOrTexts {
    fn files_with(
        &self,
        root: &str,
        next: Option<&str>,
        among: &dyn Fn() -> Vec<Arc<str>>,
    ) -> Vec<Arc<str>> {
        if let Some(bulk) = self.bulk.get() {
            return self.index_with(bulk).paths_with(root);
        }
        let mut paths = among();
        // Several ways may lead to one file.
        paths.sort_unstable();
        paths.dedup();
        let count = paths.len();
        self.leave_out_those_without(root, &mut paths);
        let is_new_search = paths.len() == count;
        if count >= MANY_FILES && is_new_search && self.was_searched(&paths[0]) {
            return self.index().paths_with(root);
        }
        let found = parallel::map(&paths, |path| self.look(path, root, next));
        let found: Vec<_> = paths.into_iter().zip(found).collect();
        self.note_odd_ones(&found);
        if let Some(next) = next {
            let shows_it =
                |keys: &Option<KeysHere>| keys.as_ref().is_some_and(|it| !it.may_have_next);
            let without = found.iter().filter(|(_, keys)| shows_it(keys));
            self.note_those_without(next, without.map(|(path, _)| path.clone()));
        }
        let has_it = |keys: Option<KeysHere>| keys.is_some_and(|it| it.has_key);
        found.into_iter().filter_map(|(path, keys)| has_it(keys).then_some(path)).collect()
    }

    fn members(&self, root: &str, files: &PathFiles) -> Option<Vec<u32>> {
        self.bulk.get().map(|bulk| self.index_with(bulk).members(root, files))
    }

    fn has_only_plain_values(&self, root: &str) -> bool {
        let bulk = self.bulk.get();
        bulk.is_some_and(|bulk| !self.index_with(bulk).may_not_be_plain(root))
    }

    fn odd_files(&self, among: &dyn Fn() -> Vec<Arc<str>>) -> Vec<Arc<str>> {
        if let Some(bulk) = self.bulk.get() {
            return self.index_with(bulk).odd_files();
        }
        let mut paths = among();
        paths.sort_unstable();
        paths.dedup();
        let lock = || self.are_odd.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<Arc<str>> = {
            let known = lock();
            paths.iter().filter(|path| !known.contains_key(*path)).cloned().collect()
        };
        let found = parallel::map(&new, |path| self.look(path, LOOKUP_OPTIONS, None));
        self.note_odd_ones(&new.into_iter().zip(found).collect::<Vec<_>>());
        let known = lock();
        paths.retain(|path| known.get(path).is_some_and(|is_odd| *is_odd));
        paths
    }
}

/// Identifies an environment: by its directory, and by its name, which the command line can set.
pub(super) fn key_of(environment: &Environment) -> String {
    format!("{} {}", environment.name, environment.directory())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::inspect::inspect;
    use crate::engine::cases::in_words;
    use crate::world::{Change, Host, MemoryDisk};

    const HIERA_YAML: &str = "
version: 5
hierarchy:
  - {name: nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: roles, path: 'roles/%{role}.json', data_hash: json_data}
  - {name: common, path: common.yaml}
";

    const FILES: [(&str, &str); 9] = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/data/common.yaml", "a: 1\nb: 2\nlookup_options: {a: {merge: hash}}\n"),
        ("/r/data/nodes/plain.yaml", "a: b\nc: a\n"),
        ("/r/data/nodes/escaped.yaml", "\"\\x61\": 1\n!!binary Yg==: 2\n"),
        ("/r/data/nodes/merged.yaml", "x: &x {a: 1}\n<<: *x\n"),
        ("/r/data/nodes/broken.yaml", "a: [1\nb: 2\n"),
        ("/r/data/nodes/list.yaml", "- a\n- b\n"),
        ("/r/data/roles/web.json", "{\"a\": 1, \"\\u0062\": 2}"),
        ("/r/data/elsewhere.yaml", "a: 1\n"),
    ];

    /// The files with a key, found without an index, and with one.
    fn both_ways(host: &Host, key: &str) -> [Vec<Arc<str>>; 2] {
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        let all = || world.data_files(&environment).iter().map(|it| it.0.clone()).collect();
        let find = || {
            let mut found = world.key_finder(&environment).files_with(key, None, &all);
            found.sort_unstable();
            found
        };
        let without = find();
        assert!(world.key_index_if_built(&environment).is_none());
        world.key_index(&environment);
        [without, find()]
    }

    #[test]
    fn a_scan_finds_the_keys_of_the_index() {
        let world = Host::new(Arc::new(MemoryDisk::new(FILES))).snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        let scanned: Vec<_> = world.scan_keys(&environment).into_iter().collect();
        assert!(world.key_index_if_built(&environment).is_none());
        assert_eq!(scanned, world.all_keys(&environment));
        assert!(scanned.len() > 5, "{scanned:?}");
    }

    /// Whether a lookup of `key` built the index, in a workspace with many files that have none of the keys.
    fn builds_the_index(key: &str) -> bool {
        let nodes = (0..MANY_FILES).map(|number| format!("/r/data/nodes/n{number}.yaml"));
        let mut files: Vec<(String, &str)> = nodes.map(|path| (path, "x: 1\n")).collect();
        let chain = "k0: 1\nk1: \"%{lookup('k0')}\"\n";
        files.push(("/r/hiera.yaml".to_owned(), HIERA_YAML));
        files.push(("/r/data/common.yaml".to_owned(), chain));
        let disk = MemoryDisk::new(files.iter().map(|(path, text)| (path.as_str(), *text)));
        let world = Host::new(Arc::new(disk)).snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        world.evaluator(&environment, &world.any_node(&environment)).lookup(key);
        world.key_index_if_built(&environment).is_some()
    }

    #[test]
    fn the_index_is_built_before_a_second_search_of_many_files() {
        assert!(!builds_the_index("k0"));
        assert!(builds_the_index("k1"));
    }

    #[test]
    fn texts_and_the_index_show_the_same_files() {
        for key in ["a", "b", "c", "d", "x", "lookup_options", "<<"] {
            let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
            let [without, with] = both_ways(&host, key);
            assert_eq!(without, with, "{key}");
            assert_eq!(without.len() > 1, matches!(key, "a" | "b"), "{key}: {without:?}");
            let text = "d: 1\n\"\\x62\": 2\n".to_owned();
            let path = "/r/data/nodes/plain.yaml".to_owned();
            host = Host::new(Arc::new(MemoryDisk::new(FILES)));
            host.apply(Change::OpenBuffer { path, text, version: 1 });
            let [without, with] = both_ways(&host, key);
            assert_eq!(without, with, "{key} after an edit");
        }
    }

    /// What a first lookup asks the disk if there are this many data files without the key.
    fn questions(count: usize) -> usize {
        let files = (0..count).map(|number| (format!("/r/data/nodes/n{number}.yaml"), "x: 1\n"));
        let files = files.chain(FILES.map(|(path, text)| (path.to_owned(), text)));
        let disk = Arc::new(MemoryDisk::new(files));
        let world = Host::new(disk.clone()).snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        let evaluator = world.evaluator(&environment, &world.any_node(&environment));
        let before = disk.questions();
        evaluator.lookup("a");
        disk.questions() - before
    }

    #[test]
    fn a_first_lookup_reads_each_file_once() {
        assert_eq!(questions(150) - questions(50), 100);
    }

    /// The answers for any node, with or without an index.
    fn answers(host: &Host, has_index: bool) -> Vec<String> {
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        if has_index {
            world.key_index(&environment);
        }
        let evaluator = world.evaluator(&environment, &world.any_node(&environment));
        // The index counts only for paths that were asked for several keys.
        for number in 0..10 {
            evaluator.lookup(&format!("none{number}"));
        }
        let keys = ["a", "b", "c", "d", "e", "x"];
        let cases = |answer: &crate::engine::Answer| -> Vec<String> {
            let each = answer.each_case().into_iter();
            let told = |case: &crate::engine::Answer| match &case.outcome {
                Ok(found) => found.as_ref().map(|it| inspect(&it.value)).unwrap_or_default(),
                Err(failure) => failure.message.to_string(),
            };
            each.map(|(conditions, case)| format!("{}: {}", in_words(conditions), told(case)))
                .collect()
        };
        keys.iter().map(|key| format!("{key} {:?}", cases(&evaluator.lookup(key)))).collect()
    }

    /// Whether the positions that the index finds in a list of all files are those of the files with a key.
    fn check_members(host: &Host) {
        let world = host.snapshot();
        let environment = world.environment_of("/r/hiera.yaml").expect("an environment");
        let all: Vec<Arc<str>> =
            world.data_files(&environment).iter().map(|it| it.0.clone()).collect();
        let list = PathFiles::of_paths(all.iter().cloned());
        let finder = world.key_finder(&environment);
        for key in ["a", "b", "c", "d", "e", "x"] {
            let members = finder.members(key, &list).expect("an index");
            let paths: Vec<_> = members.iter().map(|at| all[*at as usize].clone()).collect();
            assert_eq!(paths, finder.files_with(key, None, &|| all.clone()), "{key}");
        }
    }

    #[test]
    fn the_index_leads_to_the_same_cases_as_the_texts() {
        let files = (0..20).map(|number| (format!("/r/data/nodes/n{number}.yaml"), "a: n\nx: 1\n"));
        let files = files.chain(FILES.map(|(path, text)| (path.to_owned(), text)));
        let files: Vec<(String, &str)> = files.collect();
        let disk = || Arc::new(MemoryDisk::new(files.iter().map(|(path, text)| (path, *text))));
        let mut host = Host::new(disk());
        let mut indexed = Host::new(disk());
        let before = answers(&host, false);
        assert_eq!(answers(&indexed, true), before);
        let edits = [
            ("nodes/n3.yaml", "b: 1\n"),
            ("nodes/list.yaml", "a: 2\n"),
            ("nodes/n4.yaml", "a: m\n"),
            ("roles/web.json", "{\"e\": 3}"),
        ];
        for (path, text) in edits {
            let path = format!("/r/data/{path}");
            let edit =
                || Change::OpenBuffer { path: path.clone(), text: text.to_owned(), version: 1 };
            indexed.apply(edit());
            host.apply(edit());
            assert_eq!(answers(&indexed, true), answers(&host, false), "{path}");
            check_members(&indexed);
        }
        assert_ne!(answers(&indexed, true), before);
    }
}
