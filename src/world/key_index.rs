//! Which files have which keys: all keys of all files that an environment's hierarchies can lead to.
//!
//! The bulk is built once, in flat tables. Later changes form a layer over it, file by file, so that the cost of typing does
//! not depend on the number of files.

mod call_words;
mod holders;
mod key_list;
mod named_keys;
mod refused;
mod tags;
mod typed;

pub use call_words::CallWords;
use call_words::KnownCallWords;
use holders::Holders;
use key_list::{KeyHere, KeyList};
use named_keys::{ChangedNames, Counts};
pub(super) use named_keys::{NamedKeys, named_keys};
use refused::Refused;
use tags::{MAY_CALL, MAY_NOT_BE_PLAIN, MAY_NOT_MERGE_AS_HASH, MAY_NOT_MERGE_AS_LIST, tags_of};

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::file_entry::FileEntry;
use super::interner::Interner;
use super::nodes::format_in;
use super::parallel;
use super::reach::Reach;
use super::read_orders::FileSet;
use super::texts::Texts;
use crate::data::{DataFile, FileId, Format, RootKey, may_have_odd_root};
use crate::engine::PathFiles;
use crate::text::TextRange;

/// The keys of one environment's data in one snapshot.
#[derive(Debug)]
pub struct KeyIndex {
    names: Arc<Interner>,
    texts: Texts,
    bulk: Arc<BulkIndex>,
    /// Files that differ from the bulk, with their current keys; `None` if they are no longer data files.
    changed: BTreeMap<Arc<str>, Option<IndexedFile>>,
    /// The positions in the bulk of the files that changed.
    replaced: HashSet<u32, foldhash::fast::RandomState>,
    /// The names that only changed files have, sorted by name; computed on demand.
    new_names: OnceLock<Vec<Name>>,
    /// Which keys the changed files name; computed on demand.
    changed_names: OnceLock<ChangedNames>,
}

/// A key and its number.
type Name = (Arc<str>, u32);

/// Where a key is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlace {
    /// The file's path.
    pub path: Arc<str>,
    /// The file's number.
    pub file: FileId,
    /// The format of the file.
    pub format: Format,
    /// The range of the key, in bytes of the file.
    pub key: TextRange,
    /// The range of the value, in bytes of the file; empty if nothing is written.
    pub value: TextRange,
}

