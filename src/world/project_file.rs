//! The project file of a folder: its own, or that of a directory above, because users may open only a part of a repository. The
//! baseline is found in the same way.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::file_entry::FileEntry;
use super::paths;
use super::snapshot::World;
use crate::data::{Files as _, PathKind};
use crate::settings::PROJECT_FILE;

/// A usual mistake in the name of the project file.
const MISSPELT_PROJECT_FILE: &str = ".hiera-ls.yml";

impl World {
    /// The nearest project file at or above `folder`, inside the environment or the repository that contains the folder. A
    /// file above these was not made for the folder.
    pub fn project_file(&self, folder: &str) -> Option<Arc<FileEntry>> {
        self.file_around(folder, PROJECT_FILE)
    }

    /// Where the baseline of a folder without a project file is: the nearest directory at or above the folder that has `file`, or
    /// else the root of the environment around the folder. So commands find it in whichever directory of the environment they run.
    pub(super) fn directory_of_baseline(&self, folder: &str, file: &str) -> String {
        let found = self.file_around(folder, file);
        if let Some(directory) = found.as_ref().and_then(|it| paths::parent(&it.path)) {
            return directory.to_owned();
        }
        let environment = self.environment_of(folder);
        let root = environment.as_ref().map(|it| it.directory());
        root.filter(|it| paths::below(it, folder).is_some()).unwrap_or(folder).to_owned()
    }

    /// Why the project files at or above `folder` are not read that would count before [`Self::project_file`], or instead of it.
    pub fn unread_project_files(&self, folder: &str) -> Vec<String> {
        let mut unread = Vec::new();
        for directory in self.directories_around(folder) {
            let path = paths::join(directory, PROJECT_FILE);
            let misspelt = paths::join(directory, MISSPELT_PROJECT_FILE);
            let is_there =
                |it: &str| self.kind(it) != PathKind::Missing || self.texts.base.is_broken_link(it);
            match self.file(&path) {
                Ok(_) => break,
                Err(why) if is_there(&path) => unread.push(why),
                Err(_) if is_there(&misspelt) => {
                    unread.push(format!("{misspelt} is not read: rename it to {PROJECT_FILE}"));
                }
                Err(_) => {}
            }
        }
        unread
    }

    /// Why the project files around the open files are not read if no folder is open: nothing says which of them counts for the
    /// workspace, and whether the user trusts it.
    pub(super) fn project_files_without_folder(&self) -> Vec<String> {
        let open: BTreeSet<&str> =
            self.open_files().filter_map(|it| paths::parent(&it.entry.path)).collect();
        let files: BTreeSet<Arc<str>> =
            open.into_iter().filter_map(|it| Some(self.project_file(it)?.path.clone())).collect();
        let why = |file| format!("{file} is not read: open the folder, and not only a file of it");
        files.into_iter().map(why).collect()
    }

    fn file_around(&self, folder: &str, name: &str) -> Option<Arc<FileEntry>> {
        let mut directories = self.directories_around(folder).into_iter();
        directories.find_map(|directory| self.file(&paths::join(directory, name)).ok())
    }

    /// The directories in which the files of a folder may be, the nearest first.
    fn directories_around<'p>(&self, folder: &'p str) -> Vec<&'p str> {
        let environment = self.environment_of(folder);
        let root = environment.as_ref().map(|it| it.directory());
        // A folder that belongs to neither may still have a file of its own.
        let is_within = |directory: &str| {
            directory == folder || root.is_some_and(|root| paths::below(root, directory).is_some())
        };
        let repository = self.repository_around(folder);
        std::iter::once(folder)
            .chain(paths::ancestors(folder))
            .take_while(|directory| {
                is_within(directory)
                    || repository.is_some_and(|it| paths::below(it, directory).is_some())
            })
            .collect()
    }

    /// The top of the repository that contains a directory.
    pub(super) fn repository_around<'p>(&self, directory: &'p str) -> Option<&'p str> {
        let is_top = |it: &&str| self.kind(&paths::join(it, ".git")) != PathKind::Missing;
        std::iter::once(directory).chain(paths::ancestors(directory)).find(is_top)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::world::{Host, MemoryDisk};

    #[track_caller]
    fn check(files: &[&str], folder: &str, expected: Option<&str>) {
        let disk = MemoryDisk::new(files.iter().map(|path| (*path, "")));
        let world = Host::new(Arc::new(disk)).snapshot();
        let found = world.project_file(folder).map(|file| file.path.to_string());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn the_nearest_one_of_the_environment() {
        let files = ["/r/hiera.yaml", "/r/.hiera-ls.yaml", "/r/data/common.yaml"];
        check(&files, "/r", Some("/r/.hiera-ls.yaml"));
        check(&files, "/r/data", Some("/r/.hiera-ls.yaml"));
        let files = [&files[..], &["/r/data/.hiera-ls.yaml"]].concat();
        check(&files, "/r/data", Some("/r/data/.hiera-ls.yaml"));
    }

    #[test]
    fn one_of_the_repository_around_it() {
        let files = ["/r/.git/HEAD", "/r/.hiera-ls.yaml", "/r/puppet/hiera.yaml"];
        check(&files, "/r/puppet", Some("/r/.hiera-ls.yaml"));
    }

    #[test]
    fn the_baseline_of_a_part() {
        let of = |files: &[&str], folder: &str| {
            let disk = MemoryDisk::new(files.iter().map(|path| (*path, "")));
            let world = Host::new(Arc::new(disk)).snapshot();
            world.directory_of_baseline(folder, "known.json")
        };
        let files = ["/r/hiera.yaml", "/r/data/common.yaml", "/x/a.yaml"];
        assert_eq!([of(&files, "/r"), of(&files, "/r/data"), of(&files, "/x")], ["/r", "/r", "/x"]);
        let files = [&files[..], &["/r/data/known.json"]].concat();
        assert_eq!([of(&files, "/r"), of(&files, "/r/data")], ["/r", "/r/data"]);
        let files = ["/r/.git/HEAD", "/r/known.json", "/r/puppet/hiera.yaml"];
        assert_eq!(of(&files, "/r/puppet"), "/r");
    }

    #[test]
    fn none_that_somebody_put_elsewhere() {
        let files = ["/above/.hiera-ls.yaml", "/above/r/hiera.yaml", "/above/x/a.yaml"];
        check(&files, "/above/r", None);
        check(&files, "/above/x", None);
        check(&files, "/above", Some("/above/.hiera-ls.yaml"));
    }
}
