//! All texts of one moment, with those of open editors over the disk. Lookups and indexes read them.

use std::fmt;
use std::sync::Arc;

use super::disk::DiskTable;
use super::file_entry::{FileEntry, Seen};
use super::overlay::{OpenFile, Overlay};
use super::parallel;
use crate::data::{
    DataFile, DirItem, FileId, Files, Format, InvalidUtf8, OddItem, PathKind, may_have_key,
};

/// Fewer files than this are read one after another, because a thread costs as much as a small file.
const MIN_AT_ONCE: usize = 8;

/// The files of a snapshot, without derived data. Cheap to clone.
#[derive(Clone)]
pub(super) struct Texts {
    pub(super) base: Arc<DiskTable>,
    pub(super) overlay: Arc<Overlay>,
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").finish_non_exhaustive()
    }
}

impl Texts {
    pub(super) fn file(&self, path: &str) -> Result<Arc<FileEntry>, String> {
        match self.overlay.get(path) {
            Some(open) => Ok(open.entry.clone()),
            None => self.base.file(path),
        }
    }

    /// Reads files before they are needed, on all processors, as long as `goes_on` returns true. `done` gets each group of files
    /// that has been read, while their texts are likely to be in the processor's cache.
    pub(super) fn read_together<'a>(
        &self,
        paths: impl Iterator<Item = &'a str>,
        goes_on: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn(&[&str]) + Sync),
    ) {
        let (closed, open): (Vec<&str>, Vec<&str>) =
            paths.partition(|path| self.overlay.get(path).is_none());
        if !open.is_empty() && goes_on() {
            done(&open);
        }
        self.base.read_together(&closed, goes_on, done);
    }

    /// The file at `path`, if it is open in an editor or was read before. The disk is not touched.
    pub(super) fn file_if_read(&self, path: &str) -> Option<Arc<FileEntry>> {
        match self.overlay.get(path) {
            Some(file) => Some(file.entry.clone()),
            None => self.base.file_if_read(path),
        }
    }

    /// The file at `path` if `look` returns true for it. Otherwise nothing of it is kept, unless it was read before.
    pub(super) fn file_if(
        &self,
        path: &str,
        look: impl FnOnce(Seen<'_>) -> bool,
    ) -> Option<Arc<FileEntry>> {
        match self.overlay.get(path) {
            Some(open) => look(Seen::Kept(&open.entry)).then(|| open.entry.clone()),
            None => self.base.file_if(path, look),
        }
    }

    /// Puts the text of an editor over the file at `path`, which may be open by another path.
    pub(super) fn put(
        &mut self,
        path: &Arc<str>,
        text: Arc<str>,
        version: i32,
        opened_as: Option<Arc<str>>,
    ) {
        // The file on the disk often has the same text. Then both share everything, also after later edits.
        let saved = self.base.file(path).ok();
        let before = self.file_if_read(path);
        let id = self.base.id(path);
        let entry = FileEntry::in_editor(path.clone(), id, text, saved.as_deref());
        let entry = match before {
            Some(before) => entry.starting_from(&before),
            None => Arc::new(entry),
        };
        self.overlay = Arc::new(self.overlay.with(OpenFile { entry, version, opened_as }));
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.kind(path) == PathKind::File
    }
}

impl Files for Texts {
    fn kind(&self, path: &str) -> PathKind {
        match self.overlay.kind(path) {
            PathKind::Missing => self.base.kind(path),
            kind => kind,
        }
    }

    fn list(&self, directory: &str) -> Arc<[DirItem]> {
        self.overlay.list(directory, self.base.list(directory))
    }

    fn odd_items(&self, directory: &str) -> Arc<[OddItem]> {
        self.base.odd_items(directory)
    }

    fn target_of_link(&self, path: &str) -> Option<String> {
        self.base.target_of_link(path)
    }

    fn text(&self, path: &str) -> Result<Arc<str>, String> {
        self.file(path).map(|entry| Arc::from(&entry.text))
    }

    fn data(&self, path: &str, format: Format) -> Result<Arc<DataFile>, String> {
        self.file(path).map(|entry| entry.data(format).clone())
    }

    fn invalid_utf8(&self, path: &str) -> Option<InvalidUtf8> {
        self.file(path).ok()?.invalid_utf8()
    }

    fn environment_variable(&self, name: &str) -> Option<Arc<str>> {
        self.base.environment_variable(name)
    }

    fn expect(&self, files: &[(&str, Format)]) {
        let is_new = |(path, format): &&(&str, Format)| {
            let read = self.file_if_read(path);
            read.is_none_or(|entry| entry.data_if_read(*format).is_none())
        };
        let new: Vec<&(&str, Format)> = files.iter().filter(is_new).collect();
        if new.len() < MIN_AT_ONCE {
            return;
        }
        parallel::map(&new, |(path, format)| {
            // The verdict is what takes long in a large file, so the threads compute it as well.
            if let Ok(data) = self.data(path, *format) {
                data.verdict();
            }
        });
    }

    fn may_have(&self, files: &[(&str, Format)], key: &str) -> Vec<bool> {
        parallel::map(files, |(path, format)| {
            let file = self.file(path);
            file.map_or(true, |file| may_have_key(file.text.as_bytes(), *format, key))
        })
    }

    fn left_out(&self, path: &str, why: String) {
        self.base.left_out(path, why);
    }

    fn id(&self, path: &str) -> FileId {
        self.base.id(path)
    }

    fn path(&self, file: FileId) -> Arc<str> {
        self.base.path(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MemoryFiles;
    use crate::world::{Change, Host, MemoryDisk};

    const FILES: [(&str, &str); 6] = [
        ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: plain.yaml}]\n"),
        ("/r/data/plain.yaml", "a: b\nc: \"%{lookup('d')}\"\n"),
        ("/r/data/escaped.yaml", "\"\\x61\": 1\n"),
        ("/r/data/merged.yaml", "x: &x {a: 1}\n<<: *x\n"),
        ("/r/data/broken.yaml", "a: [1\nb: 2\n"),
        ("/r/data/list.yaml", "- a\n- b\n"),
    ];

    #[test]
    fn files_that_may_have_a_key_are_those_whose_texts_do_not_rule_it_out() {
        let mut asked = FILES.map(|(path, _)| (path, Format::Yaml)).to_vec();
        asked.push(("/r/data/missing.yaml", Format::Yaml));
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        for key in ["a", "b", "c", "d", "x", "lookup_options"] {
            let world = host.snapshot();
            let may_have = world.may_have(&asked, key);
            assert_eq!(may_have, MemoryFiles::new(FILES).may_have(&asked, key), "{key}");
            for ((path, format), may_have) in asked.iter().zip(may_have) {
                let has_it = world.data(path, *format).is_ok_and(|file| file.get(key).is_some());
                assert!(may_have || !has_it, "{key} in {path}");
            }
        }
        let plain = [("/r/data/plain.yaml", Format::Yaml)];
        assert_eq!(host.snapshot().may_have(&plain, "d"), [false]);
        let (path, text) = (plain[0].0.to_owned(), "d: 1\n".to_owned());
        host.apply(Change::OpenBuffer { path, text, version: 1 });
        assert_eq!(host.snapshot().may_have(&plain, "d"), [true]);
    }
}
