//! Symbolic links in data directories: the files that hierarchies read under other paths than their own.
//!
//! A lookup reads `nodes/web01.yaml`, and that is a link to `shared/web.yaml`. Then no level leads to the latter path, but
//! users edit the file there. Only links within the workspace's folders count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::disk::find;
use super::indexes::key_of;
use super::paths;
use super::reach::format_by_name;
use super::snapshot::World;
use crate::config::Environment;
use crate::data::{Files as _, PathKind};

/// The paths that are read instead, sorted, by the path of each file.
pub(crate) type Links = BTreeMap<Arc<str>, Vec<Arc<str>>>;

impl World {
    /// The paths by which the environment's hierarchies read the file at `path` through links, sorted.
    pub fn links_to(&self, environment: &Environment, path: &str) -> Vec<Arc<str>> {
        // Only data is worth listing the data directories.
        if format_by_name(path).is_none() || paths::file_name(path) == "hiera.yaml" {
            return Vec::new();
        }
        self.links(environment).get(path).cloned().unwrap_or_default()
    }

    /// The path by which hierarchies lead to a file: its own, or else that of the first link.
    pub(super) fn read_as(&self, environment: &Environment, path: &str) -> Arc<str> {
        let is_read = self.reach(environment).reaches(path);
        let link = if is_read { None } else { self.links_to(environment, path).first().cloned() };
        link.unwrap_or_else(|| path.into())
    }

    /// All links that lead to files of the workspace.
    pub(super) fn links(&self, environment: &Environment) -> Arc<Links> {
        let slot = self.nodes.links.slot(&key_of(environment));
        slot.get_or_init(|| Arc::new(self.find_links(environment))).clone()
    }

    fn find_links(&self, environment: &Environment) -> Links {
        let mut links =
            self.links_among(self.data_files(environment).iter().map(|(path, _)| &**path));
        let is_ours = |path: &str| self.folders().iter().any(|it| paths::below(it, path).is_some());
        links.retain(|target, _| is_ours(target));
        links
    }

    /// Those of the paths that lead to files through links, by the paths of the files. If a path is a link in a linked
    /// directory, it leads to that link and to its target.
    pub(crate) fn links_among<'p>(&self, all: impl Iterator<Item = &'p str>) -> Links {
        let real_path = |folder: &str| self.texts.base.real_path(folder);
        let folders: Vec<(&str, String)> =
            self.folders().iter().filter_map(|it| Some((&**it, real_path(it)?))).collect();
        // The folder itself may be behind a link, so the path in the workspace starts with the folder's own.
        let in_workspace = |real: String| {
            let own = folders.iter().find_map(|(folder, real_folder)| {
                Some(paths::join(folder, paths::below(real_folder, &real)?))
            });
            own.unwrap_or(real)
        };
        let mut links = Links::new();
        for path in all {
            let disk = &self.texts.base;
            let real = [disk.without_links(path), disk.without_linked_directories(path)];
            let targets: BTreeSet<String> = real.into_iter().flatten().map(in_workspace).collect();
            for target in targets.into_iter().filter(|it| it != path) {
                links.entry(target.into()).or_default().push(path.into());
            }
        }
        links
    }

    /// The path of a file or directory without links, as far as the disk knows it.
    pub fn real_path(&self, path: &str) -> String {
        let disk = &self.texts.base;
        let real = match self.kind(path) {
            PathKind::Directory => disk.real_path(path),
            PathKind::File | PathKind::Missing => {
                disk.without_links(path).or_else(|| disk.without_linked_directories(path))
            }
        };
        real.unwrap_or_else(|| path.to_owned())
    }

    /// The path at which an editor is to edit the file at `path`: the one by which it is open, if it is.
    pub(crate) fn edited_as(&self, path: &Arc<str>) -> Arc<str> {
        if self.open_file(path).is_some() {
            return path.clone();
        }
        let real = self.real_path(path);
        let open = self.open_files().find(|open| self.real_path(&open.entry.path) == real);
        open.map_or_else(|| path.clone(), |open| open.entry.path.clone())
    }

    /// Whether there is a symbolic link at `path`.
    pub(super) fn is_link(&self, path: &str) -> bool {
        let Some(directory) = paths::parent(path) else { return false };
        find(&self.list(directory), paths::file_name(path)).is_some_and(|it| it.is_link)
    }
}
