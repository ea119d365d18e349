//! The disk in one snapshot: every file and directory is read once, when it is first needed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use super::changed_paths::ChangedPaths;
use super::disk_record::{DiskRecord, DiskState};
use super::file_entry::{FileEntry, Seen};
use super::interner::Interner;
use super::parallel;
use super::paths;
use super::shards::Shards;
use crate::data::{DirItem, FileId, OddItem, PathKind};
use crate::limits::{MAX_BYTES_READ, MAX_PATH_BYTES};
use crate::text::{SharedText, TextRange};

/// The number of files that are read into one buffer.
const FILES_IN_A_BUFFER: usize = 128;

/// Most files have fewer bytes.
const BYTES_OF_MOST_FILES: usize = 16 << 10;

/// A longer text has a buffer of its own.
const MAX_BYTES_IN_A_BUFFER: usize = 64 << 10;

/// Access to a disk. Paths are absolute and normalized.
pub trait DiskReader: Send + Sync {
    /// Appends a file's bytes to `bytes`; `Err` contains Ruby's message, and leaves any number of bytes.
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String>;

    /// A file's bytes; `Err` contains Ruby's message.
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        self.read_into(path, &mut bytes).map(|()| bytes)
    }

    /// The names in a directory, in any order; empty if it is not a directory; `None` if it exists but must not be read.
    fn list(&self, directory: &str) -> Option<Vec<DirItem>>;

    /// The names that [`Self::list`] leaves out, in any order.
    fn odd_items(&self, _directory: &str) -> Vec<OddItem> {
        Vec::new()
    }

    /// The kind of `path`.
    fn kind(&self, path: &str) -> PathKind;

    /// `path` without links, to recognize a directory that is reached by another path.
    fn real_path(&self, path: &str) -> Option<String>;

    /// Whether `path` is a link that leads nowhere.
    fn is_broken_link(&self, _path: &str) -> bool {
        false
    }

    /// When the content, the name or the rights of `path` were changed last, if that is known.
    fn changed_at(&self, _path: &str) -> Option<SystemTime> {
        None
    }

    /// An environment variable of the process.
    fn environment_variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// Whether the content of `path` may be read.
    fn may_read(&self, _path: &str) -> bool {
        true
    }

    /// Whether the file at `path` certainly has these bytes, if that is known without reading it.
    fn certainly_holds(&self, _path: &str, _bytes: &[u8]) -> bool {
        false
    }
}

/// Files and directories in the state in which they were first read. Threads can fill it in parallel.
pub struct DiskTable {
    reader: Arc<dyn DiskReader>,
    /// The table of another state of the same disk, in which most files have the same texts.
    beside: Option<Arc<DiskTable>>,
    /// The table from which this one takes its texts, without what was parsed there.
    origin: Option<Arc<DiskTable>>,
    paths: Arc<Interner>,
    /// The names of keys, for the indexes.
    names: Arc<Interner>,
    files: Shards<FileSlot>,
    directories: Shards<OnceLock<DirListing>>,
    /// What listings leave out, of directories in which globs searched.
    odd_items: Shards<OnceLock<Arc<[OddItem]>>>,
    /// Directories without links, as far as they were needed; `None` if the path has none.
    real_directories: Shards<OnceLock<Option<String>>>,
    /// By the first file, the groups of files that were read into shared buffers; each is locked meanwhile.
    groups: Shards<Mutex<()>>,
    /// The bytes of the texts in [`Self::files`].
    bytes: AtomicU64,
    /// What reads of this disk found, in this state or another.
    record: Arc<DiskRecord>,
    state: DiskState,
}

/// The slot of a file that was requested.
#[derive(Debug, Default)]
struct FileSlot {
    /// The entry before the disk changed. It is kept if the text is the same, and otherwise a start for parsing.
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
    /// False if names can be opened but not listed.
    is_complete: bool,
}

impl DiskTable {
    /// A table in which nothing has been read yet.
    pub fn new(reader: Arc<dyn DiskReader>) -> Self {
        Self {
            reader,
            beside: None,
            origin: None,
            paths: Arc::default(),
            names: Arc::default(),
            files: Shards::default(),
            directories: Shards::default(),
            odd_items: Shards::default(),
            real_directories: Shards::default(),
            groups: Shards::default(),
            bytes: AtomicU64::new(0),
            record: Arc::default(),
            state: DiskState::default(),
        }
    }