impl KeyIndex {
    /// Indexes each of the `changed` files again.
    pub(super) fn new<'a>(
        bulk: Arc<BulkIndex>,
        texts: &Texts,
        reach: &Reach,
        changed: impl Iterator<Item = &'a Arc<str>>,
    ) -> Self {
        let look = |path: &Arc<str>| {
            let known = bulk.file(path).map(|file| file.format);
            let format = known.or_else(|| reach.format_of(path))?;
            IndexedFile::new(texts, reach, path, format)
        };
        let changed: BTreeMap<_, _> = changed.map(|path| (path.clone(), look(path))).collect();
        let replaced = changed.keys().filter_map(|path| bulk.position(path)).collect();
        let (names, texts) = (texts.base.names().clone(), texts.clone());
        let (new_names, changed_names) = (OnceLock::new(), OnceLock::new());
        Self { names, texts, bulk, changed, replaced, new_names, changed_names }
    }

    /// The places where `key` is written as a root key, by path. A file to which only a `<<` brings the key has none.
    pub fn places(&self, key: &str) -> Vec<KeyPlace> {
        let Some(name) = self.names.known(key) else {
            return Vec::new();
        };
        let mut places: Vec<KeyPlace> =
            self.files_with(name).flat_map(|file| file.places(name)).collect();
        places.sort_by(|a, b| (&a.path, a.key).cmp(&(&b.path, b.key)));
        places
    }

    /// The places of `key` in the first files that have it, by path, and whether no other file has it. The time does not
    /// depend on the number of files.
    pub fn first_places(&self, key: &str, most_files: usize) -> (Vec<KeyPlace>, bool) {
        let Some(name) = self.names.known(key) else { return (Vec::new(), true) };
        // The bulk's files are sorted, and only a few files have changed.
        let kept = self.kept_with(name).take(most_files + 1);
        let mut files: Vec<&IndexedFile> = kept.chain(self.changed_with(name)).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let is_whole = files.len() <= most_files;
        files.truncate(most_files);
        (files.into_iter().flat_map(|file| file.places(name)).collect(), is_whole)
    }

    /// The format that the file at `path` is read as, if it is a data file.
    pub(super) fn format_of(&self, path: &str) -> Option<Format> {
        self.file(path).map(|it| it.format)
    }

    /// Whether there are no data files.
    pub fn is_empty(&self) -> bool {
        let mut kept = self.bulk.files.iter().filter(|file| !self.changed.contains_key(&file.path));
        kept.next().is_none() && self.changed.values().flatten().next().is_none()
    }

    /// Whether any file has `key`.
    pub fn contains(&self, key: &str) -> bool {
        self.names.known(key).is_some_and(|name| self.is_held(name))
    }

    /// The paths of the files that have `key`, sorted.
    pub(super) fn paths_with(&self, key: &str) -> Vec<Arc<str>> {
        let Some(name) = self.names.known(key) else { return Vec::new() };
        let mut paths: Vec<Arc<str>> = self.kept_with(name).map(|file| file.path.clone()).collect();
        // These are few, and the others are sorted.
        for file in self.changed_with(name) {
            let at = paths.partition_point(|it| *it < file.path);
            paths.insert(at, file.path.clone());
        }
        paths
    }

    /// The files that may fail every lookup because of their root, sorted.
    pub(super) fn odd_files(&self) -> Vec<Arc<str>> {
        let kept = self.bulk.odd.iter().filter(|path| !self.changed.contains_key(*path)).cloned();
        let changed = self.changed.values().flatten().filter(|file| file.may_have_odd_root);
        let mut paths: Vec<Arc<str>> = kept.chain(changed.map(|file| file.path.clone())).collect();
        paths.sort_unstable();
        paths
    }

    /// The positions of the ways to those files of a path that have `key`, ascending.
    pub(super) fn members(&self, key: &str, files: &PathFiles) -> Vec<u32> {
        let Some(name) = self.names.known(key) else { return Vec::new() };
        let mut holders = Cow::Borrowed(self.bulk.holders.of(name));
        if !self.replaced.is_empty() {
            holders.to_mut().retain(|file| !self.replaced.contains(file));
        }
        let number_of = |path: &str| self.bulk.position(path);
        let mut found = files.held_by((self.bulk.id, number_of), &holders);
        found.extend(self.changed_with(name).flat_map(|file| files.positions_of(&file.path)));
        found.sort_unstable();
        found
    }

    /// The number of files that have `key`, counted up to `most`.
    pub fn count(&self, key: &str, most: usize) -> usize {
        let count = |name| self.files_with(name).take(most).count();
        self.names.known(key).map_or(0, count)
    }

    /// Whether a value of `key` may call functions, in any file.
    pub fn may_call(&self, key: &str) -> bool {
        self.may_be(key, MAY_CALL)
    }

    /// Whether a value of `key` in any file may be something other than a hash with strings as keys.
    pub fn may_not_merge_as_hash(&self, key: &str) -> bool {
        self.may_be(key, MAY_NOT_MERGE_AS_HASH)
    }

    /// Whether a value of `key` in any file may be one that a unique merge does not take after another value.
    pub fn may_not_merge_as_list(&self, key: &str) -> bool {
        self.may_be(key, MAY_NOT_MERGE_AS_LIST)
    }

    /// Whether a value of `key` in any file may be something other than a number, a boolean or a string without tokens.
    pub fn may_not_be_plain(&self, key: &str) -> bool {
        self.may_be(key, MAY_NOT_BE_PLAIN)
    }

    /// Whether files may have root keys without a place: those that a `<<` brings.
    pub fn may_have_other_keys(&self) -> bool {
        let has_merge = |file: &IndexedFile| file.keys.may_merge;
        self.bulk.has_merges || self.changed.values().flatten().any(has_merge)
    }

    /// Whether a value of `key` has a tag in any file. Where a `<<` at the root may bring keys, every key may.
    fn may_be(&self, key: &str, tag: u8) -> bool {
        let has_tag = |name| {
            // A changed file may have lost the tag that the bulk still has. "May" stays true, only less exact.
            self.bulk.has_tag(name, tag)
                || self.changed_with(name).any(|file| file.has_tag(&self.texts, name, tag))
        };
        self.may_have_other_keys() || self.names.known(key).is_some_and(has_tag)
    }

    /// Whether one of `files` has `key`.
    pub fn is_held_by(&self, key: &str, files: &Arc<FileSet>) -> bool {
        let Some(name) = self.names.known(key) else { return false };
        let is_one = |file: &IndexedFile| files.contains(&file.id);
        // A key can be in most files, and most of them are usually not among these.
        let is_kept = self.bulk.holds_some(name, files)
            && (self.replaced.is_empty() || self.kept_with(name).any(is_one));
        is_kept || self.changed_with(name).any(is_one)
    }

    /// The keys that start with `prefix`, each once, sorted.
    pub fn keys_in(&self, prefix: &str) -> Vec<Arc<str>> {
        let (old, new) = self.names_in(prefix);
        let old = old.iter().filter(|(_, name)| self.is_held(*name));
        let mut keys: Vec<_> = old.map(|(text, _)| text.clone()).collect();
        if !new.is_empty() {
            // Both parts are sorted, so the sort only merges them.
            keys.extend(new.iter().map(|(text, _)| text.clone()));
            keys.sort();
        }
        keys
    }

    /// The number of keys that start with `prefix`, and those of them that several files have, sorted.
    pub fn shared_keys_in(&self, prefix: &str) -> (usize, Vec<Arc<str>>) {
        let (old, new) = self.names_in(prefix);
        let count = old.iter().filter(|(_, name)| self.is_held(*name)).count() + new.len();
        let is_shared = |(_, name): &&Name| self.files_with(*name).take(2).count() == 2;
        let mut shared: Vec<_> = old.iter().chain(new).filter(is_shared).collect();
        shared.sort_unstable();
        (count, shared.into_iter().map(|(text, _)| text.clone()).collect())
    }

    /// All keys, each once, sorted.
    pub fn keys(&self) -> Vec<Arc<str>> {
        self.keys_in("")
    }

    /// The keys of the file at `path` in source order, with their places.
    pub fn keys_of(&self, path: &str) -> Vec<(Arc<str>, KeyPlace)> {
        let keys = self.file(path).into_iter().flat_map(|file| {
            file.keys.keys.iter().map(|key| (self.names.text(key.name), file.place(&key)))
        });
        keys.collect()
    }

    /// The indexed files, sorted by path, with their formats.
    pub fn files(&self) -> Vec<(Arc<str>, Format)> {
        let kept = self.bulk.files.iter().filter(|file| !self.changed.contains_key(&file.path));
        let all = kept.chain(self.changed.values().flatten());
        let mut files: Vec<_> = all.map(|file| (file.path.clone(), file.format)).collect();
        files.sort_unstable();
        files
    }

    /// The names that start with `prefix`: those of the bulk, which may no longer exist, and the others.
    fn names_in(&self, prefix: &str) -> (&[Name], &[Name]) {
        fn span<'s>(sorted: &'s [Name], prefix: &str) -> &'s [Name] {
            let from = &sorted[sorted.partition_point(|(text, _)| **text < *prefix)..];
            &from[..from.partition_point(|(text, _)| text.starts_with(prefix))]
        }
        (span(self.bulk.sorted(&self.names), prefix), span(self.new_names(), prefix))
    }

    fn file(&self, path: &str) -> Option<&IndexedFile> {
        match self.changed.get(path) {
            Some(changed) => changed.as_ref(),
            None => self.bulk.file(path),
        }
    }

    fn is_held(&self, name: u32) -> bool {
        self.files_with(name).next().is_some()
    }

    /// The names that no file of the bulk has, sorted.
    fn new_names(&self) -> &[Name] {
        self.new_names.get_or_init(|| {
            let names = self.changed.values().flatten().flat_map(|file| file.keys.numbers());
            // `holders` also counts files that changed, so that each name is in exactly one of the two lists.
            let new = names.filter(|name| self.bulk.holders.of(*name).is_empty());
            let mut new: Vec<_> = new.map(|name| (self.names.text(name), name)).collect();
            new.sort_unstable();
            new.dedup();
            new
        })
    }

    fn files_with(&self, name: u32) -> impl Iterator<Item = &IndexedFile> {
        self.kept_with(name).chain(self.changed_with(name))
    }

    /// Unchanged files of the bulk, sorted by path.
    fn kept_with(&self, name: u32) -> impl Iterator<Item = &IndexedFile> {
        let kept = self.bulk.holders.of(name).iter().filter(|file| !self.replaced.contains(file));
        kept.map(|file| &self.bulk.files[*file as usize])
    }

    fn changed_with(&self, name: u32) -> impl Iterator<Item = &IndexedFile> {
        let has_name = move |file: &&IndexedFile| file.keys.has(name);
        self.changed.values().flatten().filter(has_name)
    }
}

