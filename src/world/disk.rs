//! The disk as one snapshot sees it: every file and directory is read once, when it is first asked for.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::file_entry::FileEntry;
use super::interner::Interner;
use super::paths;
use super::shards::Shards;
use crate::data::{DirItem, FileId, PathKind};
use crate::limits::MAX_BYTES_READ;

/// How much of what is left out is told of.
const MAX_NOTES: usize = 20;

/// What can be asked of a disk. Paths are absolute and normal.
pub trait DiskReader: Send + Sync {
    /// A file's bytes; `Err` holds Ruby's message.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// The names in a directory, in any order; empty if it is none; `None` if it is there but may not be read.
    fn list(&self, directory: &str) -> Option<Vec<DirItem>>;

    /// What lies at `path`.
    fn kind(&self, path: &str) -> PathKind;

    /// `path` without links, to recognise a directory that is met again on another way.
    fn real_path(&self, path: &str) -> Option<String>;

    /// A variable of the process's environment.
    fn environment_variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// Whether the file at `path` has these bytes, if that can be told without reading it.
    fn certainly_holds(&self, _path: &str, _bytes: &[u8]) -> bool {
        false
    }
}

/// Files and directories as they were when first asked for. Filled by many threads at once.
pub struct DiskTable {
    reader: Arc<dyn DiskReader>,
    /// Another moment of the same disk: most of its files have the same texts.
    beside: Option<Arc<DiskTable>>,
    paths: Arc<Interner>,
    /// The names of keys, for the indexes.
    names: Arc<Interner>,
    files: Shards<FileSlot>,
    directories: Shards<OnceLock<DirListing>>,
    /// The bytes of the texts in [`Self::files`].
    bytes: AtomicU64,
    /// Why something at or below a path is left out.
    notes: Mutex<BTreeMap<String, String>>,
}

/// A file that was asked for.
#[derive(Debug, Default)]
struct FileSlot {
    /// The entry before the disk changed: kept if the text turns out to be the same, else a start for parsing.
    earlier: Option<Arc<FileEntry>>,
    now: OnceLock<Result<Arc<FileEntry>, String>>,
}

impl FileSlot {
    /// The bytes of the text.
    fn bytes(&self) -> u64 {
        self.now.get().and_then(|it| it.as_ref().ok()).map_or(0, |it| it.text.len() as u64)
    }
}

/// The names in one directory.
#[derive(Debug, Clone)]
struct DirListing {
    /// Sorted by name.
    items: Arc<[DirItem]>,
    /// False where names can be reached but not listed.
    is_complete: bool,
}

impl DiskTable {
    /// A table in which nothing was read yet.
    pub fn new(reader: Arc<dyn DiskReader>) -> Self {
        Self {
            reader,
            beside: None,
            paths: Arc::default(),
            names: Arc::default(),
            files: Shards::default(),
            directories: Shards::default(),
            bytes: AtomicU64::new(0),
            notes: Mutex::default(),
        }
    }

    /// The bytes of the texts that were read.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes note why something at or below `path` is left out.
    pub(super) fn left_out(&self, path: &str, why: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < MAX_NOTES {
            notes.insert(path.to_owned(), why);
        }
    }

    /// What was left out so far, by path.
    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The notes that a change at `changed` leaves true.
    fn notes_after(&self, changed: &ChangedPaths<'_>) -> BTreeMap<String, String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let stays = |path: &str| !changed.touches(path) && !changed.changes_listing(path);
        let kept = notes.iter().filter(|(path, _)| stays(path));
        kept.map(|(path, why)| (path.clone(), why.clone())).collect()
    }

    /// The number of `path`.
    pub fn id(&self, path: &str) -> FileId {
        FileId(self.paths.number(path))
    }

    /// The path of a number, the same allocation each time.
    pub fn path(&self, id: FileId) -> Arc<str> {
        self.paths.text(id.0)
    }