    /// Records why something at or below `path` is left out.
    pub(super) fn left_out(&self, path: &str, why: String) {
        self.record.leave_out(self.state, path, why);
    }

    /// What has been left out so far, by path.
    pub(super) fn notes(&self) -> Vec<String> {
        self.record.left_out()
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

    /// The file at `path`; `Err` contains Ruby's message.
    pub fn file(&self, path: &str) -> Result<Arc<FileEntry>, String> {
        // The slot has a lock of its own, so threads that need the same file wait for one read, and others do not wait.
        let slot = self.files.slot(path);
        slot.now.get_or_init(|| self.read(path, slot.earlier.as_ref())).clone()
    }

    /// Reads files of which most will be needed, on all processors, as long as `goes_on` returns true. They are read in groups, and
    /// `done` gets each group that was read, on the same thread.
    pub(super) fn read_together(
        &self,
        paths: &[&str],
        goes_on: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn(&[&str]) + Sync),
    ) {
        let groups: Vec<&[&str]> = paths.chunks(FILES_IN_A_BUFFER).collect();
        parallel::map(&groups, |paths| {
            if !goes_on() {
                return;
            }
            // Two calls for the same files would read them twice. There is a lock for each group, because the threads of a call
            // in the background wait between two groups while something is urgent, perhaps this call.
            let group = self.groups.slot(paths[0]);
            let turn = group.lock().unwrap_or_else(PoisonError::into_inner);
            // A buffer that grows would be copied.
            let mut buffer = Vec::with_capacity(paths.len() * BYTES_OF_MOST_FILES);
            let mut new = Vec::new();
            for path in *paths {
                new.extend(self.read_short_text(path, &mut buffer).map(|range| (*path, range)));
            }
            // Each of the texts is UTF-8, so the buffer is, too.
            if let Some(texts) = SharedText::of_bytes(&buffer) {
                for (path, range) in new {
                    let id = self.id(path);
                    let entry = FileEntry::new(self.path(id), id, texts.part(range));
                    self.files.slot(path).now.get_or_init(|| Ok(self.keep(entry, None)));
                }
            }
            drop(turn);
            done(paths);
        });
    }

    /// Appends the text of the file at `path` to `buffer` if it can share one, and returns its range there. Any other file is
    /// read and kept here.
    fn read_short_text(&self, path: &str, buffer: &mut Vec<u8>) -> Option<TextRange> {
        let slot = self.files.slot(path);
        let is_known = slot.now.get().is_some() || slot.earlier.is_some();
        let is_read_elsewhere = self.origin.is_some() || self.beside.is_some();
        if is_known || is_read_elsewhere || self.check_bytes_left(path).is_err() {
            let _ = self.file(path);
            return None;
        }
        self.note_link(path);
        let start = buffer.len();
        if self.reader.read_into(path, buffer).is_err() {
            buffer.truncate(start);
            // Whatever is wrong with the file is noted there.
            let _ = self.file(path);
            return None;
        }
        let bytes = &buffer[start..];
        if bytes.len() <= MAX_BYTES_IN_A_BUFFER && str::from_utf8(bytes).is_ok() {
            return Some(TextRange::new(start as u32, buffer.len() as u32));
        }
        let bytes = buffer.split_off(start);
        slot.now.get_or_init(|| self.keep_bytes(path, None, bytes));
        None
    }

    /// The file at `path` if it has been read.
    pub fn file_if_read(&self, path: &str) -> Option<Arc<FileEntry>> {
        if let Some(read) = self.files.get(path).and_then(|slot| slot.now.get().cloned()) {
            return read.ok();
        }
        self.origin.as_ref()?.file_if_read(path)?;
        self.file(path).ok()
    }

