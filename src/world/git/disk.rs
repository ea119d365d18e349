//! A revision as a disk: the content of a commit at the paths of the working tree. Everything outside the repository is as it
//! is on this machine, as far as that may be read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha1::{Digest as _, Sha1};

use super::contents::Contents;
use super::{ItemKind, Repository, TreeItem};
use crate::data::{DirItem, OddItem, Oddity, PathKind};
use crate::world::left_by_git::LeftByGit;
use crate::world::{DiskReader, paths};

/// The maximum length of a chain of links.
const MAX_LINKS: usize = 40;

/// Where Git keeps a repository, at the top of its working tree.
const GIT: &str = ".git";

/// One commit of a repository.
pub(crate) struct GitDisk {
    repository: Repository,
    /// Its name; empty if the items are from elsewhere.
    commit: String,
    items: HashMap<String, TreeItem>,
    /// The names in each directory.
    directories: HashMap<String, BTreeMap<String, ItemKind>>,
    /// The paths of all submodules.
    submodules: Vec<String>,
    /// What is outside the commit.
    machine: Arc<dyn DiskReader>,
    /// By path, the filter of Git that changes the file when it is checked out.
    filters: HashMap<String, String>,
    /// The files that were read from the working tree, because the commit has them in another form.
    not_as_data: Mutex<BTreeMap<String, NotAsData>>,
    /// A file that is in the commit, but whose content is not in this clone.
    missing: OnceLock<String>,
    contents: Mutex<Option<Contents>>,
}

/// Why the content of a file in a commit is not the data that a checkout has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotAsData {
    /// git-crypt encrypts it.
    Encrypted,
    /// It names what Git LFS keeps.
    Pointer,
    /// The filter with this name changes it.
    Filtered(String),
}

/// The item at a path, with links resolved.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    File {
        /// The path from the repository's top.
        path: String,
        object: String,
    },
    /// A directory, by its path from the repository's top.
    Directory(String),
    Missing,
    /// A path outside the repository, or in a submodule: it is read as it is on this machine.
    Outside(String),
}

impl GitDisk {
    /// The content of `commit`; `machine` has what is outside it.
    pub(crate) fn new(
        repository: Repository,
        commit: &str,
        machine: Arc<dyn DiskReader>,
    ) -> Result<Self, String> {
        let items = repository.tree(commit)?;
        let filters = repository.filters(commit, &items)?;
        let commit = commit.to_owned();
        Ok(Self { commit, filters, ..Self::of_items(repository, items, machine) })
    }

    /// A disk with these items of the repository.
    pub(super) fn of_items(
        repository: Repository,
        items: Vec<(String, TreeItem)>,
        machine: Arc<dyn DiskReader>,
    ) -> Self {
        let mut directories: HashMap<String, BTreeMap<String, ItemKind>> = HashMap::new();
        // The top exists even in a commit without files.
        directories.insert(String::new(), BTreeMap::new());
        for (path, item) in &items {
            let mut below = path.as_str();
            let mut kind = item.kind;
            loop {
                let (directory, name) = below.rsplit_once('/').unwrap_or(("", below));
                let names = directories.entry(directory.to_owned()).or_default();
                let is_known = names.insert(name.to_owned(), kind).is_some();
                // A directory that is known already has added the directories above it.
                if directory.is_empty() || is_known {
                    break;
                }
                below = directory;
                // Git lists only files. For a directory, `list` finds out the kind from `directories`.
                kind = ItemKind::File;
            }
        }
        let submodules = items.iter().filter(|(_, item)| item.kind == ItemKind::Submodule);
        let submodules = submodules.map(|(path, _)| path.clone()).collect();
        let items = items.into_iter().collect();
        Self {
            repository,
            commit: String::new(),
            items,
            directories,
            submodules,
            machine,
            filters: HashMap::new(),
            not_as_data: Mutex::default(),
            missing: OnceLock::new(),
            contents: Mutex::default(),
        }
    }

    /// The submodules below the current directory, by path.
    pub(crate) fn submodules(&self) -> BTreeSet<String> {
        let is_here = |path: &&String| path.starts_with(&self.repository.prefix);
        self.submodules.iter().filter(is_here).cloned().collect()
    }

