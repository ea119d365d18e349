//! A disk that is a map, for tests and fixtures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use super::disk::DiskReader;
use super::paths;
use crate::data::{DirItem, PathKind};

/// Files by path; directories exist if they contain files.
#[derive(Debug, Default)]
pub struct MemoryDisk {
    files: RwLock<BTreeMap<String, Vec<u8>>>,
    questions: AtomicUsize,
}

impl MemoryDisk {
    /// A disk with these files.
    pub fn new<P: Into<String>, T: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let files = files.into_iter().map(|(path, text)| (path.into(), text.into())).collect();
        Self { files: RwLock::new(files), questions: AtomicUsize::new(0) }
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: impl Into<Vec<u8>>) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_owned(), text.into());
    }

    /// Removes a file, or a directory with everything in it.
    pub fn remove(&self, path: &str) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.retain(|it, _| paths::below(path, it).is_none());
    }

    /// How often anything has been read, listed or searched for so far.
    pub fn questions(&self) -> usize {
        self.questions.load(Ordering::Relaxed)
    }

    fn with_files<T>(&self, look: impl FnOnce(&BTreeMap<String, Vec<u8>>) -> T) -> T {
        self.questions.fetch_add(1, Ordering::Relaxed);
        look(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl DiskReader for MemoryDisk {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        self.with_files(|files| match kind_in(files, path) {
            PathKind::File => {
                bytes.extend_from_slice(&files[path]);
                Ok(())
            }
            PathKind::Directory => Err(format!("Is a directory @ io_fread - {path}")),
            PathKind::Missing => Err(format!("No such file or directory @ rb_sysopen - {path}")),
        })
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        let items = self.with_files(|files| {
            let below = files.keys().filter_map(|path| paths::below(directory, path));
            let names = below.map(|rest| match rest.split_once('/') {
                Some((name, _)) => {
                    DirItem { name: name.into(), is_directory: true, is_link: false }
                }
                None => DirItem { name: rest.into(), is_directory: false, is_link: false },
            });
            names.filter(|item| !item.name.is_empty()).collect::<BTreeSet<_>>()
        });
        Some(items.into_iter().collect())
    }

    fn kind(&self, path: &str) -> PathKind {
        self.with_files(|files| kind_in(files, path))
    }

    fn real_path(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

fn kind_in(files: &BTreeMap<String, Vec<u8>>, path: &str) -> PathKind {
    if files.contains_key(path) {
        PathKind::File
    } else if files.keys().any(|it| paths::below(path, it).is_some()) {
        PathKind::Directory
    } else {
        PathKind::Missing
    }
}