    /// The file at `path` if `look` returns true for it. Otherwise nothing of it is kept, unless it was read before.
    pub(super) fn file_if(
        &self,
        path: &str,
        look: impl FnOnce(Seen<'_>) -> bool,
    ) -> Option<Arc<FileEntry>> {
        if let Some(file) = self.file_if_read(path) {
            return look(Seen::Kept(&file)).then_some(file);
        }
        // There, the text is most likely known on the other disk.
        if self.beside.is_some() {
            return self.file(path).ok().filter(|file| look(Seen::Kept(file)));
        }
        self.note_link(path);
        // Whatever is wrong with the file is noted when it is read as usual.
        let Ok(bytes) = self.reader.read(path) else { return self.file(path).ok() };
        if !look(Seen::Bytes(&bytes)) {
            return None;
        }
        let slot = self.files.slot(path);
        slot.now.get_or_init(|| self.keep_bytes(path, slot.earlier.as_ref(), bytes)).clone().ok()
    }

    /// Remembers that the file at `path` is read, if that is through a link: it changes with the file behind the link.
    fn note_link(&self, path: &str) {
        if let Some(real) = self.without_links(path) {
            self.record.read_by_link(real, path);
        }
    }

    /// Remembers that a directory is listed, if that is through a link: files that will be created behind the link are in it.
    fn note_linked_directory(&self, directory: &str) {
        if let Some(real) = self.real_path_of_any(directory).filter(|it| *it != *directory) {
            self.record.read_by_link(real, directory);
        }
    }

    /// The path of the file at `path` without links; `None` if it has none. Most files are not links, so it is enough to
    /// resolve their directories, once.
    pub(super) fn without_links(&self, path: &str) -> Option<String> {
        let (directory, name) = (paths::parent(path)?, paths::file_name(path));
        let is_link = find(&self.listing(directory).items, name).is_some_and(|it| it.is_link);
        if is_link {
            return self.reader.real_path(path).filter(|real| *real != *path);
        }
        self.without_linked_directories(path)
    }

    /// The same, but if the file is itself a link, the path of that link.
    pub(super) fn without_linked_directories(&self, path: &str) -> Option<String> {
        let (directory, name) = (paths::parent(path)?, paths::file_name(path));
        let slot = self.real_directories.slot(directory);
        let find = || self.reader.real_path(directory).filter(|real| *real != *directory);
        slot.get_or_init(find).as_ref().map(|it| paths::join(it, name))
    }

    /// The other paths of what is at `path`: the one without links, and those by which links lead there, as far as they were read.
    /// It may not exist yet, or be gone.
    pub(super) fn links_to(&self, path: &str) -> Vec<Arc<str>> {
        if !self.record.has_links() {
            return Vec::new();
        }
        let real = self.real_path_of_any(path).unwrap_or_else(|| path.to_owned());
        let mut paths = self.record.links_to(&real);
        if real != *path {
            paths.push(real.into());
        }
        paths
    }

    /// `path` without links. Of a path that does not exist, the directories that exist are without links.
    fn real_path_of_any(&self, path: &str) -> Option<String> {
        if let Some(real) = self.reader.real_path(path) {
            return Some(real);
        }
        // A path can name thousands of directories. What is below one that does not exist does not exist, either.
        let mut above: Vec<&str> = paths::ancestors(path).collect();
        above.reverse();
        let real = |it| Some((it, self.reader.real_path(it)?));
        let (directory, real) = above.into_iter().map_while(real).last()?;
        Some(paths::join(&real, paths::below(directory, path)?))
    }

    /// The other paths of the file at `path` that are known: those by which it was read through links, and the one without links.
    pub(super) fn other_paths(&self, path: &str) -> Vec<Arc<str>> {
        if !self.record.has_links() {
            return Vec::new();
        }
        let real = self.without_links(path).unwrap_or_else(|| path.to_owned());
        let mut paths = self.record.links_to(&real);
        // A link may lead to another file by now.
        paths.retain(|it| **it != *path && self.without_links(it).as_ref() == Some(&real));
        if real != *path {
            paths.push(self.path(self.id(&real)));
        }
        paths
    }

    /// The kind of `path`. It is searched for in its directory's listing, so that a thousand calls for one directory read the
    /// disk once.
    pub fn kind(&self, path: &str) -> PathKind {
        let Some(directory) = paths::parent(path) else {
            return PathKind::Directory;
        };
        let listing = self.listing(directory);
        match find(&listing.items, paths::file_name(path)) {
            Some(item) if item.is_directory => PathKind::Directory,
            Some(_) => PathKind::File,
            None if listing.is_complete => PathKind::Missing,
            // A directory without permission to list it may still let files in it be opened.
            None => self.reader.kind(path),
        }
    }

    /// Whether a file can be created at `path`, which does not exist: neither it nor a directory above it is a file, or a link
    /// that leads nowhere.
    pub fn can_create(&self, path: &str) -> bool {
        if path.len() > MAX_PATH_BYTES {
            return false;
        }
        let mut above = Some(path);
        while let Some(at) = above {
            match self.kind(at) {
                PathKind::Directory => return true,
                PathKind::File => return false,
                PathKind::Missing if self.reader.is_broken_link(at) => return false,
                PathKind::Missing => above = paths::parent(at),
            }
        }
        true
    }

    /// The names in a directory, sorted.
    pub fn list(&self, directory: &str) -> Arc<[DirItem]> {
        self.listing(directory).items
    }

    /// The names that [`Self::list`] leaves out, sorted.
    pub(super) fn odd_items(&self, directory: &str) -> Arc<[OddItem]> {
        let slot = self.odd_items.slot(directory);
        let find = || {
            let mut items = self.reader.odd_items(directory);
            items.sort_unstable();
            Arc::from(items)
        };
        slot.get_or_init(find).clone()
    }

    /// Where the directory at `path` is, if its name is a link.
    pub(super) fn target_of_link(&self, path: &str) -> Option<String> {
        let (above, name) = (paths::parent(path)?, paths::file_name(path));
        let is_link = find(&self.listing(above).items, name).is_some_and(|it| it.is_link);
        is_link.then(|| self.reader.real_path(path)).flatten()
    }

    /// Whether the directory is there, belongs to what may be read, and the user may not list it.
    pub(super) fn is_closed_directory(&self, directory: &str) -> bool {
        !self.listing(directory).is_complete && self.may_read_in(directory)
    }

    /// [`Self::list`], if the directory was listed before.
    pub(super) fn known_list(&self, directory: &str) -> Option<Arc<[DirItem]>> {
        Some(self.directories.get(directory)?.get()?.items.clone())
    }

    /// The directory without links.
    pub fn real_path(&self, path: &str) -> Option<String> {
        self.reader.real_path(path)
    }

    /// Whether `path` is a link that leads nowhere.
    pub(super) fn is_broken_link(&self, path: &str) -> bool {
        self.reader.is_broken_link(path)
    }

    /// Whether the file at `path` may be read, if it exists.
    pub(super) fn may_read(&self, path: &str) -> bool {
        self.reader.may_read(path)
    }

    /// Whether the files in a directory may be read.
    pub(super) fn may_read_in(&self, directory: &str) -> bool {
        // A file is as free as its directory unless it is a link, so any name will do.
        self.may_read(&paths::join(directory, "file"))
    }

    /// An environment variable of the process.
    pub(super) fn environment_variable(&self, name: &str) -> Option<Arc<str>> {
        self.reader.environment_variable(name).map(Arc::from)
    }

    /// Whether `path` is a directory now. The result is not cached.
    pub(super) fn is_directory_now(&self, path: &str) -> bool {
        self.reader.kind(path) == PathKind::Directory
    }

    /// Whether `path` was listed as a non-empty directory.
    pub(super) fn knows_directory(&self, path: &str) -> bool {
        let listing = self.directories.get(path);
        listing.is_some_and(|it| it.get().is_some_and(|it| !it.items.is_empty()))
    }

    /// What was read or listed below `folders` and may have changed since `time`.
    pub(super) fn changed_since(&self, time: SystemTime, folders: &[String]) -> Vec<String> {
        let is_ours = |path: &Arc<str>| folders.iter().any(|it| paths::below(it, path).is_some());
        // If the disk does not tell, everything may have changed.
        let is_new = |path: &str| self.reader.changed_at(path).is_none_or(|it| it >= time);
        let is_still_missing = |path: &str| {
            let known = self.files.get(path);
            let was_missing = known.is_some_and(|it| matches!(it.now.get(), Some(Err(_))));
            was_missing && self.reader.kind(path) == PathKind::Missing
        };
        let files = self.files.keys().into_iter().filter(is_ours);
        let mut files: BTreeSet<String> = files.map(|path| path.to_string()).collect();
        let mut changed = BTreeSet::new();
        for directory in self.directories.keys().into_iter().filter(is_ours) {
            // If a thread is listing it, this waits for the list.
            let known = self.listing(&directory);
            let path = |item: &DirItem| paths::join(&directory, &item.name);
            // A search keeps nothing of most files that it reads, so all files count as read.
            files.extend(known.items.iter().filter(|it| !it.is_directory).map(path));
            if is_new(&directory) {
                let now = self.list_now(&directory);
                let gone = known.items.iter().filter(|it| now.items.binary_search(it).is_err());
                let new = now.items.iter().filter(|it| known.items.binary_search(it).is_err());
                changed.extend(gone.chain(new).map(path));
                if known.is_complete != now.is_complete {
                    changed.insert(directory.to_string());
                }
            }
        }
        let files: Vec<String> = files.into_iter().collect();
        let is_new = parallel::map(&files, |path| is_new(path) && !is_still_missing(path));
        let new = files.into_iter().zip(is_new).filter(|(_, is_new)| *is_new);
        changed.extend(new.map(|(path, _)| path));
        changed.into_iter().collect()
    }

    /// The table after the disk changed at `changed`: these paths, everything below them, and the listings of their
    /// directories are read again when they are needed. `latest` is the last text of one of them in an editor.
    #[must_use]
    pub(super) fn after_change(
        &self,
        changed: &ChangedPaths<'_>,
        latest: Option<&Arc<FileEntry>>,
    ) -> Self {
        let gone = AtomicU64::new(0);
        let files = self.files.changed(|path, slot| {
            // A path that was not a file may have become a directory.
            if changed.concerns(path) {
                gone.fetch_add(slot.bytes(), Ordering::Relaxed);
                let earlier = slot.now.get().and_then(|it| it.clone().ok());
                // If nobody read the file since the last change, the text before that is still a good start for parsing.
                let earlier = earlier.or_else(|| slot.earlier.clone());
                Some(Arc::new(FileSlot { earlier, now: OnceLock::new() }))
            } else {
                Some(slot.clone())
            }
        });
        // The text of a file that was never saved is of no more use.
        if let Some(latest) = latest.filter(|it| self.reader.kind(&it.path) == PathKind::File) {
            // The content of its path was handled above.
            let slot = FileSlot { earlier: Some(latest.clone()), now: OnceLock::new() };
            files.put(latest.path.clone(), slot);
        }
        let stays = |path: &str| !changed.concerns(path);
        let directories = self.directories.changed(|path, it| stays(path).then(|| it.clone()));
        let odd_items = self.odd_items.changed(|path, it| stays(path).then(|| it.clone()));
        let real_directories =
            self.real_directories.changed(|path, it| stays(path).then(|| it.clone()));
        debug_assert!(
            self.origin.is_none(),
            "no change is applied to a table without parsed texts"
        );
        Self {
            reader: self.reader.clone(),
            beside: self.beside.clone(),
            origin: None,
            paths: self.paths.clone(),
            names: self.names.clone(),
            files,
            directories,
            odd_items,
            real_directories,
            groups: Shards::default(),
            bytes: self.bytes.load(Ordering::Relaxed).saturating_sub(gone.into_inner()).into(),
            record: self.record.clone(),
            state: self.record.after_change(changed),
        }
    }

    /// An empty table for another disk whose files may have the same texts: these are read and parsed once.
    #[must_use]
    pub(super) fn on_other_disk(self: &Arc<Self>, reader: Arc<dyn DiskReader>) -> Self {
        let (paths, names) = (self.paths.clone(), self.names.clone());
        Self { paths, names, beside: Some(self.clone()), ..Self::new(reader) }
    }

    /// An empty table for another disk. Files have the same numbers.
    #[must_use]
    pub(super) fn emptied(&self, reader: Arc<dyn DiskReader>) -> Self {
        let (paths, names) = (self.paths.clone(), self.names.clone());
        Self { paths, names, ..Self::new(reader) }
    }

    /// What it is read from.
    pub(super) fn reader(&self) -> Arc<dyn DiskReader> {
        self.reader.clone()
    }

    /// A table with the same texts and listings, in which no text is parsed yet. A file costs nothing before it is asked for.
    /// No change is ever applied to it.
    #[must_use]
    pub(super) fn unparsed(self: &Arc<Self>) -> Self {
        Self {
            reader: self.reader.clone(),
            beside: None,
            origin: Some(self.clone()),
            paths: self.paths.clone(),
            names: self.names.clone(),
            files: Shards::default(),
            directories: self.directories.changed(|_, listing| Some(listing.clone())),
            odd_items: Shards::default(),
            real_directories: Shards::default(),
            groups: Shards::default(),
            bytes: AtomicU64::new(0),
            record: self.record.clone(),
            state: self.state,
        }
    }

    fn read(&self, path: &str, earlier: Option<&Arc<FileEntry>>) -> Result<Arc<FileEntry>, String> {
        if let Some(origin) = &self.origin {
            return origin.file(path).map(|entry| entry.unparsed());
        }
        self.check_bytes_left(path)?;
        self.note_link(path);
        let beside = self.beside.as_ref().and_then(|it| it.file(path).ok());
        // If one side has a pointer or an encrypted text in the place of the data, the two cannot be compared.
        if let Some(known) = beside.as_ref().filter(|it| it.stands_for_content())
            && self.kind(path) == PathKind::File
        {
            return Ok(known.clone());
        }
        let earlier = earlier.or(beside.as_ref());
        // The bytes of a text that is not UTF-8 were replaced, so they cannot be compared with those on the disk.
        if let Some(known) = earlier.filter(|it| it.invalid_utf8_at.is_none())
            && self.reader.certainly_holds(path, known.text.as_bytes())
        {
            self.bytes.fetch_add(known.text.len() as u64, Ordering::Relaxed);
            return Ok(known.clone());
        }
        let bytes = self.reader.read(path).inspect_err(|why| {
            // Nobody misses a file that does not exist, so only one that exists and cannot be read is noted.
            if self.kind(path) == PathKind::File {
                self.left_out(path, why.clone());
            }
        })?;
        self.keep_bytes(path, earlier, bytes)
    }

    /// The entry for the bytes that were read from `path`.
    fn keep_bytes(
        &self,
        path: &str,
        earlier: Option<&Arc<FileEntry>>,
        bytes: Vec<u8>,
    ) -> Result<Arc<FileEntry>, String> {
        self.check_bytes_left(path)?;
        let id = self.id(path);
        Ok(self.keep(FileEntry::from_bytes(self.path(id), id, bytes), earlier))
    }

    fn keep(&self, entry: FileEntry, earlier: Option<&Arc<FileEntry>>) -> Arc<FileEntry> {
        self.bytes.fetch_add(entry.text.len() as u64, Ordering::Relaxed);
        match earlier {
            Some(earlier) => entry.starting_from(earlier),
            None => Arc::new(entry),
        }
    }

    /// `Err` if too many bytes have been read to read one more file.
    fn check_bytes_left(&self, path: &str) -> Result<(), String> {
        // Threads may pass this check at the same time, so a few files more than the limit are read. That does no harm.
        if self.bytes.load(Ordering::Relaxed) < MAX_BYTES_READ {
            return Ok(());
        }
        let why = format!("Too many bytes were read before @ io_fread - {path}");
        self.left_out(path, why.clone());
        Err(why)
    }

    fn listing(&self, directory: &str) -> DirListing {
        let slot = self.directories.slot(directory);
        let list = || {
            self.note_linked_directory(directory);
            self.list_now(directory)
        };
        slot.get_or_init(list).clone()
    }

    fn list_now(&self, directory: &str) -> DirListing {
        let listed = self.reader.list(directory);
        let is_complete = listed.is_some();
        let mut items = listed.unwrap_or_default();
        items.sort_unstable();
        DirListing { items: items.into(), is_complete }
    }
}

/// The item called `name` in a sorted listing.
pub(super) fn find<'a>(items: &'a [DirItem], name: &str) -> Option<&'a DirItem> {
    let at = items.binary_search_by(|item| (*item.name).cmp(name)).ok()?;
    Some(&items[at])
}

#[cfg(test)]
mod tests;