    /// The numbers of keys.
    pub(super) fn names(&self) -> &Arc<Interner> {
        &self.names
    }

    /// The file at `path`; `Err` holds Ruby's message.
    pub fn file(&self, path: &str) -> Result<Arc<FileEntry>, String> {
        let slot = self.files.slot(path);
        slot.now.get_or_init(|| self.read(path, slot.earlier.as_ref())).clone()
    }

    /// The file at `path` if it was read before.
    pub fn file_if_read(&self, path: &str) -> Option<Arc<FileEntry>> {
        self.files.get(path)?.now.get()?.clone().ok()
    }

    /// What lies at `path`. It is looked for in its directory's listing, so that a thousand questions about one directory
    /// read the disk once.
    pub fn kind(&self, path: &str) -> PathKind {
        let Some(directory) = paths::parent(path) else {
            return PathKind::Directory;
        };
        let listing = self.listing(directory);
        match find(&listing.items, paths::file_name(path)) {
            Some(item) if item.is_directory => PathKind::Directory,
            Some(_) => PathKind::File,
            None if listing.is_complete => PathKind::Missing,
            None => self.reader.kind(path),
        }
    }

    /// The names in a directory, sorted.
    pub fn list(&self, directory: &str) -> Arc<[DirItem]> {
        self.listing(directory).items
    }

    /// The directory without links.
    pub fn real_path(&self, path: &str) -> Option<String> {
        self.reader.real_path(path)
    }

    /// A variable of the process's environment.
    pub(super) fn environment_variable(&self, name: &str) -> Option<Arc<str>> {
        self.reader.environment_variable(name).map(Arc::from)
    }

    /// Whether `path` is a directory now. The answer is not kept.
    pub(super) fn is_directory_now(&self, path: &str) -> bool {
        self.reader.kind(path) == PathKind::Directory
    }

    /// Whether `path` was listed as a directory that holds something.
    pub(super) fn knows_directory(&self, path: &str) -> bool {
        let listing = self.directories.get(path);
        listing.is_some_and(|it| it.get().is_some_and(|it| !it.items.is_empty()))
    }

    /// The table after the disk changed at `changed`: those paths, all below them and their directories' listings are
    /// read anew when asked for. `latest` is what an editor showed last of one of them.
    #[must_use]
    pub(super) fn after_change(
        &self,
        changed: &ChangedPaths<'_>,
        latest: Option<&Arc<FileEntry>>,
    ) -> Self {
        let gone = AtomicU64::new(0);
        let files = self.files.changed(|path, slot| {
            // A path that was no file can have become a directory.
            if changed.touches(path) || changed.changes_listing(path) {
                gone.fetch_add(slot.bytes(), Ordering::Relaxed);
                let earlier = slot.now.get().and_then(|it| it.clone().ok());
                let earlier = earlier.or_else(|| slot.earlier.clone());
                Some(Arc::new(FileSlot { earlier, now: OnceLock::new() }))
            } else {
                Some(slot.clone())
            }
        });
        if let Some(latest) = latest {
            // What stood at its path was touched before.
            let slot = FileSlot { earlier: Some(latest.clone()), now: OnceLock::new() };
            files.put(latest.path.clone(), slot);
        }
        let directories = self.directories.changed(|path, listing| {
            let is_kept = !changed.touches(path) && !changed.changes_listing(path);
            is_kept.then(|| listing.clone())
        });
        Self {
            reader: self.reader.clone(),
            beside: self.beside.clone(),
            paths: self.paths.clone(),
            names: self.names.clone(),
            files,
            directories,
            bytes: self.bytes.load(Ordering::Relaxed).saturating_sub(gone.into_inner()).into(),
            notes: Mutex::new(self.notes_after(changed)),
        }
    }