    /// The files that were read so far and that the commit has in another form than a checkout. No program is run that could
    /// convert them, so their content is that of the working tree.
    pub(crate) fn not_as_data(&self) -> BTreeMap<String, NotAsData> {
        self.not_as_data.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A file that was read so far, and whose content is not in this clone.
    pub(crate) fn missing(&self) -> Option<&str> {
        self.missing.get().map(String::as_str)
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The name of the commit.
    pub(super) fn commit(&self) -> &str {
        &self.commit
    }

    /// The name of the submodule's commit.
    pub(super) fn commit_of_submodule(&self, path: &str) -> Option<&str> {
        let item = self.items.get(path).filter(|it| it.kind == ItemKind::Submodule)?;
        Some(&item.object)
    }

    /// The path of a file from the repository's top, without links, and the object name of its content.
    pub(super) fn object_of(&self, path: &str) -> Option<(String, String)> {
        match self.find(path) {
            Found::File { path, object } => Some((path, object)),
            Found::Directory(_) | Found::Missing | Found::Outside(_) => None,
        }
    }

    /// Why the content of a file is not data.
    fn why_not_data(&self, path: &str, content: &[u8]) -> Option<NotAsData> {
        match LeftByGit::at_start(content) {
            Some(LeftByGit::Pointer) => Some(NotAsData::Pointer),
            Some(LeftByGit::Encrypted) => Some(NotAsData::Encrypted),
            Some(LeftByGit::ConflictMarks) | None => {
                self.filters.get(path).cloned().map(NotAsData::Filtered)
            }
        }
    }

    /// The path from the repository's top; `None` if it is outside.
    pub(super) fn inside(&self, path: &str) -> Option<String> {
        let prefix = self.repository.prefix.trim_end_matches('/');
        if let Some(below) = paths::below(&self.repository.root, path) {
            return Some(match (prefix, below) {
                ("", below) => below.to_owned(),
                (prefix, "") => prefix.to_owned(),
                (prefix, below) => format!("{prefix}/{below}"),
            });
        }
        let tops = self.repository.top_as_spelled().into_iter();
        let mut tops = tops.chain(self.repository.top.as_deref());
        tops.find_map(|top| paths::below(top, path)).map(str::to_owned)
    }

    fn find(&self, path: &str) -> Found {
        match self.inside(path) {
            // No commit has such a file. It shows where the repository starts, and so how far up settings and facts may be.
            Some(inside) if paths::below(GIT, &inside).is_some() => Found::Outside(path.to_owned()),
            Some(inside) => self.find_inside(&inside),
            None => Found::Outside(path.to_owned()),
        }
    }

    fn find_inside(&self, path: &str) -> Found {
        let mut path = path.to_owned();
        // Links may form a circle.
        for _ in 0..MAX_LINKS {
            if let Some(item) = self.items.get(&path)
                && item.kind == ItemKind::File
            {
                return Found::File { object: item.object.clone(), path };
            }
            // The content of a submodule is in another repository. If it is checked out, both sides of a comparison read that.
            if self.submodules.iter().any(|it| paths::below(it, &path).is_some()) {
                let top = self.repository.top.as_deref();
                return top.map_or(Found::Missing, |top| Found::Outside(paths::join(top, &path)));
            }
            if self.directories.contains_key(&path) {
                return Found::Directory(path);
            }
            match self.behind_link(&path) {
                Some(Found::Directory(next)) => path = next,
                Some(other) => return other,
                None => return Found::Missing,
            }
        }
        Found::Missing
    }

    /// The path after its first link is resolved; a path in the repository is returned as a directory.
    fn behind_link(&self, path: &str) -> Option<Found> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let is_link = |end: &usize| {
            self.items.get(&path[..*end]).is_some_and(|item| item.kind == ItemKind::Link)
        };
        let end = { ends }.find(is_link)?;
        let (link, rest) = path.split_at(end);
        let target = self.content(link, &self.items[link].object).ok()?;
        let target = String::from_utf8(target).ok()?;
        let top = self.repository.top_or_root();
        let directory = paths::join(top, link.rsplit_once('/').map_or("", |(it, _)| it));
        let target = paths::normalise(&paths::join(&directory, &target));
        let whole = format!("{target}{rest}");
        Some(match paths::below(top, &whole) {
            Some(inside) => Found::Directory(inside.to_owned()),
            None => Found::Outside(whole),
        })
    }

    /// Git's own directory, or the file that names it, at the top of the repository.
    fn git_item(&self, top: &str) -> Option<DirItem> {
        let kind = self.machine.kind(&paths::join(top, GIT));
        let is_directory = kind == PathKind::Directory;
        let item = || DirItem { name: GIT.into(), is_directory, is_link: false };
        (kind != PathKind::Missing).then(item)
    }

    fn kind_of(&self, found: &Found) -> PathKind {
        match found {
            Found::File { .. } => PathKind::File,
            Found::Directory(_) => PathKind::Directory,
            Found::Missing => PathKind::Missing,
            Found::Outside(path) => self.machine.kind(path),
        }
    }

    /// The content of the object at `path`.
    fn content(&self, path: &str, object: &str) -> Result<Vec<u8>, String> {
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if contents.is_none() {
            *contents = Some(Contents::start(&self.repository.root)?);
        }
        let Some(running) = contents.as_mut() else { return Err(String::new()) };
        let read = running.read(object);
        // After a broken exchange, the next answer might belong to another request, so Git is started again.
        if read.as_ref().is_err_and(|problem| problem.is_fatal) {
            *contents = None;
        }
        read.map_err(|problem| {
            if problem.is_missing {
                self.missing.get_or_init(|| path.to_owned());
            }
            problem.message
        })
    }
}

impl DiskReader for GitDisk {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        match self.find(path) {
            Found::File { path: own, object } => {
                let content =
                    self.content(&own, &object).map_err(|why| format!("{why} - {path}"))?;
                if let Some(why) = self.why_not_data(&own, &content) {
                    let mut noted = self.not_as_data.lock().unwrap_or_else(PoisonError::into_inner);
                    noted.insert(path.to_owned(), why);
                    drop(noted);
                    let length = bytes.len();
                    if self.machine.read_into(path, bytes).is_ok() {
                        return Ok(());
                    }
                    bytes.truncate(length);
                }
                bytes.extend(content);
                Ok(())
            }
            Found::Directory(_) => Err(format!("Is a directory @ io_fread - {path}")),
            Found::Missing => Err(format!("No such file or directory @ rb_sysopen - {path}")),
            Found::Outside(path) => self.machine.read_into(&path, bytes),
        }
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        match self.find(directory) {
            Found::Directory(path) => {
                let names = self.directories.get(&path)?;
                let item = |(name, kind): (&String, &ItemKind)| {
                    let whole =
                        if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    let is_directory = match kind {
                        ItemKind::Link => match self.kind_of(&self.find_inside(&whole)) {
                            PathKind::Directory => true,
                            PathKind::File => false,
                            // Only a glob finds a link that leads nowhere, as on the disk of this machine.
                            PathKind::Missing => return None,
                        },
                        ItemKind::File => self.directories.contains_key(&whole),
                        ItemKind::Submodule => true,
                    };
                    let is_link = *kind == ItemKind::Link;
                    Some(DirItem { name: name.as_str().into(), is_directory, is_link })
                };
                let mut items: Vec<DirItem> = names.iter().filter_map(item).collect();
                items.extend(path.is_empty().then(|| self.git_item(directory)).flatten());
                Some(items)
            }
            Found::Outside(path) => self.machine.list(&path),
            Found::File { .. } | Found::Missing => Some(Vec::new()),
        }
    }

