//! Files that exist only in memory, for tests and for generated workspaces.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::{DataFile, DirItem, FileId, Files, Format, PathKind};

/// A tree of files built from pairs of path and text; directories follow from the paths.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    texts: BTreeMap<Arc<str>, Arc<str>>,
    directories: BTreeMap<String, Arc<[DirItem]>>,
    numbers: Mutex<Vec<Arc<str>>>,
    parsed: Mutex<HashMap<(FileId, Format), Arc<DataFile>>>,
}

impl MemoryFiles {
    /// Takes absolute paths with their texts. A path that ends in `/` is an empty directory.
    pub fn new<P: AsRef<str>, T: AsRef<str>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let mut texts = BTreeMap::new();
        let mut names: BTreeMap<String, BTreeMap<Arc<str>, bool>> = BTreeMap::new();
        for (path, text) in files {
            let path = path.as_ref();
            let trimmed = path.trim_end_matches('/');
            if trimmed.len() == path.len() {
                texts.insert(Arc::from(path), Arc::from(text.as_ref()));
            } else {
                names.entry(trimmed.to_owned()).or_default();
            }
            add_to_parents(&mut names, trimmed, trimmed.len() != path.len());
        }
        let directories = names
            .into_iter()
            .map(|(path, items)| {
                let items = items.into_iter().map(|(name, is_directory)| DirItem {
                    name,
                    is_directory,
                    is_link: false,
                });
                (path, items.collect())
            })
            .collect();
        Self { texts, directories, ..Self::default() }
    }
}

/// Adds `path` to its directory, that directory to its parent, and so on up to the root.
fn add_to_parents(
    names: &mut BTreeMap<String, BTreeMap<Arc<str>, bool>>,
    path: &str,
    mut is_directory: bool,
) {
    let mut rest = path;
    while let Some((parent, name)) = rest.rsplit_once('/') {
        let known = names.entry(parent.to_owned()).or_default().entry(name.into()).or_default();
        *known |= is_directory;
        is_directory = true;
        rest = parent;
    }
}

impl Files for MemoryFiles {
    fn kind(&self, path: &str) -> PathKind {
        if self.texts.contains_key(path) {
            PathKind::File
        } else if self.directories.contains_key(path.trim_end_matches('/')) {
            PathKind::Directory
        } else {
            PathKind::Missing
        }
    }

    fn list(&self, directory: &str) -> Arc<[DirItem]> {
        self.directories.get(directory.trim_end_matches('/')).cloned().unwrap_or_default()
    }

    fn text(&self, path: &str) -> Result<Arc<str>, String> {
        match self.kind(path) {
            PathKind::File => Ok(Arc::clone(&self.texts[path])),
            PathKind::Directory => Err(format!("Is a directory @ io_fread - {path}")),
            PathKind::Missing => Err(format!("No such file or directory @ rb_sysopen - {path}")),
        }
    }

    fn data(&self, path: &str, format: Format) -> Result<Arc<DataFile>, String> {
        let text = self.text(path)?;
        let file = self.id(path);
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let data = parsed
            .entry((file, format))
            .or_insert_with(|| Arc::new(DataFile::new(file, format, text.into())));
        Ok(Arc::clone(data))
    }

    fn id(&self, path: &str) -> FileId {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = numbers.iter().position(|it| **it == *path);
        let index = known.unwrap_or_else(|| {
            numbers.push(path.into());
            numbers.len() - 1
        });
        FileId(u32::try_from(index).expect("there are fewer than 4 billion paths"))
    }

    fn path(&self, file: FileId) -> Arc<str> {
        let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.get(file.0 as usize).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_follow_from_the_paths() {
        let files = MemoryFiles::new([("/a/b/c.yaml", "x: 1"), ("/a/b.yaml", ""), ("/a/e/", "")]);
        let names: Vec<_> =
            files.list("/a").iter().map(|it| (it.name.to_string(), it.is_directory)).collect();
        assert_eq!(
            names,
            [("b".to_owned(), true), ("b.yaml".to_owned(), false), ("e".to_owned(), true)]
        );
        assert_eq!(files.list("/").len(), 1);
        assert_eq!(files.kind("/a/b"), PathKind::Directory);
        assert_eq!(files.kind("/a/e"), PathKind::Directory);
        assert_eq!(files.kind("/a/b.yaml"), PathKind::File);
        assert_eq!(files.kind("/a/x"), PathKind::Missing);
        assert_eq!(files.text("/a/b/c.yaml").as_deref(), Ok("x: 1"));
        assert_eq!(files.text("/a/b"), Err("Is a directory @ io_fread - /a/b".to_owned()));
    }

    #[test]
    fn a_path_keeps_its_number() {
        let files = MemoryFiles::new([("/a.yaml", "")]);
        assert_eq!(files.id("/b.yaml"), files.id("/b.yaml"));
        assert_eq!(&*files.path(files.id("/a.yaml")), "/a.yaml");
    }
}