/// The keys of one text.
#[derive(Debug)]
pub(super) struct FileKeys {
    keys: KeyList,
    /// Whether they were found line by line.
    is_quick: bool,
    /// Whether a `<<` may merge something, at the root or in a value.
    may_merge: bool,
    /// The names that a `<<` at the root brings, which are no keys of the text; `None` without such a `<<`.
    brought: Option<Box<[u32]>>,
    /// The first position of each name in [`Self::keys`]; built on demand for files with hundreds of keys. Versions of a
    /// file with the same names share it.
    first: Arc<OnceLock<HashMap<u32, u32, foldhash::fast::RandomState>>>,
}

/// If there are fewer keys, they are searched one by one.
const MIN_HASHED_KEYS: usize = 256;

impl FileKeys {
    pub(super) fn new(data: &DataFile, names: &Interner) -> Self {
        let (keys, is_quick) = match data.quick_root_keys() {
            Some(keys) => (keys, true),
            None => (data.root_keys(), false),
        };
        let numbers = names.numbers(keys.iter().map(|it| &*it.text));
        let keys = KeyList::of(keys.len(), || keys.iter().zip(&numbers).map(KeyHere::of));
        // A `<<` in a string or comment counts, too. It only makes answers less exact.
        let may_merge = memchr::memmem::find(data.text().as_bytes(), b"<<").is_some();
        let brought = data.brought_keys();
        let brought = brought.map(|keys| names.numbers(keys.iter().copied()).into());
        Self { keys, is_quick, may_merge, brought, first: Arc::default() }
    }