    fn odd_items(&self, directory: &str) -> Vec<OddItem> {
        let path = match self.find(directory) {
            Found::Directory(path) => path,
            Found::Outside(path) => return self.machine.odd_items(&path),
            Found::File { .. } | Found::Missing => return Vec::new(),
        };
        let names = self.directories.get(&path).into_iter().flatten();
        let links = names.filter(|(_, kind)| **kind == ItemKind::Link);
        let broken = links.filter(|(name, _)| {
            let whole = if path.is_empty() { (*name).clone() } else { format!("{path}/{name}") };
            self.kind_of(&self.find_inside(&whole)) == PathKind::Missing
        });
        let item = |(name, _): (&String, _)| OddItem {
            name: name.as_str().into(),
            oddity: Oddity::BrokenLink,
        };
        broken.map(item).collect()
    }

    fn kind(&self, path: &str) -> PathKind {
        self.kind_of(&self.find(path))
    }

    fn real_path(&self, path: &str) -> Option<String> {
        match self.find(path) {
            Found::Outside(path) => self.machine.real_path(&path),
            Found::Directory(inside) => {
                let top = self.repository.top_or_root();
                Some(paths::join(top, &inside))
            }
            Found::File { .. } => Some(path.to_owned()),
            Found::Missing => None,
        }
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        self.machine.environment_variable(name)
    }

    fn may_read(&self, path: &str) -> bool {
        match self.find(path) {
            Found::Outside(path) => self.machine.may_read(&path),
            Found::File { .. } | Found::Directory(_) | Found::Missing => true,
        }
    }

    fn certainly_holds(&self, path: &str, bytes: &[u8]) -> bool {
        matches!(self.find(path), Found::File { object, .. } if object == object_name(bytes))
    }
}

/// Git's object name for a file with these bytes, in a repository that uses SHA-1.
fn object_name(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hasher.finalize().iter().fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn contents_are_named_as_git_names_them() {
        let check = |bytes: &[u8], name: &str| assert_eq!(super::object_name(bytes), name);
        check(b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        check(b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