    /// An empty table for another disk, whose files may have the same texts: these are read and parsed once.
    #[must_use]
    pub(super) fn on_other_disk(self: &Arc<Self>, reader: Arc<dyn DiskReader>) -> Self {
        let (paths, names) = (self.paths.clone(), self.names.clone());
        Self { paths, names, beside: Some(self.clone()), ..Self::new(reader) }
    }

    /// A table of the same texts and listings, none of the texts parsed yet.
    #[must_use]
    pub(super) fn unparsed(&self) -> Self {
        let files = self.files.changed(|_, slot| {
            let now = slot.now.get().cloned().map(|read| read.map(|entry| entry.unparsed()));
            let now = now.map_or_else(OnceLock::new, OnceLock::from);
            Some(Arc::new(FileSlot { earlier: None, now }))
        });
        Self {
            reader: self.reader.clone(),
            beside: None,
            paths: self.paths.clone(),
            names: self.names.clone(),
            files,
            directories: self.directories.changed(|_, listing| Some(listing.clone())),
            bytes: self.bytes.load(Ordering::Relaxed).into(),
            notes: Mutex::new(self.notes_after(&ChangedPaths::new(std::iter::empty()))),
        }
    }

    fn read(&self, path: &str, earlier: Option<&Arc<FileEntry>>) -> Result<Arc<FileEntry>, String> {
        if self.bytes.load(Ordering::Relaxed) >= MAX_BYTES_READ {
            let why = format!("Too many bytes were read before @ io_fread - {path}");
            self.left_out(path, why.clone());
            return Err(why);
        }
        let beside = self.beside.as_ref().and_then(|it| it.file(path).ok());
        let earlier = earlier.or(beside.as_ref());
        if let Some(known) = earlier.filter(|it| it.invalid_utf8_at.is_none())
            && self.reader.certainly_holds(path, known.text.as_bytes())
        {
            self.bytes.fetch_add(known.text.len() as u64, Ordering::Relaxed);
            return Ok(known.clone());
        }
        let bytes = self.reader.read(path).inspect_err(|why| {
            if self.kind(path) == PathKind::File {
                self.left_out(path, why.clone());
            }
        })?;
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let id = self.id(path);
        let entry = FileEntry::from_bytes(self.path(id), id, bytes);
        Ok(match earlier {
            Some(earlier) => entry.starting_from(earlier),
            None => Arc::new(entry),
        })
    }

    fn listing(&self, directory: &str) -> DirListing {
        let slot = self.directories.slot(directory);
        slot.get_or_init(|| {
            let listed = self.reader.list(directory);
            let is_complete = listed.is_some();
            let mut items = listed.unwrap_or_default();
            items.sort_unstable();
            DirListing { items: items.into(), is_complete }
        })
        .clone()
    }
}

/// Paths that changed on the disk.
pub(super) struct ChangedPaths<'a> {
    paths: std::collections::HashSet<&'a str, foldhash::fast::RandomState>,
    directories: std::collections::HashSet<&'a str, foldhash::fast::RandomState>,
}

impl<'a> ChangedPaths<'a> {
    /// A set of normal paths.
    pub(super) fn new(paths: impl Iterator<Item = &'a str> + Clone) -> Self {
        // With a new file its directory may be new too, and that one's directory: all the way up.
        let directories = paths.clone().flat_map(paths::ancestors).collect();
        Self { paths: paths.collect(), directories }
    }

    /// Whether `path` or a directory that holds it changed.
    pub(super) fn touches(&self, path: &str) -> bool {
        self.paths.contains(path) || paths::ancestors(path).any(|it| self.paths.contains(it))
    }

    fn changes_listing(&self, directory: &str) -> bool {
        self.directories.contains(directory)
    }
}

/// The item called `name` in a sorted listing.
pub(super) fn find<'a>(items: &'a [DirItem], name: &str) -> Option<&'a DirItem> {
    let at = items.binary_search_by(|item| (*item.name).cmp(name)).ok()?;
    Some(&items[at])
}