    /// The number of the root key whose entry contains a byte.
    pub(super) fn at(&self, byte: u32) -> Option<u32> {
        let keys = self.keys.iter().filter(|here| here.key.start <= byte);
        keys.max_by_key(|here| here.key.start).map(|here| here.name)
    }

    /// The numbers of all keys that lookups find.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        self.keys.names().chain(self.brought().iter().copied())
    }

    fn brought(&self) -> &[u32] {
        self.brought.as_deref().unwrap_or_default()
    }

    /// Whether these are the same keys, wherever they are written.
    pub(super) fn has_same_names(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.first, &other.first) || self.numbers().eq(other.numbers())
    }

    fn has(&self, name: u32) -> bool {
        self.first(name).is_some() || self.brought().contains(&name)
    }

    /// The places of a name.
    fn of(&self, name: u32) -> impl Iterator<Item = KeyHere> {
        let first = self.first(name).unwrap_or(self.keys.len());
        // If no name occurs twice, the search ends at the first place.
        let has_each_once = self.first.get().is_some_and(|it| it.len() == self.keys.len());
        let most = if has_each_once { 1 } else { usize::MAX };
        self.keys.from(first).filter(move |key| key.name == name).take(most)
    }

    fn first(&self, name: u32) -> Option<usize> {
        if self.keys.len() < MIN_HASHED_KEYS {
            return self.keys.names().position(|it| it == name);
        }
        let first = self.first.get_or_init(|| {
            let mut first = HashMap::default();
            for (at, name) in (0..).zip(self.keys.names()) {
                first.entry(name).or_insert(at);
            }
            first
        });
        first.get(&name).map(|at| *at as usize)
    }
}

impl KeyHere {
    /// A key with the number of its text.
    fn of((key, number): (&RootKey<'_>, &u32)) -> Self {
        Self { name: *number, key: key.key, value: key.value }
    }
}

/// Reads data files, sorted by path, and finds their keys, as long as `goes_on` returns true. `done` gets numbers of files.
pub(super) fn read_with_keys(
    texts: &Texts,
    files: &[(Arc<str>, Format)],
    goes_on: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn(usize) + Sync),
) {
    texts.read_together(files.iter().map(|(path, _)| &**path), goes_on, &|paths| {
        for path in paths {
            if let (Some(format), Ok(file)) = (format_in(files, path), texts.file(path)) {
                file.keys(format, texts.base.names());
            }
        }
        done(paths.len());
    });
}

/// What the text of a file shows about two root keys.
pub(super) struct KeysHere {
    /// Whether the file has the first one.
    pub(super) has_key: bool,
    /// Whether it may have the second one, if there is one; `false` is certain.
    pub(super) may_have_next: bool,
    /// Whether it may fail every lookup because of its root; `false` is certain.
    pub(super) may_have_odd_root: bool,
}

impl KeysHere {
    /// Looks for `key` in the file at `path`, and by the way for `next`.
    pub(super) fn look(
        texts: &Texts,
        path: &str,
        (format, is_of_module): (Format, bool),
        key: &str,
        next: Option<&str>,
    ) -> Self {
        let (mut may_have_it, mut may_have_next) = (true, next.is_some());
        // A file that cannot be read fails the lookup, too.
        let mut is_odd = true;
        // Most files have neither key, and their texts show it without being kept or searched for keys.
        let file = texts.file_if(path, |seen| {
            if let Some(next) = next {
                [may_have_it, may_have_next] = seen.may_have_keys(format, [key, next]);
            } else {
                [may_have_it] = seen.may_have_keys(format, [key]);
            }
            is_odd = may_have_odd_root(seen.bytes(), format, is_of_module);
            may_have_it || may_have_next
        });
        let has_it = |file: &FileEntry| {
            if let Some(keys) = file.keys_if_known(format) {
                return texts.base.names().known(key).is_some_and(|name| keys.has(name));
            }
            let mut has_it = false;
            file.each_root_key(format, |root| has_it |= root == key);
            has_it
        };
        let has_key = file.is_some_and(|it| may_have_it && has_it(&it));
        Self { has_key, may_have_next, may_have_odd_root: is_odd }
    }
}

#[derive(Debug)]
struct IndexedFile {
    path: Arc<str>,
    id: FileId,
    format: Format,
    keys: Arc<FileKeys>,
    may_have_odd_root: bool,
}

impl IndexedFile {
    fn new(texts: &Texts, reach: &Reach, path: &Arc<str>, format: Format) -> Option<Self> {
        let entry = texts.file(path).ok()?;
        let keys = entry.keys(format, texts.base.names()).clone();
        let is_odd = may_have_odd_root(entry.text.as_bytes(), format, reach.is_of_module(path));
        let (path, id) = (entry.path.clone(), entry.id);
        Some(Self { path, id, format, keys, may_have_odd_root: is_odd })
    }

    /// Whether a value of a name has a tag; if the text cannot be read, it may.
    fn has_tag(&self, texts: &Texts, name: u32, tag: u8) -> bool {
        texts.file(&self.path).map_or(true, |file| {
            let tags = |here: KeyHere| tags_of(here.value.slice(&file.text), self.format);
            self.keys.of(name).any(|here| tags(here) & tag != 0)
        })
    }

    fn places(&self, name: u32) -> impl Iterator<Item = KeyPlace> {
        self.keys.of(name).map(|key| self.place(&key))
    }

    fn place(&self, key: &KeyHere) -> KeyPlace {
        KeyPlace {
            path: self.path.clone(),
            file: self.id,
            format: self.format,
            key: key.key,
            value: key.value,
        }
    }
}

/// The keys of all files when the index was built.
#[derive(Debug, Default)]
pub(super) struct BulkIndex {
    /// A number that no other index has.
    id: u64,
    /// Sorted by path.
    files: Vec<IndexedFile>,
    /// The files that may fail every lookup: because of their root, or because they cannot be read. Sorted.
    odd: Vec<Arc<str>>,
    /// Positions in [`Self::files`].
    holders: Holders,
    /// For each name's number, the tags of all its values; computed on demand, because no lookup needs them.
    tags: OnceLock<Vec<u8>>,
    /// Whether a `<<` in some file may bring keys from elsewhere.
    has_merges: bool,
    /// The names with their numbers, sorted by name; computed on demand.
    sorted: OnceLock<Vec<Name>>,
    /// One bit for each name's number: whether one of a set of files has it. By the address of the set.
    held: Mutex<HashMap<usize, HeldNames, foldhash::fast::RandomState>>,
    /// The texts that the keys were found in; `None` for an index without files.
    texts: Option<Texts>,
    call_words: KnownCallWords,
    /// How many files name each key; computed on demand.
    named: OnceLock<Counts>,
    refused: Refused,
}

/// A set of files, and the bits of their names.
type HeldNames = (Weak<FileSet>, Arc<[u64]>);

/// The number of indexes so far.
static BULKS: AtomicU64 = AtomicU64::new(1);

/// The number of files that one thread searches for something at once.
const FILES_AT_ONCE: usize = 256;

/// The maximum number of sets whose names are kept.
const MAX_HELD: usize = 1_024;

impl BulkIndex {
    /// Reads `files`, to which `reach` leads, on all processors. They are sorted by path.
    pub(super) fn build(texts: &Texts, reach: &Reach, files: &[(Arc<str>, Format)]) -> Self {
        read_with_keys(texts, files, &|| true, &|_| {});
        let index =
            |(path, format): &(Arc<str>, Format)| IndexedFile::new(texts, reach, path, *format);
        let found = parallel::map(files, index);
        let is_odd = |it: &Option<IndexedFile>| it.as_ref().is_none_or(|it| it.may_have_odd_root);
        let odd = files.iter().zip(&found).filter(|(_, it)| is_odd(it));
        let odd = odd.map(|((path, _), _)| path.clone()).collect();
        Self { texts: Some(texts.clone()), odd, ..Self::of(found.into_iter().flatten().collect()) }
    }

    fn of(files: Vec<IndexedFile>) -> Self {
        let holders = Holders::new(&files);
        let has_merges = files.iter().any(|file| file.keys.may_merge);
        let id = BULKS.fetch_add(1, Ordering::Relaxed);
        Self { id, files, holders, has_merges, ..Self::default() }
    }

    /// Whether one of a set of files has a name. The names of a set are collected once.
    fn holds_some(&self, name: u32, files: &Arc<FileSet>) -> bool {
        let address = Arc::as_ptr(files).addr();
        let lock = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |set: &Weak<FileSet>| set.as_ptr() == Arc::as_ptr(files);
        let known = lock().get(&address).filter(|(set, _)| is_it(set)).map(|it| it.1.clone());
        let bits = known.unwrap_or_else(|| {
            let mut bits = vec![0; self.holders.names() / 64 + 1];
            for file in self.files.iter().filter(|it| files.contains(&it.id)) {
                file.keys.numbers().for_each(|name| set_bit(&mut bits, name));
            }
            let bits: Arc<[u64]> = bits.into();
            let mut held = lock();
            // The sets of earlier snapshots stay until here. All are dropped, because the ones in use are soon computed again.
            if held.len() >= MAX_HELD {
                held.clear();
            }
            // The set may be dropped, but its address is taken as long as it is known here.
            held.insert(address, (Arc::downgrade(files), bits.clone()));
            bits
        });
        has_bit(&bits, name)
    }

    fn may_call(&self, name: u32) -> bool {
        self.has_tag(name, MAY_CALL)
    }

    /// Whether some value of a name has a tag.
    fn has_tag(&self, name: u32, tag: u8) -> bool {
        let tags = self.tags.get_or_init(|| self.find_tags());
        tags.get(name as usize).is_some_and(|tags| tags & tag != 0)
    }

    fn find_tags(&self) -> Vec<u8> {
        let mut tags = vec![0; self.holders.names()];
        let Some(texts) = &self.texts else { return tags };
        let chunks: Vec<&[IndexedFile]> = self.files.chunks(FILES_AT_ONCE).collect();
        let found = parallel::map(&chunks, |files| {
            let mut tags = vec![0; self.holders.names()];
            for file in *files {
                let Ok(entry) = texts.file(&file.path) else { continue };
                for here in file.keys.keys.iter() {
                    tags[here.name as usize] |= tags_of(here.value.slice(&entry.text), file.format);
                }
            }
            tags
        });
        for found in found {
            tags.iter_mut().zip(found).for_each(|(tags, found)| *tags |= found);
        }
        tags
    }

    fn position(&self, path: &str) -> Option<u32> {
        let at = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        Some(at as u32)
    }

    fn file(&self, path: &str) -> Option<&IndexedFile> {
        self.position(path).map(|at| &self.files[at as usize])
    }

    fn sorted(&self, names: &Interner) -> &[Name] {
        self.sorted.get_or_init(|| {
            let mut sorted: Vec<_> =
                self.holders.numbers().map(|it| (names.text(it), it)).collect();
            sorted.sort_unstable();
            sorted
        })
    }
}

fn set_bit(bits: &mut [u64], number: u32) {
    bits[number as usize / 64] |= 1 << (number % 64);
}

fn has_bit(bits: &[u64], number: u32) -> bool {
    bits.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
}

#[cfg(test)]
mod tests;
